/*---
function = "march"
wrt = ["x", "y", "scale"]
of = ["x", "y"]
[inputs]
x = { shape = [21], random = 1 }
y = { shape = [21], random = 2 }
scale = 0.7
n = 21
turn = 1
---*/
// Pointers come out of tables, at numbers that fold, by turns, or at one that only the run tells, into structs and
// into tables on the device.  Threads along axes that the kernels do not ask for do the same twice: no race, as what is
// read is never what is stored to.
enum { FIRST, SECOND };
#define OTHER(k) ((k) == FIRST ? SECOND : FIRST)

typedef struct {
    double *to;
    const double *from;
} Step;

typedef struct {
    double *at[2];
    int length;
} Rows;

typedef struct {
    Step step;
    double *spare;
} Plan;

__device__ double near(const Step *step, int i, int n)
{
    return step->from[(i + 1) % n];
}

__global__ void whole(Step step, double scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        step.to[i] = 1.0 + scale * sin(step.from[i]) * near(&step, i, n);
}

__global__ void by_turns(Rows rows, double scale, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows.length)
        rows.at[turn % 2][i] = cos(scale * rows.at[(turn + 1) % 2][i]);
}

__global__ void within(Plan plan, int n)
{
    Plan held = plan;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        held.step.to[i] = 0.5 + 0.5 * held.step.from[i] * held.step.from[n - 1 - i];
}

__global__ void listed(double **rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double *to = rows[FIRST];
    const double *from = rows[SECOND];
    if (i < n)
        to[i] = exp(-0.5 * from[i] * from[i]);
}

__global__ void beside(double *to, double **rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = sin(rows[SECOND][i]) + 0.5;
}

void march(double *x, double *y, double scale, int n, int turn)
{
    double *both[2] = {x, y};
    int blocks = (n + 3) / 4;
    Step step = {both[(3 + 1) % 2], both[3 % 2]};
    whole<<<blocks, dim3(4, 2)>>>(step, scale, n);
    step.to = both[SECOND];
    step.from = both[OTHER(SECOND)];
    whole<<<dim3(blocks, 1, 2), 4>>>(step, scale, n);
    for (int k = 0; k < 3; k++) {
        Step next = {both[k % 2], both[(k + 1) % 2]};
        whole<<<blocks, dim3(4, 1, 2)>>>(next, scale, n);
    }
    Step steps[2] = {{both[turn], both[1 - turn]}, {both[1 - turn], both[turn]}};
    whole<<<blocks, dim3(4, 2)>>>(steps[FIRST], scale, n);
    Plan plan = {{both[FIRST], both[turn]}, both[turn]};
    within<<<blocks, dim3(4, 2)>>>(plan, n);
    Rows rows = {{both[FIRST], both[SECOND]}, n};
    by_turns<<<dim3(blocks, 2), 4>>>(rows, scale, turn);
    by_turns<<<dim3(blocks, 2), 4>>>(rows, scale, 2);
    double *table[2] = {both[FIRST], both[turn]};
    double **d_table;
    cudaMalloc(&d_table, sizeof table);
    cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice);
    listed<<<blocks, dim3(4, 2)>>>(d_table, n);
    beside<<<blocks, dim3(4, 3)>>>(x, d_table, n);
    cudaFree(d_table);
}
