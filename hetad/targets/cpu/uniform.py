"""What is the same for all threads of a block, in a kernel whose threads wait for each other.

The statements of such a kernel fall in two: those with a barrier inside, and branches that all threads take together,
make up its *structure*; every other statement is a *leaf*, which one thread after another can run alone.  A leaf that
does the same in all threads (a loop that fills a table of loop counters, say) runs once for the block.

A variable is uniform if every assignment to it stands in the structure, gives all threads the same value, and reaches
all threads that see the variable: it has the *context* of the declaration.  The context changes wherever a condition
differs between threads, and in a loop that threads leave apart.  Uniform variables exist once for the block, and
uniform conditions need no masks.  The analysis starts from "all uniform" and takes back what does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.dataflow import settle
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import once
from hetad.ir.identity import Identity, IdentitySet
from hetad.ir.places import exposed, root_symbol, written
from hetad.ir.types import Array, Float, Int, Pointer, innermost
from hetad.ir.visit import bodies, children, declared, walk_stmts
from hetad.rules import callees
from hetad.targets.cpu.synchronisation import waits

Context = tuple[object, ...]
_Left = ir.For | ir.While | ir.DoWhile | ir.Switch  # by `break` or `continue`


@dataclass(slots=True)
class _Frame:
    """A loop or switch of the structure that `break` or `continue` may leave."""

    key: _Left
    is_loop: bool
    whole: Context  # of the threads that have not left it
    body: Context  # of those that still run its body


class Uniformity:
    def __init__(self, kernel: ir.Function) -> None:
        self.kernel = kernel
        self.breaks = IdentitySet[_Left]()  # loops that some threads break out of while others go on
        self.continues = IdentitySet[_Left]()
        self.returning = IdentitySet[_Left]()  # loops in which some threads return
        self.thread_returns = False
        self._varying: set[ir.Symbol] = exposed(kernel.body)
        self._declared: dict[ir.Symbol, Context] = {}
        self._contains_wait = once(waits)
        settle(self._state, self._taken_back)

    def _state(self) -> object:
        return len(self._varying), len(self.breaks), len(self.continues), len(self.returning), self.thread_returns

    def _taken_back(self) -> None:
        self._declared = dict.fromkeys(self.kernel.params, ())
        self._body(self.kernel.body, (), [])

    # --- questions ---

    def is_uniform(self, symbol: ir.Symbol) -> bool:
        """Whether a variable exists once for the block."""
        return symbol in self._declared and symbol not in self._varying and _may_be_uniform(symbol)

    def same(self, expr: ir.Expr) -> bool:
        """Whether an expression has one value for all threads that evaluate it together."""
        match expr:
            case ir.Const() | ir.String():
                return True
            case ir.Var(symbol=symbol):
                if isinstance(symbol.type, Array):
                    return symbol.storage == "shared"
                return self._read_only(symbol) or self.is_uniform(symbol)
            case ir.Index() | ir.Member():
                return self._same_part(expr)
            case ir.AddressOf(place=ir.Index(base=base, index=index)):
                return self.same(base) and self.same(index)
            case ir.ThreadIndex(name=name):
                return name != "threadIdx"
            case ir.Intrinsic(args=args):
                return all(isinstance(a.type, Int | Float) and self.same(a) for a in args)
            case ir.Binary(op="/" | "%", right=right, type=Int()) if not _never_zero(right):
                safe = not (self.thread_returns or self.breaks or self.continues)  # else it may run for no thread
                return safe and self.same(expr.left) and self.same(right)
            case ir.Unary() | ir.Binary() | ir.Select() | ir.Cast():
                return all(self.same(c) for c in children(expr))
        return False

    def runs_once(self, s: ir.Stmt) -> bool:
        """Whether a leaf does the same in all threads that run it together: it changes uniform variables only."""
        return all(self._is_common(each) for each in walk_stmts((s,)))

    def _is_common(self, s: ir.Stmt) -> bool:
        match s:
            case ir.Declare(symbol=symbol):
                return self.is_uniform(symbol)
            case ir.Assign(target=target) | ir.Update(target=target):
                root = root_symbol(target)
                return root is not None and self.is_uniform(root)
            case ir.If(cond=cond) | ir.While(cond=cond) | ir.DoWhile(cond=cond) | ir.Switch(subject=cond):
                return self.same(cond)
            case ir.For(cond=condition):
                return condition is None or self.same(condition)
        return isinstance(s, ir.Block | ir.Break | ir.Continue | ir.Comment)

    def _same_part(self, place: ir.Expr) -> bool:
        """Whether a part of a variable is the same part, of a variable that nothing changes."""
        match place:
            case ir.Var(symbol=symbol):
                return self._read_only(symbol) or self.is_uniform(symbol)
            case ir.Member(base=base):
                return self._same_part(base)
            case ir.Index(base=base, index=index) if isinstance(base.type, Array):
                return self.same(index) and self._same_part(base)
        return False

    def _read_only(self, symbol: ir.Symbol) -> bool:
        if symbol.storage in ("global", "constant", "static"):
            return symbol.const or symbol.storage == "constant"
        return symbol.storage == "param" and symbol in self._declared and symbol not in self._varying

    def structural(self, statement: ir.Stmt) -> bool:
        """Whether a compound statement belongs to the structure."""
        if self._contains_wait(statement):
            return True
        match statement:
            case ir.If(cond=cond):
                return jumps_out(statement) and self.same(cond)
            case ir.Block(body=body):
                return any(self.structural(s) for s in body)
        return False

    # --- one pass over the kernel ---

    def _body(self, body: ir.Body, context: Context, frames: list[_Frame]) -> None:
        for statement in body:
            self._statement(statement, context, frames)

    def _statement(self, s: ir.Stmt, context: Context, frames: list[_Frame]) -> None:
        match s:
            case ir.Declare(symbol=symbol, init=init):
                self._declare(symbol, init, context)
            case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                self._assigned(target, self.same(value), context)
            case ir.Call(function=function, result=result):
                if result is not None:
                    self._assigned(result, callees.find(function).scope == "block", context)
            case ir.Return():
                if context:
                    self._thread_return(frames)
            case ir.Break():
                frame = frames[-1]
                if context != frame.whole or not frame.is_loop:
                    self.breaks.add(frame.key)
            case ir.Continue():
                frame = next(f for f in reversed(frames) if f.is_loop)
                if context != frame.body:
                    self.continues.add(frame.key)
            case ir.Comment():
                pass
            case _ if not self.structural(s):
                self._leaf(s, context, frames)
            case ir.Block(body=body):
                self._body(body, context, frames)
            case ir.If(cond=cond, then=then, orelse=orelse):
                together = self.same(cond)
                self._body(then, context if together else (*context, (Identity(s), "then")), frames)
                self._body(orelse, context if together else (*context, (Identity(s), "else")), frames)
            case ir.For() | ir.While() | ir.DoWhile():
                self._loop(s, context, frames)
            case ir.Switch(cases=cases):
                for i, case in enumerate(cases):
                    inside = (*context, (Identity(s), i))
                    self._body(case.body, inside, [*frames, _Frame(s, False, inside, inside)])

    def _assigned(self, target: ir.Expr, same: bool, context: Context) -> None:
        root = root_symbol(target)
        if root is None or root not in self._declared:
            return
        if not _may_be_uniform(root) or not self._same_place(target) or not same or self._declared[root] != context:
            self._varying.add(root)

    def _same_place(self, place: ir.Expr) -> bool:
        """Whether all threads store to the same element."""
        match place:
            case ir.Var():
                return True
            case ir.Index(base=base, index=index):
                return self.same(index) and self._same_place(base)
        return False

    def _declare(self, symbol: ir.Symbol, init: ir.Expr | None, context: Context) -> None:
        self._declared[symbol] = context
        parts = init.elements if isinstance(init, ir.Aggregate) else (init,)
        if not all(part is None or self.same(part) for part in parts):
            self._varying.add(symbol)

    def _leaf(self, s: ir.Stmt, context: Context, frames: list[_Frame]) -> None:
        if not jumps_out(s):
            for each in walk_stmts((s,)):
                match each:
                    case ir.Declare(symbol=symbol, init=init):
                        self._declare(symbol, init, context)
                    case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                        self._assigned(target, self.same(value), context)
            if self.runs_once(s):
                return
        self._varying.update(symbol for symbol in written((s,)) if symbol in self._declared)
        self._varying.update(declared((s,)))
        for jump in escaping((s,)):
            match jump:
                case ir.Return():
                    self._thread_return(frames)
                case ir.Break():
                    self.breaks.add(frames[-1].key)
                case ir.Continue():
                    self.continues.add(next(f.key for f in reversed(frames) if f.is_loop))

    def _thread_return(self, frames: list[_Frame]) -> None:
        self.thread_returns = True
        self.returning.update(f.key for f in frames if f.is_loop)

    def _loop(self, s: ir.For | ir.While | ir.DoWhile, context: Context, frames: list[_Frame]) -> None:
        own = [d.symbol for d in s.init if isinstance(d, ir.Declare)] if isinstance(s, ir.For) else []
        if isinstance(s, ir.For):
            for each in s.init:
                self._statement(each, context, frames)
        whole = context if self.stays_together(s) else (*context, (Identity(s), "loop"))
        self._declared.update(dict.fromkeys(own, whole))  # only threads in the loop see them
        inside = (*whole, (Identity(s), "body")) if s in self.continues else whole
        self._body(s.body, inside, [*frames, _Frame(s, True, whole, inside)])
        if isinstance(s, ir.For):
            self._body(s.step, whole, frames)

    def stays_together(self, s: ir.For | ir.While | ir.DoWhile) -> bool:
        """Whether all threads that enter a loop make the same number of iterations, but for those that return."""
        return s not in self.breaks and (s.cond is None or self.same(s.cond))


# --- helpers -------------------------------------------------------------------------------------


def escaping(body: ir.Body, in_loop: bool = False, in_switch: bool = False) -> list[ir.Stmt]:
    """The jumps in a body that leave it."""
    found: list[ir.Stmt] = []
    for s in body:
        match s:
            case ir.Return():
                found.append(s)
            case ir.Break() if not in_loop and not in_switch:
                found.append(s)
            case ir.Continue() if not in_loop:
                found.append(s)
            case ir.For() | ir.While() | ir.DoWhile():
                found += escaping(s.body, True, False)
            case ir.Switch():
                for inner in bodies(s):
                    found += escaping(inner, in_loop, True)
            case _:
                for inner in bodies(s):
                    found += escaping(inner, in_loop, in_switch)
    return found


def jumps_out(statement: ir.Stmt) -> bool:
    return bool(escaping((statement,)))


def _may_be_uniform(symbol: ir.Symbol) -> bool:
    if symbol.storage == "param":
        return isinstance(symbol.type, Int | Float | Pointer)
    return symbol.storage == "local" and isinstance(innermost(symbol.type), Int | Float | Pointer)


def _never_zero(expr: ir.Expr) -> bool:
    match bare(expr):
        case ir.Const(value=value):
            return bool(value)
        case ir.ThreadIndex(name=name):
            return name in ("blockDim", "gridDim", "warpSize")
    return False
