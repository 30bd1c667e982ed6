"""The part of a buffer that a kernel writes: each kernel is run, and no cell outside the part may have changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.analysis.affine import Polynomial
from hetad.analysis.written import Written, written_cells
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_expr
from hetad.pipeline import normalized, reach

SIZE = 400
THREAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"

# The body; its parameters; whether the part has to be known, and in all cases exactly so.
KERNELS: dict[str, tuple[str, str, list[dict[str, int]], bool]] = {
    "row": (f"{THREAD} if (i < n) u[t * n + i] = 1;", "int n, int t", [{"n": 37, "t": 3}, {"n": 0, "t": 2}], True),
    "cell": ("if (threadIdx.x == 0) u[at] += 1;", "int at", [{"at": 0}, {"at": 33}], True),
    "interior": (f"{THREAD} if (i > 0 && i < n - 1) u[i] = 1;", "int n", [{"n": 37}, {"n": 2}], True),
    "backwards": (f"{THREAD} if (i < n) u[n - 1 - i] = 1;", "int n", [{"n": 37}], True),
    "every thread": ("u[blockIdx.x * blockDim.x + threadIdx.x + 5] = 1;", "int n", [{"n": 1}], True),
    "even cells": (f"{THREAD} if (2 * i < n) u[2 * i] = 1;", "int n", [{"n": 37}], False),
    "early return": (f"{THREAD} if (i >= n) return; u[off + i] = 1;", "int n, int off", [{"n": 7, "off": 90}], True),
    "unsigned": (
        "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) u[from + i] = 1;",
        "unsigned n, unsigned from",
        [{"n": 9, "from": 8}],
        True,
    ),
    "two axes": (
        f"{THREAD} int j = blockIdx.y * blockDim.y + threadIdx.y;"
        "if (i < nx && j < ny) u[(t * ny + j) * nx + i] = 1;",
        "int nx, int ny, int t",
        [{"nx": 7, "ny": 5, "t": 4}, {"nx": 12, "ny": 2, "t": 1}],
        True,
    ),
    "quotient and remainder": (
        f"{THREAD} int row = i / nx, col = i % nx; if (row < ny) u[off + row * nx + col] = 1;",
        "int nx, int ny, int off",
        [{"nx": 7, "ny": 5, "off": 20}],
        True,
    ),
    "columns in a loop": (
        f"{THREAD} if (i < n) for (int k = 0; k < m; k++) u[off + k * n + i] = 1;",
        "int n, int m, int off",
        [{"n": 9, "m": 3, "off": 60}, {"n": 9, "m": 0, "off": 60}],
        True,
    ),
    "pitch of either sign": (
        f"{THREAD} if (i < n) for (int k = 0; k < 3; k++) u[off + k * pitch + i] = 1;",
        "int n, int off, int pitch",
        [{"n": 5, "off": 30, "pitch": 11}, {"n": 5, "off": 200, "pitch": -13}],
        False,
    ),
    "divisor of either sign": (
        f"{THREAD} u[100 + i / w] = 1; u[200 + i % 9] = 1;", "int w", [{"w": 7}, {"w": -7}], False,
    ),
    "triangle": (
        f"{THREAD} if (i < n) for (int j = 0; j <= i; j++) u[i * n + j] = 1;", "int n", [{"n": 13}], False,
    ),
    "grid stride": (
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) u[off + i] = 1;",
        "int n, int off",
        [{"n": 130, "off": 50}],
        True,
    ),
    "stride of a block": (
        "for (int i = threadIdx.x; i < n; i += blockDim.x) u[off + blockIdx.x * n + i] = 1;",
        "int n, int off",
        [{"n": 20, "off": 11}],
        True,
    ),
    "downwards": (f"{THREAD} if (i == 0) for (int k = n - 1; k >= 2; k--) u[k] = 1;", "int n", [{"n": 20}], True),
    "steps of three": (
        f"{THREAD} if (i == 1) for (int k = 4; k < n; k += 3) u[k] = 1;", "int n", [{"n": 20}], False,
    ),
    "two stores": (
        f"{THREAD} if (i < n) {{ u[off + i] = 1; u[off + i + n] = 1; }}", "int n, int off", [{"n": 9, "off": 3}], True,
    ),
    "atomics": (
        f"{THREAD} atomicAdd(&u[off + i % 4], 1.0); atomicAdd(u + off + 4, 1.0);", "int off", [{"off": 9}], True,
    ),
    "a moved pointer": (f"{THREAD} u += off; if (i < n) u[i] = 1;", "int n, int off", [{"n": 9, "off": 8}], True),
    "a changed count": (f"{THREAD} n = n / 2; if (i < n) u[n + i] = 1;", "int n", [{"n": 22}], False),
    "halves": (f"{THREAD} if (i < n / 2) u[n / 2 + i] = 1;", "int n", [{"n": 22}], True),
    "wrapped round": (f"{THREAD} if (i < n) u[(i + n - 1) % n] = 1;", "int n", [{"n": 22}], False),
    "chosen": (f"{THREAD} int j = i == 0 ? n - 1 : i - 1; if (i < n) u[j] = 1;", "int n", [{"n": 22}], False),
    "set in a branch": (
        f"{THREAD} int j = i - 3; if (j < 0) j += n; if (i < n) u[j] = 1;", "int n", [{"n": 22}], False,
    ),
    "doubled": (f"{THREAD} for (int k = 1; k < n; k *= 2) if (i < k) u[k + i] = 1;", "int n", [{"n": 30}], False),
    "from memory": (f"{THREAD} if (i < n) u[int(u[0]) + i] = 1;", "int n", [{"n": 9}], False),
    "changed memory": (
        f"{THREAD} int a = c[0]; if (i == 0) c[0] = 7; if (i < n) u[i + a - c[0] + 20] = 1;",
        "int n, int *c",
        [],
        False,
    ),
    "or": (f"{THREAD} if (i < n || i == 50) u[i] = 1;", "int n", [{"n": 9}], False),
    "not": (f"{THREAD} if (!(i >= n)) u[i + n] = 1;", "int n", [{"n": 9}], True),
    "on the diagonal": (f"{THREAD} if (i < n) u[i * n + i] = 1;", "int n", [{"n": 12}], True),
    "blocks as rows": ("u[(blockIdx.x + 1) * n + threadIdx.x] = 1;", "int n", [{"n": 32}, {"n": 40}], True),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("launch", [((3, 1), (32, 1)), ((2, 3), (16, 4)), ((1, 1), (1, 1))])
def test_no_cell_outside_changes(name: str, launch: tuple[tuple[int, int], tuple[int, int]]) -> None:
    body, params, settings, _ = KERNELS[name]
    program = hetad.loads(f"__global__ void k(double *u, {params}) {{ {body} }}")
    kernel = normalized(reach(program.unit, "k")).functions["k"]
    written = written_cells(kernel).get(0)
    for given in settings:
        u = np.full(SIZE, 60.0)
        program["k"](u, **given, grid=launch[0], block=launch[1], backend="cpu")
        changed = np.flatnonzero(u != 60.0)
        part = _part(written, given, launch) if written is not None else None
        if part is not None and len(changed):
            assert part[0] <= changed[0] and changed[-1] <= part[1]


@pytest.mark.parametrize("name", [n for n, k in KERNELS.items() if k[3]])
def test_parts_are_known(name: str) -> None:
    body, params, _, _ = KERNELS[name]
    program = hetad.loads(f"__global__ void k(double *u, {params}) {{ {body} }}")
    assert 0 in written_cells(normalized(reach(program.unit, "k")).functions["k"])


def _part(
    written: Written, given: dict[str, int], launch: tuple[tuple[int, int], tuple[int, int]]
) -> tuple[int, int] | None:
    """None where it does not hold."""
    grid, block = ((*extent, 1) for extent in launch)

    def value(e: ir.Expr) -> int:
        match e:
            case ir.Const():
                return int(e.value)
            case ir.Var(symbol=symbol) if symbol in written.threads:
                at = "xyz".index(written.threads[symbol])
                return grid[at] * block[at]
            case ir.Var():
                return given[e.symbol.name]
            case ir.ThreadIndex():
                return (grid if e.name == "gridDim" else block)["xyz".index(e.axis)]
            case ir.Cast():
                return value(e.operand)
            case ir.Binary(op="/"):
                return int(value(e.left) / value(e.right))
        raise AssertionError(e)

    def total(p: Polynomial) -> int:
        return sum(int(c * np.prod([value(a) for a in m], dtype=int)) for m, c in p.terms.items())

    if any(
        isinstance(e, ir.Index)
        for p in (*written.first, *written.last)
        for m in p.terms
        for a in m
        for e in walk_expr(a)
    ):
        return None  # only the device knows
    if any(total(p) < 0 for p in written.positive):
        return None
    part = min(map(total, written.first)), max(map(total, written.last))
    return part if part[0] <= part[1] else None


def _saved(source: str, function: str, wrt: tuple[str, ...], of: str, *args: Any) -> int:
    gradient = hetad.gradient(hetad.loads(source)[function], wrt=wrt, of=of, backend="cpu")
    gradient(*args, seeds={of: np.ones_like(args[0])})
    assert gradient.last_report is not None
    return gradient.last_report.saved_bytes


HISTORY = """
__global__ void step(double *u, int t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = u[(t - 1) * n + i];
        u[t * n + i] = x + 0.1 * x * x;
    }
}
__global__ void inject(double *u, int at, double w)
{
    if (threadIdx.x == 0)
        u[at] += w * u[at];
}
void history(double *u, int n, int steps, double w)
{
    for (int t = 1; t < steps; t++) {
        step<<<(n + 31) / 32, 32>>>(u, t, n);
        inject<<<1, 32>>>(u, t * n + n / 2, w);
    }
}
void inject_again(double *u, int n, int steps, double w)
{
    for (int t = 1; t < steps; t++)
        inject<<<1, 32>>>(u, n / 2, w + t);
}
"""


def test_a_row_of_a_history_is_saved_and_not_all_of_it() -> None:
    n, steps = 1000, 20
    u = np.linspace(0, 1, n * steps)
    assert _saved(HISTORY, "history", ("u", "w"), "u", u, n, steps, 0.3) < 2 * u.nbytes
    assert _saved(HISTORY, "inject_again", ("u", "w"), "u", u, n, steps, 0.3) < steps * 200
