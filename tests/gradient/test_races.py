"""The programs of the corpus and their derivatives have no races; the programs would without their barriers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetad
from hetad.checks.comparison import function_of, generic_seeds, of_function
from hetad.diagnostics import RaceError
from hetad.run.races import RaceLimitError
from tests.corpus import Case, cases

FOLDER = Path(__file__).parent / "programs"
CASES = [case for path in sorted(FOLDER.glob("**/*.cu")) for case in cases(path)]
# Programs of which every barrier orders accesses that the first of their cases makes.
MUTANTS = (
    "arguments_by_value", "arrays_counted_through", "atomics_in_shared", "atomics_on_first_elements", "barrier_in_loop",
    "block_of_three_dimensions_shared", "cpp_templates", "divergent_shared", "fourier", "hotspot",
)  # fmt: skip
BARRIER = re.compile(r"__sync(?:threads|warp)\([^)]*\);")


def watch(case: Case, program: hetad.Program) -> None:
    """Runs the case of the program under the race detector."""
    problem = case.problem
    function = function_of(program, problem)
    function(*problem.arguments(function.parameters), racecheck=True, **problem.launch)


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_races(case: Case) -> None:
    watch(case, hetad.load(case.problem.source, **case.problem.loading))


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_races_in_derivatives(case: Case) -> None:
    problem = case.problem
    function = function_of(hetad.load(problem.source, **problem.loading), problem)
    subject = of_function(function, problem.wrt, problem.of, "cpu", problem.launch, **problem.memory)
    arguments = problem.arguments(function.parameters)
    assert subject.watched_gradient is not None
    try:
        subject.watched_gradient(arguments, generic_seeds(subject, arguments))
    except RaceLimitError as problem_size:
        pytest.skip(str(problem_size))


@pytest.mark.parametrize("name", MUTANTS)
def test_each_barrier_is_missed(name: str) -> None:
    path = FOLDER / f"{name}.cu"
    text = path.read_text(encoding="utf-8")
    barriers = list(BARRIER.finditer(text))
    assert barriers
    for barrier in barriers:
        case = cases(path)[0]
        mutant = text[: barrier.start()] + ";" + text[barrier.end() :]
        with pytest.raises(RaceError):
            watch(case, hetad.loads(mutant, str(path), defines=case.problem.defines))
