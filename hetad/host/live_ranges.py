"""Pointer variables split by what they are used for.

Which memory a pointer reaches is asked of a variable, wherever it is mentioned (`analysis/pointers.py`).  So a variable
that leads to the host first and to the device later would lead to both everywhere.  Here each web gets a variable of
its own, and a pointer that nobody reads before it is replaced, as in a struct copied from the host whose pointers
are then allocated anew on the device, is not set at all.
Where a struct is passed on as a whole its fields stay in it.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.pointer_expressions import null_only
from hetad.analysis.webs import Cell, Web, Webs, place_of, targets, webs
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.identity import Identity, IdentityMap
from hetad.ir.types import Struct, Type
from hetad.ir.visit import declared, map_bodies, map_body, map_children, map_own_exprs
from hetad.passes.task import entry_pass


@entry_pass("split-live-ranges")
def with_live_ranges(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined and structs assigned field by field, with a variable for each web of its
    pointers."""
    # A new object for each statement: the webs tell them apart by their ids.
    function = replace(function, body=map_body(_copied, function.body))
    found = webs(function)
    if all(len(each) == 1 for each in found.webs.values()):
        return function
    return _Split(function, found).result()


def _copied(s: ir.Stmt) -> ir.Stmt:
    return replace(s)


class _Split:
    def __init__(self, function: ir.Function, found: Webs) -> None:
        self.function = function
        self.found = found
        names = Names({x.name for x in (*function.params, *declared(function.body))})
        self.dead: set[Web] = set()
        self.own: dict[Web, ir.Symbol] = {}
        for cell, each in found.webs.items():
            self._choose(cell, each, names)

    def _choose(self, cell: Cell, each: list[Web], names: Names) -> None:
        """One web keeps the name, and all of those have to that are part of a whole."""
        live = [w for w in each if w.used]
        self.dead.update(w for w in each if not w.used)
        if not any(w.whole or w.on_entry for w in live):
            live = live[1:]
        for web in live:
            if not (web.whole or web.on_entry):
                symbol, path = cell
                self.own[web] = names.symbol("_".join((symbol.name, *path)), _type(cell), symbol.span)

    def result(self) -> ir.Function:
        top = (d for p in self.function.params for d in self._declared(p))
        return replace(self.function, body=(*top, *self._block(self.function.body)))

    def _declared(self, symbol: ir.Symbol) -> list[ir.Stmt]:
        return [ir.Declare(own, None, span=own.span) for web, own in self.own.items() if web.cell[0] is symbol]

    def _block(self, body: ir.Body) -> ir.Body:
        return tuple(new for s in body for new in self._statement(s))

    def _statement(self, s: ir.Stmt) -> list[ir.Stmt]:
        set_here = IdentityMap[ir.Expr, Web | None]((place, self._web_of(s, place)) for place in targets(s))
        new = map_own_exprs(lambda e: self._renamed(e, s, set_here), map_bodies(self._block, s))
        match s, new:
            case ir.Declare(symbol=symbol), ir.Declare(init=init):
                web = self.found.defined.get((Identity(s), (symbol, ())))
                if init is not None and self._is_dead(web, init):
                    new = replace(new, init=None)
                if init is not None and web in self.own:
                    given = ir.Assign(ir.Var(self.own[web], span=s.span), init, span=s.span)
                    return [replace(new, init=None), *self._declared(symbol), given]
                return [new, *self._declared(symbol)]
            case ir.Assign(target=target), ir.Assign(value=value) if self._is_dead(set_here[target], value):
                return []
        return [new]

    def _web_of(self, s: ir.Stmt, place: ir.Place) -> Web | None:
        at = place_of(place)
        return self.found.defined.get((Identity(s), at)) if at is not None else None

    def _is_dead(self, web: Web | None, value: ir.Expr) -> bool:
        """Whether nobody reads what is set.  A null pointer may stay: it leads nowhere."""
        return web in self.dead and not null_only(value, set())

    def _renamed(self, e: ir.Expr, within: ir.Stmt, set_here: IdentityMap[ir.Expr, Web | None]) -> ir.Expr:
        at = place_of(e)
        if at is None:
            return map_children(lambda child: self._renamed(child, within, set_here), e)
        web = set_here[e] if e in set_here else self.found.seen(within, at)
        return ir.Var(self.own[web], span=e.span) if web in self.own else e


def _type(cell: Cell) -> Type:
    symbol, path = cell
    type_ = symbol.type
    for name in path:
        assert isinstance(type_, Struct)
        type_ = next(f.type for f in type_.fields if f.name == name)
    return type_
