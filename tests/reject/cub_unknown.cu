/*---
function = "f"
error = "UnsupportedError"
---*/
#include <cub/cub.cuh>

void f(double *x, int n)
{
    size_t bytes = 0;
    cub::DeviceMergeSort::SortKeys(nullptr, bytes, x, n);  // expected-error: cub::DeviceMergeSort
//  ^
}
