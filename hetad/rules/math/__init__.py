"""The mathematical functions of CUDA C: their signatures, their derivatives, and C text for those a CPU lacks."""

from __future__ import annotations

from hetad.rules.math.cpu import c_function, cpu_definition, cuda_definitions, libm
from hetad.rules.math.overloads import Signature, known, signature
from hetad.rules.math.table import (
    ROWS,
    is_inactive,
    is_math,
    is_stable,
    may_be_infinite,
    mentions,
    output_mentions,
    output_partial,
    partial,
    refusal,
    slope,
)

__all__ = [
    "ROWS",
    "Signature",
    "c_function",
    "cpu_definition",
    "cuda_definitions",
    "is_inactive",
    "is_math",
    "is_stable",
    "known",
    "libm",
    "may_be_infinite",
    "mentions",
    "output_mentions",
    "output_partial",
    "partial",
    "refusal",
    "signature",
    "slope",
]
