"""Definitions at file scope: prototypes that they fit, and none that needs itself."""

from __future__ import annotations

from hetad.diagnostics import (
    Span,
    UnknownNameError,
    UnsupportedError,
)
from hetad.frontend.items import Item
from hetad.frontend.lower.context import Signature
from hetad.ir.types import Pointer, Type, element


def undefined(name: str, span: Span | None) -> UnknownNameError:
    message = f"'{name}' is declared but not defined in this program"
    return UnknownNameError(message, span, "load its source too: hetad.load([...])")


def fits(prototype: Signature, definition: Signature) -> bool:
    """Whether both mean the same function; const, and how a reference is passed, are not compared."""
    return prototype.returns == definition.returns and _plain(prototype) == _plain(definition)


def _plain(signature: Signature) -> list[Type]:
    references = signature.references or (False,) * len(signature.params)
    return [
        _unqualified(element(t) if reference else t) for t, reference in zip(signature.params, references, strict=True)
    ]


def _unqualified(type_: Type) -> Type:
    return Pointer(_unqualified(type_.to)) if isinstance(type_, Pointer) else type_


class Once:
    """Raises where something at file scope is needed for its own definition."""

    def __init__(self, open_: set[str], name: str, item: Item | None) -> None:
        self._open, self._name, self._item = open_, name, item

    def __enter__(self) -> None:
        if self._name in self._open:
            raise UnsupportedError(
                f"'{self._name}' refers to itself",
                self._item.span if self._item is not None else None,
                "use indices into an array in place of pointers",
            )
        self._open.add(self._name)

    def __exit__(self, *exception: object) -> None:
        self._open.discard(self._name)
