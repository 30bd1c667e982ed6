"""Which function a call means: C++ overload resolution over the mathematical functions, as nvcc does it in a .cu.

Three kinds of names:

* those of C++11's <cmath> accept every arithmetic type: all floating arguments `float` gives the float function,
  anything else (`pow(float, int)`, `sqrt(int)`) the double one;
* CUDA's own with a C++ overload for float (`rsqrt`, `sinpi`, `max`, ...) follow the language: the best conversion wins,
  and a tie (`rsqrt(int)`, `max(int, float)`, `min(size_t, int)`) is ambiguous, which nvcc rejects;
* all others have one signature and convert their arguments.  That includes `rhypot`, `norm3d` and their like: they
  return double for float arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hetad.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    Array,
    Float,
    Int,
    Pointer,
    Type,
    Void,
)
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math.table import prototypes


@dataclass(frozen=True, slots=True)
class Signature:
    """`name` is the function of that very signature (`sqrtf` for `sqrt` of a float), the name to put into the IR."""

    name: str
    params: tuple[Type, ...]
    returns: Type


_STANDARD = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nearbyint
    nextafter pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc
"""
STANDARD = frozenset(_STANDARD.split())

_OVERLOADED = """
    cospi cyl_bessel_i0 cyl_bessel_i1 erfcinv erfcx erfinv exp10 j0 j1 jn normcdf normcdfinv rcbrt rsqrt sincos
    sincospi sinpi y0 y1 yn
"""
OVERLOADED = frozenset(_OVERLOADED.split())


@cache
def meanings(name: str) -> tuple[Signature, ...]:
    """Every function that a call of `name` may mean."""
    if name in ("min", "max"):
        exact = [
            Signature(name, (INT, INT), INT), Signature(f"f{name}f", (FLOAT, FLOAT), FLOAT),
            *(Signature(f"u{name}", p, UINT) for p in ((UINT, UINT), (INT, UINT), (UINT, INT))),
            Signature(f"ll{name}", (LONG, LONG), LONG),
            *(Signature(f"ull{name}", p, ULONG) for p in ((ULONG, ULONG), (LONG, ULONG), (ULONG, LONG))),
            *(Signature(f"f{name}", p, DOUBLE) for p in ((DOUBLE, DOUBLE), (FLOAT, DOUBLE), (DOUBLE, FLOAT))),
        ]  # fmt: skip
        return tuple(exact)
    if name == "abs":
        return (
            Signature("abs", (INT,), INT), Signature("llabs", (LONG,), LONG), Signature("fabsf", (FLOAT,), FLOAT),
            Signature("fabs", (DOUBLE,), DOUBLE),
        )  # fmt: skip
    twins = (name, name + "f") if name in STANDARD or name in OVERLOADED else (name,)
    return tuple(Signature(n, *prototypes()[n]) for n in twins if n in prototypes())


def known() -> frozenset[str]:
    """Every name that `signature` accepts for some argument types."""
    return frozenset(prototypes()) | frozenset(CLASSIFICATION)


def signature(name: str, argument_types: Sequence[Type]) -> Signature | None:
    """The function that a call of `name` with these argument types means; None if unknown, ambiguous or ill-typed."""
    types = tuple(Pointer(t.of) if isinstance(t, Array) else t for t in argument_types)
    if name in CLASSIFICATION:
        if len(types) != 1 or not isinstance(types[0], Int | Float):
            return None
        return Signature(name, (FLOAT if types[0] == FLOAT else DOUBLE,), BOOL)
    candidates = meanings(name)
    if name in STANDARD:
        candidates = tuple(c for c in candidates if _is_promoted(c, types))
    chosen = _resolve(candidates, types)
    if chosen is not None and name in ("min", "max"):  # the mixed overloads convert to the result's type
        return Signature(chosen.name, (chosen.returns,) * 2, chosen.returns)
    return chosen


def _is_promoted(candidate: Signature, types: tuple[Type, ...]) -> bool:
    """Whether a <cmath> function is the one for these types: float when all its real arguments are float."""
    if len(candidate.params) != len(types):
        return False
    real = [t for p, t in zip(candidate.params, types, strict=True) if isinstance(p, Float)]
    wanted = FLOAT if all(t == FLOAT for t in real) else DOUBLE
    return all(p == wanted for p in candidate.params if isinstance(p, Float))


def _resolve(candidates: Sequence[Signature], types: tuple[Type, ...]) -> Signature | None:
    """The candidate that is nowhere worse and somewhere better than every other viable one."""
    ranked = [(_ranks(c.params, types), c) for c in candidates]
    viable = [(ranks, c) for ranks, c in ranked if ranks is not None]
    for ranks, candidate in viable:
        others = (other for other, c in viable if c is not candidate)
        if all(ranks != other and all(a <= b for a, b in zip(ranks, other, strict=True)) for other in others):
            return candidate
    return None


def _ranks(params: tuple[Type, ...], types: tuple[Type, ...]) -> tuple[int, ...] | None:
    if len(params) != len(types):
        return None
    ranks = tuple(_conversion(t, p) for t, p in zip(types, params, strict=True))
    return None if any(r is None for r in ranks) else tuple(r for r in ranks if r is not None)


def _conversion(source: Type, target: Type) -> int | None:
    """0: none or exact, 1: promotion, 2: conversion; None: impossible."""
    if isinstance(target, Pointer):
        if not isinstance(source, Pointer) or (source.const and not target.const):
            return None
        return 0 if source.to == target.to else 2 if isinstance(target.to, Void) else None
    if source == target:
        return 0
    if not isinstance(source, Int | Float):
        return None
    promoted = (isinstance(source, Int) and source.bits < 32 and target == INT) or (source, target) == (FLOAT, DOUBLE)
    return 1 if promoted else 2
