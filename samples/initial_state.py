"""What did it look like before?  Data assimilation: a field is found from measurements at later times.

    pip install hetad[samples]
    python samples/initial_state.py --plot assimilation.png

A substance spreads and reacts (stencil_halo.cu).  Probes measure it now and then, with noise; the field at the start is
what weather services call the analysis, found by 4D-Var: the misfit of all measurements plus the distance from a first
guess (the background), smoothed, is made smallest.  The gradient goes back through the simulation from one time of
measurement to the one before.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize

import hetad

SOURCE = Path(__file__).with_name("stencil_halo.cu")
DIFFUSION, THRESHOLD, STEP = 0.3, 0.3, 0.2
NOISE, SPREAD, SMOOTH = 0.02, 0.3, 2.5  # of a measurement, of the guess, cells


class Assimilation:
    """The misfit of a field at the start, n x n, and its gradient."""

    def __init__(self, n: int, every: int, times: int, backend: str | None = None) -> None:
        self.n, self.steps, self.times, self.backend = n, every, times, backend
        self.evolve = hetad.load(SOURCE)["evolve"]
        self.gradient = hetad.gradient(self.evolve, wrt="u", of="u", backend=backend)
        self.probed = np.zeros((n, n), bool)
        self.probed[2::5, 2::5] = True

    def later(self, u: np.ndarray) -> np.ndarray:
        """The field one time of measurement later."""
        u = u.copy()
        self.evolve(u, DIFFUSION, THRESHOLD, STEP, self.n, self.n, self.steps, backend=self.backend)
        return u

    def run(self, u: np.ndarray) -> list[np.ndarray]:
        """The field at the start and at all times of measurement."""
        fields = [u]
        for _ in range(self.times):
            fields.append(self.later(fields[-1]))
        return fields

    def misfit(self, control: np.ndarray, guess: np.ndarray, measured: list[np.ndarray]) -> tuple[float, np.ndarray]:
        """Of a field at the start, told as white noise that is smoothed and added to the guess."""
        fields = self.run(guess + smooth(control.reshape(guess.shape)))
        value, adjoint = 0.5 * float(control @ control), np.zeros_like(guess)
        for before, field, data in zip(fields[-2::-1], fields[:0:-1], measured[::-1], strict=True):
            off = np.where(self.probed, (field - data) / NOISE, 0.0)
            value += 0.5 * float((off**2).sum())
            adjoint = adjoint + off / NOISE
            adjoint = self.gradient(
                before, DIFFUSION, THRESHOLD, STEP, self.n, self.n, self.steps, seeds={"u": adjoint}
            )["u"]
        return value, control + smooth(adjoint).ravel()


def smooth(field: np.ndarray) -> np.ndarray:
    """What makes white noise a field with the spread and the smoothness of errors of the guess; symmetric."""
    return SPREAD * 2 * np.sqrt(np.pi) * SMOOTH * gaussian_filter(field, SMOOTH, mode="wrap")


def blobs(n: int) -> np.ndarray:
    """The truth."""
    y, x = np.mgrid[:n, :n] / n
    field = np.zeros((n, n))
    for cx, cy, width in ((0.3, 0.35, 0.12), (0.65, 0.3, 0.08), (0.6, 0.7, 0.15)):
        field += np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / width**2)
    return np.minimum(field, 1.0)


@dataclass(frozen=True)
class Result:
    """Fields at the start: as it was, as guessed, as found; where the probes are; the misfit by iteration."""

    truth: np.ndarray
    guess: np.ndarray
    found: np.ndarray
    probed: np.ndarray
    misfits: list[float]
    seconds: float

    def error(self, field: np.ndarray) -> float:
        return float(np.sqrt(np.mean((field - self.truth) ** 2)))


def study(n: int = 64, every: int = 8, times: int = 4, iterations: int = 60, backend: str | None = None) -> Result:
    problem, rng = Assimilation(n, every, times, backend), np.random.default_rng(0)
    truth, guess = blobs(n), np.full((n, n), 0.2)
    measured = [field + NOISE * rng.standard_normal(field.shape) for field in problem.run(truth)[1:]]
    misfits: list[float] = []
    started = time.perf_counter()
    control = minimize(
        problem.misfit, np.zeros(n * n), (guess, measured), jac=True, method="L-BFGS-B",
        options={"maxiter": iterations}, callback=lambda intermediate_result: misfits.append(intermediate_result.fun),
    ).x  # fmt: skip
    found = guess + smooth(control.reshape(n, n))
    return Result(truth, guess, found, problem.probed, misfits, time.perf_counter() - started)


def plot(result: Result, path: Path) -> None:
    """The field as it was and as it was found, its error, and how the misfit fell."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    error = result.found - result.truth
    shown = (("the start as it was", result.truth, "viridis", 0, 1), (f"found: error {result.error(result.found):.3f}",
             result.found, "viridis", 0, 1), ("error", error, "RdBu", -0.4, 0.4))  # fmt: skip
    for axis, (title, field, colours, low, high) in zip(axes, shown, strict=False):
        figure.colorbar(axis.imshow(field, cmap=colours, vmin=low, vmax=high), ax=axis)
        axis.set_title(title)
        axis.set_axis_off()
    axes[0].plot(*np.nonzero(result.probed)[::-1], "w.", markersize=2)
    axes[3].semilogy(result.misfits)
    axes[3].set(xlabel="iteration", ylabel="misfit")
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=64, help="cells along each side (64)")
    parser.add_argument("--iterations", type=int, default=60, help="iterations of L-BFGS-B (60)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw truth and analysis")
    options = parser.parse_args()
    result = study(options.cells, iterations=options.iterations, backend=options.backend)
    print(f"misfit {result.misfits[0]:.4g} -> {result.misfits[-1]:.4g} in {len(result.misfits)} iterations")
    print(f"error of the start {result.error(result.guess):.3f} -> {result.error(result.found):.3f}")
    print(f"{result.seconds:.1f} s")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
