"""What is imported when: starting must cost next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "pycparser", "pcpp", "networkx", "rich", "cupy")


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import hetad", ()),
        ("from hetad.cli.parser import build_parser; build_parser()", ()),
        ("import hetad; hetad.load; hetad.gradient", ("numpy", "networkx")),
    ],
)
def test_heavy_packages_are_imported_when_used(code: str, allowed: tuple[str, ...]) -> None:
    program = f"{code}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= set(allowed)
