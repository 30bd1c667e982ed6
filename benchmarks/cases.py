"""The kernels: sizes, inputs, what is differentiated, and the hand-written adjoints as lists of launches.

A case names its values once; every launch (primal, hand-written, the C version) picks from those names, where `adj_x`
is the adjoint of x.  Arrays are made with NumPy; the GPU runner copies them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from common import KERNELS, SAMPLES

Size = Literal["gpu", "cpu", "tiny"]
Dims = tuple[int, ...]


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel; `args` are names of values, of adjoints, or plain numbers."""

    kernel: str
    grid: Dims
    block: Dims
    args: tuple[str | int, ...]


@dataclass(frozen=True)
class Hand:
    """A hand-written adjoint in CUDA.  `style` is "primal" if it keeps to the primal's level of tuning."""

    name: str
    file: str
    launches: tuple[Launch, ...]
    style: Literal["primal", "tuned"] = "primal"
    defines: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One kernel at one size."""

    name: str
    title: str
    source: Path
    function: str
    params: tuple[str, ...]
    wrt: tuple[str, ...]
    of: tuple[str, ...]
    values: dict[str, Any]
    grid: Dims
    block: Dims
    hands: tuple[Hand, ...]
    c_file: str
    c_function: str
    c_args: tuple[str | int, ...]
    needs: tuple[str, ...]  # primal arrays that the pullback has to read
    limit: float  # the ratio to the best hand-written adjoint that must be reached
    defines: Mapping[str, int] = field(default_factory=dict)
    tolerance: float = 1e-3  # of the maximum error relative to the largest gradient

    @property
    def adjoints(self) -> tuple[str, ...]:
        """In the order of hetad's `execute`."""
        return tuple(dict.fromkeys((*self.of, *self.wrt)))

    @property
    def pullback_bytes(self) -> int:
        """The fewest bytes the pullback moves: what it needs and the seeds once in, the adjoints in and out."""
        size = {name: np.asarray(value).nbytes for name, value in self.values.items()}
        fresh = [name for name in self.wrt if name not in self.of]
        return sum(size[n] for n in (*self.needs, *self.of)) + 2 * sum(size[n] for n in fresh)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return rng.standard_normal(shape, dtype=np.float32)


def _uniform(rng: np.random.Generator, low: float, high: float, *shape: int) -> np.ndarray[Any, Any]:
    return (rng.random(shape, dtype=np.float32) * np.float32(high - low) + np.float32(low)).astype(np.float32)


def _single(value: float) -> float:
    """A scalar that is the same number in single and in double precision."""
    return float(np.float32(value))


def _gemm(rows: int, cols: int, inner: int, split_a: int, split_b: int) -> Hand:
    """adj_A (rows x inner) += adj_C B^T and adj_B (inner x cols) += A^T adj_C as tuned matrix products."""
    grid_a = (_ceil(inner, 64), _ceil(rows, 64), split_a)
    grid_b = (_ceil(cols, 64), _ceil(inner, 64), split_b)
    launches = (
        Launch("gemm_nt", grid_a, (256,), ("adj_A", "adj_C", "B", rows, inner, cols)),
        Launch("gemm_tn", grid_b, (256,), ("adj_B", "A", "adj_C", inner, cols, rows)),
    )
    return Hand("register-tiled products", "gemm_adjoint.cu", launches, "tuned")


def contraction(size: Size) -> Case:
    pq, k, rs = {"gpu": (4096, 64, 4096), "cpu": (512, 64, 512), "tiny": (33, 10, 47)}[size]
    rng = _rng()
    values = {
        "C": np.zeros((pq, rs), np.float32), "A": _normal(rng, pq, k), "B": _normal(rng, k, rs),
        "pq": pq, "K": k, "rs": rs,
    }  # fmt: skip
    gather = Hand(
        "two gather kernels", "contraction_adjoint.cu",
        (
            Launch("contract_pullback_A", (_ceil(pq * k * 32, 256),), (256,), ("adj_C", "B", "adj_A", "pq", "K", "rs")),
            Launch("contract_pullback_B", (_ceil(k * rs, 256),), (256,), ("adj_C", "A", "adj_B", "pq", "K", "rs")),
        ),
    )  # fmt: skip
    return Case(
        "contraction", f"tensor contraction {pq}×{k}×{rs}", KERNELS / "contraction.cu", "contract",
        ("C", "A", "B", "pq", "K", "rs"), ("A", "B"), ("C",), values, (_ceil(pq * rs, 256),), (256,),
        (gather, _gemm(pq, rs, k, 16, 8)),
        "contraction_adjoint.c", "contract_pullback", ("A", "B", "pq", "K", "rs", "adj_C", "adj_A", "adj_B"),
        ("A", "B"), 1.3,
    )  # fmt: skip


