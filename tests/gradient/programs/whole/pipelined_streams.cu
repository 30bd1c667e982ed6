/*---
function = "process"
wrt = ["in", "gain"]
of = ["out"]
[inputs]
in = { shape = [70], random = 1 }
out = { zeros = [70] }
gain = 1.4
n = 70
---*/
// Chunks that go through two streams, pinned staging memory, an event that one stream waits for, timers around it all.
#include <stdio.h>

#define STREAMS 2
#define CHUNK 16

__global__ void shape(float *out, const float *in, float gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tanhf(gain * in[i]);
}

__global__ void smooth(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.25f * (i > 0 ? in[i - 1] : in[i]) + 0.5f * in[i] + 0.25f * (i < n - 1 ? in[i + 1] : in[i]);
}

void process(float *out, const float *in, float gain, int n)
{
    cudaStream_t streams[STREAMS];
    cudaEvent_t begin, end, shaped[STREAMS];
    float *pinned, *d_in[STREAMS], *d_mid, *d_out;
    cudaMallocHost((void **)&pinned, n * sizeof(float));
    for (int i = 0; i < n; i++)
        pinned[i] = in[i];
    for (int s = 0; s < STREAMS; s++) {
        cudaStreamCreate(&streams[s]);
        cudaEventCreateWithFlags(&shaped[s], cudaEventDisableTiming);
        cudaMallocAsync((void **)&d_in[s], CHUNK * sizeof(float), streams[s]);
    }
    cudaMalloc((void **)&d_mid, n * sizeof(float));
    cudaMalloc((void **)&d_out, n * sizeof(float));
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int first = 0, k = 0; first < n; first += CHUNK, k++) {
        int s = k % STREAMS, count = n - first < CHUNK ? n - first : CHUNK;
        cudaMemcpyAsync(d_in[s], pinned + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[s]);
        shape<<<(count + 7) / 8, 8, 0, streams[s]>>>(d_mid + first, d_in[s], gain, count);
        cudaEventRecord(shaped[s], streams[s]);
    }
    for (int s = 0; s < STREAMS; s++)
        cudaStreamWaitEvent(streams[0], shaped[s], 0);
    smooth<<<(n + 31) / 32, 32, 0, streams[0]>>>(d_out, d_mid, n);
    cudaMemcpyAsync(pinned, d_out, n * sizeof(float), cudaMemcpyDeviceToHost, streams[0]);
    cudaStreamSynchronize(streams[0]);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms > 1e9f)
        printf("%.3f ms\n", ms);
    for (int i = 0; i < n; i++)
        out[i] = pinned[i];
    for (int s = 0; s < STREAMS; s++) {
        cudaFreeAsync(d_in[s], streams[s]);
        cudaEventDestroy(shaped[s]);
        cudaStreamDestroy(streams[s]);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFreeHost(pinned);
    cudaFree(d_mid);
    cudaFree(d_out);
}
