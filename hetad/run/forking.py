"""What a fork does not leave locked for ever: locks, and modules that are being imported.

The child of a fork has one thread, the one that forked.  What another one held in the parent nobody gives back there:
such a lock is made anew, and what it guards may have been left in the middle of a change.  Python's lock of a module
cannot be made anew, nor can half a module be used: as hetad imports its parts when they are first needed, a fork waits
until no other thread is at that.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType

WAIT = 10.0  # seconds a fork waits for imports at most: an import may itself wait for the thread that forks
_IMPORT = "<frozen importlib._bootstrap>"


def lock(lost: Callable[[], None] | None = None) -> threading.RLock:
    """A lock that its thread may take again.  `lost`, a method, is called in the child of a fork where another thread
    held it."""
    made = threading.RLock()
    _all[made] = weakref.WeakMethod(lost) if lost is not None else None
    return made


_all: weakref.WeakKeyDictionary[threading.RLock, weakref.WeakMethod[Callable[[], None]] | None]
_all = weakref.WeakKeyDictionary()


def _after_fork() -> None:
    for held, method in list(_all.items()):
        if held.acquire(blocking=False):
            held.release()
            continue
        held._at_fork_reinit()  # type: ignore[attr-defined]  # as the locks of the standard library are
        if method is not None and (lost := method()) is not None:
            lost()


def _imports_for_hetad(frame: FrameType | None) -> bool:
    """Whether a thread, seen from its innermost frame, imports something that hetad asked for or is part of hetad."""
    inside = False
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT:
            inside = True
        elif str(frame.f_globals.get("__name__")).partition(".")[0] == "hetad":
            if inside or frame.f_code.co_name == "<module>":
                return True
        frame = frame.f_back
    return False


def _before_fork() -> None:
    me, end = threading.get_ident(), time.monotonic() + WAIT
    while any(_imports_for_hetad(frame) for thread, frame in sys._current_frames().items() if thread != me):
        if time.monotonic() > end:
            return
        time.sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