def contraction_3d(size: Size) -> Case:
    d1, d2, d3, d4, d5 = {"gpu": (64, 64, 64, 64, 64), "cpu": (16, 16, 32, 16, 16), "tiny": (3, 5, 6, 4, 7)}[size]
    rng = _rng()
    values = {
        "C": np.zeros((d1, d2, d4, d5), np.float32), "A": _normal(rng, d1, d2, d3), "B": _normal(rng, d3, d4, d5),
        "dimA": np.array([d1, d2, d3], np.uint64), "dimB": np.array([d3, d4, d5], np.uint64),
        "contractDimA": 2, "contractDimB": 0, "pq": d1 * d2, "K": d3, "rs": d4 * d5,
    }  # fmt: skip
    dims = ("dimA", "dimB", "contractDimA", "contractDimB")
    gather = Hand(
        "two gather kernels", "contraction_3d_adjoint.cu",
        (
            Launch("contraction_pullback_A", (_ceil(d1 * d2 * d3 * 32, 256),), (256,), ("adj_C", "B", "adj_A", *dims)),
            Launch("contraction_pullback_B", (_ceil(d3 * d4 * d5, 256),), (256,), ("adj_C", "A", "adj_B", *dims)),
        ),
    )  # fmt: skip
    return Case(
        "contraction_3d", f"samples/tensor_contraction.cu {d1}·{d2}×{d3}×{d4}·{d5}", SAMPLES / "tensor_contraction.cu",
        "tensorContraction3D", ("C", "A", "B", *dims), ("A", "B"), ("C",), values,
        (_ceil(d1 * d2 * d4 * d5, 256),), (256,), (gather, _gemm(d1 * d2, d4 * d5, d3, 16, 8)),
        "contraction_adjoint.c", "contract_pullback", ("A", "B", "pq", "K", "rs", "adj_C", "adj_A", "adj_B"),
        ("A", "B"), 2.0,
    )  # fmt: skip


def heat2d(size: Size) -> Case:
    nx, ny = {"gpu": (8192, 8192), "cpu": (1024, 1024), "tiny": (45, 37)}[size]
    rng = _rng()
    values = {"out": np.zeros((ny, nx), np.float32), "in": _normal(rng, ny, nx), "nx": nx, "ny": ny, "c": _single(0.2)}
    grid, block = (_ceil(nx, 32), _ceil(ny, 8)), (32, 8)
    hand = Hand(
        "gather", "heat2d_adjoint.cu", (Launch("heat2d_pullback", grid, block, ("adj_out", "adj_in", "nx", "ny", "c")),)
    )
    return Case(
        "heat2d", f"heat, 5 points, {nx}×{ny}", KERNELS / "heat2d.cu", "heat2d", ("out", "in", "nx", "ny", "c"),
        ("in",), ("out",), values, grid, block, (hand,),
        "heat2d_adjoint.c", "heat2d_pullback", ("nx", "ny", "c", "adj_out", "adj_in"), (), 1.15,
    )  # fmt: skip


