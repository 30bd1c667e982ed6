"""Functions that carry no derivative, deliberately: their results are integers or piecewise constant.

`floor` has slope zero wherever it has one; a rounding to an integer stops the derivative as a cast to `int` does.
`real` stands for double and, with the name's float twin, for float.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hetad.ir.types import DOUBLE, FLOAT, Type
from hetad.rules.row import TYPES, parse_params


@dataclass(frozen=True, slots=True)
class Prototype:
    """A function known by name and types."""

    name: str
    params: tuple[Type, ...]
    returns: Type


def prototypes(text: str) -> tuple[Prototype, ...]:
    """The prototype written in `text`, and its float twin when it speaks of `real`."""
    head, _, rest = text.partition("(")
    returns_text, _, name = head.rpartition(" ")
    result = []
    for real, suffix in ((DOUBLE, ""), (FLOAT, "f")) if "real" in text.split() or "(real" in text else ((DOUBLE, ""),):
        params = tuple(p.passed for p in parse_params(rest.rstrip(")"), real))
        result.append(Prototype(name + suffix, params, real if returns_text == "real" else TYPES[returns_text]))
    return tuple(result)


STEPS = (
    "real floor(real x)", "real ceil(real x)", "real trunc(real x)", "real round(real x)", "real rint(real x)",
    "real nearbyint(real x)", "real logb(real x)", "int ilogb(real x)",
    "long lround(real x)", "long long llround(real x)", "long lrint(real x)", "long long llrint(real x)",
    "double nan(const char *tag)", "float nanf(const char *tag)",
)  # fmt: skip

# In C++ these take either precision under one name; in C they are macros that do.  (NVRTC has no isnormal.)
CLASSIFICATION = ("isnan", "isinf", "isfinite", "signbit")

INTEGERS = (
    "int abs(int a)", "long labs(long a)", "long long llabs(long long a)",
    "int min(int a, int b)", "int max(int a, int b)",
    "unsigned umin(unsigned a, unsigned b)", "unsigned umax(unsigned a, unsigned b)",
    "long long llmin(long long a, long long b)", "long long llmax(long long a, long long b)",
    "unsigned long long ullmin(unsigned long long a, unsigned long long b)",
    "unsigned long long ullmax(unsigned long long a, unsigned long long b)",
    "int __clz(int a)", "int __clzll(long long a)", "int __ffs(int a)", "int __ffsll(long long a)",
    "int __popc(unsigned a)", "int __popcll(unsigned long long a)",
    "unsigned __brev(unsigned a)", "unsigned long long __brevll(unsigned long long a)",
    "int __mul24(int a, int b)", "unsigned __umul24(unsigned a, unsigned b)",
    "int __mulhi(int a, int b)", "unsigned __umulhi(unsigned a, unsigned b)",
    "long long __mul64hi(long long a, long long b)",
    "unsigned long long __umul64hi(unsigned long long a, unsigned long long b)",
    "unsigned __sad(int a, int b, unsigned c)", "unsigned __usad(unsigned a, unsigned b, unsigned c)",
    "int __hadd(int a, int b)", "int __rhadd(int a, int b)",
    "unsigned __uhadd(unsigned a, unsigned b)", "unsigned __urhadd(unsigned a, unsigned b)",
    "unsigned __byte_perm(unsigned a, unsigned b, unsigned s)",
    "unsigned __funnelshift_l(unsigned a, unsigned b, unsigned s)",
    "unsigned __funnelshift_r(unsigned a, unsigned b, unsigned s)",
    "unsigned __funnelshift_lc(unsigned a, unsigned b, unsigned s)",
    "unsigned __funnelshift_rc(unsigned a, unsigned b, unsigned s)",
)  # fmt: skip

# Hetad's own: what a conversion from or to a 16-bit floating type calls.
BITS = tuple(
    text
    for name in ("half", "bfloat16")
    for text in (
        f"float hetad_{name}_to_float(unsigned short bits)",
        f"unsigned short hetad_float_to_{name}(float x)",
        f"unsigned short hetad_double_to_{name}(double x)",
    )
)


def _conversions() -> list[str]:
    """`__float2int_rn` and its relatives: floating to integer, and integer to floating."""
    result = []
    integers = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}
    for short, full in integers.items():
        for mode in ("rn", "rz", "ru", "rd"):
            result += [f"{full} __{real}2{short}_{mode}({real} x)" for real in ("float", "double")]
            result.append(f"float __{short}2float_{mode}({full} a)")
            if mode == "rn" or full.endswith("long long"):  # a 32-bit integer is exact in double
                result.append(f"double __{short}2double_{mode}({full} a)")
    return result


@cache
def table() -> dict[str, Prototype]:
    """Every inactive function by name, except the classification macros."""
    texts = (*STEPS, *INTEGERS, *BITS, *_conversions())
    return {p.name: p for text in texts for p in prototypes(text)}
