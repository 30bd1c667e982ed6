/*---
function = "covariance"
wrt = ["data"]
of = ["matrix"]
reference = { data = "(lambda c: (c - c.mean(0)) @ (adj_matrix + adj_matrix.T))(data)" }
[inputs]
matrix = { zeros = [7, 7] }
data = { shape = [10, 7], random = 1 }
n = 10
m = 7
---*/
// The covariance of columns; the data are centred in place, in the caller's array, and are no output.
__global__ void centre(double *data, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m)
        return;
    double mean = 0.0;
    for (int i = 0; i < n; i++)
        mean += data[i * m + j];
    mean /= n;
    for (int i = 0; i < n; i++)
        data[i * m + j] -= mean;
}

__global__ void products(double *matrix, const double *data, int n, int m)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= m)
        return;
    for (int b = a; b < m; b++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += data[i * m + a] * data[i * m + b];
        matrix[a * m + b] = sum;
        matrix[b * m + a] = sum;
    }
}

void covariance(double *matrix, double *data, int n, int m)
{
    centre<<<(m + 3) / 4, 4>>>(data, n, m);
    products<<<(m + 3) / 4, 4>>>(matrix, data, n, m);
}
