"""One item at a time through pycparser, which is fed our tokens so that its positions are the user's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NoReturn

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_lexer import Token as CToken
from pycparser.c_parser import Coord, CParser

from hetad.diagnostics import Span, SyntaxProblem, UnknownTypeProblem
from hetad.frontend.tokens import Token

# The nodes of an item, and the lengths of its tokens by position.
Parsed = tuple[list[c_ast.Node], dict[tuple[str, int, int], int]]


def parse_declarations(tokens: Sequence[Token], type_names: Sequence[str]) -> list[c_ast.Node]:
    """The declarations or the function definition that the tokens of an item spell.

    `type_names` are the names among the tokens that denote types.  Raises SyntaxProblem.
    """
    if not tokens:
        return []
    first = tokens[0]
    prelude: list[CToken] = []
    for name in type_names:
        words = (("TYPEDEF", "typedef"), ("INT", "int"), ("ID", name), ("SEMI", ";"))
        prelude += [CToken(kind, text, first.line, first.column, first.file) for kind, text in words]
    parser = _Parser([*prelude, *_convert(tokens)], tokens)
    return list(parser.declarations()[len(type_names) :])


@cache
def _token_type(text: str) -> str | None:
    """pycparser's name for a token with this spelling; None when it has none."""
    failed: list[str] = []
    lexer = CLexer(lambda message, _line, _column: failed.append(message), dialect="c23")
    lexer.input(text)
    token = lexer.token()
    return None if failed or token is None or token.value != text else token.type


def _convert(tokens: Sequence[Token]) -> Iterator[CToken]:
    for token in tokens:
        if token.kind == "pragma":
            yield CToken("PPPRAGMA", "pragma", token.line, token.column, token.file)
            yield CToken("PPPRAGMASTR", token.text, token.line, token.column, token.file)
        elif token.kind == "attribute":
            parts = (
                ("ATTRIBUTE_BEGIN", "[["),
                ("ID", "hetad"),
                ("COLONCOLON", "::"),
                ("ID", token.text),
                ("ATTRIBUTE_END", "]]"),
            )
            for kind, text in parts:
                yield CToken(kind, text, token.line, token.column, token.file)
        else:
            type_ = "ID" if token.kind == "name" and "$" in token.text else _token_type(token.text)
            if type_ is None:
                raise SyntaxProblem(f"cannot read {token.text!r}", token.span)
            yield CToken(type_, token.text, token.line, token.column, token.file)


_BEFORE_TYPE = {"(", ",", ";", "{", "}", "const", "static"}


class _TokenLexer(CLexer):
    """Hands out tokens made beforehand."""

    made: Sequence[CToken] = ()

    def input(self, text: str, filename: str = "") -> None:
        super().input("", filename)
        self._ready = iter(self.made)

    def token(self) -> CToken | None:
        return next(self._ready, None)


class _Parser(CParser):
    """Raises SyntaxProblem at the token that pycparser stopped at, also where it knows no line itself."""

    def __init__(self, made: Sequence[CToken], original: Sequence[Token]) -> None:
        super().__init__(lexer=_TokenLexer, dialect="c23")
        assert isinstance(self.clex, _TokenLexer)
        self.clex.made = made
        self._original = original

    def declarations(self) -> list[c_ast.Node]:
        try:
            return list(self.parse("", self._original[0].file).ext)
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            self._fail(str(error) if isinstance(error, ValueError) else "", None)

    def _parse_error(self, msg: str, coord: Coord | str | None) -> NoReturn:
        self._fail(msg, coord if isinstance(coord, Coord) else None)

    def _fail(self, message: str, coord: Coord | None) -> NoReturn:
        token = self._current()
        if coord is not None:
            span = self._span(coord.file, coord.line, coord.column or 1)
        elif token is not None:
            span = self._span(token.filename, token.lineno, token.column)
        else:
            span = self._original[-1].span
        unknown = self._unknown_type(span)
        if unknown is not None:
            raise UnknownTypeProblem(
                f"unknown type '{unknown.text}'", unknown.span, "define it, or include the header that does"
            )
        raise SyntaxProblem(_message(message, token.value if token is not None else None), span)

    def _current(self) -> CToken | None:
        try:
            return self._tokens.peek()
        except IndexError:
            return None

    def _span(self, file: str, line: int, column: int) -> Span:
        for token in self._original:
            if (token.file, token.line, token.column) == (file, line, column):
                return token.span
        return Span(file, line, column)

    def _unknown_type(self, span: Span) -> Token | None:
        """`T x` and `T *x` fail at x, or at what follows, when T is not known to be a type."""
        for i, token in enumerate(self._original[1:], 1):
            before = self._original[i - 1]
            if token.span != span or before.kind != "name" or before.span == token.span:
                continue
            if _token_type(before.text) != "ID":
                continue
            if token.kind == "name" and _token_type(token.text) == "ID":
                return before
            if token.text == "*" and (i == 1 or self._original[i - 2].text in _BEFORE_TYPE):
                return before
        return None


def _message(message: str, current: str | None) -> str:
    if message.startswith("before: "):
        return f"syntax error at '{message.removeprefix('before: ')}'"
    if message.startswith("At end of input"):
        return "syntax error at the end of the declaration"
    if message == "Invalid expression" and current is not None:
        return f"syntax error: expected an expression at '{current}'"
    return f"syntax error: {message[0].lower() + message[1:]}" if message else "syntax error"
