"""Run by `mpirun` on each rank: the gradients of the programs that are named, against differences of all ranks.

    mpirun -n 3 python -m tests.mpi.ranks tests/mpi/programs/messages.cu ...

Every rank is given arguments of its own.  The ranks' reports are alike where they compare sums over all of them; the
first line that any rank has to say against a gradient ends the run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import hetad
from hetad.checks import comparison
from hetad.passes.manager import watch_always
from hetad.passes.watching import Verifying
from hetad.rules.signatures import signature
from hetad.run import compiler
from tests.corpus import Case, cases
from tests.oracle import optimisations

BACKEND = os.environ.get("HETAD_TEST_BACKEND", "cpu")
WORLD = MPI.COMM_WORLD


def own(argument: Any, rng: np.random.Generator) -> Any:
    """The argument of this rank: numbers differ from one rank to the next."""
    if isinstance(argument, np.ndarray) and argument.dtype.kind == "f":
        return argument + rng.uniform(-0.3, 0.3, argument.shape).astype(argument.dtype)
    return argument + float(rng.uniform(-0.3, 0.3)) if isinstance(argument, float) else argument


def check(case: Case) -> str:
    """What is wrong with the gradients of a case; "" if nothing is."""
    problem = case.problem
    program = hetad.load(problem.source, defines=problem.defines)
    function = program[problem.function]
    rng = np.random.default_rng([7, WORLD.Get_rank()])
    args = [own(a, rng) for a in problem.arguments(function.parameters)]
    for setting in optimisations():
        wanted = {**setting, **problem.memory}
        subject = comparison.of_function(
            function, problem.wrt, problem.of, BACKEND, {}, tangent=bool(setting), **wanted
        )
        if subject.without_tangent:
            return subject.without_tangent
        for _ in range(2):  # a second call finds what the first has left
            report = comparison.check(
                subject, args, comparison.Accuracy(samples=2, **problem.gradcheck), racecheck=False
            )
            if not report.passed:
                return f"{setting}\n{report}"
    return ""


def main(paths: list[str]) -> int:
    watch_always(Verifying(signature))
    compiler.FLAGS = tuple("-O1" if flag == "-O3" else flag for flag in compiler.FLAGS)  # half the time
    failed = 0
    for case in (case for path in paths for case in cases(Path(path))):
        found = [text for text in WORLD.allgather(check(case)) if text]
        failed += bool(found)
        if WORLD.Get_rank() == 0:
            print(f"{case.name}: {found[0] if found else 'right'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
