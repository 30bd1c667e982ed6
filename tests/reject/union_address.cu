/*---
function = "f"
error = "UnsupportedError"
---*/
union cell {
    float value;
    unsigned bits;
};

__device__ void set(unsigned *p)
{
    *p = 7u;
}

__global__ void f(float *x)
{
    union cell c;
    set(&c.bits); // expected-error @10: the address of a member of a union
    x[0] *= c.value;
}
