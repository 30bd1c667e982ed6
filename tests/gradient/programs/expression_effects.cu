/*---
function = "effects"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 6
[inputs]
y = { zeros = [6, 6] }
x = { shape = [6, 8], random = 1 }
---*/
// Effects inside expressions: chained assignments, ++ and -- in subscripts, *p++, assignments in conditions.
__global__ void effects(double *y, const double *x)
{
    const double *p = x + 8 * threadIdx.x;
    double *q = y + 6 * threadIdx.x;
    int k = 0;
    double a, b, c;
    a = b = p[k++] * p[1];
    c = (a += p[k++]) * 2.0;
    q[0] = q[1] = a * b;
    q[--k] += c;
    const double *r = p;
    double sum = 0.0, v;
    while (r < p + 8)
        sum += *r++ * *p;
    if ((v = sum * 0.1) > 0.0)
        q[2] = v * v;
    else
        q[2] = v;
    double *s = q + 5;
    *s-- = sum;
    *s = c * *(s + 1);
    *--s = -a, ++*s;
    k = 3;
    q[k++ % 6] *= p[4];
    q[(k = 5) - 1] *= p[5] + p[7];
    q[0] += k > 4 ? (b *= c, b) : a;
    q[1] = -(sum -= a) + b;
}
