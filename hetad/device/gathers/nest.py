"""Increments with one key as a nest of loops over their free coordinates, everything as far out as it can stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses, Definition, Guard, Loop, Step
from hetad.analysis.affine import UNIT, Polynomial, atom, numeral, symbols
from hetad.analysis.dataflow import settle
from hetad.analysis.scales import Scale
from hetad.device.accumulation.increments import Increment, plain, takes
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.ends import Ends, Threads
from hetad.device.gathers.sources import NoGather, Source, user_name
from hetad.device.gathers.team import Team
from hetad.device.gathers.text import Text
from hetad.ir import nodes as ir
from hetad.ir.build import convert
from hetad.ir.identity import IdentityMap
from hetad.ir.places import changed_in, through_pointer
from hetad.ir.simplify import conjunction
from hetad.ir.types import Int
from hetad.ir.visit import children, map_body, map_children, map_own_exprs, variables, walk_expr, walk_exprs

UNROLLED = "4"  # times: so that the loads of several iterations are under way together


@dataclass(frozen=True, slots=True)
class _Item:
    """A statement, or a condition for all that follows, inside `level` free loops."""

    level: int
    what: ir.Stmt | ir.Expr
    bound: tuple[ir.Symbol, Polynomial] | None = None  # of a condition `coordinate < uniform`
    condition: Polynomial | None = None  # that is not negative, where it is known as such


class Nest:
    def __init__(
        self,
        accesses: Accesses,
        maps: AccessMaps,
        sources: Sequence[Source],
        arithmetic: Arithmetic,
        targets: Mapping[Scale, ir.Symbol],
        within: Callable[[Source], list[Polynomial]],
        ends: Ends,
    ) -> None:
        """`targets`: the variables that hold the subscripts; `within`: what is known of them, not negative.

        Raises NoGather.
        """
        self.coordinates, self.maps, self.sources = accesses.coordinates, maps, sources
        self.text = Text(sources)
        self.last = self.text.last
        self.access = self.last.access
        self.arithmetic = arithmetic.copy()
        self.free = self.last.free
        self.team: Team | None = None
        self.items: list[_Item] = []
        self.bounds: dict[ir.Symbol, list[Polynomial]] = {c: [] for c in self.free}
        self.levels: dict[ir.Symbol, int] = {}
        self.same: dict[ir.Symbol, ir.Symbol] = {}  # for the user's variables that hold a coordinate
        self.indices: dict[ir.Symbol, ir.Declare] = {}  # other integer variables, to be declared where they are used
        self.needed = {x for s in sources for x in s.slice.indices}
        guards = (s for s in self.text.steps if isinstance(s, Guard))
        self.conjuncts = IdentityMap((s, self._conjuncts(accesses, s)) for s in guards)
        self._declare_coordinates(targets)
        self._constants(targets)
        self._ranges(within(self.last))
        self._declare_indices()
        self._place_steps()
        self._join_bounds(ends)
        self.ends = ends

    def _conjuncts(self, accesses: Accesses, guard: Guard) -> list[tuple[ir.Expr, list[Polynomial]]]:
        return [
            (cond, [self.maps.domains.reduced(self.coordinates.resolved(p)) for p in polynomials])
            for cond, polynomials in accesses.conjuncts(guard, self.access.values)
        ]

    # -- coordinates

    def _declare_coordinates(self, targets: Mapping[Scale, ir.Symbol]) -> None:
        for i, c in enumerate(self.free):
            self._know(c, self._variable(c), i + 1)
        for p in self.last.pivots:
            target = targets[p.stride]
            if p.sign == 1 and not p.rest.terms:
                self._know(p.coordinate, target, 0)
                continue
            symbol, level = self._variable(p.coordinate), self._level(p.rest)
            value = self.arithmetic.expression((atom(target) - p.rest).scaled(p.sign))
            self.items.append(_Item(level, ir.Declare(symbol, value, span=symbol.span)))
            self._know(p.coordinate, symbol, level)

    def _variable(self, coordinate: ir.Symbol) -> ir.Symbol:
        name = user_name(self.coordinates, self.last, coordinate)
        return ir.Symbol(name or coordinate.name, self.arithmetic.type, coordinate.span)

    def _know(self, coordinate: ir.Symbol, variable: ir.Symbol, level: int) -> None:
        """The coordinate, and the user's variables that hold it, are `variable`."""
        self.arithmetic.know(coordinate, ir.Var(variable, span=variable.span))
        self.levels[coordinate] = level
        for symbol, value in self.access.values.items():
            if symbol in self.needed and self.coordinates.resolved(value) == atom(coordinate):
                self.same[symbol] = variable
                self.levels[symbol] = level

    def _level(self, value: Polynomial) -> int:
        return max((self.levels.get(x, 0) for x in symbols(value)), default=0)

    def _constants(self, targets: Mapping[Scale, ir.Symbol]) -> None:
        """Subscripts that are numbers here, and vary elsewhere."""
        for stride, target in targets.items():
            fixed = self.last.subscripts.get(stride, Polynomial({})).constant
            if all(p.stride != stride for p in self.last.pivots):
                if fixed is None:
                    raise NoGather
                var = ir.Var(target, span=target.span)
                value = self.arithmetic.expression(numeral(fixed))
                self.items.append(_Item(0, self.arithmetic.compare("==", var, value)))

    # -- ranges

    def _ranges(self, within: list[Polynomial]) -> None:
        """Every coordinate runs over what exists: threads of the launch, iterations of the loops."""
        told = list(self._told_first())
        existence = self.maps.existence(self.last.map)
        self.certain = [*within, *(c for c in existence if self._folded(c))]
        for condition in existence:
            if condition not in self.certain and not self.maps.domains.implied(condition, [*told, *self.certain]):
                self.items.append(self._checked(condition))

    def _told_first(self) -> Iterator[Polynomial]:
        """What the guards say that stand before everything that may fail where there is no thread."""
        for step in self.text.steps:
            match step:
                case Guard():
                    yield from (p for c, polynomials in self.conjuncts[step] if not _unsigned(c) for p in polynomials)
                case Definition(statement=s) if any(may_fail(e) for e in walk_exprs((self.text.held(s),))):
                    return

    def _checked(self, condition: Polynomial) -> _Item:
        bound = None
        if len(counted := [x for x in symbols(condition) if self.coordinates.counts(x)]) == 1:
            parts = condition.split(ir.Var(counted[0], span=counted[0].span))
            if parts is not None and parts[0].constant == -1:
                bound = counted[0], parts[1] + UNIT
        return _Item(self._level(condition), self._holds(condition), bound, condition)

    def _folded(self, condition: Polynomial) -> bool:
        """Whether the condition became a bound of a free loop."""
        level = self._level(condition)
        if level == 0:
            return False
        c = self.free[level - 1]
        parts = condition.split(ir.Var(c, span=c.span))
        if parts is None or self._level(parts[1]) >= level:
            return False
        if parts[0].constant != 1 and self.coordinates.scale(parts[0].scaled(-1)) is None:
            return False
        if condition not in self.bounds[c]:
            self.bounds[c].append(condition)
        return True

    def _holds(self, condition: Polynomial) -> ir.Expr:
        plus = Polynomial({m: k for m, k in condition.terms.items() if k > 0})
        minus = Polynomial({m: -k for m, k in condition.terms.items() if k < 0})
        op = ">="
        if minus.terms.get(()) == 1:
            op, minus = ">", minus - UNIT
        a = self.arithmetic
        return a.compare(op, a.expression(plus), a.expression(minus))

    # -- what the values depend on

    def _declare_indices(self) -> None:
        """Integer variables that are known as polynomials over the coordinates."""
        for symbol, value in self.access.values.items():
            resolved = self.coordinates.resolved(value)
            counts = any(self.coordinates.counts(x) for x in symbols(resolved))
            if symbol not in self.needed or symbol in self.same or not counts:
                continue
            expression = convert(self.arithmetic.expression(resolved), symbol.type)
            self.indices[symbol] = ir.Declare(symbol, expression, span=symbol.span)
            self.levels[symbol] = self._level(resolved)

    def _place_steps(self) -> None:
        placed: list[_Item] = []

        def passed() -> None:
            placed[:] = self._pass()

        settle(lambda: dict(self.levels), passed)
        self.items += placed

    def _pass(self) -> list[_Item]:
        """One attempt; variables that are set in several places stand where the innermost of these does."""
        placed: list[_Item] = []
        floor = max(
            [
                sum(1 for c in self.free if c in self.maps.threads_of(self.last.map)),
                *(i.level for i in self.items if not isinstance(i.what, ir.Stmt)),
            ]
        )
        for step in self.text.steps:
            match step:
                case Loop(coordinate=c) if c in self.free:
                    floor = max(floor, self.levels[c])
                case Guard():
                    for cond, polynomials in self.conjuncts[step]:
                        if polynomials and all(self._folded(p) or self._sure(p) for p in polynomials):
                            continue
                        item = self._condition(cond, polynomials, floor)
                        placed.append(item)
                        floor = max(floor, item.level)
                        self._keep_inside(step, item.level)
                case Definition(statement=s):
                    item = self._definition(self.text.held(s), floor)
                    placed.append(item)
                    self._keep_inside(step, item.level)
        return placed

    def _definition(self, s: ir.Stmt, floor: int) -> _Item:
        level = self._level_of([*variables((s,)), *changed_in((s,))], any(may_fail(e) for e in walk_exprs(s)), floor)
        for x in changed_in((s,)):
            self.levels[x] = max(level, self.levels.get(x, 0))
        (adapted,) = map_body(lambda x: map_own_exprs(self.adapted, _seed(x)), (s,))
        return _Item(level, adapted)

    def _keep_inside(self, step: Step, level: int) -> None:
        """What a step reads, and a later one changes, changes in the loop in which the step stands."""
        for x in self.text.stale[step]:
            self.levels[x] = max(level, self.levels.get(x, 0))

    def _sure(self, condition: Polynomial) -> bool:
        return self.maps.domains.implied(condition, self.certain)

    def _condition(self, cond: ir.Expr, polynomials: list[Polynomial], floor: int) -> _Item:
        """A condition as the user wrote it, or over the coordinates where that is known further out."""
        level = self._level_of(variables(cond), may_fail(cond), floor)
        outer = max(map(self._level, polynomials), default=level)
        clean = all(self.maps.clean(p, self.last.map) for p in polynomials)
        item = self._checked(polynomials[0]) if clean and len(polynomials) == 1 else None
        if outer < level and clean:
            return item or _Item(outer, conjunction([self._holds(p) for p in polynomials]))
        return _Item(level, self.adapted(cond), item.bound if item is not None else None)

    def _level_of(self, used: Iterable[ir.Symbol], fails: bool, floor: int) -> int:
        return max([self.levels.get(x, 0) for x in used] + [floor if fails else 0])

    def adapted(self, expr: ir.Expr) -> ir.Expr:
        """With the coordinates' variables in place of the user's, and of the thread's position."""
        if isinstance(expr, ir.Var) and expr.symbol in self.same:
            return convert(ir.Var(self.same[expr.symbol], span=expr.span), expr.type)
        if isinstance(expr.type, Int) and (_names_thread(expr) or _loads_index(expr)):
            value = self.coordinates.resolved(self.coordinates.value(expr, self.access.values))
            if self.maps.clean(value, self.last.map):
                return convert(self.arithmetic.expression(value), expr.type)
        if isinstance(expr, ir.ThreadIndex) and expr.name in ("threadIdx", "blockIdx"):
            raise NoGather
        return map_children(self.adapted, expr)

    def _join_bounds(self, ends: Ends) -> None:
        """Several upper bounds of one coordinate become one, which is worked out once."""
        grouped: dict[ir.Symbol, list[_Item]] = {}
        for item in self.items:
            if item.bound is not None:
                grouped.setdefault(item.bound[0], []).append(item)
        for coordinate, members in grouped.items():
            bounds = [i.bound[1] for i in members if i.bound is not None]
            if len(members) < 2 or not all(self.maps.clean(b, self.last.map) for b in bounds):
                continue
            name = user_name(self.coordinates, self.last, coordinate) or coordinate.name
            end = ir.Var(ends.least(self.arithmetic, name, bounds), span=self.access.statement.span)
            joined = self.arithmetic.compare("<", self.arithmetic.known[coordinate], end)
            first = min(members, key=lambda i: (i.level, self.items.index(i)))
            self.items = [
                _Item(i.level, joined) if i is first else i for i in self.items if i is first or i not in members
            ]

    # -- text

    def body(self, sums: IdentityMap[ir.Stmt, ir.Symbol], inside: bool = False) -> ir.Body:
        """`sums`: by increment, the variables that they add to; `inside`: where all conditions hold."""
        return self._at(0, sums, inside)

    def _at(self, level: int, sums: IdentityMap[ir.Stmt, ir.Symbol], inside: bool) -> ir.Body:
        inner: ir.Body
        if level < len(self.free):
            added = tuple(dict.fromkeys(sums.values()))
            inner = self._loop(self.free[level], self._at(level + 1, sums, inside), inside, added)
        else:
            inner = tuple(self._added(s.increment, sums) for s in self.sources)
        conditions: list[ir.Expr] = []
        for what in reversed(self._with_indices(level)):
            if isinstance(what, ir.Stmt):
                inner = (what, *_guarded(conditions, inner))
                conditions = []
            elif not inside:
                conditions.insert(0, what)
        return _guarded(conditions, inner)

    def _with_indices(self, level: int) -> list[ir.Stmt | ir.Expr]:
        """The items of a level, each index declared before the first that uses it, or after all."""
        out: list[ir.Stmt | ir.Expr] = []
        mentioned = self._mentioned()
        waiting = {x: d for x, d in self.indices.items() if self.levels[x] == level and x in mentioned}
        for item in [i for i in self.items if i.level == level]:
            used = set(variables((item.what,) if isinstance(item.what, ir.Stmt) else item.what))
            out += [waiting.pop(x) for x in list(waiting) if x in used]
            out.append(item.what)
        return [*out, *waiting.values()]

    def _mentioned(self) -> set[ir.Symbol]:
        found = {x for s in self.sources for x in variables(self.adapted(self.text.value(s.increment)))}
        for item in self.items:
            found.update(variables((item.what,) if isinstance(item.what, ir.Stmt) else item.what))
        while more := {x for y in found if y in self.indices for x in variables((self.indices[y],))} - found:
            found |= more
        return found

    def _added(self, found: Increment, sums: IdentityMap[ir.Stmt, ir.Symbol]) -> ir.Stmt:
        total = ir.Var(sums[found.statement], span=found.statement.span)
        return plain(found.into(total, self.adapted(self.text.value(found))))

    def _end(self, c: ir.Symbol, upper: Sequence[ir.Expr]) -> ir.Expr:
        """Where the loop ends.  Whether the launch has all the threads that the guards ask for is tested once, where it
        would take arithmetic in each loop."""
        bounds = [
            p for p in self.bounds[c] if (s := p.split(ir.Var(c, span=c.span))) is not None and s[0].constant != 1
        ]
        threads = Threads(self.maps, [*self.certain, *(p for b in self.bounds.values() for p in b)])
        of_launch = [p for p in bounds if threads.counted(p) and len(threads.coordinates(p)) > 1]
        without = [e for e, p in zip(upper, bounds, strict=True) if not any(p is q for q in of_launch)]
        least = threads.least(of_launch[0]) if len(of_launch) == 1 else None
        a = self.arithmetic
        if least is None or not without:
            return a.least(upper)
        return ir.Select(self.ends.holds(a, least), a.least(without), a.least(upper), a.type, span=a.span)

    def _loop(self, c: ir.Symbol, body: ir.Body, inside: bool, sums: tuple[ir.Symbol, ...]) -> ir.Body:
        a = self.arithmetic
        variable = a.known[c]
        assert isinstance(variable, ir.Var)
        lower: list[ir.Expr] = []
        upper: list[ir.Expr] = []
        for condition in self.bounds[c]:
            parts = condition.split(ir.Var(c, span=c.span))
            assert parts is not None
            slope, rest = parts
            if slope.constant == 1:
                lower.append(a.expression(rest.scaled(-1)))
            elif slope.constant == -1:
                upper.append(a.expression(rest + UNIT))
            else:
                upper.append(a.quotient_up(a.expression(rest + UNIT), a.expression(slope.scaled(-1))))
        if not lower or not upper:
            raise NoGather
        span = self.access.statement.span
        opening: list[ir.Stmt] = []
        end = self._end(c, upper)
        if not isinstance(end, ir.Var | ir.Const):
            symbol = ir.Symbol(f"{variable.symbol.name}_end", a.type, span, const=True)
            opening, end = [ir.Declare(symbol, end, span=span)], ir.Var(symbol, span=span)
        whole = a.compare("<", variable, end)
        start = a.least(lower, ">")
        by = a.number(1)
        if self.team is not None and c is self.free[-1]:
            from_zero = isinstance(start, ir.Const) and start.value == 0
            start = self.team.lane if from_zero else a.binary("+", start, self.team.lane)
            by = convert(self.team.lanes, a.type)
        step = ir.Update("+", variable, by, span=span)
        innermost = c is self.free[-1] and not isinstance(end, ir.Const)
        alone = self.team is None or len(self.free) == 1
        unroll = "" if inside else UNROLLED if innermost and alone else None
        return (
            *opening,
            ir.For(
                (ir.Declare(variable.symbol, start, span=span),), whole, (step,), body, unroll, sums=sums, span=span
            ),
        )


