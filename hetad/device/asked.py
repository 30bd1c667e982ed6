"""What a pullback is asked to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hetad.adjoint.options import ALL, Options
from hetad.analysis.affine import Polynomial
from hetad.ir.nodes import Function
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

    functions: the program's; a kernel calls those with `rules` of the user's.
    sources: texts of files, for diagnostics.
    """

    functions: Mapping[str, Function]
    sources: Mapping[str, str]
    options: Options = ALL
    rules: Rules = field(default_factory=dict)
