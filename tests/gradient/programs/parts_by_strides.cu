/*---
function = "go"
wrt = ["u", "s"]
of = ["u"]
[inputs]
u = { shape = [120], random_uniform = 1, low = 0.5, high = 1.5 }
s = 0.8
base = 60
stride = -7
width = 5
count = 4
[[cases]]
name = "negative"
[[cases]]
name = "positive"
inputs = { stride = 9 }
[[cases]]
name = "zero"
inputs = { stride = 0 }
[[cases]]
name = "none"
inputs = { count = 0 }
---*/
// Parts of a buffer that are told by a stride of either sign, by a struct, by a size_t and by small integers.
typedef struct {
    int base, stride;
} Where;
__global__ void a(double *u, int base, int stride, int width, int count, double s)
{
    int i = threadIdx.x, k = threadIdx.y;
    if (i < width && k < count)
        u[base + k * stride + i] = s * u[base + k * stride + i] * u[base + k * stride + i];
}

__global__ void b(double *u, Where w, int width)
{
    int i = threadIdx.x;
    if (i < width)
        u[w.base + i] *= u[w.base + w.stride + i];
}

__global__ void c(double *u, size_t from, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[from + i] = u[from + i] * u[from + i] * 0.7;
}

__global__ void d(double *u, unsigned char shift, short off)
{
    int i = threadIdx.x;
    if (i < 3)
        u[(i << 2) + shift - off] += u[i] * u[i + 1];
}

void go(double *u, double s, int base, int stride, int width, int count)
{
    for (int t = 0; t < 3; t++) {
        if (stride != 0 || t == 0)
            a<<<1, dim3(8, 4)>>>(u, base, stride, width, stride == 0 ? 1 : count, s);
        Where w;
        w.base = base;
        w.stride = stride > 0 ? 20 : -20;
        b<<<1, 8>>>(u, w, width);
        c<<<2, 4>>>(u + 100, t, 6 - t);
        d<<<1, 4>>>(u, 200 + t, 150);
        base += 2 * t + 1;
        s *= 0.9;
    }
    base = 0;
    stride = 100;
}
