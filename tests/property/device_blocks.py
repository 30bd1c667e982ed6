"""Device functions, and what device code does beside what host code does too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.property import cpp
from tests.property.blocks import Block
from tests.property.choices import Choices, Scope


@dataclass(frozen=True)
class DeviceFunction:
    """`parameters` are "value", "pointer" (to one floating number), "reference", "array" (of 2) or "count"."""

    name: str
    returns: bool
    parameters: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Shared:
    """Arrays that all threads read anywhere, those that they add to anywhere, and how many elements each has."""

    reads: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    length: str = ""


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
        self.shared = Shared()
        self.once: int | None = None  # if a cell may be stored to once only, how many loops are around the whole

    def forms(self) -> list[Callable[[], None]]:
        found = super().forms()
        if self.functions:
            found += [self.call] * 6
        if self.sums:
            found += [self.add] * 7
        if self.outs and self.once in (None, len(self.loops)):
            found += [self.put] * 3
        if self.scope.cells:
            found += [self.store, self.store, self.local_pointer]
        if self.shared.reads or self.shared.sums:
            found += [self.chain_index] * 4
        return found

    def chain_index(self) -> None:
        """A variable that leads to an element, by way of others: rows and columns, signed and unsigned."""
        size, before = self.shared.length, self.choices.one_of([*self.scope.places, "i"])
        k = self.choices.number(1, 3)
        if self.choices.chance(25):
            row, column = self.choices.name("row"), self.choices.name("column")
            self.write(f"const int {row} = {before} / {k}, {column} = {before} % {k};")
            before = f"({row} * {k} + {column})"
        forms = [
            before, f"({before} + {self.expressions.whole()}) % {size}", f"{size} - 1 - {before} % {size}",
            f"{before} / {k}", f"{before} * {k} % {size}", f"({before} >> 1)", f"({before} & {k}) % {size}",
            f"({before} + {size} - 1u) % {size}", f"(unsigned){before} % {k + 1}u % {size}",
        ]  # fmt: skip
        name, kind = self.choices.name("at"), self.choices.one_of(["int", "unsigned", "size_t", "long long"])
        self.write(f"const {kind} {name} = {self.choices.one_of(forms)};")
        self.scope.places.append(name)
        if self.shared.reads:
            cell = f"{self.choices.one_of(self.shared.reads)}[{name}]"
            self.scope.reads += [lambda: cell] * 2

    def store(self) -> None:
        cell = self.choices.one_of(self.scope.cells)()
        op = self.choices.one_of(["=", "=", "+=", "-=", "*="])
        self.write(f"{cell} {op} {self.expressions.stored(bound=1)};")

    def add(self) -> None:
        cell = self.choices.one_of(self.sums)()
        if self.shared.sums and self.scope.places and self.choices.chance(30):
            cell = f"{self.choices.one_of(self.shared.sums)}[{self.choices.one_of(self.scope.places)}]"
        self.write(f"atomicAdd(&{cell}, {self.expressions.stored(bound=0.5)});")

    def put(self) -> None:
        """A store to a cell that the kernel does not read."""
        out = self.choices.one_of(self.outs)
        if self.once is not None:
            self.outs = [each for each in self.outs if each is not out]
        self.write(f"{out()} = {self.expressions.stored(bound=1)};")

    def close(self) -> None:
        """What every thread does last: something that leaves it."""
        if self.scope.cells:
            cell, op = self.choices.one_of(self.scope.cells)(), self.choices.one_of(["=", "+="])
            self.write(f"{cell} {op} {self.expressions.stored(bound=1)};")
        elif self.outs:
            self.put()
        elif self.sums:
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
        if kind in ("pointer", "reference"):
            place = self.expressions.place()
            return f"{'&' if kind == 'pointer' else ''}{place}" if place else None
        found = [name for name, length in self.scope.arrays.items() if length >= 2]
        return self.choices.one_of(found) if found else None


def device_function(choices: Choices, real: str, others: Iterable[DeviceFunction]) -> DeviceFunction:
    name = choices.name("f")
    template, real, given = cpp.template(choices, real, 40)
    pointer = "reference" if choices.cpp and choices.chance(70) else "pointer"
    kinds = [choices.one_of(["value", pointer, "array", "count"]) for _ in range(choices.number(1, 3))]
    returns = choices.chance(60)
    if not returns and not {pointer, "array"} & set(kinds):
        returns = True
    scope, params = Scope(), []
    for kind in kinds:
        p = choices.name({"value": "x", "array": "q", "count": "m"}.get(kind, "p"))
        forms = {"count": f"int {p}", "value": f"{real} {p}", "reference": f"{real} &{p}"}
        params.append(forms.get(kind, f"{real} *{p}"))
        if kind in ("value", "reference"):
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
    head = f"{template}__device__ {real if returns else 'void'} {name}({', '.join(params)})"
    return DeviceFunction(name + given, returns, tuple(kinds), "\n".join([head, "{", *body.lines, "}"]))
