"""What a program is read from, again in another process: the texts of files, or the derivative of another program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hetad.diagnostics import ArgumentError
from hetad.frontend.settings import FRONTENDS, Settings
from hetad.kept_unit import kept_unit

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit


class Origin(Protocol):
    def unit(self, more: Mapping[str, str]) -> Unit:
        """The program; `more`: text that is put behind a file."""


@dataclass(frozen=True)
class Texts:
    """Texts and names of files."""

    files: tuple[tuple[str, str], ...]
    settings: Settings

    def unit(self, more: Mapping[str, str]) -> Unit:
        """As another process has left it, if its files are what they were."""
        if self.settings.frontend not in FRONTENDS:
            raise ArgumentError(f"there is no front end {self.settings.frontend!r}; there are {', '.join(FRONTENDS)}")
        texts = [(text + more.get(name, ""), name) for text, name in self.files]

        def read() -> Unit:
            from hetad import frontend

            return frontend.load_files(texts, self.settings)

        return kept_unit(texts, self.settings, read)


@dataclass(frozen=True)
class Derivation:
    """A gradient, a tangent or a Hessian product."""

    made: Any

    def unit(self, more: Mapping[str, str]) -> Unit:
        from hetad.frontend.derived import Derived

        derivative = self.made.derivative
        return Derived(derivative.program, derivative.entry, self.made.function.compiled.unit)
