"""Statements that wait until another has run: what reads certain variables, and all that must not come before it.

Branches and loops in which some statements wait and others do not are split:

    for (k) { u[k] += a * c[k]; v += a * s; }    →    for (k) u[k] += a * c[k];
                                                      ...
                                                      for (k) v += a * s;
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from hetad.device.fusion.footprints import Footprint, Symbols, footprint, footprint_of, reading
from hetad.ir import nodes as ir
from hetad.ir.visit import with_bodies


@dataclass
class Waiting:
    """The statements of a block so far that `wait` and those that stay.  `late`: the variables that those read which
    wait; `what`: what statements around do that wait."""

    late: Symbols
    what: Footprint = field(default_factory=Footprint)
    wait: list[ir.Stmt] = field(default_factory=list)
    stay: list[ir.Stmt] = field(default_factory=list)
    comment: list[ir.Stmt] = field(default_factory=list)  # it goes with the statement that it stands above

    def take(self, s: ir.Stmt) -> bool:
        """Sorts the next statement in; False if it can do neither."""
        if isinstance(s, ir.Comment):
            self.comment = [s]
            return True
        comment, self.comment = self.comment, []
        own = footprint(s)
        if self.need_not(own):
            self.stay += [*comment, s]
            return True
        parts = _split(s, self)
        if parts is None and own.stays:
            return False
        stays, waits = parts if parts is not None else (None, s)
        if stays is not None:
            self.stay += [*comment, stays]
        self.wait += [*comment, waits]
        self.what |= footprint(waits)
        return True

    def need_not(self, own: Footprint) -> bool:
        """Whether what does this need not wait."""
        return self.late.isdisjoint(own.reads | own.changes) and own.commutes(self.what)


def sunk(
    body: ir.Body, late: Collection[ir.Symbol], beyond: Footprint, formed: Collection[ir.Symbol] = ()
) -> tuple[ir.Body, ir.Body] | None:
    """The statements of a body that stay, and those that wait until what is `beyond` has run: those that name variables
    `late`, and all that must not come before them.  `formed`: those of `late` that only have their values then.  None
    where it cannot be so."""
    waiting = Waiting(frozenset(late))
    if not all(map(waiting.take, body)):
        return None
    if not waiting.what.without(formed).commutes(beyond.without(formed)):
        return None
    return tuple(waiting.stay), tuple(waiting.wait)


def _split(s: ir.Stmt, around: Waiting) -> tuple[ir.Stmt, ir.Stmt] | None:
    """A branch or a loop as two, the first of which need not wait; None if there is nothing to it."""
    match s:
        case ir.If(cond=cond, then=then, orelse=orelse):
            test = reading(cond)
            pairs = [_parts(body, around, test, repeats=False) for body in (then, orelse)]
            if None in pairs:
                return None
            (stay, wait), (other, later) = (pair for pair in pairs if pair is not None)
            if not _says_something((*stay, *other)):
                return None
            return with_bodies(s, then=stay, orelse=other), with_bodies(s, then=wait, orelse=later)
        case ir.For(body=body) if all(isinstance(x, ir.Declare) for x in s.init):
            pair = _parts(body, around, footprint(with_bodies(s, body=())), repeats=True)
            if pair is None or not _says_something(pair[0]):
                return None
            return with_bodies(s, body=pair[0]), with_bodies(s, body=pair[1])
    return None


def _says_something(body: ir.Body) -> bool:
    return not all(isinstance(x, ir.Comment | ir.Declare) for x in body)


def _parts(body: ir.Body, around: Waiting, header: Footprint, repeats: bool) -> tuple[ir.Body, ir.Body] | None:
    """The statements of a body that stay, and those that wait, with declarations of both where both need them."""
    waiting = Waiting(around.late, around.what)
    # What stays has the header now, where it must say what it would behind all that waits.
    if not waiting.need_not(header) or not all(map(waiting.take, body)):
        return None
    stay, wait = tuple(waiting.stay), tuple(waiting.wait)
    again = _declared_again(stay, wait)
    if again is None:
        return None
    wait = (*again, *wait)
    first, second = footprint_of(stay), footprint_of(wait)
    # The header is evaluated twice; in a loop what waits of one iteration comes after what stays of all.
    if not first.changes.isdisjoint(header.reads) or not second.changes.isdisjoint(header.reads):
        return None
    if repeats and not first.commutes(second):
        return None
    if not first.changes.isdisjoint(footprint_of(again).reads):
        return None
    return stay, wait


def _declared_again(stay: ir.Body, wait: ir.Body) -> ir.Body | None:
    """Declarations among those that stay which what waits needs too; None if not they alone give it their values."""
    found: list[ir.Stmt] = []
    needed = footprint_of(wait)
    for i in reversed(range(len(stay))):
        s = stay[i]
        if isinstance(s, ir.Declare) and s.symbol in needed.reads | needed.changes:
            own = footprint(s)
            rest = footprint_of(stay[i + 1 :])
            if s.init is None or s.symbol in needed.changes | rest.changes or own.sets != {s.symbol} or own.adds:
                return None
            found.append(s)
            needed = needed.without((s.symbol,)) | reading(s.init)
    return tuple(reversed(found))
