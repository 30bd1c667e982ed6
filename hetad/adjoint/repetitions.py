"""Loops whose iterations all do the same, run once.

    for (int again = 0; again <= region[i]; ++again)        if (0 <= region[i])
        now = compressed(old, volume);                →         now = compressed(old, volume);

Programs write them as work that is repeated: as a model of dearer work, or to have something to time.  A compiler does
not repeat it, but it does not see that all iterations but the last have a derivative of zero.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from hetad.adjoint.canonicalise.uses import mentioned_in
from hetad.analysis.loops import Counted, constant_trips, counted
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import changed_in, exposed
from hetad.ir.types import Float, Int, is_volatile
from hetad.ir.visit import bodies, declared, map_body, own_nodes, own_variables, substituted, variables
from hetad.passes.manager import function_pass
from hetad.rules import callees


def run_once(function: ir.Function) -> ir.Function:
    """The function without repetitions: each loop whose iterations only give the same numbers to the same local
    variables runs once, if at all."""
    pointed = frozenset(exposed(function.body))
    body = map_body(lambda s: _once(s, pointed), function.body)
    return function if body is function.body else replace(function, body=body)


repetitions_once = function_pass("run-repetitions-once", run_once)


def _once(s: ir.Stmt, pointed: Collection[ir.Symbol]) -> ir.Stmt | ir.Body:
    if not isinstance(s, ir.For) or not all(map(_only_sets_numbers, s.body)):
        return s
    changed = changed_in(s.body)
    header = counted(s, lambda e: changed.keys().isdisjoint(variables(e)), lambda x: x in changed)
    if header is None or not header.declares or mentioned_in(s.body, {header.index}):
        return s
    outer = changed.keys() - set(declared(s.body))
    if not outer.isdisjoint(pointed) or _handed_on(s.body, outer, set()):
        return s
    trips = constant_trips(header)
    if trips is None:
        return ir.If(_runs(s, header), s.body, (), span=s.span)
    return s.body if trips > 0 else s


def _sets_numbers(s: ir.Stmt) -> bool:
    match s:
        case (
            ir.Declare(symbol=symbol)
            | ir.Assign(target=ir.Var(symbol=symbol))
            | ir.Update(target=ir.Var(symbol=symbol))
        ):
            if symbol.storage != "local" or not isinstance(symbol.type, Int | Float) or is_volatile(symbol.type):
                return False
        case ir.If() | ir.For() | ir.Block() | ir.Comment():
            pass
        case _:
            return False
    own = not any(
        (isinstance(e, ir.Intrinsic) and callees.kind(e.name) != "mathematics") or is_volatile(e.type)
        for e in own_nodes(s)
    )
    return own and all(map(_only_sets_numbers, chain.from_iterable(bodies(s))))


# Whether all that a statement does is to give numbers to local variables: then it finds the same memory each time.
_only_sets_numbers: Fact[ir.Stmt, bool] = lasting(_sets_numbers)


def _handed_on(body: ir.Body, outer: Collection[ir.Symbol], known: set[ir.Symbol]) -> bool:
    """Whether an iteration may read one of the variables before it sets it.  `known`: those that are certainly set;
    grows by those that the body certainly sets."""
    for s in body:
        sets = s.target.symbol if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) else None
        read = variables(s.value) if isinstance(s, ir.Assign) else own_variables(s)
        if any(x in outer and x not in known for x in read):
            return True
        match s:
            case ir.If(then=then, orelse=orelse):
                both = [set(known), set(known)]
                if _handed_on(then, outer, both[0]) or _handed_on(orelse, outer, both[1]):
                    return True
                known |= both[0] & both[1]
            case ir.For(init=init, step=step, body=inner):
                if _handed_on(init, outer, known) or _handed_on((*inner, *step), outer, set(known)):
                    return True
            case ir.Block(body=inner) if _handed_on(inner, outer, known):
                return True
        if sets is not None:
            known.add(sets)
    return False


def _runs(loop: ir.For, header: Counted) -> ir.Expr:
    """Whether the first iteration happens."""
    assert loop.cond is not None
    first = header.start
    if first.type != header.index.type:
        first = ir.Cast(first, header.index.type, implicit=True, span=first.span)
    return substituted({header.index: first}, loop.cond)
