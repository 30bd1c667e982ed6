"""Loops over tiles as one loop: what a kernel without its staging copies is, in the form that a person would write.

* Two loops whose indices only occur as `first + d`, where d counts below the step of first, are one loop over the sum.
* What only one branch at the end of a kernel uses is computed there.
* A loop whose body does nothing where a condition fails, as it adds products of zeros there, asks the condition; one
  such as `d < k` is the loop's end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hetad.adjoint.liveness import Liveness
from hetad.analysis.affine import UNIT, Polynomial, polynomial
from hetad.analysis.effects import Effects
from hetad.analysis.loops import Counted, counted, plain
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.device.demotion.conjuncts import Facts, folded, vanishes
from hetad.device.demotion.values import Values
from hetad.device.demotion.walks import by_trips
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import Names, convert, integer, var
from hetad.ir.places import changed_in, changes, exposed
from hetad.ir.types import BOOL, Array, Float, Int
from hetad.ir.visit import (
    children,
    map_bodies,
    map_body,
    map_children,
    map_own_exprs,
    own_variables,
    substitute,
    substituted,
    variables,
    walk_expr,
    walk_stmts,
)
from hetad.rules.math import is_math


def flattened(kernel: ir.Function, names: Names) -> ir.Function:
    body = _alive(kernel)
    values = _values(body, _constants(replace(kernel, body=body)))
    body = by_trips(body, values, names)
    body = map_body(lambda s: _one_loop(s, values), body)
    body = _by_name(body, _constants(replace(kernel, body=body)))
    body = _in_positions(body, _values(body, _constants(replace(kernel, body=body))))
    body = _sunk(replace(kernel, body=_alive(replace(kernel, body=body))))
    constants = _constants(replace(kernel, body=body))
    body = _conditioned(body, Facts(frozenset(), frozenset()), constants)
    return replace(kernel, body=_read_in_place(body))


def counted_loop(s: ir.For, effects: Effects) -> Counted | None:
    changed = set(effects.written(s.body))
    return counted(s, lambda e: effects.stable(e, changed), lambda x: x in changed)


def _alive(kernel: ir.Function) -> ir.Body:
    """Without what nobody reads any more."""
    effects = Effects(PointsTo(kernel), {})
    outside: list[Location] = [x for x in effects.written(kernel.body) if isinstance(x, Root)]
    outside += [x for x in effects.written(kernel.body) if isinstance(x, ir.Symbol) and x.storage not in _OWN]
    liveness = Liveness(effects, lambda s: isinstance(s, ir.Call) and not is_math(s.function))
    return liveness.prune(kernel.body, outside)


_OWN = ("local", "param")


# -- two loops as one


@dataclass(frozen=True, slots=True)
class _Tiles:
    """The index of the sum, the loop's end, and what that is known not to be less than."""

    outer: ir.Symbol
    inner: ir.Symbol
    ratio: int  # of the step of the sum and that of the outer index


def _one_loop(s: ir.Stmt, values: Values) -> ir.Stmt:
    if not isinstance(s, ir.For) or (outer := _header(s)) is None:
        return s
    body = _spelled(s.body, outer.index)
    if len(body) != 1 or not isinstance(body[0], ir.For) or (inner := _header(body[0])) is None:
        return s
    ratio = _ratio(outer.step, inner.bound)
    if ratio is None or integer_value(inner.step) != 1 or inner.inclusive or outer.index.type != inner.index.type:
        return s
    tiles = _Tiles(outer.index, inner.index, ratio)
    try:
        text = map_body(lambda t: map_own_exprs(lambda e: _summed(e, tiles, values), t), body[0].body)
    except _Apart:
        return s
    return replace(body[0], cond=_below(body[0], inner, _end(outer, inner.bound)), body=text, unroll=s.unroll)


def _ratio(step: ir.Expr, size: ir.Expr) -> int | None:
    """How many steps a tile is: one where both are the same, known or not."""
    by, whole = integer_value(step), integer_value(size)
    if by is None and whole is None and _bare(step) == _bare(size) and _is_fixed(size):
        return 1
    return whole // by if by and whole and by > 0 and whole > 0 and whole % by == 0 else None


