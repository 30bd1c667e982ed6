"""Gradients differentiated again, in reverse and along directions, as programs and as text: against differences."""

from __future__ import annotations

from pathlib import Path

import pytest

import hetad
from hetad import problem as problems
from tests.again import WAYS, again
from tests.corpus import Case
from tests.gradient.test_second_order import FIRST, NAMES

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.toml"))
# See docs/tangents.md.
REFUSED_SAMPLES = {
    "tree_reduction": "needs shared memory as it was before this atomic operation",
    "heat_on_ranks": "'hetad_mpi_",
    "kokkos_gemv": "a cast of 'double",
}
TANGENTS = {("tree_reduction", "program"), ("tree_reduction", "text"), ("kokkos_gemv", "program")}  # that they have

# Snapshots, values and pointers on the tape, tapes of kernels, structs of pointers, records of launches, shuffles,
# shared memory, library calls, copies of all kinds, memory that serves again, loops dealt out to lanes, values that
# come back under other names, shared structs.
SHOWN = (
    "adi", "atomic_queue", "conjugate_gradients", "cublas_calls", "cpp_views", "dynamic_shared_everywhere",
    "frees_arguments", "hot_cells", "jacobi", "math_elementary", "pointer_swap", "shared_arrays",
    "shuffles_in_loop", "sparse_matrix", "staging_buffer", "structs", "warp_reductions",
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_tangent_of_a_sample(path: Path, way: str) -> None:
    found = again(problems.read(path), way)
    if path.stem in REFUSED_SAMPLES and (path.stem, way) not in TANGENTS:
        with pytest.raises(hetad.UnsupportedError, match=REFUSED_SAMPLES[path.stem]):
            hetad.jvp(found.function, wrt=found.wrt, of=found.of)
        return
    source = hetad.jvp(found.function, wrt=found.wrt, of=found.of).source
    assert f"{found.function.name}_tangent" in source


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_reverse_of_a_sample(path: Path) -> None:
    """Whether it is taken; that it is right is seen by the sweep."""
    found = again(problems.read(path), "text")
    if path.stem not in REFUSED_SAMPLES:
        assert f"{found.function.name}_grad" in hetad.gradient(found.function, wrt=found.wrt, of=found.of).source
        return
    with pytest.raises(hetad.UnsupportedError, match=REFUSED_SAMPLES[path.stem]):
        hetad.gradient(found.function, wrt=found.wrt, of=found.of)


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", [p for p in SAMPLES if p.stem not in REFUSED_SAMPLES], ids=lambda path: path.stem)
def test_sample(path: Path, way: str, backend: str) -> None:
    problem = problems.read(path)
    report = again(problem, way, backend).check(problem.gradcheck.get("rtol"), backend)
    assert report.passed, str(report)


def check(case: Case, way: str, backend: str) -> None:
    report = again(case.problem, way, backend).check(case.problem.gradcheck.get("rtol"), backend)
    assert report.passed, str(report)


@pytest.mark.parametrize("name", SHOWN)
def test_program(name: str, backend: str) -> None:
    check(FIRST[NAMES[name]], "program", backend)


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FIRST)
def test_every_program(name: str, way: str, backend: str) -> None:
    """Right, or refused (docs/tangents.md tells what)."""
    try:
        check(FIRST[name], way, backend)
    except hetad.UnsupportedError as refusal:
        pytest.skip(str(refusal).splitlines()[0])
