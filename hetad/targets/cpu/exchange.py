"""Warp and block operations in regions: each thread leaves what others need, and reads theirs in the next region.

A shuffle reads another thread's element of a buffer.  Its adjoint is the transposed operation: each thread adds its
seed to the element of the thread that its shuffle read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.types import BOOL, INT, SIZE_T, UINT, Int, Type
from hetad.rules import callees
from hetad.targets.cpu.block_ir import THREAD, THREADS, assign, at, element, lane_bit, warp

if TYPE_CHECKING:
    from hetad.targets.cpu.barrier_intervals.structure import Builder


def exchange(builder: Builder, call: ir.Call) -> None:
    """Add a call in which threads exchange values to the regions."""
    callee, result = callees.find(call.function), call.result
    if result is None:
        builder.flush()
        return
    match callee.kind:
        case "shuffle":
            _shuffle(builder, call, result)
        case "shuffle adjoint":
            _shuffle_adjoint(builder, call, result)
        case "reduction":
            _reduction(builder, call, result)
        case "vote" if callee.scope == "block":
            _block_vote(builder, call, result)
        case _:
            _ballot(builder, call, result)


def _source(call: ir.Call) -> ir.Expr:
    """The thread that a shuffle reads."""
    span, function = call.span, callees.find(call.function).emit["lanes"]
    width = call.args[3] if len(call.args) > 3 else integer(32, span)
    args = (var(THREAD, span), var(THREADS, span), call.args[2], width)
    return ir.Intrinsic(function, args, SIZE_T, span=span)


def _shuffle(builder: Builder, call: ir.Call, result: ir.Place) -> None:
    value, span = call.args[1], call.span
    values = builder.array("value", value.type)
    builder.pending.append(ir.Assign(element(values, span), value, span=span))
    builder.flush()
    read = at(values, _source(call), span)
    builder.pending.append(ir.Assign(result, _converted(read, result.type), span=span))


def _shuffle_adjoint(builder: Builder, call: ir.Call, result: ir.Place) -> None:
    from hetad.targets.cpu.barrier_intervals.structure import clear

    seed, span = call.args[1], call.span
    sums = builder.array("sum", seed.type)
    builder.once(clear(sums, span))
    target = at(sums, _source(call), span)
    builder.pending.append(ir.Update("+", target, seed, span=span))
    builder.flush()
    builder.pending.append(ir.Assign(result, element(sums, span), span=span))


def _ballot(builder: Builder, call: ir.Call, result: ir.Place) -> None:
    span, name = call.span, call.function
    lanes = _collect(builder, call, negated=name == "__all_sync")
    if name != "__activemask":
        lanes = binary("&", lanes, call.args[0])
    if name == "__any_sync":
        lanes = binary("!=", lanes, integer(0, span, UINT))
    elif name == "__all_sync":
        lanes = binary("==", lanes, integer(0, span, UINT))
    builder.pending.append(ir.Assign(result, _converted(lanes, result.type), span=span))


def _collect(builder: Builder, call: ir.Call, negated: bool = False) -> ir.Expr:
    """The lanes of this thread's warp that come here, or whose second argument is true (or false)."""
    span = call.span
    ballots = builder.array("lanes", UINT, 32)
    builder.once(ir.Call("memset", (var(ballots, span), integer(0, span), integer(128, span, SIZE_T)), span=span))
    mine = at(ballots, warp(span), span)
    vote: ir.Stmt = ir.Update("|", mine, lane_bit(span), span=span)
    if callees.calls(call, "vote") and len(call.args) > 1:
        said = _predicate(call.args[1])
        vote = ir.If(ir.Unary("!", said, BOOL, span=span) if negated else said, (vote,), (), span=span)
    builder.pending.append(vote)
    builder.flush()
    return mine


def _block_vote(builder: Builder, call: ir.Call, result: ir.Place) -> None:
    """`__syncthreads_count`, `_and` and `_or`: how many threads said yes (for `_and`: no)."""
    span, name = call.span, call.function
    said = _predicate(call.args[0])
    count = builder.scalar("count", INT)
    builder.once(assign(var(count, span), 0))
    one = ir.Update("+", var(count, span), integer(1, span), span=span)
    cond = ir.Unary("!", said, BOOL, span=span) if name == "__syncthreads_and" else said
    builder.pending.append(ir.If(cond, (one,), (), span=span))
    builder.flush()
    value: ir.Expr = var(count, span)
    if name != "__syncthreads_count":
        value = binary("==" if name == "__syncthreads_and" else "!=", value, integer(0, span))
    store = ir.Assign(result, _converted(value, result.type), span=span)
    if isinstance(result, ir.Var) and builder.uniformity.is_uniform(result.symbol):
        builder.once(store)
    else:
        builder.pending.append(store)


def block_sum(builder: Builder, call: ir.Call) -> None:
    """`hetad_block_add_*` to one address: the threads' values are summed, and added once."""
    target, value = call.args
    span = call.span
    total = builder.scalar("total", value.type)
    builder.once(ir.Assign(var(total, span), ir.Const(0.0, value.type, span=span), span=span))
    builder.pending.append(ir.Update("+", var(total, span), value, span=span))
    builder.flush()
    builder.once(ir.Call(call.function, (target, var(total, span)), span=span))


def _reduction(builder: Builder, call: ir.Call, result: ir.Place) -> None:
    span, value = call.span, call.args[1]
    assert isinstance(value.type, Int)
    values = builder.array("value", value.type)
    builder.pending.append(ir.Assign(element(values, span), value, span=span))
    lanes = binary("&", _collect(builder, call), call.args[0])
    suffix = "int" if value.type.signed else "unsigned"
    function = f"{callees.find(call.function).emit['lanes']}_{suffix}"
    args = (var(values, span), var(THREAD, span), lanes)
    found = ir.Intrinsic(function, args, value.type, span=span)
    builder.pending.append(ir.Assign(result, _converted(found, result.type), span=span))


def _predicate(expr: ir.Expr) -> ir.Expr:
    """What a vote looks at is an int."""
    fits = isinstance(expr.type, Int) and expr.type.bits <= 32
    return expr if fits else ir.Cast(expr, INT, span=expr.span)


def _converted(value: ir.Expr, type_: Type) -> ir.Expr:
    return value if value.type == type_ else ir.Cast(value, type_, True, span=value.span)
