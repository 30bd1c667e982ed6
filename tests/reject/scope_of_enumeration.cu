/*---
function = "k"
error = "UnsupportedError"
help = "make it plain"
frontend = "c"
---*/
enum class Kind { A, B };

__global__ void k(double *y, const double *x, int n)
{
    int kind = n > 3 ? (int)Kind::A : 1;  // expected-error: 'Kind::', the scope of a type
//                          ^
    y[threadIdx.x] = kind * x[threadIdx.x];
}
