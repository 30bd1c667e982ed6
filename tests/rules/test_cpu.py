"""The C text for functions that a C library lacks: compiled, and compared with 40 digits."""

from __future__ import annotations

import ctypes
import os
import random
import shlex
import shutil
import subprocess
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from hetad.ir.types import DOUBLE, FLOAT, Float, Int, Pointer, Type, Void
from hetad.rules.math import ROWS, cpu_definition, cuda_definitions, libm
from hetad.rules.math.intrinsics import MODES
from hetad.rules.math.table import prototypes
from tests.rules.reference import function

COMPILER = shlex.split(os.environ.get("HETAD_CC", "")) or [c for c in [shutil.which("cc")] if c]
pytestmark = pytest.mark.skipif(not COMPILER, reason="no C compiler")

DEFINED = [name for name in prototypes() if cpu_definition(name) is not None]


def ctype(type_: Type):
    match type_:
        case Void():
            return None
        case Float(bits=bits):
            return ctypes.c_float if bits == 32 else ctypes.c_double
        case Int(bits=bits, signed=signed):
            return getattr(ctypes, f"c_{'' if signed else 'u'}int{bits}")
    return ctypes.c_void_p


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Every defined function `f`, through a plain C function `call_f`."""
    folder = tmp_path_factory.mktemp("math")
    text = ["#include <math.h>", "#include <stdlib.h>", *(cpu_definition(n) for n in reversed(DEFINED))]
    for name in prototypes():
        params, returns = prototypes()[name]
        args = [f"x{i}" for i in range(len(params))]
        head = f"{returns} call_{name}({', '.join(f'{t} {a}' for t, a in zip(params, args, strict=True))})"
        text.append(f"{head} {{ {'' if isinstance(returns, Void) else 'return '}{name}({', '.join(args)}); }}")
    (folder / "math.c").write_text("\n".join(text) + "\n")
    flags = ["-std=gnu11", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*COMPILER, *flags, "-o", folder / "math.so", folder / "math.c", "-lm"], check=True)
    return ctypes.CDLL(str(folder / "math.so"))


def bind(library, name):
    params, returns = prototypes()[name]
    bound = getattr(library, f"call_{name}")
    bound.argtypes, bound.restype = [ctype(p) for p in params], ctype(returns)
    return bound


def ulps(got: float, want: mp.mpf, type_: Float) -> float:
    unit = np.spacing(np.float32(float(want)) if type_ == FLOAT else np.float64(float(want)))
    return float(abs(mp.mpf(float(got)) - want) / mp.mpf(float(abs(unit))))


RANGES = {
    "normcdf": [(-37, 8), (-2, 2)], "erfcx": [(-9, 24), (24, 200)], "erfinv": [(-1, 1), (0.999999, 1), (-1e-5, 1e-5)],
    "erfcinv": [(1e-3, 2), (1e-8, 1e-7)], "normcdfinv": [(1e-3, 1), (1e-8, 1e-7), (0.49, 0.51)],
    "cyl_bessel_i0": [(-5, 5), (15, 85)], "cyl_bessel_i1": [(-5, 5), (15, 85)], "hetad_digamma": [(2, 50)],
    "hetad_trigamma": [(0.1, 50), (-5, -0.5)], "sinpi": [(-2, 2), (-1e4, 1e4)], "cospi": [(-2, 2), (-1e4, 1e4)],
    "exp10": [(-30, 30)], "rsqrt": [(1e-9, 1e9)], "rcbrt": [(-9, -0.1), (0.1, 9)],
}  # fmt: skip


@pytest.mark.parametrize("name", [n + f for n in RANGES for f in ("", "f")])
def test_accuracy(library, name):
    """Within 6 units in the last place in double, 1 in float."""
    returns = prototypes()[name][1]
    base, bound, rng = name if returns == DOUBLE else name[:-1], bind(library, name), random.Random(name)
    for low, high in RANGES[base]:
        for _ in range(40):
            x = float(np.float32(rng.uniform(low, high))) if returns == FLOAT else rng.uniform(low, high)
            if not low < x < high:
                continue
            want = function(base)(mp.mpf(x))
            assert ulps(bound(x), want, returns) < (1 if returns == FLOAT else 6), f"{name}({x!r})"


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("erfinv", 1, np.inf), ("erfinv", -1, -np.inf), ("erfinv", 1.5, np.nan), ("erfcinv", 0, np.inf),
        ("erfcinv", 2, -np.inf), ("erfcinv", -1, np.nan), ("normcdfinv", 0, -np.inf), ("normcdfinv", 1, np.inf),
        ("normcdf", np.inf, 1), ("normcdf", -np.inf, 0), ("erfcx", np.inf, 0), ("erfcx", -30, np.inf),
        ("cyl_bessel_i0", 800, np.inf), ("cyl_bessel_i1", np.nan, np.nan), ("cyl_bessel_i1", -800, -np.inf),
        ("rsqrt", 0, np.inf), ("sinpi", np.inf, np.nan), ("__saturatef", np.nan, 0), ("hetad_digamma", -2, np.nan),
    ],
)  # fmt: skip
def test_limits(library, name, x, value):
    assert np.array_equal(bind(library, name)(x), value, equal_nan=True)


DEFINED_ROWS = [n for n in DEFINED if n in ROWS and not ROWS[n].outputs and not n.startswith("hetad")]


@pytest.mark.parametrize("name", DEFINED_ROWS)
def test_every_defined_row_computes_its_function(library, name):
    row, bound, rng = ROWS[name], bind(library, name), random.Random(name)
    for _ in range(10):
        drawn = zip(row.inputs, row.domain, strict=True)
        point = [rng.uniform(*interval) if isinstance(p.type, Float) else 2 for p, interval in drawn]
        point = [float(np.float32(v)) if p.type == FLOAT else v for p, v in zip(row.inputs, point, strict=True)]
        want = function(row.base)(*map(mp.mpf, point))
        tolerance = 4e-7 if row.returns == FLOAT else 1e-14
        assert float(bound(*point)) == pytest.approx(float(want), rel=tolerance, abs=1e-14)


INTEGER_CASES = [
    ("__clz", (1,), 31), ("__clz", (0,), 32), ("__clzll", (1,), 63), ("__ffs", (8,), 4), ("__ffs", (0,), 0),
    ("__popc", (0xFF,), 8), ("__brev", (1,), 0x80000000), ("__mul24", (0xFFFFFF, 2), -2),
    ("__umul24", (0xFFFFFF, 2), 0x1FFFFFE), ("__mulhi", (-(2**31), 2), -1), ("__umulhi", (2**31, 4), 2),
    ("__umul64hi", (2**63, 4), 2), ("__mul64hi", (-(2**63), 2), -1), ("__sad", (-3, 4, 5), 12), ("__hadd", (-3, 4), 0),
    ("__rhadd", (-3, 4), 1), ("__byte_perm", (0x33221100, 0x77665544, 0x7410), 0x77441100),
    ("__funnelshift_l", (0x80000000, 1, 1), 3), ("__funnelshift_r", (0, 1, 1), 0x80000000),
    ("__funnelshift_rc", (5, 7, 40), 7), ("__funnelshift_l", (5, 7, 32), 7), ("min", (-1, 2), -1),
    ("umin", (2**32 - 1, 2), 2), ("ullmax", (2**64 - 1, 2), 2**64 - 1), ("__float_as_int", (1.0,), 0x3F800000),
    ("__double2hiint", (1.0,), 0x3FF00000), ("__float2int_rz", (-2.7,), -2), ("__float2int_rn", (2.5,), 2),
    ("__float2int_ru", (2.1,), 3), ("__float2int_rd", (-2.1,), -3), ("__float2int_rz", (1e20,), 2**31 - 1),
    ("__float2int_rz", (np.nan,), 0), ("__double2int_rz", (np.nan,), -(2**31)), ("__float2uint_rz", (-1.0,), 0),
    ("__double2ll_rd", (-1e30,), -(2**63)), ("__double2ull_rn", (1e30,), 2**64 - 1),
    ("__int_as_float", (0x7F800000,), np.inf), ("__hiloint2double", (0x3FF00000, 0), 1.0),
    ("__int2float_rz", (16777217,), 16777216.0), ("__int2float_ru", (16777217,), 16777218.0),
    ("__ll2double_rd", (-(2**53) - 1,), -(2.0**53) - 2), ("__uint2float_rd", (2**32 - 1,), 4294967040.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "value"), INTEGER_CASES)
def test_integer_intrinsics(library, name, args, value):
    assert bind(library, name)(*args) == value


def directed(exact: Fraction, mode: str, type_: Float) -> float:
    """The exact value rounded in the given mode."""
    dtype = np.float32 if type_ == FLOAT else np.float64
    nearest = dtype(float(mp.mpf(exact.numerator) / exact.denominator))
    below = nearest if Fraction(float(nearest)) <= exact else np.nextafter(nearest, dtype(-np.inf))
    above = below if Fraction(float(below)) == exact else np.nextafter(below, dtype(np.inf))
    if mode == "rn":
        return float(nearest)
    return float({"rd": below, "ru": above, "rz": below if exact > 0 else above}[mode])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("type_", [FLOAT, DOUBLE], ids=str)
def test_directed_rounding_is_exact(library, mode, type_):
    letter, fma = ("f", "__fmaf") if type_ == FLOAT else ("d", "__fma")
    rng = random.Random(mode)
    operations = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    }  # fmt: skip

    def number() -> float:
        value = rng.uniform(0.5, 2) * 2.0 ** rng.randint(-20, 20) * rng.choice((1, -1))
        return float(np.float32(value)) if type_ == FLOAT else value

    for _ in range(60):
        a, b, c = number(), number(), number()
        x, y, z = map(Fraction, (a, b, c))
        for operation, f in operations.items():
            assert bind(library, f"__{letter}{operation}_{mode}")(a, b) == directed(f(x, y), mode, type_)
        assert bind(library, f"{fma}_{mode}")(a, b, c) == directed(x * y + z, mode, type_)
        assert bind(library, f"__{letter}rcp_{mode}")(a) == directed(1 / x, mode, type_)
        root = bind(library, f"__{letter}sqrt_{mode}")(abs(a))
        assert (Fraction(root) ** 2 <= abs(x)) or mode in ("rn", "ru")
        assert (Fraction(root) ** 2 >= abs(x)) or mode != "ru"
        assert bind(library, f"__double2float_{mode}")(a * 1.1) == directed(Fraction(a * 1.1), mode, FLOAT)


@pytest.mark.parametrize("name", [n for n in prototypes() if n not in DEFINED])
def test_what_has_no_definition_is_in_the_c_library(library, name):
    """The library compiled without a warning, so the headers declare it."""
    assert libm(name) == name
    assert hasattr(library, f"call_{name}")


def test_definitions_stand_in_any_order_and_define_no_other_name():
    assert cpu_definition("sqrt") is None
    text = cpu_definition("max")
    assert text.count("#define max(") == 1
    assert "#define min(" not in text


def test_cuda_text_exists_for_what_cuda_lacks():
    lacking = [n for n in prototypes() if n.startswith("hetad_")]
    assert {"hetad_digamma", "hetad_float_to_half", "hetad_fma_to_odd"} <= set(lacking)
    assert all(n in cuda_definitions(n)[-1] and "__device__" in cuda_definitions(n)[-1] for n in lacking)
    assert not cuda_definitions("rsqrt")


def test_every_pointer_is_an_output_or_points_to_const():
    for name, (params, _) in prototypes().items():
        pointers = [p for p in params if isinstance(p, Pointer)]
        assert name in ROWS or all(p.const for p in pointers), name
