/*---
function = "divergence"
wrt = ["u", "d"]
of = ["rate"]
[inputs]
rate = { zeros = [192] }
u = { shape = [192], random = 1 }
d = { shape = [16], random = 2 }
elements = 3
lanes = 64

[[cases]]
name = "a_thread_a_node"

[[cases]]
name = "fewer_threads_than_nodes"
inputs = { lanes = 24 }

[[cases]]
name = "one_thread"
inputs = { lanes = 1 }

[[cases]]
name = "threads_without_a_node"
inputs = { lanes = 96 }

[[cases]]
name = "floats"
defines = { REAL = "float" }

[[cases]]
name = "no_elements"
inputs = { elements = 0 }
---*/
// Spectral elements of 4 x 4 x 4 nodes: all threads along an axis read the same cells of shared memory, one after another.
#ifndef REAL
#define REAL double
#endif
#define N 4
#define NODES (N * N * N)

__global__ void along_axes(REAL *rate, const REAL *u, const REAL *d)
{
    __shared__ REAL nodes[N][N][N], by[N][N];
    for (int m = threadIdx.x; m < NODES; m += blockDim.x)
        nodes[m / (N * N)][m / N % N][m % N] = u[blockIdx.x * NODES + m];
    for (int m = threadIdx.x; m < N * N; m += blockDim.x)
        by[m / N][m % N] = d[m];
    __syncthreads();
    for (int m = threadIdx.x; m < NODES; m += blockDim.x) {
        int z = m / (N * N), y = m / N % N, x = m % N;
        REAL along_x = 0, along_y = 0, along_z = 0;
        for (int q = 0; q < N; ++q) {
            along_x += by[x][q] * nodes[z][y][q];
            along_y += by[y][q] * nodes[z][q][x];
            along_z += by[z][q] * nodes[q][y][x] * nodes[q][y][x];
        }
        rate[blockIdx.x * NODES + m] = along_x * along_y + along_z;
    }
}

void divergence(REAL *rate, const REAL *u, const REAL *d, int elements, int lanes)
{
    along_axes<<<elements, lanes>>>(rate, u, d);
}
