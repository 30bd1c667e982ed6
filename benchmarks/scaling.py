"""How the cost of a gradient grows: with the threads of a launch ×1 … ×16, and with the work of each thread ×1 … ×16.

    python benchmarks/scaling.py [--backend cuda|cpu] [--write]

Draws docs/scaling.png; with --write also replaces the section of RESULTS.md.  A gradient may cost a constant times the
primal: its line runs beside that of the primal, and both along the dotted one, where cost is proportional.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
import numpy as np

common.use_checkout()

FACTORS = (1, 2, 4, 8, 16)
THREADS = {"cpu": 1 << 14, "cuda": 1 << 18}
WORK = 16
TABLE = 1 << 16
FIGURE = common.ROOT / "docs" / "scaling.png"


@dataclass(frozen=True)
class Item:
    """A kernel of scaling.cu: its arguments before the sizes, and what is differentiated with respect to what."""

    title: str
    arguments: tuple[str, ...]
    wrt: tuple[str, ...]
    of: str


ITEMS = {
    "pendulum": Item("nonlinear loop", ("angle_out", "angle", "dt"), ("angle",), "angle_out"),
    "window": Item("weighted window", ("y", "x", "weight"), ("x", "weight"), "y"),
    "lookup": Item("table lookup", ("y", "x", "table", "at"), ("x", "table"), "y"),
}


def inputs(threads: int, work: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)

    def normal(count: int) -> np.ndarray:
        return rng.standard_normal(count, dtype=np.float32)

    return {
        "angle": normal(threads), "angle_out": np.zeros(threads, np.float32), "dt": 0.01,
        "x": normal(threads + work), "y": np.zeros(threads, np.float32), "weight": normal(work),
        "table": normal(TABLE), "at": rng.integers(0, TABLE, threads * work).astype(np.int32),
    }  # fmt: skip


class Clock:
    """The fastest of some calls, and where their arrays lie."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        if backend == "cuda":
            import cupy

            self.cp = cupy

    def array(self, value: Any) -> Any:
        return self.cp.asarray(value) if self.backend == "cuda" and isinstance(value, np.ndarray) else value

    def wait(self) -> None:
        if self.backend == "cuda":
            self.cp.cuda.runtime.deviceSynchronize()

    def seconds(self, call: Callable[[], Any], limit: float = 1.5) -> float:
        call()  # compiles
        self.wait()
        begin, times = time.perf_counter(), []
        while len(times) < 5 or (len(times) < 25 and time.perf_counter() - begin < limit):
            start = time.perf_counter()
            call()
            self.wait()
            times.append(time.perf_counter() - start)
        return min(times)


def cost(clock: Clock, name: str, threads: int, work: int) -> tuple[float, float]:
    """Seconds of the primal, and of the gradient in place."""
    import hetad

    item, kernel = ITEMS[name], hetad.load(common.KERNELS / "scaling.cu")[name]
    values = {n: clock.array(v) for n, v in inputs(threads, work).items()}
    arguments = (*(values[n] for n in item.arguments), threads, work)
    where: dict[str, Any] = {"grid": -(-threads // 128), "block": 128}
    primal = clock.seconds(lambda: kernel(*arguments, **where, backend=clock.backend))
    gradient = hetad.gradient(kernel, wrt=item.wrt, of=item.of, backend=clock.backend)
    adjoints = [clock.array(np.ones(values[n].shape, np.float32)) for n in (item.of, *item.wrt)]
    return primal, clock.seconds(lambda: gradient.execute(*arguments, *adjoints, **where))


Costs = dict[
    tuple[str, str], list[tuple[float, float]]
]  # by what grows and kernel: primal and gradient for each factor


def measured(clock: Clock, factors: tuple[int, ...]) -> Iterator[tuple[tuple[str, str], list[tuple[float, float]]]]:
    threads = THREADS[clock.backend]
    for name in ITEMS:
        yield ("threads", name), [cost(clock, name, threads * f, WORK) for f in factors]
        yield ("work per thread", name), [cost(clock, name, threads, WORK * f) for f in factors]


def draw(costs: Costs, factors: tuple[int, ...], machine: str, backend: str, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.2), sharey=True)
    base = {"threads": f"{THREADS[backend]} threads", "work per thread": f"{WORK} turns of a loop"}
    for axis, grows in zip(axes, base, strict=True):
        for colour, (name, item) in enumerate(ITEMS.items()):
            for k, (what, style) in enumerate((("primal", "o--"), ("gradient", "o-"))):
                times = [1e3 * pair[k] for pair in costs[grows, name]]
                axis.plot(factors, times, style, color=f"C{colour}", markersize=4, label=f"{item.title}, {what}")
                axis.plot(factors, [times[-1] * f / factors[-1] for f in factors], ":", color="0.6", linewidth=0.8)
        axis.set(xscale="log", yscale="log", xlabel=f"{grows}, × {base[grows]}", xticks=factors)
        axis.set_xticklabels([f"×{f}" for f in factors])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("ms a call")
    axes[1].legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False)
    figure.suptitle(f"Cost of a gradient on {machine}", fontsize=11)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def rows(costs: Costs) -> list[list[str]]:
    found = []
    for (grows, name), pairs in costs.items():
        (first_primal, first), (last_primal, last) = pairs[0], pairs[-1]
        found.append([
            ITEMS[name].title, grows, f"{1e3 * first_primal:.3g}", f"{1e3 * first:.3g}",
            f"×{last_primal / first_primal:.1f}", f"×{last / first:.1f}",
            f"{first / first_primal:.1f}", f"{last / last_primal:.1f}",
        ])  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="default: cuda if usable")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    parser.add_argument("--figure", type=Path, default=FIGURE)
    parser.add_argument("--most", type=int, default=FACTORS[-1], help="the last factor (default: 16)")
    options = parser.parse_args()
    from hetad.run import cuda

    backend = options.backend or ("cuda" if cuda.usable() else "cpu")
    machine = cuda.device_description() if backend == "cuda" else f"one core, {common.processor()}"
    factors = tuple(f for f in FACTORS if f <= options.most)
    costs = dict(measured(Clock(backend), factors))
    last = f"×{factors[-1]}"
    table = common.table(
        ["kernel", "what grows", "primal ms", "gradient ms", f"primal at {last}", f"gradient at {last}",
         "gradient / primal", f"at {last}"],
        rows(costs),
    )  # fmt: skip
    print(table)
    draw(costs, factors, machine, backend, options.figure)
    if options.write:
        title = "Scaling on a GPU" if backend == "cuda" else "Scaling on the CPU"
        common.write_section(title, f"{common.stamp(f'{machine}, {common.load()}')}\n{table}")


if __name__ == "__main__":
    main()
