"""What a gradient says of its last call."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

SOURCE = """
__global__ void square(double *y, const double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
void twice(double *y, const double *x, int n, int times) {
    for (int t = 0; t < times; t++) {
        square<<<(n + 31) / 32, 32>>>(y, x, n);
        square<<<(n + 31) / 32, 32>>>(y, y, n);
    }
}
"""


@pytest.mark.parametrize("times", [0, 1, 3])
def test_launches_of_both_sweeps_are_counted(times: int, backend: str) -> None:
    x, seed = np.random.default_rng(1).standard_normal((2, 70))
    gradient = hetad.gradient(hetad.loads(SOURCE)["twice"], wrt="x", of="y", backend=backend)
    assert gradient.last_report is None
    for _ in range(2):
        gradient(np.zeros(70), x, 70, times, seeds={"y": seed})
        report = gradient.last_report
        assert report is not None
        # The second kernel of a time round overwrites what its pullback needs; the first is run again or recorded.
        assert 3 * times <= report.launches <= 5 * times
        assert str(report).endswith(f"{report.launches} launches")


def test_a_gradient_that_saves_nothing_reports_it(backend: str) -> None:
    x, seed = np.random.default_rng(2).standard_normal((2, 70))
    gradient = hetad.gradient(hetad.loads(SOURCE)["square"], wrt="x", of="y", backend=backend)
    gradient(np.zeros(70), x, 70, seeds={"y": seed}, grid=3, block=32)
    assert gradient.last_report == hetad.Report(launches=1)
