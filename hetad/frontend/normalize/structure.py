"""Jumps to structure: early return, goto, break, continue, switch and do-while become if, else and loop conditions.

What follows a statement that may jump is nested into the branches that do not (`if (i >= n) return; rest` becomes
`if (i < n) { rest }`).  Where nesting does not reach, a flag records the jump: `stop` for a break, `skip` for a
continue, `returned` for a return, `to_label` for a goto; what would be jumped over is guarded by it, and so are the
loops around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hetad.diagnostics import Span
from hetad.frontend.normalize.switches import always_leaves, unfold
from hetad.ir.arithmetic import integer_value
from hetad.ir.build import Names, as_bool
from hetad.ir.jumps import caught, leaves_by
from hetad.ir.nodes import (
    Assign,
    Block,
    Body,
    Break,
    Const,
    Continue,
    Declare,
    DoWhile,
    Expr,
    For,
    Function,
    Goto,
    If,
    Label,
    Return,
    Stmt,
    Switch,
    Symbol,
    Var,
    While,
)
from hetad.ir.places import changes_only, written
from hetad.ir.simplify import conjunction, opposite
from hetad.ir.types import BOOL, VOID
from hetad.ir.visit import bodies, variables, walk_stmts


@dataclass(eq=False)
class _Target:
    """Where a jump lands; the flag is made when a jump needs one."""

    name: str
    flag: Symbol | None = None


@dataclass(frozen=True)
class _Place:
    """`break_` and `continue_` are where those lead from here; `tail` is where falling off the end leads."""

    break_: _Target | None
    continue_: _Target | None
    tail: frozenset[_Target] = field(default_factory=frozenset)

    def within(self) -> _Place:
        """The same place with something following."""
        return replace(self, tail=frozenset())


def structure(function: Function, names: Names) -> Function:
    """The function without jumps, its only Return the last statement."""
    return replace(function, body=_Structurer(function, names).run())


class _Structurer:
    def __init__(self, function: Function, names: Names) -> None:
        self._function = function
        self._names = names
        self._return = _Target("returned")
        self._labels: dict[str, _Target] = {}
        self._result: Symbol | None = None

    def run(self) -> Body:
        function = self._function
        body = flat(function.body)
        if function.returns != VOID and _single_trailing_return(body):
            done = self._sections(body[:-1], frozenset())
            return (*(self._declare(t.flag, function.span) for t in self._labels.values() if t.flag), *done, body[-1])
        if function.returns != VOID:
            self._result = Symbol(self._names.fresh("result"), function.returns, function.span)
        done = self._sections(body, frozenset((self._return,)))
        flags = (t.flag for t in (self._return, *self._labels.values()))
        lead: Body = tuple(self._declare(flag, function.span) for flag in flags if flag is not None)
        if self._result is not None:
            read = Var(self._result, span=function.span)
            lead = (Declare(self._result, None, span=function.span), *lead)
            return (*lead, *done, Return(read, span=function.span))
        return lead + done

    def _sections(self, body: Body, tail: frozenset[_Target]) -> Body:
        """The function's body; each part that a label begins is run unless something jumped beyond that label."""
        starts = [i for i, stmt in enumerate(body) if isinstance(stmt, Label)]
        labels = [_Target(f"to_{stmt.name}") for stmt in body if isinstance(stmt, Label)]
        self._labels = {body[i].name: t for i, t in zip(starts, labels, strict=True)}  # type: ignore[union-attr]
        ends = [*starts, len(body)]
        out: Body = ()
        far: list[_Target] = []
        for number, (start, end) in enumerate(zip([0, *(i + 1 for i in starts)], ends, strict=True)):
            part = body[start:end]
            place = _Place(None, None, tail if number == len(starts) else frozenset((labels[number],)))
            done = self._list(part, place)
            passed = labels[:number]
            cond = _unset([self._flag(t, part[0].span) for t in far if t not in passed], part[0].span) if done else None
            out += (If(cond, done, (), span=part[0].span),) if cond is not None else done
            far += [t for stmt in part for t in self._far(stmt) if t not in far and t not in place.tail]
        return out

    def _far(self, stmt: Stmt) -> list[_Target]:
        """Where jumps out of the statement lead that leave loops as well: the function's end, and labels."""
        found = [self._return] if _any(stmt, Return) else []
        return [*found, *(self._labels[g] for g in dict.fromkeys(_gotos(stmt)))]

    # --- lists ---------------------------------------------------------------------------------

    def _list(self, stmts: Sequence[Stmt], place: _Place) -> Body:
        out: list[Stmt] = []
        for number, stmt in enumerate(stmts):
            rest = tuple(stmts[number + 1 :])
            if isinstance(stmt, Break | Continue | Return | Goto):
                return (*out, *self._jump(stmt, place))
            if not leaves_by(stmt):
                out.extend(self._within(stmt, place))
                continue
            if isinstance(stmt, If):
                return (*out, *self._choice(stmt, rest, place))
            if isinstance(stmt, Switch):
                return (*out, *self._switch(stmt, rest, place))
            if _is_once(stmt):
                return (*out, *self._once(stmt, rest, place))
            return (*out, *self._leaving_loop(stmt, rest, place))
        return tuple(out)

    def _within(self, stmt: Stmt, place: _Place) -> Body:
        """A statement that control leaves only at its end."""
        if isinstance(stmt, Switch):
            return self._switch(stmt, (), place.within())
        if _is_once(stmt):
            return self._once(stmt, (), place.within())
        if isinstance(stmt, For | While | DoWhile):
            return self._loop(stmt, place)
        if isinstance(stmt, If):
            return _if(stmt, self._list(stmt.then, place.within()), self._list(stmt.orelse, place.within()))
        return (stmt,)

    def _jump(self, stmt: Break | Continue | Return | Goto, place: _Place) -> Body:
        out: list[Stmt] = []
        if isinstance(stmt, Return):
            target: _Target | None = self._return
            if stmt.value is not None and self._result is not None:
                out.append(Assign(Var(self._result, span=stmt.span), stmt.value, span=stmt.span))
        elif isinstance(stmt, Goto):
            target = self._labels[stmt.label]
        else:
            target = place.break_ if isinstance(stmt, Break) else place.continue_
        if target is None:
            raise AssertionError(f"{stmt.span}: {type(stmt).__name__} outside of a loop")
        if target not in place.tail:
            flag = Var(self._flag(target, stmt.span), span=stmt.span)
            out.append(Assign(flag, _bool(True, stmt.span), span=stmt.span))
        return tuple(out)

    # --- statements that may jump out ------------------------------------------------------------

    def _choice(self, stmt: If, rest: Body, place: _Place) -> Body:
        then_jumps, else_jumps = always_leaves(stmt.then), always_leaves(stmt.orelse)
        if rest and (then_jumps or else_jumps):
            then = stmt.then if then_jumps else (*stmt.then, *rest)
            orelse = stmt.orelse if else_jumps else (*stmt.orelse, *rest)
            return _if(stmt, self._list(then, place), self._list(orelse, place))
        if not rest:
            return _if(stmt, self._list(stmt.then, place), self._list(stmt.orelse, place))
        inner = place.within()
        done = _if(stmt, self._list(stmt.then, inner), self._list(stmt.orelse, inner))
        return (*done, *self._guarded(stmt, rest, place))

    def _guarded(self, stmt: Stmt, rest: Body, place: _Place) -> Body:
        """`rest`, run when none of the jumps in `stmt` was taken."""
        flags = [self._flag(t, stmt.span) for t in self._targets(stmt, place)]
        done = self._list(rest, place)
        if not done:
            return ()
        cond = _unset(flags, stmt.span)
        return (If(cond, done, (), span=stmt.span),) if cond is not None else done

    def _switch(self, stmt: Switch, rest: Body, place: _Place) -> Body:
        body = unfold(stmt, self._names)
        return self._once(DoWhile(body, _bool(False, stmt.span), span=stmt.span), rest, place, is_switch=True)

    def _once(self, stmt: Stmt, rest: Body, place: _Place, is_switch: bool = False) -> Body:
        """`do { ... } while (0)` and switches: jumps in it lead to its end."""
        assert isinstance(stmt, DoWhile)
        end = _Target("done" if is_switch else "skip")
        inside = _Place(end, place.continue_ if is_switch else end, frozenset((end,)))
        if not rest:
            inside = replace(inside, tail=inside.tail | place.tail)
        done = self._list(flat(stmt.body), inside)
        if end.flag is not None:
            done = (self._declare(end.flag, stmt.span), *done)
        if not rest:
            return done
        probe = If(_bool(True, stmt.span), _outward(stmt.body, is_switch), (), span=stmt.span)
        return (*done, *self._guarded(probe, rest, place))

    def _leaving_loop(self, stmt: Stmt, rest: Body, place: _Place) -> Body:
        """A loop with a return, or a jump to a label, in it."""
        done = self._loop(stmt, place)
        after = self._list(rest, place)
        cond = _unset([self._flag(t, stmt.span) for t in self._far(stmt)], stmt.span)
        if not after or cond is None:
            return done
        return (*done, If(cond, after, (), span=stmt.span))

    # --- loops ---------------------------------------------------------------------------------

    def _loop(self, stmt: Stmt, place: _Place) -> Body:
        assert isinstance(stmt, For | While | DoWhile)
        if isinstance(stmt, DoWhile):
            return self._do_while(stmt)
        stop, skip = _Target("stop"), _Target("skip")
        body = self._turn(stmt.body, stop, skip, stmt.span)
        flags = self._loop_flags(stmt, stop)
        lead = self._declared(stop, stmt.span)
        unset = _unset(flags, stmt.span)
        if unset is None:
            return (*lead, replace(stmt, body=body))
        if isinstance(stmt, While):
            return (*lead, While(conjunction([unset, stmt.cond]), body, span=stmt.span))
        cond = conjunction([unset, stmt.cond]) if stmt.cond is not None else unset
        steps = _steps(stmt)
        if steps is not None:
            own, others = steps
            guarded = (If(unset, others, (), span=stmt.span),) if others else ()
            return (*lead, replace(stmt, cond=cond, step=own, body=(*body, *guarded)))
        guarded = (If(unset, stmt.step, (), span=stmt.span),) if stmt.step else ()
        return (*lead, *stmt.init, While(cond, (*body, *guarded), span=stmt.span))

    def _turn(self, body: Body, stop: _Target, skip: _Target, span: Span) -> Body:
        done = self._list(flat(body), _Place(stop, skip, frozenset((skip,))))
        return (*self._declared(skip, span), *done)

    def _do_while(self, stmt: DoWhile) -> Body:
        """`again = true; while (again) { body; again = cond; }`."""
        span = stmt.span
        again = Symbol(self._names.fresh("again"), BOOL, span)
        read = Var(again, span=span)
        stop, skip = _Target("stop"), _Target("skip")
        body = self._list(flat(stmt.body), _Place(stop, skip, frozenset((skip,))))
        body = (*self._declared(skip, span), *body)
        flags = self._loop_flags(stmt, stop)
        test: Stmt = Assign(read, as_bool(stmt.cond), span=span)
        unset = _unset(flags, span)
        if unset is not None:
            stopped = Assign(read, _bool(False, span), span=span)
            test = If(unset, (test,), (stopped,), span=span)
        lead = (*self._declared(stop, span), Declare(again, _bool(True, span), span=span))
        return (*lead, While(read, (*body, test), span=span))

    def _loop_flags(self, stmt: Stmt, stop: _Target) -> list[Symbol]:
        flags = [stop.flag] if stop.flag is not None else []
        return flags + [self._flag(t, stmt.span) for t in self._far(stmt)]

    def _targets(self, stmt: Stmt, place: _Place) -> list[_Target]:
        targets: list[_Target] = []
        if place.break_ is not None and Break in leaves_by(stmt):
            targets.append(place.break_)
        if place.continue_ is not None and place.continue_ not in targets and Continue in leaves_by(stmt):
            targets.append(place.continue_)
        return targets + self._far(stmt)

    # --- flags ---------------------------------------------------------------------------------

    def _flag(self, target: _Target, span: Span) -> Symbol:
        if target.flag is None:
            target.flag = Symbol(self._names.fresh(target.name), BOOL, span)
        return target.flag

    def _declared(self, target: _Target, span: Span) -> Body:
        return (self._declare(target.flag, span),) if target.flag is not None else ()

    def _declare(self, flag: Symbol, span: Span) -> Stmt:
        return Declare(flag, _bool(False, span), span=span)


