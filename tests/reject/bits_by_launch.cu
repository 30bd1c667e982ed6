/*---
function = "f"
wrt = ["x"]
of = ["y"]
---*/
// The bits of an active number of the host, passed to a kernel in a struct that was copied.
struct message {
    int number, bits;
};

__global__ void receive(float *y, struct message m)
{
    y[threadIdx.x] = 2.0f * __int_as_float(m.bits);  // expected-error @29: bits that may be those of an active one
}

void f(float *y, float x)
{
    struct message first = {1, __float_as_int(x)}, second;
    second = first;
    receive<<<1, 4>>>(y, second);
}
