"""Compiled artefacts, kept on disk under the hash of everything that went into them.

`$HETAD_CACHE_DIR`, else `$XDG_CACHE_HOME/hetad`, else `~/.cache/hetad`; a temporary directory where that cannot be
written, is full, or where others can write: what lies there is loaded into the process.  A file is complete or absent:
it is written beside its place and renamed, so that processes may build the same entry at the same time.  It ends in a
digest of its contents, because loading a truncated library kills the process; an entry whose digest is wrong counts as
absent.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import shutil
import tempfile
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hetad.run import cleaning, private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FORMAT = "1"  # part of every key: raise it when the meaning of an entry changes
_SEAL = b"hetad-ok"  # precedes the digest at the end of an entry; the ELF loader ignores what follows the sections

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}

_usable: dict[str, Path] = {}


def configured_directory() -> Path:
    """Where the cache should be, whether or not it exists or can be written."""
    if explicit := os.environ.get("HETAD_CACHE_DIR"):
        return Path(explicit).expanduser().absolute()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg).absolute() / "hetad"
    try:
        return Path.home() / ".cache" / "hetad"
    except RuntimeError:  # no home directory
        return Path(tempfile.gettempdir()) / f"hetad-{os.getuid() if hasattr(os, 'getuid') else 0}"


def directory() -> Path:
    """The cache directory, made if need be; a temporary one, for this process, if it cannot be written or if others can
    write there, of which a warning tells once."""
    wanted = configured_directory()
    key = str(wanted)
    found = _usable.get(key)
    if found is None or not found.is_dir():
        if not _writable(wanted):
            problem: str | None = "it cannot be written"
        elif problem := private.objection(wanted):
            problem += ", and code of theirs would run here"
        found = _usable[key] = wanted if problem is None else _instead_of(wanted, problem)
    return found


def _instead_of(wanted: Path, problem: str) -> Path:
    warnings.warn(
        f"hetad does not use the cache directory {wanted}: {problem}; this process compiles anew, into a temporary "
        "directory.  Set HETAD_CACHE_DIR to a directory of your own.",
        RuntimeWarning,
        stacklevel=3,
    )
    return _temporary()


def key(*parts: str | bytes) -> str:
    """The name of an entry: a hash of `parts`, of which no two different sequences agree."""
    digest = hashlib.sha256(FORMAT.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]


def entry(name: str, make: Callable[[Path], None]) -> Path:
    """The path of the entry `name`; where it is absent or damaged, `make(path)` writes it anew.

    `make` writes to a path of its own, which then takes the entry's place in one step.
    """
    try:
        return _entry(directory() / name, make)
    except OSError as problem:
        wanted = configured_directory()
        if problem.errno not in _FULL or directory() != wanted:
            raise
        _usable[str(wanted)] = _instead_of(wanted, str(problem))
        return _entry(directory() / name, make)


def _entry(path: Path, make: Callable[[Path], None]) -> Path:
    if intact(path):
        return path
    with _alone(path.name):
        if not intact(path):  # another process may have made it meanwhile
            _make(path, make)
    cleaning.clean(path.parent)
    return path


def _make(path: Path, make: Callable[[Path], None]) -> None:
    scratch = _scratch(path)
    try:
        make(scratch)
        _seal(scratch)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """One process makes an entry while the others wait for it; where files cannot be locked, each makes its own.

    Whoever comes while the lock is taken away may find no other: then two make the entry, as if there were no locks."""
    path = directory() / f".{name}.lock"
    with path.open("wb") as file:
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def write_text(name: str, text: str) -> Path:
    """Keep a text (a source, for the user to read) in the cache."""
    path = directory() / name
    scratch = _scratch(path)
    try:
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    return path


def intact(path: Path) -> bool:
    """Whether the entry is there, a file of this user's own, and its contents are those that were written."""
    return contents(path) is not None


def contents(path: Path) -> bytes | None:
    """What was written to an entry; None if it is not intact."""
    try:
        with open(path, "rb", opener=_no_link) as file:
            data = file.read() if private.is_private_file(file.fileno()) else b""
    except OSError:
        return None
    body, seal, digest = data[:-40], data[-40:-32], data[-32:]
    if seal != _SEAL or hashlib.sha256(body).digest() != digest:
        return None
    cleaning.used(path)
    return body


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _seal(path: Path) -> None:
    path.chmod(path.stat().st_mode & ~0o022)
    digest = hashlib.sha256(path.read_bytes()).digest()
    with path.open("ab") as file:
        file.write(_SEAL + digest)


def _scratch(path: Path) -> Path:
    """A new name beside `path`, with its suffix (compilers look at it)."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem[:12]}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    return Path(name)


def _writable(path: Path) -> bool:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return True
    except OSError:
        return False


def _temporary() -> Path:
    path = tempfile.mkdtemp(prefix="hetad-")
    atexit.register(_remove, path, os.getpid())
    return Path(path)


def _remove(path: str, owner: int) -> None:
    """What a fork leaves to its parent is the parent's to remove."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