def heat3d(size: Size) -> Case:
    n = {"gpu": 384, "cpu": 96, "tiny": 19}[size]
    rng = _rng()
    weights = np.array([-2.85, 1.6, -0.2, 0.0254, -0.0018], np.float32)
    values = {
        "out": np.zeros((n, n, n), np.float32), "in": _normal(rng, n, n, n), "c": weights,
        "nx": n, "ny": n, "nz": n, "chunk": {"gpu": 96, "cpu": 32, "tiny": 7}[size],
    }  # fmt: skip
    extents = ("nx", "ny", "nz")
    grid, block = (_ceil(n, 32), _ceil(n, 8), n), (32, 8, 1)
    march = Launch(
        "heat3d_pullback", (_ceil(n, 32), _ceil(n, 8), _ceil(n, values["chunk"])), (32, 8),
        ("adj_out", "adj_in", "c", *extents, "chunk"),
    )  # fmt: skip
    plain = Launch("heat3d_pullback_plain", grid, block, ("adj_out", "adj_in", "c", *extents))
    return Case(
        "heat3d", f"heat, 25 points, {n}³", KERNELS / "heat3d.cu", "heat3d", ("out", "in", "c", *extents),
        ("in",), ("out",), values, grid, block,
        (Hand("gather", "heat3d_adjoint.cu", (plain,)), Hand("gather, marching in z", "heat3d_adjoint.cu", (march,))),
        "heat3d_adjoint.c", "heat3d_pullback", ("c", *extents, "adj_out", "adj_in"), (), 1.3,
    )  # fmt: skip


def nbody(size: Size) -> Case:
    n = {"gpu": 16384, "cpu": 1024, "tiny": 75}[size]
    rng = _rng()
    values: dict[str, Any] = {name: np.zeros(n, np.float32) for name in ("ax", "ay", "az")}
    values |= {name: _normal(rng, n) for name in "xyz"}
    values |= {"m": _uniform(rng, 0.5, 1.5, n), "n": n, "softening": _single(0.05)}
    inputs = ("x", "y", "z", "m", "n", "softening")
    adjoints = ("adj_ax", "adj_ay", "adj_az", "adj_x", "adj_y", "adj_z")
    hand = Hand(
        "gather over pairs", "nbody_adjoint.cu",
        (Launch("nbody_pullback", (_ceil(n, 256),), (256,), (*inputs, *adjoints)),
    ))  # fmt: skip
    return Case(
        "nbody", f"n-body, all pairs, {n}", KERNELS / "nbody.cu", "nbody", ("ax", "ay", "az", *inputs),
        ("x", "y", "z"), ("ax", "ay", "az"), values, (_ceil(n, 256),), (256,), (hand,),
        "nbody_adjoint.c", "nbody_pullback", (*inputs, *adjoints), ("x", "y", "z", "m"), 2.0,
    )  # fmt: skip


def axpy(size: Size) -> Case:
    n = {"gpu": 2**24, "cpu": 2**20, "tiny": 1000}[size]
    rng = _rng()
    values = {"y": _normal(rng, n), "x": _normal(rng, n), "a": _single(1.5), "n": n}
    blocks = {"gpu": 132 * 8, "cpu": 64, "tiny": 2}[size]
    args = ("x", "a", "n", "adj_y", "adj_x", "adj_a")
    hand = Hand("block reduction", "axpy_adjoint.cu", (Launch("axpy_pullback", (blocks,), (256,), args),))
    return Case(
        "axpy", f"y += a·x, scalar a, {_power(n)}", KERNELS / "axpy.cu", "axpy", ("y", "x", "a", "n"), ("a", "x", "y"),
        ("y",), values, (_ceil(n, 256),), (256,), (hand,), "axpy_adjoint.c", "axpy_pullback", args, ("x",), 1.15,
    )  # fmt: skip


def sum_squares(size: Size) -> Case:
    n = {"gpu": 2**26, "cpu": 2**20, "tiny": 1000}[size]
    values = {"out": np.zeros(1, np.float32), "v": _normal(_rng(), n), "n": n}
    args = ("v", "n", "adj_out", "adj_v")
    hand = Hand(
        "one seed for all", "sum_squares_adjoint.cu", (Launch("sum_squares_pullback", (_ceil(n, 256),), (256,), args),)
    )
    return Case(
        "sum_squares", f"Σ v², {_power(n)}", KERNELS / "sum_squares.cu", "sum_squares", ("out", "v", "n"), ("v",),
        ("out",), values, (_ceil(n, 256),), (256,), (hand,), "sum_squares_adjoint.c", "sum_squares_pullback", args,
        ("v",), 1.15,
    )  # fmt: skip


