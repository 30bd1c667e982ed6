"""At which places of a program accesses are checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetad.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Places:
    """`some` of the program's, and all in some files; None: everywhere.  In a derivative they are where these accesses,
    and their adjoints, have come to."""

    some: frozenset[Span] | None = None
    files: frozenset[str] = frozenset()

    def has(self, span: Span) -> bool:
        return self.some is None or span in self.some or span.file in self.files

    @property
    def text(self) -> str:
        """What tells them apart from all others."""
        if self.some is None:
            return "everywhere"
        return " ".join([*sorted(f"{s}-{s.length}" for s in self.some), *sorted(self.files)])


def joined(several: Iterable[Places | None]) -> Places | None:
    """What is at one of them at least; None: nothing."""
    found = [places for places in several if places is not None]
    some = [places.some for places in found if places.some is not None]
    if len(some) < len(found):
        return Places()
    return Places(frozenset().union(*some), frozenset().union(*(p.files for p in found))) if found else None
