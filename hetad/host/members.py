"""Structs by value to kernels, member by member.

The adjoint of a number that a kernel is given by value is a cell of device memory; the shadow of a pointer is a
pointer.  A struct that holds both has no form for the two, so such a struct is taken apart: each number and each
pointer in it becomes a parameter of its own.  So does each number of a struct that is no variable but, say, an
element of an array.  And so is a struct of pointers of which only some lead to active memory: a pullback is with
respect to all that it reaches through a parameter.  Where a kernel names each member that it uses, so is any struct
that leads to active memory, such as what a lambda has captured or a view: what is proven of adjoints, that threads or
arguments do not meet, is proven of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from hetad.adjoint.components import component
from hetad.analysis.activity import Activity
from hetad.analysis.pointer_expressions import pointer_parts, pointers_within
from hetad.analysis.pointers import Location, points_to
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var
from hetad.ir.types import INT, Array, Float, Struct, holds_numbers, of_value
from hetad.ir.visit import declared, map_body, map_exprs, substitute, variables, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass

Position = tuple[str, int]  # a kernel, and one of its parameters


@program_pass("structs-by-member")
def structs_by_member(derivation: Derivation) -> Derivation:
    """Structs of which a pullback needs a part only, that hold pointers and active numbers, or that kernels use by
    member, are passed member by member, and the kernels take them so."""
    function, wrt, of = derivation.function, derivation.request.wrt, derivation.request.of
    pointers = points_to(function)
    places: dict[str, Location] = {p.name: pointers.parameter_roots.get(p, p) for p in function.params}
    independents = [places[n] for n in wrt if n in places]
    dependents: list[Location] = [places[n] for n in of or () if n in places]
    if of is None and derivation.returned is not None:
        dependents = [derivation.returned]
    kernels = derivation.kernels
    activity = Activity(function, pointers, kernels)
    found: set[Location] = set()

    def is_mixed(s: ir.Launch, position: int) -> bool:
        if not found:  # most programs never ask
            found.update(activity.active(independents, dependents))
        arg = s.args[position]
        of_numbers = holds_numbers(arg.type) and not pointer_parts(arg) and not isinstance(arg, ir.Var)
        if of_numbers and not derivation.request.options.activity:
            return True
        if (of_numbers or pointer_parts(arg)) and not found.isdisjoint(pointers.storage(arg)):
            return True
        if not derivation.request.is_tangent and named_by_member(kernels[s.kernel], position):
            return any(not found.isdisjoint(pointers.targets(p)) for p in pointers_within(arg))
        return derivation.request.options.activity and activity.partly_active(s, position, found)

    positions = mixed_positions(function, is_mixed)
    if not positions:
        return derivation
    function, changed = taken_apart(function, kernels, positions)
    return replace(derivation, functions={**derivation.functions, **changed, function.name: function})


def mixed_positions(function: ir.Function, is_mixed: Callable[[ir.Launch, int], bool]) -> set[Position]:
    """The parameters that some launch of the host function gives such a struct."""
    return {
        (s.kernel, i)
        for s in walk_stmts(function.body)
        if isinstance(s, ir.Launch)
        for i, arg in enumerate(s.args)
        if isinstance(arg.type, Struct) and is_mixed(s, i)
    }


def taken_apart(
    function: ir.Function, kernels: Mapping[str, ir.Function], positions: Collection[Position]
) -> tuple[ir.Function, dict[str, ir.Function]]:
    """The host function and the kernels, with the members of these parameters as parameters."""
    names = Names({x.name for x in (*function.params, *declared(function.body))} | set(kernels))
    chosen = {k: {i: _used(f, i) for kernel, i in positions if kernel == k} for k, f in kernels.items()}

    def launch(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Launch) or not chosen[s.kernel]:
            return s
        before: list[ir.Stmt] = []
        args: list[ir.Expr] = []
        for i, arg in enumerate(s.args):
            used = chosen[s.kernel].get(i)
            args += [arg] if used is None else _passed(names, arg, used, before)
        return (*(replace(b, span=s.span) for b in before), replace(s, args=tuple(args)))

    changed = {name: _kernel(k, chosen[name]) if chosen[name] else k for name, k in kernels.items()}
    return replace(function, body=map_body(launch, function.body)), changed


def _used(kernel: ir.Function, position: int) -> list[int]:
    """Which leaves of a parameter the kernel uses: what it only carries along is not passed."""
    param, leaves = kernel.params[position], _leaves(var(kernel.params[position]))
    found: set[ir.Expr] = set()

    def note(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Index | ir.Member) and e in numbers:
            found.add(e)
            return ir.Const(0, INT, span=e.span)
        return e

    numbers = {leaf: i for i, leaf in enumerate(leaves)}
    whole = param in set(variables(map_exprs(note, kernel.body)))
    return [i for i, leaf in enumerate(leaves) if whole or leaf in found]


def _passed(names: Names, arg: ir.Expr, used: Collection[int], before: list[ir.Stmt]) -> list[ir.Expr]:
    """The members of an argument; numbers in variables of their own, as the reverse sweep wants them."""
    if not isinstance(arg, ir.Var | ir.Index | ir.Member):
        whole = names.symbol("argument", arg.type, arg.span)
        before.append(ir.Declare(whole, arg, span=arg.span))
        arg = ir.Var(whole, span=arg.span)
    out: list[ir.Expr] = []
    for leaf in (x for i, x in enumerate(_leaves(arg)) if i in used):
        if isinstance(leaf.type, Float):
            symbol = names.symbol(_name(leaf), leaf.type, arg.span)
            before.append(ir.Declare(symbol, leaf, span=arg.span))
            leaf = ir.Var(symbol, span=arg.span)
        out.append(leaf)
    return out


def _kernel(kernel: ir.Function, positions: Mapping[int, Collection[int]]) -> ir.Function:
    names = Names({x.name for x in (*kernel.params, *declared(kernel.body))})
    params: list[ir.Symbol] = []
    body = kernel.body
    for i, p in enumerate(kernel.params):
        if i not in positions:
            params.append(p)
            continue
        leaves = [x for number, x in enumerate(_leaves(var(p))) if number in positions[i]]
        own = [ir.Symbol(names.fresh(_name(x)), of_value(x.type), p.span, "param", p.const) for x in leaves]
        params += own
        replaced = _by_member(body, p, dict(zip(leaves, own, strict=True)))
        body = replaced if replaced is not None else _rebuilt(body, p, leaves, own)
    return replace(kernel, params=tuple(params), body=body)


def named_by_member(kernel: ir.Function, position: int) -> bool:
    """Whether a kernel names all that it uses of a parameter by its member."""
    param = kernel.params[position]
    leaves = set(_leaves(var(param)))
    by_member = sum(isinstance(e, ir.Index | ir.Member) and e in leaves for e in walk_exprs(kernel.body))
    return by_member == sum(x is param for x in variables(kernel.body))


def _by_member(body: ir.Body, param: ir.Symbol, parts: Mapping[ir.Place, ir.Symbol]) -> ir.Body | None:
    """The body with the members' parameters in place of the members; None where the struct is used as a whole."""

    def member(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Index | ir.Member) and e in parts:
            return ir.Var(parts[e], span=e.span)
        return e

    new = map_exprs(member, body)
    return None if param in set(variables(new)) else new


