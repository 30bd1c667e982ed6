"""The sets of a batch in one set of launches: where they lie in the grid and in memory, what the host does for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad import targets
from tests import nvrtc
from tests.batches import AT_ONCE, check_batch, runs_at_once

SOURCE = r"""
struct law { double a; int power; double b; };
struct triple { float x, y, z; };

__global__ void bend(double *y, const double *x, struct law l, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double p = 1;
    for (int k = 0; k < l.power; k++) p *= x[i];
    y[i] = l.a * p + l.b;
}
void bent(double *y, const double *x, struct law l, int n) { bend<<<(n + 3) / 4, 4>>>(y, x, l, n); }

// Every axis of the grid, more blocks than one along each, and shared memory.
__global__ void blur(float *y, const float *x, int nx, int ny, int nz) {
    __shared__ float tile[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
    tile[threadIdx.x] = i < nx ? x[(k * ny + j) * nx + i] : 0.0f;
    __syncthreads();
    float left = threadIdx.x > 0 ? tile[threadIdx.x - 1] : 0.0f;
    if (i < nx && j < ny && k < nz) atomicAdd(&y[(k * ny + j) * nx + i], left * tile[threadIdx.x] + gridDim.x);
}
void blurred(float *y, const float *x, int nx, int ny, int nz) {
    dim3 grid((nx + 7) / 8, ny, nz);
    blur<<<grid, 8>>>(y, x, nx, ny, nz);
}

__device__ int everywhere() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__global__ void spread(double *y, const double *x, int n) {
    int i = everywhere() * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) y[i] = sin(x[i]);
}
void strides(double *y, const double *x, int n) { spread<<<2, 4>>>(y, x, n); }

// Numbers of twelve bytes, and an odd number of them: sets are not a whole number of them apart.
__global__ void lengths(float *r, const struct triple *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = p[i].x * p[i].y + p[i].z * p[i].z;
}
__global__ void raised(struct triple *p, const float *x, float w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { p[i].x = w * x[i]; p[i].y = x[i] * x[i]; p[i].z = cosf(x[i]); }
}
// What differs on the host: a number that changes, an array of few, memory of the host, what comes from the device.
void together(float *r, float *x, float w, const double *h, int n, int steps) {
    struct triple *p;
    double *own = (double *)malloc(steps * sizeof(double));
    float top = 1, few[2] = {0.5f, 2};
    cudaMalloc(&p, n * sizeof(struct triple));
    memcpy(own, h, steps * sizeof(double));
    for (int k = 0; k < steps; k++) {
        w = w * 1.25f + (float)(own[k] * h[k]);
        raised<<<1, 32>>>(p, x, w, n);
        lengths<<<1, 32>>>(x, p, n);
        cudaMemcpy(&top, x, sizeof(float), cudaMemcpyDeviceToHost);
        cudaMemcpy(few, x + 1, 2 * sizeof(float), cudaMemcpyDeviceToHost);
        w = w + (few[0] > few[1] ? 0.5f * top : -0.5f * few[1]);
    }
    raised<<<1, 32>>>(p, x, w + top * few[0], n);
    lengths<<<1, 32>>>(r, p, n);
    cudaFree(p);
    free(own);
}

__global__ void cube(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] * x[i];
}
void cubes(float *y, const float *x, int n) { cube<<<(n + 255) / 256, 256>>>(y, x, n); }

__global__ void halve(double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5 * x[i] * x[i];
}
double until(double *x, int n) {
    double first;
    cudaMemcpy(&first, x, sizeof(double), cudaMemcpyDeviceToHost);
    while (first > 0.1) {
        halve<<<1, 32>>>(x, n);
        cudaMemcpy(&first, x, sizeof(double), cudaMemcpyDeviceToHost);
    }
    return first;
}
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(SOURCE)


