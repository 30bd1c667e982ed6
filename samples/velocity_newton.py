"""The plate of velocity_inversion.py, found with second derivatives: Newton's method beside L-BFGS.

    pip install hetad[samples]
    python samples/velocity_newton.py --plot newton.png

L-BFGS guesses the curvature of the misfit from the gradients that it has met.  A Newton step solves `H s = -g` with the
true one: conjugate gradients ask for products of the Hessian with vectors alone, and each is one run of `hetad.hvp`.
Source of the method: J. Nocedal, S. J. Wright, Numerical Optimization, 2006, algorithm 7.1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from velocity_inversion import COURANT, SOURCE, experiment, plate, simulated

import hetad


@dataclass
class Run:
    """One optimisation: the misfit after each iteration, and what it took."""

    name: str
    misfits: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # when each was reached
    gradients: list[int] = field(default_factory=list)  # until then
    products: list[int] = field(default_factory=list)
    found: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def first_below(self, misfit: float) -> int | None:
        """The iteration that comes below."""
        return next((i for i, m in enumerate(self.misfits) if m <= misfit), None)


class Misfit:
    """The misfit of a plate, its gradient, and products with its Hessian; counts what it is asked for."""

    def __init__(self, n: int, shots: int, backend: str | None = None) -> None:
        program = hetad.load(SOURCE)
        self.shape = n, n
        setup = experiment(n, shots)
        self.arguments = simulated(program, setup, backend), setup.sources, setup.receivers, *setup.sizes, COURANT
        self.gradient = hetad.gradient(program["misfit"], wrt="velocity", backend=backend)
        self.product = hetad.hvp(program["misfit"], wrt="velocity", backend=backend)
        self.gradients = self.products = 0

    def value_and_gradient(self, v: np.ndarray) -> tuple[float, np.ndarray]:
        self.gradients += 1
        value, found = self.gradient.value_and_grad(v.reshape(self.shape), *self.arguments)
        return value, found["velocity"].ravel()

    def times_hessian(self, v: np.ndarray, direction: np.ndarray) -> np.ndarray:
        self.products += 1
        along = {"velocity": direction.reshape(self.shape)}
        return self.product(v.reshape(self.shape), *self.arguments, tangents=along)["velocity"].ravel()

    def minimised(self, name: str, minimiser: Callable[..., OptimizeResult]) -> Run:
        """A run from the uniform plate; nothing is compiled while the clock runs."""
        guess = np.ones(self.shape).ravel()
        self.value_and_gradient(guess)
        self.times_hessian(guess, guess)
        self.gradients = self.products = 0
        run = Run(name)
        started = time.perf_counter()

        def note(intermediate_result: OptimizeResult) -> None:
            run.misfits.append(float(intermediate_result.fun))
            run.seconds.append(time.perf_counter() - started)
            run.gradients.append(self.gradients)
            run.products.append(self.products)

        note(OptimizeResult(fun=self.value_and_gradient(guess)[0]))
        run.found = minimiser(self.value_and_gradient, guess, note).x.reshape(self.shape)
        return run


def newton_step(gradient: np.ndarray, times_hessian: Callable[[np.ndarray], np.ndarray], most: int) -> np.ndarray:
    """About `-H⁻¹ g`, by conjugate gradients, until a tenth of the residual is left or a direction has no positive
    curvature."""
    step, residual = np.zeros_like(gradient), gradient.copy()
    direction, square = -residual, float(residual @ residual)
    goal = 0.1 * np.sqrt(square)
    for _ in range(most):
        curved = times_hessian(direction)
        curvature = float(direction @ curved)
        if curvature <= 0:
            return step if step.any() else direction
        length = square / curvature
        step += length * direction
        residual += length * curved
        square, before = float(residual @ residual), square
        if np.sqrt(square) <= goal:
            break
        direction = -residual + square / before * direction
    return step


def newton(
    f: Callable[[np.ndarray], tuple[float, np.ndarray]], guess: np.ndarray, iterations: int, most: int,
    times_hessian: Callable[[np.ndarray, np.ndarray], np.ndarray], callback: Callable[[OptimizeResult], None],
) -> OptimizeResult:  # fmt: skip
    """Newton's method: each step is shortened until the value falls."""
    x = guess.copy()
    value, gradient = f(x)
    for _ in range(iterations):
        step = newton_step(gradient, lambda v, x=x: times_hessian(x, v), most)
        length = 1.0
        while (tried := f(x + length * step))[0] > value + 1e-4 * length * float(gradient @ step) and length > 1e-4:
            length /= 2
        if tried[0] >= value:
            break
        x, (value, gradient) = x + length * step, tried
        callback(OptimizeResult(fun=value))
    return OptimizeResult(x=x, fun=value)


