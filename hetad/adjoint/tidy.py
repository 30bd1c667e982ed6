"""Makes generated code read as written by hand.  Nothing here changes a computed value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from hetad.adjoint.names import convert, is_zero, negate
from hetad.analysis.effects import BARRIERS, TAKE
from hetad.ir import nodes as ir
from hetad.ir.types import Array, Float, Pointer, Struct
from hetad.ir.visit import bodies, children, map_bodies, own_exprs, substitute, variables, walk_expr, walk_stmts



def tidy(body: ir.Body, aliased: bool = False, kernel: bool = False) -> ir.Body:
    """`aliased`: two pointer parameters may reach the same memory.  `kernel`: memory behind the parameters that a
    condition reads is not written."""
    exposed = _exposed(body)
    while True:
        new = _block(body, kernel, exposed)
        if new == body:
            return _renumber(_constants(_comments(new if aliased else _headers(new), None)[0]))
        body = new


def _exposed(body: ir.Body) -> frozenset[ir.Symbol]:
    """Variables that a pointer variable may point to: any store through a pointer may change them."""
    values = [s.init if isinstance(s, ir.Declare) else s.value for s in walk_stmts(body) if isinstance(s, ir.Declare | ir.Assign)]
    return frozenset(
        x
        for value in values
        if value is not None
        for e in walk_expr(value)
        if isinstance(e, ir.AddressOf)
        for x in variables(e.place)
    )


def _block(body: ir.Body, kernel: bool, exposed: frozenset[ir.Symbol]) -> ir.Body:
    body = tuple(_branch(_inside(lambda b: _block(b, kernel, exposed), s)) for s in body)
    body = _sink(_merge_branches(_plain(body), kernel))
    body = _join_lists(_join_declarations(_drop_idle_restores(body, exposed)))
    return _merge_atomics(_propagate(body, exposed))


def _plain(body: ir.Body) -> ir.Body:
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
        if isinstance(s, ir.Declare) and s.init is None and _next_mention(body, i + 1, s.symbol) is None:
            continue
        out.append(s)
    return tuple(out) if len(out) != len(body) or any(a is not b for a, b in zip(out, body, strict=True)) else body


def _inside(fn: Callable[[ir.Body], ir.Body], s: ir.Stmt) -> ir.Stmt:
    """The statement with its bodies rewritten; the header of a loop is no block of its own."""
    if isinstance(s, ir.For):
        inner = fn(s.body)
        return s if inner is s.body else replace(s, body=inner)
    return map_bodies(fn, s)


def _drop_idle_restores(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T k = x; ... x = k;` goes where nothing changes x in between."""
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and isinstance(s.init, ir.Var) and not isinstance(s.symbol.type, Array | Struct)):
            continue
        if s.symbol in exposed or s.init.symbol in exposed:
            continue
        for k in range(i + 1, len(body)):
            r = body[k]
            same = isinstance(r, ir.Assign) and isinstance(r.target, ir.Var) and r.target.symbol is s.init.symbol
            if same and isinstance(r, ir.Assign) and isinstance(r.value, ir.Var) and r.value.symbol is s.symbol:
                rest = (*body[:k], *body[k + 1 :])
                used = any(s.symbol in _mentioned(x) for x in rest if x is not s)
                return _drop_idle_restores(rest if used else tuple(x for x in rest if x is not s), exposed)
            if _assigned((r,), s.init.symbol) or _assigned((r,), s.symbol):
                break
    return body


def _merge_branches(body: ir.Body, kernel: bool) -> ir.Body:
    """`if (c) A; T x; if (c) B;` becomes `T x; if (c) { A B }` where A leaves c alone."""
    for i, s in enumerate(body):
        if not isinstance(s, ir.If) or not _settled_condition(s.cond, kernel):
            continue
        k = i + 1
        while k < len(body) and _idle(body[k]):
            k += 1
        if k == len(body):
            return body
        other = body[k]
        if not isinstance(other, ir.If) or other.cond != s.cond:
            continue
        if any(_assigned((*s.then, *s.orelse), x) for x in variables(s.cond)):
            continue
        moved = tuple(x for x in body[i + 1 : k] if not isinstance(x, ir.Comment))
        if any(x.symbol in _mentioned(s) for x in moved if isinstance(x, ir.Declare)):
            continue
        merged = replace(s, then=(*s.then, *other.then), orelse=(*s.orelse, *other.orelse))
        return _merge_branches((*body[:i], *moved, merged, *body[k + 1 :]), kernel)
    return body


def _idle(s: ir.Stmt) -> bool:
    """A comment, or a declaration that computes nothing."""
    if not isinstance(s, ir.Declare):
        return isinstance(s, ir.Comment)
    return s.init is None or is_zero(s.init) or (isinstance(s.init, ir.Aggregate) and not s.init.elements)


