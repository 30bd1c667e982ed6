"""C++ initialisers in terms of C: rewritings of tokens, for `cuda_syntax.rewrite`."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.frontend.cpp_syntax import BRACED, TAGS, NameTable, body_start, close, end_of_operand, operators
from hetad.frontend.tokens import CLOSING, OPENING, Token, is_operator, matching, split_commas

MOST_ELEMENTS = 1 << 20  # of a list of initial values, up to the last that is given

_STATEMENT_ENDS = {";", "{", "}"}
_SPECIFIERS = {"const", "static", "constexpr", "extern", "typedef", "volatile", "inline", *TAGS}
_NO_DECLARATOR = {"else", "do", "try", "const", "noexcept", "override", "final", *TAGS}


def braces(tokens: list[Token], names: NameTable) -> list[Token]:
    """`T x{a}` as `T x = {a}`, `T{a}` as `(T){a}`, and braces that stand for a value of a type known elsewhere."""
    result: list[Token] = []
    open_: list[str] = []
    for i, token in enumerate(tokens):
        if token.kind == "operator" and token.text == "{" and i:
            _before_brace(tokens, i, names, open_[-1] if open_ else "", result)
        if token.kind == "operator" and token.text in OPENING:
            open_.append(token.text)
        elif token.kind == "operator" and token.text in CLOSING and open_:
            open_.pop()
        result.append(token)
    return result


def _before_brace(tokens: Sequence[Token], i: int, names: NameTable, inside: str, result: list[Token]) -> None:
    before, token = tokens[i - 1], tokens[i]
    typed = [*operators(token, "("), token.spelled(BRACED), *operators(token, ")")]
    if (
        before.text == "return"
        or (before.text == "=" and _is_assignment(tokens, i - 1, names))
        or (
            inside == "(" and before.text in ("(", ",") and not any(t.text == ";" for t in tokens[i : close(tokens, i)])
        )
    ):
        result += typed
    elif before.kind == "name" and before.text not in _NO_DECLARATOR and not _defines_tag(tokens, i - 1):
        if names.is_type(before):
            result.pop()
            result += [*operators(before, "("), before, *operators(before, ")")]
        else:
            result += operators(token, "=")
    elif before.text == "]" and before.kind == "operator":
        opening = next((j for j in range(i - 1, -1, -1) if tokens[j].text == "[" and matching(tokens, j) == i - 1), 0)
        if opening and (tokens[opening - 1].kind == "name" or tokens[opening - 1].text == "]"):
            result += operators(token, "=")


def _is_assignment(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """Whether the equals sign at `i` assigns, rather than initialises."""
    start = i
    while start and not (tokens[start - 1].kind == "operator" and tokens[start - 1].text in _STATEMENT_ENDS):
        start -= 1
        if tokens[start].text == "," and is_operator(tokens, start - 1, "}"):  # the list of an earlier declarator
            start = _opening(tokens, start - 1)
    first = tokens[start]
    declares = names.is_type(first) or first.text in _SPECIFIERS or first.kind == "attribute"
    return bool(start) and not declares and first.text not in (".", "[")


def _opening(tokens: Sequence[Token], closing: int) -> int:
    """The position of the bracket that the one at `closing` closes."""
    depth = 0
    for i in range(closing, -1, -1):
        if tokens[i].kind == "operator":
            depth += (tokens[i].text in CLOSING) - (tokens[i].text in OPENING)
        if depth == 0:
            return i
    return 0


def _defines_tag(tokens: Sequence[Token], i: int) -> bool:
    """Whether the name at `i` is the tag, or the underlying type, in the definition of a type."""
    at = i - 1
    while at > 0 and tokens[at].kind == "attribute":
        at -= 1
    if i and tokens[at].text in TAGS:
        return True
    while i and (tokens[i].kind == "name" or tokens[i].text == ":"):
        if tokens[i].text == "enum":
            return True
        i -= 1
    return tokens[i].text == "enum"


def direct_initialisers(tokens: list[Token], names: NameTable) -> list[Token]:
    """`int n(3);` as `int n = (3);`, in bodies."""
    start = body_start(tokens)
    replaced: dict[int, Token] = {}
    for i in range(start, len(tokens)):
        if tokens[i].text in _STATEMENT_ENDS or (tokens[i].text == "(" and tokens[i - 1].text == "for"):
            _declarators(tokens, i + 1, names, replaced)
    if not replaced:
        return tokens
    result: list[Token] = []
    for i, token in enumerate(tokens):
        if i in replaced:
            result.append(replaced[i])
        result.append(token)
    return result


def _declarators(tokens: Sequence[Token], i: int, names: NameTable, replaced: dict[int, Token]) -> None:
    first = i
    while i < len(tokens) and (names.is_type(tokens[i]) or tokens[i].text in ("const", "static", "constexpr")):
        i += 1
    if i == first or not any(names.is_type(t) for t in tokens[first:i]):
        return
    while True:
        while i < len(tokens) and tokens[i].text in ("*", "restrict", "const"):
            i += 1
        if i + 2 >= len(tokens) or tokens[i].kind != "name" or names.is_type(tokens[i]):
            return
        if is_operator(tokens, i + 1, "("):
            end = close(tokens, i + 1)
            inside = tokens[i + 2 : end]
            prototype = not inside or names.is_type(inside[0]) or inside[0].text in ("const", "void", *TAGS)
            if prototype or len(split_commas(inside)) > 1 or tokens[end + 1].text not in (",", ";"):
                return
            replaced[i + 1] = tokens[i + 1].spelled("=", "operator")
            i = end + 1
        else:
            i = end_of_operand(tokens, i)
        if not is_operator(tokens, i, ","):
            return
        i += 1
