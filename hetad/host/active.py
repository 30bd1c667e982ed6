"""What has an adjoint: activity on the host, closed over the kernels that are launched."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.activity import Activity
from hetad.analysis.dataflow import settle
from hetad.analysis.effects import positions_of
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.analysis.pointers import Location, points_to
from hetad.diagnostics import UnsupportedError
from hetad.host.derivation import Derivation
from hetad.host.refusals import refuse_unfollowed
from hetad.ir import nodes as ir
from hetad.ir.types import Struct, innermost
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import program_pass


@program_pass("activity")
def with_activity(derivation: Derivation) -> Derivation:
    """With the locations that depend on `wrt` while `of` depends on them; without the option "activity", all.

    Raises:
        UnsupportedError: a derivative would have to pass through something that has none.
    """
    setting = derivation.setting
    independents = [setting.location(n) for n in setting.wrt]
    dependents = _dependents(derivation)
    activity = Activity(setting.function, setting.pointers, derivation.kernels)
    active = activity.active(independents, dependents)
    closed = _closed_over_kernels(derivation, activity, set(active))
    varied = activity.varied(independents)
    refuse_unfollowed(setting.function, derivation.kernels, setting.effects, varied, closed)
    if not derivation.request.options.activity:
        # Numbers beside pointers in a struct have no adjoint in a launch, unless they need one it is refused.
        mixed = {x for x in activity.everything() - active if _is_mixed(x)}
        closed = _closed_over_kernels(derivation, activity, activity.everything() - mixed)
    return replace(derivation, active=frozenset(closed))


def _dependents(derivation: Derivation) -> list[Location]:
    setting = derivation.setting
    if setting.of is not None:
        return [setting.location(n) for n in setting.of]
    if setting.returned is None:
        raise UnsupportedError("the function returns no floating value", setting.span, "name its outputs with of=")
    return [setting.returned]


def _closed_over_kernels(derivation: Derivation, activity: Activity, active: set[Location]) -> set[Location]:
    """If a pointer inside a kernel may reach two arguments and one is active, so is the other."""
    setting, kernels = derivation.setting, derivation.kernels
    launches = [s for s in walk_stmts(setting.function.body) if isinstance(s, ir.Launch)]

    def given() -> None:
        for s in launches:
            kernel = kernels[s.kernel]
            inner = Activity(kernel, points_to(kernel), {})
            at_positions = positions_of(kernel, inner.pointers)
            reached = {i: set(setting.effects.given(arg)) for i, arg in enumerate(s.args)}
            for at in at_positions.values():  # a pullback is with respect to all that it reaches through a parameter
                for i in at:
                    if not reached[i].isdisjoint(active):
                        active.update(activity.holding(reached[i]))
            seeds = {root for root, at in at_positions.items() if any(not reached[i].isdisjoint(active) for i in at)}
            for root in inner.closed(set(seeds)) - seeds:
                for i in at_positions.get(root, ()):
                    active.update(activity.holding(reached[i]))
        activity.closed(active)

    settle(active, given)
    return active


def _is_mixed(location: Location) -> bool:
    """Whether it is a variable that holds structs of numbers and pointers."""
    if not isinstance(location, ir.Symbol):
        return False
    held = innermost(location.type)
    return isinstance(held, Struct) and holds_pointer(held)
