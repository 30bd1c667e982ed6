"""C++ source that stands for libraries: what a program includes of them is read from here, and differentiated."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hetad.frontend.preprocess import Preprocessed, preprocess

_FILES = {"std": "standard.cuh", "cooperative_groups": "cooperative_groups.cuh"}  # by the namespace that they define
_FOLDER = "<hetad>/"


@cache
def model(namespace: str) -> Preprocessed:
    """What stands for the headers of a library."""
    name = _FILES[namespace]
    return preprocess((Path(__file__).parent / name).read_text(encoding="utf-8"), f"{_FOLDER}{name}")


def named(words: Iterable[str]) -> list[Preprocessed]:
    """The models of the libraries whose namespaces are among these words."""
    found = set(words)
    return [model(namespace) for namespace in _FILES if namespace in found]


def is_model(file: str) -> bool:
    """Whether a file is one of hetad's models."""
    return file.startswith(_FOLDER)
