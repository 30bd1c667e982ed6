"""Code that counts on the lanes of a warp to run in step, with the barriers that it leaves out.

    volatile float *s = shared;                 float *s = shared;
    if (tid < 32) {                             if (tid < 32) {
        s[tid] += s[tid + 16];                      const float beside = s[tid + 16];
        ...                                         __syncwarp();
                                                    s[tid] += beside;
                                                    __syncwarp();
                                                    ...

Old programs say so by `volatile`: all lanes read before one writes, and see what the others have written in the next
statement.  That is what NVIDIA's guide asks to be written with __syncwarp since compute capability 7.0.

All lanes of a warp must come to its barriers.  Where some of them store, the others come along:

    if (tid < 8) {                              const bool comes = tid < 8;
        s[tid] += s[tid + 8];                   float beside;
        ...                                     if (comes)
                                                    beside = s[tid + 8];
                                                __syncwarp();
                                                if (comes)
                                                    s[tid] += beside;
                                                __syncwarp();
                                                ...
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hetad.adjoint.components import element_by_element
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo, points_to
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import Names, var
from hetad.ir.places import constants
from hetad.ir.simplify import opposite
from hetad.ir.types import BOOL, Float, is_volatile, of_value
from hetad.ir.visit import declared, own_exprs, own_nodes, variables, walk_expr, walk_stmts
from hetad.ir.volatile import plain, plain_symbols, volatile_places, without_volatile
from hetad.passes.manager import program_pass
from hetad.passes.task import Task
from hetad.rules import callees

T = TypeVar("T", bound=Task)
_WARP = 32
_COMPARED = {"<": 0, ">=": 0, "<=": 1, ">": 1}  # what makes the bound a number of lanes


@program_pass("warp-synchronous")
def warp_synchronous(task: T) -> T:
    """The inlined kernels whose `volatile` numbers in shared memory are stored where whole warps come, or come along,
    have a barrier of the warp before and behind each such store in the place of the word."""
    made = {n: _in_step(f) if f.kind == "kernel" else f for n, f in task.functions.items()}
    same = all(made[n] is f for n, f in task.functions.items())
    return task if same else replace(task, functions=made)


def _in_step(kernel: ir.Function) -> ir.Function:
    """The kernel, if all that it says is volatile is of this kind."""
    places = list(volatile_places(kernel.body))
    if not places:
        return kernel
    points = points_to(kernel)
    if not all(_is_shared(points, place) for place in places):
        return kernel
    names = Names({x.name for x in (*kernel.params, *declared(kernel.body))})
    warps = _Warps(kernel, points, names)
    body = warps.in_step(kernel.body)
    if body is None:
        return kernel
    instead = plain_symbols(variables(body)) | {x: replace(x, type=plain(x.type), const=False) for x in warps.apart}
    return replace(kernel, body=without_volatile(body, instead))


def stored_in_step(s: ir.Assign | ir.Update, barrier: str, names: Names, comes: ir.Symbol | None = None) -> ir.Body:
    """The store between barriers; what it reads of volatile data is read before them.  `comes`: whether this lane
    stores, where not all do."""
    meet = ir.Call(barrier, (), span=s.span)
    before: ir.Body = ()
    if any(is_volatile(e.type) for e in walk_expr(s.value) if isinstance(e, ir.Var | ir.Index | ir.Member)):
        beside = names.symbol("beside", of_value(s.value.type), s.span)
        before = (ir.Declare(beside, s.value, span=s.span),)
        if comes is not None:
            read = ir.Assign(var(beside, s.span), s.value, span=s.span)
            before = (ir.Declare(beside, None, span=s.span), _only(comes, (read,)))
        s = replace(s, value=var(beside, s.span))
    return *before, meet, s if comes is None else _only(comes, (s,)), meet


def _only(comes: ir.Symbol, body: ir.Body) -> ir.If:
    return ir.If(var(comes, body[0].span), body, (), span=body[0].span)


def _is_volatile(e: ir.Expr) -> bool:
    return isinstance(e, ir.Var | ir.Index | ir.Member) and isinstance(e.type, Float) and is_volatile(e.type)


def _is_shared(points: PointsTo, place: ir.Expr) -> bool:
    held = points.storage(place)
    return bool(held) and all(isinstance(x, ir.Symbol) and x.storage == "shared" for x in held)


def _stores(s: ir.Stmt) -> bool:
    return any(_is_volatile(e) for inner in walk_stmts((s,)) for e in _stored(inner))


def _meets(s: ir.Stmt) -> bool:
    """Whether threads wait for each other in the statement, or will, between the barriers of a store."""
    return _stores(s) or _waits(s)


def _waits(s: ir.Stmt) -> bool:
    return any(map(callees.meets, walk_stmts((s,))))


def _loads(loop: ir.For) -> bool:
    """Whether the head of a loop reads memory, as lanes may not that do not come to it."""
    head = (*(e for s in (*loop.init, *loop.step) for e in own_exprs(s)), *([loop.cond] if loop.cond else []))
    return any(isinstance(x, ir.Index | ir.Member | ir.CallExpr) for e in head for x in walk_expr(e))


def _stored(s: ir.Stmt) -> list[ir.Expr]:
    match s:
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            return [place]
    return []


class _Warps:
    """The stores of a kernel between barriers to which all lanes of a warp come: the conditions around are the same for
    them, or only guard what each does between the barriers."""

    def __init__(self, kernel: ir.Function, points: PointsTo, names: Names) -> None:
        self.apart: set[ir.Symbol] = set()  # variables that have their values apart from their declarations
        self._names = names
        self._divergence = Divergence(kernel.body, Effects(points, {}))
        self._values = constants(kernel.body)

    def in_step(self, body: ir.Body) -> ir.Body | None:
        """The body of all lanes; None where some may be elsewhere, or something else than an assignment stores."""
        out: list[ir.Stmt] = []
        for s in body:
            made = self._statement(s) if _stores(s) else (s,)
            if made is None:
                return None
            out += made
        return tuple(out)

    def _statement(self, s: ir.Stmt) -> ir.Body | None:
        match s:
            case ir.Assign() | ir.Update():
                return stored_in_step(s, "__syncwarp", self._names)
            case ir.If(cond=cond, then=then, orelse=orelse) if self._same(cond):
                both = self.in_step(then), self.in_step(orelse)
                return None if both[0] is None or both[1] is None else (replace(s, then=both[0], orelse=both[1]),)
            case ir.If():
                return self._by_some(s, None)
            case ir.For() | ir.While() if self._is_by_each(s):
                meet = ir.Call("__syncwarp", (), span=s.span)
                return meet, s, meet
            case ir.For() | ir.While():
                made = self.in_step(s.body) if self._divergence.uniform_loop(s) else None
                return (replace(s, body=made),) if made is not None else None
            case ir.Block(body=nested):
                made = self.in_step(nested)
                return (replace(s, body=made),) if made is not None else None
        return None

    def _by_some(self, s: ir.If, around: ir.Symbol | None) -> ir.Body | None:
        """A branch that some of the lanes take, of those that `around` names."""
        out: list[ir.Stmt] = []
        ways = []
        for body, cond in ((s.then, s.cond), (s.orelse, opposite(s.cond))):
            if body:
                comes = self._names.symbol("comes", BOOL, s.span, const=True)
                taken = cond if around is None else ir.Binary("&&", var(around, s.span), cond, BOOL, span=s.span)
                out.append(ir.Declare(comes, ir.Cast(taken, BOOL, span=s.span), span=s.span))
                ways.append((comes, body))
        for comes, body in ways:
            made = self._guarded(body, comes)
            if made is None:
                return None
            out += made
        return tuple(out)

    def _guarded(self, body: ir.Body, comes: ir.Symbol) -> ir.Body | None:
        """What the lanes do that `comes` names, piece by piece between the barriers of all."""
        out: list[ir.Stmt] = []
        piece: list[ir.Stmt] = []
        for s in body:
            if not _meets(s):
                piece += self._declared_before(s, out)
                continue
            if piece:
                out.append(_only(comes, tuple(piece)))
                piece = []
            made = self._met_by_some(s, comes)
            if made is None:
                return None
            out += made
        return (*out, _only(comes, tuple(piece))) if piece else tuple(out)

    def _met_by_some(self, s: ir.Stmt, comes: ir.Symbol) -> ir.Body | None:
        match s:
            case ir.Call() if callees.calls(s, "barrier") and not s.args:  # all that have not returned come to it
                return (s,)
            case ir.Assign() | ir.Update():
                return stored_in_step(s, "__syncwarp", self._names, comes)
            case ir.If():
                return self._by_some(s, comes)
            case ir.For() | ir.While() if self._is_by_each(s):
                meet = ir.Call("__syncwarp", (), span=s.span)
                return meet, _only(comes, (s,)), meet
            case ir.For() if self._divergence.uniform_loop(s) and not _loads(s):
                made = self._guarded(s.body, comes)
                return (replace(s, body=made),) if made is not None else None
            case ir.Block(body=nested):
                return self._guarded(nested, comes)
        return None

    def _is_by_each(self, loop: ir.For | ir.While) -> bool:
        """Whether all that is volatile in a loop is one cell, each thread's own, and no thread waits: then it does not
        matter how often each goes through it."""
        places = [e for s in walk_stmts((loop,)) for e in own_nodes(s) if _is_volatile(e)]
        own = (e for e in places if isinstance(e, ir.Index) and isinstance(e.base, ir.Var) and self._is_thread(e.index))
        return all(e == places[0] for e in places) and len(list(own)) == len(places) and not _waits(loop)

    def _declared_before(self, s: ir.Stmt, out: list[ir.Stmt]) -> ir.Body:
        """The statement, of whose declaration all pieces see the variable."""
        if not isinstance(s, ir.Declare):
            return (s,)
        out.append(replace(s, init=None))
        self.apart.add(s.symbol)
        place = var(s.symbol, s.span)
        match s.init:
            case None:
                return ()
            case ir.Aggregate():
                return tuple(element_by_element(place, s.init, s.span))
        return (ir.Assign(place, s.init, span=s.span),)

    def _same(self, e: ir.Expr) -> bool:
        """Whether the lanes of a warp agree on the value."""
        e = bare(e)
        match e:
            case ir.Const():
                return True
            case ir.Binary(op=op, left=left, right=right) if op in _COMPARED and self._is_thread(left):
                bound = integer_value(right)
                return bound is not None and (bound + _COMPARED[op]) % _WARP == 0
            case ir.Binary(op="/", left=left, right=right) if self._is_thread(left):
                return integer_value(right) == _WARP or _is_warp_size(right)
            case ir.Binary(op=">>", left=left, right=right) if self._is_thread(left):
                return (integer_value(right) or 0) >= 5
            case ir.Binary(left=left, right=right):
                return self._same(left) and self._same(right)
            case ir.Unary(operand=operand):
                return self._same(operand)
            case ir.Var(symbol=symbol) if symbol in self._values:
                return self._same(self._values[symbol])
        return self._divergence.uniform(e)

    def _is_thread(self, e: ir.Expr) -> bool:
        e = bare(e)
        if isinstance(e, ir.Var) and e.symbol in self._values:
            return self._is_thread(self._values[e.symbol])
        return isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("threadIdx", "x")


def _is_warp_size(e: ir.Expr) -> bool:
    e = bare(e)
    return isinstance(e, ir.ThreadIndex) and e.name == "warpSize"
