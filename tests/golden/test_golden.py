"""NAME.cu is a program (see tests/corpus.py), NAME.expected.cu the adjoint hetad must emit for it.

A golden certifies text, not truth: each program's gradient is checked too.  `make golden` rewrites what is expected.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

import hetad
from tests.corpus import cases

PROGRAMS = [path for path in sorted(Path(__file__).parent.glob("*.cu")) if not path.name.endswith(".expected.cu")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_text(path: Path, pytestconfig: pytest.Config) -> None:
    problem = cases(path)[0].problem
    program = hetad.loads(path.read_text(encoding="utf-8"), name=path.name, defines=problem.defines)
    emitted = hetad.gradient(program[problem.function], wrt=problem.wrt, of=problem.of).source
    expected = path.with_suffix(".expected.cu")
    if pytestconfig.getoption("--update-golden"):
        expected.write_text(emitted, encoding="utf-8")
        return
    if not expected.exists():
        pytest.fail(f"{expected.name} is missing; `make golden` writes it")
    wanted = expected.read_text(encoding="utf-8")
    difference = difflib.unified_diff(wanted.splitlines(), emitted.splitlines(), expected.name, "emitted", lineterm="")
    assert emitted == wanted, "\n".join(["`make golden` accepts what is emitted:", *difference])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_gradient(path: Path, backend: str) -> None:
    for case in cases(path):
        case.check(backend)
