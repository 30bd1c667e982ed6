"""What the README shows is what hetad does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetad

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    """The fenced block after an HTML comment."""
    found = re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", README, re.DOTALL)
    assert found, f"README.md has no block {marker!r}"
    return found[1]


def test_the_adjoint_shown_is_the_one_emitted() -> None:
    program = hetad.loads(block("program: wave.cu"), name="wave.cu")
    source = hetad.gradient(program["run"], wrt=("x", "w"), of="y").source
    parts = block("emitted: wave.cu").split("…\n")
    for part in parts:
        assert part.strip(), "nothing is shown"
        assert part.strip("\n") in source


def test_the_quick_start_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    exec(compile(block("python"), "README.md", "exec"), names)
    assert "axpy_grad" in capsys.readouterr().out


def test_links_lead_somewhere() -> None:
    for text in [README, *(path.read_text(encoding="utf-8") for path in ROOT.glob("docs/*.md"))]:
        base = ROOT if text is README else ROOT / "docs"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (base / target).exists(), target
