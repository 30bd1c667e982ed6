"""Numbers in memory that tell how many share other memory, where the text alone tells what they are.

Views of Kokkos count their owners so: each copy adds one, each end of a copy takes one away, and whoever comes to zero
frees.  Where all of that is known, the branches are as they will be, and memory that nobody reads any more is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hetad.analysis.counts import Counts
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import allocated, freed
from hetad.analysis.pointer_expressions import holds_pointer, pointers_within
from hetad.analysis.pointers import Location, points_to
from hetad.host.derivation import Derivation, summaries
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import integer, zero
from hetad.ir.types import Int, Pointer, Struct
from hetad.ir.visit import map_bodies, map_body, own_exprs, walk_expr, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import with_function


@program_pass("known-counts")
def with_known_counts(derivation: Derivation) -> Derivation:
    """Branches that ask for a number in memory of the function's own are taken or not, where it is known; memory that
    nobody reads then is gone."""
    function = derivation.function
    if not any(_keeps_number(s) for s in walk_stmts(function.body)):
        return derivation
    effects = Effects(points_to(function), summaries(derivation))
    body = _Folded(Counts(function, effects)).body(function.body)
    if body is function.body:
        return derivation
    body = _Unread(body, effects, derivation.kernels).gone(body)
    return with_function(derivation, replace(function, body=body))


def _keeps_number(s: ir.Stmt) -> bool:
    """Whether a statement allocates memory for whole numbers on the host."""
    place = allocated(s) if isinstance(s, ir.Call) and s.function == "malloc" else None
    return place is not None and isinstance(place.type, Pointer) and isinstance(place.type.to, Int)


class _Folded:
    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def body(self, body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            out += self._statement(s)
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else tuple(out)

    def _statement(self, s: ir.Stmt) -> ir.Body:
        if isinstance(s, ir.If) and (taken := self._counts.outcomes.get(s)) is not None:
            return self.body(s.then if taken else s.orelse)
        if isinstance(s, ir.Declare | ir.Assign) and (known := self._counts.numbers.get(s)) is not None:
            return (self._with(s, known),)
        return (map_bodies(self.body, s),)

    @staticmethod
    def _with(s: ir.Declare | ir.Assign, number: int) -> ir.Stmt:
        """The number itself in the place of what reads memory, or asks for where it is."""
        value = s.init if isinstance(s, ir.Declare) else s.value
        assert value is not None
        if not any(isinstance(e.type, Pointer) for e in walk_expr(value)):
            return s
        literal = integer(number, value.span, value.type)
        return replace(s, init=literal) if isinstance(s, ir.Declare) else replace(s, value=literal)


class _Unread:
    """Memory for numbers that is only allocated, stored to, and freed: its pointers may be null."""

    def __init__(self, body: ir.Body, effects: Effects, kernels: dict[str, ir.Function]) -> None:
        self._effects, self._pointers = effects, effects.pointers
        self._compares = {name: any(map(_compares, walk_exprs(k.body))) for name, k in kernels.items()}
        roots = self._pointers.heap_roots
        statements = list(walk_stmts(body))
        self.roots: set[Location] = {roots[s] for s in statements if _keeps_number(s) and s in roots}
        before = -1
        while before != len(self.roots):
            before = len(self.roots)
            for s in statements:
                self.roots.difference_update(tuple(self._needed(s)))

    def gone(self, body: ir.Body) -> ir.Body:
        """The body without it."""

        def without(s: ir.Stmt) -> ir.Stmt | None:
            if _keeps_number(s) and self._pointers.heap_roots.get(s) in self.roots:
                assert isinstance(s, ir.Call) and s.result is not None
                return ir.Assign(s.result, zero(s.result.type, s.span), span=s.span)
            return None if self._is_idle(s) else s

        return map_body(without, body) if self.roots else body

    def _touched(self, s: ir.Stmt) -> tuple[Location, ...]:
        """Where a statement stores a number, or what it frees."""
        if isinstance(s, ir.Assign | ir.Update) and isinstance(s.target, ir.Index) and isinstance(s.target.type, Int):
            return self._pointers.storage(s.target)
        pointer = freed(s)
        return self._pointers.targets(pointer) if pointer is not None else ()

    def _is_idle(self, s: ir.Stmt) -> bool:
        touched = self._touched(s)
        return bool(touched) and self.roots.issuperset(touched)

    def _needed(self, s: ir.Stmt) -> Iterable[Location]:
        """The memory that a statement needs: it reads it, hands on where it is, or asks for that."""
        if _keeps_number(s):
            return ()
        if touched := self._touched(s):
            value = (s.value,) if isinstance(s, ir.Assign | ir.Update) else ()
            read = (x for e in value for x in self._effects.loads(e))
            return (*read, *self._led_to(value), *(() if self.roots.issuperset(touched) else touched))
        if isinstance(s, ir.Launch):
            given = (t for a in s.args for p in pointers_within(a) for t in self._pointers.targets(p))
            direct = (t for a in s.args for t in self._led_to((a,)))
            asked = (*given, *direct) if self._compares.get(s.kernel, True) else ()
            return (*self._effects.reads(s), *self._effects.writes(s), *asked)
        return (*self._effects.reads(s), *self._handed_on(s))

    def _handed_on(self, s: ir.Stmt) -> Iterator[Location]:
        """What a statement says about where memory is, but for copies of pointers among variables of the function."""
        if isinstance(s, ir.Declare | ir.Assign) and _only_copies(s):
            storage = self._pointers.storage(s.target) if isinstance(s, ir.Assign) else (s.symbol,)
            if all(isinstance(x, ir.Symbol) and x.storage == "local" for x in storage):
                return
        if isinstance(s, ir.Call) and allocated(s) is not None:
            yield from (t for a in s.args for t in self._pointers.targets(bare(a)))
            return
        yield from self._led_to(own_exprs(s))

    def _led_to(self, exprs: Iterable[ir.Expr]) -> Iterator[Location]:
        for whole in exprs:
            if isinstance(whole.type, Pointer | Struct):
                yield from self._effects.given(whole)
            for e in walk_expr(whole):
                if isinstance(e.type, Pointer):
                    yield from self._pointers.targets(e)


def _only_copies(s: ir.Declare | ir.Assign) -> bool:
    value = s.init if isinstance(s, ir.Declare) else s.value
    if value is None or not holds_pointer(value.type):
        return value is None
    return all(isinstance(e, ir.Var | ir.Member | ir.Cast | ir.Aggregate | ir.Const) for e in walk_expr(value))


def _compares(e: ir.Expr) -> bool:
    """Whether an expression asks for where something is."""
    match e:
        case ir.Binary(left=left, right=right, type=Int()):
            return isinstance(left.type, Pointer) or isinstance(right.type, Pointer)
        case ir.Unary(operand=operand) | ir.Cast(operand=operand, type=Int()) | ir.Select(cond=operand):
            return isinstance(operand.type, Pointer)
    return False
