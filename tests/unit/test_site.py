"""What the documentation's tools do: the check of links, the figures, and what is said of the project."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import hetad

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_tool", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("html", "told"), [
    ('<a href="other.html">x</a><a href="other.html#here">x</a><a href="#top">x</a><p id="top">', []),
    ('<a href="https://example.org/gone">x</a><img src="picture.png">', []),
    ('<a href="gone.html">x</a>', ["index.html: gone.html leads nowhere"]),
    ('<a href="other.html#there">x</a>', ["index.html: other.html#there: there is no such place on that page"]),
    ('<a href="#gone">x</a>', ["index.html: #gone: there is no such place on that page"]),
    ('<img src="gone.png">', ["index.html: gone.png leads nowhere"]),
    ('<script src="https://example.org/x.js"></script>', ["index.html: loads https://example.org/x.js"]),
    ('<link rel="stylesheet" href="//example.org/x.css">', ["index.html: loads //example.org/x.css"]),
])  # fmt: skip
def test_links_of_a_site_are_checked(tmp_path: Path, html: str, told: list[str]) -> None:
    (tmp_path / "index.html").write_text(html, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"")
    assert tool("check_site").problems(tmp_path) == told


def test_tables_of_the_performance_page_are_those_of_the_results() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page.count("<!-- table: ") == 2
    assert tool("figures").filled(page) == page, "`python tools/figures.py` updates it"


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    tool("figures").draw(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {hetad.__version__}\n" in text
    assert f"\nrepository-code: {PROJECT['urls']['Repository']}\n" in text
    assert f"## {hetad.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_all_of_the_interface_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    missing = [name for name in hetad.__all__ if f"::: hetad.{name}\n" not in page]
    assert not missing
