"""Warp and block operations in regions: each thread leaves what others need, and reads theirs in the next region.

A shuffle reads another thread's element of a buffer.  Its adjoint is the transposed operation: each thread adds its
seed to the element of the thread that its shuffle read.

The threads go through a loop in step: the k-th iteration of one is run beside the k-th of the others.  Where lanes may
come to an operation in different iterations, as they may on a GPU, it is tested that all are there that it waits for.
"""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.build import binary, integer, var
from hetad.ir.types import BOOL, INT, SIZE_T, STRING, UCHAR, UINT, Int, Pointer, Type
from hetad.rules import callees
from hetad.targets.cpu.barrier_intervals.collector import Collector
from hetad.targets.cpu.block_ir import THREAD, THREADS, assign, at, clear, element, lane_bit, warp


def exchange(collector: Collector, call: ir.Call, threads_missing: bool) -> None:
    """Add a call in which threads exchange values to the regions; `threads_missing`: some may come here in another
    iteration of a loop."""
    callee, result = callees.find(call.function), call.result
    if threads_missing:
        _all_come(collector, call)
    if result is None:
        collector.flush()
        return
    match callee.kind:
        case "shuffle":
            _shuffle(collector, call, result)
        case "shuffle adjoint":
            _shuffle_adjoint(collector, call, result)
        case "reduction":
            _reduction(collector, call, result)
        case "vote" if callee.scope == "block":
            _block_vote(collector, call, result)
        case _:
            _ballot(collector, call, result)


def _all_come(collector: Collector, call: ir.Call) -> None:
    """The program ends where a thread that the call waits for, and that has not returned, is not here: of the block, or
    of the lanes that a mask names, which have to come with the same mask."""
    callee, span, alive = callees.find(call.function), call.span, collector.masks[0]
    returned = var(alive.symbol, span) if alive.used else ir.Cast(integer(0, span), Pointer(UCHAR), span=span)
    place = ir.String(texts.quoted(f"{span}: {call.function}"), STRING, span=span)
    if callee.scope == "block":
        here = collector.array("here", UCHAR)
        collector.once(clear(here, span))
        collector.pending.append(assign(element(here, span), 1))
        collector.flush()
        collector.once(ir.Call("hetad_all_come", (var(here, span), returned, var(THREADS, span), place), span=span))
    elif "mask" in callee.roles:
        mask = call.args[0] if call.args else integer(-1, span, UINT)
        named = collector.array("named", UINT)
        collector.once(clear(named, span))
        collector.pending.append(ir.Assign(element(named, span), mask, span=span))
        collector.flush()
        args = (var(named, span), returned, var(THREAD, span), var(THREADS, span), place)
        collector.pending.append(ir.Call("hetad_all_named", args, span=span))


def _source(call: ir.Call) -> ir.Expr:
    """The thread that a shuffle reads."""
    span, function = call.span, callees.find(call.function).emit["lanes"]
    width = call.args[3] if len(call.args) > 3 else integer(32, span)
    args = (var(THREAD, span), var(THREADS, span), call.args[2], width)
    return ir.Intrinsic(function, args, SIZE_T, span=span)


def _shuffle(collector: Collector, call: ir.Call, result: ir.Place) -> None:
    value, span = call.args[1], call.span
    values = collector.array("value", value.type)
    collector.pending.append(ir.Assign(element(values, span), value, span=span))
    collector.flush()
    read = at(values, _source(call), span)
    collector.pending.append(ir.Assign(result, _converted(read, result.type), span=span))


def _shuffle_adjoint(collector: Collector, call: ir.Call, result: ir.Place) -> None:
    seed, span = call.args[1], call.span
    sums = collector.array("sum", seed.type)
    collector.once(clear(sums, span))
    target = at(sums, _source(call), span)
    collector.pending.append(ir.Update("+", target, seed, span=span))
    collector.flush()
    collector.pending.append(ir.Assign(result, element(sums, span), span=span))


