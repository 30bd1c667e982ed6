"""The debugger finds what is wrong in each of the programs: the kind, the line, the thread, the launch; and nothing in
the same program put right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad import problem as problems
from hetad.debugger.findings import Debugged
from tests.corpus import header

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cu"))
_OWN = ("breaks", "thread", "launch_number", "rules", "right")


def debugged(path: Path, right: bool) -> Debugged:
    """`right`: with the keys under `[right]` in the place of the others; tables of inputs are joined."""
    table = header(path)
    if right:
        given = table["right"]
        table |= {key: {**table.get(key, {}), **value} if key == "inputs" else value for key, value in given.items()}
    rules: dict[str, dict[str, Any]] = table.get("rules", {})
    problem = problems.from_table({k: v for k, v in table.items() if k not in _OWN} | {"source": path.name}, path)
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