def _settled_condition(cond: ir.Expr, kernel: bool) -> bool:
    """Whether only an assignment to one of its variables could change the condition."""
    for e in walk_expr(cond):
        if isinstance(e, ir.Index | ir.Member):
            root = _root(e)
            if not kernel or root is None or root.storage != "param":
                return False
    return True


def _sink(body: ir.Body) -> ir.Body:
    """A declaration that a single branch uses moves into it."""
    out = list(body)
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and _idle(s)):
            continue
        users = [k for k in range(i + 1, len(out)) if s.symbol in _mentioned(out[k])]
        if len(users) != 1:
            continue
        branch = out[users[0]]
        if not isinstance(branch, ir.If) or s.symbol in set(variables(branch.cond)):
            continue
        in_then = s.symbol in _mentioned_in(branch.then)
        in_else = s.symbol in _mentioned_in(branch.orelse)
        if in_then == in_else:
            continue
        then = (s, *branch.then) if in_then else branch.then
        orelse = (s, *branch.orelse) if in_else else branch.orelse
        out[users[0]] = replace(branch, then=then, orelse=orelse)
        out[i] = ir.Comment("", span=s.span)
    return tuple(s for s in out if not (isinstance(s, ir.Comment) and not s.text))


def _mentioned_in(body: ir.Body) -> set[ir.Symbol]:
    return {x for s in body for x in _mentioned(s)}


def _merge_atomics(body: ir.Body) -> ir.Body:
    """Neighbouring atomic additions to one cell become one."""
    out: list[ir.Stmt] = []
    for s in body:
        last = out[-1] if out else None
        if (
            isinstance(s, ir.Call)
            and isinstance(last, ir.Call)
            and s.function == last.function == "atomicAdd"
            and s.args[0] == last.args[0]
            and s.args[1].type == last.args[1].type
        ):
            out[-1] = replace(last, args=(last.args[0], _sum(last.args[1], s.args[1])))
            continue
        out.append(s)
    return tuple(out)


def _sum(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    if isinstance(b, ir.Unary) and b.op == "-":
        return ir.Binary("-", a, b.operand, a.type, span=a.span)
    return ir.Binary("+", a, b, a.type, span=a.span)


def _branch(s: ir.Stmt) -> ir.Stmt:
    """A branch whose first arm is empty is turned round."""
    if isinstance(s, ir.If) and not s.then and s.orelse:
        cond: ir.Expr = ir.Unary("!", s.cond, s.cond.type, span=s.cond.span)
        if isinstance(s.cond, ir.Unary) and s.cond.op == "!":
            cond = s.cond.operand
        return replace(s, cond=cond, then=s.orelse, orelse=())
    return s


def _join_declarations(body: ir.Body) -> ir.Body:
    """`T x; ... x = e;` becomes `T x = e;`, and `T x = 0; ... x += e;` becomes `T x = e;`."""
    out = list(body)
    for i, s in enumerate(body):
        if not isinstance(s, ir.Declare) or isinstance(s.symbol.type, Array | Struct):
            continue
        if s.init is not None and not is_zero(s.init):
            continue
        k = _next_mention(body, i + 1, s.symbol)
        if k is None:
            continue
        value = _first_value(body[k], s)
        if value is not None:
            out[k] = ir.Declare(s.symbol, convert(value, s.symbol.type), span=body[k].span)
            out[i] = ir.Comment("", span=s.span)
            body = tuple(out)
    return tuple(s for s in out if not (isinstance(s, ir.Comment) and not s.text))


def _join_lists(body: ir.Body) -> ir.Body:
    """`T x[2]; ... x[0] = a; x[1] = b;` becomes `T x[2] = {a, b};`."""
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and s.init is None and isinstance(s.symbol.type, Array)):
            continue
        k = _next_mention(body, i + 1, s.symbol)
        length = s.symbol.type.length
        if k is None or length is None or len(body) < k + length:
            continue
        values = [_element_value(body[k + j], s.symbol, j) for j in range(length)]
        if length and all(v is not None for v in values):
            elements = tuple(v for v in values if v is not None)
            joined = replace(s, init=ir.Aggregate(elements, s.symbol.type, span=body[k].span))
            return _join_lists((*body[:i], *body[i + 1 : k], joined, *body[k + length :]))
    return body


def _element_value(s: ir.Stmt, array: ir.Symbol, position: int) -> ir.Expr | None:
    match s:
        case ir.Assign(target=ir.Index(base=ir.Var(symbol=x), index=ir.Const(value=at)), value=value):
            if x is array and at == position and array not in set(variables(value)):
                return value
    return None


