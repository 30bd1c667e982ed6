"""The names of functions that hetad knows without a definition, for error messages."""

from __future__ import annotations

from functools import cache

from hetad.memops.library import IN_OWN_MEMORY
from hetad.rules import callees


@cache
def mathematics() -> frozenset[str]:
    """Every name that some argument types make a known mathematical function."""
    from hetad.rules.inactive import CLASSIFICATION
    from hetad.rules.math.overloads import OVERLOADED, STANDARD
    from hetad.rules.math.table import prototypes

    return frozenset({*prototypes(), *STANDARD, *OVERLOADED, *CLASSIFICATION, "abs", "min", "max"})


@cache
def functions() -> tuple[str, ...]:
    """All of them, sorted."""
    own = ("support", "shuffle adjoint")
    others = (row.name for row in callees.table().values() if row.kind not in own)
    return tuple(sorted({*others, *IN_OWN_MEMORY, *mathematics()}))
