"""C++ source that stands for libraries: what a program includes of them is read from here, and differentiated."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hetad.frontend.preprocess import Preprocessed, preprocess

FILE = "standard.cuh"


@cache
def standard() -> Preprocessed:
    """What stands for the headers of the C++ library."""
    return preprocess((Path(__file__).parent / FILE).read_text(encoding="utf-8"), f"<hetad>/{FILE}")
