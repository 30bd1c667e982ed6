"""What a compiler says of an emitted source: the lines that it means."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ERROR = re.compile(r"\((\d+)\): (?:catastrophic )?error")
_PLACE = re.compile(r"//.*\bline \d+")


def refused_lines(log: str, source: str) -> Iterator[str]:
    """The lines of an emitted source that NVRTC's log is about, and what each of them was made of."""
    lines = source.splitlines()
    for number in sorted({int(found[1]) for found in _ERROR.finditer(log)}):
        if 1 <= number <= len(lines):
            made_of = next((line for line in reversed(lines[:number]) if _PLACE.search(line)), None)
            yield f"its line {number}: {lines[number - 1].strip()}"
            if made_of is not None:
                yield f"made of {made_of.strip().removeprefix('//').strip()}"
