"""Runs that are equal but for the variables and constants that they use: one function, called with other arguments.

A *hole* is a place in a run where a parameter may stand: a mention of a variable that is not the run's own, or a
constant.  Runs of one shape have the same holes in the same order; a parameter fills the holes that hold the same in
each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from hetad.diagnostics import Span
from hetad.host.outlining.variables import Mode, Plan
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, binary, integer
from hetad.ir.types import INT, VOID, Array, Float, Pointer, Struct, Type, of_value
from hetad.ir.visit import declared, map_bodies, map_children, map_own_exprs, same_or, walk_stmts

_NOWHERE = Span("", 0, 0)
_Filling = Callable[["Hole"], "ir.Expr"]


@dataclass(frozen=True, slots=True)
class Hole:
    """`type`: that of a parameter which fills it.  `offset`: of a pointer, what is added to it."""

    held: ir.Var | ir.Const
    mode: Mode
    type: Type
    offset: int = 0

    def key(self) -> tuple[object, ...]:
        """The same for holes that one parameter fills, but for the offset."""
        if isinstance(self.held, ir.Var):
            return self.mode, self.held.symbol
        return repr(self.held.value), str(self.held.type)

    def argument(self, offset: int) -> ir.Expr:
        """What a call passes for it."""
        if self.mode == "pointer":
            assert isinstance(self.held, ir.Var)
            return address_of(self.held)
        return _moved(self.held, offset)

    def spelled(self) -> str:
        return self.held.symbol.name if isinstance(self.held, ir.Var) else repr(self.held.value)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`arguments`: what the call for each run passes.  `place`: among the parameters of the source function, as far as
    it is one of them.  `less`: what is subtracted from it in the function."""

    symbol: ir.Symbol
    arguments: tuple[ir.Expr, ...]
    place: int
    less: int = 0


def shape(plan: Plan) -> ir.Body:
    """The body with stand-ins for what may differ: runs with equal ones may become one function."""
    numbers = {x: i for i, x in enumerate(_locals(plan))}
    own = {x: _stand_in(f"{x.type} {i}", of_value(x.type)) for x, i in numbers.items()}
    return _rewritten(
        _bare(plan.body), plan, own, lambda h: ir.Var(_stand_in(f"{h.mode} {h.type}", h.type), span=_NOWHERE)
    )


def holes(plan: Plan) -> list[Hole]:
    found: list[Hole] = []

    def note(hole: Hole) -> ir.Expr:
        found.append(hole)
        return _moved(hole.held, hole.offset)

    _rewritten(plan.body, plan, {}, note)
    return found


def function(plans: list[Plan], name: str, comment: str) -> tuple[ir.Function, list[Parameter]]:
    """The function for runs of one shape; its parameters, with what each call passes for them."""
    model = _model(plans)
    filled = parameters(plans)
    own = {x: replace(x, name=_plain(x.name)) for x in _locals(model)}  # emission tells equal ones apart
    fillings = iter([(filled.get(_key(column)), _equal_offset(column)) for column in _columns(plans)])
    body = _rewritten(model.body, model, own, lambda h: _filled(h, *next(fillings)))
    ordered = sorted(filled.values(), key=_order)
    returns = of_value(model.result[0].type) if model.result is not None else VOID
    span = replace(body[0].span, inlined=None)
    return ir.Function(name, "host", tuple(p.symbol for p in ordered), returns, body, span, comment=comment), ordered


def parameters(plans: list[Plan]) -> dict[tuple[object, ...], Parameter]:
    """One for each of the columns that hold the same in each run, but for constants that are equal in all."""
    names = Names(())
    found: dict[tuple[object, ...], Parameter] = {}
    for column in _columns(plans):
        if _key(column) in found or _is_constant(column):
            continue
        wanted, place, less = _named(column, plans)
        symbol = names.symbol(wanted, _type_for(column), column[0].held.span, "param")
        symbol = replace(symbol, adjoint=any(isinstance(h.held, ir.Var) and h.held.symbol.adjoint for h in column))
        here = _equal_offset(column)
        arguments = tuple(_more(h.argument(h.offset - here), less) for h in column)
        found[_key(column)] = Parameter(symbol, arguments, place, less)
    return found


def _type_for(column: tuple[Hole, ...]) -> Type:
    """That of a parameter: to constants, where the array of one run is constant."""
    type_ = column[0].type
    arrays = (h.held.symbol for h in column if isinstance(h.held, ir.Var) and isinstance(h.held.symbol.type, Array))
    return replace(type_, const=True) if isinstance(type_, Pointer) and any(x.const for x in arrays) else type_


def _named(column: tuple[Hole, ...], plans: list[Plan]) -> tuple[str, int, int]:
    """The name of a parameter, its place among those of the source function, and what must be subtracted from it."""
    calls = [dict(p.run.call.arguments) for p in plans]
    for place, name in enumerate(calls[0]):
        passed = [c.get(name, "") for c in calls]
        here = [h.spelled() for h in column]
        if here == passed:
            return name, place, 0
        if _are_adjoint(column) and here == [f"adj_{text}" for text in passed]:
            return f"adj_{name}", place, 0
        constants = [h.held.value for h in column if isinstance(h.held, ir.Const) and h.type == INT]
        if passed == [repr(value + 1) for value in constants]:  # the last index of a loop
            return name, place, 1
    return _common_name(column), len(calls[0]), 0


