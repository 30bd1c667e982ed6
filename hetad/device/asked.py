"""What a pullback is asked to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hetad.adjoint.options import ALL, Options
from hetad.analysis.affine import Polynomial
from hetad.ir.nodes import Function, Program
from hetad.rules.user import Rules


@dataclass(frozen=True, slots=True)
class Asked:
    """A pullback of a kernel, for a launch.

    active: the positions of its active parameters.
    merged: groups of pointer parameters that may reach the same memory.
    spent: parameters whose adjoints are not needed after the pullback.
    zeros: parameters whose adjoints may be told to be zero.
    known: what is not negative in the launch.
    sizes: of the launch's blocks, along axes where they are known.
    """

    kernel: str
    active: frozenset[int]
    merged: tuple[tuple[str, ...], ...] = ()
    spent: frozenset[int] = frozenset()
    zeros: frozenset[int] = frozenset()
    known: tuple[Polynomial, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Around:
    """What is there around the kernels of a program.

    program: as it was written; a kernel calls those functions of it that have `rules` of the user's.
    made: the names of the kernels that there are beside it.
    """

    program: Program
    options: Options = ALL
    rules: Rules = field(default_factory=dict)
    made: frozenset[str] = frozenset()

    @property
    def functions(self) -> Mapping[str, Function]:
        return self.program.functions

    def called(self) -> dict[str, Function]:
        """The functions with rules, and those rules that are functions too."""
        names = {*self.rules, *(rule.pullback for rule in self.rules.values() if rule.pullback is not None)}
        return {name: f for name, f in self.functions.items() if name in names}
