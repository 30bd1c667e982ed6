"""Which values all threads of a block have in common, and along which axes others differ."""

from __future__ import annotations

import pytest

import hetad
from hetad import pipeline
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts
from tests import indices

SOURCE = """
__global__ void f(double *y, const double *x, int *count, int n)
{{
    int t = threadIdx.x;
    int v = {value};
    y[t] = v * x[t];
}}
"""


NOW: list[ir.Function] = []


def divergence(source: str, as_written: bool = False) -> Divergence:
    program = pipeline.reach(hetad.loads(source).unit, "f")
    if not as_written:
        program = pipeline.normalized(program)
    NOW[:] = [program.functions["f"]]
    return Divergence(NOW[0].body, Effects(PointsTo(NOW[0]), {}))


def variable(name: str) -> ir.Var:
    (symbol,) = {s.symbol for s in walk_stmts(NOW[0].body) if isinstance(s, ir.Declare) and s.symbol.name == name}
    return ir.Var(symbol, span=symbol.span)


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ("2 * n", True),
        ("t", False),
        ("__syncthreads_count(t < 5)", True),
        ("__syncthreads_or(n > 5)", True),
        ("__any_sync(0xffffffff, t < 5)", False),
        ("__activemask()", False),  # the last warp may have fewer lanes
        ("__reduce_add_sync(0xffffffff, n)", False),
        ("__shfl_sync(0xffffffff, t, 0)", False),
        ("atomicAdd(count, 1)", False),
    ],
)
def test_uniform(value: str, same: bool) -> None:
    assert divergence(SOURCE.format(value=value)).uniform(variable("v")) is same


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("v = blockIdx.x + n;", ""),
        ("v = threadIdx.x * n;", "x"),
        ("v = t + threadIdx.z;", "xz"),
        ("if (threadIdx.y < 2) v = 1;", "y"),
        ("for (int k = 0; k < t; ++k) ++v;", "x"),  # runs for as long as each thread says
        ("for (int k = 0; k < n; ++k) { if (t > k) break; ++v; }", "x"),
        ("if (t > n) return; v = n;", "x"),  # the others keep what they had
        ("int a[2] = {0, 0}; a[t % 2] = 1; v = a[0];", "x"),  # each thread has an array of its own
        ("s[t] = n; __syncthreads(); v = s[n];", ""),  # one for all
        ("s[t] = threadIdx.y; __syncthreads(); v = s[0];", "y"),
        ("if (t == 0) s[0] = n; __syncthreads(); v = s[0];", "x"),
        ("atomicAdd(&s[0], 1); __syncthreads(); v = s[0];", "*xyz"),
        ("v = atomicAdd(count, 1);", "*xyz"),
        ("count[t] = 1; v = count[0];", "*xyz"),  # not all threads need have stored theirs
        ("v = __shfl_sync(0xffffffff, n, 0);", "*xyz"),
        ("int *p = &v; *p = t;", "x"),
    ],
)
def test_axes(body: str, axes: str) -> None:
    text = "__global__ void f(double *y, int *count, int n) { __shared__ int s[32]; int t = threadIdx.x; int v = 0; %s"
    found = divergence(text % body + " y[t] = v; }")
    assert "".join(sorted(found.axes(variable("v")))) == axes


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("for (int k = 0; k < n; ++k) { if (t > k) break; ++v; }", "x"),
        ("for (int k = 0; k < n; ++k) { ++v; if (t > k) break; }", "x"),  # the rest of the iterations, too
        ("for (int k = 0; k < n; ++k) { ++v; if (n > k) break; }", ""),
        ("for (int k = 0; k < n; ++k) { if (t > k) continue; ++v; }", "x"),
        ("for (int k = 0; k < n; ++k) { if (t > k) continue; } v = n;", ""),
        ("for (int k = 0; k < n; ++k) { for (int i = 0; i < n; ++i) if (t > i) break; ++v; }", ""),  # the inner loop
        ("for (int k = 0; k < n; ++k) { switch (n) { case 0: if (t > k) continue; } ++v; }", "x"),
        ("do { ++v; if (t < v) break; } while (v < n);", "x"),
        ("switch (n) { case 0: if (t > 2) break; v = 1; }", "x"),
        ("switch (n) { case 0: if (t > 2) break; case 1: v = 1; }", "x"),  # through which the others fall
        ("switch (n) { case 0: if (n > 2) break; v = 1; break; default: v = 2; }", ""),
        ("switch (t) { case 0: v = 1; }", "x"),
        ("if (t > n) return; v = n;", ""),  # of those that are left
    ],
)
def test_threads_that_leave(body: str, axes: str) -> None:
    text = "__global__ void f(double *y, int n) { int t = threadIdx.x; int v = 0; %s y[t] = v; }"
    found = divergence(text % body, as_written=True)
    assert "".join(sorted(found.axes(variable("v")))) == axes


