"""A progress bar for a running gradient: a thread looks now and then at what the program says of itself."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Any

INTERVAL = 0.1  # seconds


class Watch(ctypes.Structure):
    """`struct hetad_watch` of emit/support/watch.c."""

    _fields_ = (
        ("launches", ctypes.c_size_t),
        ("forward", ctypes.c_size_t),
        ("steps", ctypes.c_size_t),
        ("all_steps", ctypes.c_size_t),
    )


def seen(watch: Watch) -> tuple[str, int, int | None]:
    """What the program does, how much of it is done, and of how much: None while nobody knows."""
    if watch.all_steps:
        return "time steps", watch.steps, watch.all_steps
    if watch.forward:  # there are about as many pullbacks as kernels
        done = watch.launches - watch.forward
        return "reverse sweep", done, max(watch.forward, done)
    return "forward sweep", watch.launches, None


@contextlib.contextmanager
def shown(watch: Watch) -> Iterator[None]:
    """With a bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    done = threading.Event()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("forward sweep", total=None)

        def follow() -> None:
            while not done.wait(INTERVAL):
                _update(bar, task, watch)

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield
        finally:
            done.set()
            follower.join()
            _update(bar, task, watch)


def _update(bar: Any, task: Any, watch: Watch) -> None:
    description, completed, total = seen(watch)
    bar.update(task, description=description, completed=completed, total=total)
