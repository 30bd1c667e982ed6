"""Snapshots of a part in place of the whole buffer.

Undoing a statement by a snapshot of the whole buffer undoes all later writes to it as well, so that these need none.
A snapshot of the part that the statement writes is smaller, and relies on each later write being undone by its own.
So it is taken where that costs no other snapshot that is executed as often, but for some of a few cells: the function
is pruned again, and looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from hetad.host.saves.parts import Ends
from hetad.ir import nodes as ir
from hetad.ir.visit import map_body, walk_in_loops

_TRIALS = 24  # of one snapshot at a time
_FEW = 64  # cells that may be saved beside


def narrowed(
    whole: ir.Body, cells_of: Mapping[ir.Symbol, Ends], prune: Callable[[ir.Body], ir.Body], limited: bool
) -> ir.Body:
    """`whole`, pruned, with such snapshots; `cells_of`: the part of each slot.  `limited`: none may be added that is
    taken outside loops, where nothing is reserved for it."""
    body = prune(whole)
    depths = _depths(body)
    candidates = sorted((x for x in depths if x in cells_of), key=lambda x: -depths[x])
    taken: list[ir.Symbol] = []
    trials = [candidates] if candidates else []
    while trials:
        tried = trials.pop(0)
        chosen = {*taken, *tried}
        smaller = prune(_with_parts(whole, cells_of, {*chosen, *(x for x in cells_of if _is_small(cells_of[x]))}))
        depth = min(depths[x] for x in tried)
        more = {x: d for x, d in _depths(smaller).items() if x not in depths}
        cheap = (d < depth or (x in cells_of and _is_small(cells_of[x])) for x, d in more.items())
        if all(cheap) and not (limited and 0 in more.values()):
            body, depths = smaller, {**more, **depths}
            taken += tried
        elif len(tried) > 1:
            trials = [[x] for x in candidates[:_TRIALS]]
    return body


def _is_small(cells: Ends) -> bool:
    return isinstance(cells.count, ir.Const) and cells.count.value <= _FEW


def _with_parts(body: ir.Body, cells_of: Mapping[ir.Symbol, Ends], chosen: Collection[ir.Symbol]) -> ir.Body:
    def part(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Push) and s.slot in chosen:
            return replace(s, extent="part", cells=(cells_of[s.slot].first, cells_of[s.slot].last))
        if isinstance(s, ir.Pop) and s.slot in chosen:
            return replace(s, extent="part")
        return s

    return map_body(part, body)


def _depths(body: ir.Body) -> dict[ir.Symbol, int]:
    """The slots of what is saved, each with the number of loops around it."""
    return {s.slot: len(around) for s, around in walk_in_loops(body) if isinstance(s, ir.Push)}
