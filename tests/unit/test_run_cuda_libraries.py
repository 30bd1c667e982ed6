"""Programs that call cuBLAS and cuFFT, on the CUDA backend over libraries, a CuPy and a driver made of host memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.run import cuda_routines, cuda_table
from hetad.run.executable import library
from tests.corpus import Case, cases
from tests.unit import fake_cupy as cp
from tests.unit.test_run_cuda import driver

__all__ = ["driver"]

FAKE = Path(__file__).parent / "fake_libraries.c"
PROGRAMS = Path(__file__).parents[1] / "gradient" / "programs" / "libraries"
EXPECTED = {
    "cublas_calls-gemm_tt": {"gemm", "batch"},
    "cublas_calls-vectors": {"dot", "nrm2", "asum", "axpy", "swap", "scal", "copy", "ger", "gemv"},
    "cublas_factors_on_device-double": {"gemm", "batch", "gemv", "ger", "axpy", "scal", "dot"},
    "cublas_scalars_on_device-double": {"gemv", "ger", "axpy", "scal", "dot", "nrm2", "asum"},
    "cublas_layers-float": {"gemm", "batch", "gemv", "ger", "axpy"},  # axpy: of the tangent
    "cublas_vectors": {"dot", "nrm2", "asum", "axpy", "scal", "swap", "ger", "gemv"},
    "cufft_filter-prime": {"Z2Z"},
    "cufft_lines-float": {"C2C", "R2C", "C2R"},
    "cufft_spectral-odd_plane": {"D2Z", "Z2D"},
}
CASES = {case.name: case for path in sorted(PROGRAMS.glob("cu*.cu")) for case in cases(path)}

PROGRAM = """
#include <cublas_v2.h>
#include <cufft.h>
void multiply(cublasHandle_t handle, double *c, const double *a, const double *b, int n)
{
    const double one = 1, zero = 0;
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
void on_stream(cudaStream_t stream, double *c, const double *a, const double *b, int n)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetStream(handle, stream);
    multiply(handle, c, a, b, n);
    cublasDestroy(handle);
}
void transform(cufftDoubleComplex *x, int n)
{
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_Z2Z, 1);
    cufftExecZ2Z(plan, x, x, CUFFT_FORWARD);
    cufftDestroy(plan);
}
"""
FIND = cuda_routines.find  # of this machine
N = 5
A, B, SEED = (np.random.default_rng(i).standard_normal((N, N)) for i in range(3))


@pytest.fixture(scope="module")
def libraries(driver: Any) -> Iterator[Any]:
    """What stands for cuBLAS and cuFFT; they are the table's while the tests of this file run."""
    with pytest.MonkeyPatch.context() as patch:
        fake = library(FAKE.read_text()).handle
        fake.fake_library_journal.restype = ctypes.c_char_p
        fake.fake_stream.restype = ctypes.c_void_p
        source = cuda_table.table_source()
        patch.setattr(cuda_routines, "find", lambda _: fake)
        patch.setattr(cuda_table, "table_source", lambda: source + "// of test_run_cuda_libraries")
        cuda_table.table.cache_clear()
        yield fake
    cuda_table.table.cache_clear()


@pytest.fixture
def called(libraries: Any) -> Any:
    """Tells which routines have been called since it was last asked."""
    libraries.fake_libraries_fail(0)
    libraries.fake_library_journal()
    return lambda: libraries.fake_library_journal().decode().split()


@pytest.fixture
def program(libraries: Any) -> hetad.Program:
    return hetad.loads(PROGRAM)


@pytest.mark.parametrize("name", EXPECTED)
def test_programs(name: str, called: Any) -> None:
    case: Case = CASES[name]
    case.check("cuda", [{"optimize": True}])
    assert set(called()) - {"create", "plan"} == EXPECTED[name]


def test_a_product_and_its_gradient_are_three_calls(program: hetad.Program, called: Any) -> None:
    c, multiply = np.zeros((N, N)), program["multiply"]
    before = cuda_table.library_calls()
    multiply(None, c, A, B, N, backend="cuda")
    np.testing.assert_allclose(c, B @ A)  # column after column
    g = hetad.gradient(multiply, wrt=("a", "b"), of="c", backend="cuda")
    found = g(None, c, A, B, N, seeds={"c": SEED})
    np.testing.assert_allclose(found["a"], B.T @ SEED)
    np.testing.assert_allclose(found["b"], SEED @ A.T)
    assert [word for word in called() if word != "create"] == ["gemm"] * 3
    assert cuda_table.library_calls() == before + 3


def test_a_handle_is_hetads_own(program: hetad.Program) -> None:
    with pytest.raises(hetad.ArgumentError, match="'handle': hetad makes the handles of a library itself"):
        program["multiply"](0x1234, np.zeros((N, N)), A, B, N, backend="cuda")


def test_streams(program: hetad.Program, libraries: Any, called: Any) -> None:
    c = cp.zeros((N, N))
    with cp.Stream(0x500):
        program["multiply"](None, c, cp.asarray(A), cp.asarray(B), N, backend="cuda")
        assert libraries.fake_stream() == 0x500
        program["on_stream"](0x600, c, cp.asarray(A), cp.asarray(B), N, backend="cuda")
        assert libraries.fake_stream() == 0x600
    np.testing.assert_allclose(cp.asnumpy(c), B @ A)


def test_plans_are_kept_and_old_ones_go(program: hetad.Program, called: Any) -> None:
    x = np.arange(4.0).astype(complex).view(np.dtype([("x", "f8"), ("y", "f8")]))
    for _ in range(3):
        program["transform"](x, 4, backend="cuda")
    assert called().count("plan") <= 1
    for n in range(1, 100):
        program["transform"](np.zeros(n, x.dtype), n, backend="cuda")
    words = called()
    assert words.count("plan") == 98
    assert words.count("destroy") >= 98 - 64
    program["transform"](x, 4, backend="cuda")
    assert called() == ["destroy", "plan", "Z2Z"]


def test_where_a_library_makes_nothing_kernels_run(program: hetad.Program, libraries: Any, called: Any) -> None:
    libraries.fake_libraries_fail(1)
    with cp.cuda.Device(1):  # where there is no handle yet
        c = np.zeros((N, N))
        program["multiply"](None, c, A, B, N, backend="cuda")
        np.testing.assert_allclose(c, B @ A)
        x = np.arange(6.0) + 1j
        found = x.view(np.dtype([("x", "f8"), ("y", "f8")])).copy()
        program["transform"](found, 6, backend="cuda")
        np.testing.assert_allclose(found.view(complex), np.fft.fft(x))
    assert set(called()) <= {"create", "plan", "destroy"}


def test_what_a_library_refuses_is_named(program: hetad.Program, libraries: Any, called: Any) -> None:
    libraries.fake_calls_fail(13)
    with pytest.raises(hetad.ExecutionError, match="cublasDgemm fails with status 13"):
        program["multiply"](None, np.zeros((N, N)), A, B, N, backend="cuda")
    libraries.fake_calls_fail(0)
    assert called()[-1] == "gemm"


def test_the_choice_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CUDA_LIBRARIES", "0")
    assert FIND.__wrapped__("cublas") is None
