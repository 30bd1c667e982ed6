/*---
function = "turned"
wrt = ["x"]
of = ["y"]
help = "__syncwarp()"
---*/
// The lanes of a warp write columns and read rows, as if they ran in step.
__global__ void turn(float *y, const float *x)
{
    __shared__ float tile[8 * 9];
    float *column = tile + threadIdx.x, *row = &tile[threadIdx.x * 9];
    for (int i = 0; i < 8; i++)
        column[i * 9] = x[i * 8 + threadIdx.x];
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (i + 1) * row[i]; // expected-error: a race in kernel turn: thread (0, 0, 0) of a block reads a cell of tile here
//                       ^
    y[threadIdx.x] = sum * sum;
}

void turned(float *y, const float *x)
{
    dim3 threads(8);
    turn<<<4, threads>>>(y, x);
}
