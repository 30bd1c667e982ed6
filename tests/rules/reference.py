"""What the functions are, in arbitrary precision: the tests' own source of truth, independent of the rules."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 40
Number = mp.mpf


def _norm(*values: Number) -> Number:
    return mp.sqrt(mp.fsum(v * v for v in values))


def _over(value: Number) -> Number:
    return mp.inf if value == 0 else 1 / value


def _divide(x: Number, y: Number) -> Number:
    return x / y if y != 0 else mp.nan if x == 0 or x != x else mp.sign(x) * mp.inf


def _copysign(x: Number, y: Number) -> Number:
    return abs(x) * math.copysign(1, float(y))


def _pow(x: Number, y: Number) -> Number:
    if x == 0:
        return mp.mpf(0) if y > 0 else mp.mpf(1) if y == 0 else mp.inf
    return mp.nan if x < 0 and y != mp.floor(y) else mp.power(x, y)


def _cbrt(x: Number) -> Number:
    return mp.sign(x) * mp.cbrt(abs(x))


def _trunc(x: Number) -> Number:
    return mp.sign(x) * mp.floor(abs(x))


def _inside(function: Callable[[Number], Number], low: float, high: float) -> Callable[[Number], Number]:
    """The function on [low, high], NaN elsewhere."""
    return lambda x: function(x) if low <= x <= high else mp.nan


def _erfinv(x: Number) -> Number:
    return mp.sign(x) * mp.inf if abs(x) == 1 else mp.erfinv(x)


def _erfc(x: Number) -> Number:
    return mp.erfc(x) if abs(x) < 1e3 else mp.mpf(0 if x > 0 else 2)


FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": _inside(mp.sqrt, 0, math.inf),
    "rsqrt": _inside(lambda x: _over(mp.sqrt(x)), 0, math.inf),
    "cbrt": _cbrt,
    "rcbrt": lambda x: _over(_cbrt(x)),
    "pow": _pow,
    "hypot": _norm,
    "rhypot": lambda *v: _over(_norm(*v)),
    "norm3d": _norm,
    "rnorm3d": lambda *v: _over(_norm(*v)),
    "norm4d": _norm,
    "rnorm4d": lambda *v: _over(_norm(*v)),
    "exp": mp.exp,
    "exp2": lambda x: mp.power(2, x),
    "exp10": lambda x: mp.power(10, x),
    "expm1": mp.expm1,
    "log": _inside(mp.log, 0, math.inf),
    "log2": _inside(lambda x: mp.log(x) / mp.log(2), 0, math.inf),
    "log10": _inside(lambda x: mp.log(x) / mp.log(10), 0, math.inf),
    "log1p": _inside(lambda x: mp.log(1 + x), -1, math.inf),
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "sinpi": mp.sinpi,
    "cospi": mp.cospi,
    "asin": _inside(mp.asin, -1, 1),
    "acos": _inside(mp.acos, -1, 1),
    "atan": mp.atan,
    "atan2": mp.atan2,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": _inside(mp.acosh, 1, math.inf),
    "atanh": _inside(lambda x: mp.sign(x) * mp.inf if abs(x) == 1 else mp.atanh(x), -1, 1),
    "fabs": abs,
    "fmax": lambda x, y: x if x >= y or y != y else y,
    "fmin": lambda x, y: x if x <= y or y != y else y,
    "fdim": lambda x, y: x - y if x > y else mp.mpf(0),
    "copysign": _copysign,
    "fmod": lambda x, y: x - y * _trunc(_divide(x, y)),
    "remainder": lambda x, y: x - y * mp.nint(_divide(x, y)),
    "saturate": lambda x: min(max(x, mp.mpf(0)), mp.mpf(1)) if x == x else mp.mpf(0),
    "ldexp": lambda x, n: x * mp.power(2, n),
    "scalbn": lambda x, n: x * mp.power(2, n),
    "scalbln": lambda x, n: x * mp.power(2, n),
    "fdivide": _divide,
    "fma": lambda x, y, z: x * y + z,
    "erf": mp.erf,
    "erfc": _erfc,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x) if abs(x) < 1e3 else 1 / (x * mp.sqrt(mp.pi)) * (1 - 1 / (2 * x * x)),
    "erfinv": _inside(_erfinv, -1, 1),
    "erfcinv": _inside(lambda x: _erfinv(1 - x), 0, 2),
    "normcdf": lambda x: _erfc(-x / mp.sqrt(2)) / 2,
    "normcdfinv": _inside(lambda x: mp.sqrt(2) * _erfinv(2 * x - 1), 0, 1),
    "tgamma": mp.gamma,
    "lgamma": lambda x: mp.re(mp.loggamma(x)),
    "hetad_digamma": mp.digamma,
    "hetad_fma_to_odd": lambda x, y, z: x * y + z,
    "hetad_trigamma": lambda x: mp.psi(1, x),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "jn": lambda n, x: mp.besselj(int(n), x),
    "y0": lambda x: mp.bessely(0, x) if x != 0 else -mp.inf,
    "y1": lambda x: mp.bessely(1, x) if x != 0 else -mp.inf,
    "yn": lambda n, x: mp.bessely(int(n), x) if x != 0 else -mp.inf,
    "cyl_bessel_i0": lambda x: mp.besseli(0, x),
    "cyl_bessel_i1": lambda x: mp.besseli(1, x),
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": _divide,
    "rcp": lambda x: _divide(mp.mpf(1), x),
    "identity": lambda x: x,
    "isnan": lambda x: x != x,
    "fractional": lambda x: x - _trunc(x),
    "mantissa": lambda x: mp.frexp(x)[0],
    "exponent": lambda x: mp.mpf(mp.frexp(x)[1]),
    "whole": _trunc,
}

_RENAMED = {"modf": "fractional", "frexp": "mantissa", "remquo": "remainder", "__fdividef": "fdivide"}

#: what a function of two results stores through its pointers
OUTPUTS: dict[str, dict[str, str]] = {
    "sincos": {"s": "sin", "c": "cos"},
    "__sincosf": {"s": "sin", "c": "cos"},
    "sincospi": {"s": "sinpi", "c": "cospi"},
    "modf": {"whole": "whole"},
    "frexp": {"e": "exponent"},
}


def function(base: str) -> Callable[..., Number]:
    """The function that the double name, or an intrinsic's name, stands for."""
    base = _RENAMED.get(base, base)
    if base.startswith("__double2float"):
        base = "identity"
    elif rounded := re.fullmatch(r"__(?:fmaf?(?:_ieee)?|[fd](add|sub|mul|div|rcp|sqrt|rsqrt))_r[nzud]", base):
        base = rounded[1] or "fma"
    elif base.startswith("__"):
        base = base.removeprefix("__").removesuffix("f")
    return FUNCTIONS[base]
