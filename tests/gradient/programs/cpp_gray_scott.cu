/*---
function = "gray_scott"
wrt = ["u", "v", "feed"]
of = ["u", "v"]
[inputs]
u = { shape = [35], random_uniform = 1, low = 0.4, high = 1.0 }
v = { shape = [35], random_uniform = 2, low = 0.0, high = 0.4 }
feed = 0.05
nx = 7
ny = 5
steps = 2
---*/
// Reaction and diffusion: a model by the recurring template pattern, fields of several species, halos in shared memory.
template <class Model, int Species> class ReactionBase {
public:
    __device__ void rates(const double (&s)[Species], double (&out)[Species]) const
    {
        self().react(s, out);
        for (int k = 0; k < Species; ++k)
            out[k] *= self().speed();
    }
    __device__ double speed() const { return 1.0; }

private:
    __device__ const Model &self() const { return *static_cast<const Model *>(this); }
};

class GrayScott : public ReactionBase<GrayScott, 2> {
public:
    __host__ __device__ GrayScott(double f, double k) : feed(f), kill(k) {}
    __device__ void react(const double (&s)[2], double (&out)[2]) const
    {
        const double uvv = s[0] * s[1] * s[1];
        out[0] = feed * (1.0 - s[0]) - uvv;
        out[1] = uvv - (feed + kill) * s[1];
    }
    __device__ double speed() const { return 0.9; }

private:
    double feed, kill;
};

template <int Species> struct Fields {
    double *data[Species];
};

template <int Bx, int By, int Species, class Model>
__global__ void step(Fields<Species> next, Fields<Species> now, Model model, int nx, int ny)
{
    __shared__ double tile[Species][By + 2][Bx + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * Bx + threadIdx.x, y = blockIdx.y * By + threadIdx.y;
    auto at = [nx, ny](int i, int j) { return (j + ny) % ny * nx + (i + nx) % nx; };
    for (int s = 0; s < Species; ++s) {
        tile[s][ty][tx] = now.data[s][at(x, y)];
        if (threadIdx.x == 0)
            tile[s][ty][0] = now.data[s][at(x - 1, y)];
        if (threadIdx.x == Bx - 1)
            tile[s][ty][Bx + 1] = now.data[s][at(x + 1, y)];
        if (threadIdx.y == 0)
            tile[s][0][tx] = now.data[s][at(x, y - 1)];
        if (threadIdx.y == By - 1)
            tile[s][By + 1][tx] = now.data[s][at(x, y + 1)];
    }
    __syncthreads();
    if (x >= nx || y >= ny)
        return;
    constexpr double diffusion[Species] = {0.16, 0.08};
    double own[Species], rate[Species];
    for (int s = 0; s < Species; ++s)
        own[s] = tile[s][ty][tx];
    model.rates(own, rate);
    for (int s = 0; s < Species; ++s) {
        const auto &t = tile[s];
        const double laplacian = t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] - 4.0 * own[s];
        next.data[s][y * nx + x] = own[s] + diffusion[s] * laplacian + rate[s];
    }
}

void gray_scott(double *u, double *v, double feed, int nx, int ny, int steps)
{
    const size_t bytes = nx * ny * sizeof(double);
    Fields<2> now, next;
    for (auto *fields : {&now, &next})
        for (auto &p : fields->data)
            cudaMalloc(&p, bytes);
    cudaMemcpy(now.data[0], u, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(now.data[1], v, bytes, cudaMemcpyHostToDevice);
    const GrayScott model(feed, 0.06);
    constexpr int bx = 4, by = 3;
    const dim3 grid((nx + bx - 1) / bx, (ny + by - 1) / by), block(bx, by);
    for (int s = 0; s < steps; ++s) {
        step<bx, by><<<grid, block>>>(next, now, model, nx, ny);
        step<bx, by><<<grid, block>>>(now, next, model, nx, ny);
    }
    cudaMemcpy(u, now.data[0], bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(v, now.data[1], bytes, cudaMemcpyDeviceToHost);
    for (double *p : {now.data[0], now.data[1], next.data[0], next.data[1]})
        cudaFree(p);
}
