/*---
[[cases]]
name = "rows"
function = "rows_of"
wrt = ["out", "a"]
of = ["a", "out"]
inputs = { out = { shape = [35], random = 1 }, a = { shape = [35], random = 2 }, n = 7, rows = 5 }

[[cases]]
name = "in_a_struct_by_value"
function = "by_value"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [35], random = 1 }, n = 5, m = 7 }

[[cases]]
name = "in_a_struct_in_device_memory"
function = "behind_a_pointer"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [35], random = 1 }, n = 5, m = 7 }

[[cases]]
name = "several_tables"
function = "meshes"
wrt = ["a", "b", "weight"]
of = ["a", "b"]
inputs = { a = { shape = [35], random = 1 }, b = { shape = [35], random = 2 }, n = 7, rows = 5, weight = 0.3 }
---*/
// Arrays of device pointers in device memory, and tables of them.
// rows of one allocation
__global__ void rows_product(double **out, double *const *a, int rows, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows && j < n) {
        double s = 0;
        for (int k = 0; k < rows; k++) s += a[i][k] * a[k][j];
        out[i][j] = s + out[i][j] * out[i][j];
    }
}
void rows_of(double *out, double *a, int rows, int n)
{
    double **h = (double **)malloc(rows * sizeof(double *)), **d_out, **d_a;
    cudaMalloc((void **)&d_out, rows * sizeof(double *));
    cudaMalloc((void **)&d_a, rows * sizeof(double *));
    for (int i = 0; i < rows; i++) h[i] = out + i * n;
    cudaMemcpy(d_out, h, rows * sizeof(double *), cudaMemcpyHostToDevice);
    for (int i = 0; i < rows; i++) h[i] = a + i * n;
    cudaMemcpy(d_a, h, rows * sizeof(double *), cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((n + 3) / 4, (rows + 3) / 4);
    rows_product<<<grid, block>>>(d_out, d_a, rows, n);
    rows_product<<<grid, block>>>(d_a, d_out, rows, n);
    cudaFree(d_out); cudaFree(d_a); free(h);
}
// structs in device memory whose rows lie in tables of their own
struct Field { int rows, n; double weight; double **row; };
__global__ void relax(struct Field *fields, int from, int to)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    const struct Field *f = &fields[from];
    if (i < f->rows && j < f->n) {
        double v = f->row[i][j], w = f->row[f->rows - 1 - i][j];
        fields[to].row[i][j] += f->weight * v * w * fields[to].row[i][j];
    }
}
void meshes(double *a, double *b, int rows, int n, double weight)
{
    struct Field h[2], *d;
    double *row[8];
    double *data[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        h[k].rows = rows; h[k].n = n; h[k].weight = weight + k;
        cudaMalloc((void **)&h[k].row, rows * sizeof(double *));
        for (int i = 0; i < rows; i++) row[i] = data[k] + i * n;
        cudaMemcpy(h[k].row, row, rows * sizeof(double *), cudaMemcpyHostToDevice);
    }
    cudaMalloc((void **)&d, 2 * sizeof(struct Field));
    cudaMemcpy(d, h, 2 * sizeof(struct Field), cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((n + 3) / 4, (rows + 3) / 4);
    relax<<<grid, block>>>(d, 0, 1);
    relax<<<grid, block>>>(d, 1, 0);
    relax<<<grid, block>>>(d, 0, 1);
    cudaFree(d);
    for (int k = 0; k < 2; k++) cudaFree(h[k].row);
}

struct mesh { double **rows; int n, m; };
__global__ void square_by_value(struct mesh q)
{
    int i = threadIdx.x;
    if (i < q.n) for (int j = 0; j < q.m; j++) q.rows[i][j] *= q.rows[i][j];
}
void by_value(double *x, int n, int m)
{
    double **rows, *h[16];
    for (int i = 0; i < n; i++) h[i] = x + i * m;
    cudaMalloc(&rows, n * sizeof(double *));
    cudaMemcpy(rows, h, n * sizeof(double *), cudaMemcpyHostToDevice);
    struct mesh q = {rows, n, m};
    square_by_value<<<1, 32>>>(q);
    cudaFree(rows);
}
__global__ void square_behind(struct mesh *q)
{
    int i = threadIdx.x;
    if (i < q->n) for (int j = 0; j < q->m; j++) q->rows[i][j] *= q->rows[i][j];
}
void behind_a_pointer(double *x, int n, int m)
{
    double **rows, *h[16];
    struct mesh *d_q;
    for (int i = 0; i < n; i++) h[i] = x + i * m;
    cudaMalloc(&rows, n * sizeof(double *));
    cudaMemcpy(rows, h, n * sizeof(double *), cudaMemcpyHostToDevice);
    struct mesh q = {rows, n, m};
    cudaMalloc(&d_q, sizeof q);
    cudaMemcpy(d_q, &q, sizeof q, cudaMemcpyHostToDevice);
    square_behind<<<1, 32>>>(d_q);
    cudaFree(rows);
}
