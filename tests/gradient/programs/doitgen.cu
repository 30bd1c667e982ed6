/*---
function = "doitgen"
wrt = ["a", "c4"]
of = ["a"]
reference = { a = "adj_a @ c4.T", c4 = "np.einsum('rqs,rqp->sp', a, adj_a)" }
[inputs]
a = { shape = [4, 5, 6], random = 1 }
c4 = { shape = [6, 6], random = 2 }
nr = 4
nq = 5
np_ = 6
---*/
// A product along the last index, through a work array, one launch for each first index.
__global__ void multiply(double *sum, const double *a, const double *c4, int r, int nq, int np_)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
    if (p < np_ && q < nq) {
        sum[q * np_ + p] = 0.0;
        for (int s = 0; s < np_; s++)
            sum[q * np_ + p] = sum[q * np_ + p] + a[(r * nq + q) * np_ + s] * c4[s * np_ + p];
    }
}

__global__ void put_back(double *a, const double *sum, int r, int nq, int np_)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
    if (p < np_ && q < nq)
        a[(r * nq + q) * np_ + p] = sum[q * np_ + p];
}

void doitgen(double *a, const double *c4, int nr, int nq, int np_)
{
    double *sum;
    cudaMalloc(&sum, sizeof(double) * nq * np_);
    dim3 block(4, 4), grid((np_ + 3) / 4, (nq + 3) / 4);
    for (int r = 0; r < nr; r++) {
        multiply<<<grid, block>>>(sum, a, c4, r, nq, np_);
        put_back<<<grid, block>>>(a, sum, r, nq, np_);
    }
    cudaFree(sum);
}
