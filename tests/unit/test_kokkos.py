"""Kokkos: what is emitted needs neither Kokkos nor the model of it, and has the kernels of the same program in CUDA."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import hetad
from hetad import targets
from tests import nvrtc

SAMPLES = Path(__file__).parents[2] / "samples"


Task = tuple[str, str, tuple[str, ...], tuple[str, ...] | None]
NRM2: Task = ("nrm2", "nrm2", ("x",), None)
GEMV: Task = ("gemv", "model", ("a", "x"), ("y",))
HEAT: Task = ("heat", "heat", ("u", "k"), ("u",))


@cache
def gradient(task: Task) -> hetad.Gradient:
    sample, function, wrt, of = task
    return hetad.gradient(hetad.load(SAMPLES / f"kokkos_{sample}.cu")[function], wrt=wrt, of=of)


@pytest.mark.skipif(nvrtc.load() is None, reason="no NVRTC")
@pytest.mark.parametrize("task", [NRM2, GEMV, HEAT], ids=["nrm2", "gemv", "heat"])
def test_emitted_alone(task: Task) -> None:
    made = gradient(task)
    assert nvrtc.compile_device(targets.device_source(made.derivative.program))
    code = [line for line in made.source.splitlines() if "//" not in line]
    assert not any("Kokkos" in line or "operator()" in line for line in code)


def test_stencil_is_gathered() -> None:
    """Neighbours are read through `now(i - 1, j)`, and the adjoint sums over those that read a cell."""
    assert "parallel_for_2d_kernel_int_heat_lambda_gather" in gradient(HEAT).source


def test_owners_are_not_passed() -> None:
    """What counts the owners of a view's memory is no parameter of a kernel."""
    source = gradient(HEAT).source
    (head,) = re.findall(r"__global__ void parallel_for_2d_kernel_int_heat_lambda\(([^)]*)\)", source)
    assert "f_now_at" in head
    assert "owners" not in head and "memory" not in head


def test_arrays_that_pointers_lead_to_stay_outside_of_branches() -> None:
    """The reverse sweep follows the pointer when the branch has been left."""
    text = """
    double f(const double *x, int n)
    {
        double value = 1.0;
        if (n > 2) {
            double part[64];
            memcpy(part, x, n * sizeof(double));
            for (int i = 0; i < n; ++i) {
                const double *w = part + i;
                value = sqrt(value * value + *w);
            }
        }
        return value;
    }
    """
    source = hetad.gradient(hetad.loads(text)["f"], wrt=["x"]).source
    declared = next(line for line in source.splitlines() if line.endswith(" part[64];"))
    assert declared.startswith("    double")
