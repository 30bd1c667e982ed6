/*---
function = "scale"
wrt = ["x"]
of = ["scale"]
reference = { x = "2 * x * adj_scale" }
[inputs]
scale = { zeros = [10] }
x = { shape = [10], random = 1 }
---*/
// A parameter with the name of its function, and one with the name of another.
__device__ double power(double x)
{
    return x * x;
}

__global__ void scale_kernel(double *scale, const double *power_of)
{
    double power_of_x = power(power_of[threadIdx.x]);
    scale[threadIdx.x] = power_of_x;
}

void scale(double *scale, const double *x)
{
    scale_kernel<<<1, 10>>>(scale, x);
}
