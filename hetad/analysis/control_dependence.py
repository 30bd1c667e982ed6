"""On what it depends which threads run a statement: on conditions around it, and on those under which threads leave.

Threads come together to the body of a function and part at conditions in which they differ, until the branch or loop
ends; those that leave by `break` or `continue` are missing from what comes after, in all of what they leave.  Threads
that have returned are none that could differ.

What a client knows of values spreads along with this, for conditions are values, and conditions decide on values: from
"all threads are the same" until nothing new is found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from hetad.analysis.dataflow import settle
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap
from hetad.ir.visit import Loop, bodies

Position = tuple[str, str]  # "threadIdx" or "blockIdx", and the axis
Positions = frozenset[Position]
UNKNOWN: Position = ("", "")
NONE: Positions = frozenset()
ANYHOW = Positions({UNKNOWN})
Around = tuple[Positions, ...]  # on what each condition around depends, that of the outermost branch or loop first
Left = Loop | ir.Switch


@dataclass(frozen=True, slots=True)
class Frame:
    """A loop or switch that `break` or `continue` may leave."""

    left: Left
    whole: int  # how many conditions are around all of it, and of a loop its own
    body: int  # and around an iteration

    @property
    def is_loop(self) -> bool:
        return not isinstance(self.left, ir.Switch)


class ControlDependence(ABC):
    """`around`: of each statement, on what it depends whether it runs, and how often.

    `breaks`, `continues`, `returning`: on what it depends which threads leave a loop or switch, an iteration, or return
    in the midst of a loop; `returns`: which return at all.
    """

    def __init__(self) -> None:
        self.around = IdentityMap[ir.Stmt, Positions]()
        self.breaks = IdentityMap[Left, Positions]()
        self.continues = IdentityMap[Left, Positions]()
        self.returning = IdentityMap[Left, Positions]()
        self.returns = NONE

    @abstractmethod
    def of(self, expr: ir.Expr) -> Positions:
        """On what the value depends."""

    @abstractmethod
    def simple(self, s: ir.Stmt, around: Around) -> None:
        """What a statement that holds no others tells."""

    @abstractmethod
    def found(self) -> int:
        """How much the client knows of values."""

    def spread(self, body: ir.Body) -> None:
        """Looks at the body again and again, as long as that tells something."""
        settle(self._found, lambda: self.body(body, (), ()))

    def _found(self) -> tuple[int, ...]:
        left = (self.breaks, self.continues, self.returning)
        return self.found(), len(self.returns), *(sum(map(len, each.values())) for each in left)

    def body(self, body: ir.Body, around: Around, frames: tuple[Frame, ...]) -> None:
        for s in body:
            self.around[s] = NONE.union(*around)
            self.statement(s, around, frames)

    def statement(self, s: ir.Stmt, around: Around, frames: tuple[Frame, ...]) -> None:
        match s:
            case ir.Block(body=body):
                self.body(body, around, frames)
            case ir.If(cond=cond):
                for nested in bodies(s):
                    self.body(nested, (*around, self.of(cond)), frames)
            case ir.For() | ir.While() | ir.DoWhile():
                self._loop(s, around, frames)
            case ir.Switch():
                inside = (*around, self.choice(s) | self.breaks.get(s, NONE))
                for nested in bodies(s):
                    self.body(nested, inside, (*frames, Frame(s, len(around), len(inside))))
            case ir.Return() | ir.Break() | ir.Continue():
                self.jump(s, around, frames)
            case _:
                self.simple(s, around)

    def choice(self, s: ir.Switch) -> Positions:
        """On what it depends to which case threads go."""
        return self.of(s.subject)

    def ends(self, loop: Loop) -> Positions:
        """On what it depends how often a loop runs, if it is begun with what all threads have."""
        return self.breaks.get(loop, NONE) | (NONE if loop.cond is None else self.of(loop.cond))

    def begin(self, loop: ir.For, around: Around, frames: tuple[Frame, ...]) -> None:
        """What comes before the first iteration."""
        self.body(loop.init, around, frames)

    def _loop(self, loop: Loop, around: Around, frames: tuple[Frame, ...]) -> None:
        if isinstance(loop, ir.For):
            self.begin(loop, around, frames)
        whole = (*around, self.ends(loop))
        inside = (*whole, self.continues.get(loop, NONE))
        self.body(loop.body, inside, (*frames, Frame(loop, len(whole), len(inside))))
        if isinstance(loop, ir.For):
            self.body(loop.step, whole, frames)

    def jump(self, s: ir.Stmt, around: Around, frames: tuple[Frame, ...], besides: Positions = NONE) -> None:
        """Threads leave, under conditions that are around and those `besides`."""
        match s:
            case ir.Return():
                positions = besides.union(*around)
                self.returns |= positions
                for frame in frames:
                    _add(self.returning, frame, positions)
            case ir.Break():
                _add(self.breaks, frames[-1], besides.union(*around[frames[-1].whole :]))
            case ir.Continue():
                frame = next(f for f in reversed(frames) if f.is_loop)
                _add(self.continues, frame, besides.union(*around[frame.body :]))


def _add(to: IdentityMap[Left, Positions], frame: Frame, positions: Positions) -> None:
    if positions:
        to[frame.left] = to.get(frame.left, NONE) | positions
