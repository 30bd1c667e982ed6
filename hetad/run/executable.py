"""Compiled programs: a shared library whose `hetad_call` runs one function, and how to call it."""

from __future__ import annotations

import _ctypes
import ctypes
import shutil
import tempfile
import threading
import weakref
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import BackendError
from hetad.ir.types import Int, Struct, Void
from hetad.run import cache, compiler, forking, mpi, process, schedule
from hetad.run.layout import Frame, ctype_of, dtype_of, is_bool
from hetad.run.progress import Watch, shown
from hetad.run.report import Report
from hetad.targets.communication import INCLUDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from hetad.ir.nodes import Function, Program
    from hetad.ir.types import Type
    from hetad.run.memory import Buffer, Memory
    from hetad.targets.places import Places


def starts_afresh(program: Program, entry: str) -> bool:
    """Whether a call of `entry` finds nothing that an earlier call of the program has left: then one library serves
    all."""
    if not program.globals:  # as most are, without what it takes to look
        return True
    from hetad.analysis.between_calls import kept_between_calls

    return not kept_between_calls(program, entry)


class Library:
    """A loaded shared library.  Its C code has state of its own (the tape), so one thread at a time may be in it.

    `unloads`: whether it is gone with the last that can call it; functions found in it keep it, variables do not.
    `shared`: with all others that load this path, also what the program keeps between calls."""

    def __init__(self, path: Path, unloads: bool = False, shared: bool = True) -> None:
        self.path = path
        self.lock = forking.lock(self._load_again)
        self.handle = ctypes.CDLL(str(path)) if shared else self._copy()
        if unloads and _dlclose is not None:
            # Not at the end of the process: threads that nobody waits for may still be in it.
            weakref.finalize(self.handle, _dlclose, self.handle._handle).atexit = False
        self.users: weakref.WeakSet[Executable] = weakref.WeakSet()

    def _load_again(self) -> None:
        """In the child of a fork, where nobody ends the call of another thread: a copy, with state of its own."""
        self.handle = self._copy()
        process.connect(self.handle)
        for user in list(self.users):
            user.bind(self)

    def _copy(self) -> ctypes.CDLL:
        with tempfile.TemporaryDirectory(dir=cache.directory()) as folder:  # the same file would be the same library
            return ctypes.CDLL(shutil.copy(self.path, folder))

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self.handle, name)
        function.restype = result
        function.argtypes = arguments
        return function

    def variable(self, name: str, type_: Any) -> Any | None:
        """A variable that only some programs have."""
        return type_.in_dll(self.handle, name) if hasattr(self.handle, name) else None

    def optional(self, name: str, result: Any, *arguments: Any) -> Any | None:
        """The same for a function that only some programs have."""
        return self.function(name, result, *arguments) if hasattr(self.handle, name) else None


_dlclose = getattr(_ctypes, "dlclose", None)  # Windows has none
_loaded: weakref.WeakValueDictionary[Path, Library] = weakref.WeakValueDictionary()
_lasting: list[Library] = []  # until the process ends
_loading = forking.lock()


def library(
    source: str,
    include_dirs: Sequence[Path] = (),
    libraries: Sequence[str] = ("m",),
    unloads: bool = False,
    shared: bool = True,
) -> Library:
    """Compile C source, or take the result from the cache, and load it; the same source is loaded once where it is
    `shared`.  `unloads`: whether it may be gone again when nothing can call it any longer, as nothing else knows of it.

    Raises:
        BackendError: it cannot be compiled or loaded.
    """
    found = _load(source, include_dirs, libraries, unloads, shared)
    process.connect(found.handle)
    return found


def _load(source: str, include_dirs: Sequence[Path], libraries: Sequence[str], unloads: bool, shared: bool) -> Library:
    calls_mpi = INCLUDE in source
    unloads = unloads and not calls_mpi  # MPI calls operators that a program has made
    flags = mpi.flags() if calls_mpi else ()
    with _loading:
        path = compiler.shared_library(source, include_dirs, libraries, flags)
        found = _loaded.get(path) if shared else None
        if found is None:
            try:
                found = Library(path, unloads, shared)
            except OSError:  # made by a machine that is not quite this one: make it anew
                path.unlink(missing_ok=True)
                path = compiler.shared_library(source, include_dirs, libraries, flags)
                try:
                    found = Library(path, unloads, shared)
                except OSError as problem:
                    raise BackendError(f"the compiled program cannot be loaded: {problem}") from problem
            if calls_mpi:
                mpi.check(found.handle)
            if shared:
                _loaded[path] = found
            if not unloads:
                _lasting.append(found)
        return found


_SITES = 1024  # as in emit/support/sites.c


