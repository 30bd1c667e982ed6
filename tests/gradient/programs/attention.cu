/*---
function = "attention"
wrt = ["q", "k", "v"]
of = ["out"]
[inputs]
out = { zeros = [6, 4] }
q = { shape = [6, 4], random = 1 }
k = { shape = [9, 4], random = 2 }
v = { shape = [9, 4], random = 3 }
n = 9
---*/
// Attention with the running softmax: greatest score, sum and weighted values corrected as new keys arrive.
#define D 4

__global__ void attention_kernel(double *out, const double *q, const double *k, const double *v, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    double greatest = -1e30, sum = 0.0, weighted[D] = {0.0};
    for (int j = 0; j < n; j++) {
        double score = 0.0;
        for (int d = 0; d < D; d++)
            score += q[row * D + d] * k[j * D + d];
        score *= 0.5;
        double next = fmax(greatest, score);
        double correction = exp(greatest - next), weight = exp(score - next);
        sum = sum * correction + weight;
        for (int d = 0; d < D; d++)
            weighted[d] = weighted[d] * correction + weight * v[j * D + d];
        greatest = next;
    }
    for (int d = 0; d < D; d++)
        out[row * D + d] = weighted[d] / sum;
}

void attention(double *out, const double *q, const double *k, const double *v, int n)
{
    attention_kernel<<<2, 3>>>(out, q, k, v, n);
}
