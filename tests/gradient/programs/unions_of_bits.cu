/*---
[[cases]]
name = "single"
function = "flagged"
wrt = ["x"]
of = ["y"]
inputs = { y = { shape = [20], random = 1 }, x = { shape = [20], random = 2 }, marks = { shape = [20], random = 3 }, n = 20 }

[[cases]]
name = "double"
function = "hashed"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [20], random = 2 }, n = 20, seed = 77 }
---*/
// Unions of numbers and bits: flags read out of floats, floats made of random bits, low words, unions in structs.
union number {
    float value;
    unsigned int bits;
    int whole;
};

typedef union {
    double value;
    long long bits;
    unsigned int low;
    unsigned char byte;
} wide;

struct tagged {
    int kind;
    union number content;
};

__device__ float next(union number *state)
{
    union number drawn;
    state->bits = state->bits * 1664525u + 1013904223u;
    drawn.bits = (state->bits >> 9) | 0x3f800000u;
    return drawn.value - 1.0f;
}

__global__ void flagged_kernel(float *y, const float *x, const float *marks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    union number m = {marks[i]}, state, swapped;
    struct tagged t[2];
    state.bits = 12345u + i;
    t[0].kind = 1;
    t[0].content.whole = -(i % 3);
    t[1] = t[0];
    t[1].content.value = 0.5f * i;
    swapped.value = marks[i];
    swapped.bits ^= 0x80000000u;
    float factor = (m.bits >> 20 & 1) ? 2.0f : 3.0f;
    if (m.whole < 0)
        factor += next(&state);
    factor += t[1].content.value * t[0].content.whole + swapped.value;
    y[i] = x[i] * x[i] * factor;
}

void flagged(float *y, const float *x, const float *marks, int n)
{
    flagged_kernel<<<(n + 7) / 8, 8>>>(y, x, marks, n);
}

__global__ void hashed_kernel(double *x, wide key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    wide mixed = key, exponent = {.bits = 1023LL << 52};
    mixed.low += 40503u * i;
    mixed.byte ^= 0x5a;
    exponent.bits += (long long)(mixed.byte % 3) << 52;
    mixed.low &= 0xffff;
    x[i] *= exponent.value * (1.0 + x[i] * mixed.low / 65536.0);
}

void hashed(double *x, int n, int seed)
{
    wide key;
    key.value = 3.25;
    key.low = seed * 2654435761u;
    for (int k = 0; k < 2; k++) {
        hashed_kernel<<<(n + 7) / 8, 8>>>(x, key, n);
        key.bits++;
    }
}
