"""The names of functions that hetad knows without a definition, for error messages."""

from __future__ import annotations

from functools import cache

from hetad.frontend.lower.builtins import ATOMICS, BARRIERS, INERT, REDUCTIONS, SHUFFLES, VOTES
from hetad.memops.library import IN_OWN_MEMORY
from hetad.memops.table import TABLE


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
    return tuple(
        sorted({*TABLE, *ATOMICS, *BARRIERS, *INERT, *SHUFFLES, *REDUCTIONS, *VOTES, *IN_OWN_MEMORY, *mathematics()})
    )
