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
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.jumps import NONE, Kinds, caught, leaves_by
from hetad.ir.types import BOOL, INT, UCHAR, Int
from hetad.ir.visit import declared, is_compound, map_bodies, map_body
from hetad.rules import callees, operations
from hetad.targets.cpu.barrier_intervals.collector import Collector
from hetad.targets.cpu.barrier_intervals.exchange import block_sum, exchange
from hetad.targets.cpu.barrier_intervals.nodes import Branch, Jump, Loop, Mask, Node, Once, Scope, Structure
from hetad.targets.cpu.block_ir import assign, clear, element
from hetad.targets.cpu.uniform import Uniformity


@dataclass(slots=True)
class _Frame:
    """A loop or switch whose body is being built: how many masks hold in the whole and in the body."""

    loop: Loop | None
    whole: int
    body: int
    apart: bool = False  # whether some threads leave iterations, or the loop, before others


def structure(kernel: ir.Function, parallel: bool = False) -> Structure:
    """`parallel`: other blocks run at the same time, so a block adds to a number of all blocks once."""
    return Builder(kernel, parallel=parallel).build()


@dataclass(slots=True)
class Builder(Collector):
    parallel: bool = False
    frames: list[_Frame] = field(default_factory=list)
    shared: list[ir.Symbol] = field(default_factory=list)
    labels: int = 0

    def build(self) -> Structure:
        self.shared = [s for s in declared(self.kernel.body) if s.storage == "shared"]
        self.kernel = replace(self.kernel, body=map_body(_without_shared, self.kernel.body))
        self.uniformity = Uniformity(self.kernel)
        alive = Mask(self.array("alive", UCHAR), bool(self.uniformity.returns))
        self.masks = [alive]
        body = self.kernel.body
        self.body(body[:-1] if body and isinstance(body[-1], ir.Return) else body)
        self.flush()
        if not alive.used:
            self.arrays.remove(alive.symbol)
        return Structure(self.out, alive, self.shared, self.arrays, self.scalars, self.uniformity)

    # --- collecting ---

    def may_miss_threads(self) -> bool:
        """Whether threads that are in a loop around may come here in another iteration than others."""
        loops = [f for f in self.frames if f.loop is not None]
        return any(f.apart for f in loops) or (bool(loops) and len(self.masks) > loops[0].body)

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
            case ir.Call() if callees.meets(s):
                exchange(self, s, self.may_miss_threads())
            case ir.Call() if self.parallel and operations.does(s, operations.block_add) and uniform.same(s.args[0]):
                block_sum(self, s)
            case ir.Return() | ir.Break() | ir.Continue():
                self.jump(s)
            case ir.For(lanes=True) if len(self.masks) == 1 and not self.masks[0].used:
                self.flush()
                self.out.append(Once(_whole(s)))
            case _ if is_compound(s) and uniform.structural(s):
                self.compound(s)
            case _ if is_compound(s) and not leaves_by(s) and uniform.runs_once(s):
                self.once(s)
            case _:
                self.pending += self.leaf(s)

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

    def leaf(self, s: ir.Stmt, stay: Kinds = NONE) -> ir.Body:
        """A statement for each thread alone, its jumps out of the region replaced; those of some kinds stay in it."""
        if leaves_by(s) <= stay:
            return (s,)
        if isinstance(s, ir.Return | ir.Break | ir.Continue):
            return self.leaving(s)
        stay |= caught(s)
        return (map_bodies(lambda body: tuple(x for each in body for x in self.leaf(each, stay)), s),)

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
        apart = not uniform.stays_together(s) or s in uniform.continues
        self.frames.append(_Frame(loop, whole, len(self.masks), apart))
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
