"""The kernels in PyTorch, as its users would write them; timed is the backward pass of a retained graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Tensors = dict[str, Any]
Outputs = list[tuple[Any, Any]]  # an output and its seed


def axpy(v: Tensors, seeds: Tensors) -> Outputs:
    return [(v["y"] + v["a"] * v["x"], seeds["y"])]


def sum_squares(v: Tensors, seeds: Tensors) -> Outputs:
    return [((v["v"] * v["v"]).sum().reshape(1), seeds["out"])]


def black_scholes(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    sigma, rate, years = v["volatility"], v["rate"], v["years"]
    spread = sigma * years.sqrt()
    d1 = (torch.log(v["spot"] / v["strike"]) + (rate + 0.5 * sigma * sigma) * years) / spread
    d2 = d1 - spread

    def cdf(x: Any) -> Any:
        return 0.5 * torch.erfc(-0.70710678 * x)

    return [(v["spot"] * cdf(d1) - v["strike"] * torch.exp(-rate * years) * cdf(d2), seeds["call"])]


def heat2d(v: Tensors, seeds: Tensors) -> Outputs:
    u = v["in"]
    inner = u[1:-1, 1:-1]
    around = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]
    return [(inner + v["c"] * (around - 4 * inner), seeds["out"][1:-1, 1:-1])]


def heat3d(v: Tensors, seeds: Tensors) -> Outputs:
    u, c, n = v["in"], [float(x) for x in v["c"]], v["nx"]

    def shifted(axis: int, by: int) -> Any:
        return u[tuple(slice(4 + by * (a == axis), n - 4 + by * (a == axis)) for a in range(3))]

    total = c[0] * shifted(0, 0)
    for r in range(1, 5):
        total = total + c[r] * sum(shifted(axis, sign * r) for axis in range(3) for sign in (-1, 1))
    return [(total, seeds["out"][4:-4, 4:-4, 4:-4])]


def contraction(v: Tensors, seeds: Tensors) -> Outputs:
    return [(v["A"] @ v["B"], seeds["C"])]


matmul = contraction


def contraction_3d(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    return [(torch.tensordot(v["A"], v["B"], dims=([2], [0])), seeds["C"])]


def conv1d(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    out = torch.nn.functional.conv1d(v["in"].reshape(1, 1, -1), v["w"].reshape(1, 1, -1))
    return [(out.reshape(-1), seeds["out"])]


def spmv(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    rows = torch.repeat_interleave(torch.arange(v["n"], device=v["x"].device), torch.diff(v["rows"]).long())
    product = v["values"] * v["x"][v["columns"].long()]
    return [(torch.zeros_like(v["y"]).index_add(0, rows, product), seeds["y"])]


def xs_lookup(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    low = (torch.searchsorted(v["grid"], v["energy"], right=True) - 1).clamp(0, v["points"] - 2)
    f = ((v["energy"] - v["grid"][low]) / (v["grid"][low + 1] - v["grid"][low]))[:, None]
    return [((1 - f) * v["xs"][low] + f * v["xs"][low + 1], seeds["out"])]


def loop_64(v: Tensors, seeds: Tensors) -> Outputs:
    q, p = v["angle"], v["speed"]
    for _ in range(64):
        p = p - v["dt"] * q.sin()
        q = q + v["dt"] * p
    return [(q, seeds["angle_out"]), (p, seeds["speed_out"])]


def nbody(v: Tensors, seeds: Tensors) -> Outputs:
    dx, dy, dz = (v[a][None, :] - v[a][:, None] for a in "xyz")
    pull = v["m"][None, :] * (dx * dx + dy * dy + dz * dz + v["softening"]).rsqrt() ** 3
    return [((pull * d).sum(1), seeds[name]) for d, name in ((dx, "ax"), (dy, "ay"), (dz, "az"))]


def lbm(v: Tensors, seeds: Tensors) -> Outputs:
    import torch

    ex = [0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0]
    ey = [0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1]
    ez = [0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1]
    f = torch.stack([torch.roll(v["f_in"][q], (ez[q], ey[q], ex[q]), (0, 1, 2)) for q in range(19)])
    e = torch.tensor([ex, ey, ez], dtype=f.dtype, device=f.device)
    weight = torch.tensor([1 / 3, *[1 / 18] * 6, *[1 / 36] * 12], dtype=f.dtype, device=f.device)[:, None, None, None]
    rho = f.sum(0)
    u = torch.tensordot(e, f, 1) / rho
    eu = torch.tensordot(e.T, u, 1)
    equilibrium = weight * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (u * u).sum(0))
    return [(f - v["omega"] * (f - equilibrium), seeds["f_out"])]


KERNELS: dict[str, Callable[[Tensors, Tensors], Outputs]] = {
    f.__name__: f
    for f in (
        axpy, sum_squares, black_scholes, heat2d, heat3d, contraction, contraction_3d, conv1d, spmv, xs_lookup, loop_64,
        nbody, lbm,
    )
} | {"matmul": matmul}  # fmt: skip


def backward(name: str, values: Tensors, seeds: Tensors, wrt: tuple[str, ...]) -> Callable[[], Tensors]:
    """The forward pass, once; returns the backward pass.  Arrays are CuPy's (or NumPy's), used in place."""
    import torch

    def tensor(value: Any, name: str) -> Any:
        if isinstance(value, float) and name in wrt:
            return torch.tensor(value, dtype=torch.float32, device=device)
        if not hasattr(value, "shape") or value.dtype == np.uint64:
            return value
        return torch.as_tensor(value, device=device)

    torch.backends.cudnn.allow_tf32 = False  # single precision, as all others
    device = "cuda" if hasattr(next(iter(seeds.values())), "__cuda_array_interface__") else "cpu"
    tensors = {n: tensor(v, n) for n, v in values.items()}
    inputs = [tensors[n].detach().requires_grad_() for n in wrt]
    tensors |= dict(zip(wrt, inputs, strict=True))
    outputs, given = zip(*KERNELS[name](tensors, {n: tensor(s, "") for n, s in seeds.items()}), strict=True)

    def run() -> Tensors:
        found = torch.autograd.grad(outputs, inputs, given, retain_graph=True)
        return {f"adj_{n}": g for n, g in zip(wrt, found, strict=True)}

    return run
