"""Checkpoints in a file: the gradient is the same, and nothing stays behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hetad

MARCH = """
__global__ void step(double *u, const double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] + 0.01 * u[i] * u[i] * v[i];
}
void march(double *u, const double *v, int n, int steps)
{
    for (int t = 0; t < steps; ++t) step<<<(n + 63) / 64, 64>>>(u, v, n);
}
"""
N, STEPS = 500, 60


def _arguments() -> list[object]:
    rng = np.random.default_rng(4)
    return [rng.uniform(0.2, 1, N), rng.uniform(0.2, 1, N), N, STEPS]


def test_gradient_is_the_same_and_the_directory_stays_empty(tmp_path: Path) -> None:
    """The file grows as checkpoints come, and each call has one of its own."""
    march, seed = hetad.loads(MARCH)["march"], {"u": np.linspace(-1, 1, N)}
    wanted = hetad.gradient(march, wrt=("u", "v"), of="u", backend="cpu")(*_arguments(), seeds=seed)
    gradient = hetad.gradient(
        march, wrt=("u", "v"), of="u", backend="cpu", memory_limit=20_000, host_memory=150_000, checkpoint_dir=tmp_path
    )
    for _ in range(2):
        found = gradient(*_arguments(), seeds=seed)
        np.testing.assert_array_equal(found["u"], wanted["u"])
        np.testing.assert_array_equal(found["v"], wanted["v"])
        report = gradient.last_report
        assert report is not None
        assert report.host_bytes > 50_000
        assert list(tmp_path.iterdir()) == []


def test_a_directory_that_has_gone_is_told(tmp_path: Path) -> None:
    """So the file is made there; and a call that failed does no harm to the next one."""
    there = tmp_path / "scratch"
    there.mkdir()
    gradient = hetad.gradient(
        hetad.loads(MARCH)["march"], wrt="u", of="u", backend="cpu", memory_limit=20_000, host_memory=150_000,
        checkpoint_dir=there,
    )  # fmt: skip
    first = gradient(*_arguments(), seeds={"u": np.ones(N)})["u"]
    there.rmdir()
    with pytest.raises(hetad.HetadError, match=r"checkpoint_dir: no file can be made in '.*scratch': No such file"):
        gradient(*_arguments(), seeds={"u": np.ones(N)})
    there.mkdir()
    np.testing.assert_array_equal(gradient(*_arguments(), seeds={"u": np.ones(N)})["u"], first)


def test_what_does_not_fit_is_an_error(tmp_path: Path) -> None:
    march = hetad.loads(MARCH)["march"]
    with pytest.raises(hetad.ArgumentError, match="for the checkpoints of host_memory="):
        hetad.gradient(march, wrt="u", of="u", memory_limit="1MB", checkpoint_dir=tmp_path)
    with pytest.raises(hetad.ArgumentError, match="is no directory"):
        hetad.gradient(march, wrt="u", of="u", memory_limit="1MB", host_memory="1MB", checkpoint_dir=tmp_path / "no")
