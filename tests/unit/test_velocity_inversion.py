"""The worked inverse problem, on a smaller plate."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "samples" / "velocity_inversion.py"

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def sample() -> ModuleType:
    import sys

    spec = importlib.util.spec_from_file_location("velocity_inversion", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules["velocity_inversion"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_velocity_is_found(sample: ModuleType, backend: str, tmp_path: Path) -> None:
    result = sample.recover(n=36, shots=4, iterations=15, backend=backend)
    assert result.misfits[-1] < 0.02 * result.misfits[0]
    assert result.error(result.found) < 0.4 * result.error(result.guess)
    pytest.importorskip("matplotlib")
    sample.plot(result, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