def _header(s: ir.For) -> Counted | None:
    """Of a loop that counts up from zero, by numbers."""
    changed = set(changed_in(s.body))
    if any(isinstance(t, ir.Call) and not is_math(t.function) for t in walk_stmts(s.body)):
        return None
    found = counted(s, lambda e: _is_fixed(e) and changed.isdisjoint(variables(e)), lambda x: x in changed)
    if found is None or found.down or not found.declares or integer_value(found.start) != 0:
        return None
    return found


def _is_fixed(e: ir.Expr) -> bool:
    """Whether the value depends on variables alone."""
    if isinstance(e, ir.Index | ir.Member | ir.CallExpr | ir.Intrinsic):
        return False
    return all(map(_is_fixed, children(e)))


def _spelled(body: ir.Body, index: ir.Symbol) -> ir.Body:
    """With their definitions in place of integers that are set once, from the index."""
    kept: list[ir.Stmt] = []
    for i, s in enumerate(body):
        rest = (*kept, *body[i + 1 :])
        again = isinstance(s, ir.Declare) and s.symbol in {*changed_in(rest), *exposed(rest)}
        if (
            isinstance(s, ir.Declare)
            and isinstance(s.symbol.type, Int)
            and s.init is not None
            and index in variables(s.init)
            and _is_fixed(s.init)
            and set(changed_in(rest)).isdisjoint(variables(s.init))
            and not again
        ):
            after = substitute({s.symbol: s.init}, body[i + 1 :])
            return _spelled((*kept, *after), index)
        kept.append(s)
    return tuple(kept)


class _Apart(Exception):
    """The indices occur otherwise than in their sum."""


def _summed(e: ir.Expr, tiles: _Tiles, values: Values) -> ir.Expr:
    """With the inner index in place of the sum."""
    used = set(variables(e))
    if used.isdisjoint((tiles.outer, tiles.inner)):
        return e
    if isinstance(e.type, Int) and not e.type.boolean and _is_fixed(e) and not _is_condition(e):
        value = polynomial(values.of(e))
        outer, inner = (value.split(var(x)) for x in (tiles.outer, tiles.inner))
        if outer is None or inner is None or outer[0] != inner[0].scaled(tiles.ratio) or not inner[0].terms:
            raise _Apart
        return _at_zero(e, tiles.outer)
    if isinstance(e, ir.Var):
        raise _Apart
    return map_children(lambda child: _summed(child, tiles, values), e)


def _is_condition(e: ir.Expr) -> bool:
    return isinstance(e, ir.Binary) and e.op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||")


def _at_zero(e: ir.Expr, x: ir.Symbol) -> ir.Expr:
    """Where a variable is zero."""
    if isinstance(e, ir.Var) and e.symbol is x:
        return integer(0, e.span, e.type)
    e = map_children(lambda child: _at_zero(child, x), e)
    match e:
        case ir.Cast(operand=ir.Const(value=0)) if isinstance(e.type, Int):
            return integer(0, e.span, e.type)
        case ir.Cast(operand=ir.Cast(type=Int() as between, operand=inner)) if inner.type == e.type:
            return inner if isinstance(e.type, Int) and between.bits >= e.type.bits else e
        case ir.Binary(op="+" | "-", left=left, right=ir.Const(value=0)):
            return left
        case ir.Binary(op="+", left=ir.Const(value=0), right=right):
            return right
        case ir.Binary(op="*", left=ir.Const(value=0)) | ir.Binary(op="*", right=ir.Const(value=0)):
            return integer(0, e.span, e.type)
    return e