def _rebuilt(body: ir.Body, param: ir.Symbol, leaves: list[ir.Place], own: list[ir.Symbol]) -> ir.Body:
    """The body with the struct as a local variable, filled at the top."""
    local = ir.Symbol(param.name, param.type, param.span)
    fill = [ir.Assign(x, var(p), span=p.span) for x, p in zip(leaves, own, strict=True)]
    return (ir.Declare(local, None, span=param.span), *substitute({param: local}, (*fill, *body)))


def _leaves(place: ir.Place) -> list[ir.Place]:
    """The numbers and pointers in a place, fields and elements in order."""
    if isinstance(place.type, Struct):
        count = len(place.type.fields)
    elif isinstance(place.type, Array) and place.type.length is not None:
        count = place.type.length
    else:
        return [place]
    return [leaf for i in range(count) for leaf in _leaves(component(place, i, place.span))]


def _name(leaf: ir.Expr) -> str:
    """`g_dt` for `g.dt`."""
    match leaf:
        case ir.Var(symbol=symbol):
            return symbol.name
        case ir.Member(base=base, name=name):
            return f"{_name(base)}_{name}"
        case ir.Index(base=base, index=ir.Const(value=value)) if value:
            return f"{_name(base)}_{value}"
        case ir.Index(base=base):
            return _name(base)
    return "member"
