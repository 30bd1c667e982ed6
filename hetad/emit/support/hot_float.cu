// Cells that the block has added to, each in a place of its own, and what it has added.
struct hetad_hot_float {
    unsigned long long cells[512];
    float sums[512];
};

// The block's own.
static __device__ struct hetad_hot_float *hetad_hot_sums_float(void)
{
    __shared__ struct hetad_hot_float sums;
    return &sums;
}

// No cell yet; all threads come here.
static __device__ void hetad_hot_begin_float(void)
{
    struct hetad_hot_float *hot = hetad_hot_sums_float();
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); i < 512; i += threads) {
        hot->cells[i] = 0;
        hot->sums[i] = 0;
    }
    __syncthreads();
}

// *target += value at the end, or now where another cell has its place.
static __device__ void hetad_hot_add_float(float *target, float value)
{
    struct hetad_hot_float *hot = hetad_hot_sums_float();
    const unsigned long long cell = (unsigned long long)target;
    const unsigned place = (unsigned)(cell / sizeof(float) ^ cell / sizeof(float) / 512) % 512;
    unsigned long long found = *(volatile unsigned long long *)&hot->cells[place];
    if (found == 0) {
        found = atomicCAS(&hot->cells[place], 0ull, cell);
    }
    if (found == 0 || found == cell) {
        atomicAdd(&hot->sums[place], value);
    } else {
        atomicAdd(target, value);
    }
}

// Adds what there is; all threads come here.
static __device__ void hetad_hot_end_float(void)
{
    struct hetad_hot_float *hot = hetad_hot_sums_float();
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    __syncthreads();
    for (unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); i < 512; i += threads) {
        if (hot->cells[i] != 0) {
            atomicAdd((float *)hot->cells[i], hot->sums[i]);
        }
    }
}
