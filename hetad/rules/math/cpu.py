"""C text for the functions that a C library lacks, and CUDA text for those that CUDA lacks.

The text is `cpu.h`, cut into sections.  The functions with a rounding mode in their name come in families, whose macros
are made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hetad.rules.math.intrinsics import MODES
from hetad.rules.math.table import prototypes

_INTEGERS = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


@dataclass(frozen=True, slots=True)
class _Section:
    key: str
    defines: tuple[str, ...]
    needs: tuple[str, ...]
    text: str


@cache
def _sections() -> dict[str, _Section]:
    """Each name, and each `:key`, with the section that defines it."""
    result: dict[str, _Section] = {}
    _, *parts = Path(__file__).with_name("cpu.h").read_text(encoding="utf-8").split("\n//@ ")
    for part in parts:
        heading, _, text = part.partition("\n")
        defines, _, needs = heading.partition(" needs ")
        names = defines.split()
        section = _Section(names[0].lstrip(":_"), tuple(names), tuple(needs.split()), text.strip() + "\n")
        result |= dict.fromkeys(names, section)
    return result


def _with_needs(name: str) -> list[_Section]:
    section = _sections()[name]
    return [needed for need in section.needs for needed in _with_needs(need)] + [section]


def _guarded(section: _Section) -> str:
    """The section's text, at most once in a file."""
    guard = f"HETAD_HAS_{section.key.upper()}"
    return f"#ifndef {guard}\n#define {guard}\n{section.text}#endif\n"


def _macro(name: str) -> str:
    """CUDA's name as a macro for the C function: newer C libraries declare some of the names themselves."""
    if name == c_function(name):
        return ""
    args = ", ".join("abcdef"[: len(prototypes()[name][0])])
    return _define(name, args, f"{c_function(name)}({args})")


def c_function(name: str) -> str:
    """The C function that a text of `cpu_definition` defines for a CUDA function."""
    return name if name.startswith("hetad_") else "hetad_" + name.lstrip("_")


@cache
def _families() -> dict[str, tuple[str, str]]:
    """`__fadd_ru` and its like -> (the section with the function, the macro)."""
    result = {}
    for number, mode in enumerate(MODES):
        for letter, suffix, fma in (("f", "f", ("__fmaf", "__fmaf_ieee")), ("d", "", ("__fma",))):
            one, minus = ("1.0f", "-(float)(b)") if suffix else ("1.0", "-(double)(b)")
            bodies = {
                f"__{letter}add": ("a, b", f"hetad_math_add{suffix}(a, b, {number})"),
                f"__{letter}sub": ("a, b", f"hetad_math_add{suffix}(a, {minus}, {number})"),
                f"__{letter}mul": ("a, b", f"hetad_math_mul{suffix}(a, b, {number})"),
                f"__{letter}div": ("a, b", f"hetad_math_div{suffix}(a, b, {number})"),
                f"__{letter}rcp": ("a", f"hetad_math_div{suffix}({one}, a, {number})"),
                f"__{letter}sqrt": ("a", f"hetad_math_root{suffix}(a, {number})"),
                **dict.fromkeys(fma, ("a, b, c", f"hetad_math_fma{suffix}(a, b, c, {number})")),
            }
            for name, (args, body) in bodies.items():
                result[f"{name}_{mode}"] = (":directed", _family(f"{name}_{mode}", args, body))
        narrow = f"__double2float_{mode}"
        result[narrow] = (":directed", _family(narrow, "a", f"hetad_math_narrow(a, {number})"))
        for short, integer in _INTEGERS.items():
            for real, suffix in (("float", "f"), ("double", "")):
                name = f"__{real}2{short}_{mode}"
                result[name] = (":to_integer", _family(name, "a", _to_integer(short, real, number)))
                name = f"__{short}2{real}_{mode}"
                if name in prototypes():
                    body = f"hetad_math_from_integer{suffix}(({integer})(a), {number})"
                    result[name] = (":from_integer", _family(name, "a", body))
    rsqrt = _family("__frsqrt_rn", "a", "((float)(1.0 / sqrt((double)(float)(a))))")
    result["__frsqrt_rn"] = (":to_integer", rsqrt)
    return result


def _define(name: str, args: str, body: str) -> str:
    return f"#undef {name}\n#define {name}({args}) {body}\n"


def _family(name: str, args: str, body: str) -> str:
    return _define(c_function(name), args, body) + _macro(name)


def _to_integer(short: str, real: str, mode: int) -> str:
    rounded = f"hetad_math_round(({real})(a), {mode})"
    if short in ("ll", "ull"):
        return f"hetad_math_to_{short}({rounded})"
    none = "0" if real == "float" else "-2147483647 - 1" if short == "int" else "2147483648u"
    return f"hetad_math_to_{short}({rounded}, {none})"


def libm(name: str) -> str | None:
    """The function of C's <math.h> or <stdlib.h> that this one is; None where C has none and hetad defines it."""
    return None if name in _sections() or name in _families() else name


def cpu_definition(name: str) -> str | None:
    """C text, to stand after `#include <math.h>`, that makes a CUDA function callable; None where C has it already.

    It can be called by its own name and as `c_function(name)`.  Each text is complete and guarded: texts of several
    names may follow one another in any order.
    A directed rounding (`__fadd_ru`) is exact, except that overflow gives infinity in every mode and that an error
    below the subnormal numbers is lost.
    """
    if name in _families():
        key, macro = _families()[name]
        return "".join(map(_guarded, _with_needs(key))) + macro
    if name not in _sections():
        return None
    sections = "".join(map(_guarded, _with_needs(name))).replace("HETAD_FUNCTION", "static inline")
    return sections + _macro(name)


def cuda_definitions(name: str) -> tuple[str, ...]:
    """CUDA texts for a function of formulas that CUDA lacks (`hetad_digamma`, ...), its own last; none for others."""
    if not name.startswith("hetad_") or name not in _sections():
        return ()
    texts = (section.text.rstrip() for section in _with_needs(name))
    return tuple(text.replace("HETAD_FUNCTION", "static __host__ __device__ inline") for text in texts)
