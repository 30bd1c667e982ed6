"""Gradients differentiated again, in reverse and along directions, as programs and as text: against differences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetad
from hetad import problem as problems
from hetad import targets
from hetad.checks.subjects import function_of_problem
from tests import nvrtc
from tests.again import WAYS, again
from tests.gradient.test_second_order import FIRST, NAMES

pytestmark = pytest.mark.usefixtures("kept_derivatives")

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.toml"))
# See docs/tangents.md.
REFUSED_SAMPLES = {
    "tree_reduction": "needs shared memory as it was before this atomic operation",
    "heat_on_ranks": "'hetad_mpi_",
    "kokkos_gemv": "needs shared memory as it was before this atomic operation",
}
TANGENTS = {
    ("tree_reduction", "program"),
    ("tree_reduction", "text"),
    ("kokkos_gemv", "program"),
    ("kokkos_gemv", "text"),
}  # that they have

# Snapshots, values and pointers on the tape, tapes of kernels, structs of pointers, records of launches, shuffles,
# shared memory, library calls, copies of all kinds, memory that serves again, loops dealt out to lanes, values that
# come back under other names, shared structs, copies row by row, structs with whole numbers, schedules of checkpoints,
# runs that lanes have in common.
SHOWN = (
    "adi", "atomic_queue", "conjugate_gradients", "copy_kinds", "corners_in_common", "cublas_calls", "cpp_views",
    "dynamic_shared_everywhere", "frees_arguments", "hot_cells", "jacobi", "levels_under_a_limit", "math_elementary",
    "pitched_memory", "pointer_swap", "records_with_integers_copied", "shared_arrays", "shuffles_in_loop",
    "sparse_matrix", "staging_buffer", "structs", "warp_reductions",
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


def test_memory_that_changes_is_not_read_as_constant() -> None:
    """An adjoint that the kernel changes is read in one branch, one that nothing changes in the other, by one load."""
    if nvrtc.load() is None:
        pytest.skip("no NVRTC")
    found = again(FIRST["guarded_loads_again"].problem, "program", "cuda")
    twice = hetad.gradient(found.function, wrt=found.wrt, of=found.of, backend="cuda").derivative.program
    (kernel,) = re.findall(
        r"\.entry rows_pullback_pullback\(.*?\n}", nvrtc.ptx(targets.device_source(twice)), re.DOTALL
    )
    constant = set(re.findall(r"ld\.global\.nc\.\S+\s+\S+, \[(%rd\d+)", kernel))
    assert constant
    assert constant.isdisjoint(re.findall(r"selp\.b64\s+(%rd\d+),", kernel))


@pytest.mark.parametrize("way", WAYS)
def test_numbers_taken_from_a_place_that_is_chosen(way: str) -> None:
    """As kernels for a GPU take adjoints: with atomicExch, here of one of two cells."""
    found = again(FIRST["cpp_references_to_choices"].problem, way, "cuda")
    assert hetad.gradient(found.function, wrt=found.wrt, of=found.of, backend="cuda").source


@pytest.mark.parametrize("name", ["atomics_on_first_elements", "cpp_views", "jacobi"])
def test_text_read_as_cpp(name: str) -> None:
    """The first has an object made in an expression, which no C text has."""
    problem = FIRST[NAMES[name]].problem
    g = hetad.gradient(function_of_problem(problem), wrt=tuple(problem.wrt), of=tuple(problem.of or ()))
    read = hetad.loads(g.source, "emitted.cu", frontend="cpp")[g.derivative.entry]
    wrt = problem.wrt[0]
    assert f"{read.name}_grad" in hetad.gradient(read, wrt=wrt, of=f"adj_{wrt}").source


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", [p for p in SAMPLES if p.stem not in REFUSED_SAMPLES], ids=lambda path: path.stem)
def test_sample(path: Path, way: str, backend: str) -> None:
    check(problems.read(path), way, backend)


def check(problem: problems.Problem, way: str, backend: str) -> None:
    report = again(problem, way, backend).check(problem.gradcheck.get("rtol"), backend)
    # Where rounding drowns a difference, the products must tell.
    verdicts = {row.check: row.verdict for row in report.rows}
    assert "failed" not in verdicts.values() and verdicts["dot product"] == "passed", str(report)


@pytest.mark.parametrize("name", SHOWN)
def test_program(name: str, backend: str) -> None:
    check(FIRST[NAMES[name]].problem, "program", backend)


# Halves are structs of hetad's own in the text, which is not read as numbers again.
UNREADABLE = {"cpp_half_arrays": "holds no floating values", "cpp_half_network": "half2", "cpp_half_records": "half2"}


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FIRST)
def test_every_program(name: str, way: str, backend: str) -> None:
    """Right, or refused (docs/tangents.md tells what)."""
    if way == "text" and name in UNREADABLE:
        with pytest.raises(hetad.HetadError, match=UNREADABLE[name]):
            check(FIRST[name].problem, way, backend)
        return
    try:
        check(FIRST[name].problem, way, backend)
    except hetad.UnsupportedError as refusal:
        pytest.skip(str(refusal).splitlines()[0])
    except hetad.ExecutionError as ended:
        if "a race: " not in str(ended) and "does not hold" not in str(ended):
            raise
        pytest.skip(str(ended).splitlines()[0])  # as the launch decides
