"""Programs whose accesses are checked where nothing proves that they stay within their memory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hetad.run import forking
from hetad.run.executable import Executable
from hetad.run.layout import Frame
from hetad.run.memory import HostMemory
from hetad.targets.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hetad.ir.nodes import Function
    from hetad.run.cpu_executable import CpuExecutable
    from hetad.run.report import Report

_MOST = 4  # that check accesses at different places


class AdaptiveExecutable(Executable):
    """Of some executables of one function, each made when it is first needed, the one runs a call that checks what is
    `unproven` of it; whoever has placed the arguments says what that is."""

    proves = True

    def __init__(self, entry: Function, make: Callable[[Places | None], CpuExecutable]) -> None:
        """`make` gives one that checks accesses at some places."""
        self.lock = forking.lock()
        self.frame = Frame(tuple(p.type for p in entry.params))
        self.memory = HostMemory()
        self._make = make
        self._made: dict[Places | None, CpuExecutable] = {}

    @property
    def looks(self) -> bool:  # type: ignore[override]
        return self.unproven is not None

    def load(self) -> None:
        self._used()

    def tell_apart(self, cells: Sequence[Any]) -> None:
        """No call is another one."""

    def run(self, progress: bool = False) -> Any:
        used = self._made.get(self.unproven) or self._used()
        with used.lock:
            if not used.looks:
                return used.run(progress)
            used.placed = self.placed
            try:
                return used.run(progress)
            finally:
                used.placed = ()

    @contextmanager
    def resuming(self, directory: Path, every: float) -> Iterator[None]:
        with self._used().resuming(directory, every):
            yield

    def report(self) -> Report:
        return self._used().report()

    def saved_by(self, count: int) -> list[int]:
        return self._used().saved_by(count)

    def _used(self) -> CpuExecutable:
        """The one for the next call, or the last; few are made, and the last of them checks everything."""
        places = self.unproven
        if places not in self._made:
            if places is not None and len(self._made) >= _MOST:
                places = Places()
            if places not in self._made:
                made = self._make(places)
                made.take_frame(self.frame, self.memory)
                self._made[places] = made
        return self._made[places]
