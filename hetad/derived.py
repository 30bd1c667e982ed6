"""What a gradient, a tangent and a product have in common: the derivative of a function, and what was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hetad.compiled import Backend, Choice, backend_for
from hetad.origin import Derivation
from hetad.rebuilt import Rebuilt
from hetad.results import as_mapping
from hetad.run.signature import nearest
from hetad.shown import describe, with_source

if TYPE_CHECKING:
    from hetad.api import Function, Program
    from hetad.host.derivative import Derivative
    from hetad.run.call import Plan
    from hetad.run.report import Report
    from hetad.run.running import Running


class Derived(Rebuilt):
    """Called with the arguments of the function; a kernel needs grid= and block= again."""

    derivative: Derivative

    def __init__(
        self, function: Function, choice: Choice, backend: Backend | None, running: Running, progress: bool = False
    ) -> None:
        self.function = function
        self.wrt = choice.wrt
        self.of = choice.of
        self._choice, self._requested = choice, backend
        self._running, self._progress = running, progress
        self._signature = function.compiled.signature
        self._last: Plan | None = None  # of the last call
        describe(self, function.definition, self._described())

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        raise NotImplementedError

    def _called_with(self) -> str:
        """What a call takes and gives, in a sentence."""
        raise NotImplementedError

    @property
    def backend(self) -> Backend:
        """Where it runs: "cuda" or "cpu"."""
        return backend_for(self._requested)

    @cached_property
    def source(self) -> str:
        """The derivative program as one .cu that nvcc compiles."""
        return self.function.compiled.text(self.derivative, type(self).__name__, self._choice)

    @property
    def program(self) -> Program:
        """The derivative as a program, whose one function can be run and differentiated again."""
        from hetad.api import Program

        return Program(Derivation(self))

    @property
    def last_report(self) -> Report | None:
        """What the last call saved, ran again and launched; None before the first."""
        return self._last.executable.report() if self._last is not None else None

    def __repr__(self) -> str:
        return f"<hetad {self.title}: {self._signature.text}>"

    def _repr_html_(self) -> str:
        signature = self._signature
        return with_source(f"hetad {self.title}", [(signature.text, signature.place)], self.source)

    def _described(self) -> str:
        signature = self._signature
        return f"The {self.title}.\n\n    {signature.text}    ({signature.place})\n\n{self._called_with()}"

    def _outputs(self) -> str:
        return "the return value" if self.of is None else ", ".join(self.of)

    def _checked_names(self, given: Any, allowed: Sequence[str], what: str) -> Mapping[str, Any]:
        """Tangents or seeds, if they are a mapping that names only what is allowed."""
        found = as_mapping(given)
        if found is None:
            example = f"{what}={{{', '.join(f'{name!r}: ...' for name in allowed)}}}"
            raise self._signature.refuse(f"{what} must be a mapping, got a {type(given).__name__}", f"use {example}")
        for name in found:
            if name not in allowed:
                raise self._signature.refuse(f"{what}: there is no {name!r}", nearest(str(name), allowed))
        return found
