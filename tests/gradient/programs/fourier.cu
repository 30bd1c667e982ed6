/*---
function = "transform"
wrt = ["signal"]
of = ["signal"]
reference = { signal = "(lambda g: np.stack([g.real, g.imag], -1))(16 * np.fft.ifft(adj_signal[..., 0] + 1j * adj_signal[..., 1]))" }
[inputs]
signal = { shape = [3, 16, 2], random = 1 }
---*/
// A fast Fourier transform in shared memory: butterflies on pairs of numbers, bit-reversed order, a block a signal.
#define N 16

__global__ void transform_kernel(double *signal)
{
    __shared__ double re[N], im[N];
    int t = threadIdx.x;
    double *mine = signal + blockIdx.x * N * 2;
    for (int i = t; i < N; i += N / 2) {
        int reversed = __brev(i) >> 28;
        re[reversed] = mine[2 * i];
        im[reversed] = mine[2 * i + 1];
    }
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        int k = t % half, i = t / half * 2 * half + k, j = i + half;
        double s, c;
        sincospi(-(double)k / half, &s, &c);
        double u = re[j] * c - im[j] * s, v = re[j] * s + im[j] * c;
        re[j] = re[i] - u;
        im[j] = im[i] - v;
        re[i] += u;
        im[i] += v;
        __syncthreads();
    }
    for (int i = t; i < N; i += N / 2) {
        mine[2 * i] = re[i];
        mine[2 * i + 1] = im[i];
    }
}

void transform(double *signal)
{
    transform_kernel<<<3, N / 2>>>(signal);
}
