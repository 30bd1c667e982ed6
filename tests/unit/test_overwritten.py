"""Kernels that overwrite all of a range: each kernel is run, and where that is said, no cell may be as it was."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad.analysis.affine import Polynomial
from hetad.analysis.overwritten import Overwritten, overwritten_cells
from hetad.ir import nodes as ir
from hetad.pipeline import normalized, reach
from tests.unit.test_written import KERNELS as WRITTEN

SIZE = 600
BLANK = 60.0
THREAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
PLANE = f"{THREAD} int j = blockIdx.y * blockDim.y + threadIdx.y;"
LAUNCHES = [((3, 1), (32, 1)), ((2, 3), (16, 4)), ((1, 1), (1, 1)), ((7, 5), (3, 3))]
Setting = dict[str, int]

# The body, its parameters, their values; of the first ones it has to be known in the launch of 3 * 32 threads.
WHOLE: dict[str, tuple[str, str, list[Setting]]] = {
    "threads": (f"{THREAD} if (i < n) u[i] = 1;", "int n", [{"n": 70}, {"n": 96}]),
    "unguarded": (f"{THREAD} u[i] = 1;", "int n", [{"n": 1}]),
    "unsigned": (
        "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) u[i] = 1;",
        "size_t n", [{"n": 9}],
    ),
    "several rows": (f"{THREAD} if (i < n) for (int q = 0; q < 5; q++) u[q * n + i] = q;", "int n", [{"n": 33}]),
    "unrolled rows": (f"{THREAD} if (i < n) {{ u[i] = 1; u[i + n] = 2; u[2 * n + i] = 3; }}", "int n", [{"n": 33}]),
    "components": (f"{THREAD} if (i < n) for (int c = 0; c < 3; c++) u[3 * i + c] = c;", "int n", [{"n": 33}]),
    "both halves of pairs": (f"{THREAD} if (i < n) {{ u[2 * i] = 1; u[2 * i + 1] = 2; }}", "int n", [{"n": 33}]),
    "lattice": (
        f"{THREAD} int cells = nx * ny * nz; if (i < cells) {{ int x = i % nx, y = i / nx % ny, z = i / (nx * ny);"
        " for (int q = 0; q < 4; q++) u[q * cells + (z * ny + y) * nx + x] = q; }",
        "int nx, int ny, int nz",
        [{"nx": 5, "ny": 4, "nz": 3}, {"nx": 7, "ny": 1, "nz": 2}],
    ),
    "lattice by cell": (
        f"{THREAD} int cells = nx * ny; if (i < cells) {{ int x = i % nx; int y = i / nx; if (x + y >= 0)"
        " for (int q = 0; q < 4; q++) u[q * cells + i] = x + y; }",
        "int nx, int ny",
        [],
    ),
    "boundary apart": (
        f"{THREAD} if (i < n) {{ if (i == 0 || i == n - 1) u[i] = 0; else u[i] = 1; }}", "int n", [{"n": 70}, {"n": 1}],
    ),
    "boundaries one by one": (
        f"{THREAD} if (i < n) {{ if (i == 0) u[i] = 0; else if (i == n - 1) u[i] = 2; else u[i] = 1; }}",
        "int n",
        [{"n": 70}, {"n": 2}],
    ),
    "flags": (f"{THREAD} if (i < n) {{ if (c[i]) u[i] = 0; else u[i] = 1; }}", "int n, int *c", [{"n": 70}]),
    "flags around loops": (
        f"{THREAD} if (i < n) {{ if (c[i] == 1) {{ for (int q = 0; q < 3; q++) u[q * n + i] = 0; }}"
        " else { for (int k = 2; k >= 0; k--) u[k * n + i] = 1; } }",
        "int n, int *c",
        [{"n": 40}],
    ),
    "flag and bound": (
        f"{THREAD} if (i < n) {{ if (c[i] == 1) u[i] = 0; else if (i > 3) u[i] = 1; else u[i] = 2; }}",
        "int n, int *c",
        [{"n": 40}],
    ),
    "grid stride": ("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) u[i] = 1;",
                    "int n", [{"n": 500}]),
    "a row of each block": (
        "if (blockIdx.x < m) for (int k = threadIdx.x; k < n; k += blockDim.x) u[blockIdx.x * n + k] = 1;",
        "int n, int m",
        [{"n": 50, "m": 3}],
    ),
    "a thread in a row": ("if (threadIdx.x < n) u[blockIdx.x * n + threadIdx.x] = 1;", "int n", [{"n": 20}]),
    "a cell of each block": ("if (threadIdx.x == 0) u[blockIdx.x] = 1;", "int n", [{"n": 1}]),
    "a row of a history": (f"{THREAD} if (i < n) u[t * n + i] = 1;", "int n, int t", [{"n": 37, "t": 3}]),
    "columns in a loop": (
        f"{THREAD} if (i < nx) for (int z = 0; z < nz; z++) u[z * nx + i] = 1;",
        "int nx, int nz", [{"nx": 37, "nz": 3}],
    ),
    "downwards": (f"{THREAD} if (i < n) u[n - 1 - i] = 1;", "int n", [{"n": 37}]),
}  # fmt: skip
PLANES: dict[str, tuple[str, str, list[Setting]]] = {  # the same in the launch of (2, 3) * (16, 4) threads
    "plane": (f"{PLANE} if (i < nx && j < ny) u[j * nx + i] = 1;", "int nx, int ny", [{"nx": 31, "ny": 12}]),
    "frame and interior": (
        f"{PLANE} if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) u[j * nx + i] = 1;"
        " else if (i < nx && j < ny) u[j * nx + i] = 2;",
        "int nx, int ny",
        [{"nx": 31, "ny": 12}],
    ),
    "columns": (
        f"{PLANE} if (i >= nx || j >= ny) return; for (int z = 0; z < nz; z++) u[(z * ny + j) * nx + i] = 1;",
        "int nx, int ny, int nz",
        [{"nx": 15, "ny": 7, "nz": 3}],
    ),
}
# Some cell stays as it was in some launch, whatever the conditions.
HOLES: dict[str, tuple[str, str, list[Setting]]] = {
    "every other": (f"{THREAD} if (2 * i < n) u[2 * i] = 1;", "int n", [{"n": 60}]),
    "rounded": (f"{THREAD} if (i < n) u[i / 2 * 2] = 1;", "int n", [{"n": 60}]),
    "not the first but the last": (
        f"{THREAD} if (i < n) {{ if (i > 0) u[i] = 1; if (i < 0) u[0] = 1; }}",
        "int n", [{"n": 60}],
    ),
    "all but one": (f"{THREAD} if (i < n && i != 30) u[i] = 1;", "int n", [{"n": 60}]),
    "the last one missing": (
        f"{THREAD} if (i < n) {{ if (i < n - 1) u[i] = 1; if (i > n) u[n - 1] = 1; }}",
        "int n", [{"n": 60}],
    ),
    "a block missing": ("if (blockIdx.x != 1) u[blockIdx.x * blockDim.x + threadIdx.x] = 1;", "int n", [{"n": 60}]),
    "a row missing": (f"{THREAD} if (i < n) {{ u[i] = 1; u[i + 2 * n] = 2; }}", "int n", [{"n": 33}]),
    "a row missing in a loop": (
        f"{THREAD} if (i < n) for (int q = 0; q < 6; q += 2) u[q * n + i] = 1;",
        "int n", [{"n": 33}],
    ),
    "a component missing": (f"{THREAD} if (i < n) {{ u[3 * i] = 1; u[3 * i + 2] = 1; }}", "int n", [{"n": 33}]),
    "flags": (f"{THREAD} if (i < n && c[i]) u[i] = 1;", "int n, int *c", [{"n": 60}]),
    "one branch": (
        f"{THREAD} if (i < n) {{ if (c[i]) u[i] = 0; else if (i > 3) u[i] = 1; }}",
        "int n, int *c", [{"n": 60}],
    ),
    "branches of different length": (
        f"{THREAD} if (i < n) {{ if (c[i]) {{ for (int q = 0; q < 3; q++) u[q * n + i] = 0; }}"
        " else { for (int q = 1; q < 3; q++) u[q * n + i] = 1; } }",
        "int n, int *c",
        [{"n": 40}],
    ),
    "branches of other threads": (
        f"{THREAD} if (i < n) {{ if (c[i]) u[i] = 0; else u[n - 1 - i] = 1; }}", "int n, int *c", [{"n": 60}],
    ),
    "lanes of a loop": (
        "if (c[threadIdx.x]) { for (int q = threadIdx.x; q < n; q += blockDim.x) u[q] = 0; }",
        "int n, int *c", [{"n": 60}],
    ),
    "lanes that differ": (
        "if (c[threadIdx.x]) { for (int q = threadIdx.x; q < n; q += blockDim.x) u[q] = 0; }"
        " else { for (int q = threadIdx.x; q < n - 1; q += blockDim.x) u[q + 1] = 0; }",
        "int n, int *c",
        [{"n": 60}],
    ),
    "few lanes": (
        "if (threadIdx.x > 3) for (int q = threadIdx.x; q < n; q += blockDim.x) u[q] = 0;",
        "int n", [{"n": 60}],
    ),
    "few lanes, in a row": (
        "if (threadIdx.x < n && threadIdx.x != 2) u[blockIdx.x * n + threadIdx.x] = 1;", "int n", [{"n": 30}],
    ),
    "the interior": (f"{PLANE} if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) u[j * nx + i] = 1;",
                     "int nx, int ny", [{"nx": 12, "ny": 7}]),
    "the diagonal": (f"{THREAD} if (i < n) u[i * n + i] = 1;", "int n", [{"n": 12}]),
    "the triangle": (f"{THREAD} if (i < n) for (int j = 0; j <= i; j++) u[i * n + j] = 1;", "int n", [{"n": 13}]),
    "a pitch": (f"{THREAD} if (i < n) for (int k = 0; k < 3; k++) u[k * pitch + i] = 1;", "int n, int pitch",
                [{"n": 9, "pitch": 11}]),
    "a sum": (f"{THREAD} if (i < n) u[i] += 0;", "int n", [{"n": 60}]),
    "sizes of either sign": (
        f"{THREAD} if (i < nx * ny) {{ int x = i % nx; int y = i / nx; if (y < ny) u[y * nx + x] = 1; }}",
        "int nx, int ny",
        [{"nx": -5, "ny": -4}, {"nx": 12, "ny": 7}],
    ),
    "a changed guard": (f"{THREAD} int last = n; if (i == 5) last = 0; if (i < last) u[i] = 1;", "int n", [{"n": 60}]),
    "a loop left early": (
        f"{THREAD} if (i == 0) for (int k = 0; k < n; k++) {{ if (c[k]) break; u[k] = 1; }}",
        "int n, int *c", [{"n": 60}],
    ),
    "a search": (
        f"{THREAD} int k = i; while (k < n && c[k]) k++; if (i < n) u[k < n ? k : i] = 1;",
        "int n, int *c", [{"n": 60}],
    ),
}  # fmt: skip
INTERIORS: dict[str, tuple[str, str, list[Setting]]] = {  # likewise, with gaps between the rows
    "a frame of one cell": (
        f"{PLANE} if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) u[j * nx + i] = 1;",
        "int nx, int ny",
        [{"nx": 31, "ny": 12}, {"nx": 3, "ny": 3}, {"nx": 2, "ny": 5}, {"nx": 1, "ny": 1}],
    ),
    "wider at the end": (
        f"{PLANE} if (i > 0 && j >= 2 && i < nx - 3 && j < ny) u[j * nx + i] = 1;",
        "int nx, int ny",
        [{"nx": 31, "ny": 12}, {"nx": 5, "ny": 3}],
    ),
    "a pitch": (
        f"{PLANE} if (i < w && j < h) u[j * pitch + i] = 1;",
        "int w, int h, int pitch",
        [{"w": 20, "h": 9, "pitch": 25}, {"w": 20, "h": 9, "pitch": 20}, {"w": 21, "h": 9, "pitch": 20}],
    ),
    "a box in space": (
        f"{PLANE} if (i >= 2 && i < nx - 2 && j >= 1 && j < ny - 1) for (int k = 1; k < nz - 1; k++)"
        " u[(k * ny + j) * nx + i] = 1;",
        "int nx, int ny, int nz",
        [{"nx": 9, "ny": 8, "nz": 7}, {"nx": 5, "ny": 3, "nz": 3}],
    ),
    "planes whole along one axis": (
        f"{PLANE} if (i < nx && j >= 1 && j < ny - 1) for (int k = 0; k < nz; k++) u[(k * ny + j) * nx + i] = 1;",
        "int nx, int ny, int nz",
        [{"nx": 9, "ny": 8, "nz": 7}],
    ),
}  # fmt: skip
UNKNOWN: dict[str, tuple[str, str, list[Setting]]] = {  # so far
    "a halo": (
        f"{PLANE} if (i < nx && j < ny) u[(j + 2) * (nx + 4) + i + 2] = 1;",
        "int nx, int ny",
        [{"nx": 20, "ny": 9}, {"nx": 1, "ny": 1}],
    ),
    "one axis of blocks": (
        f"{THREAD} int x = i % nx, y = i / nx; if (i < nx * ny) if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)"
        " u[i] = 1;",
        "int nx, int ny",
        [{"nx": 6, "ny": 5}],
    ),
}  # fmt: skip
OTHERS = {f"written: {n}": (body, params, given) for n, (body, params, given, _) in WRITTEN.items() if given}
ALL = {
    **WHOLE,
    **{f"plane: {n}": k for n, k in PLANES.items()},
    **{f"interior: {n}": k for n, k in INTERIORS.items()},
    **{f"unknown: {n}": k for n, k in UNKNOWN.items()},
    **{f"hole: {n}": k for n, k in HOLES.items()},
    **OTHERS,
}


def _cells(body: str, params: str) -> tuple[hetad.Function, Overwritten | None]:
    program = hetad.loads(f"__global__ void k(double *u, {params}) {{ {body} }}")
    return program["k"], overwritten_cells(normalized(reach(program.unit, "k")).functions["k"]).get(0)


def _value(p: Polynomial, cells: Overwritten, given: Setting, launch: tuple[tuple[int, int], tuple[int, int]]) -> int:
    grid, block = ((*extent, 1) for extent in launch)

    def atom(e: ir.Expr) -> int:
        match e:
            case ir.Const():
                return int(e.value)
            case ir.Var(symbol=symbol) if symbol in cells.threads:
                at = "xyz".index(cells.threads[symbol])
                return grid[at] * block[at]
            case ir.Var():
                return given[e.symbol.name]
            case ir.ThreadIndex():
                return (grid if e.name == "gridDim" else block)["xyz".index(e.axis)]
            case ir.Cast():
                return atom(e.operand)
            case ir.Binary(op="/"):
                return int(atom(e.left) / atom(e.right))
        raise AssertionError(e)

    return sum(int(c * np.prod([atom(a) for a in m], dtype=int)) for m, c in p.terms.items())


def _known(
    cells: Overwritten | None, given: Setting, launch: tuple[tuple[int, int], tuple[int, int]]
) -> np.ndarray | None:
    """The cells that are said to be overwritten."""
    if cells is None or any(_value(c, cells, given, launch) < 0 for c in cells.conditions):
        return None
    first, last = (_value(p, cells, given, launch) for p in (cells.first, cells.last))
    found = np.arange(first, last + 1)
    for gap in cells.gaps:
        run, pitch = (_value(p, cells, given, launch) for p in (gap.run, gap.pitch))
        assert 0 < run <= pitch
        found = found[(found - first) % pitch < run]
    return found


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("launch", LAUNCHES)
def test_no_cell_stays(name: str, launch: tuple[tuple[int, int], tuple[int, int]]) -> None:
    body, params, settings = ALL[name]
    kernel, cells = _cells(body, params)
    flags = np.random.default_rng(3).integers(0, 2, SIZE).astype(np.int32)
    for given in settings:
        u = np.full(SIZE, BLANK)
        more = {"c": flags} if "int *c" in params else {}
        kernel(u, **given, **more, grid=launch[0], block=launch[1], backend="cpu")
        changed = np.flatnonzero(u != BLANK)
        found = _known(cells, given, launch)
        if found is not None and found.size:
            np.testing.assert_array_equal(changed, found)


@pytest.mark.parametrize("name", [n for n in WHOLE if WHOLE[n][2]])
def test_what_is_known(name: str) -> None:
    body, params, settings = WHOLE[name]
    cells = _cells(body, params)[1]
    found = _known(cells, settings[0], LAUNCHES[0])
    assert cells is not None and not cells.gaps
    assert found is not None and found.size


@pytest.mark.parametrize("name", PLANES)
def test_what_is_known_of_planes(name: str) -> None:
    body, params, settings = PLANES[name]
    cells = _cells(body, params)[1]
    found = _known(cells, settings[0], LAUNCHES[1])
    assert cells is not None and not cells.gaps
    assert found is not None and found.size


@pytest.mark.parametrize("name", INTERIORS)
def test_what_is_known_of_interiors(name: str) -> None:
    body, params, settings = INTERIORS[name]
    cells = _cells(body, params)[1]
    found = _known(cells, settings[0], LAUNCHES[1])
    assert cells is not None and cells.gaps
    assert found is not None and found.size


@pytest.mark.parametrize("name", HOLES)
def test_holes_are_seen(name: str) -> None:
    """Not only by luck: in launches where the kernel leaves holes, and others, nothing is said."""
    body, params, settings = HOLES[name]
    cells = _cells(body, params)[1]
    assert _known(cells, settings[-1], LAUNCHES[0]) is None or name in ("sizes of either sign", "a pitch")


STRUCTS = """
typedef struct { double x, y; } Point;
typedef struct { Point at; int id; } Body;
__global__ void fields(Body *u, int n) {
    int i = threadIdx.x;
    if (i < n) { u[i].at.x = 1; u[i].id = 3; u[i].at.y = 2; }
}
__global__ void nested(Body *u, int n) {
    int i = threadIdx.x;
    if (i < n) { Point p = {1, 2}; u[i].at = p; u[i].id = 3; }
}
__global__ void missing(Body *u, int n) {
    int i = threadIdx.x;
    if (i < n) { u[i].at.x = 1; u[i].id = 3; }
}
__global__ void shifted(Body *u, int n) {
    int i = threadIdx.x;
    if (i < n) { u[i].at.x = 1; u[i].id = 3; u[i + 1].at.y = 2; }
}
"""


@pytest.mark.parametrize(
    ("name", "known"), [("fields", True), ("nested", True), ("missing", False), ("shifted", False)]
)
def test_all_fields_of_structs(name: str, known: bool) -> None:
    kernel = normalized(reach(hetad.loads(STRUCTS).unit, name)).functions[name]
    assert (0 in overwritten_cells(kernel)) == known
