"""Programs that nest deeply: sums of thousands of terms, else-if chains, macros of macros, as generators write them.

Front end and passes recurse over the tree of a program.  That is deeper than Python's limit only for such programs, so
only these pay: what has failed for want of depth is done again in a thread with a stack of its own.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from hetad.diagnostics import UnsupportedError

_STACK = 1 << 30  # bytes, of which only what is used is ever there
_LIMIT = 200_000  # frames of Python, which take less of the stack than that
_REMEDY = "split long expressions, and chains of else-if or of calls"

P = ParamSpec("P")
R = TypeVar("R")

_here = threading.local()
_lock = threading.Lock()


def deep(function: Callable[P, R], surely: Callable[P, bool] | None = None) -> Callable[P, R]:
    """The function, for programs of any depth.  Where it fails for want of depth it must leave nothing half done.
    `surely`: whether it will fail, so that there is no need to try."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_here, "deep", False):
            return function(*args, **kwargs)
        with _Limit():
            if surely is None or not surely(*args, **kwargs):
                try:
                    return function(*args, **kwargs)
                except RecursionError:
                    pass
            return _in_deep_thread(lambda: function(*args, **kwargs))

    return called


class _Limit:
    """The interpreter's limit, which all threads share: once raised, it stays while any thread is at work here, which
    may be deeper by then than the limit from before, and Python ends the process of a thread that is."""

    calls = 0
    before: int | None = None

    @classmethod
    def __enter__(cls) -> None:
        with _lock:
            cls.calls += 1

    @classmethod
    def __exit__(cls, *_: object) -> None:
        with _lock:
            cls.calls -= 1
            if cls.calls == 0 and cls.before is not None:
                sys.setrecursionlimit(cls.before)
                cls.before = None

    @classmethod
    def raised(cls) -> None:
        with _lock:
            if cls.before is None:
                cls.before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(_LIMIT, cls.before))


def _in_deep_thread(function: Callable[[], R]) -> R:
    context = contextvars.copy_context()
    results: list[R] = []
    errors: list[BaseException] = []

    def work() -> None:
        _here.deep = True
        try:
            results.append(context.run(function))
        except BaseException as error:  # noqa: BLE001 - it is raised where the function was called
            errors.append(error)

    _Limit.raised()
    thread = _started(work)
    _wait(thread)
    if errors:
        if isinstance(errors[0], RecursionError):
            raise UnsupportedError("the program nests more deeply than hetad can follow", None, _REMEDY) from None
        raise errors[0]
    return results[0]


def _started(work: Callable[[], None]) -> threading.Thread:
    """The size of a stack is told to all threads that start from now on; so only while this one does."""
    with _lock:
        before = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=work, name="hetad-deep", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def _wait(thread: threading.Thread) -> None:
    """For its end; Ctrl-C ends it."""
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt as error:
            _raise_in(thread, type(error))


def _raise_in(thread: threading.Thread, error: Any) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(error))
