// tangent of smooth (line 12)
static __global__ void smooth_tangent(
    double *v, const double *u, const double *f, double w, int n, double *dot_v, double *dot_u, double *dot_f,
    double dot_w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const double value = f[i] - u[i] * u[i];
        dot_v[i] = dot_u[i] + (value * dot_w + w * (dot_f[i] - 2.0 * u[i] * dot_u[i]));
        v[i] = u[i] + w * value;
    }
}

// tangent of scale (line 19)
static __global__ void scale_tangent(double *u, double a, int n, double *dot_u, double dot_a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        dot_u[i] = a * dot_u[i] + u[i] * dot_a;
        u[i] *= a;
    }
}

// tangent of u of solve (line 44) along u, f
extern "C" void solve_tangent(
    double *u, double *v, const double *f, int n, double *dot_u, double *dot_f, size_t v_bytes)
{
    double *dot_v;
    cudaMalloc((void **)&dot_v, v_bytes);
    cudaMemset(dot_v, 0, v_bytes);
    for (int k = 0; k < 1; ++k) {
        double dot_square_of_norm_1 = 0;
        double dot_host[32];
        double host[32];
        double dot_sum = 0;
        double sum = 1.0;
        cudaMemcpy(dot_host, dot_u, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(host, u, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            dot_sum += 2.0 * host[i] * dot_host[i];
            sum += host[i] * host[i];
        }
        dot_square_of_norm_1 = dot_sum;
        double square_of_norm_1 = sum;
        const double value = 0.1 / square_of_norm_1;
        double dot_w = -(value * dot_square_of_norm_1) / square_of_norm_1;
        double w = value;
        smooth_tangent<<<(n + 7) / 8, 8>>>(v, u, f, w, n, dot_v, dot_u, dot_f, dot_w);
        smooth_tangent<<<(n + 7) / 8, 8>>>(u, v, f, w, n, dot_u, dot_v, dot_f, dot_w);
    }
    double dot_before = 0;
    double dot_host_2[32];
    double host_2[32];
    double dot_sum_2 = 0;
    double sum_2 = 1.0;
    cudaMemcpy(dot_host_2, dot_u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(host_2, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i_2 = 0; i_2 < n; ++i_2) {
        dot_sum_2 += 2.0 * host_2[i_2] * dot_host_2[i_2];
        sum_2 += host_2[i_2] * host_2[i_2];
    }
    dot_before = dot_sum_2;
    double before = sum_2;
    for (int cycle = 0; cycle < 2; ++cycle) {
        for (int k_2 = 0; k_2 < 2; ++k_2) {
            double dot_square_of_norm_1b = 0;
            double dot_host_3[32];
            double host_3[32];
            double dot_sum_3 = 0;
            double sum_3 = 1.0;
            cudaMemcpy(dot_host_3, dot_u, n * sizeof(double), cudaMemcpyDeviceToHost);
            cudaMemcpy(host_3, u, n * sizeof(double), cudaMemcpyDeviceToHost);
            for (int i_3 = 0; i_3 < n; ++i_3) {
                dot_sum_3 += 2.0 * host_3[i_3] * dot_host_3[i_3];
                sum_3 += host_3[i_3] * host_3[i_3];
            }
            dot_square_of_norm_1b = dot_sum_3;
            double square_of_norm_1b = sum_3;
            const double value_2 = 0.1 / square_of_norm_1b;
            double dot_w_2 = -(value_2 * dot_square_of_norm_1b) / square_of_norm_1b;
            double w_2 = value_2;
            smooth_tangent<<<(n + 7) / 8, 8>>>(v, u, f, w_2, n, dot_v, dot_u, dot_f, dot_w_2);
            smooth_tangent<<<(n + 7) / 8, 8>>>(u, v, f, w_2, n, dot_u, dot_v, dot_f, dot_w_2);
        }
    }
    double dot_after = 0;
    double dot_host_4[32];
    double host_4[32];
    double dot_sum_4 = 0;
    double sum_4 = 1.0;
    cudaMemcpy(dot_host_4, dot_u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(host_4, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i_4 = 0; i_4 < n; ++i_4) {
        dot_sum_4 += 2.0 * host_4[i_4] * dot_host_4[i_4];
        sum_4 += host_4[i_4] * host_4[i_4];
    }
    dot_after = dot_sum_4;
    double after = sum_4;
    const double value_3 = before / after;
    double dot_argument_1 = (dot_before - value_3 * dot_after) / after;
    double argument_1 = value_3;
    scale_tangent<<<(n + 7) / 8, 8>>>(u, argument_1, n, dot_u, dot_argument_1);
    for (int k_3 = 0; k_3 < 1; ++k_3) {
        double dot_square_of_norm_1c = 0;
        double dot_host_5[32];
        double host_5[32];
        double dot_sum_5 = 0;
        double sum_5 = 1.0;
        cudaMemcpy(dot_host_5, dot_u, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(host_5, u, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i_5 = 0; i_5 < n; ++i_5) {
            dot_sum_5 += 2.0 * host_5[i_5] * dot_host_5[i_5];
            sum_5 += host_5[i_5] * host_5[i_5];
        }
        dot_square_of_norm_1c = dot_sum_5;
        double square_of_norm_1c = sum_5;
        const double value_4 = 0.1 / square_of_norm_1c;
        double dot_w_3 = -(value_4 * dot_square_of_norm_1c) / square_of_norm_1c;
        double w_3 = value_4;
        smooth_tangent<<<(n + 7) / 8, 8>>>(v, u, f, w_3, n, dot_v, dot_u, dot_f, dot_w_3);
        smooth_tangent<<<(n + 7) / 8, 8>>>(u, v, f, w_3, n, dot_u, dot_v, dot_f, dot_w_3);
    }
    cudaFree(dot_v);
}
