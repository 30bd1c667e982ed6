"""Messages and bytes of a program and of its gradient on several ranks, counted where MPI is called.

    python benchmarks/messages.py                # samples/heat_on_ranks.cu on 1, 2, 4 and 8 ranks

`within` is the gradient within a memory limit of 12,000 bytes on each rank: steps that run again send again.
Times are of no use where ranks share processors; numbers of messages and bytes are what they are anywhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COUNTER = r"""
#include <mpi.h>
long long hetad_counts[4];  // messages, their bytes, collective operations, their bytes
static void count(int at, int n, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    hetad_counts[at] += 1;
    hetad_counts[at + 1] += (long long)n * size;
}
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    if (to != MPI_PROC_NULL) count(0, n, t);
    return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
    if (to != MPI_PROC_NULL) count(0, n, t);
    return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *d, int m, MPI_Datatype u, int from,
                 int other, MPI_Comm c, MPI_Status *s)
{
    if (to != MPI_PROC_NULL && c != MPI_COMM_SELF) count(0, n, t);
    return PMPI_Sendrecv(b, n, t, to, tag, d, m, u, from, other, c, s);
}
int MPI_Allreduce(const void *b, void *d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    count(2, n, t);
    return PMPI_Allreduce(b, d, n, t, o, c);
}
"""
RUN = """
import ctypes, sys
import numpy as np
from mpi4py import MPI
import hetad
counts = (ctypes.c_longlong * 4).in_dll(ctypes.CDLL(sys.argv[1]), "hetad_counts")
f = hetad.load(sys.argv[2])["misfit"]
g = hetad.gradient(f, wrt=("u", "k"))
limited = hetad.gradient(f, wrt=("u", "k"), memory_limit=12_000)
rng = np.random.default_rng(MPI.COMM_WORLD.rank)
n, steps = 64, 50
args = [rng.uniform(0.3, 1, n) for _ in range(3)] + [n, steps, None]
g(*args)
limited(*args)
for name, run in (("program", f), ("gradient", g), ("within", limited)):
    before = list(counts)
    run(*args)
    mine = [b - a for a, b in zip(before, counts)]
    total = MPI.COMM_WORLD.allreduce(np.array(mine))
    if MPI.COMM_WORLD.rank == 0:
        print(f"{MPI.COMM_WORLD.size:5} {name:9}" + "".join(f"{x:12}" for x in total), flush=True)
if MPI.COMM_WORLD.rank == 0:
    print(f"      of 50 steps {limited.last_report.extra_steps} run again", flush=True)
"""


def main() -> None:
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "count.c").write_text(COUNTER)
        (folder / "run.py").write_text(RUN)
        library = folder / "libcount.so"
        command = [str(binaries / "mpicc"), "-shared", "-fPIC", "-O1", str(folder / "count.c"), "-o", str(library)]
        subprocess.run(command, check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)}
        print("ranks          " + "".join(f"{x:>12}" for x in ("messages", "bytes", "collective", "bytes")))
        for ranks in (1, 2, 4, 8):
            words = [str(folder / "run.py"), str(library), str(ROOT / "samples" / "heat_on_ranks.cu")]
            subprocess.run(
                [str(binaries / "mpirun"), "-n", str(ranks), sys.executable, *words], check=True, env=environment
            )


if __name__ == "__main__":
    main()
