/*---
function = "f"
error = "UnsupportedError"
---*/
// Host code gives it its values when the program starts, which device code does not see.
struct Table {
    double v[4]{};
    constexpr Table()
    {
        for (int i = 0; i < 4; i++)
            v[i] = 0.5 * i;
    }
};
static constexpr Table table{};

__global__ void scale(double *x)
{
    x[threadIdx.x] *= table.v[threadIdx.x];  // expected-error @23: a variable that the host has
}

void f(double *x)
{
    scale<<<1, 4>>>(x);
}
