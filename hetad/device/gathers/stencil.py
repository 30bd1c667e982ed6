"""Stencils: sources that run over one box of threads, each at a few fixed distances from its targets.

For `if (1 <= i && i < n - 1) out[i] = in[i - 1] + in[i + 1]` the box is 1 ≤ i < n - 1 and the distances are -1 and 1.
Then the least and the greatest cell that is added to are known before any sum, and so are the targets to which all
sources add, whatever the guards say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses, Guard
from hetad.analysis.affine import Polynomial, numeral, symbols
from hetad.analysis.scales import Scale
from hetad.device.gathers.sources import Pivot, Source
from hetad.ir import nodes as ir

MOST = 64  # distances of a source along one subscript

_Different = dict[frozenset[object], Polynomial]  # by their terms
Bounds = tuple[_Different, _Different]  # from below and from above, both inclusive


@dataclass(frozen=True, slots=True)
class Side:
    """Along one subscript: the bounds of the coordinate, and how far the targets are from it."""

    lower: Polynomial
    upper: tuple[Polynomial, ...]
    distances: frozenset[int]
    lowest: int  # the distance of the first target that is added to, in the order of memory, from the first thread
    highest: int  # of the last


Stencil = dict[Scale, Side]  # by stride, ascending


def stencil(
    accesses: Accesses, maps: AccessMaps, sources: Sequence[Source], strides: Sequence[Scale]
) -> Stencil | None:
    """None where the sources differ in more than their distances."""
    boxes = [_box(accesses, maps, s) for s in sources]
    reaches = [_reach(s, box, strides) for s, box in zip(sources, boxes, strict=True) if box is not None]
    found = [r for r in reaches if r is not None]
    if len(found) < len(sources):
        return None
    bounds = [
        {s: box[p.coordinate] for s, p in _pivots(x).items()} for x, box in zip(sources, boxes, strict=True) if box
    ]
    if any(b != bounds[0] for b in bounds):
        return None
    outermost = list(reversed(strides))
    lowest = min(tuple(min(r[s]) for s in outermost) for r in found)
    highest = max(tuple(max(r[s]) for s in outermost) for r in found)
    sides: Stencil = {}
    for s in strides:
        at = outermost.index(s)
        lower, upper = (tuple(_binding(b, sign)) for b, sign in zip(bounds[0][s], (1, -1), strict=True))
        if len(lower) != 1 or not upper:
            return None
        sides[s] = Side(lower[0], upper, frozenset().union(*(r[s] for r in found)), lowest[at], highest[at])
    return sides


def _pivots(s: Source) -> dict[Scale, Pivot]:
    return {p.stride: p for p in s.pivots}


def _box(accesses: Accesses, maps: AccessMaps, s: Source) -> dict[ir.Symbol, Bounds] | None:
    """The bounds of every coordinate, if nothing else decides whether the source is reached."""
    coordinates = accesses.coordinates
    conditions = list(maps.existence(s.map))
    for guard in (g for g in s.access.steps if isinstance(g, Guard)):
        for _, polynomials in accesses.conjuncts(guard, s.access.values):
            if not polynomials:
                return None
            conditions += [maps.domains.reduced(coordinates.resolved(p)) for p in polynomials]
    found: dict[ir.Symbol, Bounds] = {}
    for condition in conditions:
        mine = [x for x in symbols(condition) if coordinates.counts(x)]
        parts = condition.split(ir.Var(mine[0], span=mine[0].span)) if len(mine) == 1 else None
        if parts is None or parts[0].constant not in (1, -1) or not maps.clean(parts[1], s.map):
            return None
        slope, rest = parts
        below, above = found.setdefault(mine[0], ({}, {}))
        bound, among = (rest.scaled(-1), below) if slope.constant == 1 else (rest, above)
        among[frozenset(bound.terms.items())] = bound
    return found


def _reach(s: Source, box: dict[ir.Symbol, Bounds], strides: Sequence[Scale]) -> dict[Scale, frozenset[int]] | None:
    """By stride, the distances of the targets from the coordinate that tells them."""
    pivots = _pivots(s)
    if set(pivots) != set(strides) or any(p.sign != 1 or p.coordinate not in box for p in s.pivots):
        return None
    free = [x for p in s.pivots for x in symbols(p.rest)]
    if len(set(free)) < len(free) or set(s.free) != set(free):
        return None
    found: dict[Scale, frozenset[int]] = {}
    for stride, p in pivots.items():
        distances = {p.rest.terms.get((), 0)}
        for monomial, factor in p.rest.terms.items():
            if not monomial:
                continue
            (variable, *more) = monomial
            values = _values(box.get(variable.symbol)) if isinstance(variable, ir.Var) and not more else None
            if values is None:
                return None
            distances = {d + factor * v for d in distances for v in values}
        if len(distances) > MOST:
            return None
        found[stride] = frozenset(distances)
    return found


def _values(bounds: Bounds | None) -> range | None:
    """What a coordinate with literal bounds can be."""
    if bounds is None:
        return None
    lower, upper = ([p.constant for p in b.values()] for b in bounds)
    if not lower or not upper or None in lower or None in upper:
        return None
    values = range(max(x for x in lower if x is not None), min(x for x in upper if x is not None) + 1)
    return values if 0 < len(values) <= MOST else None


def _binding(bounds: _Different, sign: int) -> list[Polynomial]:
    """Without the numbers that a stronger one stands beside."""
    numbers = [c for p in bounds.values() if (c := p.constant) is not None]
    rest = [p for p in bounds.values() if p.constant is None]
    best = [numeral(c) for c in [max(numbers, key=lambda n: sign * n)]] if numbers else []
    return [*best, *rest]
