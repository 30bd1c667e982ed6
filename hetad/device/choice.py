"""Which text of a kernel is pulled back: as it stands, or without its staging copies or trees, where that is better."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.affine import Polynomial
from hetad.analysis.staging import shared_arrays
from hetad.device.accumulation.increments import increment
from hetad.device.asked import Around, Asked
from hetad.device.attempts import KernelPasses, pullback
from hetad.device.demotion.demote import Unstaged, unstaged
from hetad.device.demotion.trees import without_trees
from hetad.device.generated import Pullback
from hetad.diagnostics import UnsupportedError, speculative
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.visit import declared, variables, walk_stmts


def best_pullback(kernel: ir.Function, name: str, asked: Asked, around: Around, passes: KernelPasses) -> Pullback:
    """As `pullback`; what the version without shared memory asks of a launch is `lacking` in the other one."""
    options = around.options
    plain = without_trees(kernel, asked.merged) if options.unstage else None
    if plain is None and options.unstage and options.gather:
        names = {s.name for s in (*kernel.params, *declared(kernel.body))}
        plain = unstaged(kernel, asked.merged, Names(names | set(around.functions)))
        plain = plain if plain is not None and _may_gather(kernel, plain, asked) else None
    if plain is None:
        return pullback(kernel, name, asked, around, passes)

    def without(conditions: tuple[Polynomial, ...]) -> tuple[Pullback | None, tuple[Polynomial, ...]]:
        """The version without shared memory, if it is better under these conditions, else what might make it so."""
        assert plain is not None
        own = name if asked.known or not conditions else f"{name}_apart"
        there = replace(asked, known=conditions, sizes=plain.sizes)
        try:
            with speculative():
                made = pullback(plain.kernel, own, there, around, passes)
        except UnsupportedError:
            return None, ()
        if not _all_gathered(made, plain) or (plain.reduced and made.lacking):
            return None, made.lacking
        if any(x in plain.totals for f in made.functions() for x in (*variables(f.body), *declared(f.body))):
            return None, ()
        return replace(made, without=_gone(kernel, plain)), ()

    if asked.known:
        fits = asked.known[: len(plain.conditions)] == plain.conditions
        found, _ = without(asked.known) if fits else (None, ())
        return found or pullback(kernel, name, asked, around, passes)
    conditions = plain.conditions
    found, lacking = without(conditions)
    if lacking:
        conditions = (*conditions, *lacking)
        found, _ = without(conditions)
    if found is not None and not conditions:
        return found
    made = pullback(kernel, name, asked, around, passes)
    return made if found is None or made.recorder is not None else replace(made, lacking=conditions, better=found)


def _gone(kernel: ir.Function, plain: Unstaged) -> tuple[str, ...]:
    left = set(shared_arrays(plain.kernel.body))
    return tuple(x.name for x in shared_arrays(kernel.body) if x not in left)


def _may_gather(kernel: ir.Function, plain: Unstaged, asked: Asked) -> bool:
    """Whether anything is added to where the tiles came from, and no other parameter reaches that."""
    overlapping = {name for group in asked.merged for name in group}
    wanted = asked.active & plain.sources
    return bool(wanted) and all(kernel.params[i].name not in overlapping for i in wanted)


def _all_gathered(made: Pullback, plain: Unstaged) -> bool:
    """Whether nothing is added atomically to where the tiles came from: else the detour through the tiles is better, as
    it adds once for all that read a cell of them."""
    if made.tapes is not None or made.recorder is not None:
        return False
    adjoints = zip(made.adjoint, made.function.params[len(made.primal) :], strict=False)
    wanted = {p for i, p in adjoints if i in plain.sources}
    found = (increment(s) for s in walk_stmts(made.function.body))
    return all(i is None or wanted.isdisjoint(variables(i.place)) for i in found)
