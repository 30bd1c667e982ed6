"""Tokens of the user's source after preprocessing, each with the position the user would point at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hetad.diagnostics import Span, SyntaxProblem

Kind = Literal["name", "number", "string", "char", "operator", "pragma", "attribute"]

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")", "]", "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """`file`, `line`, `column`: of the token itself, or of the macro's use for a token from a macro's body."""

    kind: Kind
    text: str
    file: str
    line: int
    column: int
    length: int = 1

    @property
    def span(self) -> Span:
        return Span(self.file, self.line, self.column, self.length)

    def spelled(self, text: str, kind: Kind = "name") -> Token:
        """Another token at the same place."""
        return Token(kind, text, self.file, self.line, self.column, self.length)


def operators(token: Token, *texts: str) -> list[Token]:
    """Operators at the place of a token."""
    return [token.spelled(text, "operator") for text in texts]


def is_operator(tokens: Sequence[Token], i: int, text: str) -> bool:
    """Whether the token at `i`, if there is one, is this operator or word."""
    return 0 <= i < len(tokens) and tokens[i].text == text and tokens[i].kind in ("operator", "name")


def matching(tokens: Sequence[Token], start: int) -> int | None:
    """The index of the bracket that closes the one at `start`; None when it stays open or another kind closes it."""
    expected: list[str] = []
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.kind != "operator":
            continue
        if token.text in OPENING:
            expected.append(OPENING[token.text])
        elif token.text in CLOSING:
            if token.text != expected.pop():
                return None
            if not expected:
                return i
    return None


def closing(tokens: Sequence[Token], start: int) -> int:
    """The same, of brackets that close."""
    end = matching(tokens, start)
    if end is None:
        raise SyntaxProblem(f"'{tokens[start].text}' is never closed", tokens[start].span)
    return end


def unmatched(tokens: Sequence[Token], start: int) -> Token:
    """The bracket to blame when the one at `start` has no match: one that closes what is nowhere open, else the
    innermost open one."""
    open_: list[Token] = []
    for token in tokens[start:]:
        if token.kind == "operator" and token.text in OPENING:
            open_.append(token)
        elif token.kind == "operator" and token.text in CLOSING:
            if token.text != OPENING[open_[-1].text]:
                return open_[-1] if any(OPENING[t.text] == token.text for t in open_) else token
            open_.pop()
    return open_[-1]


def split_commas(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between top-level commas; nothing for no tokens."""
    parts: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if not parts:
            parts.append([])
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == "," and depth == 0:
                parts.append([])
                continue
        parts[-1].append(token)
    return parts


def behind_arguments(tokens: Sequence[Token], i: int) -> int:
    """The index behind the arguments of a template."""
    depth = 0
    while True:
        if tokens[i].text in ("(", "[", "{"):
            i = matching(tokens, i) or i
        depth += {"<": 1, ">": -1, ">>": -2}.get(tokens[i].text, 0)
        i += 1
        if depth <= 0 or i >= len(tokens):
            return i