def _end(outer: Counted, size: ir.Expr) -> ir.Expr:
    """The first value of the sum that no iteration has: the bound, rounded up to whole tiles."""
    type_ = outer.index.type
    span = size.span

    def binary(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        return ir.Binary(op, convert(left, type_), convert(right, type_), type_, span=span)

    step, bound, one = _bare(outer.step), plain(outer.bound), integer(1, span, type_)
    number = integer_value(step)
    if number is not None:
        more = number - 1 + outer.inclusive
        trips = binary("+", bound, integer(more, span, type_)) if more else bound
    else:
        trips = binary("+", bound, step if outer.inclusive else binary("-", step, one))
    if number != 1:
        trips = binary("/", trips, step)
    return binary("*", trips, _bare(size))


def _below(s: ir.For, header: Counted, end: ir.Expr) -> ir.Expr:
    return ir.Binary("<", ir.Var(header.index, span=s.span), end, BOOL, span=s.span)


# -- by name


def _by_name(body: ir.Body, constants: frozenset[ir.Symbol]) -> ir.Body:
    """With variables in place of what they hold."""
    values = _values(body, constants)
    out: list[ir.Stmt] = []
    named: dict[object, ir.Symbol] = {}
    for s in body:
        out += map_body(lambda t: map_own_exprs(lambda e: _named(e, values, named), t), (s,))
        if isinstance(s, ir.Declare) and s.symbol in values.held:
            value = polynomial(values.held[s.symbol])
            if len(value.terms) > 1:
                named.setdefault((s.symbol.type, frozenset(value.terms.items())), s.symbol)
    return tuple(out)


def _named(e: ir.Expr, values: Values, named: Mapping[object, ir.Symbol]) -> ir.Expr:
    if isinstance(e, ir.Binary | ir.Cast) and isinstance(e.type, Int) and not e.type.boolean and _is_fixed(e):
        value = polynomial(values.of(e))
        symbol = named.get((e.type, frozenset(value.terms.items())))
        if symbol is not None:
            return ir.Var(symbol, span=e.span)
    return map_children(lambda child: _named(child, values, named), e)


def _in_positions(body: ir.Body, values: Values) -> ir.Body:
    """Sums of what blocks and what threads tell apart, in which each tells where the thread is, by thread indices."""
    halves = Values({x: e for x, e in values.held.items() if _halves(e)})

    def whole(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Binary) and isinstance(e.type, Int) and not e.type.boolean and _is_fixed(e):
            spelled = halves.of(e)
            return spelled if spelled is not e and not _halves(values.of(e)) else e
        return map_children(whole, e)

    return tuple(
        s if isinstance(s, ir.Declare) and s.symbol in values.held else t
        for s in body
        for t in map_body(lambda t: map_own_exprs(whole, t), (s,))
    )


def _halves(e: ir.Expr) -> bool:
    """Whether an expression tells the block along some axis without the thread in it, or the reverse."""
    told = [{x.axis for x in walk_expr(e) if isinstance(x, ir.ThreadIndex) and x.name == n} for n in _WHERE]
    return told[0] != told[1]


_WHERE = ("blockIdx", "threadIdx")


def _values(body: ir.Body, constants: frozenset[ir.Symbol]) -> Values:
    """Of variables at the top of a kernel."""
    held: dict[ir.Symbol, ir.Expr] = {}
    for s in body:
        init = s.init if isinstance(s, ir.Declare) and s.symbol in constants else None
        if isinstance(s, ir.Declare) and init is not None and isinstance(s.symbol.type, Int) and _is_fixed(init):
            held[s.symbol] = Values(held).of(init)
    return Values(held)


# -- into the branch that uses it


def _sunk(kernel: ir.Function) -> ir.Body:
    """What only the last statement uses, a branch, inside it."""
    body = kernel.body
    if not body or not isinstance(body[-1], ir.If) or body[-1].orelse:
        return body
    last = body[-1]
    outside = set(variables(last.cond))
    exposed_ones = exposed(body)
    moved: list[ir.Stmt] = []
    kept: list[ir.Stmt] = []
    for s in reversed(body[:-1]):
        sets = set(changed_in((s,)))
        free = outside.isdisjoint(sets) and exposed_ones.isdisjoint(sets) and all(map(_is_private, walk_stmts((s,))))
        if free and set(variables((s,))).isdisjoint(changed_in(tuple(kept))):
            moved.insert(0, s)
            continue
        if not all(map(_is_private, walk_stmts((s,)))):
            return body
        outside |= {*variables((s,)), *sets}
        kept.insert(0, s)
    return (*kept, replace(last, then=(*moved, *last.then)))


def _is_private(s: ir.Stmt) -> bool:
    """Whether the statement itself changes nothing but variables of its thread."""
    match s:
        case ir.Declare(symbol=symbol):
            return symbol.storage == "local"
        case ir.Assign(target=target) | ir.Update(target=target):
            return isinstance(target, ir.Var) and target.symbol.storage == "local"
        case ir.Call(function=name, result=ir.Var()):
            return is_math(name)
    return isinstance(s, ir.If | ir.For | ir.While | ir.Block | ir.Comment)


# -- single loads


def _read_in_place(body: ir.Body) -> ir.Body:
    """A value from memory that one statement uses, with nothing but such values in between, is read there."""
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        s = map_bodies(_read_in_place, s)
        if not isinstance(s, ir.Declare):
            while out and (value := _held(out[-1])) is not None:
                held = out[-1]
                assert isinstance(held, ir.Declare)
                here = own_variables(s).count(held.symbol)
                if here != 1 or list(variables(body[i:])).count(held.symbol) != 1 or isinstance(s, ir.For | ir.While):
                    break
                out.pop()
                s = map_own_exprs(lambda e, x=held.symbol, v=value: substituted({x: v}, e), s)  # type: ignore[misc]
        out.append(s)
    return tuple(out)


def _held(s: ir.Stmt) -> ir.Expr | None:
    """The load whose value a declaration names."""
    value = s.init if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Float) else None
    return value if value is not None and isinstance(bare(value), ir.Index) else None


