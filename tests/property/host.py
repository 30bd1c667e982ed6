"""Host functions: memory, copies, launches, loops around them, scalars that go round.

All floating arrays of a program have the same number of elements.  No two pointers that can be named reach the same
memory, so that exchanging any two keeps the program valid.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tests.property import cpp
from tests.property.choices import Choices, Scope
from tests.property.device import Kernel
from tests.property.launches import Extent, LaunchBlock, Memory


@dataclass(frozen=True)
class Helper:
    """A host function that the entry calls: `devices` written and `reads` read-only device arrays, a scalar, n."""

    name: str
    devices: int
    reads: int
    by_reference: bool
    returns: bool
    text: str


class HostBlock(LaunchBlock):
    def __init__(
        self, choices: Choices, scope: Scope, real: str, fuel: int, memory: Memory, extent: Extent,
        kernels: Iterable[Kernel], helpers: Iterable[Helper],
    ) -> None:  # fmt: skip
        super().__init__(choices, scope, real, fuel, memory, extent, kernels)
        self.helpers = list(helpers)
        self.owned: set[str] = set()
        for name in memory.host:
            self.name_cells(name)
        for name in memory.host_reads:
            self.name_reads(name)

    def name_cells(self, name: str) -> None:
        if self.extent.n:
            self.scope.cells.append(self._cell(name))

    def name_reads(self, name: str) -> None:
        if self.extent.n:
            self.scope.reads.append(self._cell(name))

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
        if self.choices.cpp:
            found += [partial(cpp.value_lambda, self)]
            found += [partial(cpp.step_lambda, self)] * 4 if self.depth < 3 else []
        return found

    def assign(self) -> None:
        if self.expressions.place():
            super().assign()
        else:
            self.declare()

    # -- memory

    def copy(self) -> None:
        memory = self.memory
        written = [*memory.device, *memory.host]
        if not written:
            return None
        target = self.choices.one_of(written)
        device = {*memory.device, *memory.device_reads}
        sources = [x for x in [*memory.device, *memory.device_reads, *memory.host, *memory.host_reads] if x != target]
        length = self.extent.length
        if (length >= 2 and self.choices.chance(15)) or not sources:  # within one array
            if length < 2:
                return None
            source, count = target, length // 2
            to, start = (0, length - count) if self.choices.chance(50) else (length - count, 0)
        else:
            source = self.choices.one_of(sources)
            count = length if self.choices.chance(60) else self.choices.number(min(1, length), length)
            to, start = (self.choices.number(0, length - count) for _ in range(2))
        size = self.bytes if count == length else f"{count} * sizeof({self.real})"
        to_text, from_text = self.at(target, to), self.at(source, start)
        if target not in device and source not in device and self.choices.chance(50):
            self.write(f"memcpy({to_text}, {from_text}, {size});")
            return None
        ends = {True: "Device", False: "Host"}
        kind = f"cudaMemcpy{ends[source in device]}To{ends[target in device]}"
        if self.choices.chance(10):
            kind = "cudaMemcpyDefault"
        if self.streams and self.choices.chance(40):
            stream = self.choices.one_of(self.streams)
            self.write(
                "cudaDeviceSynchronize();", f"cudaMemcpyAsync({to_text}, {from_text}, {size}, {kind}, {stream});"
            )
            return self.write(f"cudaStreamSynchronize({stream});")
        return self.write(f"cudaMemcpy({to_text}, {from_text}, {size}, {kind});")

    def set_memory(self) -> None:
        names = [*self.memory.device, *self.memory.host]
        if not names:
            return
        name = self.choices.one_of(names)
        length = self.extent.length
        count = length if self.choices.chance(50) else self.choices.number(min(1, length), length)
        start = self.choices.number(0, self.extent.length - count)
        call = "cudaMemset" if name in self.memory.device else "memset"
        size = self.bytes if count == self.extent.length else f"{count} * sizeof({self.real})"
        self.write(f"{call}({self.at(name, start)}, 0, {size});")

    def allocate(self, name: str, kind: str, source: str | None = None) -> None:
        """A buffer with defined contents."""
        if kind == "host" and source is None and self.owns(name):
            return cpp.vector(self, name)
        if kind == "device" and source is None and self.owns(name):
            return cpp.owner(self, name)
        if kind == "host":
            calloc = source is None and self.choices.chance(50)
            size = f"calloc({self.extent.elements}, sizeof({self.real}))" if calloc else f"malloc({self.bytes})"
            self.write(f"{self.real} *{name} = ({self.real} *){size};")
            if source is not None:
                self.write(f"memcpy({name}, {source}, {self.bytes});")
            elif not calloc:
                self.write(f"memset({name}, 0, {self.bytes});")
            return None
        cast = "(void **)" if self.choices.chance(50) else ""
        self.write(f"{self.real} *{name};", f"cudaMalloc({cast}&{name}, {self.bytes});")
        if source is None:
            return self.write(f"cudaMemset({name}, 0, {self.bytes});")
        return self.write(f"cudaMemcpy({name}, {source}, {self.bytes}, cudaMemcpyHostToDevice);")

    def owns(self, name: str) -> bool:
        """Whether some object frees the memory, which is then freed nowhere else."""
        if not self.choices.cpp or not self.choices.chance(50):
            return False
        self.owned.add(name)
        return True

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
            if name not in self.owned:
                self.write(f"cudaFree({name});" if kind == "device" else f"free({name});")
            self.memory = outer

    def swap(self) -> None:
        names = self.memory.exchangeable(self.memory.device if self.choices.chance(75) else self.memory.host)
        if len(names) < 2:
            return None
        turned = self.choices.order(names)[: 3 if self.choices.chance(30) else 2]
        if self.choices.cpp and len(turned) == 2 and self.choices.chance(50):
            return self.write(f"std::swap({turned[0]}, {turned[1]});")
        t = self.choices.name("o")
        self.write(f"{self.real} *{t} = {turned[0]};")
        return self.write(*(f"{a} = {b};" for a, b in itertools.pairwise([*turned, t])))

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
        if not sources or not self.extent.n:
            return
        source, at = self.choices.one_of(sources), self.choices.number(0, self.extent.length - 1)
        if self.scope.reals and self.choices.chance(40):
            name = self.choices.one_of(self.scope.reals)
        else:
            name = self.choices.name("v")
            self.write(f"{self.real} {name};")
            self.scope.reals.append(name)
        self.write(f"cudaMemcpy(&{name}, {self.at(source, at)}, sizeof({self.real}), cudaMemcpyDeviceToHost);")

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
            arguments.append(f"{'' if self.choices.cpp else '&'}{self.choices.one_of(self.scope.reals)}")
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
        params.append(f"{real} {'&' if choices.cpp else '*'}out")
        scope.reals.append("out" if choices.cpp else "(*out)")
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
