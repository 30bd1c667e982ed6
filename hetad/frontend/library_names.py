"""Names at file scope that a program has, and hetad's own text of a library that it includes."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.diagnostics import UnsupportedError
from hetad.frontend.items import Item, split_items
from hetad.frontend.libraries import LIBRARIES
from hetad.frontend.tokens import Token


class NameOfLibraryError(UnsupportedError):
    """A definition has a name that hetad's own text has."""


def refuse_clashes(tokens: Sequence[Token]) -> None:
    """Raises NameOfLibraryError at the first definition of the program that has such a name."""
    if not any(token.file in LIBRARIES for token in tokens):
        return
    shipped: dict[str, Item] = {}
    own: dict[str, Item] = {}
    for item in split_items(tokens):
        names = shipped if item.span.file in LIBRARIES else own
        names.update((name, item) for name, what in item.names.items() if what != "prototype")
    for name, item in own.items():
        if name in shipped and (error := clash(name, item, shipped[name])) is not None:
            raise error


def clash(name: str, *items: Item) -> NameOfLibraryError | None:
    """What is to be said of a name that these define, if one of them is hetad's own."""
    header = next((item.span.file for item in items if item.span.file in LIBRARIES), None)
    span = next((item.span for item in items if item.span.file not in LIBRARIES), None)
    if header is None or span is None or name.lower().startswith("cu"):
        return None
    remedy = "give it another name; where it is the text of a derivative, differentiate g.program, not g.source"
    return NameOfLibraryError(f"'{name}' is a name in hetad's own text of {header}", span, remedy)