class Executable:
    """One function, compiled.  `frame` holds its arguments; `run` calls it with what the frame holds.

    Be in the context of `on` from filling the frame until the result is read.
    """

    memory: Memory
    streams = False  # whether a call may name one
    proves = False  # whether it asks which accesses of a call are proven to stay within their memory
    unproven: Places | None = None  # the others, of the next call
    looks: bool = False  # whether the next call looks at where arguments lie
    placed: Sequence[Buffer | None] = ()  # there, then

    def __init__(self, entry: Function, code: Library) -> None:
        self.lock = code.lock
        self.frame = Frame(tuple(p.type for p in entry.params))
        self._result = None if isinstance(entry.returns, Void) else ctype_of(entry.returns)()
        self._result_address = ctypes.addressof(self._result) if self._result is not None else None
        self._returns: Type = entry.returns
        self._returns_bool = isinstance(entry.returns, Int) and is_bool(entry.returns)
        self._arguments = ctypes.addressof(self.frame.addresses)
        self.bind(code)
        code.users.add(self)

    def load(self) -> None:
        """What runs the next call is loaded from now on, and with it the libraries that the program calls."""

    def bind(self, code: Library) -> None:
        """Find what is called in the program: at the beginning, and where it has been loaded again."""
        self._call = code.function("hetad_call", ctypes.c_int, *[ctypes.c_void_p] * 3)
        self._message = code.function("hetad_message", ctypes.c_char_p)
        self._watch = code.variable("hetad_watch", Watch)
        self._catches_interrupts = code.variable("hetad_catches_interrupts", ctypes.c_int)
        self._report = code.optional("hetad_report", None, ctypes.POINTER(ctypes.c_size_t))
        self._sites = code.optional("hetad_sites", None, ctypes.POINTER(ctypes.c_size_t))
        self._failed_launch = code.variable("hetad_failed_launch", ctypes.c_char_p)
        self._resume_in = code.optional("hetad_resume_in", None, ctypes.c_char_p, ctypes.c_double)
        use_scheduler = code.optional("hetad_use_scheduler", None, ctypes.c_void_p)
        self._schedules = use_scheduler is not None
        if use_scheduler is not None:
            use_scheduler(ctypes.cast(schedule.scheduler, ctypes.c_void_p))

    def on(self, stream: Any = None, device: int | None = None) -> AbstractContextManager[Any]:
        """The context in which arguments are placed and the function runs, and nobody else's call; None: on the current
        stream or device."""
        assert stream is None
        assert device is None
        return self.lock

    def take_frame(self, frame: Frame, memory: Memory) -> None:
        """Arguments lie in the frame, and the memory, of another executable of the function."""
        self.frame, self.memory = frame, memory
        self._arguments = ctypes.addressof(frame.addresses)

    def tell_apart(self, cells: Sequence[Any]) -> None:
        """What these cells hold is what makes a call another one."""

    def run(self, progress: bool = False) -> Any:
        """Call the function; what it returns."""
        raise NotImplementedError

    @contextmanager
    def resuming(self, directory: Path, every: float) -> Iterator[None]:
        """A call goes on from the files in a directory, if there are any, and writes some, so many seconds apart."""
        assert self._resume_in is not None
        where = str(directory).encode()
        self._resume_in(where, every)
        try:
            yield
        finally:
            self._resume_in(None, 0)

    def report(self) -> Report:
        """What the last call saved, and how much it launched; of a graph that was replayed, when it was captured."""
        found = (ctypes.c_size_t * 4)()
        if self._report is not None:
            self._report(found)
        return Report(found[0], found[1], found[2], found[3], self._watch.launches if self._watch is not None else 0)

    def saved_by(self, count: int) -> list[int]:
        """What the last call saved, in bytes by the number of what was saved; the last for all without one."""
        if self._sites is None:
            return [0] * (count + 1)
        found = (ctypes.c_size_t * _SITES)()
        self._sites(found)
        return [*found[:count], sum(found[count:])]

    def _enter(self, runtime: int, progress: bool) -> int:
        """Run the program; its error code.  With `progress` a bar shows how far it is."""
        if self._schedules:
            schedule.start()
        on_ranks = mpi.is_used() and mpi.rank() != ""
        if self._catches_interrupts is not None:
            in_main = threading.get_ident() == threading.main_thread().ident
            self._catches_interrupts.value = in_main and not on_ranks
        code: int
        if on_ranks or (progress and self._watch is not None):
            with (
                mpi.ending_at_once() if on_ranks else nullcontext(),
                shown(self._watch) if progress and self._watch is not None else nullcontext(),
            ):
                code = self._call(runtime, self._arguments, self._result_address)
        else:
            code = self._call(runtime, self._arguments, self._result_address)
        if code and self._schedules and (problem := schedule.problem()) is not None:
            raise problem
        return code

    def _failure(self) -> str:
        message: bytes = self._message() or b"the program failed"
        return mpi.rank() + message.decode("utf-8", "replace")

    def _placed(self, message: str) -> str:
        """The error of a launch, with its place in the program."""
        place: bytes | None = self._failed_launch.value if self._failed_launch is not None else None
        if place is None or not message.startswith("kernel "):
            return message
        return f"{place.decode('utf-8', 'replace')}: {message}"

    def _returned(self) -> Any:
        if self._result is None:
            return None
        if isinstance(self._returns, Struct):
            import numpy as np

            from hetad.run.arrays import to_python

            return to_python(np.frombuffer(self._result.raw, dtype_of(self._returns))[0])
        value = self._result.value
        return bool(value) if self._returns_bool else value
