"""Run by `mpirun` on each rank: a gradient that can be gone on with, of ranks that meet; one of them may kill itself.

    mpirun -n 2 python -m tests.mpi.killed DIRECTORY RANK AT

RANK does in front of its file operation AT; where nobody does, the gradient is checked, to the bit.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import hetad
from hetad.run import compiler
from tests.host.file_operations import send, watched
from tests.mpi.loops import SOURCE


def main() -> None:
    compiler.FLAGS = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
    directory, dying, at = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rank = MPI.COMM_WORLD.Get_rank()
    rng = np.random.default_rng(rank)
    n = 40 + 8 * rank
    x, seed = rng.uniform(0.3, 1, n), rng.standard_normal(n)
    meet, args = hetad.loads(SOURCE)["meet"], [x, np.zeros(n), n, 8]
    gradient = hetad.gradient(
        meet, wrt="x", of="y", memory_limit=9000 + 40 * rank, host_memory=4000, checkpoint_dir=directory, resume=0
    )
    send(signal.SIGKILL, at if rank == dying else 0)
    with watched():
        found = gradient(*args, seeds={"y": seed})["x"]
    np.testing.assert_array_equal(found, hetad.gradient(meet, wrt="x", of="y")(*args, seeds={"y": seed})["x"])
    assert not (directory / f"hetad-resume-{rank}-of-{MPI.COMM_WORLD.Get_size()}").exists()
    print("right", flush=True)


if __name__ == "__main__":
    main()