def random(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


N = 11
CALLS: dict[str, tuple[list[Any], list[str], list[str]]] = {
    "bent": ([random(N), random(N, seed=1), {"a": 0.7, "power": 3, "b": 0.1}, N], ["x", "l"], ["y"]),
    "blurred": ([random(105, dtype=np.float32), random(105, seed=1, dtype=np.float32), 21, 5, 1], ["x", "y"], ["y"]),
    "strides": ([random(N), random(N, seed=1), N], ["x"], ["y"]),
    "together": (
        [random(N, dtype=np.float32), random(N, seed=1, dtype=np.float32), 0.4, random(3, seed=2), N, 3],
        ["x", "w", "h"],
        ["r", "x"],
    ),
}


@pytest.mark.parametrize("options", [{}, {"deterministic": True, "cpu_threads": 2}], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_the_numbers_of_so_many_calls(program: hetad.Program, name: str, options: Any, backend: str) -> None:
    arguments, wrt, of = CALLS[name]
    if options.get("deterministic") and name == "blurred":
        return  # refused: its adjoint adds to shared memory
    assert runs_at_once(program[name], arguments, wrt, of)
    check_batch(program[name], arguments, wrt, of, backend=backend, optimize=AT_ONCE, **options)


@pytest.mark.parametrize("shared", [("w",), ("r", "x", "w", "h")], ids=str)
def test_what_sets_share(program: hetad.Program, shared: Any) -> None:
    """What the program overwrites, each has for itself."""
    arguments, wrt, of = CALLS["together"]
    check_batch(program["together"], arguments, wrt, of, optimize=AT_ONCE, shared=shared)


def test_kernels(program: hetad.Program, backend: str) -> None:
    """Launched by the caller, whose grid may have any extents."""
    y, x = random(105, dtype=np.float32), random(105, seed=1, dtype=np.float32)
    launch = {"grid": (3, 5, 1), "block": 8}
    check_batch(
        program["blur"], [y, x, 21, 5, 1], ["x", "y"], ["y"], backend=backend, launch=launch, optimize=AT_ONCE
    )  # fmt: skip


def test_one_set_and_empty_arrays(program: hetad.Program) -> None:
    y, x = random(N), random(N, seed=1)
    one = hetad.gradient(program["strides"], "x", "y", backend="cpu")(y, x, N, seeds={"y": x})["x"]
    many = hetad.gradient(
        program["strides"], "x", "y", backend="cpu", batch=1, batched=["x", "y"], optimize=AT_ONCE
    )  # fmt: skip
    np.testing.assert_array_equal(many(y[None], x[None], N, seeds={"y": x[None]})["x"], one[None])
    none = np.empty((1, 0))
    assert many(none, none, 0, seeds={"y": none})["x"].shape == (1, 0)


def test_a_shared_array_may_lie_in_one_that_differs(program: hetad.Program) -> None:
    """Where two sets lie is known of memory; the shared array is another's part."""
    many = hetad.gradient(
        program["bent"], "l", "y", backend="cpu", batch=2, batched=["y", "l"], optimize=AT_ONCE
    )  # fmt: skip
    alone = hetad.gradient(program["bent"], "l", "y", backend="cpu")
    x, laws = random(N, seed=1), [{"a": 0.7, "power": 2, "b": 0.1}, {"a": 0.2, "power": 3, "b": 0.5}]
    y = random(2, N)
    found = many(y, x, laws, N, seeds={"y": y})["l"]
    for i in range(2):
        expected = alone(y[i], x, laws[i], N, seeds={"y": y[i]})["l"]
        assert found[i]["a"] == pytest.approx(expected["a"])
        assert found[i]["b"] == pytest.approx(expected["b"])


def test_no_more_at_once_than_keep_a_gpu_busy(program: hetad.Program) -> None:
    """Of sets that take 32 MiB each, two go together, and then the third."""
    n, sets = 1 << 21, 3
    y, x = np.zeros((sets, n), np.float32), random(sets, n, dtype=np.float32)
    options: Any = {"backend": "cpu", "batched": ["y", "x"], "optimize": AT_ONCE}
    many = hetad.gradient(program["cubes"], "x", "y", batch=sets, **options)
    found = many(y, x, n, seeds={"y": np.ones_like(x)})["x"]
    np.testing.assert_allclose(found, 3 * x * x, rtol=1e-5)
    assert many.last_report is not None
    launches = many.last_report.launches
    few = hetad.gradient(program["cubes"], "x", "y", batch=2, **options)
    few(y[:2], x[:2], n, seeds={"y": np.ones_like(x[:2])})
    assert few.last_report is not None
    assert launches == 2 * few.last_report.launches


@pytest.mark.parametrize(
    ("name", "wrt", "options", "reason"),
    [
        ("until", "x", {}, "what the host does next differs between the sets"),
        ("strides", "x", {"memory_limit": "1MB"}, "a memory limit is for one set"),
        ("strides", "x", {"measure": True}, "what each statement saves is counted"),
        ("strides", "x", {"graph": True}, "it runs as CUDA graphs"),
    ],
)
def test_one_after_the_other(program: hetad.Program, name: str, wrt: str, options: Any, reason: str) -> None:
    """The loop remains, and the text says why."""
    of = None if name == "until" else "y"
    made = hetad.gradient(
        program[name], wrt, of, backend="cpu", batch=2, batched=["x"], optimize=AT_ONCE, **options
    )  # fmt: skip
    assert f"// the sets do not run at once: {reason}" in made.source
    if name == "until":
        check_batch(program[name], [1 + random(N) ** 2, N], [wrt], of, optimize=AT_ONCE)


def test_text(program: hetad.Program) -> None:
    """A free axis has the sets, or they come behind the blocks of one along x."""
    free = hetad.gradient(program["bent"], "x", "y", backend="cuda", batch=2, batched=["x", "l"]).source
    assert "size_t set = blockIdx.z;" in free
    assert "dim3((n + 3) / 4, 1, sets)" in free
    folded = hetad.gradient(program["blurred"], "x", "y", backend="cuda", batch=2, batched=["x"]).source
    assert "size_t set = blockIdx.x / grid_x;" in folded


@pytest.mark.skipif(nvrtc.load() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc)")
@pytest.mark.parametrize("name", CALLS)
def test_cuda_compiles(program: hetad.Program, name: str) -> None:
    _, wrt, of = CALLS[name]
    made = hetad.gradient(program[name], wrt, of, backend="cuda", batch=2, batched=wrt)
    assert nvrtc.compile_device(targets.device_source(made.derivative.program))
