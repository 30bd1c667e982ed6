/*---
function = "gridding"
wrt = ["samples", "x", "k"]
of = ["re", "im"]
[inputs]
re = { zeros = [19] }
im = { zeros = [19] }
x = { shape = [19], random = 1 }
k = { shape = [10], random = 2 }
samples = { shape = [10], random = 3 }
n = 19
---*/
// MRI-Q in the manner of Parboil: sums of cosines and sines over samples in constant memory's place, in chunks.
#define CHUNK 4

__global__ void part(float *re, float *im, const float *x, const float *k, const float2 *samples, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float at = x[i], r = re[i], m = im[i];
    for (int j = 0; j < count; j++) {
        float phase = 0.8f * k[j] * at, magnitude = samples[j].x * samples[j].x + samples[j].y * samples[j].y;
        r += magnitude * cosf(phase);
        m += magnitude * sinf(phase);
    }
    re[i] = r;
    im[i] = m;
}

void gridding(float *re, float *im, const float *x, const float *k, const float2 *samples, int n)
{
    for (int start = 0; start < 10; start += CHUNK)
        part<<<(n + 7) / 8, 8>>>(re, im, x, k + start, samples + start, n, 10 - start < CHUNK ? 10 - start : CHUNK);
}
