"""Launches of kernels that stand for routines of a library: their derivatives are what the library text gives.

A pullback or tangent is a host function in terms of such kernels again.  It is put in place of the launch's adjoint, or
in front of the launch, with what depends on which adjoints or tangents there are, and on constants, decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.inline import inline, replace_symbol
from hetad.adjoint.structs import split_structs
from hetad.host.derivation import Derivation, on_derivative
from hetad.host.kernels.launches import as_dim3
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import convert, var
from hetad.ir.simplify import decided, simplest, simplified_body
from hetad.ir.types import BLAS_HANDLE, INT, Pointer
from hetad.ir.visit import declared, map_body, map_exprs, own_variables, repeated, substitute, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import entry_pass
from hetad.rules import operations
from hetad.rules.routines import HEADERS, pullback_name, routine_of, tangent_name

if TYPE_CHECKING:
    from hetad.diagnostics import Span
    from hetad.host.engine import HostEngine
    from hetad.ir.build import Names

_OWN = {"cudaMalloc": operations.device_malloc, "cudaFree": operations.release}


@program_pass("library-derivatives")
def with_routines_derivatives(derivation: Derivation) -> Derivation:
    """With the pullbacks, or tangents, of the library routines that are launched, and the kernels that these launch."""
    whole = replace(derivation, functions=derivation.written)
    name_of = tangent_name if derivation.request.is_tangent else pullback_name
    routines, kernels = given_derivatives(whole, derivation.function.body, name_of)
    more = {name: split_structs(f) for name, f in kernels.items() if name not in derivation.functions}
    return replace(derivation, routines=routines, functions={**more, **derivation.functions})


def given_derivatives(
    program: ir.Program, body: ir.Body, name_of: Callable[[str, Span], str | None]
) -> tuple[dict[str, ir.Function], dict[str, ir.Function]]:
    """The derivatives, which have these names, for the launches in `body`, by kernel, and the kernels that they launch;
    all calls inlined."""
    found: dict[str, ir.Function] = {}
    kernels: dict[str, ir.Function] = {}
    for kernel in dict.fromkeys(s.kernel for s in walk_stmts(body) if isinstance(s, ir.Launch)):
        name = name_of(kernel, program.functions[kernel].span) if kernel in program.functions else None
        if name is not None and name in program.functions:
            flat = inline(program, name)
            found[kernel] = flat.functions[name]
            kernels |= {n: f for n, f in flat.functions.items() if f.kind == "kernel"}
    return found, kernels


def with_choices_made(function: ir.Function) -> ir.Function:
    """The function, in which the library text that was inlined checks no constants."""
    if not any(s.span.file in HEADERS for s in walk_stmts(function.body)):
        return function
    body = map_exprs(lambda e: simplest(e) if e.span.file in HEADERS else e, function.body)
    for rule in (decided, _flat):
        body = map_body(lambda s: rule(s) if s.span.file in HEADERS else s, body)  # noqa: B023
    return replace(function, body=body)


library_choices = entry_pass("library-choices")(with_choices_made)


def undone(engine: HostEngine, s: ir.Launch, pullback: ir.Function, active: frozenset[int]) -> list[ir.Stmt]:
    """The adjoint of the launch, whose arguments `active` have adjoints."""
    adjoints = {i: engine.adjoint_argument(s.args[i], s.span) for i in active}
    body = put_in_place(pullback, s, engine.kernels[s.kernel], "adj_", adjoints, engine.names)
    return list(map_body(_of_the_derivative, body))


def put_in_place(
    text: ir.Function, s: ir.Launch, kernel: ir.Function, prefix: str, given: Mapping[int, ir.Expr], names: Names
) -> ir.Body:
    """The body of a derivative of the launch s.

    given: by position the adjoints or tangents that there are, for parameters named so with the prefix.
    """
    position = {p.name: i for i, p in enumerate(kernel.params)}
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    there: dict[ir.Symbol, bool] = {}
    opening: list[ir.Stmt] = []
    for p in text.params:
        i = position[p.name.removeprefix(prefix)]
        value = s.args[i]
        if p.name.startswith(prefix):
            there[p] = i in given
            value = given.get(i, ir.Const(0, p.type, "NULL" if isinstance(p.type, Pointer) else None, span=s.span))
        if isinstance(p.type, Pointer) or isinstance(value, ir.Var | ir.Const):
            bindings[p] = convert(value, p.type)
        else:
            symbol = names.symbol(p.name, p.type, s.span, const=True)
            opening.append(ir.Declare(symbol, convert(value, p.type), span=s.span))
            bindings[p] = symbol
    for symbol in dict.fromkeys(declared(text.body)):
        bindings[symbol] = replace_symbol(symbol, names)
    body = map_exprs(lambda e: _asked(e, there), text.body)
    body = map_body(_flat, simplified_body(substitute(bindings, body)))
    return (*opening, *_without_aliases(body))


@on_derivative("give-handles")
def handles_given(derivation: Derivation) -> ir.Body:
    """The derivative does all work in one stream: handles of the caller's are told so."""
    body = derivation.body
    used = {x for s in walk_stmts(body) for x in own_variables(s)}
    given = [p for p in derivation.function.params if p.type == BLAS_HANDLE and p in used]
    return (*(operations.cublas_given(var(p), span=p.span) for p in given), *body)


def _asked(e: ir.Expr, there: Mapping[ir.Symbol, bool]) -> ir.Expr:
    """`adj_x != NULL`, and of the tangent of a number `dot_x != 0`, as a number."""
    if isinstance(e, ir.Binary) and e.op in ("==", "!="):
        left = bare(e.left)
        if isinstance(left, ir.Var) and left.symbol in there:
            return ir.Const(int(there[left.symbol] == (e.op == "!=")), INT, span=e.span)
    return e


def _flat(s: ir.Stmt) -> ir.Stmt | ir.Body:
    return s.body if isinstance(s, ir.Block) else s


def _without_aliases(body: ir.Body) -> ir.Body:
    """Pointers stand where they are used, so that analyses see what memory is reached."""

    def without_first(body: ir.Body) -> ir.Body:
        declared_with = (s for s in walk_stmts(body) if isinstance(s, ir.Declare) and s.init is not None)
        alias = next((s for s in declared_with if isinstance(s.symbol.type, Pointer)), None)
        if alias is None or alias.init is None:
            return body
        rest = map_body(lambda s: None if s is alias else s, body)
        return substitute({alias.symbol: convert(alias.init, alias.symbol.type)}, rest)

    return repeated(without_first, body)


def _of_the_derivative(s: ir.Stmt) -> ir.Stmt | ir.Body:
    if isinstance(s, ir.Call) and s.function in _OWN:
        return _OWN[s.function](*s.args, span=s.span)
    if isinstance(s, ir.Launch) and routine_of(s.kernel, s.span) is None:
        return (s, operations.launched(as_dim3(s.grid), span=s.span))
    return s
