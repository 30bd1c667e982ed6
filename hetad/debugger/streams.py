"""What runs of a program with points told, as streams of values in the order of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hetad.probes.points import Point, Statement

Vector = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Group(NamedTuple):
    """A statement once that it runs; see `Groups`."""

    statement: int
    first: int
    middle: int
    last: int
    thread: int
    launch: int


@dataclass(frozen=True)
class Groups:
    """Statements each time that they run: the values `first` to `middle` go into statement number `statement`, those to
    `last` come out of it.  `threads`, of the launch, or -1; `launches`: of the kernel, from 1, or 0."""

    statement: Indices
    first: Indices
    middle: Indices
    last: Indices
    thread: Indices
    launch: Indices

    def __len__(self) -> int:
        return int(self.statement.size)


@dataclass(frozen=True)
class Parting:
    """Where the program goes another way when its arguments move: behind `after` comes `here`, or else `there`; None
    where nothing follows."""

    after: Point | None
    here: Point | None
    there: Point | None
    group: int  # behind which it is
    thread: int = -1


@dataclass(frozen=True)
class Stream:
    """`numbers`: of the points; `values` at the point, `moved` forwards and back by each step; where all of these
    follow the same way, and the program gives the same values again, they can be `compared`."""

    numbers: Indices
    values: Vector
    moved: tuple[tuple[float, Vector, Vector], ...]
    tangents: Vector
    adjoints: Vector
    compared: Flags
    groups: Groups
    statements: Sequence[Statement]
    points: Sequence[Point]
    partings: tuple[Parting, ...] = ()

    def point(self, at: int) -> Point:
        return self.points[int(self.numbers[at]) - 1]


def groups_of(rows: Sequence[Group]) -> Groups:
    columns = zip(*rows, strict=True) if rows else ((),) * len(Group._fields)
    return Groups(*(np.array(column, np.int64) for column in columns))


def alike(one: Vector, other: Vector) -> Flags:
    """Where two runs gave the same number, or none."""
    found: Flags = (one == other) | (np.isnan(one) & np.isnan(other))
    return found


def common(one: Indices, other: Indices) -> int:
    """How many numbers two sequences begin with that are the same."""
    size = min(one.size, other.size)
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if differ.size else size
