"""Variables of a derivative whose values are kept by the forward sweep and recalled by the reverse sweep.

Each sweep declares them where it needs them.  What is recalled is what was kept, so they are one variable again:

    for (…) { double *record; …; hetad_keep_value(&record, 8); }      double *record;
    for (…) { double *record; hetad_recall_value(&record, 8); … }  →  for (…) { …; hetad_keep_value(&record, 8); }
                                                                      for (…) { hetad_recall_value(&record, 8); … }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hetad.adjoint.components import element_by_element
from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.places import root_symbol
from hetad.ir.types import Float, Pointer, Struct, innermost
from hetad.ir.visit import map_body, substitute, walk_stmts
from hetad.rules import operations, records


def with_kept_variables(f: ir.Function) -> ir.Function:
    """The function, in which what is kept and what is recalled under one name is one variable.

    Raises:
        UnsupportedError: something is recalled that is kept nowhere.
    """
    own = {_key(x): x for _, x in _recorded(f.body, records.keep_value)}
    kept = {key: x if x in f.params else replace(x, const=False) for key, x in own.items()}
    recalled = list(_recorded(f.body, records.recall_value))
    for s, x in recalled:
        if _key(x) not in kept and x not in f.params:
            what = f"a derivative is differentiated once more, and '{x.name}' in it is restored but saved nowhere"
            raise UnsupportedError(what, s.span, "take hetad.hvp of the program itself")
    alike = [x for x in _declared(f.body) if _key(x) in kept]
    if len({_key(x) for x in alike}) == len(alike):
        return f
    others = {x: kept[_key(x)] for x in alike}
    apart = {x: one for x, one in others.items() if x is not one}
    ones = dict.fromkeys(others.values())
    hoisted = [x for x in ones if x not in f.params]
    body = map_body(lambda s: _without_declaration(s, ones), substitute(apart, f.body))
    top = tuple(ir.Declare(x, None, span=x.span) for x in hoisted)
    return replace(f, body=(*top, *body))


def _recorded(body: Iterable[ir.Stmt], operation: operations.Act) -> Iterator[tuple[ir.Call, ir.Symbol]]:
    """The calls that keep, or recall, variables with derivatives or pointers to memory that has some."""
    for s in walk_stmts(body):
        x = _variable(s) if operations.does(s, operation) else None
        if isinstance(s, ir.Call) and x is not None and isinstance(innermost(x.type), Float | Pointer | Struct):
            yield s, x


def _variable(s: ir.Call) -> ir.Symbol | None:
    pointer = bare(s.args[0])
    place = pointer if isinstance(pointer, ir.Var) else out_place(pointer)
    return root_symbol(place) if place is not None else None


def _declared(body: ir.Body) -> Iterator[ir.Symbol]:
    return (s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare))


def _key(x: ir.Symbol) -> tuple[str, object]:
    return x.name, x.type


def _without_declaration(s: ir.Stmt, ones: Iterable[ir.Symbol]) -> ir.Stmt | ir.Body | None:
    if not isinstance(s, ir.Declare) or s.symbol not in ones:
        return s
    place = ir.Var(s.symbol, span=s.span)
    if isinstance(s.init, ir.Aggregate):
        return tuple(element_by_element(place, s.init, s.span))
    return None if s.init is None else ir.Assign(place, s.init, span=s.span)
