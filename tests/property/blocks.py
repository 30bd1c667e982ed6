"""Statements that host and device code share: scalars, small arrays, control flow.

A loop runs at most three times, and what it counts with is assigned nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from tests.property import cpp
from tests.property.choices import Choices, Expressions, Scope

INDENT = "    "


class Block:
    """Writes a function body.  `fuel` is how many statements there may still be."""

    def __init__(self, choices: Choices, scope: Scope, real: str, fuel: int) -> None:
        self.choices = choices
        self.scope = scope
        self.real = real  # the floating type
        self.fuel = fuel
        self.lines: list[str] = []
        self.depth = 1
        self.loops: list[str] = []  # kinds of the loops around, innermost last
        self.returns: Callable[[], str] | None = None  # the text of an early return

    @property
    def expressions(self) -> Expressions:
        return Expressions(self.choices, self.scope)

    def write(self, *lines: str) -> None:
        self.lines += [INDENT * self.depth + line for line in lines]

    @contextmanager
    def nested(self, opening: str, closing: str = "}") -> Iterator[None]:
        """A block in braces with a scope of its own."""
        outer, self.scope = self.scope, self.scope.inner()
        self.write(opening)
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.scope = outer
        self.write(closing)

    def statements(self, most: int, forms: list[Callable[[], None]] | None = None, percent: int = 80) -> None:
        """Some statements; `percent` is how likely another one is."""
        for _ in range(most):
            if self.fuel <= 0 or not self.choices.chance(percent):
                return
            self.fuel -= 1
            self.choices.one_of(forms or self.forms())()

    def forms(self) -> list[Callable[[], None]]:
        """What a statement may be, the simplest first, repeated by weight."""
        scalar = [self.assign, self.assign, self.compound, self.compound, self.declare, self.declare_int]
        scalar += [partial(cpp.value_lambda, self)] * 2 if self.choices.cpp else []
        if self.depth >= 4:
            return scalar
        control = [self.branch, self.branch, self.count_loop, self.count_loop, self.while_loop, self.switch]
        return [*scalar, self.chain, self.local_array, *control, self.jump, self.jump]

    # -- scalars

    def assign(self) -> None:
        place = self.expressions.place()
        self.write(f"{place} = {self.expressions.stored()};" if place else ";")

    def compound(self) -> None:
        place = self.expressions.place()
        if not place:
            return
        op = self.choices.one_of(["+=", "-=", "*=", "/="])
        if op == "/=":
            factor = self.expressions.real(1).text
            self.write(f"{place} /= 1.5 + {factor} * {factor};")
        else:
            self.write(f"{place} {op} {self.expressions.stored(bound=1)};")

    def chain(self) -> None:
        """`a = b = value`, both variables."""
        if len(self.scope.reals) < 2:
            return self.declare()
        a, b = self.choices.order(self.scope.reals)[:2]
        return self.write(f"{a} = {b} = {self.expressions.stored()};")

    def declare(self) -> None:
        """A local variable; now and then one that hides a variable of an outer block."""
        value = self.expressions.stored()
        name = self.choices.name("v")
        self.write(f"{self.real} {name} = {value};")
        self.scope.reals.append(name)

    def declare_int(self) -> None:
        """A small integer, which data decide now and then."""
        expressions = self.expressions
        value = f"{expressions.whole()} % 4"
        if self.choices.chance(25):
            value = self.choices.one_of(
                [f"{expressions.condition()} ? 2 : 1", f"(int)(1.5 + 1.4 * sin({expressions.stored(1)}))"]
            )
        name = self.choices.name("k")
        self.write(f"int {name} = {value};")
        self.scope.ints.append(name)
        self.scope.counts.append(name)

    def local_array(self) -> None:
        length = self.choices.number(2, 3)
        if self.choices.chance(50):
            # C++ takes no double for a float between braces.
            values = ", ".join(f"({self.real})({self.expressions.stored(1)})" for _ in range(length))
            name = self.choices.name("a")
            self.write(f"{self.real} {name}[{length}] = {{{values}}};")
        else:
            name, j = self.choices.name("a"), self.choices.name("j")
            self.write(f"{self.real} {name}[{length}];")
            with self.nested(f"for (int {j} = 0; {j} < {length}; {j}++) {{"):
                self.scope.ints.append(j)
                self.write(f"{name}[{j}] = {self.expressions.stored(1)};")
        self.scope.arrays[name] = length

    # -- control flow

    def branch(self) -> None:
        with self.nested(f"if ({self.expressions.condition()}) {{"):
            self.statements(3)
        if self.choices.chance(50):
            with self.nested("else {"):
                self.statements(3)

    def count_loop(self) -> None:
        j = self.choices.name("j")
        count = self.expressions.count()
        form = self.choices.number(0, 5)
        head = [
            f"for (int {j} = 0; {j} < {count}; {j}++) {{",
            f"for (int {j} = {count}; {j} > 0; {j}--) {{",
            f"for (int {j} = {count} - 1; {j} >= 0; --{j}) {{",
            f"for (int {j} = 1; {j} <= 2 * {count}; {j} += 2) {{",
            f"for (unsigned {j} = 0; {j} < (unsigned)({count}); {j}++) {{",
            f"for (unsigned {j} = {count}; {j}-- > 0;) {{",
        ][form]
        with self.nested(head):
            self.scope.ints.append(j)
            self._loop_body()

    def while_loop(self) -> None:
        k = self.choices.name("k")
        form = self.choices.number(0, 2)
        start = self.expressions.count() if form < 2 else "0"
        self.write(f"int {k} = {start};")
        condition = f"{k} > 0" if not self.choices.chance(25) else f"{k} > 0 && {self.expressions.condition()}"
        if form == 0:
            with self.nested(f"while ({condition}) {{"):
                self.write(f"{k}--;")
                self._counting(k)
        elif form == 1:
            with self.nested(f"while ({k}-- > 0) {{"):
                self._counting(k)
        else:
            with self.nested("do {", f"}} while ({k} < {self.choices.number(1, 3)});"):
                self.write(f"{k}++;")
                self._counting(k)
        if form != 1:  # -1 after `while (k-- > 0)`
            self.scope.ints.append(k)

    def _counting(self, k: str) -> None:
        self.scope.ints.append(k)
        self._loop_body()

    def _loop_body(self) -> None:
        self.loops.append("loop")
        self.statements(4)
        self.loops.pop()

    def switch(self) -> None:
        self.loops.append("switch")
        with self.nested(f"switch ({self.expressions.whole()} % 3) {{", "}"):
            for label in ("case 0:", "case 1:", "default:")[self.choices.number(0, 2) :]:
                with self.nested(f"{label} {{"):
                    self.statements(2)
                if self.choices.chance(60):
                    self.write("break;")
        self.loops.pop()

    def jump(self) -> None:
        """A conditional break, continue or early return."""
        possible = []
        if self.loops:
            possible.append("break;")
        if "loop" in self.loops:
            possible.append("continue;")
        if self.returns:
            possible.append("return")
        if not possible:
            return self.declare()
        how = self.choices.one_of(possible)
        condition = self.expressions.condition()
        with self.nested(f"if ({condition}) {{"):
            if self.choices.chance(50):
                self.statements(1, [self.assign, self.compound])
            self.write(self.returns() if how == "return" and self.returns else how)
        return None