def sum_strided(size: Size) -> Case:
    n = {"gpu": 2**26, "cpu": 2**20, "tiny": 1000}[size]
    few = (1056,) if size == "gpu" else (3,)
    values = {"out": np.zeros(1, np.float32), "v": _normal(_rng(), n), "n": n}
    args = ("v", "n", "adj_out", "adj_v")
    hands = tuple(
        Hand(name, "sum_strided_adjoint.cu", (Launch("sum_strided_pullback", grid, (256,), args),))
        for name, grid in (("the primal's threads", few), ("a thread each", (_ceil(n, 256),)))
    )
    return Case(
        "sum_strided", f"Σ v² in strides, {_power(n)}", KERNELS / "sum_strided.cu", "sum_strided", ("out", "v", "n"),
        ("v",), ("out",), values, few, (256,), hands, "sum_strided_adjoint.c", "sum_strided_pullback", args, ("v",),
        1.15,
    )  # fmt: skip


def black_scholes(size: Size) -> Case:
    n = {"gpu": 2**24, "cpu": 2**18, "tiny": 1000}[size]
    rng = _rng()
    values = {
        "call": np.zeros(n, np.float32), "spot": _uniform(rng, 20, 100, n), "strike": _uniform(rng, 20, 100, n),
        "years": _uniform(rng, 0.25, 5, n), "rate": _single(0.03), "volatility": _single(0.3), "n": n,
    }  # fmt: skip
    inputs = ("spot", "strike", "years", "rate", "volatility", "n")
    args = (*inputs, "adj_call", "adj_spot", "adj_strike", "adj_years")
    hand = Hand(
        "the textbook's Greeks", "black_scholes_adjoint.cu",
        (Launch("black_scholes_pullback", (_ceil(n, 256),), (256,), args),),
    )  # fmt: skip
    return Case(
        "black_scholes", f"Black-Scholes call, {_power(n)}", KERNELS / "black_scholes.cu", "black_scholes",
        ("call", *inputs), ("spot", "strike", "years"), ("call",), values, (_ceil(n, 256),), (256,), (hand,),
        "black_scholes_adjoint.c", "black_scholes_pullback", args, ("spot", "strike", "years"), 1.15,
    )  # fmt: skip


def lattice(nx: int, ny: int, nz: int) -> np.ndarray[Any, Any]:
    """Populations near equilibrium at rest."""
    weights = np.array([1 / 3, *[1 / 18] * 6, *[1 / 36] * 12], np.float32)
    noise = _uniform(_rng(), 0.9, 1.1, 19, nz, ny, nx)
    return (weights[:, None, None, None] * noise).astype(np.float32)


def lbm(size: Size) -> Case:
    nx, ny, nz = {"gpu": (120, 120, 150), "cpu": (24, 24, 30), "tiny": (5, 6, 7)}[size]
    values = {
        "f_out": np.zeros((19, nz, ny, nx), np.float32), "f_in": lattice(nx, ny, nz),
        "nx": nx, "ny": ny, "nz": nz, "omega": _single(1.2),
    }  # fmt: skip
    inputs = ("f_in", "nx", "ny", "nz", "omega")
    args = (*inputs, "adj_f_out", "adj_f_in")
    cells = nx * ny * nz
    hand = Hand("exclusive scatter", "lbm_adjoint.cu", (Launch("lbm_pullback", (_ceil(cells, 128),), (128,), args),))
    return Case(
        "lbm", f"LBM D3Q19, {nx}×{ny}×{nz}", KERNELS / "lbm.cu", "lbm", ("f_out", *inputs), ("f_in",), ("f_out",),
        values, (_ceil(cells, 128),), (128,), (hand,), "lbm_adjoint.c", "lbm_pullback", args, ("f_in",), 1.3,
    )  # fmt: skip