# -- conditions of loops


def _constants(kernel: ir.Function) -> frozenset[ir.Symbol]:
    """Variables that have one value as long as they exist, but for the indices of loops."""
    times = Counter(changes(kernel.body))
    ones = {s.symbol for s in walk_stmts(kernel.body) if isinstance(s, ir.Declare) and s.init is not None}
    fixed = {x for x in ones if times[x] == 1} | {x for x in kernel.params if not times[x]}
    return frozenset(x for x in fixed - exposed(kernel.body) if not isinstance(x.type, Array))


def _conditioned(body: ir.Body, facts: Facts, constants: frozenset[ir.Symbol]) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in folded(body, facts):
        match s:
            case ir.If(cond=cond):
                then = _conditioned(s.then, facts.with_true(cond, constants.__contains__), constants)
                out.append(replace(s, then=then, orelse=_conditioned(s.orelse, facts, constants)))
            case ir.For() if (header := _header(s)) is not None:
                out.append(_loop(s, header, facts, constants | {header.index}))
            case ir.For() | ir.While():
                out.append(replace(s, body=_conditioned(s.body, facts, constants)))
            case _:
                out.append(s)
    return tuple(out)


def _loop(s: ir.For, header: Counted, facts: Facts, constants: frozenset[ir.Symbol]) -> ir.Stmt:
    body = folded(s.body, facts)
    conditions: list[ir.Expr] = []
    for c in facts.conjuncts_of(body, constants.__contains__):
        if vanishes(folded(body, facts.with_false(c))):
            conditions.append(c)
            facts = facts.with_true(c, constants.__contains__)
            body = folded(body, facts)
    body = _conditioned(body, facts, constants)
    for c in conditions:
        end = _bound(c, header.index)
        if end is not None and not header.inclusive and _reaches(header.bound, end, _is_signed(c)):
            s = replace(s, cond=_below(s, header, end))
        else:
            body = (ir.If(c, body, (), span=c.span),)
    return replace(s, body=body)


def _bound(c: ir.Expr, index: ir.Symbol) -> ir.Expr | None:
    """`n`, if the condition says `index < n`."""
    match c:
        case ir.Binary(op="<", left=left, right=right) if _bare(left) == ir.Var(index, span=c.span):
            found = _bare(right)
        case ir.Binary(op=">", left=left, right=right) if _bare(right) == ir.Var(index, span=c.span):
            found = _bare(left)
        case _:
            return None
    return found if found.type == index.type else None


def _is_signed(c: ir.Expr) -> bool:
    return isinstance(c, ir.Binary) and isinstance(c.left.type, Int) and c.left.type.signed


def _reaches(end: ir.Expr, bound: ir.Expr, signed: bool) -> bool:
    """Whether `end` is `bound` rounded up: not less, and, unless `signed` numbers are compared, not positive where that
    is negative."""
    match plain(end):
        case ir.Binary(op="*", left=trips, right=size):
            pass
        case _:
            return False
    beyond = polynomial(_bare(size)) - UNIT
    match _bare(trips):
        case ir.Binary(op="+", left=quotient, right=ir.Const(value=1)) if signed:  # (n - 1) / size + 1
            beyond, trips = Polynomial({(): -1}), quotient
    match _bare(trips):
        case ir.Binary(op="/", left=more, right=by) if _bare(by) == _bare(size):
            return (polynomial(more) - polynomial(bound)).terms == beyond.terms
    return False


def _bare(e: ir.Expr) -> ir.Expr:
    while isinstance(e, ir.Cast) and isinstance(e.type, Int) and isinstance(e.operand.type, Int) and e.type.bits >= 32:
        e = e.operand
    return e
