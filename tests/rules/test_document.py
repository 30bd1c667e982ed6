from __future__ import annotations

from pathlib import Path

from hetad.rules import document


def test_the_table_of_derivatives_is_up_to_date():
    path = Path(__file__).parents[2] / "docs" / "math.md"
    assert path.read_text(encoding="utf-8") == document.text(), "run: python -m hetad.rules.document docs/math.md"