def _ballot(collector: Collector, call: ir.Call, result: ir.Place) -> None:
    span, name = call.span, call.function
    lanes = _collect(collector, call, negated=name == "__all_sync")
    if name != "__activemask":
        lanes = binary("&", lanes, call.args[0])
    if name == "__any_sync":
        lanes = binary("!=", lanes, integer(0, span, UINT))
    elif name == "__all_sync":
        lanes = binary("==", lanes, integer(0, span, UINT))
    collector.pending.append(ir.Assign(result, _converted(lanes, result.type), span=span))


def _collect(collector: Collector, call: ir.Call, negated: bool = False) -> ir.Expr:
    """The lanes of this thread's warp that come here, or whose second argument is true (or false)."""
    span = call.span
    ballots = collector.array("lanes", UINT, 32)
    collector.once(ir.Call("memset", (var(ballots, span), integer(0, span), integer(128, span, SIZE_T)), span=span))
    mine = at(ballots, warp(span), span)
    vote: ir.Stmt = ir.Update("|", mine, lane_bit(span), span=span)
    if callees.calls(call, "vote") and len(call.args) > 1:
        said = _predicate(call.args[1])
        vote = ir.If(ir.Unary("!", said, BOOL, span=span) if negated else said, (vote,), (), span=span)
    collector.pending.append(vote)
    collector.flush()
    return mine


def _block_vote(collector: Collector, call: ir.Call, result: ir.Place) -> None:
    """`__syncthreads_count`, `_and` and `_or`: how many threads said yes (for `_and`: no)."""
    span, name = call.span, call.function
    said = _predicate(call.args[0])
    count = collector.scalar("count", INT)
    collector.once(assign(var(count, span), 0))
    one = ir.Update("+", var(count, span), integer(1, span), span=span)
    cond = ir.Unary("!", said, BOOL, span=span) if name == "__syncthreads_and" else said
    collector.pending.append(ir.If(cond, (one,), (), span=span))
    collector.flush()
    value: ir.Expr = var(count, span)
    if name != "__syncthreads_count":
        value = binary("==" if name == "__syncthreads_and" else "!=", value, integer(0, span))
    store = ir.Assign(result, _converted(value, result.type), span=span)
    if isinstance(result, ir.Var) and collector.uniformity.is_uniform(result.symbol):
        collector.once(store)
    else:
        collector.pending.append(store)


def block_sum(collector: Collector, call: ir.Call) -> None:
    """`hetad_block_add_*` to one address: the threads' values are summed, and added once."""
    target, value = call.args
    span = call.span
    total = collector.scalar("total", value.type)
    collector.once(ir.Assign(var(total, span), ir.Const(0.0, value.type, span=span), span=span))
    collector.pending.append(ir.Update("+", var(total, span), value, span=span))
    collector.flush()
    collector.once(ir.Call(call.function, (target, var(total, span)), span=span))


def _reduction(collector: Collector, call: ir.Call, result: ir.Place) -> None:
    span, value = call.span, call.args[1]
    assert isinstance(value.type, Int)
    values = collector.array("value", value.type)
    collector.pending.append(ir.Assign(element(values, span), value, span=span))
    lanes = binary("&", _collect(collector, call), call.args[0])
    suffix = "int" if value.type.signed else "unsigned"
    function = f"{callees.find(call.function).emit['lanes']}_{suffix}"
    args = (var(values, span), var(THREAD, span), lanes)
    found = ir.Intrinsic(function, args, value.type, span=span)
    collector.pending.append(ir.Assign(result, _converted(found, result.type), span=span))


def _predicate(expr: ir.Expr) -> ir.Expr:
    """What a vote looks at is an int."""
    fits = isinstance(expr.type, Int) and expr.type.bits <= 32
    return expr if fits else ir.Cast(expr, INT, span=expr.span)


def _converted(value: ir.Expr, type_: Type) -> ir.Expr:
    return value if value.type == type_ else ir.Cast(value, type_, True, span=value.span)
