"""Places and the variables behind them: which a body writes or changes, and of which it makes pointers; the cells that
a statement reads."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.types import Array, Float, Int, Pointer
from hetad.ir.visit import children, collected, own_exprs, walk_expr, walk_stmts


def root_symbol(place: ir.Expr) -> ir.Symbol | None:
    """The variable whose own storage `place` is part of; None when it is reached through a pointer."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Member(base=base):
            return root_symbol(base)
        case ir.Index(base=base) if isinstance(base.type, Array):
            return root_symbol(base)
    return None


def through_pointer(place: ir.Expr) -> bool:
    """Whether `place` is reached through a pointer."""
    match place:
        case ir.Index(base=base):
            return isinstance(base.type, Pointer) or through_pointer(base)
        case ir.Member(base=base):
            return through_pointer(base)
    return False


def members(place: ir.Expr) -> tuple[ir.Expr, tuple[str, ...]]:
    """What `place` is a member of, and the names that lead from there to it."""
    path: list[str] = []
    while isinstance(place, ir.Member):
        path.append(place.name)
        place = place.base
    return place, tuple(reversed(path))


def base(place: ir.Expr) -> ir.Symbol | None:
    """The variable that `place` is part of, or by whose pointer it is reached."""
    while isinstance(place, ir.Index | ir.Member):
        place = place.base
    return place.symbol if isinstance(place, ir.Var) else None


def subscripts(place: ir.Expr) -> list[ir.Expr]:
    """On the way to a place, that of the outermost array first."""
    found: list[ir.Expr] = []
    while isinstance(place, ir.Index | ir.Member):
        if isinstance(place, ir.Index):
            found.append(place.index)
        place = place.base
    return found[::-1]


def is_fixed(place: ir.Expr) -> bool:
    """Whether `place` is the same one wherever it is named."""
    match place:
        case ir.Var():
            return True
        case ir.Member(base=base):
            return is_fixed(base)
        case ir.Index(base=base, index=ir.Const()):
            return isinstance(base.type, Array) and is_fixed(base)
    return False


def is_dynamic(symbol: ir.Symbol) -> bool:
    """Whether a variable is `extern __shared__ T x[]`."""
    return symbol.storage == "shared" and isinstance(symbol.type, Array) and symbol.type.length is None


