"""A program that hetad made, as one that was read: a derivative, to be run and differentiated like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hetad.diagnostics import UnknownNameError
from hetad.frontend.unit import Unit

if TYPE_CHECKING:
    from hetad.diagnostics import SourceError, Span
    from hetad.ir import nodes as ir


class Derived(Unit):
    """`made` is closed under what its functions call; `of` is the program that it was made of."""

    def __init__(self, made: ir.Program, entry: str, of: Unit) -> None:
        super().__init__(f"the derivative {entry} in {of.name}")
        self._made, self._entry, self._of = made, entry, of

    @property
    def functions(self) -> Mapping[str, ir.Kind]:
        """The derivative itself: what it launches is for it alone."""
        return {self._entry: self._made.functions[self._entry].kind}

    def program(self, function: str) -> ir.Program:
        if function != self._entry:
            raise UnknownNameError(f"no function '{function}' in {self.name}", None, f"its function is {self._entry}")
        return self._made

    def of_library(self, function: str) -> ir.Program:
        return self._of.of_library(function)

    def signature(self, function: str) -> str:
        made = self._made.functions[function]
        return f"{made.returns} {function}({', '.join(f'{p.type} {p.name}' for p in made.params)})"

    def position(self, function: str) -> Span:
        return self._made.functions[function].span

    def home(self, function: str) -> str | None:
        return None

    def explain(self, error: SourceError) -> SourceError:
        return self._of.explain(error)


class Rewritten(Derived):
    """A program that was read, with one function written anew; what else a derivative of it asks for, such as the
    user's own pullbacks, is as it was."""

    def program(self, function: str) -> ir.Program:
        return self._made if function == self._entry else self._of.reach(function)