def matmul(size: Size) -> Case:
    m, n, k = {"gpu": (2048, 2048, 2048), "cpu": (192, 192, 192), "tiny": (33, 40, 21)}[size]
    rng = _rng()
    values = {
        "C": np.zeros((m, n), np.float32), "A": _normal(rng, m, k), "B": _normal(rng, k, n), "m": m, "n": n, "k": k,
    }  # fmt: skip
    extents = ("m", "n", "k")
    tiled = Hand(
        "two products, 16×16 tiles", "matmul_adjoint.cu",
        (
            Launch("matmul_pullback_A", (_ceil(k, 16), _ceil(m, 16)), (16, 16), ("adj_C", "B", "adj_A", *extents)),
            Launch("matmul_pullback_B", (_ceil(n, 16), _ceil(k, 16)), (16, 16), ("adj_C", "A", "adj_B", *extents)),
        ),
    )  # fmt: skip
    return Case(
        "matmul", f"tiled matrix product, {m}×{n}×{k}", KERNELS / "matmul.cu", "matmul", ("C", "A", "B", *extents),
        ("A", "B"), ("C",), values, (_ceil(n, 16), _ceil(m, 16)), (16, 16), (tiled, _gemm(m, n, k, 1, 1)),
        "matmul_adjoint.c", "matmul_pullback", ("A", "B", *extents, "adj_C", "adj_A", "adj_B"), ("A", "B"), 1.3,
    )  # fmt: skip


def _pendulum(name: str, steps: int, segment: int, n: int, limit: float) -> Case:
    rng = _rng()
    values = {
        "angle_out": np.zeros(n, np.float32), "speed_out": np.zeros(n, np.float32),
        "angle": _uniform(rng, -2, 2, n), "speed": _uniform(rng, -1, 1, n),
        "dt": _single(1 / 64 if steps < 100 else 1 / 512), "n": n,
    }  # fmt: skip
    inputs = ("angle", "speed", "dt", "n")
    args = (*inputs, "adj_angle_out", "adj_speed_out", "adj_angle", "adj_speed")
    defines = {"STEPS": steps}
    hands = [
        Hand(title, "pendulum_adjoint.cu", (Launch(kernel, (_ceil(n, 256),), (256,), args),), "primal", defines | more)
        for title, kernel, more in (
            ("cosines in a local array", "pendulum_pullback_local", {}),
            (f"checkpoint every {segment}", "pendulum_pullback_checkpoints", {"SEGMENT": segment}),
        )
    ]
    return Case(
        name, f"nonlinear loop of {steps}, {_power(n)} threads", KERNELS / "pendulum.cu", "pendulum",
        ("angle_out", "speed_out", *inputs), ("angle", "speed"), ("angle_out", "speed_out"), values,
        (_ceil(n, 256),), (256,), tuple(hands), "pendulum_adjoint.c", "pendulum_pullback", args,
        ("angle", "speed"), limit, defines,
    )  # fmt: skip


def loop_64(size: Size) -> Case:
    return _pendulum("loop_64", 64, 8, {"gpu": 2**24, "cpu": 2**14, "tiny": 300}[size], 1.15)


def loop_4096(size: Size) -> Case:
    return _pendulum("loop_4096", 4096, 64, {"gpu": 2**18, "cpu": 2**8, "tiny": 40}[size], 2.0)


def xs_lookup(size: Size) -> Case:
    lookups, points = {"gpu": (2**22, 2**16), "cpu": (2**16, 2**14), "tiny": (500, 64)}[size]
    rng = _rng()
    grid = np.sort(rng.random(points)).astype(np.float32)
    grid[0], grid[-1] = 0, 1
    grid = np.maximum.accumulate(grid + np.arange(points, dtype=np.float32) * np.float32(1e-6)).astype(np.float32)
    values = {
        "out": np.zeros((lookups, 5), np.float32), "energy": _uniform(rng, 0.001, 0.999, lookups), "grid": grid,
        "xs": _uniform(rng, 0, 10, points, 5), "lookups": lookups, "points": points,
    }  # fmt: skip
    args = ("energy", "grid", "lookups", "points", "adj_out", "adj_xs")
    hands = tuple(
        Hand(title, "xs_lookup_adjoint.cu", (Launch(kernel, (_ceil(lookups, 256),), (256,), args),))
        for title, kernel in (
            ("atomics", "xs_lookup_pullback_plain"), ("atomics, neighbours in a warp", "xs_lookup_pullback_warp"),
        )
    )  # fmt: skip
    return Case(
        "xs_lookup",
        f"cross-section lookup, {_power(lookups)} of {_power(points)}", KERNELS / "xs_lookup.cu",
        "xs_lookup",
        ("out", "energy", "grid", "xs", "lookups", "points"), ("xs",), ("out",), values,
        (_ceil(lookups, 256),), (256,), hands, "xs_lookup_adjoint.c", "xs_lookup_pullback", args, ("energy", "grid"),
        2.0,
    )  # fmt: skip


