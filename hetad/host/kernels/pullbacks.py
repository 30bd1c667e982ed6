"""The pullbacks of the kernels that a function launches, each made once."""

from __future__ import annotations

from hetad.analysis.affine import Polynomial
from hetad.analysis.effects import KernelEffects
from hetad.device.choice import best_pullback
from hetad.device.generated import Pullback
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts


class Pullbacks:
    """`made`: by kernel and by what is asked of the pullback; `derivation` is reversed.

    What the made kernels read and write is told to the derivation's `Effects`.
    """

    def __init__(self, derivation: Derivation, effects: dict[str, KernelEffects]) -> None:
        self.derivation = derivation
        self.effects = effects
        self.made: dict[tuple[object, ...], Pullback] = {}

    def __call__(
        self,
        kernel: str,
        active: frozenset[int],
        merged: tuple[tuple[str, ...], ...],
        spent: frozenset[int],
        zeros: frozenset[int],
        known: tuple[Polynomial, ...] = (),
    ) -> Pullback:
        """As `device.pullback.pullback`."""
        key = (kernel, active, merged, spent, zeros, bool(known))
        if key not in self.made:
            name = self.derivation.setting.names.fresh(
                f"{kernel}_pullback{'_overlapping' if merged else ''}{'_apart' if known else ''}"
            )
            base = self.made.get((kernel, active, merged, spent, zeros, False)) if known else None
            made = base.better if base is not None else None
            if made is None or made.function.name != name:
                made = self._best(kernel, name, active, merged, spent, zeros, known)
            self.made[key] = made
            self._summarise(kernel, made)
        return self.made[key]

    def _best(
        self,
        kernel: str,
        name: str,
        active: frozenset[int],
        merged: tuple[tuple[str, ...], ...],
        spent: frozenset[int],
        zeros: frozenset[int],
        known: tuple[Polynomial, ...],
    ) -> Pullback:
        asked, functions, sources = self.derivation.request, self.derivation.written, self.derivation.sources
        return best_pullback(
            self.derivation.functions[kernel], name, active, merged, list(functions), sources, asked.options,
            asked.rules, functions, spent, zeros, known,
        )  # fmt: skip

    def _summarise(self, kernel: str, made: Pullback) -> None:
        self.effects[made.function.name] = made.effects
        self.effects.update({g.function.name: g.effects for g in made.gathers})
        if made.parts is not None:
            stage = made.parts.function
            self.effects[stage.name] = KernelEffects(frozenset(), frozenset(range(len(stage.params))))
        for tapes in (made.tapes, made.records):
            if tapes is not None:
                self.effects[tapes.counter.name] = KernelEffects(frozenset(range(len(tapes.counted))), frozenset())
        if made.recorder is not None:
            self.effects[made.recorder.name] = self.effects[kernel]

    def generated(self) -> list[ir.Function]:
        """The kernels made so far: pullbacks, and those that size their tapes."""
        return [f for p in self.made.values() for f in p.functions()]

    def launched_in(self, body: ir.Body) -> list[Pullback]:
        """Those that the body launches, or parts of them."""
        launched = {s.kernel for s in walk_stmts(body) if isinstance(s, ir.Launch)}
        return [p for p in self.made.values() if not launched.isdisjoint(f.name for f in p.functions())]

    def is_pullback(self, kernel: str) -> bool:
        return any(f.name == kernel for f in self.generated())

    def primal_of(self) -> dict[str, ir.Function]:
        """By the name of a pullback, or a part of one, the kernel that is undone."""
        kernels = self.derivation.kernels
        return {
            f.name: kernels[str(key[0])]
            for key, made in self.made.items()
            for f in (made.function, *(g.function for g in made.gathers))
        }
