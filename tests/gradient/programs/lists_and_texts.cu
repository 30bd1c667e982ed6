/*---
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y * (97 + 3 * 98 + 99)" }
[inputs]
y = { zeros = [37] }
x = { shape = [37], random_uniform = 1, low = 0.3, high = 1.7 }
n = 37

[[cases]]
name = "texts"
function = "texts"

[[cases]]
name = "lists"
function = "lists"
reference = { x = "adj_y * (2 * x * 2.5 + 3 * x**2)" }
---*/
// Local texts, which are arrays of characters, and arrays without a name.
struct named {
    char name[6];
    double factor;
};

__global__ void by_text(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char letters[] = "abc", more[8] = "b";
    struct named b = {"ab", 2};
    if (i < n) {
        letters[2] += more[1];
        y[i] = x[i] * x[i] * (letters[0] + more[0] + letters[2] + b.name[1] * b.factor + b.name[2]);
    }
}

void texts(double *y, const double *x, int n)
{
    by_text<<<5, 8>>>(y, x, n);
}

__device__ double product(const double *w, int n)
{
    double result = 1;
    for (int k = 0; k < n; k++)
        result *= w[k];
    return result;
}

__global__ void by_list(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const double *w = (double[]){x[i], 2.5, x[i]};
        y[i] = product(w, 3) + product((double[3]){x[i], x[i], x[i]}, 3);
    }
}

void lists(double *y, const double *x, int n)
{
    by_list<<<5, 8>>>(y, x, n);
}
