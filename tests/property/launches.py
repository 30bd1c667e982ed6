"""Launches of kernels on memory of the host: with all of it or parts, over as many threads as there is work or more, in
streams that wait for each other.

All floating arrays of a program have the same number of elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.property.blocks import Block
from tests.property.choices import Choices, Scope
from tests.property.device import Kernel, Parameter


@dataclass(frozen=True)
class Extent:
    """Elements of the floating arrays, `n * width`."""

    n: int
    width: int

    @property
    def length(self) -> int:
        return self.n * self.width

    @property
    def elements(self) -> str:
        return "n" if self.width == 1 else f"n * {self.width}"


@dataclass
class Memory:
    """The pointers in scope."""

    device: list[str] = field(default_factory=list)
    device_reads: list[str] = field(default_factory=list)  # const
    host: list[str] = field(default_factory=list)
    host_reads: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)  # of ints, on the device
    freed: list[str] = field(default_factory=list)  # through this very name, at the end of the function
    temporary: list[str] = field(default_factory=list)  # freed before that

    def copy(self) -> Memory:
        return Memory(**{name: [*names] for name, names in vars(self).items()})

    def exchangeable(self, names: Iterable[str]) -> list[str]:
        """The largest group of names of which any two may change places."""
        found = [x for x in names if "[" not in x and x not in self.temporary]
        freed = [x for x in found if x in self.freed]
        kept = [x for x in found if x not in self.freed]
        return max(kept, freed, key=len)


class LaunchBlock(Block):
    def __init__(
        self, choices: Choices, scope: Scope, real: str, fuel: int, memory: Memory, extent: Extent,
        kernels: Iterable[Kernel],
    ) -> None:  # fmt: skip
        super().__init__(choices, scope, real, fuel)
        self.memory = memory
        self.extent = extent
        self.kernels = list(kernels)
        self.streams: list[str] = []

    # -- launches

    def launch(self) -> None:
        kernel = self.choices.one_of(self.kernels)
        arguments = self._arguments(kernel)
        if arguments is None:
            return
        count = "n"
        if self.extent.n > 1 and self.choices.chance(15):
            count, arguments = self._parts(kernel, arguments)
        if kernel.bundle:
            arguments = self._bundled(kernel, arguments)
        self._launched(kernel, count, arguments)

    def _launched(self, kernel: Kernel, count: str, arguments: list[str]) -> None:
        """In a stream, now and then: behind what the others have begun."""
        where = f"{kernel.name}<<<{self._grid(kernel, count)}"
        if not self.streams or self.choices.chance(40):
            return self.write(f"{where}>>>({', '.join(arguments)});")
        stream = self.choices.one_of(self.streams)
        others = [x for x in self.streams if x != stream]
        for other in others:
            self.write(*self._behind(stream, other))
        return self.write(f"{where}, 0, {stream}>>>({', '.join(arguments)});")

    def _behind(self, stream: str, other: str) -> list[str]:
        """What comes in a stream waits for what another has begun."""
        form = self.choices.number(0, 2)
        if form < 2:
            return [("cudaDeviceSynchronize();", f"cudaStreamSynchronize({other});")[form]]
        event = self.choices.name("event")
        return [
            f"cudaEvent_t {event};", f"cudaEventCreate(&{event});", f"cudaEventRecord({event}, {other});",
            f"cudaStreamWaitEvent({stream}, {event}, 0);", f"cudaEventDestroy({event});",
        ]  # fmt: skip

    def _parts(self, kernel: Kernel, arguments: list[str]) -> tuple[str, list[str]]:
        """Fewer threads, on arrays that begin later, where no index from memory leads beyond them."""
        if any(p.role == "index" for p in kernel.parameters):
            return "n", arguments
        fewer = self.choices.number(1, self.extent.n - 1)
        begins: dict[str, int] = {}
        for p, name in zip(kernel.parameters, arguments, strict=True):
            if p.role in ("own", "out", "read", "add"):
                begins.setdefault(name, self.choices.number(0, fewer) * self.extent.width)
        count = f"n - {fewer}"
        return count, [
            self.at(name, begins[name]) if name in begins else count if p.role == "size" else name
            for p, name in zip(kernel.parameters, arguments, strict=True)
        ]

    def at(self, name: str, offset: int) -> str:
        """A pointer to an element, now and then by its distance in bytes."""
        if offset and self.choices.chance(40):
            const = "const " if name in (*self.memory.device_reads, *self.memory.host_reads) else ""
            return f"({const}{self.real} *)(({const}char *){name} + {offset} * sizeof({self.real}))"
        return f"{name} + {offset}" if offset else name

    def _bundled(self, kernel: Kernel, arguments: list[str]) -> list[str]:
        """The arguments in a struct, but for the last."""
        name, members = self.choices.name("bundle"), arguments[:-1]
        if self.choices.chance(50):
            pairs = zip(kernel.parameters, members, strict=False)
            given = [f"({self.real})({a})" if p.role == "scalar" else a for p, a in pairs]  # see `blocks.py`
            self.write(f"{kernel.bundle} {name} = {{{', '.join(given)}}};")
        else:
            self.write(f"{kernel.bundle} {name};")
            pairs = zip(kernel.parameters, members, strict=False)
            self.write(*(f"{name}.{p.member} = {argument};" for p, argument in pairs))
        return [name, arguments[-1]]

    def _grid(self, kernel: Kernel, count: str) -> str:
        """Grid and block; for a kernel of which several threads may do one's work, now and then with these."""
        found = self._along_x(kernel, count)
        if not kernel.several or self.choices.chance(25):
            return found
        grid, block = found.split(", ")
        return f"dim3({grid}{self._further_axes()}), dim3({block}{self._further_axes()})"

    def _further_axes(self) -> str:
        return self.choices.one_of([", 2", "", ", 1, 3", ", 2, 2", ", 3"])

    def _along_x(self, kernel: Kernel, count: str) -> str:
        if kernel.threads == "strided":
            return self.choices.one_of(["1, 1", "2, 2", "1, 3"])
        if kernel.threads == "exact":
            return self.choices.one_of([f"1, {count}", f"{count}, 1"][self.extent.n == 0 :])  # no block is empty
        block = self.choices.one_of([4, 3, 1, 2])
        blocks = f"({count} + {block - 1}) / {block}{' + 1' if block == 2 else ''}"
        return f"{blocks}, {block}" if block > 1 else f"{count} + 2, 1"

    def _arguments(self, kernel: Kernel) -> list[str] | None:
        """Buffers are given to at most one parameter, but for owned cells, of which a buffer may serve several."""
        free = self.choices.order(self.memory.device)
        reads = [*self.memory.device_reads]
        owned: list[str] = []
        given: list[str] = []
        for p in kernel.parameters:
            argument = self._argument(p, free, reads, owned)
            if argument is None:
                return None
            given.append(argument)
        return given

    def _argument(self, p: Parameter, free: list[str], reads: list[str], owned: list[str]) -> str | None:
        match p.role:
            case "own" if p.written or not reads or self.choices.chance(50):
                if owned and (not free or self.choices.chance(20)):
                    return self.choices.one_of(owned)
                if not free:
                    return None
                owned.append(free.pop(0))
                return owned[-1]
            case "own":
                return self.choices.one_of(reads)
            case "read":
                if reads and (not free or self.choices.chance(40)):
                    return self.choices.one_of(reads)
                if not free:
                    return None
                name = free.pop(0)
                reads.append(name)
                return name
            case "add" | "out":
                return free.pop(0) if free else None
            case "index":
                return self.choices.one_of(self.memory.indices)
            case "scalar":
                return self.expressions.stored(1)
            case "count":
                return self.expressions.count()
            case _:
                return "n"

    @property
    def bytes(self) -> str:
        return f"{self.extent.elements} * sizeof({self.real})"
