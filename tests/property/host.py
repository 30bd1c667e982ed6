"""Host functions: memory, copies, launches, loops around them, scalars that go round.

All floating arrays of a program have the same number of elements.  No two pointers that can be named reach the same
memory, so that exchanging any two keeps the program valid.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.property.blocks import Block
from tests.property.choices import Choices, Scope
from tests.property.device import Kernel, Parameter


@dataclass(frozen=True)
class Helper:
    """A host function that the entry calls: `devices` written and `reads` read-only device arrays, a scalar, n."""

    name: str
    devices: int
    reads: int
    by_reference: bool
    returns: bool
    text: str


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


class HostBlock(Block):
    def __init__(
        self, choices: Choices, scope: Scope, real: str, fuel: int, memory: Memory, extent: Extent,
        kernels: Iterable[Kernel], helpers: Iterable[Helper],
    ) -> None:  # fmt: skip
        super().__init__(choices, scope, real, fuel)
        self.memory = memory
        self.extent = extent
        self.kernels = list(kernels)
        self.helpers = list(helpers)
        for name in memory.host:
            self.name_cells(name)
        for name in memory.host_reads:
            scope.reads.append(self._cell(name))

    def name_cells(self, name: str) -> None:
        self.scope.cells.append(self._cell(name))

    def _cell(self, name: str) -> Callable[[], str]:
        def cell() -> str:
            if self.scope.ints and self.choices.chance(40):
                return f"{name}[{self.expressions.whole()} % {self.extent.length}]"
            return f"{name}[{self.choices.number(0, self.extent.length - 1)}]"

        return cell

    def forms(self) -> list[Callable[[], None]]:
        found = [self.launch] * 6
        if self.depth < 3:
            found += [self.count_loop] * 3 + [self.while_loop, self.branch] + [self.temporary] * 2
        found += [self.copy] * 3 + [self.set_memory] + [self.swap] * 3 + [self.read_back] * 2
        found += [self.helper] * (6 if self.helpers else 0)
        found += [self.assign, self.compound, self.declare, self.host_loop, self.jump, self.local_array, self.pair]
        return found

    def assign(self) -> None:
        if self.expressions.place():
            super().assign()
        else:
            self.declare()

    # -- launches

    def launch(self) -> None:
        kernel = self.choices.one_of(self.kernels)
        arguments = self._arguments(kernel)
        if arguments is None:
            return
        if kernel.bundle:
            arguments = self._bundled(kernel, arguments)
        self.write(f"{kernel.name}<<<{self._grid(kernel)}>>>({', '.join(arguments)});")

    def _bundled(self, kernel: Kernel, arguments: list[str]) -> list[str]:
        """The arguments in a struct, but for the last."""
        name, members = self.choices.name("bundle"), arguments[:-1]
        if self.choices.chance(50):
            self.write(f"{kernel.bundle} {name} = {{{', '.join(members)}}};")
        else:
            self.write(f"{kernel.bundle} {name};")
            pairs = zip(kernel.parameters, members, strict=False)
            self.write(*(f"{name}.{p.member} = {argument};" for p, argument in pairs))
        return [name, arguments[-1]]

    def _grid(self, kernel: Kernel) -> str:
        """Grid and block; for a kernel of which several threads may do one's work, now and then with these."""
        found = self._along_x(kernel)
        if not kernel.several or self.choices.chance(25):
            return found
        grid, block = found.split(", ")
        return f"dim3({grid}{self._further_axes()}), dim3({block}{self._further_axes()})"

    def _further_axes(self) -> str:
        return self.choices.one_of([", 2", "", ", 1, 3", ", 2, 2", ", 3"])

    def _along_x(self, kernel: Kernel) -> str:
        if kernel.threads == "strided":
            return self.choices.one_of(["1, 1", "2, 2", "1, 3"])
        if kernel.threads == "exact":
            return self.choices.one_of(["1, n", "n, 1"])
        block = self.choices.one_of([4, 3, 1])
        return f"(n + {block - 1}) / {block}, {block}" if block > 1 else "n + 2, 1"

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

    # -- memory

    def copy(self) -> None:
        memory = self.memory
        written = [*memory.device, *memory.host]
        if not written:
            return
        target = self.choices.one_of(written)
        device = {*memory.device, *memory.device_reads}
        sources = [x for x in [*memory.device, *memory.device_reads, *memory.host, *memory.host_reads] if x != target]
        length = self.extent.length
        if (length >= 2 and self.choices.chance(15)) or not sources:  # within one array
            if length < 2:
                return
            source, count = target, length // 2
            to, start = (0, length - count) if self.choices.chance(50) else (length - count, 0)
        else:
            source = self.choices.one_of(sources)
            count = length if self.choices.chance(60) else self.choices.number(1, length)
            to, start = (self.choices.number(0, length - count) for _ in range(2))
        size = self.bytes if count == length else f"{count} * sizeof({self.real})"
        to_text, from_text = (
            f"{name} + {offset}" if offset else name for name, offset in ((target, to), (source, start))
        )
        if target not in device and source not in device and self.choices.chance(50):
            self.write(f"memcpy({to_text}, {from_text}, {size});")
            return
        ends = {True: "Device", False: "Host"}
        kind = f"cudaMemcpy{ends[source in device]}To{ends[target in device]}"
        if self.choices.chance(10):
            kind = "cudaMemcpyDefault"
        self.write(f"cudaMemcpy({to_text}, {from_text}, {size}, {kind});")

    @property
    def bytes(self) -> str:
        return f"{self.extent.elements} * sizeof({self.real})"

    def set_memory(self) -> None:
        names = [*self.memory.device, *self.memory.host]
        if not names:
            return
        name = self.choices.one_of(names)
        count = self.extent.length if self.choices.chance(50) else self.choices.number(1, self.extent.length)
        start = self.choices.number(0, self.extent.length - count)
        call = "cudaMemset" if name in self.memory.device else "memset"
        size = self.bytes if count == self.extent.length else f"{count} * sizeof({self.real})"
        self.write(f"{call}({name}{f' + {start}' if start else ''}, 0, {size});")

    def allocate(self, name: str, kind: str, source: str | None = None) -> None:
        """A buffer with defined contents."""
        if kind == "host":
            calloc = source is None and self.choices.chance(50)
            size = f"calloc({self.extent.elements}, sizeof({self.real}))" if calloc else f"malloc({self.bytes})"
            self.write(f"{self.real} *{name} = ({self.real} *){size};")
            if source is not None:
                self.write(f"memcpy({name}, {source}, {self.bytes});")
            elif not calloc:
                self.write(f"memset({name}, 0, {self.bytes});")
            return
        cast = "(void **)" if self.choices.chance(50) else ""
        self.write(f"{self.real} *{name};", f"cudaMalloc({cast}&{name}, {self.bytes});")
        if source is None:
            self.write(f"cudaMemset({name}, 0, {self.bytes});")
        else:
            self.write(f"cudaMemcpy({name}, {source}, {self.bytes}, cudaMemcpyHostToDevice);")

    def temporary(self) -> None:
        """Memory that lives for a few statements."""
        kind = self.choices.one_of(["device", "host"])
        name = self.choices.name("t")
        outer = self.memory
        with self.nested("{"):
            self.memory = outer.copy()
            self.allocate(name, kind)
            (self.memory.device if kind == "device" else self.memory.host).append(name)
            self.memory.temporary.append(name)
            if kind == "host":
                self.name_cells(name)
            returns, self.returns = self.returns, None
            loops, self.loops = self.loops, []
            self.statements(4)
            self.returns, self.loops = returns, loops
            self.write(f"cudaFree({name});" if kind == "device" else f"free({name});")
            self.memory = outer

    def swap(self) -> None:
        names = self.memory.exchangeable(self.memory.device if self.choices.chance(75) else self.memory.host)
        if len(names) < 2:
            return
        turned = self.choices.order(names)[: 3 if self.choices.chance(30) else 2]
        t = self.choices.name("o")
        self.write(f"{self.real} *{t} = {turned[0]};")
        self.write(*(f"{a} = {b};" for a, b in itertools.pairwise([*turned, t])))

    def pair(self) -> None:
        """Two pointers in an array, indexed by an int."""
        if len(self.memory.device) < 2 or not self.scope.ints:
            return
        a, b = self.choices.order(self.memory.device)[:2]
        k, name = self.expressions.whole(), self.choices.name("pair")
        outer = self.memory
        with self.nested("{"):
            self.write(f"{self.real} *{name}[2] = {{{a}, {b}}};")
            self.memory = outer.copy()
            self.memory.device = [x for x in outer.device if x not in (a, b)]
            self.memory.device += [f"{name}[{k} % 2]", f"{name}[({k} + 1) % 2]"]
            self.statements(2, [self.launch, self.launch, self.copy])
            self.memory = outer

    # -- scalars

    def read_back(self) -> None:
        sources = [*self.memory.device, *self.memory.device_reads]
        if not sources:
            return
        source, at = self.choices.one_of(sources), self.choices.number(0, self.extent.length - 1)
        if self.scope.reals and self.choices.chance(40):
            name = self.choices.one_of(self.scope.reals)
        else:
            name = self.choices.name("v")
            self.write(f"{self.real} {name};")
            self.scope.reals.append(name)
        self.write(
            f"cudaMemcpy(&{name}, {source}{f' + {at}' if at else ''}, sizeof({self.real}), cudaMemcpyDeviceToHost);"
        )

    def host_loop(self) -> None:
        """A loop over a host array."""
        names = [*self.memory.host, *self.memory.host_reads]
        if not names:
            return
        j, name = self.choices.name("j"), self.choices.one_of(names)
        with self.nested(f"for (int {j} = 0; {j} < {self.extent.elements}; {j}++) {{"):
            self.scope.ints.append(j)
            cell = f"{name}[{j}]"
            if name in self.memory.host:
                self.scope.cells.append(lambda: cell)
            else:
                self.scope.reads.append(lambda: cell)
            self.statements(3, [self.assign, self.compound, self.compound, self.declare])

    def helper(self) -> None:
        helper = self.choices.one_of(self.helpers)
        devices = self.choices.order(self.memory.device)
        reads = [*self.memory.device_reads, *devices[helper.devices :]]
        if len(devices) < helper.devices or (helper.reads and not reads):
            return
        arguments = [*devices[: helper.devices], *(self.choices.one_of(reads) for _ in range(helper.reads))]
        if helper.by_reference:
            if not self.scope.reals:
                return
            arguments.append(f"&{self.choices.one_of(self.scope.reals)}")
        if helper.reads or not helper.by_reference:
            arguments.append(self.expressions.stored(1))
        arguments += [*self.memory.indices[:1], self.expressions.count(), "n"]
        call = f"{helper.name}({', '.join(arguments)})"
        if not helper.returns:
            self.write(f"{call};")
            return
        name = self.choices.name("v")
        self.write(f"{self.real} {name} = {call};")
        self.scope.reals.append(name)


