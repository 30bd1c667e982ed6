/*---
function = "julia"
wrt = ["z", "c"]
of = ["out"]
[inputs]
out = { zeros = [25] }
z = { shape = [25], random = 1 }
c = { re = 0.3, im = -0.2 }
n = 25
---*/
// Complex arithmetic by structs that go in and come out by value; a struct by value from the host is differentiated too.
struct complex {
    double re, im;
};

__device__ struct complex add(struct complex a, struct complex b)
{
    struct complex r = {a.re + b.re, a.im + b.im};
    return r;
}

__device__ struct complex multiply(struct complex a, struct complex b)
{
    struct complex r;
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    return r;
}

__device__ struct complex divide(struct complex a, struct complex b)
{
    double d = b.re * b.re + b.im * b.im;
    struct complex conjugate = {b.re / d, -b.im / d};
    return multiply(a, conjugate);
}

__device__ double magnitude(struct complex a)
{
    return hypot(a.re, a.im);
}

__global__ void julia_kernel(struct complex *out, const struct complex *z, struct complex c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct complex v = z[i];
    for (int k = 0; k < 4 && magnitude(v) < 3.0; k++)
        v = add(multiply(v, v), c);
    struct complex shifted = add(v, c);
    shifted.re += 2.0;
    out[i] = divide(multiply(v, z[i]), shifted);
}

void julia(struct complex *out, const struct complex *z, struct complex c, int n)
{
    julia_kernel<<<(n + 7) / 8, 8>>>(out, z, c, n);
}
