"""The last look at a gradient function's body: what nobody reads goes, as do saves on entry that nobody needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from hetad.adjoint.canonicalise import in_order, tidy
from hetad.adjoint.liveness import Liveness, drop_unused
from hetad.adjoint.seeds import stored
from hetad.analysis.pointers import Location, Root
from hetad.host.cleanup import (
    allocated,
    destroys,
    drop_dead_allocations,
    drop_idle_restores,
    drop_unread_restores,
    drop_untouched,
    is_entry,
    keeps,
    surviving_handles,
    without_entries,
)
from hetad.host.derivation import Derivation, on_derivative, with_body
from hetad.host.saves.narrowing import narrowed
from hetad.host.saves.parts import Ends
from hetad.host.saves.rematerialisation import Refill, chosen
from hetad.host.setting import Setting
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentitySet
from hetad.ir.places import pointed_to
from hetad.ir.visit import declared, map_body, variables, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import operations


@on_derivative("drop-unused")
def drop_what_is_unused(derivation: Derivation) -> ir.Body:
    """Without optimisation: only what would not compile cleanly goes."""
    return drop_unused(without_frees(derivation.body, derivation.reversed.frees))


@program_pass("prune-saves")
def prune_saves(derivation: Derivation) -> Derivation:
    """What nobody reads goes, and saves of what nobody reads; buffers are filled again where that spares saves."""
    found, whole = derivation.reversed, derivation.body
    loops = found.checkpoints.loops if found.checkpoints is not None else []
    limited = not all(loop.refused for loop in loops)

    def prune(taken: Collection[Refill]) -> ir.Body:
        body = without_frees(whole, [(r.again,) for r in found.refills if r not in taken])
        fills = [r.launch for r in taken]
        is_pullback = found.pullbacks.is_pullback
        return pruned(derivation.setting, body, is_pullback, found.cells_of, found.frees, limited, fills)

    body, refills = chosen(list(found.refills), prune)
    return with_body(replace(derivation, reversal=replace(found, refills=refills)), body)


@on_derivative("canonicalise")
def canonical(derivation: Derivation) -> ir.Body:
    """Values are named once, branches merged, constants folded."""
    return tidy(derivation.body)


@on_derivative("store-in-cleared-cells")
def store_in_cleared_cells(derivation: Derivation) -> ir.Body:
    """`adj_x[i] = 0; adj_x[i] += v;` is `adj_x[i] = v;`."""
    return stored(derivation.body, derivation.reversed.shadows.values())


@on_derivative("names-in-order")
def names_in_order(derivation: Derivation) -> ir.Body:
    """`seed`, `seed_2` and so on as they appear."""
    function = derivation.setting.function
    return in_order(derivation.body, (*function.params, *declared(function.body)))


def pruned(
    setting: Setting,
    whole: ir.Body,
    is_pullback: Callable[[str], bool],
    cells_of: Mapping[ir.Symbol, Ends],
    frees: Sequence[tuple[ir.Stmt, ...]],
    limited: bool,
    fills: Collection[ir.Launch] = (),
) -> ir.Body:
    """`cells_of`: for snapshots of a whole buffer, the part of it that they are there for.  `frees`: see
    `_with_early_frees`.  `limited`: time
    loops run by schedules.  `fills`: see `Liveness`."""
    roots = {*setting.pointers.parameter_roots.values(), *setting.symbol_roots}
    liveness = Liveness(setting.effects, lambda s: keeps(s, is_pullback), fills)
    if handles := surviving_handles(whole, liveness, roots):
        liveness = Liveness(setting.effects, lambda s: keeps(s, is_pullback) or destroys(s, handles), fills)
    whole = _with_early_frees(whole, frees, lambda body: _without_idle_saves(setting, body, liveness, roots))
    body = narrowed(whole, cells_of, lambda body: _without_idle_saves(setting, body, liveness, roots), limited)
    body = drop_untouched(body)
    done = next(i for i, s in enumerate(body) if operations.does(s, operations.forward_done))
    if not any(isinstance(s, ir.Launch) for s in walk_stmts(body[:done])):
        body = (*body[:done], *body[done + 1 :])
    return body


def _with_early_frees(
    whole: ir.Body, frees: Sequence[tuple[ir.Stmt, ...]], prune: Callable[[ir.Body], ir.Body]
) -> ir.Body:
    """`whole` with those of `frees`, memory that serves later allocations, whose contents need not be saved for it."""
    if not frees:
        return whole
    saved = {s.slot for s in walk_stmts(prune(whole)) if isinstance(s, ir.Push)}
    return without_frees(whole, [f for f in frees if any(isinstance(s, ir.Push) and s.slot in saved for s in f)])


def without_frees(body: ir.Body, frees: Collection[tuple[ir.Stmt, ...]]) -> ir.Body:
    """Without these statements: the memory stays until the reverse sweep has done with it."""
    gone = IdentitySet(s for free in frees for s in free)
    return map_body(lambda s: None if s in gone else s, body) if gone else body


def _without_idle_saves(setting: Setting, whole: ir.Body, liveness: Liveness, roots: set[Root]) -> ir.Body:
    full = drop_dead_allocations(whole, liveness, roots)
    body = liveness.prune(full, roots)
    body = drop_idle_restores(body, setting.effects, roots)
    body = liveness.prune(body, roots)
    body = _without_undone(body, full, allocated(whole) - allocated(full), liveness, roots)
    less = drop_unread_restores(body, {*pointed_to(body), *setting.pointers.pointed()})
    return body if less is body else liveness.prune(less, roots)


def _without_undone(
    body: ir.Body, full: ir.Body, missing: set[ir.Symbol], liveness: Liveness, roots: set[Root]
) -> ir.Body:
    """Without the entry snapshots of what the reverse sweep puts back by itself.

    Whatever is overwritten is saved and restored unless that is pruned.  So an argument is as it was on entry at the
    end anyway where its entry snapshot spares no other save.  It stays where single values in it are saved: those are
    not put back when the call stops half-way.  And it stays where its value is dead only because of it, and with that
    the memory that is `missing` from `full`.
    """
    pushes = [s for s in walk_stmts(body) if isinstance(s, ir.Push)]
    single = {t for s in pushes if s.extent == "value" for t in liveness.effects.pointers.storage(s.place)}
    entered = [r for r in _entered(pushes, liveness) if r in roots]
    kept = [r for r in entered if r not in single]
    idle = roots - set(entered)
    for group in [kept, *([r] for r in kept)] if len(kept) > 1 else [kept]:
        smaller = liveness.prune(without_entries(full, liveness.effects, idle | set(group)), roots)
        if missing and not missing.isdisjoint(variables(smaller)):
            continue
        less = [s for s in walk_stmts(smaller) if isinstance(s, ir.Push)]
        if len(less) <= len(pushes) - len(group):
            body, pushes, idle = smaller, less, idle | set(group)
            if group is kept:
                break
    return body


def _entered(pushes: list[ir.Push], liveness: Liveness) -> list[Location]:
    return [t for s in pushes if is_entry(s) for t in liveness.effects.pointers.targets(s.place)]


@on_derivative("drop-marks")
def drop_marks(derivation: Derivation) -> ir.Body:
    """Without what only told the analyses something."""
    return map_body(lambda s: None if operations.does(s, operations.undefined) else s, derivation.body)
