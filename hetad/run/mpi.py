"""MPI: the library that mpi4py has loaded, against which programs are compiled; and what a rank does that fails.

A program that includes mpi.h is compiled with the flags of the `mpicc` that belongs to that library: `$HETAD_MPICC`,
the one beside the library, or the first on the path.  mpi4py begins MPI when it is imported, and ends it with the
process.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import BackendError

if TYPE_CHECKING:
    from collections.abc import Iterator

HOW_TO_GET_IT = "`pip install mpi4py mpich` brings both"
_KEPT = ("-I", "-L", "-l", "-Wl,")
_FORWARDED = 0.2  # seconds: what mpirun has not read of a rank when that aborts may be lost


_used: list[Any] = []  # the module, from when a program has called for it


def library() -> Any:
    """The module `mpi4py.MPI`; the first use begins MPI.

    Raises:
        BackendError: it is not there, or finds no MPI.
    """
    if not _used:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as problem:
            text = f"the program calls MPI, and mpi4py cannot be loaded: {problem}; {HOW_TO_GET_IT}"
            raise BackendError(text) from None
        if MPI.COMM_WORLD.Get_size() > 1:
            _end_all_together(MPI)
        _used.append(MPI)
    return _used[0]


def is_used() -> bool:
    """Whether a program of this process has called for MPI."""
    return bool(_used)


@functools.cache
def flags() -> tuple[str, ...]:
    """What the C compiler must be told to find the header and the library.

    Raises:
        BackendError: there is no `mpicc`.
    """
    library()
    if command := wrapper():
        return _shown(command)
    raise BackendError(f"the program calls MPI, and there is no working mpicc; {HOW_TO_GET_IT}, or set HETAD_MPICC")


def wrapper() -> str | None:
    """The `mpicc` that programs are compiled with; None where there is no working one."""
    return next((command for command in _commands() if _shown(command)), None)


def _commands() -> Iterator[str]:
    if explicit := os.environ.get("HETAD_MPICC"):
        yield explicit
        return
    beside = [Path(path).parent.parent / "bin" / "mpicc" for path in _loaded()]
    beside.append(Path(sys.prefix) / "bin" / "mpicc")
    yield from (str(path) for path in beside if path.exists())
    if found := shutil.which("mpicc"):
        yield found


def _loaded() -> list[str]:
    """The files of MPI libraries in this process, where the system tells."""
    try:
        with Path("/proc/self/maps").open(encoding="utf-8", errors="replace") as file:
            paths = dict.fromkeys(line.split()[-1] for line in file if "/" in line)
    except OSError:
        return []
    return [path for path in paths if Path(path).name.startswith(("libmpi.", "libmpi_abi."))]


def _shown(command: str) -> tuple[str, ...]:
    """The flags that `mpicc` gives to its compiler."""
    try:
        done = subprocess.run(
            [*shlex.split(command), "-show"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError:
        return ()
    words = shlex.split(done.stdout) if done.returncode == 0 else []
    kept = [word for word in words if word.startswith(_KEPT)]
    paths = [f"-Wl,-rpath,{word[2:]}" for word in kept if word.startswith("-L")]
    return (*kept, *paths)


def check(handle: ctypes.CDLL) -> None:
    """Raise where a program is linked to another library than mpi4py: handles of one mean nothing to the other.

    Raises:
        BackendError: they differ.
    """
    module = library()
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    handle.MPI_Get_library_version(text, ctypes.byref(length))
    linked, theirs = text.value.decode("utf-8", "replace"), module.Get_library_version()
    if linked.strip("\0 \n") != theirs.strip("\0 \n"):
        raise BackendError(
            f"the program is linked to another MPI ({_first(linked)}) than mpi4py ({_first(theirs)}): "
            "set HETAD_MPICC to the mpicc of the latter"
        )


def _first(version: str) -> str:
    return " ".join(version.splitlines()[0].split()) if version.strip() else "unknown"


@functools.cache
def may_reach_gpus() -> bool:
    """Whether MPI may be given memory of GPUs: it says that it is CUDA-aware, does not say, or `$HETAD_MPI_CUDA_AWARE`
    says so for it."""
    if explicit := os.environ.get("HETAD_MPI_CUDA_AWARE"):
        return explicit != "0"
    library()
    for path in _loaded():
        with contextlib.suppress(OSError):
            found = ctypes.CDLL(path)
            if hasattr(found, "MPIX_Query_cuda_support"):
                return bool(found.MPIX_Query_cuda_support())
    return True


def handle_of(value: Any) -> int:
    """The handle of a communicator of mpi4py; None stands for MPI_COMM_WORLD.

    Raises:
        TypeError: it is no communicator.
    """
    module = library()
    given = module.COMM_WORLD if value is None else value
    if not isinstance(given, module.Comm):
        raise TypeError
    number: int = module._handleof(given)
    return number


def number() -> int:
    """The rank of this process among all; 0 where no program calls MPI."""
    found: int = library().COMM_WORLD.Get_rank() if is_used() else 0
    return found


def total(value: float) -> float:
    """The sum over all ranks, of a process that has run a program that calls MPI; the same number on each."""
    found: float = library().COMM_WORLD.allreduce(value) if is_used() else value
    return found


def total_norm(value: float) -> float:
    """The Euclidean norm of all ranks' norms."""
    return math.sqrt(total(value * value)) if is_used() else value


def rank(before: str = "", behind: str = ": ") -> str:
    """`rank 2 of 4`, with what stands before and behind it, where there are several; in front of what went wrong."""
    if not is_used():
        return ""
    world = library().COMM_WORLD
    return f"{before}rank {world.Get_rank()} of {world.Get_size()}{behind}" if world.Get_size() > 1 else ""


def abort_if_several() -> None:
    """Ends all ranks: one that has failed would let the others wait for ever."""
    if is_used() and library().COMM_WORLD.Get_size() > 1:
        _abort(library())


def _abort(module: Any) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    time.sleep(_FORWARDED)
    module.COMM_WORLD.Abort(1)


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """Ctrl-C ends the process, and with it all ranks: one that waits for another would never come to see it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_all_together(module: Any) -> None:
    """An error that nobody handles ends all ranks, once it has been shown."""
    shown = sys.excepthook

    def show(kind: Any, value: Any, trace: Any) -> None:
        shown(kind, value, trace)
        _abort(module)

    sys.excepthook = show
