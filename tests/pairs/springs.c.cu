struct Vec { double x, y; };
__global__ void f(struct Vec *force, const struct Vec *pos, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct Vec total = {0.0, 0.0};
    for (int j = 0; j < n; ++j) {
        struct Vec d;
        d.x = pos[j].x - pos[i].x;
        d.y = pos[j].y - pos[i].y;
        double r2 = d.x * d.x + d.y * d.y;
        total.x += k * r2 * d.x;
        total.y += k * r2 * d.y;
    }
    force[i] = total;
}
