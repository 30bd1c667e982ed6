"""Device functions and kernels, free of races by construction.

A thread owns the cells of one index i: what it writes, or reads of what the kernel writes, are cells it owns.  Arrays
that the kernel does not write may be read anywhere.  An array that `atomicAdd` adds to is not used otherwise.

A kernel may be launched with several threads for each index, along further axes.  These only store to their cells,
all the same, or add atomically; where they only add, they may ask along which position they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tests.property.blocks import INDENT, Block
from tests.property.choices import Choices, Scope

Threads = Literal["guarded", "exact", "strided"]
Role = Literal["own", "out", "read", "add", "index", "scalar", "count", "size"]

THREADS: tuple[Threads, ...] = ("guarded", "exact", "strided")
ROLES: tuple[Role, ...] = ("read", "own", "scalar", "add", "index", "read", "add", "count")


@dataclass(frozen=True)
class Parameter:
    name: str
    role: Role
    written: bool = True  # an "own" that is not written may be const


@dataclass(frozen=True)
class Kernel:
    name: str
    parameters: tuple[Parameter, ...]
    threads: Threads
    text: str
    several: bool = False  # whether there may be several threads for an index


@dataclass(frozen=True)
class DeviceFunction:
    """`parameters` are "value", "pointer" (to one floating number), "array" (of 2) or "count"."""

    name: str
    returns: bool
    parameters: tuple[str, ...]
    text: str


class DeviceBlock(Block):
    """A body that may call device functions and add to arrays atomically."""

    def __init__(
        self, choices: Choices, scope: Scope, real: str, fuel: int, functions: Iterable[DeviceFunction],
        sums: Iterable[Callable[[], str]] = (), outs: Iterable[Callable[[], str]] = (),
    ) -> None:  # fmt: skip
        super().__init__(choices, scope, real, fuel)
        self.functions = list(functions)
        self.sums = list(sums)
        self.outs = list(outs)

    def forms(self) -> list[Callable[[], None]]:
        found = super().forms()
        if self.functions:
            found += [self.call] * 6
        if self.sums:
            found += [self.add] * 7
        if self.outs:
            found += [self.put] * 3
        if self.scope.cells:
            found += [self.store, self.store, self.local_pointer]
        return found

    def store(self) -> None:
        cell = self.choices.one_of(self.scope.cells)()
        op = self.choices.one_of(["=", "=", "+=", "-=", "*="])
        self.write(f"{cell} {op} {self.expressions.stored(bound=1)};")

    def add(self) -> None:
        self.write(f"atomicAdd(&{self.choices.one_of(self.sums)()}, {self.expressions.stored(bound=0.5)});")

    def put(self) -> None:
        """A store to a cell that the kernel does not read."""
        self.write(f"{self.choices.one_of(self.outs)()} = {self.expressions.stored(bound=1)};")

    def close(self) -> None:
        """What every thread does last: something that leaves it."""
        if self.scope.cells:
            cell, op = self.choices.one_of(self.scope.cells)(), self.choices.one_of(["=", "+="])
            self.write(f"{cell} {op} {self.expressions.stored(bound=1)};")
        elif self.outs:
            self.put()
        else:
            self.add()

    def local_pointer(self) -> None:
        """A pointer to something that can be assigned."""
        place = self.expressions.place()
        name = self.choices.name("p")
        self.write(f"{self.real} *{name} = &{place};")
        self.scope.reals.append(f"(*{name})" if self.choices.chance(70) else f"{name}[0]")

    def call(self) -> None:
        function = self.choices.one_of(self.functions)
        arguments = [self._argument(kind) for kind in function.parameters]
        if None in arguments:
            return self.declare()
        text = f"{function.name}({', '.join(str(a) for a in arguments)})"
        if not function.returns:
            return self.write(f"{text};")
        name = self.choices.name("v")
        if self.choices.chance(25):
            text = f"0.5 * {text} + 0.3 * {self.expressions.real(1).text}"
        self.write(f"{self.real} {name} = {text};")
        self.scope.reals.append(name)
        return None

    def _argument(self, kind: str) -> str | None:
        if kind == "value":
            return self.expressions.stored(1)
        if kind == "count":
            return self.expressions.count()
        if kind == "pointer":
            place = self.expressions.place()
            return f"&{place}" if place else None
        found = [name for name, length in self.scope.arrays.items() if length >= 2]
        return self.choices.one_of(found) if found else None


def device_function(choices: Choices, real: str, others: Iterable[DeviceFunction]) -> DeviceFunction:
    name = choices.name("f")
    kinds = [choices.one_of(["value", "pointer", "array", "count"]) for _ in range(choices.number(1, 3))]
    returns = choices.chance(60)
    if not returns and not {"pointer", "array"} & set(kinds):
        returns = True
    scope, params = Scope(), []
    for kind in kinds:
        p = choices.name({"value": "x", "pointer": "p", "array": "q", "count": "m"}[kind])
        params.append({"count": f"int {p}", "value": f"{real} {p}"}.get(kind, f"{real} *{p}"))
        if kind == "value":
            scope.reals.append(p)
        elif kind == "pointer":
            scope.reals.append(f"(*{p})")
        elif kind == "array":
            scope.arrays[p] = 2
        else:
            scope.ints.append(p)
            scope.counts.append(p)
    body = DeviceBlock(choices, scope, real, 7, others)
    body.returns = lambda: f"return {body.expressions.stored(1)};" if returns else "return;"
    body.statements(5)
    if returns:
        body.write(f"return {body.expressions.stored()};")
    head = f"__device__ {real if returns else 'void'} {name}({', '.join(params)})"
    return DeviceFunction(name, returns, tuple(kinds), "\n".join([head, "{", *body.lines, "}"]))


def kernel(choices: Choices, real: str, width: int, functions: Iterable[DeviceFunction]) -> Kernel:
    """A kernel over `n` threads; the arrays have n * width elements, of indices n."""
    name = choices.name("kernel")
    several = choices.chance(30)
    roles: list[Role] = [choices.one_of(["add", "out"]) if several else "own"]
    roles += [choices.one_of(ROLES) for _ in range(choices.number(0, 4))]
    if several:
        roles = ["read" if role == "own" else role for role in roles]
    stems = {"own": "w", "out": "o", "read": "r", "add": "s", "index": "idx", "scalar": "c", "count": "m"}
    parameters = [
        Parameter(choices.name(stems[role]), role, i == 0 or choices.chance(60)) for i, role in enumerate(roles)
    ]
    threads = choices.one_of(THREADS)
    by_rows = choices.chance(70)
    scope, sums, outs = _kernel_scope(choices, parameters, width, by_rows)
    if several and not outs and choices.chance(40):
        scope.ints += choices.order(["(int)threadIdx.y", "(int)blockIdx.y", "(int)threadIdx.z"])[: choices.number(1, 3)]
    body = DeviceBlock(choices, scope, real, choices.number(3, 12), functions, sums, outs)
    lines = _thread_body(body, threads)
    parameters.append(Parameter("n", "size"))
    head = f"__global__ void {name}({', '.join(_declared(p, real) for p in parameters)})"
    return Kernel(name, tuple(parameters), threads, "\n".join([head, "{", *lines, "}"]), several)


def _declared(parameter: Parameter, real: str) -> str:
    match parameter.role:
        case "add" | "out":
            return f"{real} *{parameter.name}"
        case "own":
            return f"{real} *{parameter.name}" if parameter.written else f"const {real} *{parameter.name}"
        case "read":
            return f"const {real} *{parameter.name}"
        case "index":
            return f"const int *{parameter.name}"
        case "scalar":
            return f"{real} {parameter.name}"
        case _:
            return f"int {parameter.name}"


def _kernel_scope(
    choices: Choices, parameters: list[Parameter], width: int, by_rows: bool
) -> tuple[Scope, list[Callable[[], str]], list[Callable[[], str]]]:
    """What there is to use, to add to, and to store to."""
    scope = Scope(ints=["i"])
    sums: list[Callable[[], str]] = []
    outs: list[Callable[[], str]] = []
    indices = [p.name for p in parameters if p.role == "index"]

    def own(array: str) -> str:
        column = str(choices.number(0, width - 1))
        if width == 1:
            return f"{array}[i]"
        return f"{array}[i * {width} + {column}]" if by_rows else f"{array}[{column} * n + i]"

    def anywhere(array: str) -> str:
        form = choices.number(0, 5 if indices else 2)
        size = "n" if width == 1 else f"(n * {width})"
        if form == 0:
            return own(array)
        if form == 1:
            return f"{array}[(i + {choices.number(1, 3)}) % {size}]"
        if form == 2:
            return f"{array}[{choices.one_of(['0', 'n - 1', 'n / 2', '(n - 1 - i)'])}]"
        return f"{array}[{choices.one_of(indices)}[{choices.one_of(['i', '(i + 1) % n'])}]]"

    for p in parameters:
        if p.role == "own":
            (scope.cells if p.written else scope.reads).append(partial(own, p.name))
        elif p.role == "out":
            outs.append(partial(own, p.name))
        elif p.role == "read":
            scope.reads.append(partial(anywhere, p.name))
            scope.reads.append(partial(_stencil, choices, p.name))
        elif p.role == "add":
            sums.append(partial(anywhere, p.name))
        elif p.role == "scalar":
            scope.reals.append(p.name)
        elif p.role == "count":
            scope.ints.append(p.name)
            scope.counts.append(p.name)
    return scope, sums, outs


def _stencil(choices: Choices, array: str) -> str:
    """A neighbour, with a value beyond the ends."""
    if choices.chance(50):
        return f"(i > 0 ? {array}[i - 1] : 0.25)"
    return f"(i < n - 1 ? {array}[i + 1] : {array}[0])"


def _thread_body(body: DeviceBlock, threads: str) -> list[str]:
    thread = "blockIdx.x * blockDim.x + threadIdx.x"
    choices = body.choices

    def finish() -> None:
        body.statements(8, percent=90)
        body.close()

    if threads == "strided":
        with body.nested(f"for (int i = {thread}; i < n; i += blockDim.x * gridDim.x) {{"):
            body.loops.append("loop")
            finish()
        return body.lines
    body.write(f"int i = {thread};")
    if threads == "exact":
        body.returns = lambda: "return;"
        finish()
    elif choices.chance(50):
        with body.nested("if (i < n) {"):
            finish()
    else:
        body.write("if (i >= n)", INDENT + "return;")
        body.returns = lambda: "return;"
        finish()
    return body.lines
