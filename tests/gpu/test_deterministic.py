"""`deterministic=True` on a GPU: equal calls give equal bits, whatever the order of threads."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fixed_order import PROGRAMS, Problem

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_bits(name: str) -> None:
    problem = Problem(name, 3000 if PROGRAMS[name].how == "in turn" else 300_000)
    gradient = problem.gradient("cuda", deterministic=True)
    assert "atomicAdd" not in gradient.source
    first = problem.bits(gradient)
    for _ in range(20):
        assert problem.bits(gradient) == first
    for found, expected in zip(
        problem.numbers(gradient), problem.numbers(problem.gradient("cuda", optimize=False)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * float(np.abs(expected).max()))
