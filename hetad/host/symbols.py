"""Variables at file scope, in differentiated code.

A device variable that is written, by kernels or through its address, becomes memory behind a pointer: the host asks for
the address once (`cudaGetSymbolAddress`) and passes it to the kernels, so that saving, shadows and adjoints work as for
any allocation.  A host variable that is written becomes a local variable with its value on entry: a gradient leaves
the program's state as it found it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from hetad.analysis.pointers import points_to
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.behind import behind, pointer_to
from hetad.ir.build import Names, address_of, integer, is_var, zero
from hetad.ir.types import SIZE_T, VOID, Array, Pointer, Struct, size_of
from hetad.ir.visit import (
    declared,
    map_body,
    own_exprs,
    own_nodes,
    substitute,
    variables,
    walk_expr,
    walk_stmts,
)
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

T = TypeVar("T", bound=Task)

SYMBOL_ADDRESS = "cudaGetSymbolAddress"


@program_pass("lift-device-variables")
def lift_symbols(program: T) -> T:
    """The program, all calls inlined, without written variables at file scope."""
    entry, functions = program.entry, dict(program.functions)
    functions[entry] = _localised(program, functions[entry])
    lifted = [g.symbol for g in program.globals if g.device and is_written(program, g.symbol)]
    if not lifted:
        return replace(program, functions=functions)
    used: dict[str, list[ir.Symbol]] = {}
    for name, f in functions.items():
        if f.kind == "kernel":
            mentioned = set(variables(f.body))
            used[name] = [s for s in lifted if s in mentioned]
            functions[name] = _with_pointers(f, used[name])
    functions[entry] = _passing(program, functions[entry], used, lifted)
    return replace(program, functions=functions)


def is_written(program: ir.Program, symbol: ir.Symbol) -> bool:
    """Whether a variable at file scope is assigned to, or its address asked for."""
    for f in program.functions.values():
        pointers = points_to(f)
        for s in walk_stmts(f.body):
            if isinstance(s, ir.Call) and s.function == SYMBOL_ADDRESS and symbol in set(variables(s.args[1])):
                return True
            if isinstance(s, ir.Assign | ir.Update) and symbol in pointers.storage(s.target):
                return True
            if isinstance(s, ir.Call) and any(symbol in pointers.targets(a) for a in s.args if _points(a)):
                return True
    return False


def _points(arg: ir.Expr) -> bool:
    return isinstance(arg.type, Pointer | Array)


def _with_pointers(kernel: ir.Function, symbols: list[ir.Symbol]) -> ir.Function:
    names = Names({s.name for s in (*kernel.params, *declared(kernel.body))} | {s.name for s in symbols})
    body = kernel.body
    params = list(kernel.params)
    for symbol in symbols:
        pointer = names.symbol(f"{symbol.name}_symbol", pointer_to(symbol), symbol.span, "param")
        params.append(pointer)
        body = behind(symbol, pointer, body)
    return replace(kernel, params=tuple(params), body=body)


def _passing(
    program: ir.Program, host: ir.Function, used: Mapping[str, list[ir.Symbol]], lifted: list[ir.Symbol]
) -> ir.Function:
    """The host function that takes the addresses at its start and passes them on."""
    names = Names({s.name for s in (*host.params, *declared(host.body))} | set(program.functions))
    span = host.span
    pointers = {s: names.symbol(f"{s.name}_symbol", pointer_to(s), span) for s in lifted}
    opening: list[ir.Stmt] = []
    for symbol, pointer in pointers.items():
        opening += [
            ir.Declare(pointer, None, span=span),
            ir.Call(SYMBOL_ADDRESS, _address_arguments(pointer, symbol), span=span),
        ]

    def rewrite(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Launch):
            extra = tuple(ir.Var(pointers[x], span=s.span) for x in used.get(s.kernel, []))
            return replace(s, args=(*s.args, *extra))
        if isinstance(s, ir.Call) and s.function == SYMBOL_ADDRESS:
            for x in variables(s.args[1]):
                place = _out(s.args[0])
                if x in pointers and place is not None:
                    return ir.Assign(
                        place, ir.Cast(ir.Var(pointers[x], span=s.span), place.type, span=s.span), span=s.span
                    )
        return s

    return replace(host, body=(*opening, *map_body(rewrite, host.body)))


def _out(arg: ir.Expr) -> ir.Place | None:
    arg = bare(arg)
    return arg.place if isinstance(arg, ir.AddressOf) else None


def _address_arguments(pointer: ir.Symbol, symbol: ir.Symbol) -> tuple[ir.Expr, ...]:
    span = pointer.span
    out = ir.Cast(address_of(ir.Var(pointer, span=span)), Pointer(Pointer(VOID)), span=span)
    variable: ir.Expr = ir.Var(symbol, span=span)
    if not isinstance(symbol.type, Array):
        variable = address_of(ir.Var(symbol, span=span))
    return out, variable


def _localised(program: ir.Program, host: ir.Function) -> ir.Function:
    """Host variables at file scope that the function may write, as local ones."""
    names = Names({s.name for s in (*host.params, *declared(host.body))} | set(program.functions))
    opening: list[ir.Stmt] = []
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    mentioned = set(variables(host.body))
    for g in program.globals:
        if g.device or g.symbol.const or g.symbol not in mentioned:
            continue
        local = names.symbol(g.symbol.name, g.symbol.type, g.symbol.span)
        value = ir.Var(g.symbol, span=host.span)
        if isinstance(local.type, Pointer):
            if g.init is None or _is_null(g.init):
                _require_set(g.symbol, host.body)
            # Where a pointer leads must be known: its initial value stands here itself, null where there is none.
            null = ir.Cast(integer(0, host.span), local.type, span=host.span)
            opening += substitute(bindings, (ir.Declare(local, g.init or null, span=host.span),))
        elif g.init is None:
            opening.append(ir.Declare(local, zero(local.type, host.span), span=host.span))
        elif isinstance(local.type, Array):
            copy = (ir.Var(local, span=host.span), value, ir.Const(size_of(local.type), SIZE_T, span=host.span))
            opening += [ir.Declare(local, None, span=host.span), ir.Call("memcpy", copy, span=host.span)]
        elif isinstance(local.type, Struct):
            opening += substitute(bindings, (ir.Declare(local, g.init, span=host.span),))
        else:
            opening.append(ir.Declare(local, value, span=host.span))
        bindings[g.symbol] = local
    return replace(host, body=(*opening, *substitute(bindings, host.body))) if opening else host


def _is_null(init: ir.Expr) -> bool:
    init = bare(init)
    return isinstance(init.type, Pointer) and isinstance(init, ir.Const)


def _require_set(symbol: ir.Symbol, body: ir.Body) -> None:
    """A pointer starts as null in a gradient: the function has to set it."""
    for s in walk_stmts(body):
        place = s.target if isinstance(s, ir.Assign) else s.result if isinstance(s, ir.Call) else None
        if isinstance(place, ir.Var) and place.symbol is symbol:
            return
        for own in own_exprs(s):
            if any(isinstance(e, ir.AddressOf) and symbol in set(variables(e)) for e in walk_expr(own)):
                return
    raise UnsupportedError(
        f"the pointer '{symbol.name}' at file scope is set outside of the differentiated function",
        next(e.span for s in walk_stmts(body) for e in own_nodes(s) if is_var(e, symbol)),
        "differentiate a function that sets it, or pass it as a parameter",
    )
