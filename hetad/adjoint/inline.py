"""Inlining of the program's own functions into the function that is differentiated.

It gives every later analysis the caller's context for nothing: which memory a pointer parameter reaches (global in
one call, a local array in the next), whether two parameters are the same memory, what is active.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from hetad.analysis.callgraph import bottom_up
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.diagnostics import Inlined, Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import exposed, is_dynamic, is_fixed, root_symbol, written
from hetad.ir.types import Array, Pointer, is_volatile
from hetad.ir.visit import (
    copied,
    declared,
    map_body,
    map_exprs,
    own_nodes,
    substitute,
    variables,
    walk_expr,
    walk_stmts,
)
from hetad.passes.manager import program_pass
from hetad.passes.task import Task
from hetad.rules import callees

P = TypeVar("P", bound=ir.Program)
T = TypeVar("T", bound=Task)


@program_pass("inline")
def inline_calls(task: T) -> T:
    """Every function that the task's function reaches has no calls of program functions left but of those with rules of
    the user's: in the place of each call stands the body of what it calls.  Host functions that nobody calls any more
    are gone."""
    flat = inline(task, task.entry, task.ruled)
    functions = {n: f for n, f in flat.functions.items() if n == task.entry or f.kind != "host"}
    return replace(flat, functions=functions, written=task.functions)


def inline(program: P, entry: str, keep: Collection[str] = ()) -> P:
    """What `entry` reaches, with every call of a program function replaced by that function's body, whose spans tell
    of the call.

    Launches stay, so the kernels remain functions of their own; so do calls of the functions `keep`.  Raises
    UnsupportedError for recursion.
    """
    done: dict[str, ir.Function] = {}
    called: dict[str, _Callee] = {}
    for name in bottom_up(program, entry):
        function = program.functions[name]
        names = Names({s.name for s in (*function.params, *declared(function.body))} | set(program.functions))
        pointed = exposed(function.body)

        def expand(s: ir.Stmt) -> ir.Stmt | ir.Body:
            if not isinstance(s, ir.Call) or s.function not in done or s.function in keep:
                return s
            if s.function not in called:
                called[s.function] = _Callee(done[s.function])
            return _body_for(called[s.function], s, names, pointed)  # noqa: B023

        body = _without_aliases(_without_unread(map_body(expand, function.body)))
        done[name] = _one_dynamic(replace(function, body=body))
    return replace(program, functions=done)


def _without_aliases(body: ir.Body) -> ir.Body:
    """Pointers to one place that holds pointers are that place, wherever they are followed."""
    changed: set[ir.Symbol] | None = None
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for s in walk_stmts(body):
        if not isinstance(s, ir.Declare) or not isinstance(s.init, ir.AddressOf) or not is_fixed(s.init.place):
            continue
        if not isinstance(s.symbol.type, Pointer) or not holds_pointer(s.symbol.type.to):
            continue
        if s.init.type != s.symbol.type:
            continue
        changed = written(body) | exposed(body) if changed is None else changed
        if s.symbol not in changed:
            bindings[s.symbol] = s.init
    if not bindings:
        return body
    rest = map_body(lambda s: None if isinstance(s, ir.Declare) and s.symbol in bindings else s, body)
    return map_exprs(followed, substitute(bindings, rest))


def _without_unread(body: ir.Body) -> ir.Body:
    """Atomics without their results, where a caller drops what a function returns of one."""
    results = {
        s.result.symbol
        for s in walk_stmts(body)
        if callees.calls(s, "atomic") and isinstance(s.result, ir.Var) and s.result.symbol.storage == "local"
    }
    if not results:
        return body
    for s in walk_stmts(body):
        own = s.result if callees.calls(s, "atomic") else None
        results -= {e.symbol for e in own_nodes(s) if isinstance(e, ir.Var) and e is not own}

    def dropped(s: ir.Stmt) -> ir.Stmt | None:
        if isinstance(s, ir.Declare) and s.symbol in results:
            return None
        unread = isinstance(s, ir.Call) and isinstance(s.result, ir.Var) and s.result.symbol in results
        return replace(s, result=None) if unread and isinstance(s, ir.Call) else s

    return map_body(dropped, body) if results else body


def _one_dynamic(function: ir.Function) -> ir.Function:
    """Every `extern __shared__` array of a kernel is the same memory: one variable, declared at the top."""
    if function.kind != "kernel":
        return function
    arrays = [x for x in dict.fromkeys(declared(function.body)) if is_dynamic(x)]
    if not arrays:
        return function
    first, *others = arrays
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for other in others:
        here = ir.Var(first, span=other.span)
        assert isinstance(other.type, Array)
        view = ir.Cast(here, Pointer(other.type.of), span=other.span)
        bindings[other] = here if other.type == first.type else view
    undeclared = map_body(lambda s: None if isinstance(s, ir.Declare) and is_dynamic(s.symbol) else s, function.body)
    top = ir.Declare(first, None, span=first.span)
    return replace(function, body=(top, *map_exprs(followed, substitute(bindings, undeclared))))


class _Callee:
    """A function whose own calls are inlined, and what is the same for all calls of it."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.changed = written(function.body) | exposed(function.body)
        self.declared = tuple(dict.fromkeys(declared(function.body)))


