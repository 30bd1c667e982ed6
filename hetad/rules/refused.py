"""Functions that hetad knows and does not differentiate: each with its reason.

`unless` says when a call is harmless all the same: "inactive" when no operand carries a derivative, "constant" when the
operand is a constant (an integer operand cannot be seen to carry one: it may be the bits of an active value).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from hetad.rules.inactive import Prototype, prototypes


@dataclass(frozen=True, slots=True)
class Refusal:
    name: str
    reason: str
    unless: Literal["inactive", "constant"]
    prototype: Prototype


_NEIGHBOUR = "the derivative of the next representable number is not the derivative of what the code computes"
_TO_BITS = "the bits of an active value cannot be followed"
_FROM_BITS = "a value made from an integer's bits may hide an active value"
_HIGHER = "a third derivative of lgamma or tgamma is not provided"

_ROWS: tuple[tuple[str, str, Literal["inactive", "constant"]], ...] = (
    ("real nextafter(real x, real y)", _NEIGHBOUR, "inactive"),
    ("int __float_as_int(float x)", _TO_BITS, "inactive"),
    ("unsigned __float_as_uint(float x)", _TO_BITS, "inactive"),
    ("long long __double_as_longlong(double x)", _TO_BITS, "inactive"),
    ("int __double2hiint(double x)", _TO_BITS, "inactive"),
    ("int __double2loint(double x)", _TO_BITS, "inactive"),
    ("float __int_as_float(int a)", _FROM_BITS, "constant"),
    ("float __uint_as_float(unsigned a)", _FROM_BITS, "constant"),
    ("double __longlong_as_double(long long a)", _FROM_BITS, "constant"),
    ("double __hiloint2double(int hi, int lo)", _FROM_BITS, "constant"),
    ("real hetad_trigamma(real x)", _HIGHER, "inactive"),
)


@cache
def table() -> dict[str, Refusal]:
    """Every refused function by name."""
    return {p.name: Refusal(p.name, reason, unless, p) for text, reason, unless in _ROWS for p in prototypes(text)}


def needs_constant(name: str) -> bool:
    """Whether a call is harmless for constants only: its value may hide that of an active number."""
    row = table().get(name)
    return row is not None and row.unless == "constant"
