/*---
function = "likelihood"
wrt = ["measured", "process", "noise"]
[inputs]
measured = { shape = [7, 19], random = 1 }
process = 0.3
noise = 0.7
tracks = 19
length = 7
---*/
// A Kalman filter per thread with 2x2 covariances in local matrices; the filter's state stays on the device between the
// kernels of prediction and correction, and the likelihood is summed by atomics.
#include <math.h>
#define PI 3.14159265358979323846

struct track {
    double state[2];
    double covariance[2][2];
};

__global__ void begin(struct track *tracks, int n, double spread)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        struct track t = {{0.0, 0.5}, {{spread, 0.1}, {0.1, spread}}};
        tracks[i] = t;
    }
}

__device__ void product(double out[2][2], const double a[2][2], const double b[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            out[i][j] = 0.0;
            for (int k = 0; k < 2; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}

__global__ void predict(struct track *tracks, int n, double dt, double process)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double move[2][2] = {{1.0, dt}, {0.0, 1.0}}, back[2][2] = {{1.0, 0.0}, {dt, 1.0}};
    double half[2][2], whole[2][2];
    product(half, move, tracks[i].covariance);
    product(whole, half, back);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            tracks[i].covariance[r][c] = whole[r][c] + (r == c ? process * process : 0.0);
    tracks[i].state[0] += dt * tracks[i].state[1];
}

__global__ void correct(struct track *tracks, const double *z, double *loglikelihood, int n, double noise)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct track t = tracks[i];
    double innovation = z[i] - t.state[0], s = t.covariance[0][0] + noise * noise;
    double gain[2] = {t.covariance[0][0] / s, t.covariance[1][0] / s};
    for (int r = 0; r < 2; r++) {
        tracks[i].state[r] = t.state[r] + gain[r] * innovation;
        for (int c = 0; c < 2; c++)
            tracks[i].covariance[r][c] = t.covariance[r][c] - gain[r] * t.covariance[0][c];
    }
    atomicAdd(loglikelihood, -0.5 * (log(2.0 * PI * s) + innovation * innovation / s));
}

double likelihood(const double *measured, double process, double noise, int tracks, int length)
{
    struct track *d_tracks;
    double *d_measured, *d_sum, sum = 0.0;
    cudaMalloc(&d_tracks, tracks * sizeof(struct track));
    cudaMalloc(&d_measured, tracks * length * sizeof(double));
    cudaMalloc(&d_sum, sizeof(double));
    cudaMemcpy(d_measured, measured, tracks * length * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_sum, &sum, sizeof(double), cudaMemcpyHostToDevice);
    int blocks = (tracks + 7) / 8;
    begin<<<blocks, 8>>>(d_tracks, tracks, 1.0 + noise);
    for (int t = 0; t < length; t++) {
        predict<<<blocks, 8>>>(d_tracks, tracks, 0.5, process);
        correct<<<blocks, 8>>>(d_tracks, d_measured + t * tracks, d_sum, tracks, noise);
    }
    cudaMemcpy(&sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_tracks);
    cudaFree(d_measured);
    cudaFree(d_sum);
    return sum;
}