def _guarded(conditions: list[ir.Expr], body: ir.Body) -> ir.Body:
    if not conditions:
        return body
    return (ir.If(conjunction(conditions), body, (), span=conditions[0].span),)


def _seed(s: ir.Stmt) -> ir.Stmt:
    """A seed is read where the pullback takes it: that one clears it afterwards."""
    for place in takes(s):
        assert isinstance(s, ir.Declare | ir.Assign)
        return (
            ir.Declare(s.symbol, place, span=s.span)
            if isinstance(s, ir.Declare)
            else ir.Assign(s.target, place, span=s.span)
        )
    return s


def _unsigned(cond: ir.Expr) -> bool:
    """Whether a condition as the user wrote it takes a coordinate that does not exist, -1, for a large number."""
    return any(isinstance(e.type, Int) and not e.type.signed and not e.type.boolean for e in walk_expr(cond))


def _names_thread(expr: ir.Expr) -> bool:
    return any(isinstance(e, ir.ThreadIndex) and e.name in ("threadIdx", "blockIdx") for e in walk_expr(expr))


def _loads_index(expr: ir.Expr) -> bool:
    """Whether an address is worked out from memory that could be read once for all."""
    return isinstance(expr, ir.Binary) and any(isinstance(e, ir.Index) for e in walk_expr(expr))


def may_fail(expr: ir.Expr) -> bool:
    """Whether the evaluation is only allowed where the primal does it: a load, an integer division."""
    if isinstance(expr, ir.Index) and through_pointer(expr):
        return True
    if isinstance(expr, ir.Binary) and expr.op in ("/", "%") and isinstance(expr.type, Int):
        number = isinstance(expr.right, ir.Const) and expr.right.value != 0
        return not number or may_fail(expr.left)
    return any(may_fail(e) for e in children(expr))
