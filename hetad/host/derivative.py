"""What differentiation returns: a program with an entry, and what each parameter of the entry is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hetad.ir.nodes import Program, Symbol

if TYPE_CHECKING:
    from hetad.host.decisions import Explanation

Role = Literal[
    "grid", "block", "shared_mem", "stream", "primal", "adjoint", "seed", "tangent", "bytes", "sets", "size", "value"
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a generated entry.

    `primal` names the primal parameter concerned ("return" for the seed of the return value); `space` says where a
    pointer points; "bytes" is the size of the memory behind the pointer parameter `primal`.
    Of the entry that runs a batch: "sets" is how many there are, "size" how many elements of `primal` one has, "value"
    where the returned values go.
    """

    symbol: Symbol
    role: Role
    primal: str | None = None
    space: Literal["host", "device"] | None = None


@dataclass(frozen=True, slots=True)
class Derivative:
    """`bits`: of the masks that are in the place of tangents, if they are.  `written`: parameters to whose memory the
    primal writes."""

    program: Program
    entry: str
    parameters: tuple[Parameter, ...]
    explanation: Explanation
    bits: int = 0
    written: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Primal:
    """A program to run as it is: its entry, and what each parameter of the entry is.  `flat`: all calls inlined."""

    program: Program
    entry: str
    parameters: tuple[Parameter, ...]
    written: frozenset[str]
    flat: Program


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """`derivative` is the gradient of `tangent`, the tangent of a function, with respect to the function's `wrt`."""

    tangent: Derivative
    derivative: Derivative
