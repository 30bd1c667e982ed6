"""Long loops in segments, so that a thread keeps less: checkpoints.

A loop that needs a value of each of its n iterations again, in the opposite order, keeps n of them.  As a loop over
about √n segments it keeps the state at the beginning of each, and in the reverse sweep runs a segment once more, which
keeps its own √n values: in registers or a local array, where they were on a tape.
Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, section 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isqrt

from hetad.adjoint.origin import Origin
from hetad.analysis.loops import Counted, constant_trips, counted
from hetad.device.draft import Draft
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.build import Names, integer
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.places import changed_in
from hetad.ir.types import BOOL, INT, size_of
from hetad.ir.visit import map_body, variables, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees

FEW_BYTES = 128  # that a thread may keep of a loop
UNROLLED = 16  # iterations, so that the values of a segment are in registers


@program_pass("ask-for-segments")
def segments_asked_for(draft: Draft) -> Draft:
    """With the loops that would keep less if they ran in segments, each again from its start."""
    if draft.recording is not None:
        return draft
    return replace(draft, long_loops=long_loops(draft.body, draft.reversed.engine.slot_origins))


def long_loops(body: ir.Body, origins: Mapping[ir.Symbol, Origin]) -> IdentitySet[ir.Stmt]:
    """The loops that keep more than a few bytes in one of their iterations each."""
    kept = IdentityMap[ir.For, int]()
    for s in walk_stmts(body):
        if isinstance(s, ir.Push):
            origin = origins[s.slot]
            if isinstance(origin.statement, ir.For) and origin.loops == (origin.statement,) and _own(origin.statement):
                kept[origin.statement] = kept.get(origin.statement, 0) + size_of(s.slot.type)
    return IdentitySet(loop for loop, size in kept.items() if (_length(loop) or 0) * size > FEW_BYTES)


def _own(loop: ir.For) -> bool:
    """Whether a thread runs the loop without the others."""
    if any(x.storage == "shared" for x in variables(loop.body)):
        return False
    return not any(callees.meets(s) for s in walk_stmts(loop.body))


def segmented(body: ir.Body, loops: IdentitySet[ir.Stmt], names: Names) -> ir.Body:
    """The body with each of the loops in segments, where that comes out even."""
    return map_body(lambda s: _split(s, names) if isinstance(s, ir.For) and s in loops else s, body)


def _header(loop: ir.For) -> Counted | None:
    changed = set(changed_in(loop.body))
    return counted(loop, lambda e: integer_value(e) is not None, lambda x: x in changed)


def _length(loop: ir.For) -> int | None:
    header = _header(loop)
    return constant_trips(header) if header is not None and header.declares else None


def _split(loop: ir.For, names: Names) -> ir.Stmt:
    header, trips = _header(loop), _length(loop)
    size = _segment(trips) if trips is not None else None
    if header is None or trips is None or size is None:
        return loop
    first, step = integer_value(header.start), integer_value(header.step)
    assert first is not None and step is not None
    span, type_ = loop.span, header.index.type
    segment, at = names.symbol("segment", INT, span), names.symbol("at", INT, span)
    number: ir.Expr = ir.Binary("*", ir.Var(segment, span=span), integer(size, span), INT, span=span)
    number = ir.Binary("+", number, ir.Var(at, span=span), INT, span=span)
    if step != 1:
        number = ir.Binary("*", number, integer(step, span), INT, span=span)
    if header.down:
        number = ir.Binary("-", integer(first, span), number, INT, span=span)
    elif first:
        number = ir.Binary("+", integer(first, span), number, INT, span=span)
    index = ir.Declare(header.index, number if type_ == INT else ir.Cast(number, type_, True, span=span), span=span)
    unroll = "" if size <= UNROLLED else None
    inner = _upwards(at, size, (index, *loop.body), unroll)
    return _upwards(segment, trips // size, (inner,))


def _segment(trips: int) -> int | None:
    """A divisor near the root."""
    root = isqrt(trips)
    near = range(max(2, root // 2), 2 * root + 1)
    return min((d for d in near if trips % d == 0), key=lambda d: abs(d - root), default=None)


def _upwards(index: ir.Symbol, trips: int, body: Iterable[ir.Stmt], unroll: str | None = None) -> ir.For:
    span = index.span
    variable = ir.Var(index, span=span)
    return ir.For(
        (ir.Declare(index, integer(0, span), span=span),),
        ir.Binary("<", variable, integer(trips, span), BOOL, span=span),
        (ir.Update("+", variable, integer(1, span), span=span),),
        tuple(body),
        unroll=unroll,
        span=span,
    )
