"""Sums over a block by a tree in shared memory, of which one thread adds the result to global memory.

    sums[t] = value;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)                                               float sums = value;
            sums[t] += sums[t + half];              becomes         atomicAdd(out, sums);
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sums[0]);

which adds the same numbers in another order, and so has the same derivative, without shared memory and barriers.  Where
the root goes elsewhere (`out[blockIdx.x] = sums[0]`), all threads add to a shared number instead, whose adjoint each
leaf has.  Neither is a kernel to run: the launch of the primal stays as it is, and so does the tree in a pullback that
needs the sum's value.  The launch is asked for blocks of as many threads, along x, as the tree has leaves; others have
the pullback of the kernel with its tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.analysis.staging import array_of, exchanges, orders_global_memory, shared_arrays
from hetad.device.demotion.demote import Unstaged, with_sizes
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.build import address_of, integer, zero
from hetad.ir.places import subscripts
from hetad.ir.types import BOOL, UINT, Array, Float, Int, is_volatile
from hetad.ir.visit import map_body, map_exprs, variables, walk_exprs, walk_stmts
from hetad.rules import callees

_HALVING = (("/", 2), (">>", 1))


@dataclass(frozen=True, slots=True)
class _Tree:
    """The positions in the kernel's body of the store to the leaves, of the loop, and of what reads the root first.
    `added`: that adds the root to global memory, and does nothing else."""

    array: ir.Symbol
    store: int
    loop: int
    root: int
    added: bool


def without_trees(kernel: ir.Function, merged: tuple[tuple[str, ...], ...]) -> Unstaged | None:
    """The kernel without its trees, if there are any: without shared memory, where that holds nothing else."""
    arrays = shared_arrays(kernel.body)
    lengths = [x.type.length for x in arrays if isinstance(x.type, Array) and isinstance(x.type.of, Float)]
    if any(isinstance(s, ir.Return) for s in walk_stmts(kernel.body)):
        return None
    for leaves in dict.fromkeys(lengths):
        if leaves is None or leaves < 2 or leaves & (leaves - 1):
            continue
        sizes = {"x": leaves, "y": 1, "z": 1}
        sized = replace(kernel, body=with_sizes(kernel.body, sizes))
        finder = _Finder(sized, Effects(PointsTo(sized, merged), {}), leaves)
        trees = [tree for x in arrays if (tree := finder.tree(x)) is not None]
        if len(trees) == len(arrays) and finder.may_go(trees):
            body = _added_by_all(sized.body, trees)
            assert set(arrays).isdisjoint(variables(body))
            return Unstaged(replace(sized, body=body), sizes, reduced=True)
        if trees:
            body, totals = _in_totals(sized.body, trees)
            assert {t.array for t in trees}.isdisjoint(variables(body))
            return Unstaged(replace(sized, body=body), sizes, reduced=True, totals=totals)
    return None


class _Finder:
    def __init__(self, kernel: ir.Function, effects: Effects, leaves: int) -> None:
        self.body, self.effects, self.leaves = kernel.body, effects, leaves
        self.divergence = Divergence(kernel.body, effects)
        self.threads = self._threads()

    def _threads(self) -> set[ir.Symbol]:
        """The variables that hold threadIdx.x from the beginning on, and nothing else."""
        set_ = [x for s in walk_stmts(self.body) for x in self.effects.writes(s)]
        found = set()
        for s in self.body:
            if isinstance(s, ir.Declare) and s.init is not None and isinstance(s.symbol.type, Int):
                if s.symbol.type.bits >= 32 and set_.count(s.symbol) == 1 and _is_x(_whole(s.init)):
                    found.add(s.symbol)
        return found

    def tree(self, array: ir.Symbol) -> _Tree | None:
        found = [i for i, s in enumerate(self.body) if array in variables((s,))]
        if len(found) < 3 or not isinstance(array.type, Array) or not isinstance(array.type.of, Float):
            return None
        if is_volatile(array.type):
            return None
        store, loop, root, *more = found
        waits = any(callees.is_block_barrier(s) for s in self.body[store:loop])
        fits = self._is_store(self.body[store], array) and self._is_loop(self.body[loop], array, waits)
        fits = fits and self._only_root([self.body[i] for i in (root, *more)], array)
        added = not more and self._is_root(self.body[root])
        return _Tree(array, store, loop, root, added) if fits and (added or self._waits(loop, root)) else None

    def _waits(self, loop: int, root: int) -> bool:
        """Whether all threads wait before any reads the root."""
        s = self.body[loop]
        last = s.body[-1:] if isinstance(s, ir.For) else ()
        return any(map(callees.is_block_barrier, (*last, *self.body[loop:root])))

    def _is_store(self, s: ir.Stmt, array: ir.Symbol) -> bool:
        leaf = isinstance(s, ir.Assign) and self._cell(s.target, array)
        return leaf and isinstance(s, ir.Assign) and array not in variables(s.value)

    def _cell(self, e: ir.Expr, array: ir.Symbol) -> bool:
        """Whether it is this thread's element."""
        return isinstance(e, ir.Index) and array_of(e) is array and all(map(self._is_thread, subscripts(e)))

    def _is_thread(self, e: ir.Expr) -> bool:
        e = _whole(e)
        return _is_x(e) or (isinstance(e, ir.Var) and e.symbol in self.threads)

    def _is_loop(self, s: ir.Stmt, array: ir.Symbol, waits: bool) -> bool:
        """`waits`: whether a barrier stands in front of it."""
        if not isinstance(s, ir.For) or len(s.init) != 1 or not isinstance(s.init[0], ir.Declare):
            return False
        half, start = s.init[0].symbol, s.init[0].init
        if start is None or not _is_half_of(start, self.leaves) or not _halves(s, half):
            return False
        if len(s.body) != 2:
            return False
        step, barrier = s.body if waits and isinstance(s.body[0], ir.If) else (s.body[1], s.body[0])
        if not callees.is_block_barrier(barrier):
            return False
        if not isinstance(step, ir.If) or step.orelse or len(step.then) != 1:
            return False
        below = isinstance(step.cond, ir.Binary) and step.cond.op == "<" and self._is_thread(step.cond.left)
        same = isinstance(step.cond, ir.Binary) and _is(step.cond.right, half)
        return below and same and self._joins(step.then[0], array, half)

    def _joins(self, s: ir.Stmt, array: ir.Symbol, half: ir.Symbol) -> bool:
        """`sums[t] += sums[t + half]`, or the same as an assignment"""
        match s:
            case ir.Update(op="+", target=target, value=value):
                return self._cell(target, array) and self._other(value, array, half)
            case ir.Assign(target=target, value=ir.Binary(op="+", left=left, right=right)):
                mine, other = (left, right) if self._cell(left, array) else (right, left)
                return self._cell(target, array) and self._cell(mine, array) and self._other(other, array, half)
        return False

    def _other(self, e: ir.Expr, array: ir.Symbol, half: ir.Symbol) -> bool:
        if not isinstance(e, ir.Index) or array_of(e) is not array or len(subscripts(e)) != 1:
            return False
        at = _whole(e.index)
        if not isinstance(at, ir.Binary) or at.op != "+":
            return False
        a, b = at.left, at.right
        return (self._is_thread(a) and _is(b, half)) or (_is(a, half) and self._is_thread(b))

    def _is_root(self, s: ir.Stmt) -> bool:
        """`if (t == 0) atomicAdd(p, sums[0])`, where no thread decides what p is"""
        if not isinstance(s, ir.If) or s.orelse or not isinstance(s.cond, ir.Binary) or s.cond.op != "==":
            return False
        if not self._is_thread(s.cond.left) or integer_value(s.cond.right) != 0 or len(s.then) != 1:
            return False
        (call,) = s.then
        if not isinstance(call, ir.Call) or call.function != "atomicAdd" or call.result is not None:
            return False
        place, value = call.args
        first = _unrounded(value)
        whole = isinstance(first, ir.Index) and array_of(first) is not None and isinstance(value.type, Float)
        zero = isinstance(first, ir.Index) and [integer_value(i) for i in subscripts(first)] == [0]
        return whole and zero and not self.divergence.axes(place)

    def _only_root(self, body: list[ir.Stmt], array: ir.Symbol) -> bool:
        """Whether nothing but the root is read, and nothing is stored."""
        reads = [e for e in walk_exprs(body) if isinstance(e, ir.Index) and array_of(e) is array]
        whole = len(reads) == sum(1 for x in variables(body) if x is array)
        read_only = all(array not in self.effects.writes(s) for s in walk_stmts(body))
        addressed = any(isinstance(e, ir.AddressOf) and array in variables(e.place) for e in walk_exprs(body))
        return (
            whole
            and read_only
            and not addressed
            and all([integer_value(i) for i in subscripts(e)] == [0] for e in reads)
        )

    def may_go(self, trees: list[_Tree]) -> bool:
        """Whether the kernel can do without its barriers."""
        added = self.added_to(trees) if all(t.added for t in trees) else None
        return (
            added is not None and not exchanges(self.body) and not orders_global_memory(self.body, self.effects, added)
        )

    def added_to(self, trees: list[_Tree]) -> set[Location] | None:
        """What the roots are added to; None where anything else of the kernel touches it, for there threads would not
        wait for each other any more."""
        roots = {tree.root for tree in trees}
        added = {x for i in roots for s in walk_stmts((self.body[i],)) for x in self.effects.writes(s)}
        others = walk_stmts(s for i, s in enumerate(self.body) if i not in roots)
        touched = {x for s in others for x in (*self.effects.reads(s), *self.effects.writes(s))}
        return added if all(isinstance(x, Root) for x in added) and added.isdisjoint(touched) else None