def _steps(loop: For) -> tuple[Body, Body] | None:
    """The steps that may be done once more after a break, as the variables that a loop declares end with it, and the
    others, which may be done before them.  None: one more would be seen."""
    declares = {s.symbol for s in loop.init if isinstance(s, Declare)}
    if not declares or len(declares) < len(loop.init):
        return None
    own = tuple(s for s in loop.step if changes_only(s, declares))
    others = tuple(s for s in loop.step if s not in own)
    in_order = loop.step == (*others, *own) or declares.isdisjoint(variables(others))
    if not in_order or not written(others).isdisjoint(variables(own)):
        return None
    return own, others


# --- what a statement does -----------------------------------------------------------------------


def flat(body: Body) -> Body:
    """Blocks dissolved into the list around them: names are unique, so no scope is needed."""
    out: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Block):
            out.extend(flat(stmt.body))
        elif isinstance(stmt, If):
            out.append(replace(stmt, then=flat(stmt.then), orelse=flat(stmt.orelse)))
        elif isinstance(stmt, Switch):
            out.append(replace(stmt, cases=tuple(replace(c, body=flat(c.body)) for c in stmt.cases)))
        elif _is_once(stmt) and not _jumps_in(stmt):
            assert isinstance(stmt, DoWhile)
            out.extend(flat(stmt.body))
        else:
            out.append(stmt)
    return tuple(out)


