"""Digits that are turned: `(x - shift + nx) % nx`, the neighbour of x where space is periodic.

For a given shift each x below nx has a neighbour of its own below nx, whatever the shift is.  So a map that is one to
one in the neighbour, and in what the shift depends on, is one to one in x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hetad.analysis.affine import Monomial, Polynomial
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.types import Array


@dataclass(frozen=True, slots=True)
class Turned:
    """`(digit + shift) % extent`, where digit + shift is not negative; the shift has one value for given values of the
    loop indices `depends`."""

    digit: Polynomial
    extent: Polynomial
    depends: frozenset[ir.Symbol]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table of literals: not below `least`, and found with the loop indices `depends`."""

    least: int
    greatest: int
    depends: frozenset[ir.Symbol]


def turned(
    value: Polynomial,
    by: Polynomial,
    is_digit: Callable[[ir.Symbol], bool],
    counts_up: Callable[[ir.Symbol], bool],
    entries: Mapping[ir.Symbol, Entry],
) -> Turned | None:
    """`value % by`, where that turns one digit.  `counts_up`: the index of a loop, from zero or more upwards."""
    digits = [m for m, c in value.terms.items() if c == 1 and (x := _symbol(m)) is not None and is_digit(x)]
    if len(digits) != 1 or len(by.terms) != 1:
        return None
    ((extent, _),) = by.terms.items()
    digit = Polynomial({digits[0]: 1})
    least = 0  # of the shift; an extent is at least one
    depends: set[ir.Symbol] = set()
    for monomial, factor in (value - digit).terms.items():
        symbol = _symbol(monomial)
        if monomial in ((), extent):
            if monomial and factor < 0:
                return None
            least += factor
        elif symbol is not None and symbol in entries:
            least += min(factor * entries[symbol].least, factor * entries[symbol].greatest)
            depends |= entries[symbol].depends
        elif symbol is not None and counts_up(symbol) and factor > 0:
            depends.add(symbol)
        else:
            return None
    return Turned(digit, by, frozenset(depends)) if least >= 0 else None


def _symbol(monomial: Monomial) -> ir.Symbol | None:
    return monomial[0].symbol if len(monomial) == 1 and isinstance(monomial[0], ir.Var) else None


def literals(symbol: ir.Symbol, initial: list[ir.Expr | None] | None) -> list[int] | None:
    """The elements of an array of integers that is declared with literals, each time with the same ones."""
    if not isinstance(symbol.type, Array) or symbol.type.length is None or not initial:
        return None
    first = initial[0]
    if not isinstance(first, ir.Aggregate) or any(other != first for other in initial):
        return None
    values = [integer_value(e) for e in first.elements]
    known = [v for v in values if v is not None]
    rest = [0] if len(known) < symbol.type.length else []
    return [*known, *rest] if len(known) == len(values) else None
