"""How long the steps take that a process needs once: reading, differentiating, printing, compiling (`hetad --time`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Step:
    """`found`: in the cache, by another process.  A step has the time of those inside it."""

    name: str
    seconds: float = 0.0
    found: bool = False


steps: list[Step] = []
_MOST = 200  # that are noted


@contextmanager
def step(name: str) -> Iterator[Step]:
    """Notes how long what is inside takes."""
    made, began = Step(name), time.perf_counter()
    if len(steps) < _MOST:
        steps.append(made)
    try:
        yield made
    finally:
        made.seconds = time.perf_counter() - began
