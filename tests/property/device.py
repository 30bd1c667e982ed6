"""Kernels, free of races by construction.

A thread owns the cells of one index i: what it writes, or reads of what the kernel writes, are cells it owns.  Arrays
that the kernel does not write may be read anywhere.  An array that `atomicAdd` adds to is not used otherwise.

A kernel may be launched with several threads for each index, along further axes.  These only store to their cells,
all the same and once, or add atomically; where they only add, they may ask along which position they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from tests.property import cpp
from tests.property.blocks import INDENT
from tests.property.choices import Choices, Scope
from tests.property.cooperative import CooperativeBlock
from tests.property.device_blocks import DeviceBlock, DeviceFunction, Shared

Threads = Literal["guarded", "exact", "strided"]
Role = Literal["own", "out", "read", "add", "index", "scalar", "count", "size"]

THREADS: tuple[Threads, ...] = ("guarded", "exact", "strided")
ROLES: tuple[Role, ...] = ("read", "own", "scalar", "add", "index", "read", "add", "count")


@dataclass(frozen=True)
class Parameter:
    """`name` is how the kernel says it: `s1.w2` for the member w2 of its parameter s1."""

    name: str
    role: Role
    written: bool = True  # an "own" that is not written may be const

    @property
    def member(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class Kernel:
    name: str
    parameters: tuple[Parameter, ...]
    threads: Threads
    text: str
    several: bool = False  # whether there may be several threads for an index
    bundle: str = ""  # the struct that holds all parameters but the last, if there is one


def kernel(choices: Choices, real: str, width: int, functions: Iterable[DeviceFunction]) -> Kernel:
    """A kernel over `n` threads; the arrays have n * width elements, of indices n."""
    name = choices.name("kernel")
    several = choices.chance(30)
    roles: list[Role] = [choices.one_of(["add", "out"]) if several else "own"]
    roles += [choices.one_of(ROLES) for _ in range(choices.number(0, 4))]
    if several:
        roles = ["read" if role == "own" else role for role in roles]
    stems = {"own": "w", "out": "o", "read": "r", "add": "s", "index": "idx", "scalar": "c", "count": "m"}
    bundle = choices.name("Bundle") if choices.chance(20) else ""
    prefix = f"{choices.name('s')}." if bundle else ""
    parameters = [
        Parameter(prefix + choices.name(stems[role]), role, i == 0 or choices.chance(60))
        for i, role in enumerate(roles)
    ]
    phases = not several and choices.chance(25)
    threads = choices.one_of(THREADS[:2] if phases else THREADS)
    by_rows = choices.chance(70)
    interior = threads == "guarded" and not phases and choices.chance(35)
    template, inner, given = cpp.template(choices, real, 40)
    methods = bool(bundle) and choices.cpp and choices.chance(60)
    scope, sums, outs = _kernel_scope(choices, parameters, width, by_rows, interior)
    if methods:
        scope = _by_methods(scope, parameters)
    if several and not outs and choices.chance(40):
        scope.ints += choices.order(["(int)threadIdx.y", "(int)blockIdx.y", "(int)threadIdx.z"])[: choices.number(1, 3)]
    fuel = choices.number(3, 12)
    shared = Shared(_named(parameters, "read"), _named(parameters, "add"), "n" if width == 1 else f"(n * {width})")
    if phases:
        together = CooperativeBlock(choices, scope, inner, fuel, functions, sums, outs)
        together.shared = shared
        lines = _phases(together, threads, parameters)
    else:
        body = DeviceBlock(choices, scope, inner, fuel, functions, sums, outs)
        body.shared = shared
        if several:
            body.once = int(threads == "strided")
        lines = _thread_body(body, threads, interior)
    declared = [_declared(p, real if bundle else inner) for p in parameters]
    struct = [f"struct {bundle} {{", *(f"{INDENT}{member};" for member in declared)] if bundle else []
    struct += [INDENT + _method(p, real) for p in parameters if methods and p.role in ("own", "read")]
    struct += ["};", ""] if bundle else []
    if bundle:
        declared = [f"{bundle} {prefix[:-1]}"]
    parameters.append(Parameter("n", "size"))
    head = f"{template}__global__ void {name}({', '.join([*declared, 'int n'])})"
    return Kernel(
        name + given, tuple(parameters), threads, "\n".join([*struct, head, "{", *lines, "}"]), several, bundle
    )


def _method(parameter: Parameter, real: str) -> str:
    """The method of a struct that leads to an element."""
    name, writes = parameter.member, parameter.role == "own" and parameter.written
    return f"__device__ {real} {'&' if writes else ''}cell_{name}(int at) const {{ return {name}[at]; }}"


def _by_methods(scope: Scope, parameters: list[Parameter]) -> Scope:
    """The same with methods in the place of members, where an element alone is meant."""

    def called(cell: Callable[[], str]) -> Callable[[], str]:
        def text() -> str:
            found = cell()
            for p in parameters:
                if p.role in ("own", "read") and found.startswith(f"{p.name}["):
                    return f"{p.name.removesuffix(p.member)}cell_{p.member}({found[len(p.name) + 1 : -1]})"
            return found

        return text

    return replace(scope, cells=[called(c) for c in scope.cells], reads=[called(c) for c in scope.reads])


def _named(parameters: Iterable[Parameter], role: Role) -> tuple[str, ...]:
    return tuple(p.name for p in parameters if p.role == role)


def _declared(parameter: Parameter, real: str) -> str:
    match parameter.role:
        case "add" | "out":
            return f"{real} *{parameter.member}"
        case "own":
            return f"{real} *{parameter.member}" if parameter.written else f"const {real} *{parameter.member}"
        case "read":
            return f"const {real} *{parameter.member}"
        case "index":
            return f"const int *{parameter.member}"
        case "scalar":
            return f"{real} {parameter.member}"
        case _:
            return f"int {parameter.member}"


def _kernel_scope(
    choices: Choices, parameters: list[Parameter], width: int, by_rows: bool, interior: bool
) -> tuple[Scope, list[Callable[[], str]], list[Callable[[], str]]]:
    """What there is to use, to add to, and to store to; `interior`: without the first and the last index."""
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
        elif p.role == "read" and interior:
            scope.reads.append(partial(_neighbour, choices, p.name))
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
        elif p.role == "index":
            scope.counts.append(f"{p.name}[i] % 4")
    return scope, sums, outs


def _stencil(choices: Choices, array: str) -> str:
    """A neighbour, with a value beyond the ends."""
    if choices.chance(50):
        return f"(i > 0 ? {array}[i - 1] : 0.25)"
    return f"(i < n - 1 ? {array}[i + 1] : {array}[0])"


def _neighbour(choices: Choices, array: str) -> str:
    return f"{array}[i{choices.one_of([' - 1', ' + 1', ''])}]"


def _phases(body: CooperativeBlock, threads: Threads, parameters: list[Parameter]) -> list[str]:
    body.guarded = threads == "guarded"
    body.write("int i = blockIdx.x * blockDim.x + threadIdx.x;")
    body.phases([p.name for p in parameters if p.role == "count"])
    return body.lines


def _thread_body(body: DeviceBlock, threads: str, interior: bool) -> list[str]:
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
    elif interior:
        with body.nested("if (i > 0 && i < n - 1) {"):
            finish()
    elif choices.chance(50):
        with body.nested("if (i < n) {"):
            finish()
    else:
        body.write("if (i >= n)", INDENT + "return;")
        body.returns = lambda: "return;"
        finish()
    return body.lines
