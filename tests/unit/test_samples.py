"""Every sample: its gradient is right, and it says what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import hetad
from hetad import problem as problems
from hetad.checks import comparison
from hetad.frontend.normalize import normalize
from hetad.ir.verify import DERIVATIVE, NORMALISED, verify
from hetad.rules.signatures import signature

pytestmark = pytest.mark.usefixtures("kept_derivatives")

FOLDER = Path(__file__).parents[2] / "samples"
PROBLEMS = sorted(FOLDER.glob("*.toml"))
PROGRAMS = sorted(FOLDER.glob("*.cu"))


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_gradient(path: Path, backend: str) -> None:
    subject, arguments = comparison.from_problem(problems.read(path), backend)
    report = comparison.check(subject, arguments)
    assert report.passed, str(report)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_derivative_keeps_the_rules_of_the_ir(path: Path, optimize: bool) -> None:
    problem = problems.read(path)
    function = comparison.function_of(hetad.load(problem.source, **problem.loading), problem)
    wanted = {"wrt": problem.wrt, "of": problem.of, **problem.memory}
    gradient = hetad.gradient(function, backend="cpu", optimize=optimize, **wanted)
    program = gradient.derivative.program
    verify(program, DERIVATIVE, signature)
    verify(normalize(program), NORMALISED, signature)


@pytest.mark.cuda
@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_backends_agree(path: Path) -> None:
    gradients = []
    for backend in ("cpu", "cuda"):
        subject, arguments = comparison.from_problem(problems.read(path), backend)
        gradients.append(subject.gradient(arguments, comparison.generic_seeds(subject, arguments)))
    for name in subject.wrt:
        row = comparison.same_gradient(name, gradients[0][name], gradients[1][name], subject.bits)
        assert row.verdict == "passed", row


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_has_a_problem_file_and_says_what_it_shows(path: Path) -> None:
    assert path.with_suffix(".toml").exists()
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    comment = [first, *rest[: next(i for i, line in enumerate(rest) if not line.startswith("//"))]]
    assert len(" ".join(comment)) > 200, "a paragraph is asked for"
