/*---
function = "scans"
wrt = ["y", "x"]
of = ["y"]
[launch]
grid = 3
block = 4
[inputs]
y = { shape = [11, 8], random_uniform = 1, low = 0.4, high = 1.3 }
x = { shape = [11, 8], random_uniform = 2, low = 0.5, high = 1.2 }
n = 11
most = 8
least = 0.45

[[cases]]
name = "scans"

[[cases]]
name = "scans_to_the_end"
inputs = { least = -9.0 }

[[cases]]
name = "scans_nothing"
inputs = { least = 9.0 }

[[cases]]
name = "halves"
function = "halves"
inputs = { least = 0.02 }

[[cases]]
name = "halves_to_the_end"
function = "halves"
inputs = { least = -9.0 }

[[cases]]
name = "halves_for_nothing"
function = "halves"
inputs = { least = 9.0, most = -2 }

[[cases]]
name = "counts_down"
function = "counts_down"

[[cases]]
name = "counts_down_to_the_end"
function = "counts_down"
inputs = { least = -9.0 }

[[cases]]
name = "tests_inside"
function = "tests_inside"
inputs = { least = 0.02 }

[[cases]]
name = "tests_inside_to_the_end"
function = "tests_inside"
inputs = { least = -9.0 }

[[cases]]
name = "tests_inside_for_nothing"
function = "tests_inside"
inputs = { least = 9.0, most = 1 }

[[cases]]
name = "begun_outside"
function = "begun_outside"

[[cases]]
name = "begun_outside_to_the_end"
function = "begun_outside"
inputs = { least = -9.0 }

[[cases]]
name = "one_index"
function = "one_index"

[[cases]]
name = "one_index_to_the_end"
function = "one_index"
inputs = { least = -9.0 }

[[cases]]
name = "one_index_for_nothing"
function = "one_index"
inputs = { least = 9.0 }

[[cases]]
name = "ways_out"
function = "ways_out"

[[cases]]
name = "ways_out_to_the_end"
function = "ways_out"
inputs = { least = -9.0 }

[[cases]]
name = "ways_out_for_nothing"
function = "ways_out"
inputs = { least = 9.0 }

[[cases]]
name = "strided"
function = "strided"
inputs = { least = 0.2 }

[[cases]]
name = "strided_to_the_end"
function = "strided"
inputs = { least = -9.0 }
---*/
// Loops that end when data say so, and at a bound at the latest: what they keep has a size that the bound tells.

__global__ void scans(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = y + i * 8;
    int j = 0, skipped = 0;
    while (j < 8 && p[j] > least) {
        p[j] = p[j] * x[i * 8 + j] * p[0];
        j++;
    }
    for (j = most - 1; p[j] > 0.8 * least && j > 0; --j)
        p[j - 1] += 0.3 * p[j] * p[j - 1];
    for (j = 0; j + 1 < most; j++) {
        if (p[j] < 0.1) {
            skipped++;
            continue;
        }
        if (p[j + 1] < 0.5 * least)
            break;
        p[j + 1] *= 0.5 * p[j] + 0.5;
    }
    p[0] *= 1 + 0.1 * j - 0.01 * skipped;
}

// Roots by Newton's method, until they are near enough.
__global__ void halves(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = y + i * 8, gap = 1.0;
    int turn = 0, left = most, tries = 0;
    for (; turn < most && gap > least; ++turn) {
        p[0] = p[0] - 0.4 * (p[0] * p[0] - x[i * 8]);
        gap = fabs(p[0] * p[0] - x[i * 8]);
    }
    p[1] *= 1 + 0.1 * turn;
    do {
        p[1] = 0.5 * (p[1] + x[i * 8 + 1] / p[1]);
        gap = fabs(p[1] * p[1] - x[i * 8 + 1]);
        tries += 2;
    } while (tries < 9 && gap > least);
    while (left-- > 0 && p[2] * p[2] - x[i * 8 + 2] > least - 1)
        p[2] = 0.5 * (p[2] + x[i * 8 + 2] / p[2]);
    p[4] *= turn * 0.1 + left * 0.05 + tries * 0.02;
}

// A parameter that is counted down.
__global__ void counts_down(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = y + i * 8;
    while (most-- > 0 && p[3] > least)
        p[3] *= 0.8 * x[i * 8 + 3] * p[3] + 0.1;
    p[4] *= most * 0.02;
}

