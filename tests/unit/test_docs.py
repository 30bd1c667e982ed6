"""What README and docs/ show is what hetad does.

A page's blocks run in a folder with samples/ and the programs that it shows after `<!-- program: NAME -->`.  Python is
run from the top of the page to its end; what a comment `<!-- python` in front of a block holds is run and not shown.
A block after `<!-- hetad ARGUMENTS -->` is the output of that command; after `<!-- hetad … (derivative) -->` it is the
derivative, without the support functions that a .cu brings along.  `make golden` rewrites such blocks.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hetad.cli import main
from hetad.cli.parser import build_parser
from tests.adapters import need

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [
    ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md",
]  # fmt: skip
COMMAND = re.compile(r"(<!-- hetad (.*?)(?: \((derivative)\))? -->\n```\w*\n)(.*?)```", re.DOTALL)
PROGRAM = re.compile(r"<!-- program: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"<!-- python(?:\n(.*?))?\s*-->\n```python\n(.*?)```", re.DOTALL)


FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
REPOSITORY = "https://github.com/hetad/hetad/"
RAW = "https://raw.githubusercontent.com/hetad/hetad/main/"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def pages_with(pattern: re.Pattern[str]) -> list[Path]:
    return [page for page in PAGES if pattern.search(page.read_text(encoding="utf-8"))]


def furnish(folder: Path, text: str) -> None:
    """The folder that a page's commands and its Python run in."""
    for name, program in PROGRAM.findall(text):
        (folder / name).write_text(program, encoding="utf-8")
    (folder / "samples").symlink_to(ROOT / "samples")


def derivative_only(source: str) -> str:
    """The functions with a comment that says which primal they belong to."""
    items = re.split(r"\n\n(?=\S)", source.strip())
    own = [item for item in items if re.match(r"// (forward sweep|pullback|gradient) of ", item)]
    return "\n\n".join(own) + "\n"


@pytest.mark.parametrize("page", pages_with(COMMAND), ids=name_of)
def test_output_shown_is_the_output(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    text = page.read_text(encoding="utf-8")
    furnish(tmp_path, text)
    monkeypatch.chdir(tmp_path)

    def real(found: re.Match[str]) -> str:
        assert main(shlex.split(found[2])) == 0, found[2]
        output = capsys.readouterr().out
        return found[1] + (derivative_only(output) if found[3] else output) + "```"

    updated = COMMAND.sub(real, text)
    if pytestconfig.getoption("--update-golden"):
        page.write_text(updated, encoding="utf-8")
    else:
        assert text == updated, "`make golden` updates the page"


@pytest.mark.parametrize("page", pages_with(PYTHON), ids=name_of)
def test_python_shown_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    furnish(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for unseen, code in PYTHON.findall(text):
        for library in ("torch", "jax"):
            if f"import {library}" in code:
                need(library)
        exec(compile(f"{unseen}\n{code}", page.name, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_all_python_is_run_and_all_commands_are_there(page: Path) -> None:
    if page.parent.name == "errors":
        pytest.skip("test_errors.py runs it")
    text = page.read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    run = [code for _, code in PYTHON.findall(text)]
    assert not [code for language, code in blocks if language == "python" and code not in run]
    shell = [code for language, code in blocks if language == "sh"]
    for line in "".join(shell).splitlines():
        check_command(line.partition(" #")[0].strip())


def check_command(line: str) -> None:
    """A line of a shell, as far as it can be checked without running it."""
    words = shlex.split(line, comments=True)
    words = words[3:] if words[:2] == ["mpirun", "-n"] else words
    words = words[1:] if words and "=" in words[0] else words
    if words[:1] == ["hetad"]:
        build_parser().parse_args(words[1:])
    elif words[:1] == ["make"]:
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert words[1] in targets, line
    elif words[:1] == ["python"]:
        assert (ROOT / words[1]).exists() or words[1] in ("train.py", "-m"), line
    for extra in re.findall(r"(?:hetad|\.)\[([\w,]+)\]", line):
        assert set(extra.split(",")) <= set(PROJECT["optional-dependencies"]), line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(rf"(?:{REPOSITORY}(?:blob|tree)/main/|{RAW})([^)#\s\"]+)", text):
        assert (ROOT / target).exists(), target


def test_files_that_the_page_of_the_house_names_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## What was learned")[0]
    named = {path for path in re.findall(r"`([\w./*]+)`", text) if "/" in path or path.endswith((".py", ".md"))}
    places = (ROOT, ROOT / "hetad", ROOT / "hetad" / "frontend")
    assert len(named) > 50
    assert [path for path in sorted(named) if not any(any(p.glob(path.rstrip("/"))) for p in places)] == []


def test_every_optimisation_is_in_the_docs() -> None:
    from hetad.adjoint.options import OPTIMISATIONS

    text = (ROOT / "docs" / "accumulation.md").read_text(encoding="utf-8")
    for name, what in OPTIMISATIONS.items():
        assert f"| `{name}` | {what} |" in text
