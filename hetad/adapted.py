"""What functions have in common that an array library can call: they show their signature in C, and refuse by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from hetad.run.signature import RETURN, bind

if TYPE_CHECKING:
    from hetad.diagnostics import ArgumentError
    from hetad.functional import Argument, Functional


class Adapted:
    """A function of a program on arrays of a library.  It has no state: copies are itself."""

    library: ClassVar[str]

    def __init__(self, functional: Functional, returned: Sequence[str]) -> None:
        """`returned`: the outputs that a call gives."""
        self.functional = functional
        self.wrt = functional.wrt
        self._signature = functional.signature
        self._arguments = functional.arguments
        self._names = tuple(a.name for a in functional.arguments)
        self._gives = ", ".join("the return value" if name == RETURN else name for name in returned) or "nothing"
        self.__name__ = functional.function.name
        self.__doc__ = f"{functional.signature}\n\nReturns {self._gives}."
        self.__signature__ = functional.shown

    def _bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        return bind(self._signature, args, named, self._names)

    def _refuse(self, problem: str, remedy: str, argument: Argument) -> ArgumentError:
        return self._signature.refuse(problem, remedy, argument.name)

    def __deepcopy__(self, _: Any) -> Adapted:
        """Modules that hold it can be copied."""
        return self

    def __repr__(self) -> str:
        names = ", ".join(self._names)
        return f"<hetad function of {self.library}, {names} to {self._gives}: {self._signature.text}>"
