/*---
function = "filter"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [45] }
x = { shape = [45], random = 1 }
w = { shape = [7], random = 2 }
n = 45
lanes = 16

[[cases]]
name = "partial_block"

[[cases]]
name = "whole_blocks"
inputs = { n = 32 }

[[cases]]
name = "a_warp_and_a_half"
inputs = { lanes = 48 }

[[cases]]
name = "blocks_smaller_than_the_halo"
inputs = { lanes = 3 }

[[cases]]
name = "rows_of_a_block"
inputs = { lanes = 8 }
defines = { ROWS = 3 }

[[cases]]
name = "floats"
defines = { REAL = "float" }
---*/
// A filter whose taps lie in shared memory, as does what they are applied to, with a halo: all threads of a block read
// the same tap at a time.  A second pass counts down, over taps of which the first is left out.
#ifndef REAL
#define REAL double
#endif
#ifndef ROWS
#define ROWS 1
#endif
#define R 3
#define TAPS (2 * R + 1)
#define MOST 48

__global__ void weighted(REAL *y, const REAL *x, const REAL *w, int n)
{
    __shared__ REAL taps[TAPS], tile[ROWS][MOST + 2 * R];
    int row = threadIdx.y, first = (blockIdx.x * ROWS + row) * blockDim.x - R;
    int i = first + R + threadIdx.x;
    for (int k = threadIdx.x; k < blockDim.x + 2 * R; k += blockDim.x)
        tile[row][k] = first + k >= 0 && first + k < n ? x[first + k] : (REAL)0.25;
    if (row == 0)
        for (int k = threadIdx.x; k < TAPS; k += blockDim.x)
            taps[k] = w[k];
    __syncthreads();
    if (i >= n)
        return;
    REAL sum = 0, squares = 0;
    for (int k = 0; k < TAPS; ++k)
        sum += taps[k] * tile[row][threadIdx.x + k];
    for (int k = TAPS - 1; k > 0; --k) {
        REAL t = taps[k] * sin(taps[k]);
        if (tile[row][threadIdx.x + k] > 0)
            squares += t * tile[row][threadIdx.x + R];
    }
    y[i] = sum + squares;
}

void filter(REAL *y, const REAL *x, const REAL *w, int n, int lanes)
{
    dim3 block(lanes, ROWS);
    int width = lanes * ROWS;
    weighted<<<(n + width - 1) / width, block>>>(y, x, w, n);
}
