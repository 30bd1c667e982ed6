"""What programs have in C++ beside what they have in C: lambdas, vectors, classes that own memory, loops over ranges.

`Choices.cpp` says whether a program is one in C++; then the generators of C also draw references for pointers,
templates for types and numbers, methods for members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.property.blocks import Block
    from tests.property.choices import Choices
    from tests.property.host import HostBlock

OWNER = """\
template <typename T> struct Owner {
    T *data;
    int count;
    explicit Owner(int count) : count(count)
    {
        cudaMalloc(&data, count * sizeof(T));
        clear();
    }
    Owner(const Owner &) = delete;
    ~Owner() { cudaFree(data); }
    void clear() { cudaMemset(data, 0, count * sizeof(T)); }
};"""


def template(choices: Choices, real: str, percent: int) -> tuple[str, str, str]:
    """What stands before a function, what it calls its floating type, and what stands behind its name in calls."""
    if choices.cpp and choices.chance(percent):
        return "template <typename T> ", "T", f"<{real}>"
    return "", real, ""


def value_lambda(block: Block) -> None:
    """A function of a value, by reference or by value to what is around it."""
    name, x = block.choices.name("g"), block.choices.name("x")
    captures = block.choices.one_of(["[&]", "[=]"])
    outer, block.scope = block.scope, block.scope.inner()
    block.scope.reals.append(x)
    result = block.expressions.stored()
    block.scope = outer
    block.write(f"auto {name} = {captures}({block.real} {x}) -> {block.real} {{ return {result}; }};")
    block.scope.functions.append(name)


def step_lambda(block: HostBlock) -> None:
    """Statements of the host as a function, called once or again."""
    name, s = block.choices.name("step"), block.choices.name("s")
    loops, block.loops = block.loops, []
    returns, block.returns = block.returns, None
    with block.nested(f"auto {name} = [&]({block.real} {s}) {{", "};"):
        block.scope.reals.append(s)
        block.statements(4)
    block.loops, block.returns = loops, returns
    for _ in range(block.choices.number(1, 2)):
        block.write(f"{name}({block.expressions.stored(1)});")


def vector(block: HostBlock, name: str) -> None:
    """Memory of the host called `name`."""
    owner = block.choices.name("all")
    block.write(f"std::vector<{block.real}> {owner}({block.extent.elements});")
    if block.choices.chance(40):
        with block.nested(f"for ({block.real} &each : {owner}) {{"):
            block.write(f"each = {block.expressions.stored(1)};")
    block.write(f"{block.real} *{name} = {owner}.data();")


def owner(block: HostBlock, name: str) -> None:
    """Memory of the device called `name`, which is freed where the block ends."""
    holder = block.choices.name("holder")
    block.write(f"Owner<{block.real}> {holder}({block.extent.elements});", f"{block.real} *{name} = {holder}.data;")
    if block.choices.chance(20):
        block.write(f"{holder}.clear();")
