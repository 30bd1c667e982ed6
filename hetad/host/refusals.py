"""Where derivatives would have to pass through something that has none, on the host and in the kernels it launches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from hetad.analysis.activity import Activity
from hetad.analysis.bits import refuse_bits
from hetad.analysis.effects import Effects, positions_of
from hetad.analysis.moved_bits import Varied, refuse_carried
from hetad.analysis.pointers import Location, points_to
from hetad.analysis.volatile import refuse_active_volatile
from hetad.diagnostics import recoverable
from hetad.ir import nodes as ir
from hetad.ir.types import Pointer
from hetad.ir.visit import walk_stmts


def refuse_unfollowed(
    function: ir.Function,
    kernels: Mapping[str, ir.Function],
    effects: Effects,
    varied: Collection[Location],
    active: Collection[Location],
) -> None:
    """Raises UnsupportedError for active data that is volatile, in half precision, or moved as bits."""
    with recoverable():
        refuse_active_volatile(function, effects.pointers, active)
    host = Varied(function, effects, frozenset(varied))
    launched: list[tuple[ir.Launch, Varied]] = []
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Launch):
            kernel = kernels[s.kernel]
            inner = Activity(kernel, points_to(kernel), {})
            seeds = _given(s, kernel, inner, effects, active)
            with recoverable():
                refuse_active_volatile(kernel, inner.pointers, inner.active(seeds, seeds))
            found = inner.varied(_given(s, kernel, inner, effects, varied))
            launched.append((s, Varied(kernel, Effects(inner.pointers, {}), frozenset(found))))
    with recoverable():
        refuse_bits(host, launched)
    with recoverable():
        refuse_carried([host, *(part for _, part in launched)])


def _given(
    s: ir.Launch, kernel: ir.Function, activity: Activity, effects: Effects, chosen: Collection[Location]
) -> set[Location]:
    """The kernel's parameters, and the memory behind them, whose arguments are made of `chosen` locations, or lead
    to some."""
    at = {i for i, arg in enumerate(s.args) if not {*effects.given(arg), *_by_value(effects, arg)}.isdisjoint(chosen)}
    behind: set[Location] = {x for x, i in positions_of(kernel, activity.pointers).items() if not i.isdisjoint(at)}
    return behind | {p for i, p in enumerate(kernel.params) if i in at and not isinstance(p.type, Pointer)}


def _by_value(effects: Effects, arg: ir.Expr) -> Iterable[Location]:
    """What an argument is made of; of a pointer, only what it leads to counts, not what it is kept beside."""
    return () if isinstance(arg.type, Pointer) else effects.loads(arg)
