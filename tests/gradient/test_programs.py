"""Every program in programs/, on every backend: adding a test is adding a file (see tests/corpus.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import Case, cases

CASES = [case for path in sorted(Path(__file__).parent.glob("programs/**/*.cu")) for case in cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient(case: Case, backend: str) -> None:
    case.check(backend)
