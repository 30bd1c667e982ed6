"""Removal of what nobody reads: the slicing of forward sweeps, and the to-be-recorded (TBR) analysis, in one.

The engine saves everything it overwrites.  A backward pass over forward and reverse sweep together then drops each
statement whose result is dead: a restored value that no adjoint reads, with it its save, with it the forward
computation that only fed it.
Source for TBR: L. Hascoet, U. Naumann, V. Pascual, "To be recorded" analysis in reverse-mode AD, 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from hetad.analysis.dataflow import settle
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import bytes_of, does
from hetad.analysis.pointers import Location, Root
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import Fact, lasting, once, part_of_self
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Array, Pointer, Struct, size_of
from hetad.ir.visit import (
    bodies,
    collected,
    own_nodes,
    own_variables,
    same_or,
    walk_expr,
    walk_stmts,
    with_bodies,
)
from hetad.memops.table import TABLE
from hetad.rules import callees, operations

Live = set[Location]
_Compound = ir.If | ir.For | ir.While | ir.Block

_TELLING = (operations.lost, operations.undefined, operations.found)  # what they do is tell the analyses something


@dataclass(frozen=True, slots=True)
class _Pruned:
    """What becomes of a statement with others in it, what is live before it, and which values it has lost."""

    statement: ir.Stmt
    pruned: ir.Stmt | None
    before: Live
    lost: dict[Span, None]


class Liveness:
    """`keeps(statement)`: an effect, beyond the locations it writes, that must stay."""

    def __init__(self, effects: Effects, keeps: Callable[[ir.Stmt], bool], fills: Collection[ir.Launch] = ()) -> None:
        """`fills`: launches that overwrite all that their memory ever holds."""
        self.effects = effects
        self.keeps = once(keeps)
        self.fills = fills
        self.lost: dict[Span, None] = {}
        self._reads: Fact[ir.Stmt, frozenset[Location]] = once(lambda s: frozenset(effects.reads(s)))
        self._bare: Fact[ir.Declare, ir.Declare] = once(lambda s: replace(s, init=None))
        self._writes: Fact[ir.Stmt, tuple[Location, ...]] = once(lambda s: tuple(effects.writes(s)))
        self._touched = part_of_self(self._all_touched)
        self._stays = part_of_self(self._must_stay)  # whatever is live
        self._runs = part_of_self(self._must_run)
        self._known = IdentityMap[ir.Stmt, dict[frozenset[Location], _Pruned]]()
        self._done = IdentityMap[ir.Body, dict[frozenset[Location], dict[Span, None]]]()  # what they have lost

    def prune(self, body: ir.Body, live_at_end: Iterable[Location] = ()) -> ir.Body:
        """`body` without dead statements, to a fixed point."""
        end = frozenset(live_at_end)
        while True:
            done = self._done.setdefault(body, {})
            if end in done:
                self.lost = dict(done[end])
                return body
            self.lost = {}
            pruned = drop_unused(self.block(body, set(end)))
            if pruned is body or (pruned == body and count(pruned) == count(body)):
                self._done.setdefault(pruned, {})[end] = dict(self.lost)
                return pruned
            body = pruned

    def block(self, body: ir.Body, live: Live) -> ir.Body:
        """Prunes; `live` holds what is live after the body on entry, before it on return."""
        kept: list[ir.Stmt] = []
        beside: dict[ir.Symbol, Location] = {}  # by slot: what is live but for the part that is restored there
        for i in range(len(body) - 1, -1, -1):
            s = body[i]
            if beside:
                own = _parts_of(body, i)
                touched = None if bodies(s) else set(self._writes(s))
                for slot in [x for x in beside if x not in own and (touched is None or beside[x] in touched)]:
                    live.add(beside.pop(slot))
            new = self.statement(s, live)
            if isinstance(new, ir.Pop) and new.extent == "part" and len(self._writes(new)) == 1:
                beside[new.slot] = self._writes(new)[0]
                live.discard(beside[new.slot])
            elif isinstance(new, ir.Push) and new.slot in beside:
                live.add(beside.pop(new.slot))
            if new is not None and not (_is_barrier(new) and kept and _is_barrier(kept[-1])):
                kept.append(new)
        live.update(beside.values())
        kept.reverse()
        return same_or(body, tuple(kept))

    def statement(self, s: ir.Stmt, live: Live) -> ir.Stmt | None:
        match s:
            case ir.Declare(symbol=symbol):
                return self._declare(s, symbol, live)
            case ir.If() | ir.For() | ir.While() | ir.Block():
                return self._compound(s, live)
            case ir.Push(slot=slot):
                if slot not in live:
                    return None
                live.update(self._reads(s))
                return s
            case ir.Comment():
                return s
            case ir.Return():
                live.update(self._reads(s))
                return s
        return self._effect(s, live)

    def _declare(self, s: ir.Declare, symbol: ir.Symbol, live: Live) -> ir.Stmt | None:
        if s.init is None:
            live.discard(symbol)
            return s
        wanted = symbol in live or self.keeps(s)
        live.discard(symbol)
        if not wanted:
            return self._bare(s)
        live.update(self._reads(s))
        return s

    def _effect(self, s: ir.Stmt, live: Live) -> ir.Stmt | None:
        writes = self._writes(s)
        if operations.does(s, *_TELLING):
            self._tell(s, live)
            return s
        if live.isdisjoint(writes) and not self._stays(s):
            return None
        if len(writes) == 1 and self._overwrites_wholly(s, writes[0]):
            live.discard(writes[0])
        if isinstance(s, ir.Pop):
            live.add(s.slot)
        live.update(self._reads(s))
        return s

    def _tell(self, s: ir.Call, live: Live) -> None:
        """What a statement that is only for the analyses says of what is live."""
        if operations.does(s, operations.lost):
            if not live.isdisjoint(self._writes(s)):
                self.lost[s.span] = None
        elif operations.does(s, operations.undefined):
            behind = self.effects.pointers.targets(s.args[0])
            live -= {x for x in behind if len(behind) == 1 and isinstance(x, Root) and x.single}
        else:
            live -= {e.symbol for e in s.args if isinstance(e, ir.Var)}

    def _must_stay(self, s: ir.Stmt) -> bool:
        writes = self._writes(s)
        of_adjoints = (
            not writes or any(isinstance(x, Root) and x.adjoints for x in writes) or self._may_lead_elsewhere(s)
        )
        return (of_adjoints and self._stores(s)) or self.keeps(s)

    def _may_lead_elsewhere(self, s: ir.Stmt) -> bool:
        """Whether a statement stores through a choice of pointers of which nothing is known of one."""
        into = walk_expr(s.target) if isinstance(s, ir.Assign | ir.Update) else own_nodes(s)
        choices = (e for e in into if isinstance(e, ir.Select) and isinstance(e.type, Pointer))
        arms = (bare(arm) for e in choices for arm in (e.then, e.orelse))
        return any(isinstance(arm, ir.Var) and not self.effects.pointers.targets(arm) for arm in arms)

    def _must_run(self, s: ir.Stmt) -> bool:
        """Whether something in the statement stays whatever is live, and is more than a declaration or a barrier."""
        if isinstance(s, ir.Declare | ir.Push | ir.Comment | ir.Return):
            return isinstance(s, ir.Return)
        if isinstance(s, _Compound):
            return any(self._runs(inner) for body in bodies(s) for inner in body)
        told = operations.does(s, *_TELLING)
        return not told and not callees.calls(s, "barrier") and self._stays(s)

    def _stores(self, s: ir.Stmt) -> bool:
        """Whether the statement stores somewhere: if no location is known for it, that is memory of adjoints."""
        if isinstance(s, ir.Call):
            callee = callees.find(s.function)
            moves = callee.operation is not None and callee.operation.action in ("copy", "fill")
            outs = callee.kind == "support" and bool(callee.writes)
            return callee.kind == "atomic" or s.result is not None or outs or moves
        if isinstance(s, ir.Launch):
            return bool(self.effects.summary(s).writes)
        return isinstance(s, ir.Assign | ir.Update | ir.Pop)

    def _overwrites_wholly(self, s: ir.Stmt, location: Location) -> bool:
        match s:
            case ir.Assign(target=ir.Var()):
                return True
            case ir.Pop(place=ir.Var(), extent="value"):
                return True
            case ir.Pop(place=place, extent="range", bytes=size):
                return location is _covered(place, size)
            case ir.Call() if does(s, "copy", "fill"):
                whole = bytes_of(s)
                return whole is not None and location is _covered(whole.dst, whole.size)
            case ir.Launch():
                return s in self.fills
            case ir.Pop(extent="allocation"):
                return isinstance(location, Root) and location.single
            case ir.Call(function=name, result=result) if name in TABLE or callees.kind(name) == "support":
                plain = not isinstance(location.type, Array | Struct) if isinstance(location, ir.Symbol) else False
                return plain and (isinstance(result, ir.Var) or callees.allocates(s))
            case ir.Call(result=ir.Var(symbol=symbol)):
                return location is symbol
        return False

    def _compound(self, s: _Compound, live: Live) -> ir.Stmt | None:
        """What a statement with others in it makes of what is live depends on the locations that it touches alone.  It
        is found once for each choice of these: the loops around come to it again and again, as do those who prune a
        function several times."""
        within = frozenset(live & self._touched(s))
        choices = self._known.setdefault(s, {})
        known = choices.get(within)
        if known is None:
            before = set(within)
            others, self.lost = self.lost, {}
            new = self._inside(s, before)
            known = choices[within] = _Pruned(s, new, before, self.lost)
            self.lost = others
        self.lost.update(known.lost)
        live -= within
        live |= known.before
        return known.pruned

    def _inside(self, s: _Compound, live: Live) -> ir.Stmt | None:
        if isinstance(s, ir.If):
            return self._branch(s, live)
        if isinstance(s, ir.Block):
            inner = self.block(s.body, live)
            return with_bodies(s, body=inner) if inner else None
        return self._loop(s, live)

    def _branch(self, s: ir.If, live: Live) -> ir.Stmt | None:
        other = set(live)
        then, orelse = self.block(s.then, live), self.block(s.orelse, other)
        live |= other
        if not _substance(then) and not _substance(orelse) and not _waits((*then, *orelse)):
            return None
        live.update(self._reads(s))
        return with_bodies(s, then=then, orelse=orelse)

    def _all_touched(self, s: ir.Stmt) -> frozenset[Location]:
        """All whose being live or not makes a difference to a statement and what is in it, or that it changes."""
        found: set[Location] = set()
        around = [s]
        while around:
            inner = around.pop()
            found.update(self._reads(inner), self._writes(inner))
            match inner:
                case ir.Push(slot=slot) | ir.Pop(slot=slot):
                    found.add(slot)
                case ir.Call() if operations.does(inner, operations.undefined):
                    found.update(self.effects.pointers.targets(inner.args[0]))
                case ir.Call() if operations.does(inner, operations.found):
                    found.update(e.symbol for e in inner.args if isinstance(e, ir.Var))
            for nested in bodies(inner):
                for x in nested:
                    if isinstance(x, _Compound):
                        found |= self._touched(x)  # which is asked for, too
                    else:
                        around.append(x)
        return frozenset(found)

    def _loop(self, s: ir.For | ir.While, live: Live) -> ir.Stmt | None:
        init = s.init if isinstance(s, ir.For) else ()
        step = s.step if isinstance(s, ir.For) else ()
        if not self._needed(s, init, step, live):
            return next((x for x in walk_stmts(s.body) if _is_barrier(x)), None)  # it separates what stands around
        at_head = set(live) | self._reads(s)
        new_step = new_body = s.body

        def around() -> None:
            nonlocal new_step, new_body
            inside = set(at_head)
            new_step = self.block(step, inside)
            new_body = self.block(s.body, inside)
            at_head.update(inside)

        settle(at_head, around)
        live |= at_head
        if isinstance(s, ir.While):
            return with_bodies(s, body=new_body)
        new_init = self.block(init, live)
        return with_bodies(s, init=new_init, step=new_step, body=new_body)

    def _needed(self, s: ir.For | ir.While, init: ir.Body, step: ir.Body, live: Live) -> bool:
        """Whether anything in the loop matters after it; what only keeps the loop going does not."""
        if any(map(self._runs, (*s.body, *step))):
            return True
        at_head, matters = set(live), False

        def around() -> None:
            nonlocal matters
            inside = set(at_head)
            kept = (*self.block(step, inside), *self.block(s.body, inside))
            matters = matters or _substance(kept)
            at_head.update(() if matters else inside)

        settle(at_head, around)
        return matters or _substance(self.block(init, set(live)))


def _parts_of(body: ir.Body, position: int) -> set[ir.Symbol]:
    """The slots of the parts that the statements in front of a launch save for it: all that it writes there."""
    s = body[position]
    found: set[ir.Symbol] = set()
    while isinstance(s, ir.Launch) and position > 0:
        position -= 1
        push = body[position]
        if not isinstance(push, ir.Push) or push.span != s.span:
            break
        if push.extent == "part":
            found.add(push.slot)
    return found


def _covered(pointer: ir.Expr, size: ir.Expr | None) -> ir.Symbol | None:
    """The variable that so many bytes from its start on are all of."""
    pointer = bare(pointer)
    place = pointer.place if isinstance(pointer, ir.AddressOf) else pointer
    if not isinstance(place, ir.Var) or not isinstance(size, ir.Const):
        return None
    whole = isinstance(pointer, ir.AddressOf) or isinstance(place.type, Array)
    return place.symbol if whole and int(size.value) >= size_of(place.type) else None


def _has_substance(s: ir.Stmt) -> bool:
    plain = isinstance(s, ir.Comment) or (isinstance(s, ir.Declare) and s.init is None)
    return not plain and not callees.calls(s, "barrier") and not operations.does(s, operations.undefined)


def _has_barrier(s: ir.Stmt) -> bool:
    return _is_barrier(s) or any(map(_waits_inside, chain.from_iterable(bodies(s))))


_is_substance: Fact[ir.Stmt, bool] = lasting(_has_substance)
_waits_inside: Fact[ir.Stmt, bool] = lasting(_has_barrier)


def _substance(body: ir.Body) -> bool:
    """Whether a body does more than declare, comment and wait."""
    return any(map(_is_substance, body))


def _waits(body: ir.Body) -> bool:
    """Whether the threads of the block wait for each other in the body."""
    return any(map(_waits_inside, body))


def _is_barrier(s: ir.Stmt) -> bool:
    return callees.is_block_barrier(s)


def count(body: ir.Body) -> int:
    return sum(1 for _ in walk_stmts(body))


def drop_unused(body: ir.Body) -> ir.Body:
    """Without declarations of variables that no other statement mentions, empty branches, orphaned comments."""
    used = set(chain.from_iterable(map(_used, body)))
    return _tidied(body, used)


def _tidied(body: ir.Body, used: set[ir.Symbol]) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        new = _tidied_if_used(s) if used.issuperset(_declared(s)) else _tidied_statement(s, used)
        if new is None:
            continue
        if isinstance(new, ir.Comment) and out and isinstance(out[-1], ir.Comment):
            out.pop()
        out.append(new)
    while out and isinstance(out[-1], ir.Comment):
        out.pop()
    return same_or(body, tuple(out))


def _tidied_statement(s: ir.Stmt, used: set[ir.Symbol]) -> ir.Stmt | None:
    if isinstance(s, ir.Declare) and s.init is None and s.symbol not in used:
        return None
    if isinstance(s, ir.If):
        s = with_bodies(s, then=_tidied(s.then, used), orelse=_tidied(s.orelse, used))
        return s if _substance(s.then) or _substance(s.orelse) or _waits((s,)) else None
    if isinstance(s, ir.For | ir.While | ir.Block):
        s = with_bodies(s, body=_tidied(s.body, used))
        return None if isinstance(s, ir.Block) and not _substance(s.body) else s
    return s


def _own_used(s: ir.Stmt) -> Iterable[ir.Symbol]:
    return (*own_variables(s), s.slot) if isinstance(s, ir.Push | ir.Pop) else own_variables(s)


def _own_declared(s: ir.Stmt) -> Iterable[ir.Symbol]:
    return (s.symbol,) if isinstance(s, ir.Declare) and s.init is None else ()


_used: Fact[ir.Stmt, tuple[ir.Symbol, ...]] = collected(_own_used)
_declared: Fact[ir.Stmt, tuple[ir.Symbol, ...]] = collected(_own_declared)  # without a value
_tidied_if_used: Fact[ir.Stmt, ir.Stmt | None] = lasting(lambda s: _tidied_statement(s, set(_declared(s))))
