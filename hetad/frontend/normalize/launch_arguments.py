"""`cudaLaunchKernel(kernel, grid, block, args, …)`: the launch is given what the pointers in `args` point to.

Lowering writes the i-th argument as `*(T *)args[i]`.  Where `args` is a local array whose elements are each set once,
to the address of a variable, that is the variable's value at the launch; the array is dropped.  Anything else is
refused.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir.arithmetic import bare
from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Body,
    Cast,
    Const,
    Declare,
    Expr,
    Function,
    Index,
    Launch,
    Place,
    Stmt,
    Symbol,
    Var,
)
from hetad.ir.places import is_fixed
from hetad.ir.types import INT, VOID, Array, Pointer, Type
from hetad.ir.visit import map_body, own_exprs, variables, walk_stmts


def with_plain_arguments(function: Function) -> Function:
    """The function with launches in C form given their arguments themselves."""
    launches = [s for s in walk_stmts(function.body) if isinstance(s, Launch)]
    arrays = dict.fromkeys(a for s in launches for arg in s.args if (a := _array(arg)) is not None)
    if not arrays:
        return function
    places = {a: _elements(a, function.body) for a in arrays}

    def plain(s: Stmt) -> Stmt | None:
        if isinstance(s, Launch):
            return replace(s, args=tuple(_argument(arg, places) for arg in s.args))
        if (isinstance(s, Declare) and s.symbol in arrays) or _set(s) in arrays:
            return None
        return s

    return replace(function, body=map_body(plain, function.body))


def packed(array: Expr, number: int, type_: Type, span: Span) -> Expr:
    """The argument of that number, as lowering writes it."""
    cell = Index(array, Const(number, INT, span=span), Pointer(VOID), span=span)
    return Index(Cast(cell, Pointer(type_), span=span), Const(0, INT, span=span), type_, span=span)


def _array(arg: Expr) -> Symbol | None:
    match arg:
        case Index(base=Cast(operand=Index(base=Var(symbol=symbol)))) if is_list(symbol.type):
            return symbol
    return None


def is_list(type_: Type) -> bool:
    return isinstance(type_, Array) and type_.of == Pointer(VOID)


def _set(s: Stmt) -> Symbol | None:
    """The array of which the statement sets an element."""
    match s:
        case Assign(target=Index(base=Var(symbol=symbol))) if is_list(symbol.type):
            return symbol
    return None


def _elements(array: Symbol, body: Body) -> dict[int, Place]:
    """The variables whose addresses the elements hold."""
    found: dict[int, Place] = {}
    for s in walk_stmts(body):
        match s:
            case Declare(symbol=symbol, init=Aggregate(elements=elements)) if symbol is array:
                for i, value in enumerate(elements):
                    found[i] = _variable(value)
            case Declare(symbol=symbol) if symbol is array:
                pass
            case Assign(target=Index(index=Const(value=int() as i)), value=value) if (
                _set(s) is array and i not in found
            ):
                found[i] = _variable(value)
            case Launch(args=args):
                others = [x for e in own_exprs(s) if not any(e is a for a in args) for x in variables(e)]
                if array in others:
                    raise _refusal(array, s.span)
            case _ if any(array in set(variables(e)) for e in own_exprs(s)):
                raise _refusal(array, s.span)
    return found


def _variable(value: Expr) -> Place:
    inner = bare(value)
    if isinstance(inner, AddressOf) and is_fixed(inner.place):
        return inner.place
    raise UnsupportedError(
        "this argument of cudaLaunchKernel is no address of a variable", value.span, "launch with <<<...>>>"
    )


def _argument(arg: Expr, places: dict[Symbol, dict[int, Place]]) -> Expr:
    array = _array(arg)
    if array is None:
        return arg
    assert isinstance(arg, Index) and isinstance(arg.base, Cast) and isinstance(arg.base.operand, Index)
    number = arg.base.operand.index
    assert isinstance(number, Const)
    place = places[array].get(int(number.value))
    if place is None:
        raise UnsupportedError(
            f"argument {number.value} of this launch is not in '{array.name}'", arg.span, "launch with <<<...>>>"
        )
    if place.type == arg.type:
        return place
    pointers = isinstance(place.type, Pointer) and isinstance(arg.type, Pointer)
    if isinstance(place.type, Pointer) and isinstance(arg.type, Pointer) and place.type.to == arg.type.to:
        return Cast(place, arg.type, implicit=True, span=arg.span)
    kind = "pointer of another type" if pointers else f"'{place.type}', not '{arg.type}'"
    raise UnsupportedError(
        f"argument {number.value} of this launch is a {kind}", arg.span, "give the variable the parameter's type"
    )


def _refusal(array: Symbol, span: Span) -> UnsupportedError:
    return UnsupportedError(
        f"the arguments in '{array.name}' of a launch are set in a way that hetad does not follow",
        span,
        "set each element once, to the address of a variable; or launch with <<<...>>>",
    )
