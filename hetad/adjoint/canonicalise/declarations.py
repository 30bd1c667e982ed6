"""Declarations where the value is known, without copies that say nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from hetad.adjoint.canonicalise.uses import (
    Uses,
    idle,
    inside,
    mentioned,
    mentioned_in,
    next_mention,
    without_empty_comments,
)
from hetad.ir import nodes as ir
from hetad.ir.build import convert, is_zero
from hetad.ir.simplify import negated, simplified_body
from hetad.ir.types import CUDA_ERROR, Array, Float, Int, Struct, is_volatile
from hetad.ir.visit import repeated, same_or, variables, walk_expr
from hetad.rules import callees


def plain(body: ir.Body) -> ir.Body:
    """A loop with a condition only is a `while`; two barriers in a row are one; no declaration without a use."""
    out: list[ir.Stmt] = []
    used: set[ir.Symbol] = set()  # after the statement
    unused: set[int] = set()
    for i in reversed(range(len(body))):
        s = body[i]
        if isinstance(s, ir.Declare) and s.init is None and s.symbol not in used:
            unused.add(i)
        used |= mentioned(s)
    for i, s in enumerate(body):
        if isinstance(s, ir.For) and not s.init and not s.step and s.cond is not None:
            s = ir.While(s.cond, s.body, span=s.span)
        waits = callees.calls(s, "barrier")
        if waits and out:
            last = next((x for x in reversed(out) if not isinstance(x, ir.Comment)), None)
            if last == s:
                continue
        if i not in unused:
            out.append(s)
    return same_or(body, tuple(out))


def drop_idle_restores(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T k = x; ... x = k;` goes where nothing changes x in between."""
    candidates = [
        (i, s.symbol, s.init.symbol)
        for i, s in enumerate(body)
        if isinstance(s, ir.Declare)
        and isinstance(s.init, ir.Var)
        and not isinstance(s.symbol.type, Array | Struct)
        and not (s.symbol in exposed or s.init.symbol in exposed)
    ]
    if not candidates:
        return body
    uses = Uses(body, {x for _, *both in candidates for x in both})
    while any(_drops_restore(uses, *c) for c in candidates if uses.body[c[0]] is not None):
        pass
    return same_or(body, uses.result())


def _drops_restore(uses: Uses, i: int, kept: ir.Symbol, x: ir.Symbol) -> bool:
    changes = [k for symbol in (kept, x) if (k := uses.changed_after(i, symbol)) is not None]
    if not changes:
        return False
    match uses.body[min(changes)]:
        case ir.Assign(target=ir.Var(symbol=target), value=ir.Var(symbol=value)) if target is x and value is kept:
            uses.put(min(changes), None)
            if uses.next(-1, kept) == i and uses.next(i, kept) is None:
                uses.put(i, None)
            return True
    return False


