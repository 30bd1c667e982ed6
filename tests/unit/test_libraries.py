"""What stands for a library computes what the library does: against SciPy's BLAS."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hetad

blas = pytest.importorskip("scipy.linalg.blas")

SOURCE = """
#include <cublas_v2.h>
void gemm(real *c, const real *a, const real *b, int m, int n, int k, int ta, int tb, real alpha, real beta, int lda,
          int ldb, int ldc)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasRgemm(handle, (cublasOperation_t)ta, (cublasOperation_t)tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
    cublasDestroy(handle);
}
void gemv(real *y, const real *a, const real *x, int m, int n, int trans, real alpha, real beta, int lda, int incx,
          int incy)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasRgemv(handle, (cublasOperation_t)trans, m, n, &alpha, a, lda, x, incx, &beta, y, incy);
    cublasDestroy(handle);
}
void ger(real *a, const real *x, const real *y, int m, int n, real alpha, int lda, int incx, int incy)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasRger(handle, m, n, &alpha, x, incx, y, incy, a, lda);
    cublasDestroy(handle);
}
void vectors(real *y, real *numbers, real *x, int n, real alpha, int incx, int incy)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasRdot(handle, n, x, incx, y, incy, numbers);
    cublasRnrm2(handle, n, x, 2, numbers + 1);
    cublasRasum(handle, n, x, 2, numbers + 2);
    cublasRaxpy(handle, n, &alpha, x, incx, y, incy);
    cublasRscal(handle, n, &alpha, x, 2);
    cublasRswap(handle, n, x, incx, y, incy);
    cublasDestroy(handle);
}
"""


@cache
def program(real: str) -> Any:
    return hetad.loads(SOURCE.replace("real", real).replace("cublasR", f"cublas{'SD'[real == 'double']}"))


@pytest.fixture(params=["float", "double"])
def real(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def numbers(seed: int, real: str, *shape: int) -> np.ndarray[Any, Any]:
    kind = np.float64 if real == "double" else np.float32
    return np.asfortranarray(np.random.default_rng(seed).standard_normal(shape).astype(kind))


def flat(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A matrix as BLAS sees it: a copy, column after column."""
    return array.ravel(order="F").copy()


