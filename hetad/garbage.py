"""Collections of garbage, which passes make little of that is not freed by itself.

The IR is a tree that lives as long as passes ask about it.  To look through it for cycles again and again, as Python
does after every 700 new objects, takes a sixth of the time of a differentiation.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 500_000  # new objects: some 50 MB

_lock = threading.Lock()


class _Threshold:
    """The interpreter's, which all threads share, is up while some thread needs it."""

    users = 0
    before = (0, 0, 0)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Inside, the collector runs seldom; where the program has told it to, or not to run at all, that stands."""
    with _lock:
        if _Threshold.users == 0:
            _Threshold.before = gc.get_threshold()
            if 0 < _Threshold.before[0] < _SELDOM:
                gc.set_threshold(_SELDOM, *_Threshold.before[1:])
        _Threshold.users += 1
    try:
        yield
    finally:
        with _lock:
            _Threshold.users -= 1
            if _Threshold.users == 0:
                gc.set_threshold(*_Threshold.before)
