"""Calls that another process can go on with: whose files a directory holds, and who may use them.

What a call needs to go on is written by the compiled program (`emit/support/resume.c`), into a directory that is made
here, one for each rank.  Beside its files stands what the call was: the program and hash values of its arguments.  A
call that is another one is refused; one that is the same goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import ArgumentError
from hetad.run import mpi

if TYPE_CHECKING:
    import numpy as np

_NAME = "hetad-resume"
_CALL = "call.json"


@dataclass(frozen=True, slots=True)
class Resume:
    """`every`: seconds between two times that files are written.  `program` tells the derivative and its backend apart
    from any other."""

    directory: Path
    every: float
    program: str

    @contextlib.contextmanager
    def call(self, given: Mapping[str, Any]) -> Iterator[Path]:
        """The directory for the files of a call with these arguments and seeds, arrays or numbers by name; it goes
        when the call is done, and stays when it is not.

        Raises:
            ArgumentError: the files there are those of another call, or in use.
        """
        import fcntl

        where = self.directory / f"{_NAME}{_ranks()}"
        other = next((p for p in self.directory.glob(f"{_NAME}*") if _count(p.name) != _count(where.name)), None)
        if other is not None:
            raise _refused(f"{other} is of a call on another number of ranks", other)
        where.mkdir(exist_ok=True)
        with (where / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                problem = f"resume=: a call that runs uses {where}; give each a checkpoint_dir of its own"
                raise ArgumentError(problem) from None
            self._compare(where, given)
            yield where
            shutil.rmtree(where)

    def _compare(self, where: Path, given: Mapping[str, Any]) -> None:
        call = {"program": self.program, "arguments": {name: _digest(value) for name, value in given.items()}}
        file = where / _CALL
        before = _read(file)
        if before is None:
            for old in where.glob("*-*"):
                old.unlink()
            part = where / f"{_CALL}.part"
            with part.open("w") as made:
                json.dump(call, made)
                made.flush()
                os.fsync(made.fileno())
            part.rename(file)
        elif before != call:
            raise _refused(_difference(before, call), where)


def _ranks() -> str:
    size = mpi.library().COMM_WORLD.Get_size() if mpi.is_used() else 1
    return f"-{mpi.number()}-of-{size}" if size > 1 else ""


def _count(name: str) -> str:
    return name.rpartition("-of-")[2] if "-of-" in name else "1"


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


def _digest(value: Any) -> str:
    """Of an array, or of a number as it is shown."""
    if not hasattr(value, "dtype"):
        return repr(value)
    import numpy as np

    array: np.ndarray[Any, Any] = value.get() if hasattr(value, "get") else value
    found = hashlib.sha256(f"{array.dtype} {array.shape}".encode())
    found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def _difference(before: Mapping[str, Any], call: Mapping[str, Any]) -> str:
    if before.get("program") != call["program"]:
        return "the program, its options or backend is another one than that of the call that was interrupted"
    theirs, ours = before.get("arguments", {}), call["arguments"]
    names = [name for name in ours if theirs.get(name) != ours[name]]
    return f"{', '.join(names) or 'an argument'}: not what the call that was interrupted was given"


def _refused(problem: str, where: Path) -> ArgumentError:
    return ArgumentError(f"resume=: {problem}\n  help: call it as before to go on, or remove {where}, to start anew")