def helper(choices: Choices, real: str, extent: Extent, kernels: Iterable[Kernel], helpers: Iterable[Helper]) -> Helper:
    name = choices.name("helper")
    devices, reads = choices.number(1, 2), choices.number(0, 1)
    by_reference, returns = choices.chance(30), choices.chance(30)
    memory = Memory(
        [choices.name("d") for _ in range(devices)], [choices.name("c") for _ in range(reads)], indices=["idx"]
    )
    scope = Scope(ints=["m"], counts=["m"])
    params = [*(f"{real} *{x}" for x in memory.device), *(f"const {real} *{x}" for x in memory.device_reads)]
    if by_reference:
        params.append(f"{real} *out")
        scope.reals.append("(*out)")
    if reads or not by_reference:
        params.append(f"{real} scale")
        scope.reals.append("scale")
    params += ["const int *idx", "int m", "int n"]
    body = HostBlock(choices, scope, real, 5, memory, extent, kernels, helpers)
    body.returns = lambda: f"return {body.expressions.stored(1)};" if returns else "return;"
    body.statements(5)
    if returns:
        body.write(f"return {body.expressions.stored()};")
    head = f"static {real if returns else 'void'} {name}({', '.join(params)})"
    return Helper(name, devices, reads, by_reference, returns, "\n".join([head, "{", *body.lines, "}"]))
