/*---
function = "rows"
wrt = ["table", "x"]
of = ["y"]
[launch]
grid = 3
block = 16
[inputs]
y = { shape = [123], random = 1 }
table = { shape = [200], random = 2 }
x = { shape = [41], random = 3 }
pick = { values = [3, 7, 7, 0, 11, 2, 3, 3, 9, 5, 5, 5, 1, 10, 6, 2, 2, 8, 9, 10, 11, 1, 2, 3, 4, 5, 6, 7, 8, 4, 4, 4, 3, 2, 1, 0, 0, 1, 2, 3, 5] }
n = 41

[[cases]]
name = "rows"

[[cases]]
name = "triples"
function = "triples"

[[cases]]
name = "rows_apart"
function = "rows_apart"

[[cases]]
name = "overlapping_rows"
function = "overlapping_rows"

[[cases]]
name = "index_in_between"
function = "index_in_between"

[[cases]]
name = "odd_lengths"
function = "odd_lengths"
---*/
// Threads that add to several cells in a row, at places that only the data tells.

__global__ void rows(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int low = pick[i];
        for (int c = 0; c < 3; c++)
            y[3 * i + c] = (1.0f - x[i]) * table[low * 7 + c] + x[i] * table[(low + 1) * 7 + c] * table[low * 7 + c];
    }
}

// The coordinates of two particles, one after another.
__global__ void triples(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int a = 3 * pick[i], b = 3 * pick[n - 1 - i];
        float dx = table[a] - table[b], dy = table[a + 1] - table[b + 1], dz = table[a + 2] - table[b + 2];
        y[i] = x[i] * (dx * dx + 2.0f * dy * dy + 3.0f * dz * dz);
    }
}

// Rows that are not neighbours in memory, and one that is read twice.
__global__ void rows_apart(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = pick[i];
        float sum = 0.0f;
        for (int c = 0; c < 5; ++c)
            sum += x[i] * table[at + c] * table[at + 20 + c] + table[at + 25 + c] - table[at + 20 + c] * 0.5f;
        y[i] = sum;
    }
}

// Each cell of the middle is in two rows.
__global__ void overlapping_rows(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int c = 0; c < 4; ++c)
            sum += x[i] * table[pick[i] * 2 + c] * table[pick[i] * 2 + c + 2];
        y[i] = sum + table[pick[i]] * table[pick[i]];
    }
}

// The index moves on between the reads.
__global__ void index_in_between(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = pick[i];
        float sum = table[at] * x[i] + 2.0f * table[at + 1];
        at = 4 * pick[at % n] + 1;
        sum += table[at + 2] * x[i] + 3.0f * table[at + 3] * table[at + 1];
        y[i] = sum;
    }
}

__global__ void odd_lengths(float *y, const float *table, const float *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int c = 0; c < 7; ++c)
            sum += table[7 * pick[i] + c] * (x[i] + c);
        for (int c = 0; c < 2; ++c)
            sum += table[pick[i] + 60 + c] * (x[i] - c);
        for (int c = 0; c < 16; ++c)
            sum -= 0.25f * table[pick[i] + 90 + c] * x[i];
        y[i] = sum;
    }
}