def _added_by_all(body: ir.Body, trees: list[_Tree]) -> ir.Body:
    stores, loops, roots = ({getattr(t, which): t for t in trees} for which in ("store", "loop", "root"))
    arrays = [t.array for t in trees]
    own = {x: ir.Symbol(x.name, x.type.of, x.span) for x in arrays if isinstance(x.type, Array)}
    out: list[ir.Stmt] = []

    def mine(e: ir.Expr) -> ir.Expr:
        x = array_of(e) if isinstance(e, ir.Index) else None
        return ir.Var(own[x], span=e.span) if x in own and x is not None else e

    for i, s in enumerate(body):
        if i in stores and isinstance(s, ir.Assign):
            out.append(ir.Declare(own[stores[i].array], s.value, span=s.span))
        elif i in roots and isinstance(s, ir.If):
            out += map_exprs(mine, s.then)
        elif i not in loops:
            out.append(s)

    def kept(s: ir.Stmt) -> ir.Stmt | None:
        declares = isinstance(s, ir.Declare) and s.symbol in own
        waits = callees.calls(s, "barrier")
        return None if declares or waits else s

    return map_body(kept, tuple(out))


def _in_totals(body: ir.Body, trees: list[_Tree]) -> tuple[ir.Body, tuple[ir.Symbol, ...]]:
    """With a shared number for each tree, to which all threads add."""
    stores, loops = ({getattr(t, which): t for t in trees} for which in ("store", "loop"))
    totals: dict[ir.Symbol, ir.Symbol] = {}
    own: dict[ir.Symbol, ir.Symbol] = {}
    for x in (t.array for t in trees):
        assert isinstance(x.type, Array)
        totals[x] = ir.Symbol(f"{x.name}_total", x.type.of, x.span, "shared")
        own[x] = ir.Symbol(x.name, x.type.of, x.span)
    out: list[ir.Stmt] = []

    def root(e: ir.Expr) -> ir.Expr:
        x = array_of(e) if isinstance(e, ir.Index) else None
        return ir.Var(totals[x], span=e.span) if x in totals and x is not None else e

    for i, s in enumerate(body):
        span = s.span
        wait = ir.Call("__syncthreads", (), span=span)
        if i in stores and isinstance(s, ir.Assign):
            x = stores[i].array
            total = ir.Var(totals[x], span=span)
            first = ir.Binary(
                "==", ir.ThreadIndex("threadIdx", "x", UINT, span=span), integer(0, span, UINT), BOOL, span=span
            )
            out += [
                ir.Declare(own[x], s.value, span=span),
                ir.If(first, (ir.Assign(total, zero(total.type, span), span=span),), (), span=span),
                wait,
            ]
        elif i in loops:
            x = loops[i].array
            place = address_of(ir.Var(totals[x], span=span))
            out += [ir.Call("atomicAdd", (place, ir.Var(own[x], span=span)), span=span), wait]
        elif isinstance(s, ir.Declare) and s.symbol in totals:
            out.append(ir.Declare(totals[s.symbol], None, span=span))
        else:
            out.append(s)
    return map_exprs(root, tuple(out)), tuple(totals.values())


