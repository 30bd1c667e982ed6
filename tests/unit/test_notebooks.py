"""The notebooks of the documentation run, and hold no more than they show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("scipy")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("notebooks_tool", ROOT / "tools" / "notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(tool: Any, path: Path) -> None:
    shown = nbformat.read(path, as_version=4)
    for kept, made in zip(shown.cells, tool.executed(path).cells, strict=True):
        if kept.cell_type == "code":
            kinds = [[output.output_type for output in cell.outputs] for cell in (kept, made)]
            assert kinds[0] == kinds[1], f"`python tools/notebooks.py {path.stem}` updates it: {kept.source}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_modest_and_clean(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 250_000
    assert "Traceback" not in text
    assert "/site-packages/" not in text  # no warnings of libraries
    assert str(ROOT) not in text
    assert str(Path.home()) not in text


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) >= 3
