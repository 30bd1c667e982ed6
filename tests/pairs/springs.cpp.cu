struct Vec {
    double x, y;
    __device__ double norm2() const { return x * x + y * y; }
};
__global__ void f(Vec *force, const Vec *pos, double k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec total{0.0, 0.0};
    for (int j = 0; j < n; ++j) {
        Vec d;
        d.x = pos[j].x - pos[i].x;
        d.y = pos[j].y - pos[i].y;
        const double r2 = d.norm2();
        total.x += k * r2 * d.x;
        total.y += k * r2 * d.y;
    }
    force[i] = total;
}
