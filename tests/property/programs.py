"""Whole programs, in the format of tests/corpus.py: a problem, then CUDA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.property.choices import Choices, Scope
from tests.property.cpp import OWNER
from tests.property.device import kernel
from tests.property.device_blocks import device_function
from tests.property.host import HostBlock, helper
from tests.property.launches import Extent, Memory


@dataclass
class Entry:
    """The function to differentiate, as it is written."""

    parameters: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    floating: list[str] = field(default_factory=list)  # what a gradient may be taken with respect to
    outputs: list[str] = field(default_factory=list)


@st.composite
def programs(draw: Callable[..., Any]) -> str:
    return program(Choices(draw))


@st.composite
def cpp_programs(draw: Callable[..., Any]) -> str:
    """In C++, of the same kind."""
    return program(Choices(draw, cpp=True))


def program(choices: Choices) -> str:
    """The text of a program that `choices` decides on."""
    real = "float" if choices.chance(8) else "double"
    extent = Extent(choices.one_of([1, 2, 3, 4, 5, 0]), choices.one_of([1, 1, 2, 3]))
    functions: list[Any] = []
    while len(functions) < 2 and choices.chance(40):
        functions.append(device_function(choices, real, functions))
    kernels = [kernel(choices, real, extent.width, functions)]
    while len(kernels) < 3 and choices.chance(50):
        kernels.append(kernel(choices, real, extent.width, functions))
    helpers: list[Any] = []
    while len(helpers) < 2 and choices.chance(45):
        helpers.append(helper(choices, real, extent, kernels, helpers))
    entry = Entry()
    body, returns = _entry(choices, real, extent, kernels, helpers, entry)
    head = f"{real if returns else 'void'} run({', '.join(entry.parameters)})"
    includes = ["#include <stdlib.h>\n#include <string.h>"]
    includes += ["#include <utility>\n#include <vector>", OWNER] if choices.cpp else []
    pieces = [*includes, *(x.text for x in (*functions, *kernels, *helpers))]
    source = "\n\n".join([*pieces, "\n".join([head, "{", *body, "}"])]) + "\n"
    return _problem(choices, entry, returns) + source


def _entry(
    choices: Choices, real: str, extent: Extent, kernels: list[Any], helpers: list[Any], entry: Entry
) -> tuple[list[str], bool]:
    memory, scope = Memory(), Scope()
    body = HostBlock(choices, scope, real, choices.number(4, 18), memory, extent, kernels, helpers)
    closing: list[str] = []
    for i in range(choices.number(2, 4)):
        _array(body, entry, closing, first=i == 0)
    _scalars(choices, real, scope, entry, extent)
    _index(body, entry, extent, closing)
    for _ in range(choices.number(0, 2)):
        _own_buffer(body, closing)
    _streams(body, closing)
    returns = choices.chance(30)
    if not closing:
        body.returns = lambda: f"return {body.expressions.stored(1)};" if returns else "return;"
    if choices.chance(50):
        _aliases(body)
    body.statements(10, percent=92)
    body.launch()
    result = body.expressions.stored() if returns else ""
    if returns:
        body.write(f"{real} result = {result};")
    body.write(*closing)
    if returns:
        body.write("return result;")
    return body.lines, returns


def _array(body: HostBlock, entry: Entry, closing: list[str], *, first: bool) -> None:
    """A parameter, on the host or on the device; one on the host has a copy on the device, mostly."""
    choices, memory, real = body.choices, body.memory, body.real
    name = choices.name("x")
    const = not first and choices.chance(40)
    entry.parameters.append(f"{'const ' if const else ''}{real} *{name}")
    form = f"shape = [{body.extent.length}], random_uniform = {len(entry.inputs) + 1}, low = -1.0, high = 1.0"
    entry.inputs.append(f"{name} = {{ {form} }}")
    entry.floating.append(name)
    if not const:
        entry.outputs.append(name)
    if choices.chance(50):
        (memory.device_reads if const else memory.device).append(name)
        return
    copy = f"d_{name}"
    body.allocate(copy, "device", name)
    memory.device.append(copy)
    memory.freed.append(copy)
    if choices.chance(50):
        (memory.host_reads if const else memory.host).append(name)
        body.name_reads(name) if const else body.name_cells(name)
    if not const:
        closing.insert(0, f"cudaMemcpy({name}, {copy}, {body.bytes}, cudaMemcpyDeviceToHost);")
    closing.append(f"cudaFree({copy});")


def _scalars(choices: Choices, real: str, scope: Scope, entry: Entry, extent: Extent) -> None:
    for i in range(choices.number(0, 2)):
        name = choices.name("s")
        entry.parameters.append(f"{real} {name}")
        entry.inputs.append(f"{name} = {choices.one_of([0.4, -0.6, 1.1]) + 0.03 * i:g}")
        entry.floating.append(name)
        scope.reals.append(name)
    entry.parameters += ["int m", "int n"]
    entry.inputs += [f"m = {choices.number(0, 3)}", f"n = {extent.n}"]
    scope.ints += ["m"]
    scope.counts += ["m"]


def _index(body: HostBlock, entry: Entry, extent: Extent, closing: list[str]) -> None:
    entry.parameters.append("const int *idx")
    entry.inputs.append(f"idx = {{ shape = [{extent.n}], random = 99, low = 0, high = {max(1, extent.length)} }}")
    body.memory.indices.append("idx")


def _own_buffer(body: HostBlock, closing: list[str]) -> None:
    kind = body.choices.one_of(["device", "host"])
    name = body.choices.name("b")
    body.allocate(name, kind)
    if name not in body.owned:
        body.memory.freed.append(name)
        closing.append(f"cudaFree({name});" if kind == "device" else f"free({name});")
    if kind == "device":
        body.memory.device.append(name)
    else:
        body.memory.host.append(name)
        body.name_cells(name)


def _streams(body: HostBlock, closing: list[str]) -> None:
    for _ in range(body.choices.one_of([0, 0, 0, 1, 2])):
        name = body.choices.name("stream")
        body.write(f"cudaStream_t {name};", f"cudaStreamCreate(&{name});")
        body.streams.append(name)
        closing.append(f"cudaStreamDestroy({name});")


def _aliases(body: HostBlock) -> None:
    """Other names for two device arrays, which are exchanged instead of them."""
    names = body.choices.order(body.memory.device)[:2]
    for name in names:
        alias = body.choices.name("p")
        body.write(f"{body.real} *{alias} = {name};")
        body.memory.device[body.memory.device.index(name)] = alias


def _problem(choices: Choices, entry: Entry, returns: bool) -> str:
    chosen = [name for name in entry.floating if not choices.chance(30)] or entry.floating[:1]
    lines = ['function = "run"', f"wrt = {_list(chosen)}"]
    if not returns:
        lines.append(f"of = {_list([x for x in entry.outputs if not choices.chance(30)] or entry.outputs[:1])}")
    return "\n".join(["/*---", *lines, "[inputs]", *entry.inputs, "---*/", ""])


def _list(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
