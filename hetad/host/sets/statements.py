"""The host function of a derivative for all sets of a batch at once, statement by statement.

What is the same for all sets stays.  Memory is allocated for all of them, launches and memory operations work for all,
and arithmetic of the host that differs runs in a loop over the sets (`runs.py`), in which a variable that differs is
one of the set's own: it lies in memory of the host that has a part for each.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from dataclasses import replace

from hetad.diagnostics import Span
from hetad.host.sets.kernels import Widened, grid_of_sets
from hetad.host.sets.refusal import OneByOne
from hetad.host.sets.runs import Runs, loop_over_sets, without_declarations
from hetad.host.sets.variables import Differing
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, binary, convert, integer, is_var, var
from hetad.ir.places import base, root_symbol
from hetad.ir.types import INT, LLONG, SIZE_T, STRING, UINT, Array, Float, Pointer, of_value, size_of
from hetad.ir.visit import map_bodies, map_expr, own_exprs, substituted, walk_expr
from hetad.memops.table import TABLE
from hetad.rules import operations as op

# What does for all sets what it does for one, given pointers to the first.
_SAME = (
    op.forward_done, op.launched, op.primal_launched, op.require, op.require_disjoint, op.require_space, op.release,
    op.retire, op.revive, op.revive_zeros, op.freed, op.save, op.save_reached, op.restore, op.renamed, op.added,
    op.added_anywhere, op.site,
)  # fmt: skip
_INSTEAD = {
    op.clear: op.clear_sets, op.copy_pullback: op.copy_pullback_sets, op.read_scalar: op.read_scalars,
    op.save_part: op.save_sets, op.restore_part: op.restore_sets, op.rename_part: op.rename_sets,
    op.rename: op.rename_all, op.tape_allocate: op.tape_allocate_sets, op.cleared: op.cleared_sets,
}  # fmt: skip
_LIMITS = {"x": 2**31 - 1, "y": 65535, "z": 65535}  # blocks along an axis


class Text:
    """Rewrites a body.  `own`: for variables that differ, pointers to what each set has, which come to be more;
    `given`: those of parameters, which nothing changes."""

    def __init__(
        self, names: Names, span: Span, differing: Differing, sets: ir.Symbol, own: Mapping[ir.Symbol, ir.Symbol],
        shared: Collection[ir.Symbol], kernels: Mapping[str, Widened],
    ) -> None:  # fmt: skip
        self.names, self.span, self.differing, self.sets = names, span, differing, sets
        self.given, self.own = dict(own), dict(own)
        self.shared, self.kernels = shared, kernels
        self.values: ir.Symbol | None = None  # where what the function returns goes
        self._opening: list[ir.Stmt] = []
        self._there: dict[ir.Symbol, ir.Symbol] = {}  # on the device

    def body(self, body: ir.Body) -> tuple[ir.Body, ir.Body]:
        """What makes variables of the sets, and the body."""
        self._runs = Runs(body, self.differing)
        for symbol in self._runs.beyond:
            if symbol not in self.own:
                self.own[symbol] = self.each(symbol.name, symbol.type)
        written = self._body(self._runs.body)
        return tuple(self._opening), written

    def each(self, name: str, type_: object) -> ir.Symbol:
        """A pointer to a value for each set."""
        pointer = self.names.symbol(f"{name}_sets", Pointer(of_value(type_)), self.span)  # type: ignore[arg-type]
        size = op.of_sets(integer(size_of(type_), self.span, SIZE_T), span=self.span)  # type: ignore[arg-type]
        self._opening.append(ir.Declare(pointer, None, span=self.span))
        self._opening.append(op.host_malloc(size, result=var(pointer), span=self.span))
        return pointer

    def loop(self, body: ir.Body) -> ir.Stmt:
        return loop_over_sets(body, self.sets, self.own, self.shared, self.names)

    def _body(self, body: ir.Body) -> ir.Body:
        return tuple(made for s in body for made in self._statement(s))

    def _statement(self, s: ir.Stmt) -> Iterator[ir.Stmt]:
        match s:
            case ir.Block(body=run) if s in self._runs:
                if made := without_declarations(run, self.own):
                    yield self.loop(made)
            case ir.Launch():
                yield from self._launch(s)
            case ir.Return(value=value):
                if value is not None:
                    assert self.values is not None
                    yield self.loop((ir.Assign(self._result(value), value, span=s.span),))
            case ir.Call():
                yield self._call(s)
            case ir.Push() | ir.Pop() | ir.Opaque():
                raise OneByOne("hetad does not know what this is for several sets", s.span)
            case _:
                yield map_bodies(self._body, s)

    def _result(self, value: ir.Expr) -> ir.Place:
        """Where the value of a set goes."""
        symbol = self.values
        assert symbol is not None
        place = self.names.symbol("value", value.type, self.span)
        self.own[place] = symbol
        return var(place)

    # --- launches ------------------------------------------------------------------------------------

    def _launch(self, s: ir.Launch) -> Iterator[ir.Stmt]:
        made = self.kernels[s.kernel]
        for e in own_exprs(replace(s, args=())):
            self._alike(e)
        args: list[ir.Expr] = [*s.args]
        for i in made.values:
            args[i] = yield from self._uploads(s.args[i], s.span)
        sets, grid = convert(var(self.sets), UINT), s.grid
        if made.folded:
            blocks = grid_of_sets(grid, made, integer(1, s.span, UINT))
            assert isinstance(blocks, ir.Aggregate)
            number = blocks.elements["xyz".index(made.axis)]
            most = binary("/", integer(_LIMITS[made.axis], s.span, UINT), sets)
            text = '"a grid is too large for all sets of a batch at once: ask for fewer sets"'
            yield op.require(binary("<=", number, most), _string(text, s.span), span=s.span)
            args.append(number)
        for i in made.pointers:
            args[i] = self._pointer(args[i])
            args.append(self._apart(args[i]))
        yield replace(s, grid=grid_of_sets(grid, made, sets), args=tuple(args))

    def _uploads(self, e: ir.Expr, span: Span) -> Generator[ir.Stmt, None, ir.Expr]:
        """The value that each set has, on the device."""
        symbol = e.symbol if isinstance(e, ir.Var) else None
        if symbol is not None and symbol in self._there:
            there = self._there[symbol]
        else:
            there = self.names.symbol(f"{symbol.name if symbol else 'value'}_there", Pointer(of_value(e.type)), span)
            self._opening.append(ir.Declare(there, ir.Const(0, there.type, "0", span=span), span=span))
            if symbol is not None:
                self._there[symbol] = there
            if symbol in self.given:
                self._opening.append(self._upload(there, self.given[symbol]))
        if symbol is None or symbol not in self.own:
            value = self.names.symbol("value", of_value(e.type), span)
            self.own[value] = self.each("value", e.type)
            yield self.loop((ir.Assign(var(value), e, span=span),))
            yield self._upload(there, self.own[value])
        elif symbol not in self.given:
            yield self._upload(there, self.own[symbol])
        return var(there)

    def _upload(self, there: ir.Symbol, pointer: ir.Symbol) -> ir.Stmt:
        assert isinstance(there.type, Pointer)
        size = integer(size_of(there.type.to), self.span, SIZE_T)
        return op.upload(address_of(var(there)), var(pointer), size, span=self.span)

    # --- operations ---------------------------------------------------------------------------------------

    def _call(self, s: ir.Call) -> ir.Stmt:
        if op.does(s, *op.ALLOCATIONS):
            *out, size = s.args
            self._alike(size)
            return replace(s, args=(*out, op.of_sets(size, span=size.span)))
        if op.does(s, op.push, op.pop):
            return self._value(s)
        if op.does(s, op.save_range, op.restore_range, op.rename_range):
            return self._range(s)
        args = tuple(self._pointer(a) if isinstance(a.type, Pointer | Array) else self._alike(a) for a in s.args)
        for one, each in _INSTEAD.items():
            if op.does(s, one):
                row = one.row(s.args)
                return replace(s, function=each.row(s.args).name, args=args) if row.name == s.function else s
        if op.does(s, op.rename_rows, op.rename_planes):
            return op.save_sets(*args[:4], span=s.span)
        if op.does(s, *_SAME):
            return replace(s, args=args)
        return self._memory(s, args)

    def _value(self, s: ir.Call) -> ir.Stmt:
        """On the tape: a floating value of each set; others are the same for all."""
        pointer, size = s.args
        place = pointer.place if isinstance(pointer, ir.AddressOf) else None
        if place is not None and isinstance(place.type, Float):
            each = op.push_sets if op.does(s, op.push) else op.pop_sets
            return each(self._pointer(pointer), self._alike(size), span=s.span)
        if place is None or root_symbol(place) is None or root_symbol(place) in self.differing.symbols:
            raise OneByOne("a value that is no floating number, and differs between the sets, is saved", s.span)
        return s

    def _range(self, s: ir.Call) -> ir.Stmt:
        if op.does(s, op.rename_range):
            pointer, size, sure = s.args
            return op.rename_sets(self._pointer(pointer), *self._bytes(size), self._alike(sure), span=s.span)
        return self._saves(s, op.does(s, op.save_range), *s.args)

    def _saves(self, s: ir.Call, saves: bool, pointer: ir.Expr, size: ir.Expr) -> ir.Stmt:
        there = self._pointer(pointer)
        return op.save_sets(there, *self._bytes(size), span=s.span) if saves else op.restore_sets(there, span=s.span)

    def _bytes(self, size: ir.Expr) -> tuple[ir.Expr, ir.Expr, ir.Expr]:
        """From the first to the last."""
        span, last = size.span, convert(self._alike(size), LLONG)
        last = binary("-", last, integer(1, span, LLONG))
        return integer(0, span, LLONG), last, integer(1, span, SIZE_T)

    def _memory(self, s: ir.Call, args: tuple[ir.Expr, ...]) -> ir.Stmt:
        """A call of CUDA."""
        row = TABLE.get(s.function)
        if s.function == "cudaMemcpy":
            dst, src, size, kind = args
            ends = (dst, self._apart(dst), src, self._apart(src))
            return op.copy_sets(*ends, size, convert(kind, INT), result=s.result, span=s.span)
        if s.function == "memcpy" and s.result is None:
            dst, src, size = args
            ends = (dst, self._apart(dst), src, self._apart(src))
            return op.copy_sets(*ends, size, integer(0, s.span, INT), span=s.span)
        if s.function == "cudaMemset":
            return op.fill_sets(args[0], self._apart(args[0]), *args[1:], result=s.result, span=s.span)
        if row is not None and row.action in (None, "inert") and not any(isinstance(a.type, Pointer) for a in args):
            return s
        raise OneByOne(f"hetad does not know what '{s.function}' does for several sets", s.span)

    def _apart(self, pointer: ir.Expr) -> ir.Expr:
        there = _in_place(pointer)
        while isinstance(there, ir.Binary):  # from its start: behind its end may be another memory
            there = there.left
        return op.set_bytes(there, span=pointer.span)

    def _alike(self, e: ir.Expr) -> ir.Expr:
        if self.differing.expr(e):
            raise OneByOne("what the host asks for differs between the sets", e.span)
        return e

    def _pointer(self, e: ir.Expr) -> ir.Expr:
        """A pointer to what the first set has."""
        if isinstance(e, ir.Cast):
            return replace(e, operand=self._pointer(e.operand))
        if isinstance(e, ir.Binary):
            return replace(e, left=self._pointer(e.left), right=self._alike(e.right))
        if isinstance(e, ir.Var | ir.Index | ir.Member) and isinstance(e.type, Array):
            return self._of_first(e, e)
        if not isinstance(e, ir.AddressOf):
            return self._alike(e)
        if (
            isinstance(e.place, ir.Index)
            and isinstance(e.place.base, ir.Var)
            and isinstance(e.place.base.type, Pointer)
        ):
            return binary("+", e.place.base, self._alike(e.place.index))
        return self._of_first(e, e.place)

    def _of_first(self, e: ir.Expr, place: ir.Place) -> ir.Expr:
        """A pointer to a variable, or to a part of one."""
        symbol = root_symbol(place)
        if symbol is None and isinstance(reached := base(place), ir.Symbol) and isinstance(reached.type, Pointer):
            self._check_place(e, reached)
            return e
        if symbol is None:
            raise OneByOne("hetad does not know where a set has this", e.span)
        if symbol not in self.own:
            if symbol in self.differing.symbols:
                raise OneByOne(f"'{symbol.name}' differs between the sets", e.span)
            return e
        if isinstance(e, ir.AddressOf) and isinstance(place, ir.Var):
            return var(self.own[symbol])
        first = ir.Index(var(self.own[symbol]), integer(0, e.span), symbol.type, span=e.span)
        self._check_place(e, symbol)
        return substituted({symbol: first}, e)

    def _check_place(self, e: ir.Expr, root: ir.Symbol) -> None:
        """That only the memory of `root`, or what it points to, is each set's own."""
        for x in walk_expr(e):
            reads = isinstance(x, ir.Index) and isinstance(x.base.type, Pointer) and not is_var(x.base, root)
            differs = isinstance(x, ir.Var) and x.symbol is not root and x.symbol in self.differing.symbols
            if reads or differs:
                raise OneByOne("where the host keeps something differs between the sets", e.span)


def _in_place(e: ir.Expr) -> ir.Expr:
    """The pointer to the memory itself, wherever its content is now."""

    def own(x: ir.Expr) -> ir.Expr:
        if op.gives(x, op.now):
            return x.args[0]
        return x.operand if isinstance(x, ir.Cast) and isinstance(x.operand.type, Pointer) else x

    return map_expr(own, e)


def _string(text: str, span: Span) -> ir.Expr:
    return ir.String(text, STRING, span=span)
