"""Run by `mpirun` on each rank: programs whose data is cut into pieces have the gradient of the whole.

The same program, given all data on a communicator of one rank alone, is the reference.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import hetad
from hetad.run import compiler

WORLD = MPI.COMM_WORLD
WHOLE = Path(__file__).parent / "whole"
SAMPLES = Path(__file__).parents[2] / "samples"


@dataclass(frozen=True)
class Program:
    """`pieces`: of each array that is cut, how many numbers belong to one of `length` parts; `shared`: arrays that each
    rank has; `others`: arguments between the number of parts and the communicator."""

    path: Path
    function: str
    length: int
    pieces: dict[str, int]
    shared: dict[str, int]
    others: tuple[Any, ...] = ()
    low: float = -1.0
    wrt: tuple[str, ...] = ()


PROGRAMS = (
    Program(SAMPLES / "heat_on_ranks.cu", "misfit", 24, {"u": 1, "k": 1, "wanted": 1}, {}, (12,), low=0.3),
    Program(
        WHOLE / "lattice_boltzmann.cu", "objective", 24, {"density": 1, "omega": 1, "wanted": 1}, {}, (9,), low=0.4
    ),
    Program(WHOLE / "conjugate_gradients.cu", "objective", 24, {"b": 1, "k": 1}, {}),
    Program(WHOLE / "training.cu", "objective", 24, {"x": 1, "target": 1}, {"weights": 3}),
    Program(WHOLE / "pipeline.cu", "objective", 12, {"weights": 3}, {"input": 12}),
    Program(WHOLE / "transpose.cu", "objective", 6, {"a": 12}, {}),
)


def check(program: Program) -> None:
    """Raises AssertionError where gradients or values differ by more than rounding."""
    rng = np.random.default_rng(3)
    rank, size = WORLD.Get_rank(), WORLD.Get_size()
    mine = program.length // size
    assert mine * size == program.length
    all_of = {name: rng.uniform(program.low, 1, program.length * n) for name, n in program.pieces.items()}
    shared = {name: rng.uniform(program.low, 1, n) for name, n in program.shared.items()}
    wrt, counts = (*all_of, *shared), program.pieces.values()
    function = hetad.load(program.path)[program.function]
    for optimize in (True, False):
        gradient = hetad.gradient(function, wrt=wrt, optimize=optimize)
        own = [a[rank * mine * n : (rank + 1) * mine * n] for a, n in zip(all_of.values(), counts, strict=True)]
        value, found = gradient.value_and_grad(*own, *shared.values(), mine, *program.others, WORLD)
        whole, expected = gradient.value_and_grad(
            *all_of.values(), *shared.values(), program.length, *program.others, MPI.COMM_SELF
        )
        np.testing.assert_allclose(value, whole, rtol=1e-12)
        for name, n in program.pieces.items():
            piece = (
                size * expected[name][rank * mine * n : (rank + 1) * mine * n]
            )  # what all ranks return counts for each
            np.testing.assert_allclose(found[name], piece, rtol=1e-9, atol=1e-12, err_msg=name)
        for name in shared:
            np.testing.assert_allclose(
                WORLD.allreduce(found[name]), size * expected[name], rtol=1e-9, atol=1e-12, err_msg=name
            )


def main() -> None:
    compiler.FLAGS = tuple("-O1" if flag == "-O3" else flag for flag in compiler.FLAGS)
    for program in PROGRAMS:
        if not sys.argv[1:] or program.path.stem in sys.argv[1:]:
            check(program)
            if WORLD.Get_rank() == 0:
                print(f"{program.path.stem}: right", flush=True)


if __name__ == "__main__":
    main()
