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
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo, points_to
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import Names
from hetad.ir.places import written
from hetad.ir.types import Array, Float, Pointer, Type, is_volatile, of_value
from hetad.ir.visit import declared, map_body, map_exprs, own_nodes, substitute, variables, walk_expr, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

T = TypeVar("T", bound=Task)
_WARP = 32
_COMPARED = {"<": 0, ">=": 0, "<=": 1, ">": 1}  # what makes the bound a number of lanes


@program_pass("warp-synchronous")
def warp_synchronous(task: T) -> T:
    """The inlined kernels whose `volatile` numbers in shared memory are stored where whole warps come have a barrier of
    the warp before and behind each such store in the place of the word."""
    made = {n: _in_step(f) if f.kind == "kernel" else f for n, f in task.functions.items()}
    same = all(made[n] is f for n, f in task.functions.items())
    return task if same else replace(task, functions=made)


def _in_step(kernel: ir.Function) -> ir.Function:
    """The kernel, if all that it says is volatile is of this kind."""
    places = [e for s in walk_stmts(kernel.body) for e in own_nodes(s) if _is_volatile(e)]
    if not places:
        return kernel
    points = points_to(kernel)
    if not all(_is_shared(points, place) for place in places):
        return kernel
    warps = _Warps(kernel, points)
    stores = [s for s in walk_stmts(kernel.body) if any(_is_volatile(e) for e in _stored(s))]
    if not stores or not all(isinstance(s, ir.Assign | ir.Update) for s in stores) or not warps.come(kernel.body):
        return kernel
    names = Names({x.name for x in (*kernel.params, *declared(kernel.body))})

    def apart(s: ir.Stmt) -> ir.Stmt | ir.Body:
        stores = isinstance(s, ir.Assign | ir.Update) and _is_volatile(s.target)
        return stored_in_step(s, "__syncwarp", names) if stores else s  # type: ignore[arg-type]

    body = map_body(apart, kernel.body)
    plain = {x: replace(x, type=_plain(x.type)) for x in variables(body) if _plain(x.type) is not x.type}
    return replace(kernel, body=map_exprs(_without_the_word, substitute(plain, body)))


def stored_in_step(s: ir.Assign | ir.Update, barrier: str, names: Names) -> ir.Body:
    """The store between barriers; what it reads of volatile data is read before them."""
    meet = ir.Call(barrier, (), span=s.span)
    if not any(is_volatile(e.type) for e in walk_expr(s.value) if isinstance(e, ir.Var | ir.Index | ir.Member)):
        return meet, s, meet
    beside = names.symbol("beside", of_value(s.value.type), s.span)
    return ir.Declare(beside, s.value, span=s.span), meet, replace(s, value=ir.Var(beside, span=s.span)), meet


def _is_volatile(e: ir.Expr) -> bool:
    return isinstance(e, ir.Var | ir.Index | ir.Member) and isinstance(e.type, Float) and is_volatile(e.type)


def _is_shared(points: PointsTo, place: ir.Expr) -> bool:
    held = points.storage(place)
    return bool(held) and all(isinstance(x, ir.Symbol) and x.storage == "shared" for x in held)


def _stored(s: ir.Stmt) -> list[ir.Expr]:
    match s:
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            return [place]
    return []


def _plain(type_: Type) -> Type:
    """Without `volatile` of numbers."""
    match type_:
        case Pointer(to=to) if _plain(to) is not to:
            return replace(type_, to=_plain(to))
        case Array(of=of) if _plain(of) is not of:
            return replace(type_, of=_plain(of))
        case Float():
            return of_value(type_)
    return type_


def _without_the_word(e: ir.Expr) -> ir.Expr:
    if isinstance(e, ir.Var) or _plain(e.type) is e.type:
        return e
    return replace(e, type=_plain(e.type))


class _Warps:
    """Whether whole warps come to the stores: the conditions around them are the same for all lanes of one."""

    def __init__(self, kernel: ir.Function, points: PointsTo) -> None:
        self._divergence = Divergence(kernel.body, Effects(points, {}))
        changed = [s for s in walk_stmts(kernel.body) if not isinstance(s, ir.Declare)]
        later = written(tuple(changed))
        self._values = {
            s.symbol: s.init
            for s in walk_stmts(kernel.body)
            if isinstance(s, ir.Declare) and s.init is not None and s.symbol not in later
        }

    def come(self, body: ir.Body) -> bool:
        for s in body:
            if not any(_is_volatile(e) for inner in walk_stmts((s,)) for e in _stored(inner)):
                continue
            match s:
                case ir.If(cond=cond, then=then, orelse=orelse):
                    if not (self._same(cond) and self.come(then) and self.come(orelse)):
                        return False
                case ir.For() | ir.While():
                    if not (self._divergence.uniform_loop(s) and self.come(s.body)):
                        return False
                case ir.Block(body=nested):
                    if not self.come(nested):
                        return False
                case ir.Assign() | ir.Update():
                    pass
                case _:
                    return False
        return True

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
