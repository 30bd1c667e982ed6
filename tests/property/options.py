"""The options of a gradient, drawn: whichever they are, the gradient is the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from hetad.adjoint.options import OPTIMISATIONS
from tests.property.choices import Choices
from tests.property.emulated import COMPILER

LIMITS = (200, 1000, 5000, "1MB")  # in bytes; the programs save from nothing to some thousand
# What a gradient is compared with beside the tangents and, half the time, differences: how often, in percent.  Each
# takes a run of the C compiler or several, and many programs find more than one that is tried in all ways.
OFTEN: Mapping[str, int] = {
    "races": 25, "no optimisation": 25, "no options": 20, "functions": 10, "batch": 10, "hvp": 10,
    "verifier": 30,
    **({"emulated": 15} if COMPILER else {}),
}  # fmt: skip
ORACLES = ("differences", *OFTEN)
Options = Mapping[str, Any]


@st.composite
def options(draw: Callable[..., Any]) -> Options:
    return drawn(Choices(draw))


def drawn(choices: Choices) -> Options:
    """Keyword arguments of `hetad.gradient`, none of them or some; `cpu_mode` for `$HETAD_CPU_MODE`; and `against`,
    what the gradient is compared with: those of `ORACLES` that are named."""
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
    if choices.chance(25):
        found["cpu_mode"] = choices.one_of(["fibers", "blocks", "checked"])
    if choices.chance(30):
        found["frontend"] = "cpp"
    for flag in ("graph", "measure", "debug"):
        if choices.chance(30):
            found[flag] = True
    against = [] if choices.chance(50) else ["differences"]
    found["against"] = (*against, *(name for name, often in OFTEN.items() if choices.chance(often)))
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