def reached_by(place: ir.Expr) -> ir.Symbol | None:
    """The variable by which a place, or what a pointer points to, is reached."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Index(base=base) | ir.Member(base=base) | ir.Binary(left=base) | ir.Cast(operand=base):
            return reached_by(base)
        case ir.AddressOf(place=inner):
            return reached_by(inner)
    return None


def chosen_by(place: ir.Place) -> tuple[ir.Expr, ...]:
    """What tells which cell a place is, but for the variable that it is reached by."""
    match place:
        case ir.Index(base=ir.Index() | ir.Member() | ir.Var() as base, index=index):
            return (*chosen_by(base), index)
        case ir.Index(base=base, index=index):
            return (base, index)
        case ir.Member(base=ir.Index() | ir.Member() as base):
            return chosen_by(base)
    return ()


def written(body: ir.Body) -> set[ir.Symbol]:
    """The variables that statements of a body assign to, wholly or in part."""
    return {symbol for s in body for symbol in _written_by(s)}


def changed_in(body: ir.Body) -> dict[ir.Symbol, None]:
    """The variables that a body writes or declares, or hands to a call that may write them."""
    return {symbol: None for s in body for symbol in _changed_in(s)}


def changes(body: ir.Body) -> Iterator[ir.Symbol]:
    """The same, as often as there are statements that do so."""
    return (symbol for s in walk_stmts(body) for symbol in changed_by(s))


def changed_by(s: ir.Stmt) -> list[ir.Symbol]:
    """The same, of a statement itself."""
    if isinstance(s, ir.Declare):
        return [s.symbol]
    args = s.args if isinstance(s, ir.Call) else ()
    handed = (a.place if isinstance(a, ir.AddressOf) else a if isinstance(a.type, Array) else None for a in args)
    roots = [root_symbol(a) for a in handed if a is not None]
    return [*(x for x in roots if x is not None), *_assigned(s)]


def _assigned(s: ir.Stmt) -> list[ir.Symbol]:
    match s:
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            root = root_symbol(place)
            return [root] if root is not None else []
    return []


_written_by = collected(_assigned)
_changed_in = collected(changed_by)


def changes_only(s: ir.Stmt, symbols: set[ir.Symbol]) -> bool:
    """Whether the statement does nothing but change a variable of these, and reads no memory."""
    if not isinstance(s, ir.Assign | ir.Update) or not isinstance(s.target, ir.Var) or s.target.symbol not in symbols:
        return False
    return all(
        isinstance(e, ir.Var | ir.Const | ir.Unary | ir.Binary | ir.Cast | ir.Select) for e in walk_expr(s.value)
    )


def exposed(body: ir.Body) -> set[ir.Symbol]:
    """The variables to which, or to a part of which, a body makes a pointer: by `&`, or as arrays decay."""
    return {symbol for s in body for symbol in _exposed_in(s)}


def pointed_to(body: ir.Body) -> set[ir.Symbol]:
    """Those to which it keeps a pointer in a variable: any store through one may change them.  Calls keep none that
    they are given, but may return one."""
    return {symbol for s in body for symbol in _pointed_to_in(s)}


def _find_exposed(s: ir.Stmt) -> list[ir.Symbol]:
    found: list[ir.Symbol | None] = []
    waiting = list(own_exprs(s)[::-1])
    while waiting:
        e = waiting.pop()
        if isinstance(e, ir.AddressOf):
            found.append(root_symbol(e.place))
        elif isinstance(e, ir.Var | ir.Member | ir.Index) and isinstance(e.type, Array):
            found.append(root_symbol(e))
        waiting += _parts(e)[::-1]
    return [symbol for symbol in found if symbol is not None]


exposed_by: Fact[ir.Stmt, list[ir.Symbol]] = lasting(_find_exposed)  # by the statement itself


def _parts(e: ir.Expr) -> list[ir.Expr]:
    """The children of an expression; of an element, those of the array, which does not decay where it is indexed."""
    indices: list[ir.Expr] = []
    while isinstance(e, ir.Index) and isinstance(e.base.type, Array):
        indices.append(e.index)
        e = e.base
    return [*indices, *children(e)]


def keeps_pointer(s: ir.Stmt) -> bool:
    """Whether a variable may point, after the statement, to what it mentions."""
    match s:
        case ir.Declare(symbol=kept) | ir.Assign(target=kept) | ir.Call(result=kept) if kept is not None:
            return not isinstance(kept.type, Int | Float)
    return False


_exposed_in = collected(exposed_by)
_pointed_to_in = collected(lambda s: exposed_by(s) if keeps_pointer(s) else ())


def constants(body: ir.Body) -> dict[ir.Symbol, ir.Expr]:
    """What variables are declared with that keep it: a body neither assigns to them nor makes pointers to them."""
    changed = written(body) | exposed(body)
    declared = (s for s in walk_stmts(body) if isinstance(s, ir.Declare) and s.symbol not in changed)
    return {s.symbol: s.init for s in declared if s.init is not None}


def cells_read(s: ir.Stmt) -> Iterator[ir.Expr]:
    """The cells whose value a statement needs."""
    for own in own_exprs(s):
        if (isinstance(s, ir.Assign) and own is s.target) or (isinstance(s, ir.Call) and own is s.result):
            yield from _on_the_way(own)
        else:
            yield from cells_of(own)


def cells_of(expr: ir.Expr) -> Iterator[ir.Expr]:
    """The cells, and the variables, whose value an expression needs."""
    waiting = [expr]  # sums may be long
    while waiting:
        match waiting.pop():
            case (ir.Index() | ir.Member() | ir.Var()) as e:
                if not isinstance(e.type, Array):
                    yield e
                yield from _on_the_way(e)
            case ir.AddressOf(place=place):
                yield from _on_the_way(place)
            case other:
                waiting += children(other)[::-1]


def _on_the_way(place: ir.Expr) -> Iterator[ir.Expr]:
    """The cells that must be read to know where the place is."""
    match place:
        case ir.Index(base=base, index=index):
            yield from cells_of(index)
            yield from cells_of(base) if isinstance(base.type, Pointer) else _on_the_way(base)
        case ir.Member(base=base):
            yield from _on_the_way(base)
        case ir.Var():
            return
        case _:
            yield from cells_of(place)
