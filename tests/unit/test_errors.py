"""docs/errors has an entry for each code, with a program that gives it and the message that it gives.

An entry runs in a folder of its own: its block of CUDA is `f.cu`, loaded as `program` before its block of Python runs,
a block of TOML is `problem.toml`, and one of a shell is a command of hetad's.  The last block is the message, which on
the page of the machine depends on the machine.  `make golden` rewrites messages and index.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad import diagnostics
from hetad.cli import main
from hetad.codes import CODES, GROUPS, code_of
from hetad.run import cuda
from tests.adapters import need

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "errors"
ENTRY = re.compile(r"^## (HET\d{3}): (.+?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
INDEX = FOLDER / "index.md"
NEEDS = {"torch": "import torch", "jax": "import jax", "mpi4py": "mpi.h"}


@dataclass(frozen=True)
class Entry:
    page: Path
    code: str
    title: str
    text: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        return BLOCK.findall(self.text)


ENTRIES = [
    Entry(page, code, title, text)
    for page in PAGES
    for code, title, text in ENTRY.findall(page.read_text(encoding="utf-8"))
]


def test_each_code_has_an_entry_and_each_entry_a_code() -> None:
    entries = {e.code: e.title for e in ENTRIES}
    assert len(entries) == len(ENTRIES), "a code has two entries"
    assert entries == {code.name: code.title for code in CODES}


def test_codes_are_told_apart() -> None:
    kinds = {(code.name, code.title) for code in CODES}
    names = {name for name, _ in kinds}
    assert len(names) == len(kinds)
    assert {name[3] for name in names} == set(GROUPS)
    for entry in ENTRIES:
        group = GROUPS[entry.code[3]]
        assert entry.page.read_text(encoding="utf-8").startswith(f"# {group}\n"), f"{entry.code} stands on another page"


def test_the_index_lists_all(pytestconfig: pytest.Config) -> None:
    text = INDEX.read_text(encoding="utf-8")
    head, mark, _ = text.partition("<!-- codes -->\n")
    made = head + mark + "".join(listed())
    if pytestconfig.getoption("--update-golden"):
        INDEX.write_text(made, encoding="utf-8")
    else:
        assert text == made, "`make golden` updates the page"


def listed() -> Iterator[str]:
    for digit, group in GROUPS.items():
        yield f"\n## {group}\n\n| | |\n|---|---|\n"
        for entry in sorted(ENTRIES, key=lambda e: e.code):
            if entry.code[3] == digit:
                words = re.sub(r"[^\w\s-]", "", f"{entry.code} {entry.title}").lower()
                anchor = re.sub(r"[-\s]+", "-", words)
                yield f"| [{entry.code}]({entry.page.name}#{anchor}) | {entry.title} |\n"


def every_kind() -> list[type[hetad.HetadError]]:
    """The classes of errors that reach a user; front ends ask each other by two more."""
    import hetad.frontend.beyond_c
    import hetad.run.foreign
    import hetad.run.races

    found = [hetad.HetadError]
    for kind in found:
        found.extend(kind.__subclasses__())
    return [k for k in found if not k.__module__.startswith("hetad.frontend.cpp") and k is not diagnostics.SourceError]


@pytest.mark.parametrize("kind", every_kind(), ids=lambda kind: kind.__name__)
def test_each_kind_of_error_has_a_code(kind: type[hetad.HetadError]) -> None:
    """Or of the kind that it is one of: a row takes what no other describes."""
    classes = [c.__name__ for c in kind.__mro__]
    named = next(rows for c in classes if (rows := [code for code in CODES if c in code.classes.split()]))
    assert [code for code in named if not code.says] == named[-1:]
    assert code_of(classes, "something that no row describes") == named[-1].name


def test_names_of_a_program_are_no_description() -> None:
    error = hetad.UnsupportedError("hetad does not know 'goto lambda union'")
    assert error.code == "HET216"
    assert str(error) == "hetad does not know 'goto lambda union'  [HET216]"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_program_gives_the_error(
    entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    for library, word in NEEDS.items():
        if word in entry.text:
            need(library)
    if entry.code == "HET602" and cuda.usable():
        pytest.skip("there is a GPU here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "cache"))
    message = message_of(entry, tmp_path, monkeypatch, capsys).replace(str(tmp_path), "…")
    message = re.sub(r"[0-9a-f]{40}", "…", message)
    assert re.search(rf"\[{entry.code}\]$", message.splitlines()[0]), message
    *before, (language, shown) = entry.blocks
    assert before, "there is no program"
    assert language == "", "the last block is the message"
    if pytestconfig.getoption("--update-golden"):
        text = entry.page.read_text(encoding="utf-8")
        start = text.index(f"## {entry.code}:")
        end = text.index(entry.text, start) + len(entry.text)
        head, _, tail = text[start:end].rpartition(f"```\n{shown}```\n")
        entry.page.write_text(f"{text[:start]}{head}```\n{message}```\n{tail}{text[end:]}", encoding="utf-8")
    elif entry.page.stem != "machine":
        assert shown == message, "`make golden` updates the page"


def message_of(entry: Entry, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    names: dict[str, object] = {"hetad": hetad, "np": np}
    given = dict(entry.blocks[:-1])
    missing = "matplotlib.figure"  # in one entry
    monkeypatch.setitem(sys.modules, missing, sys.modules.get(missing))
    if "toml" in given:
        (folder / "problem.toml").write_text(given["toml"], encoding="utf-8")
    if "cuda" in given:
        (folder / "f.cu").write_text(given["cuda"], encoding="utf-8")
    if "sh" in given:
        words = shlex.split(given["sh"])
        while "=" in words[0]:
            monkeypatch.setenv(*words.pop(0).split("=", 1))
        assert main(words[1:]) != 0
        return capsys.readouterr().err

    def run() -> None:
        if "cuda" in given:
            names["program"] = hetad.load("f.cu")
        exec(compile(given["python"], entry.code, "exec"), names)

    with pytest.raises(hetad.HetadError) as caught:
        run()
    return f"{caught.value}\n"
