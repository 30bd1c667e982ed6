"""Which tests reach which lines of hetad: a plugin of pytest that says so, and what the mutation test reads.

With `-p tools.reached`, each process of pytest appends a line of JSON for each test that passed to a file of its own in
$HETAD_REACHED: the test, its seconds of the processor, and the lines by file, those that it reached in this process.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).parent.parent
MOST = 40  # tests of a line that are kept
FEW = 3  # a line that fewer reach is run once
MOST_OF_FUNCTION = 12  # those of them that differ in their parameters alone


class Recorder:
    """One for the process: what runs between two tests counts for none."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / f"{os.getpid()}.jsonl"
        include = [str(ROOT / "hetad/*")]
        self.coverage = coverage.Coverage(data_file=None, include=include, config_file=False)
        self.coverage.set_option("run:disable_warnings", ["no-data-collected", "module-not-imported"])
        self.failed = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.failed = False
        self.coverage.erase()
        began = time.process_time() + _of_children()
        self.coverage.start()
        try:
            return (yield)
        finally:
            self.coverage.stop()
            seconds = time.process_time() + _of_children() - began
            if not self.failed:
                data = self.coverage.get_data()
                lines = {str(Path(f).relative_to(ROOT)): _bits(data.lines(f) or ()) for f in data.measured_files()}
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([item.nodeid, round(seconds, 3), lines]) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.outcome != "passed"


def pytest_configure(config: pytest.Config) -> None:
    folder = os.environ.get("HETAD_REACHED")
    if folder and (hasattr(config, "workerinput") or getattr(config.option, "dist", "no") == "no"):
        config.pluginmanager.register(Recorder(Path(folder)))


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _bits(lines: Any) -> str:
    return hex(sum(1 << line for line in lines))


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """The functions and classes of a file: dotted name, first line, last."""

    def walk(node: ast.AST, owner: str) -> Iterator[tuple[str, int, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{owner}.{child.name}".lstrip(".")
                yield name, child.lineno, child.end_lineno or child.lineno
                yield from walk(child, name)
            else:
                yield from walk(child, owner)

    return walk(ast.parse(source), "")


def parameters(test: str) -> list[str]:
    return re.split("[-.]", test.partition("[")[2].rstrip("]"))


@functools.cache
def _texts(folder: str, kind: str) -> list[Path]:
    return sorted((ROOT / folder).rglob(f"*.{kind}"))


@functools.cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


class Reached:
    """The tests of lines, the nearest first: `tests` with their seconds; by file and line their numbers."""

    def __init__(
        self, tests: Mapping[str, float], lines: Mapping[str, Mapping[int, Sequence[int]]], starts: Any
    ) -> None:
        self.tests, self.lines, self.starts = tests, lines, starts
        self.names = list(tests)

    @staticmethod
    def read(file: Path) -> Reached:
        plain = json.loads(file.read_text(encoding="utf-8"))
        lines = {name: {int(n): found for n, found in by.items()} for name, by in plain["lines"].items()}
        return Reached(plain["tests"], lines, plain["starts"])

    def save(self, file: Path) -> None:
        plain = {"tests": self.tests, "lines": self.lines, "starts": self.starts}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(plain, separators=(",", ":")), encoding="utf-8")

    @staticmethod
    def of(folder: Path) -> Reached:
        """Of what processes have written.  A test is the nearer to a line the less else it reaches."""
        found = []
        for part in folder.glob("*.jsonl"):
            for line in part.read_text(encoding="utf-8").splitlines():
                test, seconds, by_file = json.loads(line)
                bits = {name: int(text, 16) for name, text in by_file.items()}
                found.append((sum(b.bit_count() for b in bits.values()), test, seconds, bits))
        found.sort(key=lambda one: one[:3])
        lines: dict[str, dict[int, list[int]]] = {}
        counted: dict[tuple[str, int], Counter[str]] = {}
        full: Counter[str] = Counter()
        for number, (_, test, _, bits) in enumerate(found):
            function = test.partition("[")[0]
            for name, mask in bits.items():
                open_lines = mask & ~full[name]
                while open_lines:
                    line = (open_lines & -open_lines).bit_length() - 1
                    open_lines &= open_lines - 1
                    of_function = counted.setdefault((name, line), Counter())
                    if of_function[function] < MOST_OF_FUNCTION:
                        of_function[function] += 1
                        kept = lines.setdefault(name, {}).setdefault(line, [])
                        kept.append(number)
                        if len(kept) == MOST:
                            full[name] |= 1 << line
        starts = {name: {n: a for n, a, _ in functions((ROOT / name).read_text(encoding="utf-8"))} for name in lines}
        return Reached({test: seconds for _, test, seconds, _ in found}, lines, starts)

    def of_change(self, file: str, owner: str, line: int, about: Sequence[str]) -> list[str]:
        """The tests to try where a line is changed.  What is made once in a process, on import or by the first who
        asks, is a table: which test reaches it says nothing about which need it."""
        found = self.near(file, owner, line) if owner else []
        found = found if len(found) >= FEW else list(dict.fromkeys([*found, *self.of_table(file, about)]))
        return found or self.names  # what runs on import alone, any test may need

    def near(self, file: str, owner: str, line: int) -> list[str]:
        """The tests that reach a line of a function as it is now; those of the function, where none is known to."""
        by_line = self.lines.get(file, {})
        now = {name: (first, last) for name, first, last in functions((ROOT / file).read_text(encoding="utf-8"))}
        if owner not in now or owner not in self.starts.get(file, {}):
            return []
        first, last = now[owner]
        then = self.starts[file][owner]
        return self._of(by_line, [line - first + then]) or self._of(by_line, range(then + 1, then + last - first + 1))

    def of_table(self, file: str, about: Sequence[str]) -> list[str]:
        """The tests of what is no function, but a row of a table: those that have a name of it among their parameters,
        that run lines or programs which mention one; then those of the file's functions."""
        names = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in about) or "$^")
        programs = {path.stem for path in _texts("tests", "cu") if names.search(_text(path))}
        found = [test for test in self.names if not {*about, *programs}.isdisjoint(parameters(test))]
        for path in _texts("hetad", "py"):
            name = str(path.relative_to(ROOT))
            if name != file and names.search(_text(path)):
                lines = [n for n, line in enumerate(_text(path).splitlines(), 1) if names.search(line)]
                found += self._of(self.lines.get(name, {}), lines)
        by_line = self.lines.get(file, {})
        return list(dict.fromkeys([*found, *self._of(by_line, by_line)]))

    def _of(self, by_line: Mapping[int, Sequence[int]], lines: Iterable[int]) -> list[str]:
        numbers = sorted({number for line in lines for number in by_line.get(line, ())})
        return [self.names[number] for number in numbers]
