"""Emitted texts, as tests look at them."""

from __future__ import annotations

_SUPPORT = "// ---- hetad's own functions"


def own_text(source: str) -> str:
    """A derivative's text without hetad's functions that stand behind it."""
    return source.split(_SUPPORT, maxsplit=1)[0]
