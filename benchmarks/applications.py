"""The applications in samples/ that have mesh and state of their own, at sizes that fill a GPU: gradient beside primal.

    python benchmarks/applications.py [--only lulesh_lagrange] [--tiny] [--backend cuda|cpu] [--write]

Each runs at two sizes, the second with about 16 times as many threads, and once more with more steps.  `kernels`: the
time of all kernels of a call, gradient over primal, as CUPTI tells it (through PyTorch's profiler; copies and fills are
left out); `call`: wall clock of the whole call, copies between host and device included.  Error: of the gradient along
a random direction, from central differences.  Saved: bytes that the forward sweep keeps for the reverse one.
The figures of lookups (XSBench, RSBench) are those of lookups.py, of the lattice Boltzmann method those of run.py.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import common
import numpy as np

common.use_checkout()

import hetad  # noqa: E402

REPEATS = 5
Values = dict[str, Any]


@dataclass(frozen=True)
class Application:
    """A sample, with its arguments in order for a size and a number of steps; `moved`: what differences move."""

    function: str
    wrt: tuple[str, ...]
    of: tuple[str, ...]
    moved: str
    values: Callable[[int, int], Values]
    sizes: tuple[tuple[int, int], ...]
    tiny: tuple[int, int]
    limit: float  # gradient / primal


def lulesh(edge: int, steps: int) -> Values:
    rng = np.random.default_rng(1)
    return {
        "energy": rng.uniform(0.5, 2.0, edge**3), "places": np.zeros(3 * (edge + 1) ** 3), "edge": edge,
        "steps": steps, "dt": 0.01 / edge,
    }  # fmt: skip


def materials(count: int, steps: int) -> Values:
    rng = np.random.default_rng(1)
    return {
        "energy": rng.uniform(1.0, 2.0, count), "sound": np.zeros(count), "volume": rng.uniform(0.8, 1.2, count),
        "volumes": rng.uniform(0.8, 1.2, steps * count), "region": rng.integers(0, 3, count).astype(np.int32),
        "count": count, "steps": steps,
    }  # fmt: skip


def shallow_water(triangles: int, steps: int) -> Values:
    rng = np.random.default_rng(1)
    return {
        "state": rng.uniform(0.8, 1.2, 30 * triangles), "geometry": rng.uniform(0.5, 1.5, 5 * triangles),
        "d_r": rng.uniform(-0.6, 0.6, 100), "d_s": rng.uniform(-0.6, 0.6, 100), "dt": 1e-4, "triangles": triangles,
        "steps": steps,
    }  # fmt: skip


APPLICATIONS: Mapping[str, Application] = {
    "lulesh_lagrange": Application(
        "lagrange_leapfrog", ("energy",), ("energy", "places"), "energy", lulesh, ((38, 10), (96, 10), (96, 40)),
        (5, 3), 3.0,
    ),
    "material_update": Application(
        "update_materials", ("energy", "volume", "volumes"), ("energy", "sound"), "energy", materials,
        ((1 << 17, 3), (1 << 21, 3), (1 << 21, 12)), (1000, 2), 3.0,
    ),
    "shallow_water_dg": Application(
        "shallow_water", ("state",), ("state",), "state", shallow_water, ((8192, 10), (131072, 10), (131072, 40)),
        (20, 2), 4.0,
    ),
}  # fmt: skip


class Runs:
    """An application at a size, and its gradient for random seeds."""

    def __init__(self, name: str, item: Application, size: tuple[int, int], backend: str) -> None:
        self.item, self.backend, self.values = item, backend, item.values(*size)
        self.function = hetad.load(common.SAMPLES / f"{name}.cu")[item.function]
        self.gradient = hetad.gradient(self.function, wrt=item.wrt, of=item.of, backend=backend)
        rng = np.random.default_rng(2)
        self.seeds = {n: rng.standard_normal(self.values[n].size) for n in item.of}

    def fresh(self) -> list[Any]:
        return [v.copy() if isinstance(v, np.ndarray) else v for v in self.values.values()]

    def primal(self, arguments: list[Any]) -> None:
        self.function(*arguments, backend=self.backend)

    def derivative(self, arguments: list[Any]) -> Any:
        return self.gradient(*arguments, seeds={n: s.copy() for n, s in self.seeds.items()})

    def error(self) -> float:
        found = self.derivative(self.fresh())[self.item.moved]
        direction = np.random.default_rng(3).standard_normal(self.values[self.item.moved].size)
        place, ends = list(self.values).index(self.item.moved), []
        for step in (1e-5, -1e-5):
            arguments = self.fresh()
            arguments[place] += step * direction
            self.primal(arguments)
            outputs = dict(zip(self.values, arguments, strict=True))
            ends.append(sum(float(self.seeds[n] @ outputs[n]) for n in self.item.of))
        return abs(float(found @ direction) / ((ends[0] - ends[1]) / 2e-5) - 1)


def wall_ms(call: Callable[[list[Any]], Any], fresh: Callable[[], list[Any]]) -> float:
    times = []
    for _ in range(REPEATS + 1):  # the first compiles
        arguments = fresh()
        begin = time.perf_counter()
        call(arguments)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:]) * 1e3


def kernels_ms(call: Callable[[list[Any]], Any], fresh: Callable[[], list[Any]]) -> dict[str, float]:
    """Milliseconds of each kernel in one call, all its launches together."""
    from torch.profiler import ProfilerActivity, profile

    arguments = fresh()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call(arguments)
    found = {e.key: e.device_time_total / 1e3 for e in seen.key_averages()}
    return {k: ms for k, ms in found.items() if not k.startswith(("Memcpy", "Memset")) and ms > 0}


def measure(name: str, sizes: tuple[tuple[int, int], ...], backend: str, verbose: bool) -> list[list[str]]:
    item, rows = APPLICATIONS[name], []
    for size in sizes:
        runs = Runs(name, item, size, backend)
        error = runs.error()
        saved = sum(bytes_ for _, bytes_ in runs.gradient.last_saves)
        calls = [wall_ms(run, runs.fresh) for run in (runs.primal, runs.derivative)]
        kernels = [{"": 0.0}, {"": 0.0}]
        if backend == "cuda":
            kernels = [kernels_ms(run, runs.fresh) for run in (runs.primal, runs.derivative)]
        if verbose:
            for which, found in zip(("primal", "gradient"), kernels, strict=True):
                for kernel, ms in sorted(found.items(), key=lambda pair: -pair[1])[:14]:
                    print(f"  {which} {kernel[:70]}: {ms:.3f} ms", flush=True)
        primal, gradient = (sum(found.values()) for found in kernels)
        rows.append([
            name, f"{size[0]}, {size[1]} steps", f"{primal:.2f}", f"{gradient:.2f}",
            f"{gradient / primal:.2f}" if primal else "–", f"{item.limit}", f"{calls[1] / calls[0]:.2f}",
            f"{saved / 1e6:.1f}", f"{error:.0e}",
        ])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", choices=sorted(APPLICATIONS))
    parser.add_argument("--backend", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--tiny", action="store_true", help="sizes that test this script")
    parser.add_argument("--verbose", action="store_true", help="the kernels that take longest, too")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    rows = []
    for name in [options.only] if options.only else list(APPLICATIONS):
        sizes = (APPLICATIONS[name].tiny,) if options.tiny else APPLICATIONS[name].sizes
        rows += measure(name, sizes, options.backend, options.verbose)
    header = ["application", "size", "primal ms", "gradient ms", "kernels", "must be ≤", "call", "saved MB", "error"]
    table = common.table(header, rows)
    print(table)
    if options.write:
        import cupy as cp

        machine = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
        common.write_section("Applications on a GPU", f"{common.stamp(machine)}\n{table}")


if __name__ == "__main__":
    main()
