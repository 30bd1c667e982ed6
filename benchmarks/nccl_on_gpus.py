"""Gradients of NCCL programs on several GPUs, one rank of MPI for each, as nvcc compiles them.

    python benchmarks/nccl_on_gpus.py [--ranks 2] [--nccl FOLDER]     # FOLDER with include/nccl.h and lib/

Compiles each function of tests/mpi/programs/nccl.cu and its emitted gradient, runs them under mpirun, and compares
<seeds, (f(x + h v) - f(x - h v)) / 2h> with <gradient, v>, both summed over all ranks.  Exit status 1 if one differs.
`--compile` only compiles.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import hetad

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "tests" / "mpi" / "programs" / "nccl.cu"
FUNCTIONS = {"sums": 1e-5, "blocks": 1e-5, "ring": 1e-5, "in_float": 2e-3}  # and how closely differences agree
MAIN = r"""
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 16 };
void FUNCTION(const double *x, double *y, int n);
extern "C" PROTOTYPE;
static double uniform(void) { return 0.3 + rand() / (double)RAND_MAX; }
static double total(double value)
{
    double all;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
int main(int argc, char **argv)
{
    int rank, devices;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaGetDeviceCount(&devices);
    if (devices == 0) { fprintf(stderr, "no GPU\n"); return 2; }
    cudaSetDevice(rank % devices);
    srand(rank + 1);
    double x[N], v[N], w[N], y[N], adj_x[N] = {0}, adj_y[N], moved[N], plus[N] = {0}, minus[N] = {0};
    const double h = STEP;
    for (int i = 0; i < N; ++i) { x[i] = uniform(); v[i] = uniform(); w[i] = uniform(); }
    for (int i = 0; i < N; ++i) { y[i] = 0; adj_y[i] = w[i]; moved[i] = x[i] + h * v[i]; }
    FUNCTION(moved, plus, 4);
    for (int i = 0; i < N; ++i) moved[i] = x[i] - h * v[i];
    FUNCTION(moved, minus, 4);
    CALL;
    double found = 0, expected = 0;
    for (int i = 0; i < N; ++i) { found += adj_x[i] * v[i]; expected += w[i] * (plus[i] - minus[i]) / (2 * h); }
    found = total(found);
    expected = total(expected);
    const double error = fabs(found - expected) / fabs(expected);
    if (rank == 0) printf("FUNCTION: gradient %.12g, differences %.12g, relative error %.1e\n", found, expected, error);
    MPI_Finalize();
    return !(error < TOLERANCE);
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nccl", type=Path, help="where NCCL is: include/nccl.h and lib/")
    parser.add_argument("--compile", action="store_true", help="compile, and run nothing")
    options = parser.parse_args()
    failed = 0
    for function, tolerance in FUNCTIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            failed += _check(Path(folder), function, tolerance, options)
    return int(failed > 0)


def _check(folder: Path, function: str, tolerance: float, options: Any) -> int:
    gradient = hetad.gradient(hetad.load(PROGRAM)[function], wrt=("x",), of=("y",), backend="cpu")
    parameters = gradient.derivative.parameters
    types = ", ".join(_type(p) for p in parameters)
    step = 1e-2 if function == "in_float" else 1e-4
    call = f"{function}_grad({', '.join(_argument(p) for p in parameters)})"
    text = MAIN.replace("FUNCTION", function).replace("PROTOTYPE", f"void {function}_grad({types})")
    text = text.replace("CALL", call).replace("TOLERANCE", str(tolerance)).replace("STEP", str(step))
    (folder / "main.cu").write_text(text)
    (folder / "gradient.cu").write_text(gradient.source)
    include = [f"-I{options.nccl / 'include'}", f"-L{options.nccl / 'lib'}"] if options.nccl else []
    link = ["-c"] if options.compile else [*include, "-lnccl", "-o", str(folder / "run")]
    files = [str(PROGRAM), str(folder / "main.cu"), str(folder / "gradient.cu")]
    command = ["nvcc", "-ccbin", _tool("mpicxx"), "-w", "-include", "cstdio", *include, *files, *link]
    subprocess.run(command, check=True, cwd=folder)
    if options.compile:
        print(f"{function}: compiled")
        return 0
    command = [_tool("mpirun"), "-n", str(options.ranks), str(folder / "run")]
    return int(subprocess.run(command, check=False, timeout=300).returncode != 0)


def _tool(name: str) -> str:
    """A command of MPI: beside Python, where pip has put it, or on the PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def _type(parameter: Any) -> str:
    kinds = {"primal": "double *" if parameter.primal != "n" else "int", "bytes": "size_t"}
    return kinds.get(parameter.role, "double *")


def _argument(parameter: Any) -> str:
    if parameter.role == "bytes":
        return "sizeof x"
    if parameter.role == "primal":
        return "4" if parameter.primal == "n" else str(parameter.primal)
    return f"adj_{parameter.primal}"


if __name__ == "__main__":
    sys.exit(main())