def _common_name(column: tuple[Hole, ...]) -> str:
    names = [h.held.symbol.name for h in column if isinstance(h.held, ir.Var)]
    for simpler in (_plain, _without_numbers):
        if len({simpler(name) for name in names}) == 1:
            return simpler(names[0])
    if not names:
        return "value"
    is_adjoint = isinstance(column[0].type, Float) and _are_adjoint(column)
    return "adj_result" if is_adjoint else min(map(_plain, names))


def _are_adjoint(column: tuple[Hole, ...]) -> bool:
    return all(isinstance(h.held, ir.Var) and h.held.symbol.adjoint for h in column)


def _more(argument: ir.Expr, less: int) -> ir.Expr:
    if not less or not isinstance(argument, ir.Const):
        return argument
    return replace(argument, value=argument.value + less, text=None)


def _model(plans: list[Plan]) -> Plan:
    """The run whose comments the function has."""
    return max(plans, key=lambda p: sum(isinstance(s, ir.Comment) for s in walk_stmts(p.body)))


def _columns(plans: list[Plan]) -> list[tuple[Hole, ...]]:
    """The holes of all runs side by side."""
    return list(zip(*map(holes, plans), strict=True))


def _key(column: tuple[Hole, ...]) -> tuple[object, ...]:
    here = _equal_offset(column)
    return tuple((*h.key(), h.offset - here) for h in column)


def _equal_offset(column: tuple[Hole, ...]) -> int:
    """What the function itself adds to a pointer."""
    return column[0].offset if all(h.offset == column[0].offset for h in column) else 0


def _is_constant(column: tuple[Hole, ...]) -> bool:
    return all(isinstance(h.held, ir.Const) and h.key() == column[0].key() for h in column)


def _filled(hole: Hole, parameter: Parameter | None, offset: int) -> ir.Expr:
    if parameter is None:
        return hole.held
    here = ir.Var(parameter.symbol, span=hole.held.span)
    if hole.mode == "pointer":
        return ir.Index(here, integer(0, here.span), hole.held.type, span=here.span)
    if parameter.less:
        return binary("-", here, integer(parameter.less, here.span))
    return _moved(here, offset)


def _moved(pointer: ir.Expr, offset: int) -> ir.Expr:
    if offset == 0:
        return pointer
    return binary("+", pointer, integer(offset, pointer.span))


def _order(parameter: Parameter) -> tuple[bool, bool, int]:
    """What is read comes first, as in the source, then adjoints, then what the function gives back."""
    argument = parameter.arguments[0]
    back = isinstance(argument, ir.AddressOf) and not isinstance(argument.place.type, Struct)
    return back, parameter.symbol.adjoint, parameter.place


def _plain(name: str) -> str:
    """A name without the number that made it different from others."""
    return re.sub(r"(?<=\w)_\d+[a-z]?$", "", name)


def _without_numbers(name: str) -> str:
    return re.sub(r"(?<=\w)_\d+[a-z]?(?=_|$)", "", name)


def _locals(plan: Plan) -> list[ir.Symbol]:
    return [x for x in dict.fromkeys(declared(plan.body)) if plan.modes.get(x) == "local"]


def _bare(body: ir.Body) -> ir.Body:
    """Without comments, which are dropped where they would repeat the one before."""
    return same_or(body, tuple(map_bodies(_bare, s) for s in body if not isinstance(s, ir.Comment)))


@cache
def _stand_in(name: str, type_: Type) -> ir.Symbol:
    return ir.Symbol(name, type_, _NOWHERE)


def _rewritten(body: ir.Body, plan: Plan, own: dict[ir.Symbol, ir.Symbol], fill: _Filling) -> ir.Body:
    """`body` with its holes filled in order, and its own variables replaced."""

    def expr(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Const):
            return fill(Hole(e, "value", of_value(e.type)))
        match e:
            case ir.Binary(op="+", left=ir.Var() as left, right=ir.Const(value=int(offset))):
                if isinstance(e.type, Pointer) and plan.modes.get(left.symbol) == "value":
                    return fill(Hole(left, "value", of_value(left.type), offset))
        if not isinstance(e, ir.Var) or e.symbol not in plan.modes:
            return map_children(expr, e)
        mode = plan.modes[e.symbol]
        if mode == "local":
            return ir.Var(own[e.symbol], span=e.span) if e.symbol in own else e
        return fill(Hole(e, mode, _parameter_type(e.symbol.type, mode)))

    def statement(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Declare) and s.symbol in own:
            s = replace(s, symbol=own[s.symbol])
        if isinstance(s, ir.For) and s.primal is not None:
            s = replace(s, primal=None)
        s = map_own_exprs(expr, s)
        return map_bodies(each, s)

    def each(inner: ir.Body) -> ir.Body:
        return same_or(inner, tuple(map(statement, inner)))

    return each(body)


def _parameter_type(type_: Type, mode: Mode) -> Type:
    if isinstance(type_, Array):
        return Pointer(type_.of)
    return Pointer(of_value(type_)) if mode == "pointer" else of_value(type_)
