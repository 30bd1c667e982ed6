"""Which derivatives are not zero: found by a run with bits in the place of tangents, compared with whole Jacobians."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import pipeline, targets
from hetad.adjoint.options import Options
from hetad.directions import from_vector, to_vector
from hetad.sparsity import Detection
from tests import nvrtc
from tests.corpus import Case, cases

pytest.importorskip("scipy")

SOURCE = """
__global__ void gather(REAL *y, const REAL *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[at[i]] * x[i] + floor(x[0]);
}

__global__ void scatter(REAL *y, const REAL *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[at[i]], x[i] * x[i]);
        atomicAdd(y + i, -x[i]);
    }
}

__global__ void smooth(REAL *y, const REAL *x, int n)
{
    __shared__ REAL tile[10];
    int i = blockIdx.x * 8 + threadIdx.x - 1;  // blocks of 10 threads overlap
    tile[threadIdx.x] = 0 <= i && i < n ? x[i] : 1;
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < 9 && i < n)
        y[i] = tile[threadIdx.x - 1] * tile[threadIdx.x + 1];
}

void steps(REAL *y, const REAL *x, int n, int count)
{
    REAL *now, *next;
    cudaMalloc(&now, n * sizeof(REAL));
    cudaMalloc(&next, n * sizeof(REAL));
    cudaMemcpy(now, x, n * sizeof(REAL), cudaMemcpyHostToDevice);
    for (int t = 0; t < count; ++t) {
        smooth<<<(n + 7) / 8, 10>>>(next, now, n);
        REAL *held = now;
        now = next;
        next = held;
    }
    cudaMemset(now, 0, 2 * sizeof(REAL));
    cudaMemcpy(y, now, n * sizeof(REAL), cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(next);
}

__global__ void branch(REAL *y, const REAL *x, int n)
{
    int i = threadIdx.x;
    if (i + 1 < n) {
        if (x[i] > 0)
            y[i] = x[i];
        else
            y[i] = x[i + 1] * x[i + 1];
        y[i] += fmax(x[i], x[0]);
    }
}

__global__ void largest(REAL *y, const REAL *x)
{
    atomicMax((int *)y, (int)threadIdx.x);
    atomicExch(y, x[threadIdx.x]);
}
"""
N = 90  # more than there are bits in a mask


@pytest.fixture(scope="module", params=["double", "float"])
def real(request: Any) -> Any:
    program = hetad.loads(SOURCE, "sparsity.cu", defines={"REAL": request.param})
    return program, np.dtype("f8" if request.param == "double" else "f4")


@pytest.fixture
def x(real: Any) -> Any:
    return np.random.default_rng(4).uniform(0.5, 1.5, N).astype(real[1])


def found(function: Any, backend: str, *args: Any, **launch: Any) -> tuple[Any, Any]:
    """The pattern as pairs; the compressed Jacobian has been compared with the dense one."""
    detected = hetad.jacobian(function, "x", "y", backend, sparsity="detect", directions=2)
    matrix = detected(*args, **launch)
    dense = hetad.jacobian(function, "x", "y", backend)(*args, **launch)["y"]["x"]
    np.testing.assert_array_equal(matrix.toarray(), dense)
    pattern = detected.pattern(*args, **launch).toarray()
    assert (pattern | (dense == 0)).all()
    return pattern, dense


def test_gather_through_indices(real: Any, x: Any, backend: str) -> None:
    at = np.random.default_rng(1).integers(0, N, N).astype(np.int32)
    pattern, _ = found(real[0]["gather"], backend, np.zeros_like(x), x, at, N, grid=6, block=16)
    expected = np.eye(N, dtype=bool)
    expected[np.arange(N), at] = True
    np.testing.assert_array_equal(pattern, expected)


def test_atomic_sums(real: Any, x: Any, backend: str) -> None:
    at = np.random.default_rng(1).integers(0, 7, N).astype(np.int32)
    pattern, _ = found(real[0]["scatter"], backend, np.zeros_like(x), x, at, N, grid=6, block=16)
    expected = np.eye(N, dtype=bool)
    expected[at, np.arange(N)] = True
    np.testing.assert_array_equal(pattern, expected)


def test_steps_in_time_through_shared_memory(real: Any, x: Any, backend: str) -> None:
    pattern, dense = found(real[0]["steps"], backend, np.zeros_like(x), x, N, 3)
    np.testing.assert_array_equal(pattern, dense != 0)
    assert not pattern[:2].any()
    assert pattern[40].nonzero()[0].tolist() == [37, 39, 41, 43]


def test_of_the_branch_that_is_taken(real: Any, x: Any, backend: str) -> None:
    """`fmax` depends on both of its arguments; what a branch does not do is not there, until it does it."""
    program, dtype = real
    few = np.array([0.3, 0.2, -0.5, 0.7, -0.1, 0.9], dtype)
    pattern, _ = found(program["branch"], backend, np.zeros_like(few), few, 6, grid=1, block=8)
    expected = np.zeros((6, 6), bool)
    for i in range(5):
        expected[i, [0, i] + ([i + 1] if few[i] <= 0 else [])] = True
    np.testing.assert_array_equal(pattern, expected)
    made = hetad.jacobian(program["branch"], "x", "y", backend, sparsity="detect")
    for point in (few, -few, few):
        matrix = made(np.zeros_like(few), point, 6, grid=1, block=8)
        dense = hetad.jacobian(program["branch"], "x", "y", backend)(np.zeros_like(few), point, 6, grid=1, block=8)
        np.testing.assert_array_equal(matrix.toarray(), dense["y"]["x"])


def test_indices_that_change(real: Any, x: Any, backend: str) -> None:
    made = hetad.jacobian(real[0]["gather"], "x", "y", backend, sparsity="detect")
    for shift in (1, 5):
        at = np.roll(np.arange(N), shift).astype(np.int32)
        pattern = made.pattern(np.zeros_like(x), x, at, N, grid=6, block=16)
        assert pattern.nnz == 2 * N
        assert made(np.zeros_like(x), x, at, N, grid=6, block=16).nnz == 2 * N


# What stands beside numbers as a mask: structs, unions of types, shuffles, dynamic shared memory, library calls.
VARIED = (
    "arguments_by_value", "arrays_of_structs_by_value", "barriers_and_global", "block_reduction", "copy_kinds",
    "cublas_handles", "dynamic_shared", "gather_by_index", "hotspot", "leapfrog", "mixed_precision", "pointer_array",
    "rows_in_device_memory", "state_at_file_scope", "structs", "structs_of_pointers", "two_results", "vector_types",
    "warp_reductions",
)  # fmt: skip
CASES = [c for f in sorted((Path(__file__).parents[1] / "gradient/programs").glob("**/*.cu")) for c in cases(f)]
CHOSEN = [c for c in CASES if c.problem.path.stem in VARIED and "limit" not in c.name]


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_holds_for_the_corpus(case: Case, backend: str) -> None:
    pattern_holds(case, backend)


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_holds_for_all_of_the_corpus(case: Case, backend: str) -> None:
    pattern_holds(case, backend)


def pattern_holds(case: Case, backend: str) -> None:
    """No derivative outside of it, along each of some columns."""
    problem = case.problem
    function = hetad.load(problem.source, defines=problem.defines)[problem.function]
    names = function.compiled.signature.parameters
    values = dict(zip(names, problem.arguments(function.parameters), strict=True))
    launch = dict(problem.launch)
    try:
        tangent = hetad.jvp(function, problem.wrt, problem.of, backend)
    except hetad.UnsupportedError as refusal:
        pytest.skip(str(refusal).splitlines()[0])
    if any(isinstance(values[n], dict) for n in (*tangent.wrt, *(tangent.of or ()))):
        pytest.skip("a struct by value")
    detection = Detection(function, tangent.wrt, tangent.of, backend, 2, None)
    pattern = detection(values, launch, lambda steps: steps).toarray()
    rng = np.random.default_rng(0)
    for j in rng.permutation(pattern.shape[1])[:8]:
        column = along(tangent, values, j, launch)
        assert not (column != 0)[~pattern[:, j]].any(), f"column {j}"


def along(tangent: Any, values: dict[str, Any], j: int, launch: dict[str, Any]) -> Any:
    given, start = {}, 0
    for name in tangent.wrt:
        size = to_vector(values[name]).size
        unit = np.eye(1, size, j - start)[0] if start <= j < start + size else np.zeros(size)
        given[name] = from_vector(values[name], unit)
        start += size
    moved = tangent(*values.values(), tangents=given, **launch)
    return np.concatenate([to_vector(moved[n]) for n in tangent.of]) if tangent.of else np.array([moved])


@pytest.mark.skipif(nvrtc.load() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc)")
@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_compiles_with_nvrtc(case: Case) -> None:
    problem = case.problem
    compiled = hetad.load(problem.source, defines=problem.defines)[problem.function].compiled
    options = {"options": Options.of(True, deterministic=False), "directions": 2, "dependence": True}
    derivative = compiled.derivative(compiled.choice(problem.wrt, problem.of, options))
    assert nvrtc.compile_device(targets.device_source(derivative.program))
    assert "mask_" in pipeline.source(derivative)


def test_what_is_refused(real: Any, x: Any) -> None:
    program, _ = real
    with pytest.raises(hetad.ArgumentError, match="sparsity='find': there are 'detect'"):
        hetad.jacobian(program["gather"], "x", "y", sparsity="find")
    with pytest.raises(hetad.UnsupportedError, match=r"sparsity.cu:\d+:\d+"):
        hetad.jacobian(program["largest"], "x", "y", "cpu", sparsity="detect")(x, x, grid=1, block=4)