def conv1d(size: Size) -> Case:
    n = {"gpu": 2**24, "cpu": 2**18, "tiny": 1000}[size]
    rng = _rng()
    values = {"out": np.zeros(n, np.float32), "in": _normal(rng, n + 30), "w": _normal(rng, 31), "n": n}
    args = ("in", "w", "n", "adj_out", "adj_in", "adj_w")
    blocks = {"gpu": 132 * 8, "cpu": 16, "tiny": 2}[size]
    hand = Hand("one sweep", "conv1d_adjoint.cu", (Launch("conv1d_pullback", (blocks,), (256,), args),))
    return Case(
        "conv1d", f"convolution, 31 taps, {_power(n)}", KERNELS / "conv1d.cu", "conv1d", ("out", "in", "w", "n"),
        ("in", "w"), ("out",), values, (_ceil(n, 256),), (256,), (hand,), "conv1d_adjoint.c", "conv1d_pullback", args,
        ("in", "w"), 1.15,
    )  # fmt: skip


def spmv(size: Size) -> Case:
    n = {"gpu": 2**20, "cpu": 2**15, "tiny": 200}[size]
    rng = _rng()
    lengths = rng.integers(8, 41, n)
    rows = np.zeros(n + 1, np.int32)
    rows[1:] = np.cumsum(lengths)
    total = int(rows[-1])
    offsets = rng.integers(-1000, 1001, total)
    columns = ((np.repeat(np.arange(n), lengths) + offsets) % n).astype(np.int32)
    values = {
        "y": np.zeros(n, np.float32), "values": _normal(rng, total), "columns": columns, "rows": rows,
        "x": _normal(rng, n), "n": n,
    }  # fmt: skip
    inputs = ("values", "columns", "rows", "x", "n")
    args = (*inputs, "adj_y", "adj_values", "adj_x")
    hands = (
        Hand("a row a thread", "spmv_adjoint.cu", (Launch("spmv_pullback_rows", (_ceil(n, 256),), (256,), args),)),
        Hand(
            "a row for 8 threads",
            "spmv_adjoint.cu",
            (Launch("spmv_pullback_lanes", (_ceil(8 * n, 256),), (256,), args),),
        ),
    )
    return Case(
        "spmv", f"CSR matrix × vector, {_power(n)} rows, {total / 1e6:.3g} M nonzeros", KERNELS / "spmv.cu", "spmv",
        ("y", *inputs), ("values", "x"), ("y",), values, (_ceil(n, 256),), (256,), hands,
        "spmv_adjoint.c", "spmv_pullback", args, ("values", "columns", "rows", "x"), 1.3,
    )  # fmt: skip


def _power(n: int) -> str:
    exponent = round(math.log2(n))
    return f"2^{exponent}" if 2**exponent == n else str(n)


CASES: dict[str, Callable[[Size], Case]] = {
    make.__name__: make
    for make in (
        axpy, sum_squares, sum_strided, black_scholes, heat2d, conv1d, loop_64, contraction, heat3d, lbm, matmul, spmv,
        nbody, xs_lookup, loop_4096, contraction_3d,
    )
}  # fmt: skip


def chosen(only: Sequence[str]) -> list[str]:
    """Names of cases; parts of names are accepted."""
    return [name for name in CASES if not only or any(part in name for part in only)]
