"""Steps of a program on ranks of MPI, a GPU for each: how primal and gradient scale, and whether kernels hide messages.

    python benchmarks/ranks.py [--write]                       # on as many GPUs as there are, from 1
    python benchmarks/ranks.py --backend cpu --ranks 1,2 --cells 4096

programs/heat_on_ranks.cu with as many cells on each rank, however many ranks there are (weak scaling).  What a step
takes is the difference of runs with 60 and with 10 of them, the best of several.  A step on one rank sends nothing, and
one of few cells is nothing but launches and messages: where kernels hide these, a step on several ranks takes as long
as the longer of the two, not as both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import common
import numpy as np

common.use_checkout()

import hetad  # noqa: E402

FEW, MANY, TURNS = 10, 60, 5
CELLS = "64,65536,1048576,8388608"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--ranks", default="", help="default: 1 and the number of GPUs")
    parser.add_argument("--cells", default=CELLS, help="on each rank")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    parser.add_argument("--on-rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cells = [int(n) for n in options.cells.split(",")]
    if options.on_rank:
        measure(options.backend, cells)
        return
    machine, devices = described(options.backend)
    counts = [int(n) for n in options.ranks.split(",")] if options.ranks else sorted({1, devices})
    found = {ranks: on_ranks(ranks, options.backend, options.cells) for ranks in counts}
    text = f"{common.stamp(machine)}\n{report(found, cells)}\n"
    print(text)
    if options.write:
        common.write_section("Ranks of MPI, a GPU for each", text)


def described(backend: str) -> tuple[str, int]:
    if backend == "cpu":
        return common.processor(), 1
    import cupy as cp

    devices = cp.cuda.runtime.getDeviceCount()
    return f"{devices} × {cp.cuda.runtime.getDeviceProperties(0)['name'].decode()}", devices


def on_ranks(ranks: int, backend: str, cells: str) -> dict[str, Any]:
    """What rank 0 has measured."""
    beside = Path(sys.executable).parent / "mpirun"
    launcher = str(beside) if beside.exists() else shutil.which("mpirun") or "mpirun"
    command = [launcher, "-n", str(ranks), sys.executable, __file__, "--on-rank", "--backend", backend]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(common.ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [*command, "--cells", cells], check=True, stdout=subprocess.PIPE, text=True, env=environment, timeout=600
    )
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def measure(backend: str, cells: list[int]) -> None:
    """Prints, on rank 0, seconds a step of the primal and of the gradient, of the slowest rank."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    if backend == "cuda":
        import cupy as cp

        cp.cuda.Device(world.rank).use()
    function = hetad.load(common.PROGRAMS / "heat_on_ranks.cu")["misfit"]
    gradient = hetad.gradient(function, wrt=("u", "k"), backend=backend)
    found: dict[str, Any] = {}
    for n in cells:
        rng = np.random.default_rng(world.rank)
        u, k, wanted, direction = rng.uniform(0.3, 1.0, (4, n))
        k *= 0.5

        def primal(steps: int, u: Any = u, k: Any = k, wanted: Any = wanted, n: int = n) -> Any:
            return function(u, k, wanted, n, steps, None, backend=backend)

        def reverse(steps: int, u: Any = u, k: Any = k, wanted: Any = wanted, n: int = n) -> Any:
            return gradient(u, k, wanted, n, steps, None)

        given = reverse(FEW)["u"]
        h = 1e-5
        change = primal(FEW, u + h * direction) - primal(FEW, u - h * direction)
        expected = world.allreduce(float(given @ direction)) / world.size  # the sum is each rank's own result
        error = abs(expected - change / (2 * h)) / abs(expected)
        found[str(n)] = [a_step(world, primal), a_step(world, reverse), error]
    if world.rank == 0:
        print(json.dumps(found))


def a_step(world: Any, run: Callable[[int], Any]) -> float:
    """Seconds."""
    times = {FEW: np.inf, MANY: np.inf}
    for turn in range(TURNS + 1):
        for steps in (FEW, MANY):
            world.Barrier()
            start = time.perf_counter()
            run(steps)
            taken = max(world.allgather(time.perf_counter() - start))
            if turn > 0:  # the first call compiles
                times[steps] = min(times[steps], taken)
    return (times[MANY] - times[FEW]) / (MANY - FEW)


def report(found: dict[int, dict[str, Any]], cells: list[int]) -> str:
    header = ["cells a rank", "ranks", "primal µs/step", "gradient µs/step", "gradient / primal"]
    header += ["efficiency: primal", "gradient", "error"]
    rows, first = [], found[min(found)]
    for n in cells:
        for ranks, measured in found.items():
            primal, reverse, error = measured[str(n)]
            alone = first[str(n)]
            row = [str(n), str(ranks), f"{primal * 1e6:.1f}", f"{reverse * 1e6:.1f}", f"{reverse / primal:.2f}"]
            rows.append([*row, f"{alone[0] / primal:.2f}", f"{alone[1] / reverse:.2f}", f"{error:.0e}"])
    return common.table(header, rows)


if __name__ == "__main__":
    main()
