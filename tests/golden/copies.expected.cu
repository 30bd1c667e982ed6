#include <cstdio>
#include <cstdlib>
#include <cstring>

static void *hetad_host_malloc(size_t bytes);
static void *hetad_host_zeros(size_t bytes);
static cudaError_t hetad_device_malloc(void **p, size_t bytes);
static cudaError_t hetad_device_zeros(void **p, size_t bytes);
static void hetad_forward_done(void);
static void hetad_copy_pullback_float(float *adj_dst, float *adj_src, size_t bytes, int kind);
static void hetad_launched(dim3 grid);
static void hetad_device_free(void *p);
static void hetad_host_free(void *p);

static __global__ void square(float *y, const float *x)
{
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// pullback of square (line 12), with respect to y, x
static __global__ void square_pullback(
    const float *__restrict__ x, const float *__restrict__ adj_y, float *__restrict__ adj_x)
{
    // line 14: y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
    const float seed = adj_y[threadIdx.x];
    adj_x[threadIdx.x] += 2.0f * seed * x[threadIdx.x];
}

static __global__ void hetad_accumulate_float(float *sum, const float *term, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] += term[i];
    }
}

// gradient of the return value of energy (line 17) with respect to x
extern "C" float energy_grad(const float *x, float adj_return, float *adj_x)
{
    float *d_x;
    float *adj_d_x;
    float *d_y;
    float *adj_d_y;
    float *y = (float *)hetad_host_malloc(20 * sizeof(float));
    float *adj_y = (float *)hetad_host_zeros(20 * sizeof(float));
    hetad_device_malloc((void **)&d_x, 20 * sizeof(float));
    hetad_device_zeros((void **)&adj_d_x, 20 * sizeof(float));
    hetad_device_malloc((void **)&d_y, 20 * sizeof(float));
    hetad_device_zeros((void **)&adj_d_y, 20 * sizeof(float));
    cudaMemcpy(d_x, x, 20 * sizeof(float), cudaMemcpyHostToDevice);
    square<<<1, 20>>>(d_y, d_x);
    cudaMemcpy(y, d_y, 20 * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0.0f;
    for (int i = 0; i < 20; ++i) {
        sum += y[i];
    }
    hetad_forward_done();
    for (int i = 19; i >= 0; --i) {
        // line 28: sum += y[i];
        adj_y[i] += adj_return;
    }
    // line 25: cudaMemcpy(y, d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
    hetad_copy_pullback_float(adj_y, adj_d_y, 20 * sizeof(float), cudaMemcpyDeviceToHost);
    // line 24: square<<<1, N>>>(d_y, d_x);
    square_pullback<<<1, 20>>>(d_x, adj_d_y, adj_d_x);
    hetad_launched(dim3(1));
    // line 23: cudaMemcpy(d_x, x, N * sizeof(float), cudaMemcpyHostToDevice);
    hetad_copy_pullback_float(adj_d_x, adj_x, 20 * sizeof(float), cudaMemcpyHostToDevice);
    // line 22: cudaMalloc(&d_y, N * sizeof(float));
    hetad_device_free(adj_d_y);
    hetad_device_free(d_y);
    // line 21: cudaMalloc(&d_x, N * sizeof(float));
    hetad_device_free(adj_d_x);
    hetad_device_free(d_x);
    // line 20: float *y = (float *)malloc(N * sizeof(float));
    hetad_host_free(adj_y);
    hetad_host_free(y);
    return sum;
}

// ---- hetad's own functions that are called above, and what they need ----

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
}

// Every CUDA call of the derivative's own must succeed.
static void hetad_check(cudaError_t error)
{
    if (error != cudaSuccess) {
        hetad_fail(cudaGetErrorString(error));
    }
}

// Memory of the derivative call.
static void *hetad_device_memory(size_t bytes)
{
    void *p = NULL;
    hetad_check(cudaMalloc(&p, bytes));
    return p;
}

static cudaError_t hetad_device_malloc(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    return cudaSuccess;
}

static cudaError_t hetad_device_zeros(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    if (bytes > 0) {
        hetad_check(cudaMemset(*p, 0, bytes));
    }
    return cudaSuccess;
}

static void *hetad_host_malloc(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (p == NULL) {
        hetad_fail("out of host memory");
    }
    return p;
}

static void *hetad_host_zeros(size_t bytes)
{
    void *p = hetad_host_malloc(bytes);
    return memset(p, 0, bytes);
}

static void hetad_device_free(void *p)
{
    hetad_check(cudaFree(p));
}

static void hetad_host_free(void *p)
{
    free(p);
}

// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}

// The program's own launches may have been refused without anybody asking: they did nothing, here as in the primal.
static void hetad_primal_launched(void)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaErrorInvalidConfiguration) {
        hetad_check(error);
    }
}

static void hetad_forward_done(void)
{
    hetad_primal_launched();
}

// Which sides of a copy are device memory: bit 0 the destination, bit 1 the source.
static int hetad_copy_sides(int kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return 1;
    case cudaMemcpyDeviceToHost:
        return 2;
    case cudaMemcpyDeviceToDevice:
        return 3;
    }
    return 0;
}

// The adjoint of cudaMemcpy(dst, src, bytes, kind): adj_src += adj_dst; adj_dst = 0.
static void hetad_copy_pullback_float(float *adj_dst, float *adj_src, size_t bytes, int kind)
{
    size_t n = bytes / sizeof(float);
    int sides = hetad_copy_sides(kind), to_device = sides & 1, from_device = sides & 2;
    if (adj_dst == NULL || bytes == 0) {
        return;
    }
    if (n * sizeof(float) != bytes) {
        hetad_fail("a copy of part of a number has no derivative");
    }
    if (adj_src != NULL && adj_dst < adj_src + n && adj_src < adj_dst + n) {
        hetad_fail("a copy whose source and destination overlap has no derivative");
    }
    float *term = adj_dst;
    if (adj_src != NULL && to_device && !from_device) {
        term = (float *)malloc(bytes);
        if (term == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyDeviceToHost));
    } else if (adj_src != NULL && from_device && !to_device) {
        hetad_check(cudaMalloc((void **)&term, bytes));
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyHostToDevice));
    }
    if (adj_src != NULL && from_device) {
        hetad_accumulate_float<<<(unsigned)((n + 255) / 256), 256>>>(adj_src, term, n);
        hetad_check(cudaGetLastError());
    } else if (adj_src != NULL) {
        for (size_t i = 0; i < n; ++i) {
            adj_src[i] += term[i];
        }
    }
    if (to_device) {
        hetad_check(cudaMemset(adj_dst, 0, bytes));
    } else {
        memset(adj_dst, 0, bytes);
    }
    if (term != adj_dst && from_device) {
        hetad_check(cudaFree(term));
    } else if (term != adj_dst) {
        free(term);
    }
}