def _body_for(called: _Callee, call: ir.Call, names: Names, pointed: Collection[ir.Symbol]) -> ir.Body:
    """The callee's body with fresh variables, its parameters bound to the arguments."""
    callee = called.function
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    opening: list[ir.Stmt] = []
    for param, arg in zip(callee.params, call.args, strict=True):
        if param not in called.changed and _substitutable(param, arg, pointed, call):
            bindings[param] = arg
            continue
        symbol = names.symbol(param.name, param.type, param.span)
        bindings[param] = symbol
        opening.append(ir.Declare(symbol, arg, span=call.span))
    for symbol in called.declared:
        bindings[symbol] = replace_symbol(symbol, names)
    spelled = {symbol.name: _spelled(bound) for symbol, bound in bindings.items()}
    arguments = tuple((p.name, text) for p in callee.params if (text := spelled[p.name]))
    place = _Placing(Inlined(callee.name, call.span, arguments), spelled)
    body = copied(callee.body, place, bindings, followed)
    if body and isinstance(body[-1], ir.Return):
        last = body[-1]
        body = body[:-1]
        if call.result is not None and last.value is not None:
            body = (*body, ir.Assign(call.result, last.value, span=place(call.span)))
    return (*opening, *body)


class _Placing:
    """Spans of a function's body as they are where it is inlined, through whatever was inlined into it before."""

    def __init__(self, here: Inlined, spelled: Mapping[str, str]) -> None:
        self.here = here
        self.spelled = spelled  # what is there for a name of the function
        self.inner: dict[Inlined, Inlined] = {}

    def __call__(self, span: Span) -> Span:
        inlined = self.here if span.inlined is None else self.inner.get(span.inlined)
        if inlined is None:
            there = span.inlined
            assert there is not None
            arguments = tuple((p, new) for p, text in there.arguments if (new := self.spelled.get(text, text)))
            inlined = self.inner[there] = Inlined(there.function, self(there.call), arguments)
        return Span(span.file, span.line, span.column, span.length, inlined)


def _spelled(bound: ir.Symbol | ir.Expr) -> str:
    """The name of a variable, as it is or its address, or a constant; "" for anything else."""
    while isinstance(bound, ir.Cast | ir.AddressOf):
        bound = bound.operand if isinstance(bound, ir.Cast) else bound.place
    match bound:
        case ir.Symbol(name=name) | ir.Var(symbol=ir.Symbol(name=name)):
            return name
        case ir.Const(value=value):
            return repr(value)
    return ""


def replace_symbol(symbol: ir.Symbol, names: Names) -> ir.Symbol:
    return replace(symbol, name=names.fresh(symbol.name))


def _substitutable(param: ir.Symbol, arg: ir.Expr, pointed: Collection[ir.Symbol], call: ir.Call) -> bool:
    """Whether the argument may stand wherever the parameter is read."""
    if isinstance(param.type, Pointer):
        core = arg
        while isinstance(core, ir.Cast) and isinstance(core.operand.type, Pointer | Array):
            core = core.operand
        if isinstance(core, ir.AddressOf):
            return all(_keeps_value(x, pointed) for x in _read_by(core.place)) and _reads_no_memory(core.place)
        return isinstance(core, ir.Var) and _keeps_value(core.symbol, pointed) and not _is_result(core.symbol, call)
    if isinstance(arg, ir.Const):
        return arg.type == param.type
    return (
        isinstance(arg, ir.Var)
        and arg.type == param.type
        and _keeps_value(arg.symbol, pointed)
        and not _is_result(arg.symbol, call)
    )


def _keeps_value(symbol: ir.Symbol, pointed: Collection[ir.Symbol]) -> bool:
    """Whether only the caller itself can change the variable, or it is an array, which stands for its address."""
    if isinstance(symbol.type, Array) or symbol.const:
        return True
    return symbol.storage in ("param", "local") and symbol not in pointed


def _read_by(place: ir.Place) -> list[ir.Symbol]:
    """The variables whose values decide where the place lies."""
    mentioned = list(variables(place))
    root = root_symbol(place)
    if root is not None:
        mentioned.remove(root)
    return mentioned


def _is_result(symbol: ir.Symbol, call: ir.Call) -> bool:
    return isinstance(call.result, ir.Var) and call.result.symbol is symbol


def _reads_no_memory(place: ir.Expr) -> bool:
    match place:
        case ir.Var():
            return True
        case ir.Member(base=base):
            return _reads_no_memory(base)
        case ir.Index(base=base, index=index):
            whole = all(isinstance(e, ir.Var | ir.Const | ir.Binary | ir.Cast | ir.Unary) for e in walk_expr(index))
            return whole and (isinstance(base, ir.Var) or _reads_no_memory(base))
    return False


def followed(e: ir.Expr) -> ir.Expr:
    """Without addresses that are followed at once: `(&x)[0]` is `x`; a cast that changes nothing but const goes."""
    if isinstance(e, ir.Index) and isinstance(e.index, ir.Const) and e.index.value == 0:
        base = e.base
        while isinstance(base, ir.Cast) and base.implicit:
            base = base.operand
        if isinstance(base, ir.AddressOf) and base.place.type == e.type and not is_volatile(e.type):
            return base.place
    if isinstance(e, ir.Index):
        base = e.base
        if isinstance(base, ir.Cast) and base.implicit and isinstance(base.operand.type, Pointer | Array):
            of = base.operand.type.to if isinstance(base.operand.type, Pointer) else base.operand.type.of
            if of == e.type:
                return replace(e, base=base.operand)
    return e
