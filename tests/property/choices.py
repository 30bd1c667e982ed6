"""What generators of C text share: drawing, variables in scope, expressions with bounded values.

Every expression carries a bound of its absolute value.  What is stored is brought back to `STORED` by a contraction
(tanh, sin, a factor), so that neither values nor derivatives blow up in loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

STORED = 2.0
_LARGEST = 8.0


class Choices:
    """Draws of which the first, False or smallest is the simplest: what a failing program is shrunk towards."""

    def __init__(self, draw: Callable[..., Any], *, cpp: bool = False) -> None:
        self._draw = draw
        self.cpp = cpp
        self._names = 0

    def one_of(self, options: Sequence[T]) -> T:
        chosen: T = self._draw(st.sampled_from(options))
        return chosen

    def number(self, low: int, high: int) -> int:
        return int(self._draw(st.integers(low, high)))

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def order(self, items: Sequence[T]) -> list[T]:
        return list(self._draw(st.permutations(items)))

    def name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"


@dataclass(frozen=True)
class Value:
    """The text of a floating expression, which can stand as an operand, and a bound of its absolute value."""

    text: str
    bound: float


@dataclass
class Scope:
    """What a block can name.  Integers are never negative and stay small."""

    reals: list[str] = field(default_factory=list)  # may be assigned
    cells: list[Callable[[], str]] = field(default_factory=list)  # memory that may be read and assigned
    reads: list[Callable[[], str]] = field(default_factory=list)  # memory that may only be read
    ints: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)  # ints of at most 3, as bounds of loops
    arrays: dict[str, int] = field(default_factory=dict)  # local arrays and their lengths
    places: list[str] = field(default_factory=list)  # of elements of arrays that the program allocates
    functions: list[str] = field(default_factory=list)  # of a value

    def inner(self) -> Scope:
        return replace(
            self, reals=[*self.reals], cells=[*self.cells], reads=[*self.reads], ints=[*self.ints],
            counts=[*self.counts], arrays={**self.arrays}, places=[*self.places],
            functions=[*self.functions],
        )  # fmt: skip


# Functions of one argument that are smooth on the whole line, with a bound of the result (None: that of the argument).
_SMOOTH: tuple[tuple[str, float | None], ...] = (
    ("sin({x})", 1), ("cos({x})", 1), ("tanh({x})", 1), ("atan({x})", 1.6), ("erf({x})", 1), ("exp(-{x} * {x})", 1),
    ("sqrt(1.5 + {x} * {x})", None), ("log(1.5 + {x} * {x})", None), ("fabs({x})", None), ("exp(sin({x}))", 3),
    ("pow(1.5 + sin({x}), 0.7)", 2), ("cbrt(3.0 + sin({x}))", 2), ("1.0 / (1.5 + {x} * {x})", 1),
)  # fmt: skip
_BINARY: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{x} + {y}", lambda a, b: a + b),
    ("{x} * {y}", lambda a, b: a * b),
    ("{x} - {y}", lambda a, b: a + b),
    ("{x} / (1.5 + {y} * {y})", lambda a, b: a),
    ("fmax({x}, {y})", max),
    ("fmin({x}, {y})", max),
    ("atan2({x}, 1.5 + {y} * {y})", lambda a, b: 1.6),
    ("hypot({x}, 0.5 + fabs({y}))", lambda a, b: a + b + 0.5),
    ("pow(2.0 + sin({x}), sin({y}))", lambda a, b: 3.0),
    ("fma({x}, {y}, 0.5)", lambda a, b: a * b + 0.5),
)
_CONSTANTS = ("0.5", "0.25", "1.3", "-0.7", "2.0", "0.0", "1.0")


class Expressions:
    """Expressions over a scope."""

    def __init__(self, choices: Choices, scope: Scope) -> None:
        self.choices = choices
        self.scope = scope

    def real(self, depth: int = 2) -> Value:
        """A floating expression."""
        forms = [self._leaf] if depth == 0 else [self._leaf, self._binary, self._binary, self._function, self._other]
        make = self.choices.one_of(range(len(forms)))
        value = forms[make](depth - 1)
        return value if value.bound <= _LARGEST else Value(f"tanh({value.text})", 1)

    def stored(self, depth: int = 2, bound: float = STORED) -> str:
        """An expression whose value may be stored: small enough for what is built on it later."""
        value = self.real(depth)
        if value.bound <= bound:
            return unwrapped(value.text)
        how = self.choices.number(0, 2)
        if how == 0:
            return f"{bound / value.bound:.1g} * {value.text}"
        name, factor = ("tanh", bound) if how == 1 else ("sin", bound)
        call = f"{name}({unwrapped(value.text)})"
        return call if factor >= 1 else f"{factor} * {call}"

    def place(self) -> str:
        """Something to read or assign."""
        found = self._places()
        return self.choices.one_of(found)() if found else ""

    def whole(self, depth: int = 1) -> str:
        """A small integer expression that is not negative."""
        options = self.scope.ints
        form = self.choices.number(0, 3 if depth else 1) if options else 0
        if form == 0:
            return str(self.choices.number(0, 3))
        first = self.choices.one_of(options)
        if form == 1:
            return first
        if form == 2:
            return f"({first} + {self.whole(depth - 1)})"
        return f"({first} * {self.whole(depth - 1)})"

    def count(self) -> str:
        """A bound of a loop, at most 3."""
        options = self.scope.counts
        if options and self.choices.chance(50):
            return self.choices.one_of(options)
        return str(self.choices.number(0, 3))

    def condition(self) -> str:
        form = self.choices.number(0, 5)
        if form <= 1:
            return f"{self.whole()} % 2 == {self.choices.number(0, 1)}"
        if form == 2:
            return f"{self.whole()} {self.choices.one_of(['<', '>=', '!='])} {self.whole()}"
        if form == 3:
            return f"{self.real(1).text} {self.choices.one_of(['>', '<'])} {self.real(1).text} + 0.0123"
        if form == 4:
            return f"{self.real(0).text} > 0.171"
        return f"({self.condition()} {self.choices.one_of(['&&', '||'])} {self.whole()} > 1)"

    def _places(self) -> list[Callable[[], str]]:
        scope = self.scope
        return [
            *((lambda name=name: name) for name in scope.reals),
            *((lambda name=name: self.element(name)) for name in scope.arrays),
            *scope.cells,
        ]

    def element(self, array: str) -> str:
        length = self.scope.arrays[array]
        if self.scope.ints and self.choices.chance(50):
            return f"{array}[{self.whole()} % {length}]"
        return f"{array}[{self.choices.number(0, length - 1)}]"

    def _leaf(self, _depth: int) -> Value:
        found = [*self._places(), *self.scope.reads]
        if found and not self.choices.chance(15):
            return Value(self.choices.one_of(found)(), STORED)
        if self.scope.ints and self.choices.chance(30):
            return Value(f"(0.3 * {self.choices.one_of(self.scope.ints)})", STORED)
        text = self.choices.one_of(_CONSTANTS)
        return Value(text if text[0] != "-" else f"({text})", abs(float(text)))

    def _binary(self, depth: int) -> Value:
        form, bound = self.choices.one_of(_BINARY)
        x, y = self.real(depth), self.real(depth)
        return Value(f"({form.format(x=x.text, y=y.text)})", bound(x.bound, y.bound))

    def _function(self, depth: int) -> Value:
        form, bound = self.choices.one_of(_SMOOTH)
        x = self.real(depth)
        if self.scope.functions and self.choices.chance(50):
            return Value(f"{self.choices.one_of(self.scope.functions)}({unwrapped(x.text)})", STORED)
        return Value(f"({form.format(x=x.text)})", x.bound + 1.3 if bound is None else bound)

    def _other(self, depth: int) -> Value:
        x = self.real(depth)
        if self.choices.chance(50):
            y = self.real(depth)
            return Value(f"({self.condition()} ? {x.text} : {y.text})", max(x.bound, y.bound))
        return Value(f"(-{x.text})", x.bound)


def unwrapped(text: str) -> str:
    """Without the parentheses around the whole."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1]
