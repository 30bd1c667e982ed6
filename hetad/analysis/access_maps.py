"""Access maps: which thread touches which cell, and whether two threads can touch the same one.

A site's map goes from its coordinates (thread, loops) to the cell.  The offset of the cell, a polynomial such as
`(z * ny + y) * nx + x`, is taken apart into subscripts `(z, y, x)` at the strides `nx * ny`, `nx` and 1; the guards
prove that each subscript stays below the extent it has, so that different subscripts are different cells.  Then the
subscripts are affine, and the question is one of integer sets.  What is not affine in a guard is left out: fewer
conditions can only prove less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from math import gcd
from typing import TypeGuard

from hetad.analysis import integer_sets
from hetad.analysis.accesses import Site
from hetad.analysis.affine import Monomial, Polynomial
from hetad.analysis.coordinates import Coordinates, Digit, grid_dim
from hetad.analysis.scales import ONE, Scale, chain, scale
from hetad.ir import nodes as ir
from hetad.ir.facts import once
from hetad.ir.types import INT

Subscripts = dict[Scale, Polynomial]  # by stride; affine
_ONE = Polynomial({(): 1})


@dataclass(frozen=True, slots=True)
class Map:
    """A site's access map.  `thread`: per axis, how the thread is told and the coordinates that tell it."""

    site: Site
    offset: Polynomial
    conditions: tuple[Polynomial, ...]  # each is not negative
    thread: tuple[tuple[str, tuple[Polynomial, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Maps that have the same subscripts, and the same threads: numbers added to those of a line."""

    line: int
    constants: tuple[int, ...]
    at: Subscripts
    maps: list[Map]


class AccessMaps:
    def __init__(self, coordinates: Coordinates, axes: Iterable[str], known: Iterable[Polynomial] = ()) -> None:
        """`axes`: those along which the launch has threads that differ; `known`: what is not negative in it."""
        self.coordinates = coordinates
        self.axes = tuple(axes)
        self.counts = {a: ir.Symbol(f"threads_{a}", INT, coordinates.span, "param", const=True) for a in self.axes}
        self._known = list(known)
        self._sought: list[Polynomial] | None = None  # what else would have to be known
        self._maps = once(self._map)
        self._numbers: dict[object, int] = {}  # of what maps have beside their offsets
        self._kinds = once(self._kind)
        self._threads = once(self._thread_number)
        self._met: dict[object, bool] = {}  # pairs of maps of some kinds and distance: whether threads are apart
        self._digits = {d.symbol: d for digits in coordinates.digits().values() for d in digits}

    def exclusive(self, sites: Sequence[Site]) -> bool:
        """Whether two threads of a launch never touch the same cell through any two of the sites, which belong to
        one array.  False: not proven."""
        maps = [self.map(s) for s in sites]
        found = [m for m in maps if m is not None]
        if len(found) < len(maps):
            return False
        apart: dict[tuple[str, ...], list[Map]] = {}
        for m in found:
            assert m.site.cell is not None
            apart.setdefault(m.site.cell.path, []).append(m)
        return all(self._disjoint(group) or (len(group) == 1 and self._turns(group[0])) for group in apart.values())

    def lacking(self, sites: Sequence[Site]) -> list[Polynomial]:
        """What would have to be not negative in a launch for `exclusive` to be proven: that a stride is no smaller than
        the extent of what it strides over.  Empty: no such thing is enough."""
        known, self._sought, self._met = self._known, [], {}
        try:
            return self._sought if self.exclusive(sites) else []
        finally:
            self._known, self._sought, self._met = known, None, {}

    def map(self, site: Site) -> Map | None:
        return self._maps(site)

    def _map(self, site: Site) -> Map | None:
        if site.cell is None:
            return None
        resolve = self.coordinates.resolved
        thread = []
        for axis in self.axes:
            told = self._thread(axis, site)
            if told is None:
                return None
            thread.append(told)
        return Map(site, resolve(site.cell.offset), tuple(self.conditions(site.bounds)), tuple(thread))

    def conditions(self, bounds: Iterable[Polynomial]) -> list[Polynomial]:
        """What is not negative, over digits."""
        return [c for b in bounds for c in self._reduced(self.coordinates.resolved(b))]

    def _thread(self, axis: str, site: Site) -> tuple[str, tuple[Polynomial, ...]] | None:
        base = self.coordinates.threads[axis]
        loop = next((x for x in site.loops if x.shared is not None and x.shared[0] == axis), None)
        if loop is None:
            return "thread", self.positions(base)
        assert loop.shared is not None and loop.coordinate is not None
        if loop.shared[1] == "grid":
            return "grid", self.positions(loop.coordinate)
        digits = self.coordinates.digits().get(base, [])
        block = self.coordinates.block(axis)
        if all(d.scale != block for d in digits):
            return None
        upper = tuple(_atom(d.symbol) for d in digits if d.scale.over(block) is not None)
        return "block", (*self.positions(loop.coordinate), *upper)

    def positions(self, coordinate: ir.Symbol) -> tuple[Polynomial, ...]:
        """The digits of a coordinate, lowest first."""
        digits = self.coordinates.digits().get(coordinate, [])
        return tuple(_atom(d.symbol) for d in digits) or (_atom(coordinate),)

    # -- spaces

    def coordinates_of(self, m: Map) -> list[ir.Symbol]:
        """The coordinates of a site, those of the thread first, then those of the loops around it."""
        loops = [x.coordinate for x in m.site.loops if x.shared is None and x.coordinate is not None]
        values = [p for _, told in reversed(m.thread) for p in reversed(told)]
        values += [p for x in loops for p in reversed(self.positions(x))]
        return [symbol for p in values for symbol in _symbols(p)]

    def threads_of(self, m: Map) -> frozenset[ir.Symbol]:
        return frozenset(symbol for _, told in m.thread for p in told for symbol in _symbols(p))

    def existence(self, m: Map) -> list[Polynomial]:
        """What is not negative for the coordinates of the threads of a launch and of the iterations of the loops."""
        found: list[Polynomial] = []
        for axis, (kind, told) in zip(self.axes, m.thread, strict=True):
            if kind != "grid":
                found += self.digit_ranges(told)
            if kind == "thread":
                found.append(
                    _atom(self.counts[axis]) - self.coordinates.resolved(_atom(self.coordinates.threads[axis])) - _ONE
                )
            elif kind == "block":
                blocks = Polynomial({(grid_dim(axis, self.coordinates.span),): 1})
                found.append(blocks - self.coordinates.resolved(self.coordinates.block_of(axis)) - _ONE)
        for loop in m.site.loops:
            found += [c for p in loop.range for c in self._reduced(self.coordinates.resolved(p))]
            if loop.shared is None and loop.coordinate is not None and len(self.positions(loop.coordinate)) > 1:
                found += self.digit_ranges(self.positions(loop.coordinate))
        return found

    def digit_ranges(self, digits: Iterable[Polynomial]) -> list[Polynomial]:
        found = []
        for p in digits:
            (symbol,) = _symbols(p)
            found.append(p)
            digit = self._digits.get(symbol)
            if digit is not None and digit.extent is not None:
                found.append(digit.extent.polynomial() - p - _ONE)
        return found

    def clean(self, value: Polynomial, m: Map) -> bool:
        """Whether the value is known wherever the coordinates of the site are."""
        mine = set(self.coordinates_of(m))
        return all(
            a.symbol in mine
            if isinstance(a, ir.Var) and self.coordinates.counts(a.symbol)
            else self.coordinates.uniform(a)
            for monomial in value.terms
            for a in monomial
        )

    def reduced(self, condition: Polynomial) -> Polynomial:
        """An equivalent condition with fewer digits, where there is one."""
        return self._reduced(condition)[0]

    # -- proofs

    def _disjoint(self, maps: Sequence[Map]) -> bool:
        strides = self.strides(maps)
        if strides is None:
            return False
        if any(self.shift(m, strides) != self.shift(maps[0], strides) for m in maps):
            if strides != [ONE]:
                return False
            taken = [self._whole(m) for m in maps]
        else:
            taken = [self.subscripts(m, strides) for m in maps]
        subscripts = [t for t in taken if t is not None]
        if len(subscripts) < len(taken) or len({tuple(how for how, _ in m.thread) for m in maps}) > 1:
            return False
        places = self._places(maps, subscripts)
        apart: dict[object, bool] = {}  # by lines and distance, whatever the conditions
        for i, here in enumerate(places):
            if not all(self._apart(m, here.at, m, here.at) for m in here.maps):
                return False
            for there in places[i:] if len(here.maps) > 1 else places[i + 1 :]:
                distance = tuple(x - y for x, y in zip(here.constants, there.constants, strict=True))
                key = (here.line, there.line, distance)
                if key not in apart:
                    a, b = here.maps[0], there.maps[-1]
                    apart[key] = self._apart_anyway(a, b, self._differences(here.at, there.at))
                if apart[key]:
                    continue
                pairs = combinations(here.maps, 2) if here is there else product(here.maps, there.maps)
                if not all(self._apart(a, here.at, b, there.at) for a, b in pairs):
                    return False
        return True

    def _places(self, maps: Sequence[Map], subscripts: Sequence[Subscripts]) -> list[_Place]:
        """The maps by their subscripts: on a line, they differ by numbers alone."""
        lines: dict[object, int] = {}
        found: dict[object, _Place] = {}
        for m, at in zip(maps, subscripts, strict=True):
            moving = tuple(frozenset((t, c) for t, c in p.terms.items() if t) for p in at.values())
            line = lines.setdefault((self._threads(m), moving), len(lines))
            constants = tuple(p.terms.get((), 0) for p in at.values())
            found.setdefault((line, constants), _Place(line, constants, at, [])).maps.append(m)
        return list(found.values())

    def injective(self, m: Map) -> bool:
        """Whether the site touches no cell twice, in whatever threads and iterations."""
        straight = self._straightened(m)
        if straight is None:
            return False
        m = straight
        strides = self.strides([m])
        at = self.subscripts(m, strides) if strides is not None else None
        loops = [x.coordinate for x in m.site.loops]
        if at is None or any(x is None for x in loops):
            return False
        counted = [("loop", self.positions(x)) for x in loops if x is not None]
        every = replace(m, thread=(*m.thread, *counted))
        return self._apart(every, at, every, at)

    def _turns(self, m: Map) -> bool:
        """Whether digits are turned, so that only `injective` can tell that threads do not meet."""
        return any(x in self.coordinates.turned for x in _symbols(m.offset)) and self.injective(m)

    def _straightened(self, m: Map) -> Map | None:
        """With the digit itself in place of one that is turned: the new map is one to one if and only if this one is,
        where the digit may have all values below its extent.  None: not known."""
        found = [(x, t) for x in dict.fromkeys(_symbols(m.offset)) if (t := self.coordinates.turned.get(x)) is not None]
        digits: dict[ir.Symbol, ir.Symbol] = {}
        loops = {loop.coordinate for loop in m.site.loops}
        offset, ranges = m.offset, []
        for x, t in found:
            digit, extent = self.coordinates.resolved(t.digit), self.coordinates.resolved(t.extent)
            names = list(_symbols(digit))
            parts = offset.split(ir.Var(x, span=x.span))
            if len(names) != 1 or digit != _atom(names[0]) or parts is None or not t.depends <= loops:
                return None
            if names[0] in digits.values() or not self._impossible([*m.conditions, digit - extent]):
                return None
            digits[x] = names[0]
            offset = parts[0] * digit + parts[1]
            ranges.append(extent - digit - _ONE)
        straight = set(digits.values())
        if not straight.isdisjoint(_symbols(m.offset)):
            return None
        kept = [c for c in m.conditions if straight.isdisjoint(_symbols(c))]
        return replace(m, offset=offset, conditions=(*kept, *ranges)) if found else m

    def implied(self, condition: Polynomial, conditions: Sequence[Polynomial]) -> bool:
        """Whether the condition is not negative where none of the others is, for any values of the coordinates."""
        return self._impossible([*conditions, condition.scaled(-1) - _ONE], anywhere=True)

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

    def strides(self, maps: Sequence[Map], nested: bool = True) -> list[Scale] | None:
        """What the coordinates are multiplied by in the offsets, ascending; `nested`: each divides the next."""
        factors: dict[Monomial, int] = {}
        for m in maps:
            for monomial, coefficient in m.offset.terms.items():
                stride, counting = self.split(monomial)
                if counting:
                    factors[stride] = gcd(factors.get(stride, 0), coefficient)
        for m in maps:  # a distance of several strides is one in subscripts
            for monomial, coefficient in m.offset.terms.items():
                stride, _ = self.split(monomial)
                if stride in factors:
                    factors[stride] = gcd(factors[stride], coefficient)
        scales = {scale(1 if not atoms else factor, atoms) for atoms, factor in factors.items()} | {ONE}
        if not all(self.coordinates.uniform(a) for s in scales for a, _ in s.atoms):
            return None
        return chain(scales) if nested else sorted(scales, key=lambda s: (s.degree, s.factor, s.text))

    def shift(self, m: Map, strides: list[Scale]) -> Polynomial:
        """What is added to the offset whatever the subscripts are."""
        known = {s.atoms for s in strides}
        return Polynomial({t: c for t, c in m.offset.terms.items() if scale(1, self.split(t)[0]).atoms not in known})

    def split(self, monomial: Monomial) -> tuple[Monomial, Monomial]:
        """The uniform atoms of a product, and its coordinates."""
        mine = tuple(a for a in monomial if self._is_coordinate(a))
        return tuple(a for a in monomial if not self._is_coordinate(a)), mine

    def _is_coordinate(self, atom: ir.Expr) -> TypeGuard[ir.Var]:
        return isinstance(atom, ir.Var) and self.coordinates.counts(atom.symbol)

    def subscripts(self, m: Map, strides: list[Scale], nested: bool = True) -> Subscripts | None:
        """The subscripts; `nested`: if each stays within its extent, so that different ones are different cells."""
        found: dict[Scale, dict[Monomial, int]] = {s: {} for s in strides}
        for monomial, coefficient in m.offset.terms.items():
            uniform, counting = self.split(monomial)
            stride = next((s for s in strides if s.atoms == scale(1, uniform).atoms), None)
            if len(counting) > 1 or not all(map(self.coordinates.uniform, uniform)):
                return None
            if stride is None:
                continue  # a part of the shift
            found[stride][counting] = coefficient // stride.factor
        subscripts = {s: Polynomial(terms) for s, terms in found.items()}
        for low, high in pairwise(strides) if nested else ():
            extent = high.over(low)
            assert extent is not None
            if not self._within(m, subscripts[low], extent):
                return None
        return subscripts

    def _whole(self, m: Map) -> Subscripts | None:
        """The offset as one subscript, whatever is added to it."""
        affine = all(len(self.split(t)[1]) <= 1 for t in m.offset.terms)
        return {ONE: m.offset} if affine and self.clean(m.offset, m) else None

    def _within(self, m: Map, subscript: Polynomial, extent: Scale) -> bool:
        below = Polynomial({(): -1}) - subscript
        above = subscript - extent.polynomial()
        if not self._impossible([*m.conditions, below]):
            return False
        if self._impossible([*m.conditions, above]) or self._would_be_impossible(m.conditions, above):
            return True
        launched = [*m.conditions, *self._launched(m)]
        return self._impossible([*launched, above]) or self._would_be_impossible(launched, above)

    def _launched(self, m: Map) -> list[Polynomial]:
        """That there are no more threads than are launched, along axes where it is known how large blocks are."""
        found = []
        for axis, (kind, told) in zip(self.axes, m.thread, strict=True):
            size = self.coordinates.block(axis)
            if kind == "thread" and len(told) == 1 and not size.atoms:
                threads = size.polynomial() * Polynomial({(grid_dim(axis, self.coordinates.span),): 1})
                found.append(threads - told[0] - _ONE)
        return found

    def _would_be_impossible(self, given: Sequence[Polynomial], question: Polynomial) -> bool:
        """Whether a condition on parameters alone, which is noted, keeps the question from being not negative."""
        if self._sought is None:
            return False
        dims: dict[ir.Symbol, str] = {}
        params: dict[Monomial, str] = {}
        asked = self.text(question, dims, params)
        others = integer_sets.all_of(self._texts([*given, *self._known], dims, params))
        if asked is None:
            return False
        wanted = integer_sets.impossible_where(len(dims), len(params), others, asked)
        found = None if wanted is None else [_of_parameters(c, list(params)) for c in wanted]
        if found is None:
            return False
        self._known = [*self._known, *found]
        self._sought += [f for f in found if f not in self._sought]
        return True

    def _apart(self, a: Map, at: Subscripts, b: Map, bt: Subscripts) -> bool:
        """Whether different threads certainly have different subscripts."""
        if any(x[0] != y[0] for x, y in zip(a.thread, b.thread, strict=True)):
            return False
        differences = self._differences(at, bt)
        if self._apart_anyway(a, b, differences):
            return True
        question = (self._kinds(a), self._kinds(b), *self._question(a, b, differences))
        if question not in self._met:
            other = self.coordinates.renamed
            conditions = [*a.conditions, *(other(c) for c in b.conditions), *_zero(differences)]
            self._met[question] = self._never_other(a, b, conditions)
        return self._met[question]

    def _apart_anyway(self, a: Map, b: Map, differences: Sequence[Polynomial]) -> bool:
        """The same, whatever the conditions: in a row of cells many pairs have the same distance."""
        question = self._question(a, b, differences)
        if question not in self._met:
            self._met[question] = self._never_other(a, b, _zero(differences))
        return self._met[question]

    def _question(self, a: Map, b: Map, differences: Sequence[Polynomial]) -> tuple[object, ...]:
        distance = tuple(frozenset(d.terms.items()) for d in differences)
        return self._threads(a), self._threads(b), a is b, distance, len(self._known)

    def _differences(self, at: Subscripts, bt: Subscripts) -> list[Polynomial]:
        """Between the subscripts of two threads."""
        other = self.coordinates.renamed
        return [subscript - other(bt[stride]) for stride, subscript in at.items()]

    def _never_other(self, a: Map, b: Map, conditions: Sequence[Polynomial]) -> bool:
        """Whether no two different threads fulfil the conditions, the second one's on renamed coordinates."""
        other = self.coordinates.renamed
        for mine, theirs in zip(a.thread, b.thread, strict=True):
            for x, y in zip(mine[1], theirs[1], strict=True):
                step = x - other(y)
                if not self._impossible([*conditions, step - _ONE]):
                    return False
                if a is not b and not self._impossible([*conditions, step.scaled(-1) - _ONE]):
                    return False
        return True

    def _kind(self, m: Map) -> int:
        """A number for the conditions of a map, and one for its threads: the same ones have the same numbers."""
        content = tuple(frozenset(c.terms.items()) for c in m.conditions)
        return self._numbers.setdefault(content, len(self._numbers))

    def _thread_number(self, m: Map) -> int:
        told = tuple((how, tuple(frozenset(p.terms.items()) for p in at)) for how, at in m.thread)
        return self._numbers.setdefault(("threads", told), len(self._numbers))

    # -- integer sets

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
        for monomial, coefficient in (condition + Polynomial({(): 1})).terms.items():
            uniform, counting = self.split(monomial)
            worth = scale(abs(coefficient), uniform).over(by)
            if worth is None:
                rest[monomial] = coefficient
                continue
            for m, c in (worth.polynomial() * Polynomial({counting: 1})).terms.items():
                whole[m] = c if coefficient > 0 else -c
        below = [d.scale.polynomial() * _atom(d.symbol) for d in lower if d.scale != by]
        allowed = {m: c for p in below for m, c in p.terms.items()}
        if not rest or any(allowed.get(m) != -c for m, c in rest.items()):
            return None
        return Polynomial(whole) - Polynomial({(): 1})

    def _impossible(self, conditions: Iterable[Polynomial], anywhere: bool = False) -> bool:
        """Whether no values of coordinates and parameters make all the conditions not negative; `anywhere`: whatever
        values the coordinates have, else those of threads and digits."""
        dims: dict[ir.Symbol, str] = {}
        params: dict[Monomial, str] = {}
        constraints = integer_sets.all_of(self._texts([*conditions, *self._known], dims, params, anywhere))
        return integer_sets.is_empty(len(dims), len(params), constraints)

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
                below = self.text(digit.extent.polynomial() - _atom(symbol) - _ONE, dims, params)
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


def _zero(differences: Iterable[Polynomial]) -> list[Polynomial]:
    """What is not negative where the differences are zero."""
    return [p for d in differences for p in (d, d.scaled(-1))]


def _atom(symbol: ir.Symbol) -> Polynomial:
    return Polynomial({(ir.Var(symbol, span=symbol.span),): 1})


def _symbols(value: Polynomial) -> list[ir.Symbol]:
    return [a.symbol for m in value.terms for a in m if isinstance(a, ir.Var)]
