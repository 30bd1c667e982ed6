"""What differs between the sets of a batch: variables of the host that each set has for itself.

Memory that the derivative allocates, and that of arguments which differ, has a part for each set; pointers to it lead
to the first, so that they are the same for all.  A number differs if it comes from an argument that does, or from such
memory, or is changed where something else differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hetad.analysis.dataflow import settle
from hetad.host.sets.refusal import OneByOne
from hetad.ir import nodes as ir
from hetad.ir.places import base, exposed, root_symbol, through_pointer
from hetad.ir.types import Float, Pointer, scalar_base
from hetad.ir.visit import bodies, declared, own_exprs, walk_expr, walk_stmts
from hetad.rules import callees, operations

_UNIFORM = (
    operations.was_zero, operations.now, operations.apart, operations.blocks, operations.team, operations.tiling,
    operations.marched,
)  # fmt: skip
# What is given pointers to variables, and leaves them the same for all sets; but for floating numbers on the tape, as
# they may be given back to other variables.
_SAME = (*operations.ALLOCATIONS, operations.tape_allocate, operations.push, operations.pop)


def is_plain(s: ir.Stmt) -> bool:
    """Whether a statement is arithmetic of the host alone."""
    return all(map(_is_plain, walk_stmts((s,))))


def _is_plain(s: ir.Stmt) -> bool:
    if isinstance(s, ir.Call):
        return callees.calls(s, "mathematics") or operations.does(s, operations.require)
    return not isinstance(
        s, ir.Launch | ir.Return | ir.Break | ir.Continue | ir.Opaque | ir.Push | ir.Pop | ir.Goto | ir.Label
    )


class Differing:
    """The variables that differ.  `shared`: pointers to what is the same for all sets, and which nothing writes."""

    def __init__(self, body: ir.Body, given: Collection[ir.Symbol], shared: Collection[ir.Symbol]) -> None:
        self.symbols = set(given)
        self._shared = shared
        settle(self.symbols, lambda: self._mark(body))
        for s in walk_stmts(body):
            self._check(s)

    def statement(self, s: ir.Stmt) -> bool:
        """Whether a plain statement does not do the same for all sets."""
        return any(self._own(each) for each in walk_stmts((s,)))

    def expr(self, e: ir.Expr) -> bool:
        return any(self._node(n) for n in walk_expr(e))

    def _own(self, s: ir.Stmt) -> bool:
        if isinstance(s, ir.Declare) and s.symbol in self.symbols:
            return True
        return any(root_symbol(t) in self.symbols or through_pointer(t) for t in _targets(s)) or any(
            map(self.expr, own_exprs(s))
        )

    def _node(self, e: ir.Expr) -> bool:
        match e:
            case ir.Var(symbol=symbol):
                return symbol in self.symbols
            case ir.Index(base=memory) if isinstance(memory.type, Pointer):
                return base(e) not in self._shared
            case ir.Intrinsic(name=name) if callees.kind(name) == "support" and not operations.gives(e, *_UNIFORM):
                raise OneByOne(f"hetad does not know what '{name}' is for several sets", e.span)
        return False

    def _mark(self, body: ir.Body) -> None:
        for s in body:
            if is_plain(s):
                if self.statement(s):
                    self.symbols.update(_changed(s))
                continue
            if isinstance(s, ir.Call) and not operations.does(s, *_SAME):
                self.symbols.update(exposed((s,)))
            if operations.does(s, operations.push, operations.pop):
                self.symbols.update(
                    x
                    for x in exposed((s,))
                    if not isinstance(x.type, Pointer) and isinstance(scalar_base(x.type), Float)
                )
            for inner in bodies(s):
                self._mark(inner)

    def _check(self, s: ir.Stmt) -> None:
        if not isinstance(s, ir.Call | ir.Launch) and not bodies(s) and exposed((s,)):
            raise OneByOne("the host makes a pointer to a variable", s.span)
        for symbol in _changed(s):
            if symbol in self.symbols and isinstance(symbol.type, Pointer):
                raise OneByOne(f"the pointer '{symbol.name}' differs between the sets", s.span)
            if symbol.storage in ("global", "static", "constant"):
                raise OneByOne(f"'{symbol.name}', which outlives the call, is changed", s.span)


def _targets(s: ir.Stmt) -> Iterator[ir.Place]:
    match s:
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            yield place


def _changed(s: ir.Stmt) -> Iterator[ir.Symbol]:
    """The variables that a statement changes, or declares itself, and that exist beside it."""
    inside = set() if isinstance(s, ir.Declare) else set(declared((s,)))
    for each in walk_stmts((s,)):
        found = [root_symbol(t) for t in _targets(each)]
        if isinstance(each, ir.Declare):
            found.append(each.symbol)
        if isinstance(each, ir.Call) and not operations.does(each, *_SAME):
            found += exposed((each,))
        yield from (x for x in found if x is not None and x not in inside)
