"""Programs of the corpus with a few tokens or characters changed: what an editor leaves on the way, or worse."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

ROOT = Path(__file__).parent.parent
FOLDERS = ("gradient/programs", "reject", "golden", "pairs", "meaning")
_HEADER = re.compile(r"\A/\*---\n.*?^---\*/\n?", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(r"\s+|//.*|\w+|<<<|>>>|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|->|::|.", re.DOTALL)

# What programs of the corpus may lack, and what starts or ends something.
WORDS = (
    "{", "}", "(", ")", "[", "]", "<<<", ">>>", ";", ",", "*", "&", "...", "?", ":", "::", "->", ".", "#", "\\", '"',
    "'", "/*", "*/", "//", "\n#define x x(x)\n", "\n#if 1\n", "\n#include <nothing.h>\n", "__global__", "__shared__",
    "__device__", "template", "typename", "auto", "struct", "union", "class", "enum", "typedef", "static", "const",
    "volatile", "unsigned", "long", "void", "float", "double", "int", "char", "return", "goto", "break", "continue",
    "for", "while", "do", "switch", "case", "default", "if", "else", "sizeof", "operator", "this", "new", "delete",
    "0", "1", "-1", "2147483648", "0x", "1e999", "1.f", "0u", "99999999999999999999", "threadIdx.x", "__syncthreads",
)  # fmt: skip
CHARACTERS = tuple(map(chr, (0, 9, 10, 11, 13, 27, 34, 35, 39, 47, 92, 127, 160, 0x2028, 0xFEFF, 0xD7FF, 0x1F600)))

Edit = tuple[str, int, int, str]  # what is done, where, to how many, with which word


def texts(*, cpp: bool) -> list[str]:
    """The programs of the corpus, small ones first, without what tells the tests about them."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("**/*.cu"))]
    wanted = [path for path in paths if ("cpp" in path.name) == cpp]
    return sorted((_HEADER.sub("", path.read_text(encoding="utf-8")) for path in wanted), key=len)


def mutants(programs: Sequence[str], *, tokens: bool) -> st.SearchStrategy[str]:
    """One of the programs after a few edits of its tokens, or else of its characters."""
    word = st.sampled_from(WORDS if tokens else CHARACTERS)
    edit = st.tuples(st.sampled_from(sorted(_EDITS)), st.integers(0, 1 << 20), st.integers(1, 12), word)

    def edited(text: str, edits: Sequence[Edit]) -> str:
        units = _TOKEN.findall(text) if tokens else list(text)
        for what, place, count, word in edits:
            place %= len(units) + 1
            _EDITS[what](units, place, count, word)
        return "".join(units)

    return st.builds(edited, st.sampled_from(programs), st.lists(edit, min_size=1, max_size=4))


def _delete(units: list[str], place: int, count: int, word: str) -> None:
    del units[place : place + count]


def _repeat(units: list[str], place: int, count: int, word: str) -> None:
    units[place:place] = units[place : place + count] * 2


def _insert(units: list[str], place: int, count: int, word: str) -> None:
    units.insert(place, word)


def _replace(units: list[str], place: int, count: int, word: str) -> None:
    units[place : place + 1] = [word]


def _move(units: list[str], place: int, count: int, word: str) -> None:
    taken = units[place : place + count]
    del units[place : place + count]
    there = (7919 * place) % (len(units) + 1)
    units[there:there] = taken


def _cut(units: list[str], place: int, count: int, word: str) -> None:
    del units[place:]


def _heap(units: list[str], place: int, count: int, word: str) -> None:
    """Deep nesting, if the word opens something."""
    units[place:place] = [word] * (count * 40)


_EDITS: Mapping[str, Callable[[list[str], int, int, str], None]] = {
    "cut": _cut,
    "delete": _delete,
    "heap": _heap,
    "insert": _insert,
    "move": _move,
    "repeat": _repeat,
    "replace": _replace,
}
