"""What a row of the table of callees says (`rules/callees.py` has the table)."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hetad.ir.types import Type
from hetad.memops.operation import MemoryOperation

Kind = Literal[
    "mathematics",  # of numbers, perhaps with results through pointers
    "atomic",
    "barrier",
    "fence",
    "shuffle",
    "shuffle adjoint",
    "vote",  # of the lanes of a warp, or of the threads of a block
    "reduction",  # of the lanes of a warp
    "output",  # text for a reader: nothing depends on it
    "formatted",  # texts and numbers written through some of any number of arguments
    "memory",  # allocations, copies, fills
    "runtime",  # what CUDA's runtime and libraries do beside
    "library",  # of C
    "support",  # hetad's own, in generated code
    "unknown",
]
Trait = Literal[
    "adds nothing",  # to adjoints
    "asks extents",  # of the argument buffers to which its arguments point
    "by its own address",  # knows an allocation
    "needs no session",  # around it
    "may fail for want of memory",  # or of room in what it is given: then its place is told
    "of reverse sweep",  # stands nowhere else
    "on the host",  # reads and writes memory there
    "remembers addresses",  # until what it saved is restored
]
Scope = Literal["", "warp", "block", "device", "system"]
Target = Literal["cuda", "c", "parallel c", "lanes", "fibers", "races"]

ALL = range(sys.maxsize)  # positions of arguments: any
NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Inactive:
    """No derivative passes: the call stands in the forward sweep, its result is a constant there."""


@dataclass(frozen=True, slots=True)
class Formula:
    """ā += r̄ · ∂r/∂a, with the partials of the row in `rules/math`."""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The call stands in the reverse sweep too, where it orders what it ordered in the primal."""


@dataclass(frozen=True, slots=True)
class Restored:
    """No derivative passes; the reverse sweep restores what the result overwrote, after a call of `behind`, if any."""

    behind: str = ""


@dataclass(frozen=True, slots=True)
class Transposed:
    """Of a shuffle: v̄ is the sum of r̄ over the lanes that read this one, which the function `by`, with the type of
    the value at the end of its name if it is `typed`, gives."""

    by: str
    typed: bool = True


@dataclass(frozen=True, slots=True)
class Adds:
    """Of `p += sign * v`: v̄ += sign * p̄."""

    sign: Literal[1, -1]


@dataclass(frozen=True, slots=True)
class OfMemory:
    """What the action of the memory operation says (`host/memory.py`)."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The derivative passes to one operand, as it is: ā += r̄.  `seed`: the operand of which it is a multiple, and
    with which it is zero, whatever the factor."""

    role: str
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """The derivative is that of a plainer function, which does the same with the first of the operands; for each of a
    `count`, where it has one."""

    function: str


@dataclass(frozen=True, slots=True)
class Spelled:
    """The derivative is that of a text which does the same: statements of CUDA over the operands, by name, with
    `at_p` for the place that an operand p points to, and `result` for what comes out."""

    text: str


@dataclass(frozen=True, slots=True)
class InSpace:
    """The same by one of two texts: where the memory lies says which."""

    device: str
    host: str


@dataclass(frozen=True, slots=True)
class OfCopy:
    """The same by one of several texts: the kind of the copy that is undone says which, where it has one.  In them,
    `add` adds the elements at `term`, or else those at the first operand, to those at the second, and `add_numbers` the
    k-th of `term` to the k-th of the second operand."""

    by_kind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Puts something on the record of a derivative that is differentiated again, or takes it back
    (`host/again/records.py`)."""


@dataclass(frozen=True, slots=True)
class Absorbed:
    """A derivative has no need of the call: it keeps its own books, or says plainly what the call is there for."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Known, and not differentiated; `unless` as in `rules/refused.py`."""

    reason: str
    unless: Literal["inactive", "constant"] = "inactive"


Pullback = (
    Inactive | Formula | Mirrored | Restored | Transposed | Adds | OfMemory | Passed | Means | Spelled | InSpace
    | OfCopy | Recorded | Absorbed | Refused
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is not the program's own.

    `roles` names the arguments in order, where something asks for them by name; the last `defaults` may be left out.
    `returns`: None where the arguments' types decide; `params`: the same, each None where any type will do; None where
    the roles say what there is to say.
    `reads`, `writes`: positions of the arguments through which memory is read and written; `changes`: of handles whose
    objects a call changes.
    `scope`: the threads that wait for each other there (barriers, shuffles, votes, reductions), or to which writes
    become visible (fences).
    `ordered`: of atomics: what the memory holds in the end depends on the order of the threads.
    `kept`: an effect on adjoints, on the run or on the world outside that no analysis of values may remove.
    `once`: the world outside, or the state of a generator, sees the call; `stops`: the run may end there.
    `pullback`: how a call is differentiated.
    `emit`: the function's name for a target, where it has another one there than in the program; `text`: the whole
    text of a call, in which `{0}` is the first argument and `{quoted}` its text as a string.
    `variadic`: takes any number of arguments.  `header`: of C, where it is declared.
    `operation`: what is told of a memory operation, beside.  `traits`: the same of hetad's own.
    """

    name: str
    kind: Kind
    roles: tuple[str, ...] = ()
    defaults: int = 0
    returns: Type | None = None
    params: tuple[Type | None, ...] | None = None
    reads: Collection[int] = NONE
    writes: Collection[int] = NONE
    changes: Collection[int] = NONE
    scope: Scope = ""
    ordered: bool = False
    kept: bool = False
    once: bool = False
    stops: bool = False
    pullback: Pullback = field(default_factory=Inactive)
    emit: Mapping[Target, str] = field(default_factory=dict)
    text: Mapping[Target, str] = field(default_factory=dict)
    variadic: bool = False
    header: str = ""
    operation: MemoryOperation | None = None
    traits: frozenset[Trait] = frozenset()

    @property
    def meets(self) -> bool:
        """Whether threads wait for each other in it."""
        return self.kind in ("barrier", "shuffle", "shuffle adjoint", "vote", "reduction")

    def position(self, role: str) -> int | None:
        return self.roles.index(role) if role in self.roles else None
