// Tangents of the transforms, which are linear: the transforms of the tangents.  Each uses the primal's memory for work in
// front of it; see blas_real_tangents.cu.

static void fft_real_K2K_tangent(int rows, int n, int plane, int direction, complex *work, const complex *dot_in,
                                 complex *dot_out)
{
    if (dot_out != NULL) {
        if (dot_in != NULL)
            fft_real_K2K<<<plane ? 1 : rows, 256>>>(rows, n, plane, dot_in, dot_out, direction, work);
        else
            fft_real_clear<<<((long long)rows * n + 255) / 256, 256>>>(dot_out, (long long)rows * n);
    }
}

static void fft_real_E2K_tangent(int rows, int n, int plane, complex *work, const real *dot_in, complex *dot_out)
{
    if (dot_out != NULL) {
        if (dot_in != NULL)
            fft_real_E2K<<<plane ? 1 : rows, 256>>>(rows, n, plane, dot_in, dot_out, work);
        else
            fft_real_clear<<<((long long)rows * (n / 2 + 1) + 255) / 256, 256>>>(dot_out, (long long)rows * (n / 2 + 1));
    }
}

static void fft_real_K2E_tangent(int rows, int n, int plane, complex *work, const complex *dot_in, real *dot_out)
{
    if (dot_out != NULL) {
        if (dot_in != NULL)
            fft_real_K2E<<<plane ? 1 : rows, 256>>>(rows, n, plane, dot_in, dot_out, work);
        else
            fft_real_clear_numbers<<<((long long)rows * n + 255) / 256, 256>>>(dot_out, (long long)rows * n);
    }
}
