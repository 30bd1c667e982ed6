"""Where in a plate is sound slower?  An inverse problem with hetad's gradient and SciPy's L-BFGS-B.

    pip install hetad[samples]
    python samples/velocity_inversion.py --plot velocity.png

The truth is a plate with a slow disc and a fast bar.  Pulses are sent from points on a ring around them and heard at
all points of the ring.  From these recordings alone, and a uniform first guess, the velocity of every cell is
recovered: the gradient of the misfit is that of the CUDA program velocity_inversion.cu, time loop, kernels and all.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import OptimizeResult, minimize

import hetad

SOURCE = Path(__file__).with_suffix(".cu")
COURANT = 0.6  # time step times velocity 1, over the width of a cell
MARGIN = 9  # cells between the ring and the edge


@dataclass(frozen=True)
class Experiment:
    """Sources and receivers on a ring of cells, and the number of time steps."""

    n: int
    sources: np.ndarray
    receivers: np.ndarray
    steps: int

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The arguments `n, shots, count, steps` of the CUDA functions."""
        return self.n, len(self.sources), len(self.receivers), self.steps


@dataclass(frozen=True)
class Result:
    """Velocities, n x n, and the misfit after each iteration."""

    truth: np.ndarray
    guess: np.ndarray
    found: np.ndarray
    misfits: list[float]

    def error(self, velocity: np.ndarray) -> float:
        """The root mean square of a velocity's error, inside the ring."""
        inside = slice(MARGIN + 1, -MARGIN - 1)
        return float(np.sqrt(np.mean((velocity - self.truth)[inside, inside] ** 2)))


def experiment(n: int, shots: int) -> Experiment:
    low, high = MARGIN, n - 1 - MARGIN
    side = np.arange(low, high)
    ring = np.concatenate([low * n + side, side * n + high, high * n + side[::-1] + 1, (side[::-1] + 1) * n + low])
    sources = ring[np.arange(shots) * len(ring) // shots]
    return Experiment(n, sources.astype(np.int32), ring.astype(np.int32), int(2.6 * (high - low) / COURANT))


def plate(n: int) -> np.ndarray:
    """The truth: velocity 1, a slower disc and a faster bar, with soft edges."""
    y, x = np.mgrid[:n, :n] / (n - 1.0)
    velocity = np.ones((n, n))
    velocity[(x - 0.41) ** 2 + (y - 0.42) ** 2 < 0.01] -= 0.12
    velocity[(abs(x - 0.58) < 0.10) & (abs(y - 0.61) < 0.035)] += 0.10
    return gaussian_filter(velocity, n / 60)


def simulated(program: hetad.Program, setup: Experiment, backend: str | None = None) -> np.ndarray:
    """What is recorded of the true plate."""
    observed = np.zeros((len(setup.sources), setup.steps, len(setup.receivers)))
    truth = plate(setup.n)
    program["observe"](observed, truth, setup.sources, setup.receivers, *setup.sizes, COURANT, backend=backend)
    return observed


def recover(n: int = 48, shots: int = 8, iterations: int = 40, backend: str | None = None) -> Result:
    """Simulates the recordings of the true plate, and finds the plate from them."""
    program = hetad.load(SOURCE)
    setup, truth = experiment(n, shots), plate(n)
    observed = simulated(program, setup, backend)

    gradient = hetad.gradient(program["misfit"], wrt="velocity", backend=backend)
    guess = np.ones((n, n))

    def objective(v: np.ndarray) -> tuple[float, np.ndarray]:
        value, found = gradient.value_and_grad(
            v.reshape(n, n), observed, setup.sources, setup.receivers, *setup.sizes, COURANT
        )
        return value, found["velocity"].ravel()

    misfits = [objective(guess)[0]]

    def note(intermediate_result: OptimizeResult) -> None:  # SciPy goes by the parameter's name
        misfits.append(intermediate_result.fun)

    outcome = minimize(
        objective, guess.ravel(), jac=True, method="L-BFGS-B", bounds=[(0.7, 1.3)] * guess.size,
        callback=note, options={"maxiter": iterations},
    )  # fmt: skip
    return Result(truth, guess, outcome.x.reshape(n, n), misfits)


def plot(result: Result, path: Path) -> None:
    """Truth, guess and result side by side, and how the misfit fell."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    for axis, name in zip(axes, ("truth", "guess", "found"), strict=False):
        image = axis.imshow(getattr(result, name), vmin=0.85, vmax=1.15, cmap="RdBu")
        axis.set_title(name if name == "truth" else f"{name}: error {result.error(getattr(result, name)):.4f}")
        axis.set_axis_off()
    figure.colorbar(image, ax=axes[2], label="velocity")
    axes[3].semilogy(result.misfits)
    axes[3].set(xlabel="iteration", ylabel="misfit")
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=48, help="cells along each side (48)")
    parser.add_argument("--shots", type=int, default=8, help="sources (8)")
    parser.add_argument("--iterations", type=int, default=40, help="iterations of L-BFGS-B (40)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw truth, guess and result")
    options = parser.parse_args()
    started = time.perf_counter()
    result = recover(options.cells, options.shots, options.iterations, options.backend)
    print(f"misfit {result.misfits[0]:.3g} -> {result.misfits[-1]:.3g} in {len(result.misfits) - 1} iterations")
    print(f"error  {result.error(result.guess):.4f} -> {result.error(result.found):.4f}")
    print(f"{time.perf_counter() - started:.1f} s")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