def sink(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """A declaration that a single branch uses moves into it; not one that a pointer may lead to behind the branch."""
    found = {i: s for i, s in enumerate(body) if isinstance(s, ir.Declare) and idle(s) and s.symbol not in exposed}
    wanted = {s.symbol for s in found.values()}
    if not wanted or not any(isinstance(s, ir.If) for s in body):
        return without_empty_comments(body)
    uses = Uses(body, wanted)
    arms: dict[int, tuple[set[ir.Symbol], set[ir.Symbol]]] = {}  # what is mentioned in those of a branch
    moved: dict[int, tuple[list[ir.Stmt], list[ir.Stmt]]] = {}  # into the arms
    for i, s in found.items():
        users = uses.after(i, s.symbol)
        branch = body[users[0]] if len(users) == 1 else None
        if not isinstance(branch, ir.If) or s.symbol in set(variables(branch.cond)):
            continue
        at = users[0]
        if at not in arms:
            arms[at] = mentioned_in(branch.then, wanted), mentioned_in(branch.orelse, wanted)
        in_then, in_else = (s.symbol in arm for arm in arms[at])
        if in_then == in_else:
            continue
        moved.setdefault(at, ([], []))[0 if in_then else 1].insert(0, s)
        uses.body[i] = None
    for at, (then, orelse) in moved.items():
        branch = body[at]
        assert isinstance(branch, ir.If)
        uses.body[at] = replace(branch, then=(*then, *branch.then), orelse=(*orelse, *branch.orelse))
    return without_empty_comments(same_or(body, uses.result()))


def join_declarations(body: ir.Body) -> ir.Body:
    """`T x; ... x = e;` becomes `T x = e;`, and `T x = 0; ... x += e;` becomes `T x = e;`."""
    candidates = {i: s for i, s in enumerate(body) if isinstance(s, ir.Declare) and _waits_for_value(s)}
    if not candidates:
        return without_empty_comments(body)
    uses = Uses(body, {s.symbol for s in candidates.values()})
    for i, s in candidates.items():
        k = uses.next(i, s.symbol)
        first = uses.body[k] if k is not None else None
        if k is None or first is None:
            continue
        value = first_value(first, s)
        if value is not None:
            uses.put(k, ir.Declare(s.symbol, convert(value, s.symbol.type), span=first.span))
            uses.put(i, None)
    return without_empty_comments(same_or(body, uses.result()))


def _waits_for_value(s: ir.Declare) -> bool:
    if s.init is not None and not is_zero(s.init):
        return False
    return not isinstance(s.symbol.type, (Array, Struct)) and s.symbol.storage != "shared"


def join_lists(body: ir.Body) -> ir.Body:
    """`T x[2]; ... x[0] = a; x[1] = b;` becomes `T x[2] = {a, b};`."""
    return repeated(_with_list_joined, body)


def _with_list_joined(body: ir.Body) -> ir.Body:
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
            return (*body[:i], *body[i + 1 : k], joined, *body[k + length :])
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
            return value if op == "+" else negated(value)
    return None


def propagate(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T t = x;` is dropped where x keeps its value as long as t is used."""
    copies = [(i, s) for i, s in enumerate(body) if _is_copy(s, exposed)]
    if not copies:
        return body
    uses = Uses(body, {x for _, s in copies for x in mentioned(s)})
    while sum(_propagates(uses, i, exposed) for i, _ in copies):
        pass
    return same_or(body, uses.result())


def without_known_status(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`cudaError_t s = cudaSuccess;`, of a call that is not made here, is dropped with the branches for its failure."""
    known = [(i, s) for i, s in enumerate(body) if _is_status(s, exposed)]
    if not known:
        return body
    uses = Uses(body, {s.symbol for _, s in known})
    for i, s in known:
        if s.init is not None and uses.changed_after(i, s.symbol) is None:
            uses.substitute(i, s.symbol, s.init)
            uses.put(i, None)
    return same_or(body, simplified_body(uses.result()))


def _is_status(s: ir.Stmt, exposed: frozenset[ir.Symbol]) -> TypeGuard[ir.Declare]:
    if not (isinstance(s, ir.Declare) and isinstance(s.init, ir.Const) and isinstance(s.symbol.type, Int)):
        return False
    return s.symbol.type.name == CUDA_ERROR.name and s.symbol not in exposed


def _is_copy(s: ir.Stmt | None, exposed: frozenset[ir.Symbol]) -> TypeGuard[ir.Declare]:
    if not (isinstance(s, ir.Declare) and isinstance(s.init, ir.Var) and s.init.type == s.symbol.type):
        return False
    if s.symbol in exposed or s.init.symbol in exposed or is_volatile(s.init.type):
        return False
    return not isinstance(s.symbol.type, Array | Struct)


def _propagates(uses: Uses, i: int, exposed: frozenset[ir.Symbol]) -> bool:
    s = uses.body[i]
    if not _is_copy(s, exposed) or not isinstance(s.init, ir.Var) or uses.changed_after(i, s.symbol) is not None:
        return False
    last = max(uses.after(i, s.symbol), default=-1)
    change = uses.changed_after(i, s.init.symbol)
    if change is not None and change <= last:
        return False
    uses.substitute(i, s.symbol, s.init)
    uses.put(i, None)
    return True


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
    return same_or(body, tuple(reversed(out)))


def _is_pure(s: ir.Declare) -> bool:
    if s.init is None or s.symbol.storage != "local":
        return False
    return not any(isinstance(e, ir.CallExpr | ir.Intrinsic) for e in walk_expr(s.init))
