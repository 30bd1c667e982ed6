"""Device functions, and what device code does beside what host code does too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.property.blocks import Block
from tests.property.choices import Choices, Scope


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
        return found

    def store(self) -> None:
        cell = self.choices.one_of(self.scope.cells)()
        op = self.choices.one_of(["=", "=", "+=", "-=", "*="])
        self.write(f"{cell} {op} {self.expressions.stored(bound=1)};")

    def add(self) -> None:
        self.write(f"atomicAdd(&{self.choices.one_of(self.sums)()}, {self.expressions.stored(bound=0.5)});")

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
