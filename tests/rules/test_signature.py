"""Overload resolution as nvcc does it.  The expectations were read off nvcc 13 (`decltype` of each call)."""

from __future__ import annotations

import itertools
import shutil
import subprocess

import pytest

from hetad.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    SHORT,
    SIZE_T,
    STRING,
    UINT,
    ULONG,
    Array,
    Pointer,
    Type,
)  # fmt: skip
from hetad.rules import inactive, refused
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math import ROWS, cuda_definitions, is_inactive, is_math, refusal, signature
from hetad.rules.math.overloads import OVERLOADED, STANDARD
from hetad.rules.math.table import prototypes
from tests import nvrtc

NAMES = {
    "bool": BOOL, "short": SHORT, "int": INT, "unsigned": UINT, "long": LONG, "ulong": ULONG, "float": FLOAT,
    "double": DOUBLE,
}  # fmt: skip


def chosen(name: str, *types: Type) -> tuple[str, Type] | None:
    found = signature(name, types)
    return found and (found.name, found.returns)


@pytest.mark.parametrize("name", ["sqrt", "exp", "sin", "tgamma", "fabs", "round", "cbrt"])
@pytest.mark.parametrize("type_", NAMES.values(), ids=NAMES.keys())
def test_cmath_functions_take_every_arithmetic_type(name, type_):
    assert chosen(name, type_) == ((name + "f", FLOAT) if type_ == FLOAT else (name, DOUBLE))


@pytest.mark.parametrize("name", ["pow", "atan2", "fmod", "hypot", "fmax", "copysign"])
def test_cmath_functions_of_two_arguments_are_float_only_for_two_floats(name):
    for types in itertools.product(NAMES.values(), repeat=2):
        expected = (name + "f", FLOAT) if types == (FLOAT, FLOAT) else (name, DOUBLE)
        assert chosen(name, *types) == expected


def test_pow_of_float_and_int_is_double():
    assert chosen("pow", FLOAT, INT) == ("pow", DOUBLE)
    assert signature("pow", (FLOAT, INT)).params == (DOUBLE, DOUBLE)


@pytest.mark.parametrize("name", ["rsqrt", "sinpi", "normcdf", "erfinv", "exp10", "j0", "cyl_bessel_i0"])
def test_cuda_overloads_are_ambiguous_for_integers(name):
    assert chosen(name, FLOAT) == (name + "f", FLOAT)
    assert chosen(name, DOUBLE) == (name, DOUBLE)
    assert all(chosen(name, t) is None for t in (BOOL, SHORT, INT, UINT, LONG, ULONG))


@pytest.mark.parametrize("name", ["rhypot", "fdivide"])
def test_functions_without_a_float_overload_return_double(name):
    assert chosen(name, FLOAT, FLOAT) == (name, DOUBLE)
    assert chosen("norm3d", FLOAT, FLOAT, FLOAT) == ("norm3d", DOUBLE)


MIN_MAX = {
    ("int", "int"): ("max", INT), ("short", "bool"): ("max", INT), ("int", "unsigned"): ("umax", UINT),
    ("unsigned", "int"): ("umax", UINT), ("unsigned", "unsigned"): ("umax", UINT), ("long", "long"): ("llmax", LONG),
    ("long", "ulong"): ("ullmax", ULONG), ("ulong", "long"): ("ullmax", ULONG), ("ulong", "ulong"): ("ullmax", ULONG),
    ("float", "float"): ("fmaxf", FLOAT), ("float", "double"): ("fmax", DOUBLE), ("double", "float"): ("fmax", DOUBLE),
    ("double", "double"): ("fmax", DOUBLE),
}  # fmt: skip


@pytest.mark.parametrize("pair", list(itertools.product([n for n in NAMES if n not in ("bool", "short")], repeat=2)))
def test_max_mixes_only_what_nvcc_mixes(pair):
    found = signature("max", [NAMES[t] for t in pair])
    assert (found and (found.name, found.returns)) == MIN_MAX.get(pair)
    assert found is None or found.params == (found.returns, found.returns)
    assert chosen("max", SHORT, BOOL) == ("max", INT)


def test_abs_follows_its_argument():
    assert chosen("abs", SHORT) == ("abs", INT)
    assert chosen("abs", LLONG) == ("llabs", LLONG)
    assert chosen("abs", FLOAT) == ("fabsf", FLOAT)
    assert chosen("abs", DOUBLE) == ("fabs", DOUBLE)
    assert chosen("abs", UINT) is None
    assert chosen("labs", INT) == ("labs", LONG)


