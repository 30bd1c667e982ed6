"""How must particles be thrown so that they form a ring?  Control of a many-body system.

    pip install hetad[samples]
    python samples/particle_control.py --plot particles.png

Charged particles in a trap repel each other (particles.cu): whoever is thrown moves all others.  The velocities at the
start are the unknowns; the misfit is the distance of each particle from its place on the ring at the end.  Its gradient
with respect to an array of structs is an array of structs, whose field `velocity` L-BFGS is given.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize

import hetad

SOURCE = Path(__file__).with_name("particles.cu")
VECTOR = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8")])
PARTICLE = np.dtype([("position", VECTOR), ("velocity", VECTOR), ("charge", "f8"), ("kind", "i4")], align=True)
TRAP, SOFTENING, STEP = 0.5, 0.15, 0.02


class Trap:
    """So many particles, and the places where they should be after some steps."""

    def __init__(self, n: int, steps: int, backend: str | None = None) -> None:
        self.n, self.steps, self.backend = n, steps, backend
        self.move = hetad.load(SOURCE)["move"]
        self.gradient = hetad.gradient(self.move, wrt="particles", of="particles", backend=backend)
        angle = 2 * np.pi * np.arange(n) / n
        ring = np.stack([1.5 * np.cos(angle), 1.5 * np.sin(angle), np.zeros(n)])
        far = np.linalg.norm(vectors(self.at_rest()["position"])[:, :, None] - ring[:, None], axis=0)
        self.places = ring[:, linear_sum_assignment(far)[1]]  # each one's own, so that paths cross little

    def at_rest(self) -> np.ndarray:
        """On a lattice, with masses and charges that differ."""
        particles = np.zeros(self.n, PARTICLE)
        side = int(np.ceil(np.sqrt(self.n)))
        particles["position"]["x"] = (np.arange(self.n) % side - 0.5 * (side - 1)) * 1.2 / side
        particles["position"]["y"] = (np.arange(self.n) // side - 0.5 * (side - 1)) * 1.2 / side
        particles["charge"] = 0.1 + 0.05 * (np.arange(self.n) % 2)
        particles["kind"] = np.arange(self.n) % 3
        return particles

    def thrown(self, velocity: np.ndarray) -> np.ndarray:
        particles = self.at_rest()
        for name, values in zip("xyz", velocity.reshape(3, self.n), strict=True):
            particles["velocity"][name] = values
        return particles

    def after(self, particles: np.ndarray, steps: int) -> np.ndarray:
        moved = particles.copy()
        self.move(moved, np.empty_like(moved), self.n, TRAP, SOFTENING, STEP, steps, backend=self.backend)
        return moved

    def misfit(self, velocity: np.ndarray) -> tuple[float, np.ndarray]:
        """Half the sum of squared distances at the end, and its gradient."""
        start = self.thrown(velocity)
        off = vectors(self.after(start, self.steps)["position"]) - self.places
        seed = np.zeros(self.n, PARTICLE)
        for name, values in zip("xyz", off, strict=True):
            seed["position"][name] = values
        found = self.gradient(
            start, np.empty_like(start), self.n, TRAP, SOFTENING, STEP, self.steps, seeds={"particles": seed}
        )["particles"]
        return 0.5 * float((off**2).sum()), vectors(found["velocity"]).ravel()


def vectors(field: np.ndarray) -> np.ndarray:
    """Structs of x, y, z as three rows."""
    return np.stack([field[name] for name in "xyz"])


@dataclass(frozen=True)
class Result:
    """Positions, times x 3 x particles, without a throw and with the one that was found."""

    places: np.ndarray
    dropped: np.ndarray
    thrown: np.ndarray
    misfits: list[float]
    seconds: float

    @property
    def farthest(self) -> float:
        """The largest distance from a place at the end."""
        return float(np.hypot(*(self.thrown[-1] - self.places)[:2]).max())


def study(n: int = 36, steps: int = 120, iterations: int = 150, backend: str | None = None) -> Result:
    trap = Trap(n, steps, backend)
    still = np.zeros(3 * n)
    misfits = [trap.misfit(still)[0]]
    started = time.perf_counter()
    found = minimize(
        trap.misfit, still, jac=True, method="L-BFGS-B", options={"maxiter": iterations},
        callback=lambda intermediate_result: misfits.append(intermediate_result.fun),
    ).x  # fmt: skip
    seconds = time.perf_counter() - started
    dropped, thrown = (
        np.stack([vectors(trap.after(trap.thrown(v), t)["position"]) for t in range(0, steps + 1, 2)])
        for v in (still, found)
    )
    return Result(trap.places, dropped, thrown, misfits, seconds)


def plot(result: Result, path: Path) -> None:
    """Paths without and with the throw, and how the misfit fell."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for axis, title, paths in zip(axes, ("let go", "thrown"), (result.dropped, result.thrown), strict=False):
        axis.plot(paths[:, 0], paths[:, 1], color="0.8", linewidth=0.8)
        axis.plot(*paths[0, :2], "o", color="C0", markersize=3, label="start")
        axis.plot(*paths[-1, :2], "o", color="C3", markersize=5, label="end")
        axis.plot(*result.places[:2], "k+", label="places")
        axis.set(title=title, aspect="equal", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2))
    axes[0].legend(loc="upper right")
    axes[2].semilogy(result.misfits)
    axes[2].set(xlabel="iteration", ylabel="misfit")
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--particles", type=int, default=36, help="particles (36)")
    parser.add_argument("--iterations", type=int, default=150, help="iterations of L-BFGS-B (150)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the paths")
    options = parser.parse_args()
    result = study(options.particles, iterations=options.iterations, backend=options.backend)
    print(f"misfit {result.misfits[0]:.3g} -> {result.misfits[-1]:.3g} in {len(result.misfits) - 1} iterations")
    print(f"farthest from its place at the end: {result.farthest:.4f}")
    print(f"{result.seconds:.1f} s")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
