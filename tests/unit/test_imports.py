"""What is imported when: starting must cost next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
HEAVY = ("numpy", "pycparser", "pcpp", "networkx", "rich", "cupy")


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import hetad", ()),
        ("from hetad.cli.parser import build_parser; build_parser()", ()),
        ("import hetad; hetad.load; hetad.gradient", ()),
    ],
)
def test_heavy_packages_are_imported_when_used(code: str, allowed: tuple[str, ...]) -> None:
    assert imported(code) <= set(allowed)


def test_a_derivative_that_is_kept_is_only_read(tmp_path: Path) -> None:
    axpy = str(SAMPLES / "axpy.cu")
    code = f"import hetad; hetad.gradient(hetad.load({axpy!r})['axpy'], wrt='x', of='y').source"
    environment = {"HETAD_CACHE_DIR": str(tmp_path), "HETAD_KEEP": "1"}
    assert "pycparser" in imported(code, **environment)
    assert imported(code, **environment) == set()


def imported(code: str, **environment: str) -> set[str]:
    """Of the heavy packages, those that a process imports which runs the code."""
    program = f"{code}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())
