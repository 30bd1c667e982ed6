"""Names of a function's variables.  Symbols are identities; where code is printed, a name must mean one of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.visit import bodies, substitute, variables, walk_exprs, walk_stmts


def fresh(name: str, taken: Collection[str]) -> str:
    """`name`, with a number if it is taken."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}_{n}"
    return candidate


def called(body: ir.Body) -> dict[str, None]:
    """The names that a body calls, launches or uses as intrinsics, in order."""
    names: dict[str, None] = {}
    for statement in walk_stmts(body):
        if isinstance(statement, ir.Call):
            names[statement.function] = None
        elif isinstance(statement, ir.Launch):
            names[statement.kernel] = None
    for expr in walk_exprs(body):
        if isinstance(expr, ir.Intrinsic):
            names[expr.name] = None
        elif isinstance(expr, ir.CallExpr):
            names[expr.function] = None
    return names


def reached(functions: Mapping[str, ir.Function], first: Iterable[str]) -> set[str]:
    """The functions that these call, and those call in turn, and they themselves."""
    found: set[str] = set()
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [n for n in called(functions[name].body) if n in functions]
    return found


class LocalNames:
    """Names for the symbols that a body declares.  One that would hide another, or one of the names `outer`, gets a
    number; `spelled` says how a name is written."""

    def __init__(self, outer: Collection[str], spelled: Callable[[str], str] = str) -> None:
        self.table: dict[ir.Symbol, str] = {}
        self._outer = set(outer)
        self._spelled = spelled

    def parameters(self, params: Iterable[ir.Symbol]) -> None:
        for symbol in params:
            self._declare(symbol, self._outer)

    def given(self, names: Mapping[ir.Symbol, str]) -> None:
        """Parameters that have names already."""
        self.table.update(names)
        self._outer.update(names.values())

    def body(self, body: ir.Body) -> None:
        self._walk(body, set(self._outer))

    def _declare(self, symbol: ir.Symbol, visible: set[str]) -> None:
        if symbol not in self.table:
            self.table[symbol] = fresh(self._spelled(symbol.name), visible)
        visible.add(self.table[symbol])

    def _walk(self, body: ir.Body, visible: set[str]) -> None:
        for statement in body:
            match statement:
                case ir.Declare(symbol=symbol):
                    self._declare(symbol, visible)
                case ir.For(init=init, body=inner):
                    scope = set(visible)
                    self._walk(init, scope)
                    self._walk(inner, scope)
                case _:
                    for nested in bodies(statement):
                        self._walk(nested, set(visible))


def with_one_meaning(function: ir.Function) -> ir.Function:
    """The function with a number where a variable would hide another one, a variable at file scope that is used there,
    or a function that is called there; parameters keep their names."""
    params, sweep = function.params, function.sweep
    if sweep is not None:
        body, alone = _distinct(params, sweep.body), None if sweep.alone is None else _distinct(params, sweep.alone)
        if body is not sweep.body or alone is not sweep.alone:
            sweep = replace(sweep, body=body, alone=alone)
    body = _distinct(params, function.body)
    same = body is function.body and sweep is function.sweep
    return function if same else replace(function, body=body, sweep=sweep)


def _distinct(params: Iterable[ir.Symbol], body: ir.Body) -> ir.Body:
    outer = set(called(body))
    outer.update(x.name for x in variables(body) if x.storage in ("global", "constant"))
    names = LocalNames(outer)
    names.given({p: p.name for p in params})
    names.body(body)
    renamed = {x: replace(x, name=name) for x, name in names.table.items() if name != x.name}
    return substitute(renamed, body) if renamed else body
