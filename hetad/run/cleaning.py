"""The cache stays below a size: what was not used for longest goes first, and what killed processes left behind.

`$HETAD_CACHE_MB` is the size in megabytes (4096).  Whoever makes an entry looks, if nobody has for a while; then an
eighth more is removed than must be, so that there is room for a while.  What is in use stays: an entry that was asked
for within the last hour may be about to be loaded.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

EVERY = 600.0  # seconds between two looks
IN_USE = 3600.0  # seconds since an entry was asked for
ABANDONED = 86400.0  # seconds since something unfinished changed
_MARK = ".cleaned"  # whose time of change is that of the last look
_TOUCH = 600.0  # seconds after which a use is noted again


def limit() -> int:
    """Bytes that the cache may hold."""
    given = os.environ.get("HETAD_CACHE_MB", "")
    return (int(given) if given.isdecimal() else 4096) * 1_000_000


def used(path: Path) -> None:
    """An entry was asked for: its time of change is that of its last use."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _TOUCH:
            os.utime(path)


def clean(directory: Path) -> None:
    """Remove what is too much, unless somebody looked a short while ago.  What cannot be removed stays."""
    mark, now = directory / _MARK, time.time()
    with suppress(OSError):
        if mark.exists() and 0 <= now - mark.stat().st_mtime < EVERY:
            return
        mark.touch()
        _abandoned(directory, now)
        _too_much(directory, now)


def _abandoned(directory: Path, now: float) -> None:
    """Scratch files, locks and folders of processes that did not live to remove them."""
    for path in directory.iterdir():
        unfinished = path.name.startswith(".") and path.name != _MARK
        folder = path.name.startswith("tmp") and path.is_dir() and not path.is_symlink()
        with suppress(OSError):
            if (unfinished or folder) and now - path.lstat().st_mtime > ABANDONED:
                shutil.rmtree(path) if folder else path.unlink()


def _too_much(directory: Path, now: float) -> None:
    with os.scandir(directory) as listed:
        files = [(e.stat(follow_symlinks=False), e.path) for e in listed if e.is_file(follow_symlinks=False)]
    total, most = sum(stat.st_size for stat, _ in files), limit()
    if total <= most:
        return
    for stat, path in sorted(files, key=lambda file: file[0].st_mtime):
        if total <= most - most // 8 or now - stat.st_mtime < IN_USE:
            return
        with suppress(OSError):
            Path(path).unlink()
            total -= stat.st_size
