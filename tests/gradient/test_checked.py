"""The programs of the corpus and their derivatives stay within their memory: checked, they give the same gradient."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad import pipeline
from hetad.analysis.between_calls import kept_between_calls
from hetad.checks.subjects import function_of, generic_seeds, of_function
from hetad.diagnostics import ArgumentError, MemoryAccessError
from hetad.directions import to_vector
from hetad.run.adaptive import AdaptiveExecutable
from hetad.run.checked import CheckedExecutable
from hetad.run.running import Running
from hetad.targets.places import Places
from tests.corpus import Case, cases

FOLDER = Path(__file__).parent / "programs"
CASES = [case for path in sorted(FOLDER.glob("**/*.cu")) for case in cases(path)]


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_checked_programs_have_the_same_gradient(case: Case) -> None:
    check(case)


def test_memory_that_a_function_takes_again() -> None:
    """In a part of the gradient that is a function, what a parameter leads to is there when it has been taken."""
    check(next(case for case in CASES if case.name == "cpp_thrust_sums_in_turn"))


def check(case: Case) -> None:
    problem = case.problem
    function = function_of(hetad.load(problem.source, **problem.loading), problem)
    arguments = problem.arguments(function.parameters)
    found = []
    for checked in (True, False):
        subject = of_function(
            function, problem.wrt, problem.of, "cpu", problem.launch, tangent=False, checked=checked, **problem.memory
        )
        found.append(subject.gradient(arguments, generic_seeds(subject, arguments)))
    single = subject.inner_bits == 32
    for name in problem.wrt:
        one, other = (to_vector(f[name]) for f in found)
        scale = np.max(np.abs(other), initial=1.0)
        np.testing.assert_allclose(one, other, rtol=0, atol=(1e-4 if single else 1e-10) * scale, err_msg=name)


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_calls_that_are_proven_stay_within_their_memory(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with arrays that are an element shorter: such a call is refused, not proven, or right."""
    monkeypatch.delenv("HETAD_CPU_MODE", raising=False)
    problem = case.problem
    function = function_of(hetad.load(problem.source, **problem.loading), problem)
    executable = function.compiled.primal_plan("cpu", Running()).executable
    primal = pipeline.primal(function.compiled.unit, function.compiled.name)
    if kept_between_calls(primal.program, primal.entry):
        assert isinstance(executable, CheckedExecutable)
        return
    assert isinstance(executable, AdaptiveExecutable)
    arguments = problem.arguments(function.parameters)
    arrays = [i for i, a in enumerate(arguments) if isinstance(a, np.ndarray) and a.size > 1]
    for shorter in (None, *arrays):
        given = [a.reshape(-1)[:-1].copy() if i == shorter else copy.deepcopy(a) for i, a in enumerate(arguments)]
        again = copy.deepcopy(given)
        executable.unproven = Places()
        try:
            function(*given, backend="cpu", **problem.launch)
        except (ArgumentError, MemoryAccessError):
            assert shorter is not None
        if executable.unproven is None:
            function(*again, backend="cpu", checked=True, **problem.launch)
