"""How well are fitted parameters known?  Error bars from the Gauss-Newton Hessian of a CUDA simulation.

    pip install hetad[samples]
    python samples/parameter_uncertainty.py --plot uncertainty.png

Three parameters of a rod (cooling_rod.cu) are fitted to noisy readings of thermometers.  One run along three directions
gives the Jacobian J of all readings, and `σ² (Jᵀ J)⁻¹` is the covariance of the parameters: Jᵀ J is the Hessian of the
misfit without second derivatives.  That it is right shows when the experiment is done again and again, with new noise.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import hetad

SOURCE = Path(__file__).with_name("cooling_rod.cu")
NAMES = ("conductivity", "loss", "heating")
TRUTH = np.array([0.31, 0.004, 0.06])
GUESS = np.array([0.2, 0.01, 0.03])


class Rod:
    """The readings for given parameters, and their Jacobian."""

    def __init__(self, n: int = 40, times: int = 12, steps: int = 40, backend: str | None = None) -> None:
        self.program = hetad.load(SOURCE)["measure"]
        self.derivatives = hetad.jacobian(self.program, wrt=NAMES, of="readings", backend=backend, directions=3)
        self.backend = backend
        self.thermometers = np.arange(2, n, n // 6, dtype=np.int32)
        self.shape = times, len(self.thermometers)
        self.sizes = n, len(self.thermometers), times, steps

    def readings(self, parameters: np.ndarray) -> np.ndarray:
        found = np.zeros(self.shape)
        self.program(found, self.thermometers, *self.sizes, *map(float, parameters), backend=self.backend)
        return found.ravel()

    def jacobian(self, parameters: np.ndarray) -> np.ndarray:
        """A row for each reading, a column for each parameter."""
        blocks = self.derivatives(np.zeros(self.shape), self.thermometers, *self.sizes, *map(float, parameters))
        return np.stack([blocks["readings"][name].ravel() for name in NAMES], axis=1)

    def fit(self, observed: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """The parameters whose readings come nearest to the observed ones."""
        scale = np.abs(guess)  # of the parameters, which differ a hundredfold

        def misfit(p: np.ndarray) -> np.ndarray:
            return self.readings(p) - observed

        return least_squares(misfit, guess, self.jacobian, x_scale=scale, xtol=1e-10, ftol=1e-10, gtol=1e-10).x


@dataclass
class Result:
    """A fit, the covariance that the Gauss-Newton Hessian gives it, and the fits of repeated experiments."""

    fitted: np.ndarray
    covariance: np.ndarray
    repeated: np.ndarray  # repeats x parameters
    observed: np.ndarray  # times x thermometers
    readings: np.ndarray
    seconds: tuple[float, float]  # of the covariance, of the repeats

    @property
    def errors(self) -> np.ndarray:
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlation(self) -> np.ndarray:
        return self.covariance / np.outer(self.errors, self.errors)


def study(repeats: int = 200, noise: float = 0.02, backend: str | None = None, rod: Rod | None = None) -> Result:
    """Fits one experiment, and so many more."""
    rod = rod or Rod(backend=backend)
    rng = np.random.default_rng(0)
    exact = rod.readings(TRUTH)
    observed = exact + noise * rng.standard_normal(exact.size)
    fitted = rod.fit(observed, GUESS)
    started = time.perf_counter()
    residual = rod.readings(fitted) - observed
    variance = float(residual @ residual) / (residual.size - len(NAMES))
    jacobian = rod.jacobian(fitted)
    covariance = variance * np.linalg.inv(jacobian.T @ jacobian)
    done = time.perf_counter()
    repeated = [rod.fit(exact + noise * rng.standard_normal(exact.size), fitted) for _ in range(repeats)]
    seconds = done - started, time.perf_counter() - done
    shape = rod.shape
    return Result(fitted, covariance, np.stack(repeated), observed.reshape(shape),
                  rod.readings(fitted).reshape(shape), seconds)  # fmt: skip


def table(result: Result) -> str:
    lines = [f"{'':14}{'truth':>9}{'fitted':>10}{'± Hessian':>11}{'± repeated':>12}"]
    spread = result.repeated.std(axis=0, ddof=1)
    rows = zip(NAMES, TRUTH, result.fitted, result.errors, spread, strict=True)
    lines += [f"{name:14}{truth:9.5f}{fitted:10.5f}{a:11.5f}{b:12.5f}" for name, truth, fitted, a, b in rows]
    seen = np.corrcoef(result.repeated.T)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        what = f"correlation of {NAMES[i]} and {NAMES[j]}"
        lines.append(f"{what:43}{result.correlation[i, j]:+.2f} repeated {seen[i, j]:+.2f}")
    lines.append(f"seconds: {result.seconds[0]:.3f} for the Hessian, {result.seconds[1]:.1f} for the repeats")
    return "\n".join(lines)


def plot(result: Result, path: Path) -> None:
    """The fit, and for each pair of parameters the repeated fits with the ellipses of one and two errors."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(17, 3.8), layout="constrained")
    for k, (dots, line) in enumerate(zip(result.observed.T, result.readings.T, strict=True)):
        axes[0].plot(line, color=f"C{k}")
        axes[0].plot(dots, ".", color=f"C{k}")
    axes[0].set(xlabel="time", ylabel="temperature", title="readings and fit")
    around = np.stack([np.cos(np.linspace(0, 2 * np.pi, 100)), np.sin(np.linspace(0, 2 * np.pi, 100))])
    for axis, (i, j) in zip(axes[1:], ((0, 1), (0, 2), (1, 2)), strict=True):
        axis.plot(result.repeated[:, i], result.repeated[:, j], ".", color="0.6", label="repeated")
        root = np.linalg.cholesky(result.covariance[np.ix_((i, j), (i, j))])
        for size in (1, 2):
            x, y = TRUTH[[i, j], None] + size * root @ around
            axis.plot(x, y, color="C3", label="Hessian" if size == 1 else None)
        axis.set(xlabel=NAMES[i], ylabel=NAMES[j])
    axes[1].legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200, help="repeated experiments (200)")
    parser.add_argument("--noise", type=float, default=0.02, help="standard deviation of a reading (0.02)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the fit and the errors")
    options = parser.parse_args()
    result = study(options.repeats, options.noise, options.backend)
    print(table(result))
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
