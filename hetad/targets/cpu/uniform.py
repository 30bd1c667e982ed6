"""What is the same for all threads of a block, in a kernel whose threads wait for each other.

The statements of such a kernel fall in two: those with a barrier inside, and branches that all threads take together,
make up its *structure*; every other statement is a *leaf*, which one thread after another can run alone.  A leaf that
does the same in all threads (a loop that fills a table of loop counters, say) runs once for the block.

A variable is uniform if every assignment to it stands in the structure, gives all threads the same value, and reaches
all threads that see the variable: between it and the declaration stands no condition that differs between threads, be
it one under which some have left (`analysis/control_dependence.py`).  Uniform variables exist once for the block, and
uniform conditions need no masks.  The analysis starts from "all uniform" and takes back what does not hold.
"""

from __future__ import annotations

from hetad.analysis.control_dependence import ANYHOW, NONE, Around, ControlDependence, Frame, Positions
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import once
from hetad.ir.jumps import leaves_by, leaving
from hetad.ir.places import exposed, root_symbol, written
from hetad.ir.types import Array, Float, Int, Pointer, innermost
from hetad.ir.visit import Loop, children, declared, walk_stmts
from hetad.rules import callees
from hetad.targets.cpu.synchronisation import waits

_PLAIN = (ir.Declare, ir.Assign, ir.Update, ir.Call, ir.Return, ir.Break, ir.Continue, ir.Comment)


class Uniformity(ControlDependence):
    def __init__(self, kernel: ir.Function) -> None:
        super().__init__()
        self.kernel = kernel
        self._varying: set[ir.Symbol] = exposed(kernel.body)
        self._declared: dict[ir.Symbol, int] = dict.fromkeys(kernel.params, 0)  # how many conditions are around
        self._contains_wait = once(waits)
        self.spread(kernel.body)

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
                safe = not (self.returns or self.breaks or self.continues)  # else it may run for no thread
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
                return bool(leaves_by(statement)) and self.same(cond)
            case ir.Block(body=body):
                return any(self.structural(s) for s in body)
        return False

    def stays_together(self, loop: Loop) -> bool:
        """Whether all threads that enter a loop make the same number of iterations, but for those that return."""
        return not self.ends(loop)

    # --- one pass over the kernel ---

    def found(self) -> int:
        return len(self._varying)

    def of(self, expr: ir.Expr) -> Positions:
        return NONE if self.same(expr) else ANYHOW

    def choice(self, s: ir.Switch) -> Positions:
        """Each thread has the number of its case."""
        return ANYHOW

    def begin(self, loop: ir.For, around: Around, frames: tuple[Frame, ...]) -> None:
        """Only threads in the loop see the variables that it declares: its condition is around them, too."""
        super().begin(loop, around, frames)
        self._declared.update((s.symbol, len(around) + 1) for s in loop.init if isinstance(s, ir.Declare))

    def statement(self, s: ir.Stmt, around: Around, frames: tuple[Frame, ...]) -> None:
        if not isinstance(s, _PLAIN) and not self.structural(s):
            self._leaf(s, around, frames)
        else:
            super().statement(s, around, frames)

    def simple(self, s: ir.Stmt, around: Around) -> None:
        match s:
            case ir.Declare(symbol=symbol, init=init):
                self._declare(symbol, init, around)
            case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                self._assigned(target, self.same(value), around)
            case ir.Call(function=function, result=result) if result is not None:
                self._assigned(result, callees.find(function).scope == "block", around)

    def _assigned(self, target: ir.Expr, same: bool, around: Around) -> None:
        root = root_symbol(target)
        if root is None or root not in self._declared:
            return
        reaches_all = not any(around[self._declared[root] :])
        if not (_may_be_uniform(root) and self._same_place(target) and same and reaches_all):
            self._varying.add(root)

    def _same_place(self, place: ir.Expr) -> bool:
        """Whether all threads store to the same element."""
        match place:
            case ir.Var():
                return True
            case ir.Index(base=base, index=index):
                return self.same(index) and self._same_place(base)
        return False

    def _declare(self, symbol: ir.Symbol, init: ir.Expr | None, around: Around) -> None:
        self._declared[symbol] = len(around)
        parts = init.elements if isinstance(init, ir.Aggregate) else (init,)
        if not all(part is None or self.same(part) for part in parts):
            self._varying.add(symbol)

    def _leaf(self, s: ir.Stmt, around: Around, frames: tuple[Frame, ...]) -> None:
        if not leaves_by(s):
            for each in walk_stmts((s,)):
                if not isinstance(each, ir.Call):
                    self.simple(each, around)
            if self.runs_once(s):
                return
        self._varying.update(symbol for symbol in written((s,)) if symbol in self._declared)
        self._varying.update(declared((s,)))
        for jump in leaving((s,)):
            self.jump(jump, around, frames, besides=ANYHOW)


# --- helpers -------------------------------------------------------------------------------------


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
