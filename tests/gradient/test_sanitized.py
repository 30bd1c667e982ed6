"""What hetad emits for the corpus under the sanitizers of the C compiler: `make sanitize`.

Programs, gradients with all optimisations and with none, and tangents are compiled with -fsanitize=address,undefined.
What they find they write to stderr, which is read behind each call.  They must be loaded before Python is; the make
target sees to that.
"""

from __future__ import annotations

import copy
import ctypes
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.checks.subjects import Subject, function_of, generic_seeds, of_function
from hetad.directions import from_vector, to_vector
from hetad.run import compiler
from tests.corpus import Case, cases

FOLDER = Path(__file__).parent / "programs"
CASES = [case for path in sorted(FOLDER.glob("**/*.cu")) for case in cases(path)]
# Programs count an array through beyond the end of a row, as nvcc lets them: `bounds` would tell of that.
SANITIZERS = (
    "-fsanitize=address,undefined", "-fno-sanitize=bounds", "-fsanitize-recover=address,undefined", "-g1",
)  # fmt: skip
# Their derivatives save, or pass on, a `bool` that nobody has set yet; the programs themselves do not read it.
UNSET = {"cpp_clocks_and_helpers", "cpp_settings_from_files", "cpp_shared_layers"}
LOADED = os.name == "posix" and hasattr(ctypes.CDLL(None), "__asan_init")

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not LOADED, reason="the sanitizers are not loaded: `make sanitize`"),
]

Found = Callable[[], str]


@pytest.fixture
def found(_compiled_quickly: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Found:
    """What the sanitizers found since they were last asked, in all that is compiled from now on."""
    kept = [flag for flag in compiler.FLAGS if not flag.startswith("-O")]
    monkeypatch.setattr(compiler, "FLAGS", (*kept, "-O1", *SANITIZERS))
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # the compiler is not watched

    def new() -> str:
        written = capfd.readouterr().err
        return written if "runtime error: " in written or "AddressSanitizer" in written else ""

    return new


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_found(case: Case, found: Found) -> None:
    problem = case.problem
    function = function_of(hetad.load(problem.source, **problem.loading), problem)
    arguments = problem.arguments(function.parameters)
    function(*copy.deepcopy(arguments), backend="cpu", **problem.launch)
    assert found() == ""
    for optimize in (True, False):
        subject = of_function(
            function, problem.wrt, problem.of, "cpu", problem.launch, optimize=optimize, **problem.memory
        )
        subject.gradient(copy.deepcopy(arguments), generic_seeds(subject, arguments))
        assert _beyond_unset(case, found()) == "", f"in the gradient, optimize={optimize}"
        if subject.tangent is not None:
            subject.tangent(copy.deepcopy(arguments), _directions(subject, arguments))
        assert _beyond_unset(case, found()) == "", f"in the tangent, optimize={optimize}"


def _beyond_unset(case: Case, written: str) -> str:
    lines = written.splitlines(keepends=True) if case.name in UNSET else [written]
    return "".join(line for line in lines if case.name not in UNSET or "not a valid value for type '_Bool'" not in line)


def _directions(subject: Subject, arguments: list[object]) -> dict[str, object]:
    like = {name: arguments[subject.position(name)] for name in subject.wrt}
    rng = np.random.default_rng(3)
    return {name: from_vector(x, rng.standard_normal(to_vector(x).size)) for name, x in like.items()}


@pytest.mark.parametrize(
    ("index", "n", "message"), [(8, 8, "heap-buffer-overflow"), (7, 2147483647, "signed integer overflow")]
)
def test_planted_errors_are_found(index: int, n: int, message: str, found: Found) -> None:
    source = "__global__ void k(double *y, const double *x, const int *p, int n) { y[0] += (n + 1) * x[p[0]]; }\n"
    source += "void run(double *y, const double *x, const int *p, int n) { k<<<1, 1>>>(y, x, p, n); }"
    run = hetad.loads(source)["run"]
    run(np.zeros(1), np.ones(8), np.full(1, index, np.int32), n, backend="cpu", checked=False)
    assert message in found()
