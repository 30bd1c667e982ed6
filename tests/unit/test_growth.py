"""The work of a differentiation grows with the program: twice the text, about twice the calls of Python functions.

Calls are counted, not seconds, so that the same program gives the same number on each machine.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

import pytest

import hetad
from hetad.analysis import integer_sets
from tests.growing import FAMILIES, Family

SIZES = {
    "nested time loops": (2, 4), "nested time loops, memory_limit": (2, 4), "nested loops in a kernel": (2, 4),
    "cases of a switch": (8, 16), "else if": (8, 16), "conditional expressions": (8, 16), "branches": (8, 16),
    "stores of a lattice": (3, 6),
    "straight-line code": (20, 40), "values overwritten": (20, 40), "differential equations": (3, 6),
    "cells of one array": (5, 10), "loops in a row": (4, 8), "phases in shared memory": (3, 6),
    "fields of a struct": (5, 10), "depth of calls": (5, 10), "kernels": (5, 10), "launches": (10, 20),
    "buffers": (5, 10), "turns of buffers": (5, 10), "terms of a sum": (10, 20),
    "functors": (5, 10), "vectors": (5, 10), "views": (3, 6), "parameters": (5, 10),
}  # fmt: skip
LONG = {
    "else if": (60, 120), "conditional expressions": (60, 120), "cells of one array": (20, 40),
    "terms of a sum": (60, 120), "cases of a switch": (40, 80), "parameters": (20, 40), "turns of buffers": (20, 40),
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_work_grows_with_the_program(name: str) -> None:
    """Exponential growth shows at any size; quadratic growth where it is most of the work."""
    small, large = grown(FAMILIES[name], *SIZES[name])
    assert large < 2.5 * small, f"{small} calls, then {large}"


@pytest.mark.parametrize("name", LONG)
def test_long_chains(name: str) -> None:
    """Where each link is compared with all others, or with all around it, that is most of the work."""
    small, large = grown(FAMILIES[name], *LONG[name])
    assert large < 2.25 * small, f"{small} calls, then {large}"


def test_a_question_about_integer_sets_ends() -> None:
    """The complement of many pieces, each with inner variables, has a number of pieces that grows exponentially."""
    pieces = " or ".join(
        f"(exists a, b, c: 0 <= a < p0 and 0 <= b < p1 and 0 <= c < p2 and v0 = {k * 7919} + a + 128 * b + 15360 * c)"
        for k in range(19)
    )
    limits = "0 <= v0 < p0 + 128 * p1 + 15360 * p2 + 150461"
    assert integer_sets.not_covered("[v0]", limits, pieces, "p0 >= 1", 3) is None


def grown(family: Family, small: int, large: int) -> tuple[int, int]:
    """The calls for programs of both sizes."""
    calls(family.source(min(family.sizes)), family.options)  # what a process does once
    return calls(family.source(small), family.options), calls(family.source(large), family.options)


def calls(source: str, options: Mapping[str, Any]) -> int:
    """Of Python functions, for one differentiation."""
    found = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal found
        found += event == "call"

    integer_sets.is_empty.cache_clear()
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        hetad.gradient(hetad.loads(source)["run"], wrt=["x", "y"], of=["y"], backend="cpu", **options)
    finally:
        sys.setprofile(before)
    return found
