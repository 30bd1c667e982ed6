"""`__attribute__((...))` of GNU C, which headers use where they see `__GNUC__`."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.diagnostics import UnsupportedError
from hetad.frontend.tokens import Token

# What says nothing about values.
_HARMLESS = frozenset(
    """
    unused used always_inline noinline hot cold const pure nothrow leaf noreturn nonnull returns_nonnull malloc
    alloc_size warn_unused_result deprecated flatten artificial gnu_inline fallthrough maybe_unused visibility format
    format_arg sentinel noclone assume_aligned access may_alias externally_visible
    """.split()
)
_TAGS = ("struct", "class")
ALIGNMENTS = ("1", "2", "4", "8", "16", "32", "64", "128")


def attribute(inside: Sequence[Token], before: list[Token], at: Token) -> None:
    """Take an attribute over into the tokens `before` it, where it matters; `inside` are those in its parentheses.

    Raises UnsupportedError where it may change what the program computes.
    """
    asked = _names(inside)
    if asked <= _HARMLESS:
        return
    number = next((t for t in inside if t.kind == "number"), None)
    if asked - _HARMLESS == {"aligned"} and number is not None and number.text in ALIGNMENTS:
        if aligned(number.text, before, at):
            return
    raise UnsupportedError("__attribute__ that hetad does not know", at.span, "remove the attribute")


def aligned(number: str, before: list[Token], at: Token) -> bool:
    """Take an alignment over: of a struct; that of a variable says nothing of values, and emission aligns what is read
    as larger elements.  Whether it is one of these."""
    align = at.spelled(f"align{number}", "attribute")
    if before and before[-1].text in _TAGS:
        before.append(align)
        return True
    if before and before[-1].text == "}":
        start = _opening(before, len(before) - 1)
        tag = next((i for i in (start - 1, start - 2) if i >= 0 and before[i].text in _TAGS), None)
        if tag is not None:
            before.insert(tag + 1, align)
            return True
    return not _in_struct(before)


def _names(inside: Sequence[Token]) -> set[str]:
    """The attributes, without their arguments."""
    found: set[str] = set()
    depth = 0
    for token in inside:
        if token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
        elif depth == 1 and token.kind == "name":
            found.add(token.text.strip("_"))
    return found


def _opening(tokens: Sequence[Token], closing: int) -> int:
    """Where the brace opens that closes there; -1 if nowhere."""
    depth = 0
    for i in range(closing, -1, -1):
        depth += (tokens[i].text == "}") - (tokens[i].text == "{")
        if depth == 0:
            return i
    return -1


def _in_struct(tokens: Sequence[Token]) -> bool:
    """Whether what follows is a member of a struct."""
    depth = 0
    for i in range(len(tokens) - 1, -1, -1):
        depth += (tokens[i].text == "}") - (tokens[i].text == "{")
        if depth < 0:
            return any(t.text in (*_TAGS, "union") for t in tokens[max(i - 2, 0) : i])
    return False
