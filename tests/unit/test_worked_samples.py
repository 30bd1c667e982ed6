"""The worked examples that need more than a gradient, in small: each finds what it is after, and draws it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.adapters import need

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "samples"

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


def test_volatilities_are_found_in_prices(sample: Any, backend: str, tmp_path: Path) -> None:
    implied = sample("implied_volatility")
    result = implied.study(strikes=12, expiries=5, backend=backend)
    assert np.abs(result.found - result.truth).max() < 1e-4
    from scipy.stats import norm

    years, strike, volatility = result.years, result.strike, result.truth
    d1 = (np.log(implied.SPOT / strike) + (implied.RATE + volatility**2 / 2) * years) / (volatility * np.sqrt(years))
    closed = {"spot": norm.cdf(d1), "volatility": implied.SPOT * norm.pdf(d1) * np.sqrt(years)}
    for name, greek in closed.items():
        np.testing.assert_allclose(result.greeks[name], greek, rtol=2e-3)
    implied.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_an_adjoint_field_says_what_pushes_do(sample: Any, backend: str, tmp_path: Path) -> None:
    flow = sample("flow_sensitivity")
    result = flow.study(nx=60, ny=24, before=200, steps=40, pushes=4, backend=backend)
    _, _, adjoint, simulated = np.array(result.pushes).T
    assert np.abs(adjoint).max() > 0.01
    np.testing.assert_allclose(adjoint, simulated, rtol=1e-4, atol=1e-6)
    flow.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_particles_are_thrown_to_their_places(sample: Any, backend: str, tmp_path: Path) -> None:
    control = sample("particle_control")
    result = control.study(n=16, steps=60, iterations=60, backend=backend)
    assert result.farthest < 0.02
    assert np.hypot(*(result.dropped[-1] - result.places)[:2]).max() > 0.5
    control.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_the_start_is_found_from_what_is_measured_later(sample: Any, backend: str, tmp_path: Path) -> None:
    initial = sample("initial_state")
    problem = initial.Assimilation(16, every=4, times=2, backend=backend)
    rng = np.random.default_rng(1)
    guess, control, direction = np.full((16, 16), 0.2), *rng.standard_normal((2, 256))
    measured = problem.run(initial.blobs(16))[1:]
    value, found = problem.misfit(control, guess, measured)
    ends = [problem.misfit(control + h * direction, guess, measured)[0] for h in (1e-5, -1e-5)]
    assert abs(found @ direction - (ends[0] - ends[1]) / 2e-5) < 1e-6 * value
    result = initial.study(n=32, every=6, times=3, iterations=30, backend=backend)
    assert result.error(result.found) < 0.4 * result.error(result.guess)
    initial.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_a_network_with_a_cuda_layer_is_trained(sample: Any, tmp_path: Path) -> None:
    need("torch")
    denoiser = sample("denoiser")
    result = denoiser.study(rows=8, n=96, steps=60)
    noisy, found = result.errors
    assert found < 0.4 * noisy
    assert result.sharpness[-1] < 0.8  # it has learned to smooth more
    denoiser.plot(result, tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_each_is_in_the_gallery_with_its_picture(script: Path) -> None:
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert f"(../samples/{script.name})" in gallery
    assert f"({script.stem}.png)" in gallery
    assert 10_000 < (ROOT / "docs" / f"{script.stem}.png").stat().st_size < 150_000
    assert f"python samples/{script.name}" in gallery
