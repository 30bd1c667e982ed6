"""Lines that are too long, and parts of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

WIDTH = 110
INDENT = "    "


def filled(parts: Sequence[str], indent: str) -> str:
    """`parts` with commas between, on as few indented lines as hold them."""
    lines, line = [], indent
    for i, part in enumerate(parts):
        text = part + ("," if i < len(parts) - 1 else "")
        if line == indent:
            line += text
        elif len(line) + 1 + len(text) <= WIDTH:
            line += " " + text
        else:
            lines.append(line)
            line = indent + text
    return "\n".join([*lines, line])


def wrapped(line: str) -> list[str]:
    """A line of code that is too long, broken in the arguments of the call it ends in, or else at its operators."""
    if len(line) <= WIDTH or '"' in line or "'" in line or line.lstrip().startswith(("//", "#")):
        return [line]
    pieces = _at_arguments(line) or _at_operators(line)
    return [part for piece in pieces for part in wrapped(piece)] if len(pieces) > 1 else pieces


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _at_arguments(line: str) -> list[str]:
    """In the arguments of the last call, or of the call that is its only argument."""
    for closing in (");", "));"):
        end = len(line) - len(closing)
        start, commas = _last_group(line, end) if line.endswith(closing) else (0, [])
        if commas:
            parts = [line[a + 1 : b].strip() for a, b in pairwise([start, *commas, end])]
            return [line[: start + 1], *(filled(parts, _indent(line) + INDENT) + closing).splitlines()]
    return []


def _at_operators(line: str) -> list[str]:
    indent = _indent(line) + INDENT
    lines, begin = [], 0
    for cut, after in pairwise([*_operators(line), len(line)]):
        if after - begin > WIDTH - len(indent) * (begin > 0):
            lines.append(line[begin:cut])
            begin = cut + 1
    lines.append(line[begin:])
    return [each if i == 0 else indent + each for i, each in enumerate(lines)]


def _last_group(line: str, end: int) -> tuple[int, list[int]]:
    """Where the parenthesis opens that closes at `end`, and the commas directly inside it."""
    depth = 0
    commas: list[int] = []
    for i in range(end, -1, -1):
        depth += (line[i] in ")]}") - (line[i] in "([{")
        if depth == 0:
            return i, commas[::-1]
        if depth == 1 and line[i] == ",":
            commas.append(i)
    return 0, []


def _operators(line: str) -> list[int]:
    """The blanks before the operators at which a line is best broken: outermost, and of the least binding strength."""
    found: dict[tuple[int, int], list[int]] = {}
    depth = 0
    for i, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and i > max(line.find(" = "), len(_indent(line))):
            word = line[i + 1 :].split(" ", 1)[0]
            for strength, words in enumerate((("?", ":"), ("||",), ("&&",), ("+", "-"), ("*", "/", "%"))):
                if word in words:
                    found.setdefault((depth, strength), []).append(i)
    return found[min(found)] if found else []


def joined(parts: Iterable[str | Iterable[str]]) -> str:
    """Parts of a file, a blank line between; a group of short lines stays together."""
    texts = [p if isinstance(p, str) else "\n".join(p) for p in parts]
    return "\n\n".join(t for t in texts if t) + "\n"
