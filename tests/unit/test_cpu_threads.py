"""Blocks in parallel on request: cpu_threads= of calls and gradients, --cpu-threads, and the key of a problem file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main

SOURCE = """
__global__ void cube(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i] * x[i];
}
void run(double *y, const double *x, int n) { cube<<<(n + 31) / 32, 32>>>(y, x, n); }
"""
N = 1000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """How many threads the code of each run was told to use; None: it knows of one only."""
    from hetad.run.cpu_executable import CpuExecutable

    found: list[int | None] = []
    run = CpuExecutable.run

    def recorded(self: CpuExecutable, *args: Any) -> Any:
        found.append(self._threads)
        return run(self, *args)

    monkeypatch.setattr(CpuExecutable, "run", recorded)
    monkeypatch.delenv("HETAD_CPU_THREADS", raising=False)
    monkeypatch.delenv("HETAD_CPU_MODE", raising=False)
    return found


def test_calls_and_gradients(asked: list[int | None]) -> None:
    launch = hetad.loads(SOURCE)["run"]
    x = np.random.default_rng(1).standard_normal(N)
    for threads, told in ((4, 4), (2, 2), (1, None), (None, None), (4, 4)):
        y = np.zeros(N)
        launch(y, x, N, backend="cpu", cpu_threads=threads)
        np.testing.assert_array_equal(y, x * x * x)
        gradient = hetad.gradient(launch, wrt=("x",), of=("y",), backend="cpu", cpu_threads=threads)
        np.testing.assert_allclose(gradient(y, x, N, seeds={"y": np.ones(N)})["x"], 3 * x * x)
        assert asked == [told, told]
        asked.clear()


def test_the_argument_comes_before_the_environment(asked: list[int | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CPU_THREADS", "3")
    launch = hetad.loads(SOURCE)["run"]
    for threads, told in ((None, 3), (2, 2), (1, None)):
        launch(np.zeros(N), np.ones(N), N, backend="cpu", cpu_threads=threads)
        assert asked.pop() == told


def test_problem_file_and_command_line(
    asked: list[int | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cube.cu").write_text(SOURCE)
    problem = tmp_path / "cube.toml"
    problem.write_text(
        'source = "cube.cu"\nfunction = "run"\nwrt = ["x"]\nof = ["y"]\ncpu_threads = 3\n'
        f"[inputs]\nn = {N}\nx = {{ shape = [{N}], random = 1 }}\ny = {{ zeros = [{N}] }}\n"
    )
    assert main(["gradcheck", str(problem), "--backend", "cpu", "--no-racecheck", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"]
    assert set(asked) == {3}
    asked.clear()
    assert main(["gradcheck", str(problem), "--backend", "cpu", "--cpu-threads", "2", "--no-racecheck", "--json"]) == 0
    assert set(asked) == {2}


def test_wrong_numbers(tmp_path: Path) -> None:
    launch = hetad.loads(SOURCE)["run"]
    with pytest.raises(hetad.HetadError, match="cpu_threads is '-1'"):
        launch(np.zeros(N), np.ones(N), N, backend="cpu", cpu_threads=-1)
    from hetad import problem

    with pytest.raises(hetad.HetadError, match="cpu_threads must be a whole number"):
        problem.parse('source = "a.cu"\nfunction = "f"\nwrt = ["x"]\ncpu_threads = "two"\n', tmp_path / "a.toml")
