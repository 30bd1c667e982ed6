"""Questions about sets of integers, put to isl.

Each has a limit on the operations that it may take, so that no program takes for ever: the number of pieces of a
union's complement may grow exponentially.  A question that reaches the limit has the answer that proves nothing.
Operations are counted for each question anew, in a context of its own: the answer is the same on each machine and in
each order.

Texts are in isl's notation; parameters are `p0`, `p1`, …

Source: S. Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import islpy as isl

T = TypeVar("T")

NOWHERE = "1 = 0"  # a constraint that nothing fulfils
MOST_OPERATIONS = 200_000  # of isl, a question; about a fifth of a second


@dataclass(frozen=True, slots=True)
class Inequality:
    """`constant + Σ of[k] p_k` is not negative."""

    constant: int
    of: tuple[int, ...]


# --- texts in isl's notation ----------------------------------------------------------------------


def total(terms: Iterable[tuple[int, str]]) -> str:
    """A sum of numbers times names; without a name, of numbers."""
    return " + ".join(f"{c} * {name}" if name else str(c) for c, name in terms) or "0"


def all_of(constraints: Iterable[str | None]) -> str:
    """That all of them hold; nowhere, where one of them cannot be said."""
    said = list(constraints)
    texts = [c for c in said if c is not None]
    return (" and ".join(texts) or "0 = 0") if len(texts) == len(said) else NOWHERE


def some_of(constraints: Iterable[str]) -> str:
    """That at least one of them holds."""
    return f"({' or '.join(f'({c})' for c in constraints) or NOWHERE})"


def exists(names: Collection[str], constraint: str) -> str:
    """That some numbers of these names fulfil a constraint."""
    return f"(exists {', '.join(names)}: {constraint})" if names else f"({constraint})"


def points(names: Iterable[str], constraint: str) -> str:
    """The set of the points with these coordinates that fulfil a constraint."""
    return f"{{ [{', '.join(names)}] : {constraint} }}"


# --- questions ------------------------------------------------------------------------------------


def _bounded(question: Callable[[isl.Context], T], unproven: T) -> T:
    context = isl.Context()
    context.set_max_operations(MOST_OPERATIONS)
    try:
        return question(context)
    except isl.Error:
        return unproven


@lru_cache(maxsize=20_000)
def is_empty(dimensions: int, parameters: int, constraints: str) -> bool:
    """Whether no values of `c0`, `c1`, … and parameters fulfil the constraints."""
    text = f"{_space(parameters)} -> {points(_names('c', dimensions), constraints)}"
    return _bounded(lambda context: bool(isl.Set(text, context).is_empty()), False)


def bounds(sets: Sequence[str], parameters: int) -> tuple[list[Inequality], list[Inequality]]:
    """What is no more than any member of any of the sets `{ [v] : … }`, and what is no less."""

    def ask(context: isl.Context) -> tuple[list[Inequality], list[Inequality]]:
        whole = isl.Set(f"{_space(parameters)} -> {sets[0]}", context)
        for other in sets[1:]:
            whole = whole.union(isl.Set(f"{_space(parameters)} -> {other}", context))
        # Without the inner variables that tell which values between the bounds are taken.
        return _bounds(whole.remove_divs().simple_hull().remove_redundancies(), parameters)

    nothing: tuple[list[Inequality], list[Inequality]] = ([], [])
    return _bounded(ask, nothing)


def _bounds(hull: isl.BasicSet, parameters: int) -> tuple[list[Inequality], list[Inequality]]:
    lower: list[Inequality] = []
    upper: list[Inequality] = []
    for c in hull.get_constraints():
        if c.involves_dims(isl.dim_type.div, 0, hull.dim(isl.dim_type.div)):
            continue
        slope = int(c.get_coefficient_val(isl.dim_type.set, 0).to_python())
        bound = _inequality(c, parameters)
        scaled = Inequality(-slope * bound.constant, tuple(-slope * k for k in bound.of))
        if slope == 1 or (c.is_equality() and abs(slope) == 1):
            lower.append(scaled)
        if slope == -1 or (c.is_equality() and abs(slope) == 1):
            upper.append(scaled)
    return lower, upper


def greatest(dimensions: int, value: str, constraints: str) -> int | None:
    """The greatest value of an expression in `c0`, `c1`, … where the constraints hold; None if they nowhere do."""
    said = points(["v"], exists(_names("c", dimensions), all_of([f"v = {value}", constraints])))

    def ask(context: isl.Context) -> int | None:
        found = isl.Set(said, context)
        return None if found.is_empty() else int(found.dim_max_val(0).to_python())

    return _bounded(ask, None)


def not_covered(point: Sequence[str], limits: str, inside: str, given: str, parameters: int) -> list[Inequality] | None:
    """What, beside `given`, makes sure that each point within the limits is inside; None if nothing does."""
    space = _space(parameters)

    def ask(context: isl.Context) -> list[Inequality] | None:
        missing = isl.Set(f"{space} -> {points(point, all_of([limits, given]))}", context)
        missing = missing.subtract(isl.Set(f"{space} -> {points(point, inside)}", context))
        if missing.is_empty():
            return []
        return _where_not(missing.params(), isl.Set(f"{space} -> {{ : {given} }}", context), parameters)

    return _bounded(ask, None)


def impossible_where(dimensions: int, parameters: int, given: str, asked: str) -> list[Inequality] | None:
    """What has to hold, where the given constraints can be fulfilled, for these and `asked` to be impossible; None if
    no inequalities say so."""
    space, point = _space(parameters), _names("c", dimensions)

    def ask(context: isl.Context) -> list[Inequality] | None:
        anyone = isl.Set(f"{space} -> {points(point, given)}", context).params()
        wrong = isl.Set(f"{space} -> {points(point, all_of([given, asked]))}", context).params()
        return _where_not(wrong, anyone, parameters)

    return _bounded(ask, None)


def always_met(met: str, excepted: str, asked: str) -> list[int] | None:
    """A point of the set `met` that is not in `excepted`, if there is one for all parameters for which `asked` has any,
    and those are not none.  The sets have the same space."""

    def ask(context: isl.Context) -> list[int] | None:
        found = isl.Set(met, context)
        if found.is_empty():
            return None
        found = found.subtract(isl.Set(excepted, context))
        parameters = isl.Set(asked, context).params()
        if found.is_empty() or parameters.is_empty() or not parameters.is_subset(found.params()):
            return None
        point = found.lexmin().sample_point()
        dimensions = range(found.dim(isl.dim_type.set))
        return [int(point.get_coordinate_val(isl.dim_type.set, i).to_python()) for i in dimensions]

    return _bounded(ask, None)


def _where_not(wrong: isl.Set, anyone: isl.Set, parameters: int) -> list[Inequality] | None:
    """Inequalities, given what holds for anyone, that exclude just what is wrong; None if there are none."""
    right = wrong.complement().gist(anyone).coalesce()
    if right.n_basic_set() != 1:
        return None
    (piece,) = right.get_basic_sets()
    constraints = piece.get_constraints()
    if any(c.is_equality() or c.involves_dims(isl.dim_type.div, 0, c.dim(isl.dim_type.div)) for c in constraints):
        return None
    return [_inequality(c, parameters) for c in constraints]


def _inequality(c: isl.Constraint, parameters: int) -> Inequality:
    """What a constraint says of the parameters."""
    of = (int(c.get_coefficient_val(isl.dim_type.param, i).to_python()) for i in range(parameters))
    return Inequality(int(c.get_constant_val().to_python()), tuple(of))


def _space(parameters: int) -> str:
    return f"[{', '.join(_names('p', parameters))}]"


def _names(letter: str, count: int) -> list[str]:
    return [f"{letter}{k}" for k in range(count)]
