"""Functions for what inlining has repeated: `relax_forward` and `relax_pullback` where the program called `relax`.

This only regroups text: the statements of a call, all of one sweep, move into a function that does the same to the same
variables.  What cannot move (see `variables.py`) stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from hetad.adjoint.canonicalise.naming import comments
from hetad.adjoint.canonicalise.uses import inside
from hetad.adjoint.engine import line_comment
from hetad.host.derivation import Derivation
from hetad.host.outlining.runs import Run, callees_first, last_mentions, map_runs
from hetad.host.outlining.shapes import function, holes, parameters, shape
from hetad.host.outlining.variables import Plan, planned, with_kept_addresses
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.visit import same_or, walk_stmts
from hetad.passes.manager import program_pass

LEAST_SPARED = 5  # statements fewer in the program, where a function stands for several runs
LEAST_REPEATED = 3  # statements of a run that is one of several
LEAST_ALONE = 8  # statements of a run that is a function although it occurs once
MOST_PARAMETERS = 12
MOST_PARAMETERS_ALONE = 8
MOST_BY_POINTER = 3  # single values that a function gives back
MOST_BY_POINTER_ALONE = 1  # where it is called once


@program_pass("outline")
def outline(derivation: Derivation) -> Derivation:
    """What the derivative does for a call of a host function is a function again."""
    entry = derivation.functions[derivation.name]
    entry, more = outlined(entry, derivation.written, derivation.sources, derivation.setting.names)
    made = {f.name: f for f in (*more, entry)}
    return replace(derivation, functions={**derivation.functions, **made}, outlined=tuple(f.name for f in more))


def outlined(
    entry: ir.Function, functions: Mapping[str, ir.Function], sources: Mapping[str, str], names: Names
) -> tuple[ir.Function, list[ir.Function]]:
    """The entry with calls in the place of runs, and the functions that they call.  `functions`: the primal's."""
    outliner = _Outliner(functions, sources, names, with_kept_addresses(entry.body))
    body = entry.body
    for names_of_callees in callees_first(body):
        body = outliner.with_calls(body, names_of_callees)
    made = [replace(f, body=comments(f.body, None)[0]) for f in outliner.made]
    return replace(entry, body=comments(body, None)[0]), made


class _Outliner:
    def __init__(
        self, functions: Mapping[str, ir.Function], sources: Mapping[str, str], names: Names, pointed: set[ir.Symbol]
    ) -> None:
        self.functions = functions
        self.lines = {file: text.splitlines() for file, text in sources.items()}
        self.names = names
        self.pointed = pointed
        self.made: list[ir.Function] = []

    def with_calls(self, body: ir.Body, of: Collection[str]) -> ir.Body:
        """`body` with calls in the place of runs that come from these functions."""
        plans: list[Plan | None] = []

        def plan(run: Run) -> None:
            plans.append(planned(run, self.pointed) if _size(run.statements) >= LEAST_REPEATED else None)

        map_runs(plan, body, of)
        found = [p for p in plans if p is not None]
        calls: dict[Plan | None, ir.Body] = {}
        for group in _groups(found):
            calls.update(self._calls(group))
        following = iter(plans)
        moved = {x for p in found if p in calls for x in p.moved}
        return _without_declarations(map_runs(lambda _: calls.get(next(following)), body, of), moved)

    def _calls(self, plans: list[Plan]) -> Iterator[tuple[Plan, ir.Body]]:
        """A function for runs, and what stands in the place of each."""
        run = plans[0].run
        name = self.names.fresh(f"{run.call.function}_{'pullback' if run.reverse else 'forward'}")
        made, parameters = function(plans, name, self._comment(run))
        self.made.append(made)
        for i, plan in enumerate(plans):
            yield plan, tuple(self._call(name, plan, [p.arguments[i] for p in parameters]))

    def _call(self, name: str, plan: Plan, arguments: list[ir.Expr]) -> Iterator[ir.Stmt]:
        span = plan.run.call.call
        yield from plan.run.before
        for symbol in plan.declared:
            yield ir.Declare(symbol, None, span=span)
        if plan.run.reverse and (comment := line_comment(self.lines, span)) is not None:
            yield comment
        result = ir.Var(plan.result[1], span=span) if plan.result is not None else None
        yield ir.Call(name, tuple(arguments), result, span=span)

    def _comment(self, run: Run) -> str:
        name = run.call.function
        where = f" (line {self.functions[name].span.line})" if name in self.functions else ""
        return f"{'pullback' if run.reverse else 'forward sweep'} of {name}{where}"


def _groups(plans: list[Plan]) -> Iterator[list[Plan]]:
    """Runs that become one function each."""
    several = Counter((p.run.call.function, p.run.reverse) for p in plans)
    alike: dict[tuple[object, ...], list[Plan]] = {}
    for p in plans:
        of = (p.run.call.function, p.run.reverse)
        if several[of] > 1 or _is_long_enough([p]):
            alike.setdefault((*of, shape(p)), []).append(p)
    for group in alike.values():
        if _is_worthwhile(group):
            yield group
            continue
        equal: dict[tuple[object, ...], list[Plan]] = {}
        for p in group:
            constants = tuple(h.key() for h in holes(p) if isinstance(h.held, ir.Const))
            equal.setdefault(constants, []).append(p)
        yield from (smaller for smaller in equal.values() if _is_worthwhile(smaller))


def _is_worthwhile(group: list[Plan]) -> bool:
    """Whether a function and calls read better than the runs."""
    if not _is_long_enough(group):
        return False
    alone = len(group) == 1
    if group[0].pointers > (MOST_BY_POINTER_ALONE if alone else MOST_BY_POINTER):
        return False
    return len(parameters(group)) <= (MOST_PARAMETERS_ALONE if alone else MOST_PARAMETERS)


def _is_long_enough(group: list[Plan]) -> bool:
    least = min(_size(p.run.statements) for p in group)
    if len(group) == 1:
        return least >= LEAST_ALONE
    return least >= LEAST_REPEATED and least * (len(group) - 1) >= LEAST_SPARED


def _size(body: ir.Body) -> int:
    """How many statements there are, without comments and plain declarations."""
    plain = ir.Comment | ir.Declare
    headers = sum(len(s.init) + len(s.step) for s in walk_stmts(body) if isinstance(s, ir.For))
    counted = sum(not (isinstance(s, plain) and getattr(s, "init", None) is None) for s in walk_stmts(body))
    return counted - headers


def _without_declarations(body: ir.Body, moved: set[ir.Symbol]) -> ir.Body:
    """Without the declarations of these variables where nothing mentions them any more."""
    last = last_mentions(body)

    def is_left(i: int, s: ir.Stmt) -> bool:
        return isinstance(s, ir.Declare) and s.symbol in moved and last.get(s.symbol, -1) <= i

    left = (s for i, s in enumerate(body) if not is_left(i, s))
    return same_or(body, tuple(inside(lambda inner: _without_declarations(inner, moved), s) for s in left))