def _first_value(s: ir.Stmt, declaration: ir.Declare) -> ir.Expr | None:
    symbol = declaration.symbol
    match s:
        case ir.Assign(target=ir.Var(symbol=x), value=value) if x is symbol and symbol not in set(variables(value)):
            return value
        case ir.Update(op=op, target=ir.Var(symbol=x), value=value) if x is symbol and declaration.init is not None:
            if symbol in set(variables(value)) or not isinstance(symbol.type, Float):
                return None
            return value if op == "+" else negate(value)
    return None


def _next_mention(body: ir.Body, start: int, symbol: ir.Symbol) -> int | None:
    for k in range(start, len(body)):
        if symbol in _mentioned(body[k]):
            return k
    return None


def _mentioned(s: ir.Stmt) -> set[ir.Symbol]:
    found = set(variables((s,)))
    found.update(x.symbol for x in walk_stmts((s,)) if isinstance(x, ir.Declare))
    found.update(x.slot for x in walk_stmts((s,)) if isinstance(x, ir.Push | ir.Pop))
    return found


def _propagate(body: ir.Body, exposed: frozenset[ir.Symbol]) -> ir.Body:
    """`const T t = x;` is dropped where x keeps its value as long as t is used."""
    for i, s in enumerate(body):
        if not (isinstance(s, ir.Declare) and isinstance(s.init, ir.Var) and s.init.type == s.symbol.type):
            continue
        if s.symbol in exposed or s.init.symbol in exposed:
            continue
        rest = body[i + 1 :]
        if isinstance(s.symbol.type, Array | Struct) or _assigned(rest, s.symbol):
            continue
        last = max((k for k, r in enumerate(rest) if s.symbol in _mentioned(r)), default=-1)
        if _assigned(rest[: last + 1], s.init.symbol):
            continue
        return _propagate((*body[:i], *substitute({s.symbol: s.init}, rest)), exposed)
    return body


def _assigned(body: ir.Body, symbol: ir.Symbol) -> bool:
    for s in walk_stmts(body):
        match s:
            case ir.Assign(target=ir.Var(symbol=x)) | ir.Update(target=ir.Var(symbol=x)) | ir.Pop(place=ir.Var(symbol=x)):
                if x is symbol:
                    return True
            case ir.Declare(symbol=x):
                if x is symbol:
                    return True
            case ir.Call(result=ir.Var(symbol=x)):
                if x is symbol:
                    return True
        for own in own_exprs(s):
            for e in walk_expr(own):
                if isinstance(e, ir.AddressOf) and symbol in set(variables(e.place)):
                    return True
    return False


# --- loops whose iterations may run in any order keep the primal's header -------------------------


