"""What is known about the function when its text is final."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import points_to
from hetad.analysis.spaces import Spaces
from hetad.host.derivation import Derivation, summaries
from hetad.host.setting import Setting
from hetad.ir.build import Names
from hetad.ir.visit import declared
from hetad.passes.manager import program_pass


@program_pass("analyse")
def analysed(derivation: Derivation) -> Derivation:
    """With what the function's pointers reach, what its statements read and write, and where its memory lies; and with
    a name for the derivative."""
    function, request = derivation.function, derivation.request
    names = Names(
        {s.name for s in (*function.params, *declared(function.body))}
        | set(derivation.written)
        | {g.symbol.name for g in derivation.globals}
    )
    kernels = summaries(derivation)
    pointers = points_to(function)
    effects = Effects(pointers, kernels)
    spaces = Spaces(function, pointers, kernels)
    known = Setting(function, derivation.returned, names, pointers, spaces, effects, kernels, request.wrt, request.of)
    return replace(derivation, known=known, name=names.fresh(f"{request.function}_{request.suffix}"))
