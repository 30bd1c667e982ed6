"""What README and docs/ show is what hetad does.

A fenced block after `<!-- hetad ARGUMENTS -->` is the output of that command, in a folder with samples/ and the
programs that the page shows after `<!-- program: NAME -->`; after `<!-- hetad … (derivative) -->` it is the derivative,
without the support functions that a .cu brings along.  `make golden` rewrites such blocks.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from hetad.cli import main
from tests.adapters import need

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), ROOT / "CONTRIBUTING.md"]
COMMAND = re.compile(r"(<!-- hetad (.*?)(?: \((derivative)\))? -->\n```\w*\n)(.*?)```", re.DOTALL)
PROGRAM = re.compile(r"<!-- program: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"<!-- python -->\n```python\n(.*?)```", re.DOTALL)


def pages_with(pattern: re.Pattern[str]) -> list[Path]:
    return [page for page in PAGES if pattern.search(page.read_text(encoding="utf-8"))]


def derivative_only(source: str) -> str:
    """The functions with a comment that says which primal they belong to."""
    items = re.split(r"\n\n(?=\S)", source.strip())
    own = [item for item in items if re.match(r"// (forward sweep|pullback|gradient) of ", item)]
    return "\n\n".join(own) + "\n"


@pytest.mark.parametrize("page", pages_with(COMMAND), ids=lambda page: page.name)
def test_output_shown_is_the_output(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    text = page.read_text(encoding="utf-8")
    for name, program in PROGRAM.findall(text):
        (tmp_path / name).write_text(program, encoding="utf-8")
    (tmp_path / "samples").symlink_to(ROOT / "samples")
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


@pytest.mark.parametrize("page", pages_with(PYTHON), ids=lambda page: page.name)
def test_python_shown_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for code in PYTHON.findall(page.read_text(encoding="utf-8")):
        for library in ("torch", "jax"):
            if f"import {library}" in code:
                need(library)
        exec(compile(code, page.name, "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target


def test_every_optimisation_is_in_the_docs() -> None:
    from hetad.adjoint.options import OPTIMISATIONS

    text = (ROOT / "docs" / "accumulation.md").read_text(encoding="utf-8")
    for name, what in OPTIMISATIONS.items():
        assert f"| `{name}` | {what} |" in text
