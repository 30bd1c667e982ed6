"""What CUDA's functions return, where C's of the same name return something else."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

NUMBERS = [1, -1, np.inf, -np.inf, np.nan, -0.0, 0.0, -2]


def evaluate(expression: str, real: str, backend: str, numbers=NUMBERS) -> np.ndarray:
    """The value of an expression in `v` and `i`, each thread with a number of its own."""
    head = f"__global__ void k(double *y, const {real} *x, int n)"
    text = f"{head} {{ int i = threadIdx.x; {real} v = x[i]; y[i] = {expression}; }}"
    x, y = np.array(numbers, np.float32 if real == "float" else float), np.zeros(len(numbers))
    hetad.loads(text, "values.cu")["k"](y, x, len(numbers), grid=1, block=len(numbers), backend=backend)
    return y


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "signbit"])
def test_a_classification_is_one_or_zero(name, real, backend):
    expected = getattr(np, name)(np.array(NUMBERS)) * 1.0
    for text, factor in ((f"{name}(v)", 1), (f"{name}(v) + {name}(v)", 2), (f"({name}(v) == 1) * 3", 3)):
        defined = expected.astype(bool) | ~np.isnan(NUMBERS)  # the sign of NaN is nobody's
        assert np.array_equal(evaluate(text, real, backend)[defined], (factor * expected)[defined]), text


def test_a_reduction_over_lanes_is_unsigned_as_its_values_are(backend):
    numbers = np.arange(32.0)
    large = evaluate("__reduce_max_sync(~0u, 3000000000u + (unsigned)v)", "double", backend, numbers)
    assert np.all(large == 3000000031)
    assert np.all(evaluate("__reduce_min_sync(~0u, (short)-v)", "double", backend, numbers) == -31)
    assert np.all(evaluate("__reduce_add_sync(~0u, v > 4)", "double", backend, numbers) == 27)
