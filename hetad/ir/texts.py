"""Texts of the user in generated C: lines of the source in comments, names of files and strings in literals.

Everything generated that holds such a text passes through here, so that no character of it can end the comment or the
literal that it stands in: only printable characters are written, all others are blanks or octal escapes, and a comment
never ends in what could join the next line to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CONTINUES = re.compile(r"(?:\\|\?\?/|\s)+\Z")  # the next line, also where a compiler reads trigraphs
_LITERAL = re.compile(
    r"""(?:u8)?R"(?P<delimiter>[^()\\\s]{0,16})\((?P<raw>[\s\S]*?)\)(?P=delimiter)"|(?:u8)?"(?P<text>(?:[^"\\]|\\[\s\S])*)"
    |'(?P<character>(?:[^'\\]|\\[\s\S])*)'""",
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"""\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})
    |(?P<simple>[\s\S]))|(?P<plain>[^\\]|\\\Z)""",
    re.VERBOSE,
)
_SIMPLE = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_SPELLED = {10: "\\n", 9: "\\t", 13: "\\r", 7: "\\a", 8: "\\b", 12: "\\f", 11: "\\v", ord("\\"): "\\\\"}
_NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)


def comment(text: str) -> Iterator[str]:
    """The lines of a comment in C."""
    for line in text.splitlines():
        shown = "".join(c if c.isprintable() else " " for c in line)
        shown = _CONTINUES.sub("", shown)
        yield shown if shown.startswith("//") else f"// {shown}".rstrip()


def quoted(text: str | bytes) -> str:
    """A literal in C for a text, or for these bytes in UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    return '"' + "".join(_spelled(text, '"')) + '"'


def character(code: int) -> str:
    """A literal in C for a character of one byte."""
    return "'" + "".join(_spelled(bytes([code & 255]).decode("utf-8", "surrogateescape"), "'")) + "'"


def respelled(token: str) -> str:
    """A token of C++; where it is a literal, in printable characters."""
    if re.match(r"""(?:u8)?R?["']""", token):
        found = octets(token)
        if token[0] != "'":
            return quoted(found)
        return character(found[0]) if len(found) == 1 else "'" + quoted(found)[1:-1].replace("'", "\\'") + "'"
    if re.match(r"""[LuU]["']""", token):
        return "".join(c if c.isprintable() else _universal(c) for c in token).replace("??", "?\\?")
    return token


def octets(literal: str) -> bytes:
    """What C takes a literal for, or several strings that follow each other: its bytes, without the zero at the end."""
    found = b""
    for match in _LITERAL.finditer(literal):
        if match["raw"] is not None:
            found += _encoded(match["raw"])
        else:
            body = match["text"] if match["text"] is not None else match["character"]
            found += b"".join(_octets(part) for part in _ESCAPE.finditer(body))
    return found


def code_words(text: str) -> set[str]:
    """The words of generated code, those in comments and literals left out."""
    return set(re.findall(r"\w+", _NO_CODE.sub(" ", text)))


def _universal(c: str) -> str:
    return f"\\{ord(c):03o}" if ord(c) < 0xA0 else f"\\U{ord(c):08x}"


def _octets(part: re.Match[str]) -> bytes:
    if part["octal"] is not None or part["hex"] is not None:
        return bytes([(int(part["octal"], 8) if part["octal"] is not None else int(part["hex"], 16)) & 255])
    if point := part["u"] or part["U"]:
        return _encoded(chr(int(point, 16)) if int(point, 16) < 0x110000 else "\ufffd")
    if part["simple"] is not None:
        code = _SIMPLE.get(part["simple"])
        return _encoded(part["simple"]) if code is None else bytes([code])
    return _encoded(part["plain"])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _spelled(text: str, quote: str) -> Iterator[str]:
    """The characters of a literal; three digits in every octal escape, so that a digit may follow."""
    for before, c in zip(" " + text, text, strict=False):
        if ord(c) in _SPELLED:
            yield _SPELLED[ord(c)]
        elif c == quote or (c == before == "?"):
            yield "\\" + c
        elif c.isprintable():
            yield c
        else:
            raw = bytes([ord(c) - 0xDC00]) if 0xDC80 <= ord(c) <= 0xDCFF else _encoded(c)
            yield "".join(f"\\{byte:03o}" for byte in raw)
