"""The same program in C and in C++ has the same derivative, statement by statement, up to names; with Kokkos, the same
kernels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import hetad
from hetad.frontend.settings import Frontend
from hetad.ir import nodes as ir
from hetad.ir.types import Float, Pointer, scalar_base
from tests.same_ir import canonical

ALL = sorted(p.name.removesuffix(".c.cu") for p in (Path(__file__).parents[1] / "pairs").glob("*.c.cu"))
PAIRS = [name for name in ALL if not name.startswith("kokkos")]
KOKKOS = [name for name in ALL if name.startswith("kokkos")]


# Comments and messages name lines; a class without members leaves its name.
_PLACES = r' *//[^\n]*|"[^"]*"|\nstruct \w+ { char unused; }'


def _derivative(pair: str, language: Frontend, optimize: bool) -> str:
    return re.sub(_PLACES, "", canonical(_program(pair, language, optimize)))


def _program(pair: str, language: Frontend, optimize: bool) -> ir.Program:
    """By the front end of the language, with respect to all that is active, of what is written."""
    source = Path(__file__).parents[1] / "pairs" / f"{pair}.{language}.cu"
    function = hetad.load(source, frontend=language)["f"]
    active = [p for p in function.parameters if isinstance(scalar_base(p.type), Float) or _of_numbers(p.type)]
    written = [p.name for p in active if isinstance(p.type, Pointer) and not p.type.const]
    made = hetad.gradient(function, wrt=[p.name for p in active], of=written, optimize=optimize)
    return made.derivative.program


def _kernels(pair: str, language: Frontend) -> list[str]:
    """The kernels of the derivative, without their names."""
    program = _program(pair, language, True)
    kernels = {name: f for name, f in program.functions.items() if f.kind == "kernel"}
    text = re.sub(_PLACES + r"|\nstruct [^\n]*", "", canonical(replace(program, functions=kernels)))
    return sorted(_plain(kernel) for kernel in re.split(r"kernel void \w+", text)[1:])


def _plain(kernel: str) -> str:
    """Without the copy of an index that a functor is given, and without casts of indices: views count in `long`."""
    kernel = re.sub(r"\(long\)|\blong(?=\()", "", kernel)
    kernel = re.sub(r"\((v\d+(?: [-+] \d+)?)\)(?=[\]) ])", r"\1", kernel)
    for copy, of in re.findall(r"\n *int (v\d+) = (v\d+);", kernel):
        kernel = re.sub(rf"\b{copy}\b", of, kernel.replace(f"int {copy} = {of};", ""))
    numbers: dict[str, str] = {}
    kernel = re.sub(r"\bv\d+", lambda m: numbers.setdefault(m[0], f"v{len(numbers)}"), kernel)
    return re.sub(r"\s*\n\s*", "\n", kernel).strip()


def _of_numbers(type_: object) -> bool:
    return isinstance(type_, Pointer) and not isinstance(scalar_base(type_), Float) and "Vec" in str(type_)


def test_there_are_ten() -> None:
    assert len(PAIRS) >= 10


@pytest.mark.parametrize("optimize", [True, False], ids=["optimised", "plain"])
@pytest.mark.parametrize("pair", PAIRS)
def test_same_derivative(pair: str, optimize: bool) -> None:
    assert _derivative(pair, "cpp", optimize) == _derivative(pair, "c", optimize)


@pytest.mark.parametrize("pair", KOKKOS)
def test_same_kernels_with_kokkos(pair: str) -> None:
    kernels = _kernels(pair, "c")
    assert len(kernels) > 0 and _kernels(pair, "cpp") == kernels
