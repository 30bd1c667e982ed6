"""Domains: the points, of threads and iterations, where conditions on coordinates hold.

A condition is a polynomial that is not negative.  What is not affine in it is left out: fewer conditions can only prove
less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeGuard

from hetad.analysis import integer_sets
from hetad.analysis.affine import UNIT, Monomial, Polynomial, atom, symbols
from hetad.analysis.coordinates import Coordinates, Digit
from hetad.analysis.scales import Scale, scale
from hetad.ir import nodes as ir


class Domains:
    def __init__(self, coordinates: Coordinates, known: Iterable[Polynomial] = ()) -> None:
        """`known`: what is not negative in a launch."""
        self.coordinates = coordinates
        self.known = list(known)
        self._sought: list[Polynomial] | None = None  # what else would have to be known
        self._digits = {d.symbol: d for digits in coordinates.digits().values() for d in digits}

    @contextmanager
    def seeking(self) -> Iterator[list[Polynomial]]:
        """What would have to be known is noted, and taken to be known."""
        known, self._sought = self.known, []
        try:
            yield self._sought
        finally:
            self.known, self._sought = known, None

    def conditions(self, bounds: Iterable[Polynomial]) -> list[Polynomial]:
        """What is not negative, over digits."""
        return [c for b in bounds for c in self._reduced(self.coordinates.resolved(b))]

    def digit_ranges(self, digits: Iterable[Polynomial]) -> list[Polynomial]:
        found = []
        for p in digits:
            (symbol,) = symbols(p)
            found.append(p)
            digit = self._digits.get(symbol)
            if digit is not None and digit.extent is not None:
                found.append(digit.extent.polynomial() - p - UNIT)
        return found

    def reduced(self, condition: Polynomial) -> Polynomial:
        """An equivalent condition with fewer digits, where there is one."""
        return self._reduced(condition)[0]

    def _reduced(self, condition: Polynomial) -> list[Polynomial]:
        """`n * (rows - row) - col - 1 >= 0` says `row < rows` where col is the digit below n."""
        for digits in self.coordinates.digits().values():
            for digit in reversed(digits[1:]):
                quotient = self._quotient(condition, digit.scale, [d for d in digits if digit.scale.over(d.scale)])
                if quotient is not None:
                    return [quotient]
        return [condition]

    def _quotient(self, condition: Polynomial, by: Scale, lower: Sequence[Digit]) -> Polynomial | None:
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for monomial, coefficient in (condition + UNIT).terms.items():
            uniform, counting = self.split(monomial)
            worth = scale(abs(coefficient), uniform).over(by)
            if worth is None:
                rest[monomial] = coefficient
                continue
            for m, c in (worth.polynomial() * Polynomial({counting: 1})).terms.items():
                whole[m] = c if coefficient > 0 else -c
        below = [d.scale.polynomial() * atom(d.symbol) for d in lower if d.scale != by]
        allowed = {m: c for p in below for m, c in p.terms.items()}
        if not rest or any(allowed.get(m) != -c for m, c in rest.items()):
            return None
        return Polynomial(whole) - UNIT

    def split(self, monomial: Monomial) -> tuple[Monomial, Monomial]:
        """The uniform atoms of a product, and its coordinates."""
        mine = tuple(a for a in monomial if self._is_coordinate(a))
        return tuple(a for a in monomial if not self._is_coordinate(a)), mine

    def _is_coordinate(self, atom: ir.Expr) -> TypeGuard[ir.Var]:
        return isinstance(atom, ir.Var) and self.coordinates.counts(atom.symbol)

    def implied(self, condition: Polynomial, conditions: Sequence[Polynomial]) -> bool:
        """Whether the condition is not negative where none of the others is, for any values of the coordinates."""
        return self.is_empty([*conditions, condition.scaled(-1) - UNIT], anywhere=True)

    def is_empty(self, conditions: Iterable[Polynomial], anywhere: bool = False) -> bool:
        """Whether no values of coordinates and parameters make all the conditions not negative; `anywhere`: whatever
        values the coordinates have, else those of threads and digits."""
        dims: dict[ir.Symbol, str] = {}
        params: dict[Monomial, str] = {}
        constraints = integer_sets.all_of(self._texts([*conditions, *self.known], dims, params, anywhere))
        return integer_sets.is_empty(len(dims), len(params), constraints)

    def would_be_empty(self, given: Sequence[Polynomial], question: Polynomial) -> bool:
        """Whether a condition on parameters alone, which is noted, keeps the question from being not negative."""
        if self._sought is None:
            return False
        dims: dict[ir.Symbol, str] = {}
        params: dict[Monomial, str] = {}
        asked = self.text(question, dims, params)
        others = integer_sets.all_of(self._texts([*given, *self.known], dims, params))
        if asked is None:
            return False
        wanted = integer_sets.impossible_where(len(dims), len(params), others, asked)
        found = None if wanted is None else [_of_parameters(c, list(params)) for c in wanted]
        if found is None:
            return False
        self.known = [*self.known, *found]
        self._sought += [f for f in found if f not in self._sought]
        return True

    def range(self, of: Sequence[tuple[Polynomial, Sequence[Polynomial]]]) -> tuple[list[Polynomial], list[Polynomial]]:
        """Bounds that hold for all the values, each under its conditions: those from below, and those from above."""
        params: dict[Monomial, str] = {}
        sets = []
        for value, conditions in of:
            dims: dict[ir.Symbol, str] = {}
            text = self._texts(conditions, dims, params)
            same = self.sum_text(value, dims, params)
            assert same is not None
            inner = integer_sets.exists(dims.values(), integer_sets.all_of([f"v = {same}", *text]))
            sets.append(integer_sets.points(["v"], inner))
        lower, upper = integer_sets.bounds(sets, len(params))
        names = list(params)
        return [_of_parameters(c, names) for c in lower], [_of_parameters(c, names) for c in upper]

    def lacking_for(
        self, point: Sequence[str], limits: str, inside: str, given: str, params: list[Monomial]
    ) -> list[Polynomial] | None:
        """What, beside `given`, has to be not negative for each point within the limits to be inside; None if nothing
        makes sure of it.  All in the words of isl."""
        found = integer_sets.not_covered(point, limits, inside, given, len(params))
        return None if found is None else [_of_parameters(c, params) for c in found]

    def _texts(
        self,
        conditions: Iterable[Polynomial],
        dims: dict[ir.Symbol, str],
        params: dict[Monomial, str],
        anywhere: bool = False,
    ) -> list[str]:
        """Those of the conditions that are affine, and the ranges of threads and digits in them."""
        text = [t for c in conditions if (t := self.text(c, dims, params)) is not None]
        for symbol in [] if anywhere else list(dims):
            original = self.coordinates.original(symbol)
            digit = self._digits.get(original)
            if digit is not None or original in self.coordinates.threads.values():
                text.append(f"{dims[symbol]} >= 0")
            if digit is not None and digit.extent is not None:
                below = self.text(digit.extent.polynomial() - atom(symbol) - UNIT, dims, params)
                text += [below] if below is not None else []
        return text

    def text(self, condition: Polynomial, dims: dict[ir.Symbol, str], params: dict[Monomial, str]) -> str | None:
        """An affine condition for isl; None if it is not affine."""
        text = self.sum_text(condition, dims, params)
        return f"{text} >= 0" if text is not None else None

    def sum_text(self, value: Polynomial, dims: dict[ir.Symbol, str], params: dict[Monomial, str]) -> str | None:
        """The same for a value."""
        terms: list[tuple[int, str]] = []
        for monomial, coefficient in value.terms.items():
            uniform, counting = self.split(monomial)
            if (counting and (uniform or len(counting) > 1)) or not all(map(self.coordinates.uniform, uniform)):
                return None
            if counting:
                (atom,) = counting
                assert isinstance(atom, ir.Var)
                terms.append((coefficient, dims.setdefault(atom.symbol, f"c{len(dims)}")))
            elif uniform:
                key = tuple(sorted(uniform, key=hash))
                terms.append((coefficient, params.setdefault(key, f"p{len(params)}")))
            else:
                terms.append((coefficient, ""))
        return integer_sets.total(terms)


def _of_parameters(inequality: integer_sets.Inequality, params: Sequence[Monomial]) -> Polynomial:
    """What is not negative."""
    terms = {(): inequality.constant, **dict(zip(params, inequality.of, strict=True))}
    return Polynomial({m: k for m, k in terms.items() if k})
