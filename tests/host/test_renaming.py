"""Buffers that are overwritten wholly are not copied: the old one is kept, and the program goes on in another."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS
from tests.executables import running

COPYING = set(OPTIMISATIONS) - {"renaming"}
ON_DEVICE = 3  # a kind of copies

STEP = """
__global__ void step(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + c * in[(i + 1) % n] * in[i];
}
"""
MARCH = (
    STEP
    + """
void march(double *u, double *v, int n, int m, int blocks, int steps, double c)
{
    for (int t = 0; t < steps; t++) {
        step<<<blocks, 32>>>(v, u, n, c);
        step<<<(m + 31) / 32, 32>>>(u, v, m, c);
    }
}
"""
)
N, BLOCKS = 150, 5


class _Copies:
    """The CPU's runtime table with an account of the bytes that are copied on the device."""

    def __init__(self, gradient: hetad.Gradient) -> None:
        executable = running(gradient)
        own = (ctypes.c_void_p * 12).from_address(executable._runtime)
        signature = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        copy = signature(own[2])
        self.bytes = 0

        @signature
        def counted(dst: int, src: int, size: int, kind: int) -> int:
            self.bytes += size if kind == ON_DEVICE else 0
            done: int = copy(dst, src, size, kind)
            return done

        self.keep = counted
        self.table = (ctypes.c_void_p * 12)(*own)
        self.table[2] = ctypes.cast(counted, ctypes.c_void_p).value
        executable._runtime = ctypes.addressof(self.table)


def _vectors() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.uniform(0.5, 1.5, N), rng.uniform(0.5, 1.5, N)


def _gradient(source: str, function: str, **options: Any) -> hetad.Gradient:
    return hetad.gradient(hetad.loads(source)[function], wrt="u", of="u", backend="cpu", **options)


@pytest.mark.parametrize("limit", [None, 6 * N * 8, 30 * N * 8])
def test_nothing_is_copied(limit: int | None) -> None:
    """Nor is more memory needed, nor does it grow from call to call; under a limit checkpoints are copied."""
    u, v = _vectors()
    before = u.copy(), v.copy()
    renaming, copying = (_gradient(MARCH, "march", optimize=o, memory_limit=limit) for o in (True, COPYING))
    args = (u, v, N, N, BLOCKS, 20, 0.02)
    results = [g(*args, seeds={"u": u}) for g in (renaming, copying)]
    np.testing.assert_array_equal(results[0]["u"], results[1]["u"])
    np.testing.assert_array_equal((u, v), before)
    assert renaming.last_report is not None
    assert str(renaming.last_report) == str(copying.last_report)
    counts = [_Copies(g) for g in (renaming, copying)]
    for g in (renaming, copying) * 3:
        np.testing.assert_array_equal(g(*args, seeds={"u": u})["u"], results[0]["u"])
    if limit is None:
        assert counts[0].bytes == 0
        assert counts[1].bytes >= 3 * 2 * 40 * u.nbytes
    else:
        assert 0 < counts[0].bytes < counts[1].bytes / 2


