"""Conflicts: whether two threads of a launch can touch the same cell.

Accesses with the same subscripts differ by numbers alone and lie on a line; of many pairs on it, only the distance
matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from hetad.analysis.access_maps import AccessMaps, Map, Subscripts
from hetad.analysis.accesses import Access
from hetad.analysis.affine import UNIT, Polynomial, atom, symbols
from hetad.analysis.scales import ONE
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.facts import part_of_self


@dataclass(frozen=True, slots=True)
class _Place:
    """Maps that have the same subscripts, and the same threads: numbers added to those of a line."""

    line: int
    constants: tuple[int, ...]
    at: Subscripts
    maps: list[Map]


class Conflicts:
    def __init__(self, maps: AccessMaps) -> None:
        self.maps = maps
        self.coordinates = maps.coordinates
        self._numbers: dict[object, int] = {}  # of what maps have beside their offsets
        self._kinds = part_of_self(self._kind)
        self._threads = part_of_self(self._thread_number)
        self._met: dict[object, bool] = {}  # pairs of maps of some kinds and distance: whether threads are apart

    def exclusive(self, accesses: Sequence[Access]) -> bool:
        """Whether two threads of a launch never touch the same cell through any two of the accesses, which belong to
        one array.  False: not proven."""
        maps = [self.maps.map(s) for s in accesses]
        found = [m for m in maps if m is not None]
        if len(found) < len(maps):
            return False
        apart: dict[tuple[str, ...], list[Map]] = {}
        for m in found:
            assert m.access.cell is not None
            apart.setdefault(m.access.cell.path, []).append(m)
        return all(self._disjoint(group) or (len(group) == 1 and self._turns(group[0])) for group in apart.values())

    def lacking(self, accesses: Sequence[Access]) -> list[Polynomial]:
        """What would have to be not negative in a launch for `exclusive` to be proven: that a stride is no smaller than
        the extent of what it strides over.  Empty: no such thing is enough."""
        met, self._met = self._met, {}
        with self.maps.domains.seeking() as sought:
            proven = self.exclusive(accesses)
        self._met = met
        return sought if proven else []

    def _disjoint(self, maps: Sequence[Map]) -> bool:
        strides = self.maps.strides(maps)
        if strides is None:
            return False
        if any(self.maps.shift(m, strides) != self.maps.shift(maps[0], strides) for m in maps):
            if strides != [ONE]:
                return False
            taken = [self.maps.whole(m) for m in maps]
        else:
            taken = [self.maps.subscripts(m, strides) for m in maps]
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
        """Whether the access touches no cell twice, in whatever threads and iterations."""
        straight = self._straightened(m)
        if straight is None:
            return False
        m = straight
        strides = self.maps.strides([m])
        at = self.maps.subscripts(m, strides) if strides is not None else None
        loops = [x.coordinate for x in m.access.loops]
        if at is None or any(x is None for x in loops):
            return False
        counted = [("loop", self.maps.positions(x)) for x in loops if x is not None]
        every = replace(m, thread=(*m.thread, *counted))
        return self._apart(every, at, every, at)

    def _turns(self, m: Map) -> bool:
        """Whether digits are turned, so that only `injective` can tell that threads do not meet."""
        return any(x in self.coordinates.turned for x in symbols(m.offset)) and self.injective(m)

    def _straightened(self, m: Map) -> Map | None:
        """With the digit itself in place of one that is turned: the new map is one to one if and only if this one is,
        where the digit may have all values below its extent.  None: not known."""
        found = [(x, t) for x in dict.fromkeys(symbols(m.offset)) if (t := self.coordinates.turned.get(x)) is not None]
        digits: dict[ir.Symbol, ir.Symbol] = {}
        loops = {loop.coordinate for loop in m.access.loops}
        offset, ranges = m.offset, []
        for x, t in found:
            digit, extent = self.coordinates.resolved(t.digit), self.coordinates.resolved(t.extent)
            names = list(symbols(digit))
            parts = offset.split(var(x))
            if len(names) != 1 or digit != atom(names[0]) or parts is None or not t.depends <= loops:
                return None
            if names[0] in digits.values() or not self.maps.domains.is_empty([*m.conditions, digit - extent]):
                return None
            digits[x] = names[0]
            offset = parts[0] * digit + parts[1]
            ranges.append(extent - digit - UNIT)
        straight = set(digits.values())
        if not straight.isdisjoint(symbols(m.offset)):
            return None
        kept = [c for c in m.conditions if straight.isdisjoint(symbols(c))]
        return replace(m, offset=offset, conditions=(*kept, *ranges)) if found else m

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
        return self._threads(a), self._threads(b), a is b, distance, len(self.maps.domains.known)

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
                if not self.maps.domains.is_empty([*conditions, step - UNIT]):
                    return False
                if a is not b and not self.maps.domains.is_empty([*conditions, step.scaled(-1) - UNIT]):
                    return False
        return True

    def _kind(self, m: Map) -> int:
        """A number for the conditions of a map, and one for its threads: the same ones have the same numbers."""
        content = tuple(frozenset(c.terms.items()) for c in m.conditions)
        return self._numbers.setdefault(content, len(self._numbers))

    def _thread_number(self, m: Map) -> int:
        told = tuple((how, tuple(frozenset(p.terms.items()) for p in at)) for how, at in m.thread)
        return self._numbers.setdefault(("threads", told), len(self._numbers))


def _zero(differences: Iterable[Polynomial]) -> list[Polynomial]:
    """What is not negative where the differences are zero."""
    return [p for d in differences for p in (d, d.scaled(-1))]
