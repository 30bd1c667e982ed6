"""The worked examples that need more than a gradient, in small: each finds what it is after, and draws it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "samples"

pytest.importorskip("scipy")


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a script by name, as running it would."""
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module


def drawn(path: Path) -> bool:
    return path.stat().st_size > 10_000


def test_newtons_method_finds_the_velocity_in_few_iterations(sample: Any, backend: str, tmp_path: Path) -> None:
    newton = sample("velocity_newton")
    by_newton, by_gradients = newton.compare(n=24, shots=3, iterations=6, backend=backend)
    goal = 1e-3 * by_newton.misfits[0]
    assert by_newton.first_below(goal) < 0.5 * by_gradients.first_below(goal)
    truth = newton.plate(24)
    assert np.abs(by_newton.found - truth).max() < 0.5 * np.abs(1 - truth).max()
    assert "1e-3  Newton-CG" in newton.table([by_newton, by_gradients], truth)
    pytest.importorskip("matplotlib")
    newton.plot([by_newton, by_gradients], truth, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_a_stiff_system_is_solved_with_fewer_evaluations(sample: Any, backend: str, tmp_path: Path) -> None:
    reaction = sample("reaction_diffusion")
    found = reaction.compare((6,), end=3.0, backend=backend)
    by_differences, by_pattern, by_hetad = found[6]
    assert by_hetad.evaluations < by_pattern.evaluations < by_differences.evaluations
    for other in (by_differences, by_pattern):
        np.testing.assert_allclose(by_hetad.end, other.end, rtol=1e-3, atol=1e-3)
    pattern = reaction.Brusselator(6, backend).pattern()
    assert pattern.nnz == 2 * 36 * 6
    assert "hetad" in reaction.table(found)
    pytest.importorskip("matplotlib")
    reaction.plot(found, pattern, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_errors_of_parameters_are_those_of_repeated_experiments(sample: Any, backend: str, tmp_path: Path) -> None:
    uncertainty = sample("parameter_uncertainty")
    rod = uncertainty.Rod(n=24, times=6, steps=20, backend=backend)
    result = uncertainty.study(repeats=40, noise=0.01, rod=rod)
    spread = result.repeated.std(axis=0, ddof=1)
    np.testing.assert_allclose(result.errors, spread, rtol=0.5)
    assert (np.abs(result.fitted - uncertainty.TRUTH) < 4 * result.errors).all()
    assert "± Hessian" in uncertainty.table(result)
    pytest.importorskip("matplotlib")
    uncertainty.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")