def _is_once(stmt: Stmt) -> bool:
    return isinstance(stmt, DoWhile) and integer_value(stmt.cond) == 0


def _jumps_in(stmt: Stmt) -> bool:
    """Whether a break or continue binds to this loop."""
    return any(not caught(stmt).isdisjoint(leaves_by(s)) for b in bodies(stmt) for s in b)


def _any(stmt: Stmt, kind: type) -> bool:
    return any(isinstance(s, kind) for s in walk_stmts((stmt,)))


def _gotos(stmt: Stmt) -> list[str]:
    return [s.label for s in walk_stmts((stmt,)) if isinstance(s, Goto)]


def _outward(body: Body, is_switch: bool) -> Body:
    """The jumps in a `do { } while (0)` or switch that lead beyond it, one of each kind."""
    span = body[0].span if body else Span("", 1, 1)
    out: list[Stmt] = []
    if is_switch and any(Continue in leaves_by(s) for s in body):
        out.append(Continue(span=span))
    if any(_any(s, Return) for s in body):
        out.append(Return(None, span=span))
    out += [Goto(label, span=span) for label in dict.fromkeys(g for s in body for g in _gotos(s))]
    return tuple(out)


def _single_trailing_return(body: Body) -> bool:
    return bool(body) and isinstance(body[-1], Return) and not any(_any(s, Return) for s in body[:-1])


# --- small pieces --------------------------------------------------------------------------------


def _if(stmt: If, then: Body, orelse: Body) -> Body:
    if not then and not orelse:
        return ()
    if not then:
        return (replace(stmt, cond=opposite(stmt.cond), then=orelse, orelse=()),)
    if then is stmt.then and orelse is stmt.orelse:
        return (stmt,)
    return (replace(stmt, then=then, orelse=orelse),)


def _unset(flags: Sequence[Symbol], span: Span) -> Expr | None:
    """`!a && !b`."""
    return conjunction([opposite(Var(flag, span=span)) for flag in flags]) if flags else None


def _bool(value: bool, span: Span) -> Const:
    return Const(value, BOOL, "true" if value else "false", span=span)
