"""The oracle itself: it must pass what is right and catch what is wrong, without any program of hetad's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hetad.checks import comparison
from hetad.diagnostics import Span
from hetad.ir.nodes import Symbol
from hetad.ir.types import DOUBLE, FLOAT, INT, Float, Pointer

N = 200


def subject(
    forward: Callable[[Any], Any], pullback: Callable[[Any, Any], Any], element: Float = DOUBLE
) -> comparison.Subject:
    """y = forward(x), of y with respect to x."""

    def primal(arguments: list[Any]) -> None:
        arguments[0][:] = forward(arguments[1])

    def gradient(arguments: list[Any], seeds: dict[str, Any] | None) -> dict[str, Any]:
        assert seeds is not None
        return {"x": pullback(arguments[1], seeds["y"])}

    parameters = [_parameter("y", Pointer(element)), _parameter("x", Pointer(element)), _parameter("n", INT)]
    return comparison.Subject("f", "cpu", parameters, ("x",), ("y",), primal, gradient)


def _parameter(name: str, type_: Any) -> Symbol:
    return Symbol(name, type_, Span("f.cu", 1, 1), "param")


def arguments(dtype: type = np.float64) -> list[Any]:
    x = np.random.default_rng(1).standard_normal(N).astype(dtype)
    return [np.zeros(N, dtype), x, N]


def test_a_right_gradient_passes() -> None:
    report = comparison.check(
        subject(lambda x: np.exp(np.sin(x)), lambda x, s: s * np.cos(x) * np.exp(np.sin(x))), arguments()
    )
    assert report.passed, str(report)


def test_single_precision_passes_and_is_tight_enough() -> None:
    right = subject(np.sin, lambda x, s: s * np.cos(x), FLOAT)
    assert comparison.check(right, arguments(np.float32)).passed

    def one_wrong(x: Any, s: Any) -> Any:
        result = s * np.cos(x)
        result[17] *= 1.5
        return result

    assert not comparison.check(subject(np.sin, one_wrong, FLOAT), arguments(np.float32)).passed


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x, s: s * np.cos(x) * 1.00001,
        lambda x, s: np.zeros_like(x),
        lambda x, s: s,
        lambda x, s: np.full_like(x, np.nan),
        lambda x, s: s * np.cos(np.roll(x, 1)),
    ],
)
def test_wrong_gradients_fail(wrong: Callable[[Any, Any], Any]) -> None:
    assert not comparison.check(subject(np.sin, wrong), arguments()).passed


def test_kinks_near_the_point_do_no_harm() -> None:
    report = comparison.check(
        subject(lambda x: np.maximum(x, 0.3) ** 2, lambda x, s: s * np.where(x > 0.3, 2 * x, 0)), arguments()
    )
    assert report.passed, str(report)


def test_a_gradient_that_is_zero_passes() -> None:
    report = comparison.check(subject(np.ones_like, lambda x, s: np.zeros_like(x)), arguments())
    assert report.passed, str(report)


def test_state_kept_between_calls_is_caught() -> None:
    kept = np.zeros(N)

    def leaking(x: Any, s: Any) -> Any:
        kept[:] += s * 2 * x
        return kept.copy()

    report = comparison.check(subject(np.square, leaking), arguments())
    assert [row.check for row in report.rows if row.verdict == "failed"] == ["linear in the seeds"]


def test_changed_arguments_are_caught() -> None:
    def meddling(x: Any, s: Any) -> Any:
        result = s * 2 * x
        x[3] += 1e-9
        return result

    report = comparison.check(subject(np.square, meddling), arguments())
    assert "arguments unchanged" in [row.check for row in report.rows if row.verdict == "failed"]
    assert "the call changed x" in str(report)


def test_differences_that_drown_are_never_passed() -> None:
    """A gradient far below the rounding of the value: nothing can be said."""
    report = comparison.check(
        subject(lambda x: np.float32(1e9) + x, lambda x, s: s, FLOAT),
        arguments(np.float32),
        comparison.Accuracy(samples=1),
    )
    assert {row.verdict for row in report.rows if row.check == "x"} == {"unsure"}, str(report)


def test_vectors_of_structs_and_mappings() -> None:
    records = np.zeros(2, [("x", "f8"), ("kind", "i4"), ("v", "f4", (2,))])
    records["x"] = [1.0, 2.0]
    records["kind"] = 7
    vector = comparison.to_vector(records)
    assert vector.tolist() == [1.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    filled = comparison.from_vector(records, np.arange(6.0))
    assert filled["kind"].tolist() == [7, 7]
    np.testing.assert_array_equal(comparison.to_vector(filled), np.arange(6.0))
    struct = {"re": 1.0, "n": 3, "im": 2.0}
    assert comparison.from_vector(struct, np.array([5.0, 6.0])) == {"re": 5.0, "n": 3, "im": 6.0}
