"""Declarations where the value is known, without copies that say nothing."""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.names import convert, is_zero, negate
from hetad.adjoint.tidy.uses import assigned, idle, inside, mentioned, mentioned_in, next_mention
from hetad.analysis.effects import BARRIERS
from hetad.ir import nodes as ir
from hetad.ir.types import Array, Float, Struct, is_volatile
from hetad.ir.visit import substitute, variables, walk_expr


def plain(body: ir.Body) -> ir.Body:
    """A loop with a condition only is a `while`; two barriers in a row are one; no declaration without a use."""
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ir.For) and not s.init and not s.step and s.cond is not None:
            s = ir.While(s.cond, s.body, span=s.span)
        waits = isinstance(s, ir.Call) and s.function in BARRIERS
        if waits and out:
            last = next((x for x in reversed(out) if not isinstance(x, ir.Comment)), None)
            if last == s:
                continue
        if isinstance(s, ir.Declare) and s.init is None and next_mention(body, i + 1, s.symbol) is None:
            continue
        out.append(s)
    return tuple(out) if len(out) != len(body) or any(a is not b for a, b in zip(out, body, strict=True)) else body


def drop_idle_restores(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T k = x; ... x = k;` goes where nothing changes x in between."""
    for i, s in enumerate(body):
        if not (
            isinstance(s, ir.Declare) and isinstance(s.init, ir.Var) and not isinstance(s.symbol.type, Array | Struct)
        ):
            continue
        if s.symbol in exposed or s.init.symbol in exposed:
            continue
        for k in range(i + 1, len(body)):
            r = body[k]
            same = isinstance(r, ir.Assign) and isinstance(r.target, ir.Var) and r.target.symbol is s.init.symbol
            if same and isinstance(r, ir.Assign) and isinstance(r.value, ir.Var) and r.value.symbol is s.symbol:
                rest = (*body[:k], *body[k + 1 :])
                used = any(s.symbol in mentioned(x) for x in rest if x is not s)
                return drop_idle_restores(rest if used else tuple(x for x in rest if x is not s), exposed)
            if assigned((r,), s.init.symbol) or assigned((r,), s.symbol):
                break
    return body


def sink(body: ir.Body) -> ir.Body:
    """A declaration that a single branch uses moves into it."""
    out = list(body)
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and idle(s)):
            continue
        users = [k for k in range(i + 1, len(out)) if s.symbol in mentioned(out[k])]
        if len(users) != 1:
            continue
        branch = out[users[0]]
        if not isinstance(branch, ir.If) or s.symbol in set(variables(branch.cond)):
            continue
        in_then = s.symbol in mentioned_in(branch.then)
        in_else = s.symbol in mentioned_in(branch.orelse)
        if in_then == in_else:
            continue
        then = (s, *branch.then) if in_then else branch.then
        orelse = (s, *branch.orelse) if in_else else branch.orelse
        out[users[0]] = replace(branch, then=then, orelse=orelse)
        out[i] = ir.Comment("", span=s.span)
    return tuple(s for s in out if not (isinstance(s, ir.Comment) and not s.text))


def join_declarations(body: ir.Body) -> ir.Body:
    """`T x; ... x = e;` becomes `T x = e;`, and `T x = 0; ... x += e;` becomes `T x = e;`."""
    out = list(body)
    for i, s in enumerate(body):
        if not isinstance(s, ir.Declare) or isinstance(s.symbol.type, Array | Struct) or s.symbol.storage == "shared":
            continue
        if s.init is not None and not is_zero(s.init):
            continue
        k = next_mention(body, i + 1, s.symbol)
        if k is None:
            continue
        value = first_value(body[k], s)
        if value is not None:
            out[k] = ir.Declare(s.symbol, convert(value, s.symbol.type), span=body[k].span)
            out[i] = ir.Comment("", span=s.span)
            body = tuple(out)
    return tuple(s for s in out if not (isinstance(s, ir.Comment) and not s.text))


def join_lists(body: ir.Body) -> ir.Body:
    """`T x[2]; ... x[0] = a; x[1] = b;` becomes `T x[2] = {a, b};`."""
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and s.init is None and isinstance(s.symbol.type, Array)):
            continue
        k = next_mention(body, i + 1, s.symbol)
        length = s.symbol.type.length
        if k is None or length is None or len(body) < k + length:
            continue
        values = [element_value(body[k + j], s.symbol, j) for j in range(length)]
        if length and all(v is not None for v in values):
            elements = tuple(v for v in values if v is not None)
            joined = replace(s, init=ir.Aggregate(elements, s.symbol.type, span=body[k].span))
            return join_lists((*body[:i], *body[i + 1 : k], joined, *body[k + length :]))
    return body


def element_value(s: ir.Stmt, array: ir.Symbol, position: int) -> ir.Expr | None:
    match s:
        case ir.Assign(target=ir.Index(base=ir.Var(symbol=x), index=ir.Const(value=at)), value=value):
            if x is array and at == position and array not in set(variables(value)):
                return value
    return None


def first_value(s: ir.Stmt, declaration: ir.Declare) -> ir.Expr | None:
    symbol = declaration.symbol
    match s:
        case ir.Assign(target=ir.Var(symbol=x), value=value) if x is symbol and symbol not in set(variables(value)):
            return value
        case ir.Update(op=op, target=ir.Var(symbol=x), value=value) if x is symbol and declaration.init is not None:
            if symbol in set(variables(value)) or not isinstance(symbol.type, Float):
                return None
            return value if op == "+" else negate(value)
    return None


def propagate(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T t = x;` is dropped where x keeps its value as long as t is used."""
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and isinstance(s.init, ir.Var) and s.init.type == s.symbol.type):
            continue
        if s.symbol in exposed or s.init.symbol in exposed or is_volatile(s.init.type):
            continue
        rest = body[i + 1 :]
        if isinstance(s.symbol.type, Array | Struct) or assigned(rest, s.symbol):
            continue
        last = max((k for k, r in enumerate(rest) if s.symbol in mentioned(r)), default=-1)
        if assigned(rest[: last + 1], s.init.symbol):
            continue
        return propagate((*body[:i], *substitute({s.symbol: s.init}, rest)), exposed)
    return body


def without_unused_values(body: ir.Body) -> ir.Body:
    """Without declarations of values that nothing in their scope mentions; no call and no take of a seed is lost."""
    out: list[ir.Stmt] = []
    used: set[ir.Symbol] = set()
    for s in reversed(body):
        s = inside(without_unused_values, s)
        if not isinstance(s, ir.Declare) or s.symbol in used or not _is_pure(s):
            out.append(s)
            used |= set(variables((s,))) if isinstance(s, ir.Declare) else mentioned(s)
            used |= set(s.sums) if isinstance(s, ir.For) else set()
    return tuple(reversed(out))


def _is_pure(s: ir.Declare) -> bool:
    if s.init is None or s.symbol.storage != "local":
        return False
    return not any(isinstance(e, ir.CallExpr | ir.Intrinsic) for e in walk_expr(s.init))
