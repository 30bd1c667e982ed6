"""Only memory that a program has allocated is freed for it, and sizes that are negative fail as on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad.diagnostics import ExecutionError

HEAD = "#include <stdlib.h>\n#include <string.h>\n"


def run(body: str, n: int = 8, backend: str = "cpu") -> int:
    """What the function returns of which `body` is the body; it has x, n and an array of its own at file scope."""
    source = f"{HEAD}double table[16];\nint run(double *x, int n)\n{{\n{body}\nreturn 0;\n}}\n"
    found: int = hetad.loads(source, name="own.cu")["run"](np.ones(8), n, backend=backend)
    return found


@pytest.mark.parametrize(
    ("body", "column", "message"),
    [
        ("cudaFree(x + 1);", 1, "cudaFree: the program has not allocated this memory, or has freed it already"),
        ("cudaFree(x); cudaFree(x);", 14, "cudaFree: the program has not allocated"),
        ("free(x + n / 2);", 1, "free: the program has not allocated"),
        ("free(table);", 1, "free: the program has not allocated"),
        ("double local[4]; free(local);", 18, "free: the program has not allocated"),
        ("double *p = (double *)malloc(64); free(p); free(p);", 44, "free: the program has not"),
        ("double *p; cudaMalloc(&p, 64); cudaFree(p); cudaFree(p);", 45, "cudaFree: the program has not allocated"),
        ("double *p; cudaMalloc(&p, 64); cudaFree(p + 2);", 32,
         "cudaFree: this pointer leads into memory from cudaMalloc, 16 bytes behind its start"),
        ("double *p = (double *)malloc(64); p++; free(p);", 40,
         "free: this pointer leads into memory from malloc, 8 bytes behind its start"),
        ("double *p = (double *)calloc(8, 8); cudaFree(p);", 37, "cudaFree: this memory is of another kind"),
        ("double *p; cudaMalloc(&p, 64); free(p);", 32, "free: this memory is of another kind, from cudaMalloc"),
        ("double *p; cudaMallocHost(&p, 64); free(p);", 36, "free: this memory is of another kind"),
        ("double *p; cudaMallocHost(&p, 64); cudaFree(p);", 36, "cudaFree: this memory is of another kind"),
        ("double *p = (double *)malloc(64); cudaFreeHost(p);", 35, "cudaFreeHost: this memory is of another kind"),
        ("double *p = (double *)realloc(table, 64);", 23, "realloc: the program has not allocated"),
        ("double *p = (double *)malloc(64); double *q = (double *)realloc(p, 128); free(q); free(q);", 83, "free: the"),
        ("memset(x, 0, -n);", 1, "a copy or a fill of a negative number of bytes"),
        ("memcpy(x, table, -8 * n);", 1, "a copy or a fill of a negative number of bytes"),
        ("memmove(x, x + 1, (size_t)-n);", 1, "a copy or a fill of a negative number of bytes"),
    ],
)  # fmt: skip
def test_refused_at_its_place(body: str, column: int, message: str) -> None:
    for _ in range(2):
        with pytest.raises(ExecutionError) as problem:
            run(body)
        assert str(problem.value).startswith(f"own.cu:6:{column}: {message}")
    assert run("free(malloc(8));") == 0  # what comes after is not affected


@pytest.mark.parametrize(
    "body",
    [
        "free(NULL); cudaFree(NULL); cudaFreeHost(NULL);",
        "cudaFree(x);",  # given up; it stays the caller's
        "double *p; cudaMalloc(&p, 64); double *o = p; p = x; x = o; cudaFree(x);",
        "for (int i = 0; i < 999; i++) { char *p = (char *)malloc(i), *q; cudaMalloc(&q, i); free(p); cudaFree(q); }",
        "double *p = NULL; for (int i = 1; i < 200; i++) p = (double *)realloc(p, i * 100); free(p);",
        "static double *kept; if (kept == NULL) cudaMalloc(&kept, 64); else { cudaFree(kept); kept = NULL; }",
        "double *p[300]; for (int i = 0; i < 300; i++) cudaMalloc(&p[i], 64);"
        "for (int i = 0; i < 300; i++) cudaFree(p[(i * 7) % 300]);",
        "double *p; cudaMallocManaged(&p, 64); cudaFree(p); cudaHostAlloc(&p, 64, 0); cudaFreeHost(p);",
        "memset(x, 0, 0); memcpy(x, table, 8 * n); memmove(x, x, 0);",
    ],
)  # fmt: skip
def test_what_is_right(body: str) -> None:
    for _ in range(4):
        assert run(body) == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("double *p = x; int e = cudaMalloc(&p, n * sizeof(double)); return e + 100 * (p != NULL);", 2),
        ("double *p = x; int e = cudaMallocManaged(&p, n); return e + 100 * (p != NULL);", 2),
        ("double *p = x; int e = cudaMallocHost(&p, n); return e + 100 * (p != NULL);", 2),
        ("double *p; size_t pitch; return cudaMallocPitch(&p, &pitch, n, 4);", 2),
        ("double *p; size_t pitch; return cudaMallocPitch(&p, &pitch, 64, n);", 2),
        ("return cudaMemset(x, 0, n);", 1),
        ("return cudaMemcpy(x, table, n, cudaMemcpyHostToDevice);", 1),
        ("return cudaMemcpy2D(x, 8, table, 8, 8, n, cudaMemcpyHostToDevice);", 1),
        ("return cudaMemset2D(x, 8, 0, 8, n);", 1),
        ("return malloc(n) == NULL ? 7 : 0;", 7),
        ("return calloc(n, 8) == NULL ? 7 : 0;", 7),
        ("return calloc((size_t)1 << 62, 4) == NULL ? 7 : 0;", 7),
        ("return realloc(NULL, (size_t)n) == NULL ? 7 : 0;", 7),
    ],
)
def test_sizes_below_zero_fail_as_on_a_gpu(body: str, status: int) -> None:
    for n in (-1, -5, -15, -16, -63, -64, -100, -(2**31)):
        assert run(body, n) == status


def test_gradients_fail_too() -> None:
    source = (
        HEAD
        + """void run(double *y, const double *x, int n, int m)
{
    double *t;
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, x, m * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(y, t, m * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(t);
}
"""
    )
    gradient = hetad.gradient(hetad.loads(source, name="own.cu")["run"], wrt="x", of="y", backend="cpu")
    x, w = np.arange(4.0), np.arange(4.0) + 1

    def at(n: int, m: int) -> np.ndarray:
        return np.asarray(gradient(np.zeros(4), x, n, m, seeds={"y": w})["x"])

    for _ in range(2):
        for n in (-1, -7, -100):
            with pytest.raises(ExecutionError, match=r"own.cu:6:5: out of memory"):
                at(n, 4)
        for m in (-1, -100):
            with pytest.raises(ExecutionError, match=r"own.cu:\d:5: a copy or a fill of a negative number of bytes"):
                at(4, m)
        np.testing.assert_array_equal(at(4, 4), w)
