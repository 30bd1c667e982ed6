"""Run by `mpirun` on each rank: random programs of messages, requests and collective operations.

    mpirun -n 3 python -m tests.mpi.patterns 6 12345

makes 6 programs of the seed 12345, the same on all ranks, and checks the gradient and the tangent of each.  A program
is a list of rounds.  In a round some messages are started, between random ranks, with tags of which there are two, so
that several go the same way, and collective operations; values are computed and other such operations come in between;
and the requests are waited for in random order, one by one or together, perhaps rounds later.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI

import hetad
from hetad.checks import comparison
from hetad.run import compiler

WORLD = MPI.COMM_WORLD
CELLS = 5
HEAD = """#include <mpi.h>
void f(const double *x, double *y)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double v[5], w[5];
    for (int i = 0; i < 5; ++i) { v[i] = x[i] * (1 + 0.1 * rank); w[i] = 0.5 * x[i] * x[i]; }
"""


@dataclass
class Maker:
    """`open`: per rank the requests that are not waited for yet, and the buffer that each fills, if any."""

    rng: random.Random
    ranks: int
    open: dict[int, list[tuple[str, str | None]]] = field(default_factory=dict)
    number: int = 0

    def program(self) -> str:
        lines: list[str] = []
        for _ in range(self.rng.randint(2, 4)):
            for make in self.rng.choices([self.messages, self.values, self.collective, self.started, self.waits], k=5):
                lines += make()
        for rank in range(self.ranks):
            lines += self.rank_only(rank, self.rest(rank))
        lines += self.values()
        body = "\n".join("    " + line for line in lines)
        return f"{HEAD}{body}\n    for (int i = 0; i < 5; ++i) y[i] = v[i] + w[i] * w[i];\n}}\n"

    def rank_only(self, rank: int, lines: list[str]) -> list[str]:
        return [f"if (rank == {rank}) {{", *("    " + line for line in lines), "}"] if lines else []

    def messages(self) -> Iterator[str]:
        """The declarations stand outside, for what is waited for later."""
        out: list[str] = []
        started: dict[int, list[str]] = {r: [] for r in range(self.ranks)}
        for _ in range(self.rng.randint(1, 4)):
            k, tag = self.number, self.rng.randint(0, 1)
            self.number += 1
            a, b = self.rng.randrange(self.ranks), self.rng.randrange(self.ranks)
            out.append(f"double sent{k}[2], got{k}[2] = {{x[1], x[2] * x[3]}}; MPI_Request s{k}, r{k};")
            i, j = self.rng.randrange(CELLS), self.rng.randrange(CELLS)
            started[a].append(f"sent{k}[0] = v[{i}] * w[{j}]; sent{k}[1] = v[{j}];")
            started[a].append(f"MPI_Isend(sent{k}, 2, MPI_DOUBLE, {b}, {tag}, MPI_COMM_WORLD, &s{k});")
            source = "MPI_ANY_SOURCE" if self.ranks == 1 else str(a)
            started[b].append(f"MPI_Irecv(got{k}, 2, MPI_DOUBLE, {source}, {tag}, MPI_COMM_WORLD, &r{k});")
            self.open.setdefault(a, []).append((f"s{k}", None))
            self.open.setdefault(b, []).append((f"r{k}", f"got{k}"))
        for rank, lines in started.items():
            out += self.rank_only(rank, lines)
        yield from out

    def values(self) -> list[str]:
        i, j, k = (self.rng.randrange(CELLS) for _ in range(3))
        return [f"v[{i}] = sin(v[{j}] * w[{k}]) + 0.3 * v[{i}];", f"w[{k}] = 0.5 * w[{k}] * v[{i}] + w[{j}];"]

    def collective(self) -> list[str]:
        root, first = self.rng.randrange(self.ranks), self.rng.randrange(CELLS - 1)
        return [self.rng.choice([
            f"MPI_Bcast(v + {first}, 2, MPI_DOUBLE, {root}, MPI_COMM_WORLD);",
            f"MPI_Allreduce(MPI_IN_PLACE, w + {first}, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
            f"MPI_Reduce(v, w, 3, MPI_DOUBLE, MPI_SUM, {root}, MPI_COMM_WORLD);",
            f"MPI_Scan(v, w, {first + 1}, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
            f"MPI_Allreduce(v, w, 2, MPI_DOUBLE, MPI_{self.rng.choice(['MAX', 'MIN', 'PROD'])}, MPI_COMM_WORLD);",
        ])]  # fmt: skip

    def started(self) -> list[str]:
        """A collective operation that each rank waits for when it likes."""
        k, root = self.number, self.rng.randrange(self.ranks)
        self.number += 1
        i, j = self.rng.randrange(CELLS), self.rng.randrange(CELLS)
        for rank in range(self.ranks):
            self.open.setdefault(rank, []).append((f"r{k}", f"got{k}"))
        both = f"sent{k}, got{k}, 2, MPI_DOUBLE"
        call = self.rng.choice([
            f"MPI_Ibcast(got{k}, 2, MPI_DOUBLE, {root}",
            f"MPI_Iallreduce({both}, MPI_{self.rng.choice(['SUM', 'MAX', 'PROD'])}",
            f"MPI_Ireduce({both}, MPI_SUM, {root}",
            f"MPI_Iscan({both}, MPI_SUM",
            f"MPI_Iallreduce(MPI_IN_PLACE, got{k}, 2, MPI_DOUBLE, MPI_SUM",
        ])  # fmt: skip
        return [
            f"double sent{k}[2] = {{sin(v[{i}]), cos(v[{j}] * w[{i}])}}, got{k}[2] = {{sin(w[{j}]), x[2]}};",
            f"MPI_Request r{k};",
            f"{call}, MPI_COMM_WORLD, &r{k});",
        ]

    def waits(self) -> list[str]:
        out: list[str] = []
        for rank, requests in self.open.items():
            self.rng.shuffle(requests)
            # A receive, so that what it brings is used.  The sends behind it are waited for at the end.
            chosen = [request for request in requests if request[1] is not None][: self.rng.randint(0, 2)]
            requests[:] = [request for request in requests if request not in chosen]
            out += self.rank_only(rank, [line for request in chosen for line in self.wait(*request)])
        return out

    def wait(self, request: str, got: str | None) -> list[str]:
        lines = [f"MPI_Wait(&{request}, MPI_STATUS_IGNORE);"]
        if got is not None:
            i = self.rng.randrange(CELLS)
            lines.append(f"v[{i}] += 0.4 * {got}[0] * {got}[1]; w[{i}] *= {got}[0];")
        return lines

    def rest(self, rank: int) -> list[str]:
        requests = self.open.get(rank, [])
        self.rng.shuffle(requests)
        half = len(requests) // 2
        lines = [line for request in requests[:half] for line in self.wait(*request)]
        if requests[half:]:
            names = ", ".join(name for name, _ in requests[half:])
            lines.append(f"MPI_Request all[] = {{{names}}};")
            lines.append(f"MPI_Waitall({len(requests) - half}, all, MPI_STATUSES_IGNORE);")
            lines += [f"v[0] += {got}[0] * {got}[1] * 0.2;" for _, got in requests[half:] if got is not None]
        return lines


def main() -> int:
    compiler.FLAGS = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
    count, seed = (int(word) for word in sys.argv[1:])
    failed = 0
    for number in range(count):
        source = Maker(random.Random(f"{seed}-{number}"), WORLD.Get_size()).program()
        function = hetad.loads(source)["f"]
        rng = np.random.default_rng([seed, number, WORLD.Get_rank()])
        args = [rng.uniform(0.3, 1.2, CELLS), np.zeros(CELLS)]
        for optimize in (True, False):
            subject = comparison.of_function(function, ("x",), ("y",), "cpu", {}, tangent=optimize, optimize=optimize)
            report = comparison.check(subject, args, comparison.Accuracy(samples=2), racecheck=False)
            told = [text for text in WORLD.allgather("" if report.passed else str(report)) if text]
            if told and WORLD.Get_rank() == 0:
                print(f"program {number} of the seed {seed}, optimize={optimize}\n{source}\n{told[0]}", flush=True)
            failed += bool(told)
    if WORLD.Get_rank() == 0:
        print(f"{count} programs, {failed} failures", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
