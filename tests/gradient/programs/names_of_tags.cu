/*---
function = "scale"
wrt = ["point", "weight"]
of = ["point"]
[launch]
grid = 1
block = 10
[inputs]
point = { shape = [10], random = 1 }
weight = 0.5
---*/
// C keeps the names of structs apart from those of variables: one name may be both.
struct point {
    double x, y;
};

__global__ void scale(struct point *point, double weight)
{
    struct point *p = point + threadIdx.x;
    p->x *= weight * p->y;
}
