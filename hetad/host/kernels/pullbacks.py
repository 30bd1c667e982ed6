"""The pullbacks of the kernels that a function launches, each made once."""

from __future__ import annotations

from dataclasses import replace

from hetad.device.asked import Asked
from hetad.device.attempts import KernelPasses
from hetad.device.choice import best_pullback
from hetad.device.generated import Pullback
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts


class Pullbacks:
    """`made`: by what was asked, and whether anything is known.

    `derivation` is reversed; `effects` are told of the kernels that are made.
    """

    def __init__(self, derivation: Derivation, passes: KernelPasses) -> None:
        self.derivation, self.passes = derivation, passes
        self.effects = derivation.setting.summaries
        self.around = derivation.around_kernels
        self.made: dict[tuple[Asked, bool], Pullback] = {}  # all that know something are one

    def __call__(self, asked: Asked) -> Pullback:
        """The best pullback that is all this."""
        key = replace(asked, known=()), bool(asked.known)
        if key not in self.made:
            version = f"{'_overlapping' if asked.merged else ''}{'_apart' if asked.known else ''}"
            name = self.derivation.setting.names.fresh(f"{asked.kernel}_pullback{version}")
            base = self.made.get((key[0], False)) if asked.known else None
            made = base.better if base is not None else None
            if made is None or made.function.name != name:
                kernel = self.derivation.functions[asked.kernel]
                around = replace(self.around, made=frozenset(f.name for f in self.generated()))
                made = best_pullback(kernel, name, asked, around, self.passes)
                self.derivation.setting.names.reserve(f.name for f in made.functions())
            self.made[key] = made
            self._summarise(asked.kernel, made)
        return self.made[key]

    def _summarise(self, kernel: str, made: Pullback) -> None:
        self.effects.update(made.summaries())
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
            f.name: kernels[asked.kernel]
            for (asked, _), made in self.made.items()
            for f in (made.function, *(g.function for g in made.gathers))
        }
