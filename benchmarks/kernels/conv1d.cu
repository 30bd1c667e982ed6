// One-dimensional convolution with TAPS weights: out[i] = sum over j of w[j] * in[i + j].
#define TAPS 31

__global__ void conv1d(float *out, const float *in, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < TAPS; j++)
            sum += w[j] * in[i + j];
        out[i] = sum;
    }
}
