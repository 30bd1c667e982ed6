"""Changes that no test needs to notice, with the reason: tools/justified.toml.

An entry names a file and a function ("" outside of any), the lines that are changed and what they become, as the
mutation test's diff shows them, and why no gradient is wrong with it.  Where the code has changed the entry is stale:
a test says so (tests/unit/test_mutation.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.reached import ROOT, functions

FILE = Path(__file__).with_name("justified.toml")


@dataclass(frozen=True)
class Justified:
    file: str
    function: str
    was: str
    becomes: str
    why: str = field(default="", compare=False)

    @staticmethod
    def of_diff(file: str, function: str, diff: str) -> Justified:
        lines = diff.splitlines()[2:]
        was, becomes = (" ".join(" ".join(x[1:] for x in lines if x[:1] == sign).split()) for sign in "-+")
        return Justified(file, function, was, becomes)


def _listed() -> dict[Justified, str]:
    rows = [Justified(**row) for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["justified"]]
    return {row: row.why for row in rows}


def stale(listed: dict[Justified, str], root: Path = ROOT) -> Iterator[str]:
    """What is said of code that is gone, or said with no reason."""
    for row, why in listed.items():
        path = root / row.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        ends = {name: (first, last) for name, first, last in functions(text)}
        first, last = ends.get(row.function, (1, 0)) if row.function else (1, len(text.splitlines()))
        here = " ".join(" ".join(text.splitlines()[first - 1 : last]).split())
        if not why or row.was not in here:
            yield f"{row.file} {row.function}: {row.was}"


JUSTIFIED = _listed()