def close(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    tolerance = 1e-12 if found.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize(("ta", "tb"), [(0, 0), (0, 1), (1, 0), (2, 2)])
@pytest.mark.parametrize("beta", [0.0, 0.6])
def test_gemm(real: str, ta: int, tb: int, beta: float, backend: str) -> None:
    m, n, k = 5, 7, 4
    a = numbers(1, real, *((m, k) if ta == 0 else (k, m)))
    b = numbers(2, real, *((k, n) if tb == 0 else (n, k)))
    c = numbers(3, real, m, n)
    found = flat(c) if beta else np.full_like(flat(c), np.nan)
    program(real)["gemm"](
        found, flat(a), flat(b), m, n, k, ta, tb, 1.5, beta, a.shape[0], b.shape[0], m, backend=backend
    )
    multiply = blas.dgemm if real == "double" else blas.sgemm
    close(found, flat(multiply(1.5, a, b, beta, c, ta, tb)))


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize(("incx", "incy"), [(1, 1), (2, -3), (-1, 2)])
def test_gemv(real: str, trans: int, incx: int, incy: int, backend: str) -> None:
    m, n = 5, 7
    a, x, y = numbers(1, real, m, n), numbers(2, real, 20), numbers(3, real, 20)
    found = y.copy()
    program(real)["gemv"](found, flat(a), x, m, n, trans, 1.5, 0.6, m, incx, incy, backend=backend)
    multiply = blas.dgemv if real == "double" else blas.sgemv
    close(found, _padded(multiply(1.5, a, x, 0.6, y, 0, incx, 0, incy, trans), y))


@pytest.mark.parametrize(("incx", "incy"), [(1, 1), (1, -1), (-1, 1)])
def test_ger(real: str, incx: int, incy: int, backend: str) -> None:
    m, n = 5, 7
    a = numbers(1, real, m, n)
    x, y = numbers(2, real, 1 + (m - 1) * abs(incx)), numbers(3, real, 1 + (n - 1) * abs(incy))
    found = flat(a)
    program(real)["ger"](found, x, y, m, n, 1.5, m, incx, incy, backend=backend)
    update = blas.dger if real == "double" else blas.sger
    close(found, flat(update(1.5, x, y, incx, incy, a)))


@pytest.mark.parametrize(("incx", "incy"), [(1, 1), (2, -3), (-1, 2)])
@pytest.mark.parametrize("n", [0, 1, 6, 300])
def test_vectors(real: str, n: int, incx: int, incy: int, backend: str) -> None:
    x, y = numbers(1, real, 1000), numbers(2, real, 1000)
    found_x, found_y, values = x.copy(), y.copy(), numbers(3, real, 3)
    program(real)["vectors"](found_y, values, found_x, n, 0.7, incx, incy, backend=backend)
    letter = "d" if real == "double" else "s"
    call = {name: getattr(blas, letter + name) for name in ("dot", "nrm2", "asum", "axpy", "scal", "swap")}
    if n == 0:
        expected = np.zeros(3)
    else:
        expected = np.array([
            call["dot"](x, y, n=n, incx=incx, incy=incy), call["nrm2"](x, n=n, incx=2), call["asum"](x, n=n, incx=2),
        ])  # fmt: skip
        y = call["axpy"](x, y, n=n, a=0.7, incx=incx, incy=incy)
        x = call["scal"](0.7, x, n=n, incx=2)
        x, y = call["swap"](x, y, n=n, incx=incx, incy=incy)
    close(values, expected.astype(values.dtype))
    close(found_x, x)
    close(found_y, y)


def _padded(result: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """SciPy returns the vector with what lies between its elements; the rest of the buffer stays."""
    return np.concatenate([result, whole[len(result) :]])


def test_functions_of_a_library_are_no_functions_of_the_program() -> None:
    assert list(program("double")) == ["gemm", "gemv", "ger", "vectors"]


def test_what_a_library_lacks_is_refused() -> None:
    source = """
    #include <cublas_v2.h>
    void f(double *x, int n) {
        cublasHandle_t handle;
        cublasCreate(&handle);
        cublasSetMathMode(handle, 1);
        cublasDscal(handle, n, x, x + 1, 1);
    }"""
    with pytest.raises(hetad.HetadError, match="cublasSetMathMode"):
        hetad.gradient(hetad.loads(source)["f"], wrt="x", of="x")


def test_the_file_for_nvcc_calls_the_library() -> None:
    source = """
    #include <cublas_v2.h>
    void f(cublasHandle_t handle, float *y, const float *a, const float *x, int m, int n, int trans)
    {
        const float one = 1;
        cublasSgemv(handle, (cublasOperation_t)trans, m, n, &one, a, m, x, 2, &one, y, 1);
    }
    """
    text = hetad.gradient(hetad.loads(source)["f"], wrt=("a", "x"), of="y", backend="cpu").source
    assert text.startswith("// link with -lcublas\n")
    assert "#include <cublas_v2.h>" in text
    assert "f_grad(\n    cublasHandle_t handle, float *y," in text
    calls = " ".join(text[text.index("f_grad") :].split())
    assert "cublasSger(handle, m, n, &one, adj_y, 1, x, 2, adj_a, m)" in calls
    assert (
        "handle, (cublasOperation_t)(trans == 0 ? 1 : 0), m, n, &one, a, m, adj_y, 1, &hetad_factor_1, adj_x, 2"
        in calls
    )
    assert "blas_float_gemv" not in text


ARGUMENTS: dict[str, list[Any]] = {
    "gemm": [*(numbers(i, "double", 60) for i in (1, 2, 3)), 4, 5, 3, 1, 0, 1.5, 0.6, 6, 5, 7],
    "gemv": [numbers(1, "double", 40), numbers(2, "double", 60), numbers(3, "double", 40), 4, 5, 1, 1.5, 0.6, 6, 2, -3],
    "ger": [numbers(1, "double", 60), numbers(2, "double", 40), numbers(3, "double", 40), 4, 5, 1.5, 6, -2, 3],
    "vectors": [numbers(i, "double", 30) for i in (1, 2, 3)] + [7, 1.5, -1, 2],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrt"),
    [(name, wrt) for name, every in (
        ("gemm", ("a", "b", "c", "alpha", "beta")), ("gemv", ("a", "x", "y", "alpha", "beta")),
        ("ger", ("a", "x", "y", "alpha")), ("vectors", ("x", "y", "alpha")),
    ) for wrt in (every, *((x,) for x in every))],
)  # fmt: skip
def test_tangents_of_some_arguments(name: str, wrt: tuple[str, ...], backend: str) -> None:
    """Of all, and of each alone: <w, J v> = <Jᵀ w, v>."""
    function, arguments = program("double")[name], ARGUMENTS[name]
    of = {"gemm": ("c",), "gemv": ("y",), "ger": ("a",), "vectors": ("x", "y", "numbers")}[name]
    at = dict(zip((p.name for p in function.parameters), arguments, strict=True))
    v = {n: numbers(7, "double", *at[n].shape) if isinstance(at[n], np.ndarray) else 0.7 for n in wrt}
    w = {n: numbers(8, "double", *at[n].shape) for n in of}
    j = hetad.jvp(function, wrt, of, backend, directions=2)
    found = j(*arguments, tangents={n: np.stack([x, np.multiply(x, -2)]) for n, x in v.items()})
    pulled = hetad.gradient(function, wrt, of, backend)(*arguments, seeds=w)
    expected = sum(float(np.sum(pulled[n] * v[n])) for n in wrt)
    for k, factor in enumerate((1, -2)):
        assert sum(float(np.sum(found[n][k] * w[n])) for n in of) == pytest.approx(factor * expected, rel=1e-12)


def test_every_routine_has_its_kernel_and_its_derivatives() -> None:
    from hetad.frontend.libraries import LIBRARIES, library
    from hetad.rules.routines import HEADERS, ROUTINES
    from hetad.run.cuda_routines import FORMS

    assert HEADERS < LIBRARIES
    text = "".join(library(header) for header in sorted(LIBRARIES))
    for kernel, routine in ROUTINES.items():
        assert f"__global__ static void {kernel}(" in text
        assert (f" {kernel}_pullback(" in text) == routine.pullback
        assert f" {kernel}_tangent(" in text
        assert routine.form in FORMS


def test_a_kernel_of_the_program_may_have_the_name_of_one_of_ours() -> None:
    source = """
    __global__ void blas_float_scal(float *x, float by, int n)
    {
        int i = threadIdx.x;
        if (i < n)
            x[i] *= by * by;
    }
    void f(float *x, float by, int n) { blas_float_scal<<<1, 32>>>(x, by, n); }
    """
    g = hetad.gradient(hetad.loads(source)["f"], wrt=("x",), of="x", backend="cpu")
    assert "blas_float_scal_pullback<<<" in g.source
    x = np.ones(5, np.float32)
    np.testing.assert_array_equal(g(x, 3.0, 5, seeds={"x": x})["x"], 9 * x)
