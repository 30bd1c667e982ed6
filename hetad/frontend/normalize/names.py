"""One name, one local variable: what is shadowed or reused gets a number."""

from __future__ import annotations

from dataclasses import replace

from hetad.ir.build import Names
from hetad.ir.nodes import Body, Declare, For, Function, Opaque, Stmt, Symbol
from hetad.ir.visit import declared, map_bodies, substitute, with_bodies


def rename(function: Function, names: Names) -> Function:
    """The function with unique local names; parameters and first comers keep theirs.

    A variable that is declared again where its scope has ended is another one from then on.
    """
    function = replace(function, body=_declared_once(function.body))
    symbols = [*function.params, *declared(function.body)]
    plain = {s.name for s in symbols}
    renamed: dict[Symbol, Symbol] = {}
    seen: set[str] = set()
    for symbol in symbols:
        if symbol.name not in seen:
            seen.add(symbol.name)
            # A parameter is known by its name, even where it hides a function.
            name = symbol.name if symbol in function.params else names.fresh(symbol.name)
        else:
            name = names.numbered(symbol.name, avoid=plain)  # the user's own i_1 comes first
        if name != symbol.name:
            renamed[symbol] = replace(symbol, name=name)
    if not renamed:
        return function
    params = tuple(renamed.get(p, p) for p in function.params)
    return replace(function, params=params, body=substitute(renamed, function.body))


def _declared_once(body: Body) -> Body:
    """The body with a symbol of its own for each declaration."""
    symbols = list(declared(body))
    return _apart(body, set()) if len(set(symbols)) < len(symbols) else body


def _apart(body: Body, seen: set[Symbol]) -> Body:
    """`seen`: the symbols that are declared further up, in scopes that have ended."""

    def inner(nested: Body) -> Body:
        return _apart(nested, seen)

    done: list[Stmt] = []
    rest = body
    while rest:
        again = {x: replace(x) for x in _declares(rest[0]) if x in seen}
        if again:
            within = 1 if isinstance(rest[0], For) else len(rest)
            rest = (*substitute(again, rest[:within]), *rest[within:])
        first, rest = rest[0], rest[1:]
        seen.update(_declares(first))
        if isinstance(first, For):
            done.append(with_bodies(first, body=inner(first.body)))
        else:
            done.append(map_bodies(inner, first))
    return tuple(done)


def _declares(s: Stmt) -> list[Symbol]:
    """What a statement declares; a loop, in its head."""
    if isinstance(s, For):
        return [x.symbol for x in s.init if isinstance(x, Declare)]
    return [s.symbol] if isinstance(s, Declare) else list(s.declares) if isinstance(s, Opaque) else []
