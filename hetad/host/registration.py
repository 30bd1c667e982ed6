"""What generated code tells the run-time support: the argument buffers whose extent it must know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.analysis.pointer_expressions import pointer_parts
from hetad.analysis.pointers import Location, Root
from hetad.host.derivation import Derivation
from hetad.host.memory import of_shadow
from hetad.host.setting import Setting
from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.types import INT, Array
from hetad.ir.visit import variables, walk_expr, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations


@program_pass("register-arguments")
def register_arguments(derivation: Derivation) -> Derivation:
    """The argument buffers whose extent the derivative must know are told to the run-time support."""
    shadows, body = derivation.reversed.shadows, derivation.body
    found = argument_buffers(derivation.setting, shadows, body, derivation.resumes)
    return replace(derivation, arguments=tuple(found))


def argument_buffers(
    setting: Setting, shadows: Mapping[ir.Symbol, ir.Symbol], body: ir.Body, resumes: bool = False
) -> list[ir.Stmt]:
    """Registration of the argument buffers whose extent the generated code must know; of all, and of which are only
    read, for another process that goes on."""
    needed = dict.fromkeys(setting.pointers.parameter_roots) if resumes else _needed(setting, shadows, body)
    out: list[ir.Stmt] = []
    for p in setting.function.params:
        if p not in needed:
            continue
        on_device = setting.spaces.of(setting.pointers.parameter_roots[p]) == "device"
        device = integer(1 if on_device else 0, setting.span, INT)
        own = shadows.get(p, p)
        for symbol in dict.fromkeys((p, own)):
            if symbol.storage == "param":
                size = setting.bytes_of(p)
                if symbol is not p:
                    size = of_shadow(setting.pointers, ir.Var(p, span=setting.span), size)
                args = (ir.Var(symbol, span=setting.span), size, device)
                out.append(operations.argument(*args, span=setting.span))
                if resumes and symbol is p and setting.pointers.parameter_roots[p] not in setting.written:
                    out.append(operations.constant(args[0], span=setting.span))
    return out


def _needed(setting: Setting, shadows: Mapping[ir.Symbol, ir.Symbol], body: ir.Body) -> dict[ir.Symbol, None]:
    """The pointer parameters into whose memory something points whose extent is asked for."""
    shadowed = {shadow: p for p, shadow in shadows.items()}
    asked = (x for s in walk_stmts(body) for pointer in _asked(s) for x in variables(pointer))
    symbols = dict.fromkeys(shadowed.get(x, x) for x in asked)
    found = (target for symbol in symbols for target in _held(setting, symbol))
    return {target.symbol: None for target in found if isinstance(target, Root) and not target.heap}


def _asked(s: ir.Stmt) -> list[ir.Expr]:
    if isinstance(s, ir.Push | ir.Pop) and s.extent != "value":
        tests = [e for x in s.overwritten for e in walk_expr(x)] if isinstance(s, ir.Push) else []
        return [s.place, *(arg for e in tests if isinstance(e, ir.Intrinsic) for arg in e.args)]
    values = [e for x in s.args for e in walk_expr(x) if isinstance(e, ir.Intrinsic)] if isinstance(s, ir.Call) else []
    asking = [arg for e in values if "asks extents" in callees.find(e.name).traits for arg in e.args]
    return [*(s.args[:3] if callees.has(s, "asks extents") else ()), *asking]


def _held(setting: Setting, symbol: ir.Symbol) -> Mapping[Location, None]:
    """What a variable, or the pointers in it, may point to, through whatever number of pointers: in memory, and in
    variables whose address is taken."""
    pointers = setting.pointers
    found = dict.fromkeys(
        t for part in pointer_parts(ir.Var(symbol, span=setting.span)) for t in pointers.targets(part)
    )
    if isinstance(symbol.type, Array):
        found.update(dict.fromkeys(pointers.held(symbol)))
    work = list(found)
    while work:
        inner = [t for t in pointers.held(work.pop()) if t not in found]
        found.update(dict.fromkeys(inner))
        work += inner
    return found
