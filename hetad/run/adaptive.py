"""Programs that are checked where nothing proves that a call stays within its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hetad.run import forking
from hetad.run.checked import KnownMemory
from hetad.run.executable import Executable
from hetad.run.layout import Frame
from hetad.run.memory import HostMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from hetad.ir.nodes import Function
    from hetad.run.checked import CheckedExecutable
    from hetad.run.cpu import CpuExecutable
    from hetad.run.report import Report


class AdaptiveExecutable(Executable):
    """Of two executables of one function, each made when it is first needed, the checked one runs the calls that are
    not `proven`; whoever has placed the arguments says which are."""

    memory: KnownMemory
    proves = True

    def __init__(
        self, entry: Function, plain: Callable[[], CpuExecutable], checked: Callable[[], CheckedExecutable]
    ) -> None:
        self.lock = forking.Lock()
        self.frame = Frame(tuple(p.type for p in entry.params))
        self.memory = KnownMemory(HostMemory())
        self._make = {True: plain, False: checked}
        self._made: dict[bool, CpuExecutable] = {}

    def on(self, stream: Any = None, device: int | None = None) -> AbstractContextManager[Any]:
        return super().on(stream, device)

    def tell_apart(self, cells: Sequence[Any]) -> None:
        """No call is another one."""

    def run(self, progress: bool = False) -> Any:
        used = self._used()
        with used.lock:
            result = used.run(progress)
        self.memory.bytes.clear()
        return result

    def report(self) -> Report:
        return self._used().report()

    def saved_by(self, count: int) -> list[int]:
        return self._used().saved_by(count)

    def _used(self) -> CpuExecutable:
        if self.proven not in self._made:
            made = self._make[self.proven]()
            made.take_frame(self.frame, self.memory)
            self._made[self.proven] = made
        return self._made[self.proven]
