"""Every program in programs/, on every backend: adding a test is adding a file (see tests/corpus.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS
from hetad.cli.check import examine
from hetad.diagnostics import UnsupportedError
from tests.corpus import Case, cases
from tests.turns import skip_unless_turn_of

pytestmark = pytest.mark.usefixtures("kept_derivatives")

CASES = [case for path in sorted(Path(__file__).parent.glob("programs/**/*.cu")) for case in cases(path)]

# Stencils, tapes, records, shared memory, shuffles, atomics, structs, time loops: what the optimisations look at.
VARIED = (
    "atomics_in_shared", "barriers_and_global", "data_dependent_trips", "gather_by_index", "grid_stride", "hotspot",
    "indexed", "jacobi", "n_body", "reread_global", "structs_of_pointers", "tree_reduction", "warp_reductions",
)  # fmt: skip

# Where one thread does the work of all, if sums must have a fixed order.
IN_TURN = ("gather_by_index", "indexed", "index_meets_itself", "threads_that_add_alike")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient(case: Case, backend: str, settings: list[dict[str, Any]] | None) -> None:
    if settings is None:
        skip_unless_turn_of(case.problem.path.stem, 2)
    try:
        case.check(backend, settings)
    except UnsupportedError as refusal:
        if "with deterministic=True" not in str(refusal):
            raise
        pytest.skip(str(refusal).splitlines()[0])


@pytest.mark.parametrize("case", [c for c in CASES if c.problem.path.stem in IN_TURN], ids=lambda case: case.name)
@pytest.mark.parametrize("optimize", [True, False])
def test_sums_of_fixed_order(case: Case, optimize: bool, backend: str) -> None:
    """Of some programs; of all of them with `--optimize deterministic`."""
    case.check(backend, [{"deterministic": True, "optimize": optimize}])


@pytest.mark.parametrize("path", VARIED)
def test_each_optimisation_alone(path: str, backend: str) -> None:
    """Of some programs; of all of them with `--optimize each`."""
    skip_unless_turn_of(path, 4)
    case = next(c for c in CASES if c.problem.path.stem == path)
    case.check(backend, [{"optimize": name} for name in OPTIMISATIONS])


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_reports_nothing(case: Case) -> None:
    problem = case.problem
    unit = hetad.load(problem.source, defines=problem.defines).unit
    of = None if problem.of is None else tuple(problem.of)
    assert examine(unit, problem.function, tuple(problem.wrt), of).errors == ()
