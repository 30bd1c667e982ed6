"""Where would a breath of wind change the flow behind an obstacle?  An adjoint field, as a picture.

    pip install hetad[samples]
    python samples/flow_sensitivity.py --plot flow.png

Air flows through a channel past a disc (lbm_d2q9.cu, a lattice Boltzmann method).  The objective is the momentum across
the channel in a small window downstream, at the end.  Its gradient with respect to the populations at the start tells,
for every cell, how much a push there would change it: one reverse sweep through all steps, instead of a simulation for
each cell.  A few pushes that are simulated say the same.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hetad

SOURCE = Path(__file__).with_name("lbm_d2q9.cu")
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
WEIGHT = np.array([4 / 9, *[1 / 9] * 4, *[1 / 36] * 4])
OMEGA, FORCE = 1.7, 4e-5


class Channel:
    """A channel of nx by ny cells between two walls, with a disc in it."""

    def __init__(self, nx: int, ny: int, backend: str | None = None) -> None:
        self.nx, self.ny, self.backend = nx, ny, backend
        y, x = np.mgrid[:ny, :nx]
        disc = (x - 0.3 * nx) ** 2 + (y - 0.47 * ny) ** 2 < (0.13 * ny) ** 2
        self.solid = (disc | (y == 0) | (y == ny - 1)).astype(np.uint8)
        self.window = (abs(x - 0.75 * nx) < 0.03 * nx) & (abs(y - 0.5 * ny) < 0.12 * ny)
        self.flow = hetad.load(SOURCE)["flow"]
        self.gradient = hetad.gradient(self.flow, wrt=("f", "omega", "force"), of="f", backend=backend)

    def rest(self) -> np.ndarray:
        return np.broadcast_to(WEIGHT[:, None, None], (9, self.ny, self.nx)).copy()

    def after(self, f: np.ndarray, steps: int) -> np.ndarray:
        f = f.copy()
        self.flow(f, np.empty_like(f), self.solid, OMEGA, FORCE, self.nx, self.ny, steps, backend=self.backend)
        return f

    def objective(self, f: np.ndarray) -> float:
        """The momentum in y within the window."""
        return float((f * self.seed()).sum())

    def seed(self) -> np.ndarray:
        """The derivative of the objective with respect to the populations at the end."""
        return CY[:, None, None] * self.window.astype(float)

    def sensitivity(self, f: np.ndarray, steps: int) -> np.ndarray:
        """For each cell, how much a push along x and along y at the start changes the objective."""
        found = self.gradient(
            f, np.empty_like(f), self.solid, OMEGA, FORCE, self.nx, self.ny, steps, seeds={"f": self.seed()}
        )["f"]
        along = np.stack([np.tensordot(3 * WEIGHT * c, found, 1) for c in (CX, CY)])
        return np.where(self.solid, 0.0, along)

    def pushed(self, f: np.ndarray, axis: int, x: int, y: int, strength: float) -> np.ndarray:
        """The populations after a push of one cell."""
        f = f.copy()
        f[:, y, x] += strength * 3 * WEIGHT * (CX, CY)[axis]
        return f


def momentum(f: np.ndarray) -> np.ndarray:
    return np.stack([np.tensordot(c, f, 1) for c in (CX, CY)])


@dataclass(frozen=True)
class Result:
    """Velocities at the start and at the end, the sensitivity, and pushes: cell, by adjoint, by simulation."""

    solid: np.ndarray
    window: np.ndarray
    start: np.ndarray
    end: np.ndarray
    sensitivity: np.ndarray
    pushes: list[tuple[int, int, float, float]]
    seconds: float


def study(
    nx: int = 240, ny: int = 80, before: int = 4000, steps: int = 240, pushes: int = 6, backend: str | None = None
) -> Result:
    """Lets the flow develop for `before` steps, and asks what counts for the `steps` after that."""
    channel = Channel(nx, ny, backend)
    start = channel.after(channel.rest(), before)
    started = time.perf_counter()
    sensitivity = channel.sensitivity(start, steps)
    seconds = time.perf_counter() - started
    tried = []
    strongest = np.argsort(np.abs(sensitivity[1]).ravel())[:: -max(1, nx * ny // (4 * pushes))][:pushes]
    for y, x in zip(*np.unravel_index(strongest, (ny, nx)), strict=True):
        ends = [channel.after(channel.pushed(start, 1, x, y, h), steps) for h in (1e-4, -1e-4)]
        change = (channel.objective(ends[0]) - channel.objective(ends[1])) / 2e-4
        tried.append((int(x), int(y), float(sensitivity[1, y, x]), change))
    end = momentum(channel.after(start, steps))
    return Result(channel.solid, channel.window, momentum(start), end, sensitivity, tried, seconds)


def plot(result: Result, path: Path) -> None:
    """The flow, the adjoint field for pushes across it, and the pushes that were simulated."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(17, 2.9), layout="constrained", width_ratios=(3, 3, 1.3))
    fields = (("speed at the end", np.hypot(*result.end), "viridis"), ("what a push across would do",
              result.sensitivity[1], "RdBu"))  # fmt: skip
    for axis, (title, field, colours) in zip(axes, fields, strict=False):
        shown = np.ma.masked_where(result.solid > 0, field)
        most = np.abs(field).max()
        image = axis.imshow(shown, origin="lower", cmap=colours, vmax=most, vmin=0 if colours == "viridis" else -most)
        axis.contour(result.window, levels=[0.5], colors="k", linewidths=1)
        axis.contour(result.solid, levels=[0.5], colors="0.4", linewidths=1)
        axis.set_title(title)
        axis.set_axis_off()
        figure.colorbar(image, ax=axis, shrink=0.9)
    *cell, adjoint, simulated = zip(*result.pushes, strict=True)
    axes[1].plot(*cell, "k+")
    axes[2].axline((0, 0), slope=1, color="0.7")
    axes[2].plot(adjoint, simulated, "k+", markersize=9)
    axes[2].set(xlabel="adjoint", ylabel="simulated push")
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240, help="steps from the push to the end (240)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw flow and sensitivity")
    options = parser.parse_args()
    result = study(steps=options.steps, backend=options.backend)
    cells = result.solid.size - int(result.solid.sum())
    print(f"sensitivity to a push in each of {cells} cells: {result.seconds:.1f} s")
    for x, y, adjoint, simulated in result.pushes:
        print(f"cell {x:3}, {y:3}: adjoint {adjoint:+.6f}, simulated {simulated:+.6f}")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
