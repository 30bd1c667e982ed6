"""The kernels in NVIDIA Warp; timed is the launch of the adjoint kernel alone.

Warp's loops are reversed rightly where nothing that is carried from one iteration to the next is needed for it, or
where they are unrolled: the loop of 4096 steps is neither.  It gives no adjoint of a scalar parameter: `a` of axpy is
an array of one element.
"""
# float(0.0) is how a variable is declared to Warp, and A, B, C are names of matrices.
# ruff: noqa: N803, UP018

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

wp.config.quiet = True

vec19i = wp.types.vector(length=19, dtype=wp.int32)
vec19f = wp.types.vector(length=19, dtype=wp.float32)
EX = wp.constant(vec19i(0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0))
EY = wp.constant(vec19i(0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1))
EZ = wp.constant(vec19i(0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1))
WEIGHT = wp.constant(vec19f(1.0 / 3.0, *[1.0 / 18.0] * 6, *[1.0 / 36.0] * 12))


@wp.kernel(module="unique")
def axpy(x: wp.array(dtype=float), a: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(y, i, a[0] * x[i])


@wp.kernel(module="unique")
def sum_squares(v: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, v[i] * v[i])


@wp.func
def normal_cdf(x: float):
    return 0.5 * wp.erfc(-0.70710678 * x)


@wp.kernel(module="unique")
def black_scholes(
    spot: wp.array(dtype=float), strike: wp.array(dtype=float), years: wp.array(dtype=float), rate: float, sigma: float,
    call: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    spread = sigma * wp.sqrt(years[i])
    d1 = (wp.log(spot[i] / strike[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / spread
    d2 = d1 - spread
    call[i] = spot[i] * normal_cdf(d1) - strike[i] * wp.exp(-rate * years[i]) * normal_cdf(d2)


@wp.kernel(module="unique")
def heat2d(u: wp.array(dtype=float), nx: int, ny: int, c: float, out: wp.array(dtype=float)):
    j, i = wp.tid()
    if i >= 1 and j >= 1 and i < nx - 1 and j < ny - 1:
        k = j * nx + i
        out[k] = u[k] + c * (u[k - 1] + u[k + 1] + u[k - nx] + u[k + nx] - 4.0 * u[k])


@wp.kernel(module="unique")
def heat3d(u: wp.array(dtype=float), c: wp.array(dtype=float), nx: int, ny: int, nz: int, out: wp.array(dtype=float)):
    z, y, x = wp.tid()
    if x >= 4 and y >= 4 and z >= 4 and x < nx - 4 and y < ny - 4 and z < nz - 4:
        sz = nx * ny
        i = z * sz + y * nx + x
        total = c[0] * u[i]
        for r in range(1, 5):
            total += c[r] * (u[i - r] + u[i + r] + u[i - r * nx] + u[i + r * nx] + u[i - r * sz] + u[i + r * sz])
        out[i] = total


@wp.kernel(module="unique")
def contraction(A: wp.array(dtype=float), B: wp.array(dtype=float), K: int, rs: int, C: wp.array(dtype=float)):
    row, col = wp.tid()
    total = float(0.0)
    for k in range(K):
        total += A[row * K + k] * B[k * rs + col]
    C[row * rs + col] = total


@wp.kernel(module="unique")
def conv1d(u: wp.array(dtype=float), w: wp.array(dtype=float), taps: int, out: wp.array(dtype=float)):
    i = wp.tid()
    total = float(0.0)
    for j in range(taps):
        total += w[j] * u[i + j]
    out[i] = total


@wp.kernel(module="unique")
def spmv(
    values: wp.array(dtype=float), columns: wp.array(dtype=int), rows: wp.array(dtype=int), x: wp.array(dtype=float),
    y: wp.array(dtype=float),
):  # fmt: skip
    row = wp.tid()
    total = float(0.0)
    for k in range(rows[row], rows[row + 1]):
        total += values[k] * x[columns[k]]
    y[row] = total


@wp.kernel(module="unique")
def xs_lookup(
    energy: wp.array(dtype=float), grid: wp.array(dtype=float), xs: wp.array(dtype=float), out: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    e = energy[i]
    low = wp.lower_bound(grid, e) - 1
    f = (e - grid[low]) / (grid[low + 1] - grid[low])
    for c in range(5):
        out[i * 5 + c] = (1.0 - f) * xs[low * 5 + c] + f * xs[(low + 1) * 5 + c]


@wp.kernel(module="unique", module_options={"max_unroll": 64})
def loop_64(
    angle: wp.array(dtype=float), speed: wp.array(dtype=float), dt: float, angle_out: wp.array(dtype=float),
    speed_out: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    q = angle[i]
    p = speed[i]
    for _step in range(64):
        p = p - dt * wp.sin(q)
        q = q + dt * p
    angle_out[i] = q
    speed_out[i] = p


@wp.kernel(module="unique")
def nbody(
    x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float), m: wp.array(dtype=float), n: int,
    softening: float, ax: wp.array(dtype=float), ay: wp.array(dtype=float), az: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    sx = float(0.0)
    sy = float(0.0)
    sz = float(0.0)
    for j in range(n):
        dx = x[j] - x[i]
        dy = y[j] - y[i]
        dz = z[j] - z[i]
        inverse = 1.0 / wp.sqrt(dx * dx + dy * dy + dz * dz + softening)
        pull = m[j] * inverse * inverse * inverse
        sx += pull * dx
        sy += pull * dy
        sz += pull * dz
    ax[i] = sx
    ay[i] = sy
    az[i] = sz


@wp.kernel(module="unique", module_options={"max_unroll": 32})
def lbm(f_in: wp.array(dtype=float), nx: int, ny: int, nz: int, omega: float, f_out: wp.array(dtype=float)):
    cell = wp.tid()
    cells = nx * ny * nz
    x = cell % nx
    y = (cell / nx) % ny
    z = cell / (nx * ny)
    rho = float(0.0)
    jx = float(0.0)
    jy = float(0.0)
    jz = float(0.0)
    for q in range(19):
        xs = (x - EX[q] + nx) % nx
        ys = (y - EY[q] + ny) % ny
        zs = (z - EZ[q] + nz) % nz
        f = f_in[q * cells + (zs * ny + ys) * nx + xs]
        rho += f
        jx += float(EX[q]) * f
        jy += float(EY[q]) * f
        jz += float(EZ[q]) * f
    ux = jx / rho
    uy = jy / rho
    uz = jz / rho
    speed = 1.5 * (ux * ux + uy * uy + uz * uz)
    for q in range(19):
        xs = (x - EX[q] + nx) % nx
        ys = (y - EY[q] + ny) % ny
        zs = (z - EZ[q] + nz) % nz
        f = f_in[q * cells + (zs * ny + ys) * nx + xs]
        eu = float(EX[q]) * ux + float(EY[q]) * uy + float(EZ[q]) * uz
        equilibrium = WEIGHT[q] * rho * (1.0 + 3.0 * eu + 4.5 * eu * eu - speed)
        f_out[q * cells + cell] = f - omega * (f - equilibrium)


# name: kernel, the values whose product is the number of threads (or the threads themselves), inputs, outputs
KERNELS: dict[str, tuple[Any, Any, tuple[str | int, ...], tuple[str, ...]]] = {
    "axpy": (axpy, ("n",), ("x", "a"), ("y",)),
    "sum_squares": (sum_squares, ("n",), ("v",), ("out",)),
    "black_scholes": (black_scholes, ("n",), ("spot", "strike", "years", "rate", "volatility"), ("call",)),
    "heat2d": (heat2d, ("ny", "nx"), ("in", "nx", "ny", "c"), ("out",)),
    "heat3d": (heat3d, ("nz", "ny", "nx"), ("in", "c", "nx", "ny", "nz"), ("out",)),
    "contraction": (contraction, ("pq", "rs"), ("A", "B", "K", "rs"), ("C",)),
    "contraction_3d": (contraction, ("pq", "rs"), ("A", "B", "K", "rs"), ("C",)),
    "matmul": (contraction, ("m", "n"), ("A", "B", "k", "n"), ("C",)),
    "conv1d": (conv1d, ("n",), ("in", "w", 31), ("out",)),
    "spmv": (spmv, ("n",), ("values", "columns", "rows", "x"), ("y",)),
    "xs_lookup": (xs_lookup, ("lookups",), ("energy", "grid", "xs"), ("out",)),
    "loop_64": (loop_64, ("n",), ("angle", "speed", "dt"), ("angle_out", "speed_out")),
    "nbody": (nbody, ("n",), ("x", "y", "z", "m", "n", "softening"), ("ax", "ay", "az")),
    "lbm": (lbm, (), ("f_in", "nx", "ny", "nz", "omega"), ("f_out",)),
}


def version() -> str:
    return str(wp.config.version)


def backward(name: str, values: dict[str, Any], adjoints: dict[str, Any], stream: int | None) -> Any:
    """A function that launches the adjoint; it adds to `adjoints` (adj_x), CuPy arrays, or NumPy's on the CPU."""
    kernel, extents, inputs, outputs = KERNELS[name]
    device = "cpu" if isinstance(next(iter(adjoints.values())), np.ndarray) else "cuda:0"
    types = {np.dtype(np.float32): wp.float32, np.dtype(np.int32): wp.int32}

    def array(a: Any) -> Any:
        pointer = a.ctypes.data if isinstance(a, np.ndarray) else a.data.ptr
        return wp.array(ptr=pointer, dtype=types[a.dtype], shape=(a.size,), device=device)

    def argument(a: str | int) -> Any:
        value = values[a] if isinstance(a, str) else a
        if isinstance(a, str) and f"adj_{a}" in adjoints and not hasattr(value, "shape"):
            value = type(adjoints[f"adj_{a}"])((1,), np.float32)
            value[:] = values[a]
            kept.append(value)
        return array(value) if hasattr(value, "shape") else value

    def adjoint(a: str | int) -> Any:
        found = adjoints.get(f"adj_{a}")
        if found is not None:
            return array(found)
        value = values[a] if isinstance(a, str) else a
        return None if hasattr(value, "shape") else type(value)(0)

    kept: list[Any] = []
    threads = tuple(values[e] for e in extents) or values["nx"] * values["ny"] * values["nz"]
    arguments: dict[str, Any] = {
        "dim": threads, "inputs": [argument(a) for a in inputs], "outputs": [argument(a) for a in outputs],
        "adj_inputs": [adjoint(a) for a in inputs], "adj_outputs": [adjoint(a) for a in outputs],
    }  # fmt: skip
    where: dict[str, Any] = {"device": device}
    if stream is not None:
        where = {"stream": wp.Stream(device, cuda_stream=stream)}

    def run() -> None:
        wp.launch(kernel, **arguments, adjoint=True, **where)

    run.kept = kept  # type: ignore[attr-defined]
    return run
