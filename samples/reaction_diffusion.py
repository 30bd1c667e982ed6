"""A stiff system in CUDA, solved by SciPy: the sparse Jacobian of hetad beside differences.

    pip install hetad[samples]
    python samples/reaction_diffusion.py --plot brusselator.png

An implicit solver needs the Jacobian of the right-hand side, here that of brusselator.cu.  By itself SciPy takes
differences, one evaluation for each unknown, and factorises a dense matrix.  Told the pattern, which hetad finds in the
program, it takes few differences and factorises a sparse one.  hetad's own Jacobian is exact, from as many products as
the pattern has colours, four to a run.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import hetad

SOURCE = Path(__file__).with_name("brusselator.cu")
A, B, DIFFUSION = 3.4, 1.0, 0.002
WAYS = ("differences", "differences, pattern", "hetad")


class Brusselator:
    """The right-hand side and its Jacobian, as SciPy calls them."""

    def __init__(self, n: int, backend: str | None = None) -> None:
        self.n, self.backend = n, backend
        self.rates = hetad.load(SOURCE)["rates"]
        self.derivatives = hetad.jacobian(self.rates, wrt="state", of="rate", backend=backend, sparsity="detect")
        self.arguments = n, A, B, DIFFUSION

    def start(self) -> np.ndarray:
        y, x = np.mgrid[: self.n, : self.n] / self.n
        u = 22.0 * y * (1 - y) ** 1.5
        v = 27.0 * x * (1 - x) ** 1.5
        return np.concatenate([u.ravel(), v.ravel()])

    def rate(self, _: float, state: np.ndarray) -> np.ndarray:
        rate = np.empty_like(state)
        self.rates(rate, np.ascontiguousarray(state), *self.arguments, backend=self.backend)
        return rate

    def jacobian(self, _: float, state: np.ndarray) -> Any:
        return self.derivatives(np.empty_like(state), np.ascontiguousarray(state), *self.arguments)

    def pattern(self) -> Any:
        state = self.start()
        return self.derivatives.pattern(np.empty_like(state), state, *self.arguments)


@dataclass
class Solution:
    """What a way to solve the system found, and took."""

    way: str
    seconds: float
    evaluations: int
    jacobians: int
    steps: int
    end: np.ndarray


def solve(system: Brusselator, way: str, end: float, method: str = "Radau", tolerance: float = 1e-5) -> Solution:
    """Nothing is compiled while the clock runs; finding the pattern counts."""
    start = system.start()
    Brusselator(system.n, system.backend).jacobian(0.0, start)  # from the cache then
    system.rate(0.0, start)
    count = 0

    def counted(t: float, state: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return system.rate(t, state)

    started = time.perf_counter()
    given: dict[str, Any] = {}
    if way == "hetad":
        given = {"jac": system.jacobian}
    elif way == "differences, pattern":
        given = {"jac_sparsity": system.pattern()}
    found = solve_ivp(counted, (0.0, end), start, method=method, rtol=tolerance, atol=tolerance, **given)
    if not found.success:
        raise RuntimeError(found.message)
    return Solution(way, time.perf_counter() - started, count, found.njev, found.t.size - 1, found.y[:, -1])


def compare(
    sizes: tuple[int, ...], end: float = 6.0, method: str = "Radau", most: int = 600, backend: str | None = None
) -> dict[int, list[Solution]]:
    """Every way for every size; differences without a pattern for so many unknowns at most."""
    found: dict[int, list[Solution]] = {}
    for n in sizes:
        ways = WAYS if 2 * n * n <= most else WAYS[1:]
        found[n] = [solve(Brusselator(n, backend), way, end, method) for way in ways]
    return found


def table(found: dict[int, list[Solution]]) -> str:
    lines = [f"{'unknowns':>8}  {'Jacobian':22}{'seconds':>8}{'steps':>7}{'Jacobians':>11}{'evaluations':>13}"]
    for n, solutions in found.items():
        lines += [
            f"{2 * n * n if s is solutions[0] else '':>8}  {s.way:22}{s.seconds:8.2f}{s.steps:7}{s.jacobians:11}"
            f"{s.evaluations:13}"
            for s in solutions
        ]
    return "\n".join(lines)


def plot(found: dict[int, list[Solution]], pattern: Any, path: Path) -> None:
    """Both substances at the end, the pattern, and the times."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(16, 3.8), layout="constrained")
    n = max(found)
    for axis, name, image in zip(axes, ("u", "v"), found[n][-1].end.reshape(2, n, n), strict=False):
        figure.colorbar(axis.imshow(image, cmap="viridis"), ax=axis)
        axis.set_title(f"{name} at the end, {n} x {n}")
        axis.set_axis_off()
    axes[2].spy(pattern, markersize=1)
    axes[2].set_title(f"pattern: {pattern.nnz} of {pattern.shape[0]}²")
    for way in WAYS:
        points = [(2 * k * k, s.seconds) for k, solutions in found.items() for s in solutions if s.way == way]
        axes[3].loglog(*zip(*points, strict=True), "o-", label=way)
    unknowns = [2 * k * k for k in found]
    axes[3].set_xticks(unknowns, [str(u) for u in unknowns])
    axes[3].set_xticks([], minor=True)
    axes[3].set(xlabel="unknowns", ylabel="seconds")
    axes[3].legend(loc="lower right")
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[8, 16, 32], help="cells along each side (8 16 32)")
    parser.add_argument("--end", type=float, default=6.0, help="time until which it runs (6)")
    parser.add_argument("--method", choices=("Radau", "BDF"), default="Radau", help="of SciPy (Radau)")
    parser.add_argument("--most", type=int, default=600, help="unknowns for differences without a pattern (600)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the end, the pattern and the times")
    options = parser.parse_args()
    found = compare(tuple(options.cells), options.end, options.method, options.most, options.backend)
    print(table(found))
    if options.plot:
        plot(found, Brusselator(min(options.cells), options.backend).pattern(), options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
