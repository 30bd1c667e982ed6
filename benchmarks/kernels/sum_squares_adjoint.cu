// Adjoint of sum_squares() by hand: every element sees the same seed; no reduction is left.
__global__ void sum_squares_pullback(const float *v, int n, const float *adj_out, float *adj_v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        adj_v[i] += 2.0f * v[i] * adj_out[0];
}
