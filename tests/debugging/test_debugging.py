"""The debugger finds what is wrong in each of the programs: the kind, the line, the thread, the launch; and nothing in
the same program put right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import problem as problems
from hetad.adjoint import expressions
from hetad.cli import main
from hetad.debugger.findings import Debugged
from hetad.ir.simplify import negated
from hetad.tangent.duals import Duals
from tests.corpus import cases, header
from tests.turns import skip_unless_turn_of

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cu"))
_OWN = ("breaks", "thread", "launch_number", "rules", "right")


def problem_of(table: dict[str, Any], path: Path) -> problems.Problem:
    return problems.from_table({k: v for k, v in table.items() if k not in _OWN} | {"source": path.name}, path)


def debugged(path: Path, right: bool) -> Debugged:
    """`right`: with the keys under `[right]` in the place of the others; tables of inputs are joined."""
    table = header(path)
    if right:
        given = table["right"]
        table |= {key: {**table.get(key, {}), **value} if key == "inputs" else value for key, value in given.items()}
    rules: dict[str, dict[str, Any]] = table.get("rules", {})
    problem = problem_of(table, path)
    program = hetad.load(path, defines=problem.defines)
    for function, rule in rules.items():
        hetad.pullback(program, function, **rule)
    gradient = hetad.gradient(program[problem.function], problem.wrt, problem.of, backend="cpu")
    return gradient.debug(*problem.arguments(gradient.function.parameters), **problem.launch)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_names_what_is_wrong(path: Path) -> None:
    told, wanted = debugged(path, right=False), header(path)
    (line,) = (n for n, text in enumerate(path.read_text().splitlines(), 1) if text.endswith("// breaks"))
    first = told.first
    assert first is not None and first.span is not None, told
    assert (first.kind, first.span.line) == (wanted["breaks"], line), told
    assert first.thread == wanted.get("thread", first.thread), told
    assert first.launch == wanted.get("launch_number", first.launch), told
    assert len(told.findings) == 1, told
    assert max(len(text) for text in str(told).splitlines()) <= 80, told


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_finds_nothing_where_nothing_is_wrong(path: Path) -> None:
    told = debugged(path, right=True)
    assert told, told
    assert told.looked > 0 and told.values > 0


PROBLEM = """
source = "{source}"
function = "distances"
wrt = ["x", "y"]
of = ["d"]
launch = {{ grid = 2, block = 8 }}
[inputs]
d = {{ zeros = [4] }}
x = {{ values = [1.0, {second}, -1.0, 0.5] }}
y = {{ values = [1.0, 0.0, -1.0, 0.5] }}
n = 4
"""


def problem(folder: Path, second: float) -> str:
    file = folder / "problem.toml"
    source = Path(__file__).parent / "programs" / "root_at_zero.cu"
    file.write_text(PROBLEM.format(source=source, second=second))
    return str(file)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["debug", problem(tmp_path, 0.0), "--json", "--html", str(page)]) == 1
    told = json.loads(capsys.readouterr().out)
    (finding,) = told["findings"]
    assert (finding["kind"], finding["thread"]) == ("adjoint", 1)
    text = page.read_text()
    assert 'id="debugged"' in text and "breaks: adjoint" in text and "sqrt(...)" in text
    assert main(["debug", problem(tmp_path, 2.0)]) == 0
    assert "agree at each point" in capsys.readouterr().out


LAUNCH = "__global__ void f(double *y, const double *x) { int i = threadIdx.x; y[i] = x[i] * sin(x[i]) + y[i]; }"


def product(seeds: dict[str, Any] | None = None) -> Debugged:
    gradient = hetad.gradient(hetad.loads(LAUNCH)["f"], "x", "y", backend="cpu")
    x = np.random.default_rng(0).normal(size=8)
    return gradient.debug(np.zeros(8), x, grid=1, block=8, seeds=seeds)


def test_a_wrong_tangent_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Duals._scaled
    monkeypatch.setattr(Duals, "_scaled", lambda self, slope, t: tuple(negated(x) for x in right(self, slope, t)))
    first = product().first
    assert first is not None and (first.kind, first.seen[-1].what) == ("slope", "sin(...)")


def test_a_wrong_adjoint_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    right = expressions._slope
    monkeypatch.setattr(expressions, "_slope", lambda *given: negated(right(*given)))
    first = product().first
    assert first is not None and (first.kind, first.seen[-1].what) == ("identity", "sin(...)")


def test_seeds_of_zero_break_nothing() -> None:
    assert product({"y": np.zeros(8)})


def gradient_of(name: str, **options: Any) -> tuple[hetad.Gradient, list[Any], Any]:
    path = Path(__file__).parent / "programs" / f"{name}.cu"
    problem = problem_of(header(path), path)
    gradient = hetad.gradient(hetad.load(path)[problem.function], problem.wrt, problem.of, "cpu", **options)
    return gradient, problem.arguments(gradient.function.parameters), problem.launch


def test_a_gradient_that_is_not_finite_is_an_error_if_asked() -> None:
    gradient, arguments, launch = gradient_of("root_at_zero", debug=True)
    seeds = {"d": np.ones(10)}
    with pytest.raises(hetad.NonFiniteError, match=r"x: 1 of 10, first x\[6\].*, thread 6 \(x\[i\] = 0") as problem:
        gradient(*arguments, seeds=seeds, **launch)
    assert problem.value.span is not None and problem.value.span.line == 21
    assert "sqrt(x[i] * x[i]" in str(problem.value)
    arguments[1][6] = 1.0
    assert np.isfinite(gradient(*arguments, seeds=seeds, **launch)["x"]).all()


def test_a_value_and_gradient_that_is_not_finite() -> None:
    gradient, arguments, _ = gradient_of("log_of_zero", debug=True)
    with pytest.raises(hetad.NonFiniteError, match=r"p\[4\].*the value is not finite"):
        gradient.value_and_grad(*arguments)
    other, _, _ = gradient_of("log_of_zero")
    assert not np.isfinite(other(*arguments)["p"]).all()


def test_a_batch_is_not_debugged() -> None:
    with pytest.raises(hetad.ArgumentError, match="debug= is for calls of one set"):
        gradient_of("log_of_zero", debug=True, batch=2)


RIGHT = (
    "atomics_on_first_elements",  # sums in variables at file scope
    "files_and_time",  # a clock, whose values no other run has
    "cublas_layers",  # memory filled with what is no number
    "richardson_quadrature",  # numbers of the host around launches in a loop
)


@pytest.mark.parametrize("name", RIGHT)
def test_finds_nothing_in_programs_of_the_corpus(name: str) -> None:
    skip_unless_turn_of(name, 2)
    (path,) = (ROOT / "tests" / "gradient" / "programs").rglob(f"{name}.cu")
    problem = cases(path)[0].problem
    function = hetad.load(path, **problem.loading)[problem.function]
    gradient = hetad.gradient(function, problem.wrt, problem.of, "cpu")
    told = gradient.debug(*problem.arguments(function.parameters), **problem.launch)
    assert told, told


MESSAGES = """
#include <mpi.h>
double f(double x)
{
    double y = x * x, sum;
    MPI_Allreduce(&y, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
"""


def test_a_program_that_sends_messages_is_refused() -> None:
    gradient = hetad.gradient(hetad.loads(MESSAGES)["f"], "x", backend="cpu")
    with pytest.raises(hetad.UnsupportedError, match="the debugger follows one process") as problem:
        gradient.debug(1.0)
    assert problem.value.span is not None and problem.value.span.line == 6
    assert "MPI_Allreduce(&y" in str(problem.value)
