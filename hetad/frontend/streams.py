"""Whether a program does more with its streams than write to them.

If not, what it writes is passed over (`opaque.py`).  If it hands a stream on, keeps one in an object or asks one
whether it works, all its streams are objects like others, of the classes in `models/ostream.cuh`, and print when hetad
runs it: the text is whole, and a precision that one function sets is there where another one writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

CONSOLE = ("cout", "cerr", "clog")
FILES = ("ofstream", "fstream")
TEXTS = ("ostringstream", "istringstream", "stringstream")
_BASES = ("ostream", "ostream_iterator")
_READERS = ("ifstream", "fopen", "freopen")  # by which a file may be read that the program has written
# What is called of a stream and has an effect on what is written alone.
_SETTERS = ("precision", "width", "fill", "setf", "unsetf", "flush", "open", "close", "put")
_OF_TYPES = ("class", "struct", "union", "namespace")


def are_read(words: Sequence[str]) -> bool:
    """Whether the streams of a program with these words, in order, are more than written to."""
    found = set(words)
    has_files = not found.isdisjoint(FILES)
    if not found.isdisjoint(_BASES) or (has_files and not found.isdisjoint(_READERS)):
        return True
    if not has_files and found.isdisjoint(CONSOLE):
        return False
    scopes: list[set[str]] = []  # of the functions, and the blocks in them, around: the files that they declare
    outer = [True]  # of all braces around: whether they are those of a class or a namespace
    start = 0
    for i, word in enumerate(words):
        if word == "{":
            head = words[start:i]
            outer.append("(" not in head and not set(head).isdisjoint(_OF_TYPES))
            scopes.append(set())
        elif word == "}" and scopes:
            outer.pop()
            scopes.pop()
        elif word in FILES:
            declared = list(_declared(words, i + 1))
            if outer[-1] or not declared:
                return True
            scopes[-1].update(declared)
        elif word in CONSOLE or any(word in names for names in scopes):
            if not _is_written(words, i):
                return True
        if word in (";", "{", "}"):
            start = i + 1
    return False


def _declared(words: Sequence[str], i: int) -> Iterator[str]:
    """The variables that are declared there: `a("x"), b;`."""
    depth = 0
    while i < len(words) and words[i] != ";":
        if depth == 0 and words[i].isidentifier() and words[i - 1] in (*FILES, ","):
            yield words[i]
        elif depth == 0 and words[i] in ("&", "*", ">", ")"):
            return
        depth += (words[i] in ("(", "{")) - (words[i] in (")", "}"))
        i += 1


def _is_written(words: Sequence[str], i: int) -> bool:
    """Whether the name there is that of a stream that is declared, written to, or told how to write; or of a member."""
    before, after = words[i - 1], words[i + 1 : i + 3]
    if before in (*FILES, ",", ".", "->") and after[:1] != [")"]:
        return True
    if before == "::" and words[i - 3] == "using":
        return True
    return after[:1] == ["<<"] or (len(after) == 2 and after[0] == "." and after[1] in _SETTERS)