def _headers(body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        s = _inside(_headers, s)
        if isinstance(s, ir.For) and s.primal is not None and _order_free(s):
            opening = s.body[0] if s.body else None
            inner = s.body
            index = s.primal.init[0]
            symbol = index.symbol if isinstance(index, ir.Declare) else None
            if isinstance(opening, ir.Declare) and opening.symbol is symbol:
                inner = s.body[1:]
            s = replace(s, init=s.primal.init, cond=s.primal.cond, step=s.primal.step, body=inner, unroll=s.primal.unroll)
        out.append(s)
    return _drop_unused_counts(tuple(out))


def _order_free(loop: ir.For) -> bool:
    """Whether the body only adds to what no part of it reads or replaces."""
    if loop.primal is None or not all(isinstance(s, ir.Declare) for s in loop.primal.init):
        return False
    inside = {s.symbol for s in walk_stmts((loop,)) if isinstance(s, ir.Declare)}
    added: set[ir.Symbol] = set()
    taken: set[ir.Symbol] = set()
    for s in walk_stmts(loop.body):
        match s:
            case ir.Declare() | ir.Comment() | ir.If() | ir.For() | ir.While() | ir.Block():
                pass
            case ir.Update(op="+" | "-", target=target):
                root = _root(target)
                if root is None:
                    return False
                if root not in inside:
                    added.add(root)
            case ir.Assign(target=target):
                root = _root(target)
                if root is None:
                    return False
                if root not in inside:
                    taken.add(root)
            case ir.Call(function="atomicAdd", args=args) if isinstance(args[0], ir.AddressOf):
                root = _root(args[0].place)
                if root is None:
                    return False
                added.add(root)
            case _:
                return False
    reads = _values_read(loop.body)
    if any(isinstance(x.type, Pointer) and x.storage != "param" for x in added | taken | reads):
        return False  # it may reach the same memory as another
    taken |= {root for root in _taken(loop.body) if root is not None}
    return not added & reads and not taken & added and not taken & reads


def _taken(body: ir.Body) -> Iterator[ir.Symbol | None]:
    for s in walk_stmts(body):
        for own in own_exprs(s):
            for e in walk_expr(own):
                if isinstance(e, ir.Intrinsic) and e.name.startswith(TAKE) and isinstance(e.args[0], ir.AddressOf):
                    yield _root(e.args[0].place)


def _values_read(body: ir.Body) -> set[ir.Symbol]:
    """Variables and arrays whose value the body uses, other than to add to it."""
    found: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        for own in own_exprs(s):
            if isinstance(s, ir.Update | ir.Assign) and own is s.target:
                found |= _index_variables(own)
            elif isinstance(s, ir.Call) and s.function == "atomicAdd" and own is s.args[0] and isinstance(own, ir.AddressOf):
                found |= _index_variables(own.place)
            else:
                found |= _reading(own)
    return found


def _reading(expr: ir.Expr) -> set[ir.Symbol]:
    if isinstance(expr, ir.Intrinsic) and expr.name.startswith(TAKE) and isinstance(expr.args[0], ir.AddressOf):
        return _index_variables(expr.args[0].place)
    if isinstance(expr, ir.Var):
        return {expr.symbol}
    found: set[ir.Symbol] = set()
    for child in children(expr):
        found |= _reading(child)
    return found


def _index_variables(place: ir.Expr) -> set[ir.Symbol]:
    match place:
        case ir.Index(base=base, index=index):
            return _reading(index) | _index_variables(base)
        case ir.Member(base=base):
            return _index_variables(base)
        case ir.Binary(left=left, right=right):
            return _index_variables(left) | _reading(right)
    return set()


def _root(place: ir.Expr) -> ir.Symbol | None:
    """The variable through which a place is named; distinct shadows reach distinct memory (see device/pullback)."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Index(base=base) | ir.Member(base=base):
            return _root(base)
        case ir.Binary(op="+" | "-", left=left):
            return _root(left)
    return None


def _drop_unused_counts(body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ir.Declare) and s.symbol.name.startswith("trips") and _next_mention(body, i + 1, s.symbol) is None:
            continue
        out.append(s)
    return tuple(out)


# --- comments and const ----------------------------------------------------------------------------


def _comments(body: ir.Body, last: str | None) -> tuple[ir.Body, str | None]:
    """Without comments that repeat the one before or stand above nothing."""
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ir.Comment):
            follows = body[i + 1] if i + 1 < len(body) else None
            if s.text == last or follows is None or isinstance(follows, ir.Comment):
                continue
            last = s.text
        else:
            for inner in bodies(s):
                _, last = _comments(inner, last)
            seen = last if not bodies(s) else None
            s = _inside(lambda b: _comments(b, None)[0], s)
            last = seen if seen is not None else last
        out.append(s)
    return tuple(out), last


def _constants(body: ir.Body) -> ir.Body:
    """Synthesised variables that are set once are const."""
    candidates = {
        s.symbol: s.symbol
        for s in walk_stmts(body)
        if isinstance(s, ir.Declare) and s.init is not None and not s.symbol.const and isinstance(s.symbol.type, Float)
    }
    in_headers = {d.symbol for s in walk_stmts(body) if isinstance(s, ir.For) for d in s.init if isinstance(d, ir.Declare)}
    declared_once: dict[ir.Symbol, int] = {}
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            declared_once[s.symbol] = declared_once.get(s.symbol, 0) + 1
    fixed: dict[ir.Symbol, ir.Symbol | ir.Expr] = {
        x: replace(x, const=True)
        for x in candidates
        if x not in in_headers and declared_once[x] == 1 and not _reassigned(body, x)
    }
    return substitute(fixed, body)


_NUMBERED = re.compile(r"(seed|stored|taken|trips?|most|iterations|\w+_(?:saved|kept|after))(?:_\d+)$")


def _renumber(body: ir.Body) -> ir.Body:
    """Numbers of synthesised names without the gaps that pruning left."""
    symbols = list(dict.fromkeys(s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare)))
    kept = {s.name for s in symbols if not _NUMBERED.match(s.name)} | {s.name for s in variables(body)} - {
        s.name for s in symbols
    }
    new: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for s in symbols:
        match = _NUMBERED.match(s.name)
        if match is None:
            continue
        n, name = 1, match[1]
        while name in kept:
            n += 1
            name = f"{match[1]}_{n}"
        kept.add(name)
        if name != s.name:
            new[s] = replace(s, name=name)
    return substitute(new, body)


def _reassigned(body: ir.Body, symbol: ir.Symbol) -> bool:
    without = tuple(s for s in walk_stmts(body) if not isinstance(s, ir.Declare))
    return _assigned(tuple(s for s in without if not bodies(s)), symbol) or any(
        isinstance(e, ir.AddressOf) and symbol in set(variables(e.place))
        for s in walk_stmts(body)
        for own in own_exprs(s)
        for e in walk_expr(own)
    )