@pytest.mark.parametrize(
    ("n", "m", "blocks", "copied"),
    [
        (N, N, BLOCKS, 0),
        (N - 2, N - 1, BLOCKS, 6 * 2 * 8),  # what lies beside a part that is nearly all of it is copied, twice
        (N, N // 2, BLOCKS, 6 * N * 8),
        (N, N, BLOCKS - 1, 12 * N * 8),
        (20, N, 1, 12 * 20 * 8),
    ],
)
def test_launches_that_leave_cells_alone(n: int, m: int, blocks: int, copied: int) -> None:
    u, v = _vectors()
    renaming, copying = (_gradient(MARCH, "march", optimize=o) for o in (True, COPYING))
    args = (u, v, n, m, blocks, 6, 0.02)
    expected = copying(*args, seeds={"u": u})["u"]
    np.testing.assert_array_equal(renaming(*args, seeds={"u": u})["u"], expected)
    copies = _Copies(renaming)
    np.testing.assert_array_equal(renaming(*args, seeds={"u": u})["u"], expected)
    assert copies.bytes >= copied
    assert (copies.bytes == 0) == (copied == 0)


ONE_OR_TWO = (
    STEP
    + """
__global__ void grow(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + c * in[i] * in[i];
}
void march(double *u, int n, int steps, int same)
{
    double *p[2], *q[2];
    for (int k = 0; k < 2; k++)
        cudaMalloc(&p[k], n * sizeof(double));
    q[0] = p[0];
    q[1] = same ? p[0] : p[1];
    cudaMemcpy(p[0], u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        grow<<<(n + 31) / 32, 32>>>(q[(t + 1) % 2], q[t % 2], n, 0.05);
    }
    cudaMemcpy(u, q[steps % 2], n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(p[0]);
    cudaFree(p[1]);
}
"""
)


@pytest.mark.parametrize("same", [0, 1])
def test_buffers_that_are_one_in_some_calls(same: int) -> None:
    """A launch that overwrites a buffer may read the same one through another pointer."""
    u, _ = _vectors()
    renaming, copying = (_gradient(ONE_OR_TWO, "march", optimize=o) for o in (True, COPYING))
    found = [g(u.copy(), N, 5, same, seeds={"u": np.ones(N)})["u"] for g in (renaming, copying)]
    np.testing.assert_array_equal(*found)
    exact, slope = u.copy(), np.ones(N)
    for _ in range(5):
        exact, slope = exact + 0.05 * exact**2, slope * (1 + 0.1 * exact)
    np.testing.assert_allclose(found[0], slope, rtol=1e-12)
    copies = _Copies(renaming)
    renaming(u, N, 5, same, seeds={"u": np.ones(N)})
    assert (copies.bytes > 0) == bool(same)


REFUSED = (
    STEP
    + """
__global__ void weights(double *w, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = 1 + 0.1 * t + 0.01 * (i % 5);
}

__global__ void scaled(double *out, const double *in, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = w[i] * in[i] * in[n - 1 - i];
}

void refused_launches(double *u, int n, int steps, double c)
{
    double *a, *b, *w;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&w, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(w, 0, n * sizeof(double));
    for (int t = 0; t < steps; t++) {
        weights<<<3, t % 2 ? 2048 : 32>>>(w, n, t);
        scaled<<<(n + 31) / 32, 32>>>(b, a, w, n);
        weights<<<t % 2 ? 0 : 3, 32>>>(w, n, 2 * t);
        if (t % 3 == 1)
            cudaGetLastError();
        scaled<<<(n + 31) / 32, 32>>>(a, b, w, n);
    }
    cudaGetLastError();
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(w);
}

"""
)


def test_launches_that_are_refused() -> None:
    """They do nothing, and the buffer has what it had."""
    u, _ = _vectors()
    found = [
        _gradient(REFUSED, "refused_launches", optimize=o)(u, N, 5, 0.1, seeds={"u": u})["u"] for o in (True, COPYING)
    ]
    np.testing.assert_array_equal(*found)
    told = _gradient(
        REFUSED.replace("t % 2 ? 2048 : 32", "32").replace(
            "weights<<<3, 32>>>(w, n, t)", "if (t % 2 == 0) weights<<<3, 32>>>(w, n, t)"
        ),
        "refused_launches",
    )
    np.testing.assert_array_equal(told(u, N, 5, 0.1, seeds={"u": u})["u"], found[0])


def test_it_is_explained_and_can_be_switched_off() -> None:
    on, off = (_gradient(MARCH, "march", optimize=o) for o in (True, COPYING))
    assert re.search(r"hetad_rename_part\(\s*u", on.source) and "hetad_now" in on.source
    assert re.search(r"hetad_save_part\(\s*u", off.source) and "hetad_now" not in off.source
    for g, how in ((on, "kept without a copy, where all of it is overwritten"), (off, "snapshot of the part written")):
        assert {s.how for s in g.derivative.explanation.saved} == {how}


SWAPPED = (
    STEP
    + """
void march(double *u, int n, int steps, double c)
{
    double *now = u, *next;
    cudaMalloc((void **)&next, n * sizeof(double));
    for (int t = 0; t < steps; t++) {
        step<<<(n + 31) / 32, 32>>>(next, now, n, c);
        double *swap = now;
        now = next;
        next = swap;
    }
    cudaFree(next);
}
"""
)


def test_freeing_what_may_be_an_argument_changes_nothing() -> None:
    """After an even number of swaps what is freed is the program's own: it is an argument by name alone."""
    u, _ = _vectors()
    on, off = (_gradient(SWAPPED, "march", optimize=o) for o in (True, COPYING))
    assert re.search(r"hetad_rename_part\(\s*next", on.source) and "hetad_freed(next)" in on.source
    found = [g(u, N, 6, 0.02, seeds={"u": u})["u"] for g in (on, off)]
    np.testing.assert_array_equal(found[0], found[1])
