"""NAME.cu is a program (see tests/corpus.py), NAME.expected.cu the adjoint hetad must emit for it, NAME.tangent.cu the
tangent.

A golden certifies text, not truth: each program's gradient is checked too.  `make golden` rewrites what is expected.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hetad
from tests.corpus import cases

PROGRAMS = [path for path in sorted(Path(__file__).parent.glob("*.cu")) if path.name.count(".") == 1]
EMITTED: dict[str, Callable[..., Any]] = {"expected": hetad.gradient, "tangent": hetad.jvp}


@pytest.mark.parametrize("kind", EMITTED)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_text(path: Path, kind: str, pytestconfig: pytest.Config) -> None:
    problem = cases(path)[0].problem
    program = hetad.loads(path.read_text(encoding="utf-8"), name=path.name, defines=problem.defines)
    emitted = EMITTED[kind](program[problem.function], wrt=problem.wrt, of=problem.of).source
    expected = path.with_suffix(f".{kind}.cu")
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
