// Adjoint by hand of tensorContraction3D of samples/tensor_contraction.cu, any choice of dimensions: two gather kernels.
// The kept dimensions of A and B count the rows and columns of C; strides give the place of their elements.

struct view {
    unsigned long first, last, stride_first, stride_last, contracted, stride_contracted;
};

static __device__ struct view viewed(const unsigned long *dim, int contract)
{
    const unsigned long stride[3] = {dim[1] * dim[2], dim[2], 1};
    const int first = contract == 0 ? 1 : 0;
    const int last = contract == 2 ? 1 : 2;
    struct view v;
    v.first = dim[first];
    v.last = dim[last];
    v.stride_first = stride[first];
    v.stride_last = stride[last];
    v.contracted = dim[contract];
    v.stride_contracted = stride[contract];
    return v;
}

// One warp per element of A; lanes run along the columns of C.
__global__ void contraction_pullback_A(const float *adj_C, const float *B, float *adj_A, const unsigned long *dimA,
                                       const unsigned long *dimB, int contractDimA, int contractDimB)
{
    const struct view a = viewed(dimA, contractDimA);
    const struct view b = viewed(dimB, contractDimB);
    const unsigned int rows = a.first * a.last;
    const unsigned int cols = b.first * b.last;
    const unsigned int K = a.contracted;
    const unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned int lane = threadIdx.x % 32;
    const unsigned int row = warp / K;
    const unsigned int k = warp % K;
    float sum = 0.0f;
    if (row < rows) {
        for (unsigned int col = lane; col < cols; col += 32) {
            const unsigned int l = col / (unsigned int)b.last;
            const unsigned int m = col - l * (unsigned int)b.last;
            sum += adj_C[(unsigned long)row * cols + col] *
                   B[l * b.stride_first + m * b.stride_last + k * b.stride_contracted];
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (row < rows && lane == 0) {
        const unsigned int i = row / (unsigned int)a.last;
        const unsigned int j = row - i * (unsigned int)a.last;
        adj_A[i * a.stride_first + j * a.stride_last + k * a.stride_contracted] += sum;
    }
}

// One thread per element of B; neighbours read neighbouring columns of adj_C.
__global__ void contraction_pullback_B(const float *adj_C, const float *A, float *adj_B, const unsigned long *dimA,
                                       const unsigned long *dimB, int contractDimA, int contractDimB)
{
    const struct view a = viewed(dimA, contractDimA);
    const struct view b = viewed(dimB, contractDimB);
    const unsigned int cols = b.first * b.last;
    const unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int k = idx / cols;
    const unsigned int col = idx % cols;
    if (k < b.contracted) {
        float sum = 0.0f;
        unsigned long row = 0;
        for (unsigned long i = 0; i < a.first; i++)
            for (unsigned long j = 0; j < a.last; j++, row++)
                sum += A[i * a.stride_first + j * a.stride_last + k * a.stride_contracted] * adj_C[row * cols + col];
        const unsigned int l = col / (unsigned int)b.last;
        const unsigned int m = col % (unsigned int)b.last;
        adj_B[l * b.stride_first + m * b.stride_last + k * b.stride_contracted] += sum;
    }
}
