"""The same program in C and in C++ has the same derivative, statement by statement, up to names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetad
from hetad.frontend.settings import Frontend
from hetad.ir.types import Float, Pointer, scalar_base
from tests.same_ir import canonical

PAIRS = sorted(p.name.removesuffix(".c.cu") for p in (Path(__file__).parents[1] / "pairs").glob("*.c.cu"))


# Comments and messages name lines; a class without members leaves its name.
_PLACES = r' *//[^\n]*|"[^"]*"|\nstruct \w+ { char unused; }'


def _derivative(pair: str, language: Frontend, optimize: bool) -> str:
    """By the front end of the language, with respect to all that is active, of what is written."""
    source = Path(__file__).parents[1] / "pairs" / f"{pair}.{language}.cu"
    function = hetad.load(source, frontend=language)["f"]
    active = [p for p in function.parameters if isinstance(scalar_base(p.type), Float) or _of_numbers(p.type)]
    written = [p.name for p in active if isinstance(p.type, Pointer) and not p.type.const]
    made = hetad.gradient(function, wrt=[p.name for p in active], of=written, optimize=optimize)
    return re.sub(_PLACES, "", canonical(made.derivative.program))


def _of_numbers(type_: object) -> bool:
    return isinstance(type_, Pointer) and not isinstance(scalar_base(type_), Float) and "Vec" in str(type_)


def test_there_are_ten() -> None:
    assert len(PAIRS) >= 10


@pytest.mark.parametrize("optimize", [True, False], ids=["optimised", "plain"])
@pytest.mark.parametrize("pair", PAIRS)
def test_same_derivative(pair: str, optimize: bool) -> None:
    assert _derivative(pair, "cpp", optimize) == _derivative(pair, "c", optimize)
