"""The points of a program at which it is looked at, by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hetad.diagnostics import Span
from hetad.ir import nodes as ir

Role = Literal["here", "operand", "result", "before", "behind"]
Way = Literal["record", "perturb"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One that has points.  `launches`: the kernel, if it is a launch.

    `whole`: whether its points are all that it works with, so that it can be judged; `missing` says what else it works
    with, if not.  `fills`: it sets bytes, which may be no numbers.
    """

    number: int
    span: Span
    function: str
    launches: str = ""
    missing: str = ""
    fills: bool = False

    @property
    def whole(self) -> bool:
        return not self.missing


@dataclass(frozen=True, slots=True)
class Point:
    """`what`: the value as it is written in the source; `on_device`: it is device memory that a host function looks at.

    The host comes to a point "here", of no values, in front of each launch and each memory operation.
    """

    number: int
    statement: Statement
    role: Role
    what: str
    on_device: bool = False


class Points:
    """Hands out numbers: statements from 0, points from 1."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.all: list[Point] = []

    def statement(
        self, span: Span, function: str, launches: str = "", missing: str = "", fills: bool = False
    ) -> Statement:
        made = Statement(len(self.statements), span, function, launches, missing, fills)
        self.statements.append(made)
        return made

    def add(self, statement: Statement, role: Role, what: str, on_device: bool = False) -> Point:
        made = Point(len(self.all) + 1, statement, role, what, on_device)
        self.all.append(made)
        return made


@dataclass(frozen=True, slots=True)
class Probed:
    """A program with points: its `entry` has the parameters of the function, in order, and then its `own`, by what they
    are called wherever they are.

    `elements`: those of them that take a number of elements, with the parameter whose elements they are.
    """

    program: ir.Program
    entry: str
    points: Points
    own: dict[str, str]
    elements: dict[str, str]
