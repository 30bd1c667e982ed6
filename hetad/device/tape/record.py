"""Values that only the primal launch can provide: recorded by an augmented kernel, read back by the pullback.

The augmented kernel is the primal kernel that also appends each such value to a tape `[slot][thread]`.  The pullback's
forward part reads them in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hetad.device.tape.storage import Taped, thread_position
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer
from hetad.ir.identity import IdentityMap
from hetad.ir.types import SIZE_T, VOID, Pointer, Type
from hetad.ir.visit import bodies, map_bodies, map_exprs, walk_stmts
from hetad.rules import operations


@dataclass(frozen=True, slots=True)
class Recording:
    """`replay` is the body for the pullback, `recorder` the augmented kernel; `records` are their last parameters."""

    replay: ir.Body
    recorder: ir.Function
    records: tuple[ir.Symbol, ...]
    taped: tuple[Taped, ...]
    origins: IdentityMap[ir.Stmt, ir.Stmt]  # of rebuilt statements of `replay`, the kernel's own


def record(kernel: ir.Function, name: str, needed: Iterable[ir.Symbol], names: Names) -> Recording:
    """Records the variables `needed`, each of which one statement of the kernel's body defines."""
    wanted = list(needed)
    types: list[Type] = list(dict.fromkeys(s.type for s in wanted))
    span = kernel.span
    suffixes = [""] if len(types) == 1 else [f"_{k + 1}" for k in range(len(types))]
    records = [names.symbol(f"record{x}", Pointer(t), span, "param") for t, x in zip(types, suffixes, strict=True)]
    nexts = [names.symbol(f"next{x}", SIZE_T, span) for x in suffixes]
    thread, threads, opening = thread_position(names, span)
    opening += [ir.Declare(n, integer(0, span, SIZE_T), span=span) for n in nexts]

    def cell(symbol: ir.Symbol, at: Span) -> tuple[ir.Index, ir.Stmt]:
        k = types.index(symbol.type)
        row = ir.Binary("*", ir.Var(nexts[k], span=at), ir.Var(threads, span=at), SIZE_T, span=at)
        index = ir.Binary("+", row, ir.Var(thread, span=at), SIZE_T, span=at)
        step = ir.Update("+", ir.Var(nexts[k], span=at), integer(1, at, SIZE_T), span=at)
        return ir.Index(ir.Var(records[k], span=at), index, symbol.type, span=at), step

    def augmented(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            out.append(map_bodies(augmented, s) if bodies(s) else s)
            symbol = defined(s)
            if symbol in wanted:
                place, step = cell(symbol, s.span)
                out += [ir.Assign(place, ir.Var(symbol, span=s.span), span=s.span), step]
        return tuple(out)

    origins = IdentityMap[ir.Stmt, ir.Stmt]()

    def replayed(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            symbol = defined(s)
            if symbol in wanted:
                place, step = cell(symbol, s.span)
                again: ir.Stmt = ir.Assign(ir.Var(symbol, span=s.span), place, span=s.span)
                if isinstance(s, ir.Declare) and s.init is not None:
                    again = replace(s, init=operations.replay(place, s.init, span=s.span))
                out += [again, step]
                origins[again] = origins[step] = s
                continue
            out.append(map_bodies(replayed, s) if bodies(s) else s)
            origins[out[-1]] = s
        return tuple(out)

    params = (*kernel.params, *records)
    comment = f"{kernel.name} (line {span.line}), which also records what its pullback cannot find out again"
    recorder = ir.Function(name, "kernel", params, VOID, (*opening, *augmented(kernel.body)), span, comment=comment)
    taped = tuple(
        Taped(s, types.index(symbol.type), 1, total=True)
        for s in walk_stmts(kernel.body)
        if (symbol := defined(s)) is not None and symbol in wanted
    )
    return Recording((*opening, *replayed(kernel.body)), recorder, tuple(records), taped, origins)


def with_replays(body: ir.Body) -> ir.Body:
    """`body` with what is replayed in place of the loads."""
    return map_exprs(lambda e: e.args[0] if operations.gives(e, operations.replay) else e, body)


def defined(s: ir.Stmt) -> ir.Symbol | None:
    """The variable a statement gives its value to, if it may be one to record."""
    match s:
        case ir.Declare(symbol=symbol, init=init) if init is not None:
            return symbol
        case ir.Call(result=ir.Var(symbol=symbol)):
            return symbol
    return None
