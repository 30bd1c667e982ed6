"""What the commands print with: rich's consoles, made when first used, since importing rich takes time."""

from __future__ import annotations

import functools
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 120
_SOURCE = re.compile(r" +\d* \| ")
_PATIENCE = 1.0  # seconds before a progress bar shows


@functools.cache
def out() -> Console:
    """Results."""
    return _console(stderr=False)


@functools.cache
def err() -> Console:
    """Errors, notes and progress."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(stderr=stderr, highlight=False, width=width)


def say(console: Console, content: Any, indent: int = 0) -> None:
    """Text whose lines may be long: wrapped between words on a terminal, continued with an indent; else as it is.
    Lines of source, and the carets below them, are never wrapped."""
    if not console.is_terminal:
        console.print(content, markup=False, soft_wrap=True)
        return
    from rich.text import Text

    text = content if isinstance(content, Text) else Text(str(content))
    for line in text.split("\n", allow_blank=True):
        of_source = _SOURCE.match(line.plain) is not None
        first, *rest = [line] if of_source else line.wrap(console, console.width, overflow="fold") or [line]
        first.rstrip()
        console.print(first, soft_wrap=True)
        if rest:
            more = Text(" ").join(part.copy() for part in rest)
            for part in more.wrap(console, console.width - indent, overflow="fold"):
                console.print(Text(" " * indent) + part, soft_wrap=True)


def print_json(value: Any) -> None:
    """For scripts; infinities and NaN become strings, which JSON does not have."""
    print(json.dumps(_plain(value), indent=2))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def print_source(text: str, line_numbers: bool = False) -> None:
    """CUDA text, with colours on a terminal, else as it is."""
    if not sys.stdout.isatty():
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from rich.syntax import Syntax

    out().print(Syntax(text, "cuda", line_numbers=line_numbers, background_color="default", word_wrap=False))


@contextmanager
def progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on the terminal for work that takes over a second.

    Gives a function to call with (done, total).
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    with _delayed_bar(description) as update:
        yield update


@contextmanager
def _delayed_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    import threading

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=err(), transient=True)
    task = bar.add_task(description, total=None)
    timer = threading.Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