def test_a_loop_that_some_leave_is_not_uniform() -> None:
    text = "__global__ void f(double *y, int n) { for (int k = 0; k < n; ++k) { %s y[k] += 1.0; } }"
    for leave, uniform in (
        ("if (threadIdx.x > k) break;", False),
        ("if (threadIdx.x > k) continue;", True),
        ("", True),
    ):
        found = divergence(text % leave, as_written=True)
        (loop,) = (s for s in walk_stmts(NOW[0].body) if isinstance(s, ir.For))
        assert found.uniform_loop(loop) is uniform


def test_positions_of_blocks() -> None:
    text = "__global__ void f(double *y, const int *x) { int v = __syncthreads_or(x[threadIdx.x]); y[v] = 1.0; }"
    found = divergence(text)
    assert found.uniform(variable("v"))
    assert found.of(variable("v")) == {("blockIdx", axis) for axis in "xyz"}  # another block may have another value


def drawn(part: int) -> list[tuple[indices.Kernel, Divergence, list[ir.Assign]]]:
    """Kernels whose indices are drawn, with what is known of them and their stores."""
    kernels = indices.kernels(25, part)
    unit = hetad.loads("".join(k.cuda for k in kernels)).unit
    found = []
    for kernel in kernels:
        function = pipeline.normalized(pipeline.reach(unit, kernel.name)).functions[kernel.name]
        known = Divergence(function.body, Effects(PointsTo(function), {}))
        stores = [s for s in walk_stmts(function.body) if isinstance(s, ir.Assign) and isinstance(s.target, ir.Index)]
        assert len(stores) == kernel.stores
        found.append((kernel, known, stores))
    return found


POSITIONS = (("blockIdx", "x"), ("threadIdx", "x"), ("blockIdx", "y"), ("threadIdx", "y"))


FREE = (84, 81, 85, 109)  # by part: positions on which indices are known not to depend


@pytest.mark.parametrize("part", range(len(FREE)))
def test_threads_agree_on_what_depends_on_no_position_of_theirs(part: int) -> None:
    """In the same iterations, on an index of a store."""
    free = 0
    for kernel, known, stores in drawn(part):
        of = [known.of(s.target.index) for s in stores if isinstance(s.target, ir.Index)]
        free += sum(p not in found for found in of for p in POSITIONS)
        assert all(known.of_address(s.target) >= found for s, found in zip(stores, of, strict=True))
        for sizes, launch in zip(indices.SIZES, indices.LAUNCHES * 2, strict=False):
            values: dict[object, int] = {}
            for hit in kernel.hits(sizes, launch):
                (bx, tx), (by, ty) = (divmod(at, size) for at, size in zip(hit.thread, launch[1], strict=True))
                there = {p: at for p, at in zip(POSITIONS, (bx, tx, by, ty), strict=True) if p in of[hit.store]}
                key = (hit.store, tuple(there.values()), tuple(number for _, number in hit.loops))
                assert values.setdefault(key, hit.cell) == hit.cell, (kernel.cuda, sizes, launch, of[hit.store])
    assert free >= FREE[part]
