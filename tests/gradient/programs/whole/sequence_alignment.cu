/*---
function = "align"
wrt = ["reference", "penalty"]
of = ["table"]
inputs = { table = { shape = [81], random = 1 }, reference = { shape = [81], random = 2 }, cols = 9, penalty = 0.37 }
---*/
// Alignment of two sequences: tiles along antidiagonals, a wavefront in shared memory within each.
#define BS 4
__device__ __host__ float maximum(float a, float b, float c)
{
    float k;
    if (a <= b) k = b; else k = a;
    if (k <= c) return c;
    else return k;
}
__device__ void tile(const float *gain, float *table, int cols, float penalty, int bx, int by)
{
    int tx = threadIdx.x;
    int index = cols * BS * by + BS * bx + tx + (cols + 1);
    int at_north = cols * BS * by + BS * bx + tx + 1;
    int at_west = cols * BS * by + BS * bx + cols;
    int at_corner = cols * BS * by + BS * bx;
    __shared__ float scores[BS + 1][BS + 1];
    __shared__ float ref[BS][BS];
    if (tx == 0)
        scores[tx][0] = table[at_corner];
    for (int ty = 0; ty < BS; ty++)
        ref[ty][tx] = gain[index + cols * ty];
    __syncthreads();
    scores[tx + 1][0] = table[at_west + cols * tx];
    __syncthreads();
    scores[0][tx + 1] = table[at_north];
    __syncthreads();
    for (int m = 0; m < BS; m++) {
        if (tx <= m) {
            int t_x = tx + 1, t_y = m - tx + 1;
            scores[t_y][t_x] = maximum(scores[t_y - 1][t_x - 1] + ref[t_y - 1][t_x - 1], scores[t_y][t_x - 1] - penalty,
                                     scores[t_y - 1][t_x] - penalty);
        }
        __syncthreads();
    }
    for (int m = BS - 2; m >= 0; m--) {
        if (tx <= m) {
            int t_x = tx + BS - m, t_y = BS - tx;
            scores[t_y][t_x] = maximum(scores[t_y - 1][t_x - 1] + ref[t_y - 1][t_x - 1], scores[t_y][t_x - 1] - penalty,
                                     scores[t_y - 1][t_x] - penalty);
        }
        __syncthreads();
    }
    for (int ty = 0; ty < BS; ty++)
        table[index + ty * cols] = scores[ty + 1][tx + 1];
}
__global__ void upper(const float *ref, float *table, int cols, float penalty, int i, int width)
{
    int bx = blockIdx.x, by = i - 1 - bx;
    tile(ref, table, cols, penalty, bx, by);
}
__global__ void lower(const float *ref, float *table, int cols, float penalty, int i, int width)
{
    int bx = blockIdx.x + width - i, by = width - bx - 1;
    tile(ref, table, cols, penalty, bx, by);
}
void align(float *table, const float *reference, int cols, float penalty)
{
    dim3 grid, block(BS, 1);
    int width = (cols - 1) / BS;
    for (int i = 1; i <= width; i++) {
        grid.x = i; grid.y = 1;
        upper<<<grid, block>>>(reference, table, cols, penalty, i, width);
    }
    for (int i = width - 1; i >= 1; i--) {
        grid.x = i; grid.y = 1;
        lower<<<grid, block>>>(reference, table, cols, penalty, i, width);
    }
}
