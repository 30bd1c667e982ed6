"""A kernel whose threads wait for each other, as regions that run for one thread after another.

The structure of the kernel (`targets/cpu/uniform.py`) becomes C control flow around the regions.  Where threads take
different ways, each has a *mask*: one byte per thread, tested at the start of a region.  Inner masks imply outer ones:
a thread that leaves a loop or the kernel clears all masks up to that of what it leaves.  No region runs, and no
statement of the structure, in a branch that no thread takes.

In a region's body `Return` means that the thread is done with the region.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hetad.diagnostics import Span
from hetad.emit.walk import mentioned
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.places import root_symbol, written
from hetad.ir.types import BOOL, INT, SIZE_T, UCHAR, Array, Int, Type, size_of
from hetad.ir.visit import declared, map_bodies, map_body
from hetad.rules import callees, operations
from hetad.targets.cpu.barrier_intervals.nodes import Branch, Jump, Loop, Mask, Node, Once, Region, Scope, Structure
from hetad.targets.cpu.block_ir import THREADS, assign, element
from hetad.targets.cpu.exchange import block_sum, exchange
from hetad.targets.cpu.uniform import Uniformity, escaping

MOST_THREADS = 1024


@dataclass(slots=True)
class _Frame:
    """A loop or switch whose body is being built: how many masks hold in the whole and in the body."""

    loop: Loop | None
    whole: int
    body: int


def structure(kernel: ir.Function, parallel: bool = False) -> Structure:
    """`parallel`: other blocks run at the same time, so a block adds to a number of all blocks once."""
    return Builder(kernel, parallel).build()


@dataclass(slots=True)
class Builder:
    kernel: ir.Function
    parallel: bool
    uniformity: Uniformity = field(init=False)
    masks: list[Mask] = field(init=False)
    out: list[Node] = field(default_factory=list)
    pending: list[ir.Stmt] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    loops: tuple[object, ...] = ()
    shared: list[ir.Symbol] = field(default_factory=list)
    arrays: list[ir.Symbol] = field(default_factory=list)
    scalars: list[ir.Symbol] = field(default_factory=list)
    labels: int = 0

    def build(self) -> Structure:
        self.shared = [s for s in declared(self.kernel.body) if s.storage == "shared"]
        self.kernel = replace(self.kernel, body=map_body(_without_shared, self.kernel.body))
        self.uniformity = Uniformity(self.kernel)
        alive = Mask(self.array("alive", UCHAR), self.uniformity.thread_returns)
        self.masks = [alive]
        body = self.kernel.body
        self.body(body[:-1] if body and isinstance(body[-1], ir.Return) else body)
        self.flush()
        if not alive.used:
            self.arrays.remove(alive.symbol)
        return Structure(self.out, alive, self.shared, self.arrays, self.scalars, self.uniformity)

    # --- variables of the block ---

    def array(self, name: str, of: Type, length: int = MOST_THREADS) -> ir.Symbol:
        symbol = ir.Symbol(f"hetad_{name}_{len(self.arrays) + 1}", Array(of, length), self.kernel.span)
        self.arrays.append(symbol)
        return symbol

    def scalar(self, name: str, type_: Type) -> ir.Symbol:
        symbol = ir.Symbol(f"hetad_{name}_{len(self.scalars) + 1}", type_, self.kernel.span)
        self.scalars.append(symbol)
        return symbol

    # --- collecting ---

    def flush(self) -> None:
        """The end of a region: what comes next waits until all threads have come here."""
        if self.pending:
            self.out.append(Region(tuple(self.pending), self.masks[-1], self.loops))
            self.pending = []

    def once(self, statement: ir.Stmt, unless_all: Mask | None = None) -> None:
        """A statement for the block: before the region that is being collected if that does not see the difference."""
        targets, seen = changed(statement), mentioned(statement)
        if any(mentioned(p) & targets or written((p,)) & seen for p in self.pending):
            self.flush()
        self.out.append(Once(statement, unless_all))

    def nested(self, body: ir.Body) -> list[Node]:
        outer, self.out = self.out, []
        self.body(body)
        self.flush()
        found, self.out = self.out, outer
        return found

    def body(self, body: ir.Body) -> None:
        for statement in body:
            self.statement(statement)

    # --- statements ---

    def statement(self, s: ir.Stmt) -> None:
        uniform = self.uniformity
        match s:
            case ir.Declare() | ir.Assign() | ir.Update() if uniform.runs_once(s):
                self.once(s)
            case ir.Call() if callees.calls(s, "barrier"):
                self.flush()
            case ir.Call() if callees.meets(s):
                exchange(self, s)
            case ir.Call() if self.parallel and operations.does(s, operations.block_add) and uniform.same(s.args[0]):
                block_sum(self, s)
            case ir.Return() | ir.Break() | ir.Continue():
                self.jump(s)
            case ir.For(lanes=True) if len(self.masks) == 1 and not self.masks[0].used:
                self.flush()
                self.out.append(Once(_whole(s)))
            case ir.Block() | ir.If() | ir.For() | ir.While() | ir.DoWhile() | ir.Switch() if uniform.structural(s):
                self.compound(s)
            case ir.Block() | ir.If() | ir.For() | ir.While() | ir.DoWhile() | ir.Switch() if not escaping(
                (s,)
            ) and uniform.runs_once(s):
                self.once(s)
            case _:
                self.pending += self.leaf(s, False, False)

    def compound(self, s: ir.Stmt) -> None:
        match s:
            case ir.Block(body=body):
                self.flush()
                self.out.append(Scope(self.nested(body)))
            case ir.If(cond=cond, then=then, orelse=orelse) if self.uniformity.same(cond):
                self.flush()
                self.out.append(Branch(cond, self.nested(then), self.nested(orelse)))
            case ir.If():
                self.masked_branch(s)
            case ir.For() | ir.While() | ir.DoWhile():
                self.flush()
                outer, self.out = self.out, []
                self.loop(s)
                outer.append(Scope(self.out))
                self.out = outer
            case ir.Switch():
                self.switch(s)

    # --- leaving ---

    def jump(self, s: ir.Stmt) -> None:
        depth = len(self.masks)
        loop = next((f for f in reversed(self.frames) if f.loop is not None), None)
        match s:
            case ir.Return() if depth == 1:
                self.all_leave(Jump("return"))
            case ir.Break() if loop is not None and loop is self.frames[-1] and depth == loop.whole:
                self.all_leave(Jump("break", loop.loop))
            case ir.Continue() if loop is not None and depth == loop.body:
                self.all_leave(Jump("continue", loop.loop))
            case _:
                self.pending += self.leaving(s)
                self.flush()

    def all_leave(self, jump: Jump) -> None:
        self.flush()
        self.out.append(jump)

    def leaving(self, s: ir.Stmt) -> ir.Body:
        """How one thread does not take part any more in what the jump leaves."""
        match s:
            case ir.Return():
                target = 0
            case ir.Break():
                target = self.frames[-1].whole - 1
            case _:
                target = next(f.body for f in reversed(self.frames) if f.loop is not None) - 1
        cleared = [assign(element(m.symbol, s.span), 0) for m in reversed(self.masks[target:])]
        return (*cleared, ir.Return(None, span=s.span))

    def leaf(self, s: ir.Stmt, in_loop: bool, in_switch: bool) -> ir.Body:
        """A statement for each thread alone, its jumps out of the region replaced."""
        match s:
            case ir.Return():
                return self.leaving(s)
            case ir.Break() if not in_loop and not in_switch:
                return self.leaving(s)
            case ir.Continue() if not in_loop:
                return self.leaving(s)
        if not escaping((s,), in_loop, in_switch):
            return (s,)
        in_loop = in_loop or isinstance(s, ir.For | ir.While | ir.DoWhile)
        in_switch = isinstance(s, ir.Switch) or (in_switch and not isinstance(s, ir.For | ir.While | ir.DoWhile))
        return (map_bodies(lambda body: tuple(x for each in body for x in self.leaf(each, in_loop, in_switch)), s),)

    # --- branches ---

    def masked_branch(self, s: ir.If) -> None:
        then = self.mask("then", s.span) if s.then else None
        orelse = self.mask("else", s.span) if s.orelse else None
        tests = []
        if then is not None:
            tests.append((then, s.cond))
        if orelse is not None:
            tests.append((orelse, ir.Unary("!", s.cond, BOOL, span=s.span)))
        anyone = [self.enter(mask, cond, s.span) for mask, cond in tests]
        self.flush()
        for (mask, _), some, body in zip(tests, anyone, [b for b in (s.then, s.orelse) if b], strict=True):
            self.out.append(Branch(var(some, s.span), self.under(mask, body), []))

    def mask(self, name: str, span: Span, for_all: bool = False) -> Mask:
        """A new mask, false for the threads that are out of the present one (`for_all`: for every thread)."""
        symbol = self.array(name, UCHAR)
        self.once(clear(symbol, span), None if for_all else self.masks[-1])
        return Mask(symbol, True)

    def enter(self, mask: Mask, cond: ir.Expr, span: Span) -> ir.Symbol:
        """Give the mask its value; the variable that tells whether it holds for any thread."""
        some = self.scalar("any", INT)
        self.once(assign(var(some, span), 0))
        own = element(mask.symbol, span)
        self.pending += [
            ir.Assign(own, ir.Cast(cond, BOOL, span=span), span=span),
            ir.Update("|", var(some, span), own, span=span),
        ]
        return some

    def under(self, mask: Mask, body: ir.Body) -> list[Node]:
        self.masks.append(mask)
        found = self.nested(body)
        self.masks.pop()
        return found

    # --- loops ---

    def loop(self, s: ir.For | ir.While | ir.DoWhile) -> None:
        uniform, span = self.uniformity, s.span
        if isinstance(s, ir.For):
            self.body(s.init)
        depth = len(self.masks)
        if not uniform.stays_together(s):
            mask = self.mask("loop", span)
            self.pending.append(assign(element(mask.symbol, span), 1))
        self.flush()
        if not uniform.stays_together(s):
            self.masks.append(mask)
        self.labels += 1
        loop = Loop(None, [], [], None, self.labels)
        self.out.append(loop)
        outer, self.out, outer_loops = self.out, [], self.loops
        self.loops = (*self.loops, loop)
        if not isinstance(s, ir.DoWhile):
            self.test(s.cond, loop, at_head=True)
        if len(self.masks) > depth or s in uniform.returning:
            self.someone(span, loop)
        whole = len(self.masks)
        if s in uniform.continues:
            mask = self.mask("iteration", span)
            self.pending.append(assign(element(mask.symbol, span), 1))
            self.flush()
            self.masks.append(mask)
        self.frames.append(_Frame(loop, whole, len(self.masks)))
        self.body(s.body)
        self.flush()
        self.frames.pop()
        del self.masks[whole:]
        loop.body, self.out = self.out, []
        if isinstance(s, ir.For):
            self.body(s.step)
            self.flush()
        if isinstance(s, ir.DoWhile):
            self.test(s.cond, loop, at_head=False)
            self.flush()
        loop.step, self.out = self.out, outer
        self.loops = outer_loops
        del self.masks[depth:]

    def test(self, cond: ir.Expr | None, loop: Loop, at_head: bool) -> None:
        if cond is None:
            return
        if not self.uniformity.same(cond):
            mine = element(self.masks[-1].symbol, cond.span)
            self.pending.append(ir.Assign(mine, ir.Cast(cond, BOOL, span=cond.span), span=cond.span))
        elif at_head:
            loop.cond = cond
        else:
            loop.tail = cond

    def someone(self, span: Span, loop: Loop) -> None:
        """Leave a loop in which no thread is left."""
        some = self.scalar("any", INT)
        self.once(assign(var(some, span), 0))
        mine = element(self.masks[-1].symbol, span)
        self.pending.append(
            ir.Update("|", var(some, span), mine if len(self.masks) > 1 else integer(1, span), span=span)
        )
        self.flush()
        self.out.append(Branch(ir.Unary("!", var(some, span), BOOL, span=span), [Jump("break", loop)], []))

    # --- switch ---

    def switch(self, s: ir.Switch) -> None:
        """Each thread has the number of its case; a case runs for those threads and for those that fall into it."""
        span = s.span
        number = self.array("case", INT)
        mask = self.mask("switch", span, for_all=True)
        subject = ir.Symbol(f"hetad_subject_{len(self.arrays)}", s.subject.type, span)
        default = next((i for i, case in enumerate(s.cases) if case.default), -1)
        choice: ir.Stmt = assign(element(number, span), default)
        for i, case in reversed(list(enumerate(s.cases))):
            for value in reversed(case.values):
                test = binary("==", var(subject, span), value)
                choice = ir.If(test, (assign(element(number, span), i),), (choice,), span=span)
        self.pending += [ir.Declare(subject, s.subject, span=span), choice]
        self.flush()
        for i, case in enumerate(s.cases):
            here = binary("==", element(number, span), integer(i, span))
            before = element(mask.symbol, span)
            some = self.enter(mask, binary("||", before, here), span)
            self.flush()
            self.masks.append(mask)
            self.frames.append(_Frame(None, len(self.masks), len(self.masks)))
            self.out.append(Branch(var(some, span), self.nested(case.body), []))
            self.frames.pop()
            self.masks.pop()


def _whole(s: ir.For) -> ir.For:
    """A loop whose iterations the threads share, as one thread makes all of them."""
    (start,), (step,) = s.init, s.step
    assert isinstance(start, ir.Declare) and isinstance(start.symbol.type, Int) and isinstance(step, ir.Update)
    zero, one = (integer(n, s.span, start.symbol.type) for n in (0, 1))
    return replace(s, init=(replace(start, init=zero),), step=(replace(step, value=one),), lanes=False)


def _without_shared(s: ir.Stmt) -> ir.Stmt | None:
    if not isinstance(s, ir.Declare) or s.symbol.storage != "shared":
        return s
    return ir.Assign(ir.Var(s.symbol, span=s.span), s.init, span=s.span) if s.init is not None else None


def clear(array: ir.Symbol, span: Span) -> ir.Stmt:
    """Zeros for every thread of the block."""
    assert isinstance(array.type, Array)
    size = binary("*", integer(size_of(array.type.of), span, SIZE_T), var(THREADS, span))
    return ir.Call("memset", (var(array, span), integer(0, span), size), span=span)


def changed(statement: ir.Stmt) -> set[ir.Symbol]:
    """The variables that a statement of the structure gives values to."""
    if isinstance(statement, ir.Declare):
        return {statement.symbol}
    if isinstance(statement, ir.Call):
        root = root_symbol(statement.args[0])
        return {root} if root is not None else set()
    return written((statement,))
