"""Arrays that are too short, or None, are refused before anything runs, where the integers of the call prove it."""

import numpy as np
import pytest

import hetad
from hetad.analysis.linear import Linear, Ranges

PROGRAM = """
__global__ void scale(float *y, const float *x, float w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = w * x[i] * x[i];
}

void run(float *y, const float *x, float w, int n)
{
    scale<<<(n + 255) / 256, 256>>>(y, x, w, n);
}

__global__ void product(float *c, const float *a, const float *b, int n, int m, int p)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= p)
        return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[i * m + k] * b[k * p + j];
    c[i * p + j] = sum;
}

__global__ void masked(float *y, const float *x, const float *mask, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    y[i] = x[i];
    if (mask != NULL)
        y[i] *= mask[i];
    if (x[0] > 0 && mask && mask[2 * i] > 1)
        y[i] += 1;
}

void launch_masked(float *y, const float *x, const float *mask, int n)
{
    masked<<<1, 32>>>(y, x, mask, n);
}

__global__ void chosen(float *y, const float *x, const int *index, int n)
{
    int i = threadIdx.x;
    if (i < n && x[i] > 0.5f)
        y[2 * i] = x[index[i]];
}

void copies(float *y, const float *x, int n, int offset, int rows)
{
    float *d;
    size_t bytes = n * sizeof(float);
    cudaMalloc((void **)&d, bytes);
    cudaMemcpy(d, x + offset, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(y, d, bytes, cudaMemcpyDeviceToHost);
    memset(y, 0, rows * sizeof(float));
    cudaFree(d);
}

void swapped(float *u, float *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        scale<<<(n + 31) / 32, 32>>>(v, u, 0.5f, n);
        float *other = u;
        u = v;
        v = other;
    }
}

void narrowed(float *y, const float *x, float w, int n, int half)
{
    int m = n;
    if (half)
        m = n / 2;
    scale<<<1, 64>>>(y, x, w, m);
}

void branched(float *y, const float *x, float w, int n, int half)
{
    int m = n;
    if (half)
        m = n / 2;
    if (w > 1)
        m = m / 2;
    scale<<<1, 64>>>(y, x, w, m);
}

float backwards(const float *x, int n, int stop)
{
    float sum = 0;
    if (stop)
        exit(1);
    for (int i = n - 1; i >= 0; i -= 2)
        sum += x[i];
    return sum;
}
"""


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM)


SHORT = [
    ("run", (ones(5), ones(4), 2.0, 5), {}, "'x': expected at least 5 elements, got 4: kernel scale .*:6:20"),
    ("run", (ones(4), ones(5), 2.0, 5), {}, "'y': expected at least 5 elements, got 4"),
    ("run", (ones(5), None, 2.0, 5), {}, "'x': expected at least 5 elements, got None"),
    ("scale", (ones(300), ones(255), 2.0, 300), {"grid": 1, "block": 256}, "'x': expected at least 256 elements"),
    ("product", (ones(5, 7), ones(5, 6), ones(5, 7), 5, 6, 7), {"grid": 1, "block": (8, 8)}, "'b': expected .* 42 "),
    ("launch_masked", (ones(4), ones(4), ones(3), 4), {}, "'mask': expected at least 4 elements, got 3"),
    ("copies", (ones(4), ones(5), 4, 2, 0), {}, "'x': expected at least 6 elements, got 5: cudaMemcpy"),
    ("copies", (ones(4), ones(5), 4, 1, 5), {}, "'y': expected at least 5 elements, got 4: memset"),
    ("swapped", (ones(40), ones(39), 40, 2), {}, "'v': expected at least 40 elements, got 39"),
    ("backwards", (ones(4), 5, 0), {}, "'x': expected at least 5 elements, got 4: host code"),
    ("narrowed", (ones(9), ones(3), 2.0, 8, 1), {}, "'x': expected at least 4 elements, got 3"),
    ("narrowed", (ones(9), ones(7), 2.0, 8, 0), {}, "'x': expected at least 8 elements, got 7"),
]


@pytest.mark.parametrize(("name", "arguments", "launch", "message"), SHORT)
def test_short_arrays_are_refused(
    program: hetad.Program, name: str, arguments: tuple, launch: dict, message: str
) -> None:
    with pytest.raises(hetad.ArgumentError, match=message):
        program[name](*arguments, backend="cpu", **launch)


@pytest.mark.parametrize(
    ("name", "arguments", "launch"),
    [
        ("run", (ones(5), None, 2.0, 0), {}),  # nothing is launched
        ("scale", (ones(64), ones(64), 2.0, 300), {"grid": 2, "block": 32}),  # fewer threads than n
        ("product", (ones(5, 7), ones(5, 6), ones(6, 7), 5, 6, 7), {"grid": 1, "block": (8, 8)}),
        ("launch_masked", (ones(4), ones(4), None, 4), {}),  # the kernel asks
        ("chosen", (ones(1), -ones(8), np.zeros(1, np.int32), 8), {"grid": 1, "block": 8}),  # it is in the data
        ("copies", (ones(4), ones(6), 4, 2, 4), {}),
        ("copies", (None, None, 0, 0, 0), {}),
        ("swapped", (ones(40), ones(1), 40, 0), {}),
        ("backwards", (ones(4), 4, 0), {}),
        ("narrowed", (ones(9), ones(4), 2.0, 8, 1), {}),
        ("branched", (ones(9), ones(2), 2.0, 8, 1), {}),  # what w is nobody knows before
        ("branched", (ones(9), ones(4), 2.0, 8, 0), {}),
    ],
)
def test_what_is_long_enough_runs(program: hetad.Program, name: str, arguments: tuple, launch: dict) -> None:
    program[name](*arguments, backend="cpu", **launch)


def test_what_may_have_ended_before_proves_nothing(program: hetad.Program) -> None:
    with pytest.raises(hetad.ExecutionError, match="exit"):
        program["backwards"](ones(1), 9, 1, backend="cpu")


def test_gradients_refuse_them_too(program: hetad.Program) -> None:
    gradient = hetad.gradient(program["run"], wrt="x", of="y", backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="'x': expected at least 9 elements, got 4"):
        gradient(ones(9), ones(4), 2.0, 9, seeds={"y": ones(9)})
    with pytest.raises(hetad.ArgumentError, match="'x': expected at least 9 elements, got 4"):
        gradient.execute(ones(9), ones(4), 2.0, 9, ones(9), ones(4))
    assert gradient(ones(9), ones(9), 2.0, 9, seeds={"y": ones(9)})["x"] == pytest.approx(4 * ones(9))


def test_greatest_values_are_exact() -> None:
    ranges = Ranges()
    block, thread = ranges.add(0, 3), ranges.add(0, 255)
    i = block.scaled(256) + thread
    below = Linear(999) - i
    assert ranges.greatest(i.scaled(3), (below,)) == 2997
    assert ranges.greatest(thread.scaled(2) - block, (below, block - Linear(3))) == 2 * 231 - 3
    assert ranges.greatest(i, (below, i - Linear(1000))) is None
