"""The options of a gradient, drawn: whichever they are, the gradient is the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from hetad.adjoint.options import OPTIMISATIONS
from tests.property.choices import Choices
from tests.property.emulated import COMPILER

LIMITS = (200, 1000, 5000, "1MB")  # in bytes; the programs save from nothing to some thousand
Options = Mapping[str, Any]


@st.composite
def options(draw: Callable[..., Any]) -> Options:
    return drawn(Choices(draw))


def drawn(choices: Choices) -> Options:
    """Keyword arguments of `hetad.gradient`, and `cpu_mode` for `$HETAD_CPU_MODE`: none of them, or some; and whether a
    batch must give the numbers of single calls (`batch`), the product of the Hessian be right (`hvp`), and the program
    compute what the machine's C++ compiler makes of it (`emulated`)."""
    found: dict[str, Any] = {}
    if choices.chance(70):
        found["optimize"] = _optimisations(choices)
    if choices.chance(50):
        found["deterministic"] = True
    if choices.chance(40):
        found["memory_limit"] = choices.one_of(LIMITS)
        if choices.chance(30):
            found["host_memory"] = choices.one_of(LIMITS)
    if choices.chance(50):
        found["cpu_threads"] = choices.number(2, 4)
    if choices.chance(40):
        found["cpu_mode"] = choices.one_of(["fibers", "blocks", "checked"])
    if choices.chance(30):
        found["frontend"] = "cpp"
    for flag in ("graph", "measure", "batch", "hvp", "debug", *(["emulated"] if COMPILER else [])):
        if choices.chance(30) and not (flag == "debug" and "batch" in found):
            found[flag] = True
    return found


def _optimisations(choices: Choices) -> bool | str | tuple[str, ...]:
    """None of them, one, some, or all but a few."""
    names = list(OPTIMISATIONS)
    match choices.number(0, 3):
        case 0:
            return False
        case 1:
            return choices.one_of(names)
        case 2:
            return tuple(sorted(choices.order(names)[: choices.number(2, len(names) // 2)]))
        case _:
            without = choices.order(names)[: choices.number(1, 3)]
            return tuple(name for name in names if name not in without)
