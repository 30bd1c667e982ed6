/*---
function = "assign"
wrt = ["points", "centres"]
of = ["distance", "sums"]
[inputs]
distance = { zeros = [30] }
sums = { zeros = [4, 3] }
points = { shape = [30, 3], random = 1 }
centres = { shape = [4, 3], random = 2 }
membership = { zeros = [30] }
n = 30
k = 4
dimensions = 3
---*/
// Each point finds its nearest centre; its distance and its share of the new centre depend on that choice.
__global__ void assign_kernel(double *distance, double *sums, const double *points, const double *centres,
                              int *membership, int n, int k, int dimensions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = -1;
    double least = 1e30;
    for (int c = 0; c < k; c++) {
        double d = 0.0;
        for (int j = 0; j < dimensions; j++) {
            double difference = points[i * dimensions + j] - centres[c * dimensions + j];
            d += difference * difference;
        }
        if (d < least) {
            least = d;
            best = c;
        }
    }
    membership[i] = best;
    distance[i] = sqrt(least);
    for (int j = 0; j < dimensions; j++)
        atomicAdd(&sums[best * dimensions + j], points[i * dimensions + j] / (1.0 + least));
}

void assign(double *distance, double *sums, const double *points, const double *centres, int *membership, int n, int k,
            int dimensions)
{
    assign_kernel<<<(n + 7) / 8, 8>>>(distance, sums, points, centres, membership, n, k, dimensions);
}
