// Contraction of two tensors of order three over one dimension of each:
//
//     C[i, j, l, m] = sum over k of A[i, j, k] * B[k, l, m]
//
// The launch function takes host arrays, as a library would: it copies the tensors *and* their dimensions to the
// device, launches one thread per element of C, and copies the result back.  The kernel knows only at run time
// which dimension of A meets which of B, so its addresses come out of divisions, remainders and stride tables.
// hetad differentiates the whole function: the gradient of C with respect to A and B needs no edit of this file,
// and it follows the data through every cudaMalloc, cudaMemcpy and launch in reverse.

typedef unsigned long size_type;

// One thread per element of C.  `dimA` and `dimB` hold the three extents of A and B, last dimension contiguous.
__global__ void tensorContraction3D(float *C, const float *A, const float *B, const size_type *dimA,
                                    const size_type *dimB, const int contractDimA, const int contractDimB)
{
    const size_type idx = (size_type)blockIdx.x * blockDim.x + threadIdx.x;

    // The dimensions that stay, in their order.
    const int firstA = contractDimA == 0 ? 1 : 0;
    const int lastA = contractDimA == 2 ? 1 : 2;
    const int firstB = contractDimB == 0 ? 1 : 0;
    const int lastB = contractDimB == 2 ? 1 : 2;

    const size_type total = dimA[firstA] * dimA[lastA] * dimB[firstB] * dimB[lastB];
    if (idx < total) {
        const size_type strideA[3] = {dimA[1] * dimA[2], dimA[2], 1};
        const size_type strideB[3] = {dimB[1] * dimB[2], dimB[2], 1};

        // idx = ((i * dimA[lastA] + j) * dimB[firstB] + l) * dimB[lastB] + m
        const size_type m = idx % dimB[lastB];
        const size_type l = idx / dimB[lastB] % dimB[firstB];
        const size_type row = idx / (dimB[lastB] * dimB[firstB]);
        const size_type j = row % dimA[lastA];
        const size_type i = row / dimA[lastA];

        const size_type startA = i * strideA[firstA] + j * strideA[lastA];
        const size_type startB = l * strideB[firstB] + m * strideB[lastB];
        float sum = 0.0f;
        for (size_type k = 0; k < dimA[contractDimA]; k++)
            sum += A[startA + k * strideA[contractDimA]] * B[startB + k * strideB[contractDimB]];
        C[idx] = sum;
    }
}

// C (D1 x D2 x D4 x D5) from A (D1 x D2 x D3) and B (D3 x D4 x D5), all in host memory.
void launchTensorContraction3D(float *C, const float *A, const float *B, const size_type D1, const size_type D2,
                               const size_type D3, const size_type D4, const size_type D5)
{
    const size_type bytesA = D1 * D2 * D3 * sizeof(float);
    const size_type bytesB = D3 * D4 * D5 * sizeof(float);
    const size_type sizeC = D1 * D2 * D4 * D5;
    const size_type dimA[3] = {D1, D2, D3};
    const size_type dimB[3] = {D3, D4, D5};

    float *d_A, *d_B, *d_C;
    size_type *d_dimA, *d_dimB;
    cudaMalloc(&d_A, bytesA);
    cudaMalloc(&d_B, bytesB);
    cudaMalloc(&d_C, sizeC * sizeof(float));
    cudaMalloc(&d_dimA, sizeof(dimA));
    cudaMalloc(&d_dimB, sizeof(dimB));

    cudaMemcpy(d_A, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, B, bytesB, cudaMemcpyHostToDevice);
    cudaMemcpy(d_dimA, dimA, sizeof(dimA), cudaMemcpyHostToDevice);
    cudaMemcpy(d_dimB, dimB, sizeof(dimB), cudaMemcpyHostToDevice);

    const int threads = 256;
    const int blocks = (int)((sizeC + threads - 1) / threads);
    tensorContraction3D<<<blocks, threads>>>(d_C, d_A, d_B, d_dimA, d_dimB, 2, 0);

    cudaMemcpy(C, d_C, sizeC * sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(d_A);
    cudaFree(d_B);
    cudaFree(d_C);
    cudaFree(d_dimA);
    cudaFree(d_dimB);
}
