"""Runs of a program with points in the threads of one launch, as one stream: thread by thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.debugger.runs import STEPS, Asked, Runner, tried
from hetad.debugger.streams import Flags, Groups, Indices, Parting, Stream, Vector, alike, common
from hetad.probes.kernel import probed_kernel

if TYPE_CHECKING:
    from hetad.passes.task import Task
    from hetad.probes.points import Point

_MOST = 2**20  # numbers that are looked at
_FEW = 64  # steps of a thread that there is room for at first


@dataclass(frozen=True)
class Threads:
    """Which threads are looked at: each `every`-th, `rows` of them, so many `steps` of each."""

    which: int
    rows: int
    steps: int
    every: int

    def given(self) -> dict[str, int]:
        return {"which": self.which, "rows": self.rows, "steps": self.steps, "every": self.every}

    @property
    def size(self) -> int:
        return max(self.rows * self.steps, 1)


def thread_stream(asked: Asked, task: Task, kernel: str, launch: int, bits: int) -> tuple[Stream, str]:
    """The stream of a kernel's launch, counted from 1; and what was left out, or ""."""
    runner = Runner(asked, probed_kernel(task, kernel, "record"))
    points, count, threads, own = runner.probed.points.all, *_base(runner, launch - 1)
    numbers, values = own["numbers"].astype(np.int64), own["thread_values"]
    along = asked.direction()
    table = numbers.reshape(threads.rows, threads.steps) if threads.rows else numbers.reshape(1, -1)
    again = _recorded(threads)
    runner.run(asked.moved({}, 0.0), again)
    compared = (numbers > 0) & alike(values, again["thread_values"])
    moved: list[tuple[float, Vector, Vector]] = []
    partings: list[Parting] = []
    for step in STEPS[bits]:
        pair = []
        for side in (1, -1):
            other = _recorded(threads)
            failed = tried(lambda s=side * step, o=other: runner.run(asked.moved(along, s), o))  # type: ignore[misc]
            compared &= _same(table, np.zeros_like(table) if failed else other["numbers"].reshape(table.shape)).ravel()
            pair.append(other["thread_values"])
            if step == STEPS[bits][-1] and not failed and not partings:
                partings += _partings(table, other["numbers"].reshape(table.shape), points, threads)
        moved.append((step, pair[0], pair[1]))
    tangents = runner.tangents(along, _recorded(threads), ["thread_values"])
    perturbed = Runner(asked, probed_kernel(task, kernel, "perturb"))
    nudges = {**threads.given(), "thread_nudges": np.full(threads.size, -0.0)}
    adjoints, _ = perturbed.adjoints(nudges, ["thread_nudges"])
    stream = Stream(
        numbers, values, tuple(moved), tangents.get("thread_values", np.zeros(threads.size)),
        adjoints["thread_nudges"], compared, _groups(numbers, points, threads, launch),
        runner.probed.points.statements, points, tuple(partings),
    )  # fmt: skip
    return stream, _left_out(table, threads, count)


def _base(runner: Runner, which: int) -> tuple[int, Threads, dict[str, Any]]:
    """How many threads there are, which are looked at, and what the run at the point told."""
    own = _recorded(Threads(which, 0, 1, 1))
    runner.run(runner.asked.moved({}, 0.0), own)
    count, steps = int(own["counted"][0]), _FEW
    while True:
        rows = max(min(count, _MOST // steps), 1)
        threads = Threads(which, rows, steps, -(-count // rows) if count else 1)
        own = _recorded(threads)
        runner.run(runner.asked.moved({}, 0.0), own)
        full = own["numbers"].reshape(rows, steps)[:, -1].any()
        if not full or steps >= _MOST // 8:
            return count, threads, own
        steps *= 8


def _recorded(threads: Threads) -> dict[str, Any]:
    return {
        **threads.given(), "numbers": np.zeros(threads.size, np.int32), "counted": np.zeros(1, np.int64),
        "thread_values": np.zeros(threads.size),
    }  # fmt: skip


def _same(one: Indices, other: Indices) -> Flags:
    """Where two tables have had the same in the row so far."""
    found: Flags = np.logical_and.accumulate(one == other, axis=1)
    return found


def _partings(one: Indices, other: Indices, points: list[Point], threads: Threads) -> list[Parting]:
    """The first thread that goes another way."""
    found = np.flatnonzero((one != other).any(axis=1))
    if not found.size:
        return []
    row = int(found[0])
    here, there = one[row], other[row]
    at = common(here, there)

    def point(numbers: Indices, i: int) -> Point | None:
        return points[int(numbers[i]) - 1] if 0 <= i < numbers.size and numbers[i] > 0 else None

    return [Parting(point(here, at - 1), point(here, at), point(there, at), -1, row * threads.every)]


def _groups(numbers: Indices, points: list[Point], threads: Threads, launch: int) -> Groups:
    """Each result, behind its operands."""
    count = [0] * (len(points) + 1)
    statement = [0] * (len(points) + 1)
    result = np.zeros(len(points) + 1, bool)
    operands: dict[int, int] = {}
    for p in points:
        statement[p.number] = p.statement.number
        if p.role == "operand":
            operands[p.statement.number] = operands.get(p.statement.number, 0) + 1
        else:
            result[p.number], count[p.number] = True, operands.get(p.statement.number, 0)
    middle = np.flatnonzero(result[numbers])
    sizes = np.array(count, np.int64)[numbers[middle]]
    fits = middle % max(threads.steps, 1) >= sizes
    middle, sizes = middle[fits], sizes[fits]
    thread = middle // max(threads.steps, 1) * threads.every
    return Groups(
        np.array(statement, np.int64)[numbers[middle]], middle - sizes, middle, middle + 1, thread,
        np.full(middle.size, launch, np.int64),
    )  # fmt: skip


def _left_out(table: Indices, threads: Threads, count: int) -> str:
    parts = []
    if threads.every > 1:
        parts.append(f"one thread of {threads.every} of {count}")
    if table[:, -1].any():
        parts.append(f"the first {threads.steps} values of a thread")
    return f"note: looked at {' and at '.join(parts)} only" if parts else ""