def compare(n: int = 32, shots: int = 6, iterations: int = 10, backend: str | None = None) -> list[Run]:
    """Newton's method for so many iterations, and L-BFGS with as much work: a product counts as two gradients."""
    misfit = Misfit(n, shots, backend)

    def second(f: Callable[..., tuple[float, np.ndarray]], guess: np.ndarray, callback: Callable[..., None]) -> Any:
        return newton(f, guess, iterations, 40, misfit.times_hessian, callback)

    def first(f: Callable[..., tuple[float, np.ndarray]], guess: np.ndarray, callback: Callable[..., None]) -> Any:
        settings = {"maxiter": work, "maxfun": work, "ftol": 0.0, "gtol": 0.0}
        return minimize(f, guess, jac=True, method="L-BFGS-B", callback=callback, options=settings)

    by_newton = misfit.minimised("Newton-CG", second)
    work = by_newton.gradients[-1] + 2 * by_newton.products[-1]
    return [by_newton, misfit.minimised("L-BFGS", first)]


def table(runs: list[Run], truth: np.ndarray) -> str:
    """What each needs to bring the misfit down, and how far the plate is from the truth in the end."""
    lines = [f"{'misfit':>10}  {'':12}{'iterations':>11}{'gradients':>11}{'products':>10}{'seconds':>9}"]
    start = runs[0].misfits[0]
    for digits in range(1, 9):
        reached = [(r, r.first_below(start * 10.0**-digits)) for r in runs]
        if all(i is None for _, i in reached):
            break
        for r, i in reached:
            what = f"{i:11}{r.gradients[i]:11}{r.products[i]:10}{r.seconds[i]:9.1f}" if i is not None else f"{'-':>11}"
            lines.append(f"{f'1e-{digits}' if r is runs[0] else '':>10}  {r.name:12}{what}")
    for r in runs:
        error = float(np.sqrt(np.mean((r.found - truth) ** 2)))
        lines.append(f"{r.name}: misfit {r.misfits[-1] / start:.1e} of the first, error of the plate {error:.4f}")
    return "\n".join(lines)


def plot(runs: list[Run], truth: np.ndarray, path: Path) -> None:
    """The plates, and how the misfits fell, by the cost in gradients and by time."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(18, 3.6), layout="constrained")
    for axis, (name, image) in zip(axes, [("truth", truth), *((r.name, r.found) for r in runs)], strict=False):
        shown = axis.imshow(image, vmin=0.85, vmax=1.15, cmap="RdBu")
        axis.set_title(name)
        axis.set_axis_off()
    figure.colorbar(shown, ax=axes[2], label="velocity")
    for r in runs:
        axes[3].semilogy(r.misfits, label=r.name, marker=".")
        axes[4].semilogy(r.seconds, r.misfits, label=r.name, marker=".")
    axes[3].set(xlabel="iteration", ylabel="misfit")
    axes[4].set(xlabel="seconds")
    axes[3].legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=32, help="cells along each side (32)")
    parser.add_argument("--shots", type=int, default=6, help="sources (6)")
    parser.add_argument("--iterations", type=int, default=10, help="iterations of Newton's method (10)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw plates and misfits")
    options = parser.parse_args()
    runs = compare(options.cells, options.shots, options.iterations, options.backend)
    truth = plate(options.cells)
    print(table(runs, truth))
    if options.plot:
        plot(runs, truth, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