def _halves(s: ir.For, half: ir.Symbol) -> bool:
    """Whether a loop halves its variable until that is zero."""
    match _whole(s.cond) if s.cond is not None else None:
        case ir.Binary(op=">" | "!=", left=left, right=right) if _is(left, half) and integer_value(right) == 0:
            pass
        case ir.Binary(op=">=", left=left, right=right) if _is(left, half) and integer_value(right) == 1:
            pass
        case _:
            return False
    match s.step:
        case (ir.Assign(target=ir.Var(symbol=x), value=value),) if x is half:
            value = _whole(value)
        case (ir.Update(op=op, target=ir.Var(symbol=x) as target, value=by),) if x is half:
            value = ir.Binary(op, target, by, target.type, span=s.span)
        case _:
            return False
    if not isinstance(value, ir.Binary) or not _is(value.left, half):
        return False
    return (value.op, integer_value(value.right)) in _HALVING


def _is_half_of(e: ir.Expr, whole: int) -> bool:
    e = _whole(e)
    if not isinstance(e, ir.Binary):
        return integer_value(e) == whole // 2
    return (e.op, integer_value(_whole(e.right))) in _HALVING and integer_value(_whole(e.left)) == whole


def _whole(e: ir.Expr) -> ir.Expr:
    """Without conversions that keep the number of a thread."""
    while isinstance(e, ir.Cast) and isinstance(e.type, Int) and e.type.bits >= 32:
        e = e.operand
    return e


def _unrounded(e: ir.Expr) -> ir.Expr:
    """Without conversions between floating types."""
    while isinstance(e, ir.Cast) and isinstance(e.type, Float):
        e = e.operand
    return e


def _is(e: ir.Expr, x: ir.Symbol) -> bool:
    e = _whole(e)
    return isinstance(e, ir.Var) and e.symbol is x


def _is_x(e: ir.Expr) -> bool:
    return isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("threadIdx", "x")
