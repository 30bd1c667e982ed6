"""`goto`: forward jumps to labels of the function's outermost block, as in `goto cleanup;`, become structured.

Other jumps are refused: into a loop or a branch, or backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hetad.diagnostics import SyntaxProblem, UnsupportedError
from hetad.frontend.normalize.names import rename
from hetad.frontend.normalize.structure import flat, structure
from hetad.ir.build import Names
from hetad.ir.nodes import Aggregate, Assign, Body, Declare, Function, Goto, Label, Return, Stmt, Symbol, Var
from hetad.ir.visit import variables, walk_stmts


def without_gotos(function: Function) -> Function:
    """The function with gotos made structured; as it is when it has none."""
    if not any(isinstance(s, Goto | Label) for s in walk_stmts(function.body)):
        return function
    names = Names((), first=1)
    function = rename(function, names)
    body = flat(function.body)
    _check(body)
    return structure(replace(function, body=_declared_before(body)), names)


def _check(body: Body) -> None:
    labels: dict[str, int] = {}
    for i, stmt in enumerate(body):
        if isinstance(stmt, Label):
            if stmt.name in labels:
                raise SyntaxProblem(f"the label '{stmt.name}' is defined twice", stmt.span)
            labels[stmt.name] = i
        for inner in walk_stmts((stmt,)):
            if isinstance(inner, Label) and inner is not stmt:
                raise UnsupportedError(
                    f"hetad does not support the label '{inner.name}' inside another statement",
                    inner.span,
                    "put it in the outermost block of the function, or use a loop with break, or a flag",
                )
    for i, goto in _gotos(body):
        if goto.label not in labels:
            raise SyntaxProblem(f"there is no label '{goto.label}'", goto.span)
        if labels[goto.label] < i:
            raise UnsupportedError(
                "hetad does not support a goto that jumps back", goto.span, "write it as a loop: while or do"
            )


def _gotos(body: Body) -> Iterator[tuple[int, Goto]]:
    for i, stmt in enumerate(body):
        for inner in walk_stmts((stmt,)):
            if isinstance(inner, Goto):
                yield i, inner


def _declared_before(body: Body) -> Body:
    """Variables that a goto or a return passes over, and that are used behind a label after it, are declared first."""
    leaving = (i for i, stmt in enumerate(body) if any(isinstance(s, Goto | Return) for s in walk_stmts((stmt,))))
    first = next(leaving, len(body))
    label = 0
    lead: list[Stmt] = []
    out: list[Stmt] = []
    for i, stmt in enumerate(body):
        label = next((j for j in range(max(i, label), len(body)) if isinstance(body[j], Label)), len(body))
        if not (i > first and isinstance(stmt, Declare) and _used(stmt.symbol, body[label:])):
            out.append(stmt)
            continue
        lead.append(replace(stmt, init=None))
        if isinstance(stmt.init, Aggregate):
            raise UnsupportedError(
                f"a goto or return may jump over the initialisation of '{stmt.symbol.name}'",
                stmt.span,
                "declare it before the first of them",
            )
        if stmt.init is not None:
            out.append(Assign(Var(stmt.symbol, span=stmt.span), stmt.init, span=stmt.span))
    return (*lead, *out)


def _used(symbol: Symbol, body: Body) -> bool:
    return symbol in set(variables(body))
