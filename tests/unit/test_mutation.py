"""The tools that change rules and proofs: which tests are near to a line, what is changed, and what comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.justified import JUSTIFIED, Justified, stale
from tools.reached import ROOT, Reached, functions

SCALES = "hetad/analysis/scales.py"
TEST = "tests/unit/test_access.py::test_what_is_emitted[own cell]"


def test_functions_of_a_file() -> None:
    source = "def f():\n    return 1\n\nclass A:\n    def g(self):\n        def h():\n            pass\n"
    assert list(functions(source)) == [("f", 1, 2), ("A", 4, 7), ("A.g", 5, 7), ("A.g.h", 6, 7)]


def reached(tmp_path: Path, *tests: tuple[str, set[int]]) -> Reached:
    lines = [json.dumps([name, 0.5, {SCALES: hex(sum(1 << n for n in at))}]) for name, at in tests]
    (tmp_path / "1.jsonl").write_text("\n".join(lines))
    return Reached.of(tmp_path)


def test_the_nearest_tests_come_first(tmp_path: Path) -> None:
    places = {name: first for name, first, _ in functions((ROOT / SCALES).read_text())}
    first = places["chain"]
    found = reached(tmp_path, ("wide", {*range(first, first + 3)}), ("near", {first + 1}), ("elsewhere", {1}))
    found.save(tmp_path / "reached.json")
    found = Reached.read(tmp_path / "reached.json")
    assert found.near(SCALES, "chain", first + 1) == ["elsewhere", "near", "wide"][1:]
    assert found.near(SCALES, "chain", first + 2) == ["wide"]
    assert found.of_table(SCALES, []) == ["elsewhere", "near", "wide"]
    assert found.near(SCALES, "scale", places["scale"]) == []


def test_tests_of_the_row_of_a_table(tmp_path: Path) -> None:
    """Those that have its name, that run programs in which it is, or lines; then others of the file."""
    lines = (ROOT / "hetad/analysis/conflicts.py").read_text().splitlines()
    mentioning = next(n for n, line in enumerate(lines, 1) if "strides != [ONE]" in line)
    found = reached(tmp_path, ("of the file", {1}), ("test[ONE-1]", set()))
    found.tests |= {"program[cpu-axpy_streams]": 1.0, "line": 1.0}
    found.names += ["program[cpu-axpy_streams]", "line"]
    found.lines["hetad/analysis/conflicts.py"] = {mentioning: [3]}
    assert found.of_table(SCALES, ["ONE"]) == ["test[ONE-1]", "line", "of the file"]
    program = next(
        path for path in (ROOT / "tests/gradient/programs").glob("*.cu") if "cudaStream_t" in path.read_text()
    )
    found.names[2] = f"program[cpu-{program.stem}]"
    assert found.of_table(SCALES, ["cudaStream_t"])[0] == found.names[2]


def test_what_is_made_once_is_tried_with_the_tests_of_the_table(tmp_path: Path) -> None:
    """A function whose lines one test reaches has run for all others, too."""
    chain = next(first for name, first, _ in functions((ROOT / SCALES).read_text()) if name == "chain")
    tests = [("first", {chain + 1}), ("other", {1}), ("more", {2})]
    assert reached(tmp_path, *tests).of_change(SCALES, "chain", chain + 1, ()) == ["first", "more", "other"]


def test_justified_changes_are_of_the_code_as_it_is() -> None:
    assert list(stale(JUSTIFIED)) == []
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n def f():\n-    return  1 +\\\n-      x\n+    return 2\n"
    one = Justified.of_diff("hetad/analysis/scales.py", "chain", diff)
    assert (one.was, one.becomes) == ("return 1 +\\ x", "return 2")
    assert list(stale({one: "reason"})) == ["hetad/analysis/scales.py chain: return 1 +\\ x"]
    assert list(stale({Justified("hetad/analysis/scales.py", "", "def chain(", "x"): ""}))  # no reason


def test_what_is_changed(tmp_path: Path) -> None:
    pytest.importorskip("mutmut")
    from tools.mutants import mutants

    (tmp_path / "rules").mkdir()
    text = '''def f(a: int, b: str) -> int:
    """A message."""
    if a < 3 and b:
        return 0
    raise ValueError("no such thing")

ROW = row("sin", "x", "x + cos(x)")
'''
    (tmp_path / "hetad/rules").mkdir(parents=True)
    (tmp_path / "hetad/rules/a.py").write_text(text)
    count, found = mutants(tmp_path, "hetad/rules/a.py")
    changed = {line for m in found for line in m.diff.splitlines()[2:] if line.startswith("+")}
    assert {"+    if a <= 3 and b:", "+    if a < 3:", "+    if b:", "+    if False:", "+        return 1"} <= changed
    assert '+ROW = row("sin", "x", "x - cos(x)")' in changed
    assert not any("no such" in line or "message" in line or "def f" in line for line in changed)
    assert len(found) <= count
    assert {(m.owner, m.about) for m in found} == {("f", ()), ("", ("ROW", "sin")), ("", ("sin",))}
    again, some = mutants(tmp_path, "hetad/rules/a.py", 3, seed=1)
    assert again == count
    assert len(some) == 3
    assert {m.name for m in some} <= {m.name for m in found}


@pytest.mark.slow
def test_a_run(tmp_path: Path) -> None:
    """Changes that a test notices are killed; without a change it passes; another run tries others."""
    pytest.importorskip("mutmut")
    file = tmp_path / "mutation.json"
    reached(tmp_path, (TEST, set(range(1, 61)))).save(tmp_path / "reached.json")
    command = [sys.executable, "tools/mutation.py", "--jobs", "1", "--files", SCALES, "--sample", "6",
               "--json", str(file), "--reached", str(tmp_path / "reached.json")]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("controls: {'survived': 1}\n"), done.stdout + done.stderr
    outcomes = [row["outcome"] for row in json.loads(file.read_text())["tried"].values()]
    assert len(outcomes) == 6
    assert "killed" in outcomes
    survivors = (tmp_path / "survivors.diff").read_text()
    assert survivors.count("--- ") == outcomes.count("survived")
    subprocess.run([*command, "--sample", "7"], cwd=ROOT, check=True, capture_output=True)
    assert len(json.loads(file.read_text())["tried"]) == 7