__global__ void tests_inside(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = y + i * 8;
    int k = 0, done = 0, down = 5, at = 1;
    unsigned last = 0;
    bool on = true;
    while (true) {
        if (++k > 6)
            break;
        p[0] = p[0] - 0.4 * (p[0] * p[0] - x[i * 8]);
        if (fabs(p[0] * p[0] - x[i * 8]) < least)
            break;
    }
    for (;;) {
        p[1] *= 0.7 + 0.2 * p[0];
        if (p[1] < least)
            break;
        if (--down <= -most)
            break;
    }
    while (on) {
        p[last] = p[last] * p[0] + 0.3 * x[i * 8 + last];
        last++;
        on = last < most && p[last - 1] > least;
    }
    while (!done && at <= 5) {
        p[at] += 0.2 * p[at] * p[at - 1];
        if (p[at] < 2 * least)
            done = 1;
        else
            at++;
    }
    int left = 7;
    while (p[7] > least) {
        p[7] *= 0.9 * x[i * 8 + left];
        if (--left == 0)
            break;
    }
    p[2] *= 1 + 0.1 * k + 0.05 * last + 0.02 * left + 0.01 * at * down;
}

// Indices that go on where an earlier loop has left them, and that begin with those of the loops around.
__global__ void begun_outside(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = y + i * 8;
    const double *q = x + i * 8;
    int j = 0, at;
    for (int round = 0; round < 3; round++) {
        while (j < most && p[j] > least * (1 + 0.2 * round)) {
            p[j] = p[j] * q[round] * q[j];
            p[0] += 0.1 * p[j];
            j++;
        }
        at = round;
        do {
            p[at] = 0.6 * p[at] * p[at] + q[at] * 0.3;
            if (p[at] < least)
                break;
            at++;
        } while (at < most - round);
        for (int inner = 0; inner < round + 1; inner++)
            for (at = inner; at < 5; at++) {
                p[at] += 0.1 * p[at + 1] * p[at];
                if (p[at] < least)
                    break;
            }
    }
    p[7] *= 1 + 0.1 * j + 0.1 * at;
}

// One index for all loops, which each begin with it anew; a number that one loop counts bounds another.
__global__ void one_index(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j, k = 0, bound = most;
    if (i >= n)
        return;
    double *p = y + i * 8;
    for (j = 0; j < bound && p[j] > least; j++)
        p[j] *= x[i * 8 + j] * p[j];
    p[0] *= 1 + 0.1 * j;
    for (j = 1; j < bound; j++)
        p[j] += 0.1 * p[j] * p[j - 1];
    while (k < 3 && p[k] < 2.0) {
        p[k] = p[k] * p[k] + 0.3;
        k++;
    }
    p[1] *= 1 + 0.2 * k;
    if (p[0] > 3 * least)
        bound = 2;
    else
        bound = 5;
    p[2] += 0.01 * bound * p[2] * p[2];
    bound = most / 2;
    for (k = 0; k < bound; k++) {
        double t = p[k];
        j = k;
        while (t > least * 0.1 && j > 0)
            t *= 0.3 * p[j--];
        for (j = 0; j < k; j++)
            p[k] += 0.1 * t * p[j];
    }
    while (most-- > 0 && p[3] > least)
        p[3] *= 0.7 * x[i * 8 + 3] + 0.1;
    p[4] *= most * 0.02;
}

// A function that returns out of a loop; steps of several widths; bounds that are met exactly.
__device__ double first_below(double *p, double least, int most)
{
    int at = 0;
    while (at < most) {
        p[at] *= 0.9 * p[0];
        if (p[at] < least)
            return p[at] * p[at];
        if (p[at] > 1.0) {
            at += 2;
            continue;
        }
        at++;
    }
    return 0.5 * p[0];
}

__global__ void ways_out(double *y, const double *x, int n, int most, double least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, left = 6, k, turns = 5;
    if (i >= n)
        return;
    double *p = y + i * 8;
    p[7] += first_below(p, least, most);
    while (turns-- && p[6] > least)
        p[6] *= 0.8 * x[i * 8 + turns];
    for (k = 1; k != most && p[k] > least; k++)
        for (int inner = 0; inner < 4; inner++) {
            p[k] *= 0.7 + 0.3 * x[i * 8 + inner];
            if (p[k] < 2 * least)
                break;
        }
    do {
        p[left] = p[left] * p[left] + 0.2 * x[i * 8 + left];
        if (!--left)
            break;
    } while (p[left] > least);
    p[0] *= 1 + 0.1 * k + 0.1 * left + 0.1 * turns;
}

__global__ void strided(double *y, const double *x, int n, int most, double least)
{
    int j;
    double s = 0.2;
    for (j = blockIdx.x * blockDim.x + threadIdx.x; j < n * 8; j += gridDim.x * blockDim.x) {
        y[j] *= x[j] * y[j] + s;
        s = y[j];
        if (s < least)
            break;
    }
}
