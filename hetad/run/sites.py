"""Where the numbered accesses of a compiled program are in its source."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from hetad.diagnostics import Span

if TYPE_CHECKING:
    from hetad.run.executable import Library


class Site(ctypes.Structure):
    """`struct hetad_access_site` (targets/accesses.py)."""

    _fields_ = (
        ("file", ctypes.c_char_p), ("text", ctypes.c_char_p), ("array", ctypes.c_char_p),
        ("line", ctypes.c_int), ("column", ctypes.c_int), ("length", ctypes.c_int), ("writes", ctypes.c_int),
        ("size", ctypes.c_size_t),
    )  # fmt: skip

    @property
    def span(self) -> Span:
        return Span(self.file.decode(), self.line, self.column, self.length)


def site(code: Library, number: int) -> Site:
    """That of an access."""
    found: Site = code.variable("hetad_access_sites", Site * (number + 1))[number]  # type: ignore[index]
    return found
