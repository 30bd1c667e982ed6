"""Time loops that another process can go on with (`resume=`): what the run-time support must know of the function.

In front of each loop, in both sweeps, stand the variables of the function; the support writes them to files and sets
them again (`emit/support/resume.c`).  Pointers in checkpoints are names, which mean the same in another process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.host.derivation import Derivation, on_derivative
from hetad.host.devices import uses_devices
from hetad.host.held import ANY, address_of, is_pointers, leaves, require_known, structs_of, with_held
from hetad.host.saves.repeat import obstacle
from hetad.host.saves.tape import value_size
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import var
from hetad.ir.places import changed_in, written
from hetad.ir.types import VOID, Array, Opaque, Pointer, Struct, innermost
from hetad.ir.visit import map_bodies, map_body, walk_stmts
from hetad.rules import communication, operations

if TYPE_CHECKING:
    from hetad.diagnostics import Span
    from hetad.host.engine import HostEngine
    from hetad.host.saves.checkpoint import Checkpoints

_OPENINGS = (operations.open_loop, communication.open_loop)
_NONE = "resume= is for functions with a time loop that runs by a schedule and stands under no condition"
_REMEDY = "leave resume= out"


def require_resumable(engine: HostEngine, function: ir.Function, checkpoints: Checkpoints) -> None:
    """Raises UnsupportedError where what surrounds the loops cannot be run again by another process, or where memory
    holds what means nothing there."""
    if reason := obstacle(engine, function.body):
        raise UnsupportedError(f"resume=: another process cannot go on here: {reason}", function.span, _REMEDY)
    if uses_devices(function.body):
        raise UnsupportedError("resume=: a function that works on several devices", function.span, _REMEDY)
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Launch) and s.kernel in checkpoints.unrepeatable:
            raise UnsupportedError(
                f"resume=: what '{s.kernel}' does depends on the order of its threads, so another process may come to "
                "something else", s.span, _REMEDY,
            )  # fmt: skip
    for x in function.params:
        if x.type == ANY or x.type == Pointer(VOID, const=True):
            raise UnsupportedError(
                f"resume=: nothing tells what '{x.name}' holds", x.span, "declare it as a pointer to that"
            )
    require_known(function, engine.effects.pointers)


@on_derivative("resumable")
def resumable(derivation: Derivation) -> ir.Body:
    """The time loops tell the run-time support what another process needs to go on with them."""
    body = derivation.body
    found = [s for s in _outermost(body) if operations.does(s, *_OPENINGS)]
    ways = [bare(s.args[2]) if operations.does(s, communication.open_loop) else None for s in found]
    other = next((s for s, way in zip(found, ways, strict=True) if way != ways[0]), None)
    if other is not None:
        raise UnsupportedError("resume=: in this time loop other ranks meet than before", other.span, _REMEDY)
    if not found:
        loops = derivation.reversed.checkpoints.loops if derivation.reversed.checkpoints is not None else []
        refused = next((loop for loop in loops if loop.refused), None)
        if refused is not None:
            raise UnsupportedError(f"{_NONE}; in this one {refused}", refused.span, _REMEDY)
        raise UnsupportedError(f"{_NONE}, and there is none", loops[0].span if loops else derivation.span, _REMEDY)
    body = with_held(body)
    changed = changed_in(body)
    scope = [x for x in derivation.functions[derivation.name].params if x in changed]
    last = body[-1:] if isinstance(body[-1], ir.Return) else ()
    return (*_told(body[: len(body) - len(last)], scope), operations.end_resume(span=derivation.span), *last)


def _outermost(body: ir.Body) -> Iterator[ir.Stmt]:
    for s in body:
        yield s
        if isinstance(s, ir.Block):
            yield from _outermost(s.body)


def _told(body: ir.Body, scope: list[ir.Symbol]) -> ir.Body:
    """`scope`: the variables that are there, to which those are added that the body declares."""
    out: list[ir.Stmt] = []
    opened = False
    for s in body:
        if isinstance(s, ir.Block):
            s = replace(s, body=_told(s.body, [*scope]))
        elif operations.does(s, *_OPENINGS, operations.reopen_loop):
            out += [operations.resumes(span=s.span), *_variables(scope, s.span)]
            opened = True
        elif opened and isinstance(s, ir.While):
            _require_handles_stay(s, scope)
            s = replace(s, body=tuple(map_bodies(_with_names, x) if isinstance(x, ir.If) else x for x in s.body))
            opened = False
        out.append(s)
        if isinstance(s, ir.Declare):
            scope.append(s.symbol)
    return tuple(out)


def _require_handles_stay(loop: ir.While, scope: list[ir.Symbol]) -> None:
    changed = written((loop,))
    for x in scope:
        if x in changed and isinstance(innermost(x.type), Opaque):
            raise UnsupportedError(
                f"resume=: the time loop sets '{x.name}', which means nothing to another process", x.span,
                "declare it in the loop's body",
            )  # fmt: skip


def _variables(scope: list[ir.Symbol], span: Span) -> Iterator[ir.Stmt]:
    for x in scope:
        if x.const or isinstance(innermost(x.type), Opaque):
            continue
        for place in _parts(var(x, span)):
            kind = operations.variable_pointers if is_pointers(place.type) else operations.variable_numbers
            yield kind(address_of(place), value_size(place.type, span), span=span)


def _parts(place: ir.Place) -> Iterator[ir.Place]:
    """The variable itself, or the members of structs that hold pointers or handles."""
    held = innermost(place.type)
    if isinstance(held, Struct) and leaves(place):
        for struct in structs_of(place):
            for field in held.fields:
                yield from _parts(ir.Member(struct, field.name, field.type, span=place.span))
    elif not isinstance(held, Opaque):
        yield place


def _with_names(body: ir.Body) -> ir.Body:
    """What a checkpoint holds, with names in the place of pointers."""
    return map_body(_with_name, body)


def _with_name(s: ir.Stmt) -> ir.Stmt | ir.Body:
    if not operations.does(s, operations.push, operations.pop):
        return s
    given = bare(s.args[0])
    place = given if isinstance(given.type, Array) else out_place(given)
    if not isinstance(place, ir.Place) or not leaves(place):
        return s
    if is_pointers(place.type):
        named = operations.push_pointers if operations.does(s, operations.push) else operations.pop_pointers
        return named(*s.args, span=s.span)
    parts = [_part(s, x) for x in _parts(place)]
    return tuple(parts if operations.does(s, operations.push) else reversed(parts))


def _part(s: ir.Call, place: ir.Place) -> ir.Stmt:
    """What is done with a struct, done with one of its parts."""
    kind = operations.push if operations.does(s, operations.push) else operations.pop
    part = kind(address_of(place), value_size(place.type, s.span), span=s.span)
    whole = _with_name(part)
    assert not isinstance(whole, tuple)
    return whole
