from typing import Literal, NoReturn

from pycparser import c_ast
from pycparser.c_lexer import CLexer, Token

class Coord:
    file: str
    line: int
    column: int | None

class _TokenStream:
    def peek(self) -> Token | None: ...

class CParser:
    clex: CLexer
    _tokens: _TokenStream
    def __init__(self, *, lexer: type[CLexer] = ..., dialect: Literal["legacy", "c23"] = "legacy") -> None: ...
    def parse(self, text: str, filename: str = "") -> c_ast.FileAST: ...
    def _parse_error(self, msg: str, coord: Coord | str | None) -> NoReturn: ...