def test_integer_parameters_convert():
    assert chosen("jn", INT, FLOAT) == ("jnf", FLOAT)
    assert chosen("jn", LONG, DOUBLE) == ("jn", DOUBLE)
    assert chosen("jn", INT, INT) is None
    assert chosen("ldexp", FLOAT, SIZE_T) == ("ldexpf", FLOAT)
    assert chosen("ldexp", INT, INT) == ("ldexp", DOUBLE)


def test_a_function_of_one_precision_converts_its_argument():
    assert chosen("__expf", DOUBLE) == ("__expf", FLOAT)
    assert chosen("sqrtf", INT) == ("sqrtf", FLOAT)
    assert chosen("__popc", FLOAT) == ("__popc", INT)


def test_pointer_parameters_must_fit():
    assert chosen("modf", FLOAT, Pointer(FLOAT)) == ("modff", FLOAT)
    assert chosen("modf", DOUBLE, Pointer(FLOAT)) is None
    assert chosen("frexp", FLOAT, Pointer(INT)) == ("frexpf", FLOAT)
    assert chosen("sincosf", FLOAT, Pointer(FLOAT), Array(FLOAT, 3))[0] == "sincosf"
    assert chosen("sincosf", FLOAT, Pointer(FLOAT), Pointer(FLOAT, const=True)) is None
    assert chosen("nan", STRING) == ("nan", DOUBLE)


def test_classification_takes_either_precision_under_one_name():
    assert signature("isnan", (FLOAT,)).params == (FLOAT,)
    assert signature("isnan", (INT,)).params == (DOUBLE,)


@pytest.mark.parametrize(("name", "types"), [("sqrt", (Pointer(FLOAT),)), ("sqrt", ()), ("no_such_function", (FLOAT,))])
def test_no_signature(name, types):
    assert signature(name, types) is None


def test_every_name_is_in_exactly_one_table():
    names = [*ROWS, *inactive.table(), *refused.table(), *CLASSIFICATION]
    assert len(names) == len(set(names))
    overloaded = STANDARD | OVERLOADED
    assert overloaded <= set(names)
    for name in names:
        assert [is_math(name), is_inactive(name), refusal(name) is not None].count(True) == 1
    assert not any((is_math("no_such_function"), is_inactive("no_such_function"), refusal("no_such_function")))


def test_a_signature_names_a_function_of_that_signature():
    for name, (params, returns) in prototypes().items():
        found = signature(name, params)
        assert found is not None, name
        assert (found.params, found.returns) == prototypes()[found.name]
        assert found.returns == returns


PROBE = """
#include <type_traits>
#include <utility>
#include <cmath>
template <class R, class... A> struct Call {};
#define CALL(F, R, ...) static_assert(std::is_same<decltype(F(__VA_ARGS__)), R>::value, #F)
template <class T> T a();
"""


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.slow
def test_nvcc_agrees_with_every_prototype_and_overload(tmp_path):
    lines = [PROBE, *dict.fromkeys(text for name in prototypes() for text in cuda_definitions(name))]
    for name, (params, _) in prototypes().items():
        if name.startswith("hetad_"):
            continue
        floats = [tuple(FLOAT if p == DOUBLE else p for p in params)] if name in STANDARD | OVERLOADED else []
        for types in (params, *(t for t in floats if not any(isinstance(p, Pointer) for p in t))):
            found = signature(name, types)
            lines.append(f"CALL({name}, {found.returns}, {', '.join(f'a<{t}>()' for t in types)});")
    source = tmp_path / "probe.cu"
    source.write_text("\n".join(lines))
    done = subprocess.run(
        ["nvcc", "-std=c++17", "-arch=sm_90", "-cubin", "-o", tmp_path / "probe.cubin", source],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:3000]


@pytest.mark.skipif(nvrtc.load() is None, reason="needs NVRTC")
def test_nvrtc_knows_every_function_without_a_header():
    calls = {name: params for name, (params, _) in prototypes().items() if name not in ("nan", "nanf")}
    calls |= dict.fromkeys(CLASSIFICATION, (DOUBLE,))
    lines = list(dict.fromkeys(text for name in calls for text in cuda_definitions(name)))
    for name, params in calls.items():
        declared = ", ".join(f"{t} x{i}" for i, t in enumerate(params))
        passed = ", ".join(f"x{i}" for i in range(len(params)))
        lines.append(f'extern "C" __device__ auto call_{name}({declared}) {{ return {name}({passed}); }}')
    nvrtc.compile_device("\n".join(lines))
