"""What was worked out for a program, kept for other processes: under the hash of what it was worked out from.

An entry is a pickle in the cache of compiled code, which only its owner can write (`cache.py`).  Its name is a hash of
hetad itself - a change of any of its files makes all entries others - and of what the caller names: the content of
sources, and all that was asked.  `HETAD_KEEP=0` works everything out anew.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hetad.deep import deep
from hetad.diagnostics import problems_so_far
from hetad.passes.manager import is_watched
from hetad.run import cache
from hetad.run.timing import step

T = TypeVar("T")


def kept(parts: Sequence[str] | None, make: Callable[[], T]) -> T:
    """What `make` gives, from the cache if it is there; `parts` tell it apart from everything else, None for what
    cannot be told apart.  What is not whole, as some problem was collected on the way, is not kept."""
    if parts is None or not is_enabled():
        return make()
    name = _name(parts)
    with step(_what(parts)) as noted:
        data = cache.contents(cache.directory() / name)
        if data is not None:
            with contextlib.suppress(Exception):  # as good as absent
                found: T = _load(data)
                noted.found = True
                return found
        before = problems_so_far()
        value = make()
    if problems_so_far() > before:
        return value
    with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError, OSError):
        blob = _dump(value)
        cache.entry(name, lambda path: _write(path, blob))
    return value


def _what(parts: Sequence[str]) -> str:
    """The words among what tells an entry apart."""
    return " ".join(part for part in parts if part.replace(" ", "").replace("_", "").isalnum() and len(part) < 40)


def forget(parts: Sequence[str]) -> None:
    """What was kept is true no longer."""
    (cache.directory() / _name(parts)).unlink(missing_ok=True)


def _name(parts: Sequence[str]) -> str:
    return f"{cache.key(stamp(), *parts)}.pickle"


def is_enabled() -> bool:
    """Not while somebody watches the passes, who would see none."""
    return os.environ.get("HETAD_KEEP", "") != "0" and not is_watched()


@functools.cache
def stamp() -> str:
    """Changes with any file of hetad, and with Python."""
    root = Path(__file__).parents[1]
    words = [sys.version, str(root)]
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for file in sorted(files):
            stat = os.stat(os.path.join(folder, file))  # noqa: PTH116, PTH118 - six hundred files, at every start
            words.append(f"{file} {stat.st_size} {stat.st_mtime_ns}")
    return cache.key(*words)


@deep
def _dump(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


@deep
def _load(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301 - of the user's own, see `cache.py`


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
