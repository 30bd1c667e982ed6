"""What can be asked of a function: its value, and products with its derivatives, one form for all array libraries.

Operands of each are x, the arguments, then groups of tangents and of seeds of outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hetad.functional import Call, Functional

NO_THIRD = "hetad has no third derivatives, nor a forward derivative of a forward derivative"
Group = Literal["tangents", "seeds"]


@dataclass(frozen=True)
class Product:
    """One of them.  `gives`: what the results are like; `compute`: none where only a derivative of it is a program."""

    name: str
    groups: tuple[Group, ...]
    gives: Literal["outputs", "gradients"]
    compute: Callable[[Functional, Call], Sequence[Any]] | None

    def parts(self, operands: Sequence[Any], arguments: int, tangents: int, seeds: int) -> list[Sequence[Any]]:
        """x, which are so many `arguments`, then each group."""
        sizes = {"tangents": tangents, "seeds": seeds}
        found, start = [], 0
        for size in (arguments, *(sizes[group] for group in self.groups)):
            found.append(operands[start : start + size])
            start += size
        return found


VALUE = Product("value", (), "outputs", Functional.value)
VJP = Product("vjp", ("seeds",), "gradients", Functional.pullback)  # Jᵀs
JVP = Product("jvp", ("tangents",), "outputs", Functional.pushforward)  # J v
HVP = Product("hvp", ("tangents", "seeds"), "gradients", Functional.second)  # of sᵀf, times v
