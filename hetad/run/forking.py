"""Locks that a fork does not leave locked for ever.

The child of a fork has one thread, the one that forked.  What another one held in the parent nobody gives back there:
such a lock is made anew, and what it guards may have been left in the middle of a change.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable


class Lock:
    """A lock that its thread may take again.  `lost` is called in the child of a fork where another thread held it."""

    __slots__ = ("__weakref__", "_inner", "_lost")

    def __init__(self, lost: Callable[[], None] | None = None) -> None:
        self._inner = threading.RLock()
        self._lost = lost
        _all.add(self)

    def __enter__(self) -> None:
        self._inner.acquire()

    def __exit__(self, *problem: object) -> None:
        self._inner.release()

    def after_fork(self) -> None:
        if self._inner.acquire(blocking=False):
            self._inner.release()
            return
        self._inner = threading.RLock()
        if self._lost is not None:
            self._lost()


_all: weakref.WeakSet[Lock] = weakref.WeakSet()


def _after_fork() -> None:
    for lock in list(_all):
        lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
