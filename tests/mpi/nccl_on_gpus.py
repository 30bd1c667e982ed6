"""Run by `mpirun` on each rank: programs that call NCCL, one process for each GPU, from Python.

    mpirun -n 2 python -m tests.mpi.nccl_on_gpus            # on GPUs, which there are as many of as ranks
    mpirun -n 2 python -m tests.mpi.nccl_on_gpus --fake     # where a driver, CuPy and NCCL are made of host memory

Values and gradients are those of the CPU backend, where MPI stands for NCCL.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import hetad
from hetad.run import compiler, cuda

PROGRAM = Path(__file__).parent / "programs" / "nccl.cu"
FUNCTIONS = ("sums", "blocks", "ring", "in_float")
N = 4


def check(name: str, rank: int) -> None:
    f, rng = hetad.load(PROGRAM)[name], np.random.default_rng(rank)
    x, seed = rng.uniform(0.3, 1.3, 4 * N), rng.standard_normal(4 * N)
    tolerance = 1e-5 if name == "in_float" else 1e-12
    found = {}
    for backend in ("cpu", "cuda"):
        y = np.zeros(4 * N)
        f(x, y, N, backend=backend)
        g = hetad.gradient(f, wrt="x", of="y", backend=backend)
        for _ in range(2):
            gradient = g(x, np.zeros(4 * N), N, seeds={"y": seed})["x"]
        found[backend] = y, gradient
    for one, other in zip(found["cuda"], found["cpu"], strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
        assert np.any(one != 0)
    print(f"{name}: right on rank {rank}", flush=True)


def main() -> None:
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    with contextlib.ExitStack() as stack:
        if "--fake" in sys.argv:
            from tests.unit.fake_nccl import in_place_of_nccl
            from tests.unit.test_run_cuda import driven

            compiler.FLAGS = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
            stack.enter_context(driven())
            stack.enter_context(in_place_of_nccl("mpi"))
        else:
            cuda.require()
            devices = cuda.cupy_module().cuda.runtime.getDeviceCount()
            if devices < size:
                sys.exit(f"there are {devices} GPUs for {size} ranks")
            stack.enter_context(cuda.cupy_module().cuda.Device(rank))
        for name in FUNCTIONS:
            check(name, rank)


if __name__ == "__main__":
    main()
