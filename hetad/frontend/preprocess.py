"""Preprocessing with pcpp: from the user's text to tokens that know where they come from.

pcpp expands macros on token objects and copies them as it goes, but tracks lines only.  Columns survive because
it is fed by `_Lexer`, whose tokens carry their own position twice: as `origin`, which macro definitions drop, and
as a `lineno` that pcpp itself replaces by that of the macro's use.
"""

from __future__ import annotations

import copy
import io
import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pcpp import Action, OutputDirective, Preprocessor

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.headers import HEADERS, PRELUDE
from hetad.frontend.libraries import LIBRARIES, library
from hetad.frontend.settings import NO_SETTINGS, Settings
from hetad.frontend.tokens import Kind, Token
from hetad.ir.texts import quoted, respelled

ARCHITECTURE = "__CUDA_ARCH__"


@dataclass(frozen=True)
class Preprocessed:
    name: str
    tokens: tuple[Token, ...]
    sources: Mapping[str, str]  # file name -> text as read, line ends unified
    missing: tuple[tuple[str, Span], ...]  # the "..." headers that were not found


def preprocess(text: str, name: str, settings: Settings = NO_SETTINGS, device: bool = False) -> Preprocessed:
    """Expand macros and includes of a CUDA source, as for host code or as for device code.

    Raises SyntaxProblem, with the position.
    """
    text = unify_lines(text)
    sources = {name: text}
    engine = _Engine(name, sources, settings)
    if device and ARCHITECTURE not in settings.fixed:
        engine.define(f"{ARCHITECTURE} {settings.cuda_arch}")
    try:
        tokens = tuple(_convert(engine, engine.run(text)))
    except SyntaxProblem as problem:
        problem.attach(sources)
        raise
    except OutputDirective as error:  # pcpp lets some escape from nested includes
        raise SyntaxProblem("malformed preprocessor directive", engine.position()).attach(sources) from error
    except (IndexError, KeyError, AttributeError, TypeError) as error:
        raise SyntaxProblem("malformed preprocessor directive", engine.position()).attach(sources) from error
    return Preprocessed(name, tokens, sources, tuple(engine.missing))


def unify_lines(text: str) -> str:
    """One kind of line end, and no character that only Python takes for one, so that line numbers agree."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[\v\f\x1c\x1d\x1e\x85\u2028\u2029]", " ", text)


def depends_on_architecture(preprocessed: Preprocessed, settings: Settings) -> bool:
    """Whether device code may see another text than host code."""
    texts = [*preprocessed.sources.values(), *map(str, settings.defines.values())]
    return ARCHITECTURE not in settings.fixed and any(ARCHITECTURE in text for text in texts)


def _define_text(value: object) -> str:
    if value is None or value is True:
        return "1"
    return "0" if value is False else str(value)


class _Line(int):
    """A line number as pcpp passes it around, with the column and length of the token that it came with."""

    column: int
    length: int

    @classmethod
    def at(cls, line: int, column: int, length: int) -> _Line:
        self = cls(line)
        self.column, self.length = column, length
        return self


class _Raw:
    """A token in the form pcpp wants; `origin` is its place in a file, dropped when it becomes a macro's body."""

    def __init__(self, type_: str, value: str, line: _Line) -> None:
        self.type = type_
        self.value = value
        self.lineno = line
        self.lexpos = 0
        self.source = ""
        self.origin: tuple[str, _Line] | None = None


_OPERATORS = {
    "<<<": "CPP_LAUNCH", ">>>": "CPP_LAUNCH", "...": "CPP_ELLIPSIS", "->": "CPP_DEREFERENCE", "::": "CPP_SCOPE",
    "++": "CPP_PLUSPLUS", "--": "CPP_MINUSMINUS", "<<=": "CPP_LSHIFTEQUAL", ">>=": "CPP_RSHIFTEQUAL",
    "<<": "CPP_LSHIFT", ">>": "CPP_RSHIFT", "<=": "CPP_LESSEQUAL", ">=": "CPP_GREATEREQUAL",
    "||": "CPP_LOGICALOR", "&&": "CPP_LOGICALAND", "==": "CPP_EQUALITY", "!=": "CPP_INEQUALITY",
    "+=": "CPP_PLUSEQUAL", "-=": "CPP_MINUSEQUAL", "*=": "CPP_MULTIPLYEQUAL", "/=": "CPP_DIVIDEEQUAL",
    "%=": "CPP_PERCENTEQUAL", "&=": "CPP_ANDEQUAL", "|=": "CPP_OREQUAL", "^=": "CPP_XOREQUAL",
    "##": "CPP_DPOUND", "#": "CPP_POUND", "+": "CPP_PLUS", "-": "CPP_MINUS", "*": "CPP_STAR", "/": "CPP_FSLASH",
    "%": "CPP_PERCENT", "|": "CPP_BAR", "&": "CPP_AMPERSAND", "~": "CPP_TILDE", "^": "CPP_HAT", "<": "CPP_LESS",
    ">": "CPP_GREATER", "=": "CPP_EQUAL", "!": "CPP_EXCLAMATION", "?": "CPP_QUESTION", "(": "CPP_LPAREN",
    ")": "CPP_RPAREN", "[": "CPP_LBRACKET", "]": "CPP_RBRACKET", "{": "CPP_LCURLY", "}": "CPP_RCURLY",
    ".": "CPP_DOT", ",": "CPP_COMMA", ";": "CPP_SEMICOLON", ":": "CPP_COLON", "\\": "CPP_BSLASH",
}  # fmt: skip

_TOKEN = re.compile(
    r"""(?P<CPP_WS>[ \t]+|\n)
    |(?P<CPP_LINECONT>\\[ \t]*\n)
    |(?P<CPP_COMMENT1>/\*[\s\S]*?\*/)
    |(?P<CPP_COMMENT2>//(?:\\[ \t]*\n|[^\n])*)
    |(?P<RAW>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\([\s\S]*?\)(?P=delimiter)")
    |(?P<CPP_STRING>(?:u8|[uUL])?"(?:[^"\\\n]|\\[\s\S])*")
    |(?P<CPP_CHAR>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
    |(?P<CPP_ID>[^\W\d]\w*)
    |(?P<NUMBER>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    |(?P<OPERATOR>"""
    + "|".join(re.escape(op) for op in sorted(_OPERATORS, key=len, reverse=True))
    + r""")
    |(?P<OTHER>[\s\S])""",
    re.VERBOSE,
)
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uU]?[lL]{0,2}|[lL]{1,2}[uU])$")
_SPLICE = re.compile(r"\\[ \t]*\n")


class _Lexer:
    """What pcpp expects of a PLY lexer, with columns, and with numbers and operators as CUDA spells them."""

    def __init__(self) -> None:
        self.input("")

    def clone(self) -> _Lexer:
        return _Lexer()

    def input(self, text: str) -> None:
        self.lineno = 1
        self._text = text
        self._tokens = self._scan()

    def token(self) -> _Raw | None:
        return next(self._tokens, None)

    def _scan(self) -> Iterator[_Raw]:
        line, line_start, position, text = 1, 0, 0, self._text
        while position < len(text):
            match = _TOKEN.match(text, position)
            assert match is not None
            type_, value = match.lastgroup or "", match.group()
            raw = _Raw(*_classify(type_, value), _Line.at(line, position - line_start + 1, len(value)))
            position = match.end()
            newlines = value.count("\n")
            if newlines:
                line += newlines
                line_start = match.start() + value.rindex("\n") + 1
            yield raw


def _classify(group: str, value: str) -> tuple[str, str]:
    """pcpp's name for the kind of token, and its text."""
    match group:
        case "OPERATOR":
            return _OPERATORS[value], value
        case "NUMBER":
            return ("CPP_INTEGER" if _INTEGER.match(value) else "CPP_FLOAT"), value
        case "CPP_LINECONT":
            return group, value[1:-1]
        case "CPP_STRING":
            return group, _SPLICE.sub("", value)
        case "RAW" | "delimiter":
            return "CPP_STRING", respelled(value)
        case "OTHER":
            return value, value
    return group, value


class _Engine(Preprocessor):  # type: ignore[misc]
    """pcpp with our lexer, headers, and errors that carry positions."""

    lastdirective: Any  # its first token, or None

    def __init__(self, name: str, sources: dict[str, str], settings: Settings | None) -> None:
        """`settings`: None for the engine that reads the prelude, for all others."""
        self._name = name
        self._sources = sources
        self._shown: dict[str, str] = {}  # pcpp's absolute path -> the name to show
        self.missing: list[tuple[str, Span]] = []
        super().__init__(lexer=_Lexer())
        self.rewrite_paths: list[tuple[str, str]] = []
        self._fixed: frozenset[str] = frozenset()
        if settings is None:
            for raw in self.parsegen(PRELUDE, "", ""):
                assert raw.value.isspace(), raw.value
            return
        prelude = _after_prelude()
        self.macros.update((x, macro) for x, macro in prelude.macros.items() if x not in self.macros)  # own __TIME__
        self.lastdirective = prelude.lastdirective
        for directory in settings.include_dirs:
            self.add_path(str(directory))
        for macro in settings.undefines:
            self.undef(macro)
        for macro, value in settings.defines.items():
            self.define(f"{macro} {_define_text(value)}")
        self._fixed = settings.fixed

    def run(self, text: str) -> Iterator[_Raw]:
        self.temp_path.insert(0, str(Path(self._name).parent))
        return iter(self.parsegen(text, self._name, None))

    def position(self) -> Span | None:
        """Of the last directive."""
        last = self.lastdirective
        return self.span(last.source, last.lineno) if last is not None else None

    def span(self, source: str, line: int) -> Span:
        if isinstance(line, _Line):
            return Span(self.shown(source), int(line), line.column, line.length)
        return Span(self.shown(source), max(line, 1), 1)

    def shown(self, source: str) -> str:
        return self._shown.get(source, source) or self._name

    # --- hooks of pcpp -------------------------------------------------------------------------

    def parsegen(self, text: str, source: str | None = None, abssource: str | None = None) -> Iterator[_Raw]:
        self._as_written = text
        yield from super().parsegen(text, source, abssource)

    def group_lines(self, _without_trigraphs: str, abssource: str) -> Iterator[list[_Raw]]:
        """Of the text as written: C++17 and nvcc know no trigraphs."""
        return self._placed(super().group_lines(self._as_written, abssource))

    def _placed(self, lines: Iterator[list[_Raw]]) -> Iterator[list[_Raw]]:
        for line in lines:
            for raw in line:
                raw.origin = (raw.source, raw.lineno)
            yield line

    def define(self, tokens: str | Iterable[_Raw]) -> None:
        if isinstance(tokens, str) and tokens.startswith('__FILE__ "'):
            tokens = f"__FILE__ {quoted(tokens[10:-1])}"
        if not isinstance(tokens, str):
            tokens = [copy.copy(raw) for raw in tokens]
            for raw in tokens:
                raw.origin = None
            if not tokens:
                raise SyntaxProblem("#define without a name", self.position())
            if tokens[0].value in self._fixed and not tokens[0].source:
                return  # a header of hetad's own
        super().define(tokens)

    def evalexpr(self, tokens: list[_Raw]) -> Any:
        if not tokens:
            raise SyntaxProblem("#if without an expression", self.position())
        for raw in tokens:
            if raw.type == "CPP_INTEGER":  # pcpp knows one suffix letter of each kind
                raw.value = re.sub(r"[lL]{2}", "L", raw.value)
        return super().evalexpr(tokens)

    def on_error(self, file: str, line: int, msg: str) -> None:
        if msg.startswith("Could not evaluate"):
            msg = "this #if expression cannot be evaluated"
        raise SyntaxProblem(msg[0].lower() + msg[1:].strip(), self.span(file, line))

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if not Path(includepath).is_file():
            raise FileNotFoundError(includepath)  # pcpp asks for each place where it may be; a device is no header
        with Path(includepath).open(encoding="utf-8", errors="replace", newline="") as file:
            text = unify_lines(file.read())
        relative = os.path.relpath(includepath)
        shown = includepath if relative.startswith(os.pardir) else relative
        self._shown[includepath] = shown
        self._sources[shown] = text
        return io.StringIO(text)

    def include(self, tokens: list[_Raw], original_line: list[_Raw]) -> Iterator[_Raw]:
        if not tokens:
            raise SyntaxProblem("#include without a name", self.position())
        name = "".join(raw.value for raw in tokens).strip().strip('<>"')
        if "\0" in name:
            raise SyntaxProblem("#include of a name with a zero byte", self.position())
        if self.include_depth > 100:
            raise SyntaxProblem(f"{name} includes itself without end", self.position())
        if (name not in HEADERS and name not in LIBRARIES) or self._found(name):
            yield from super().include(tokens, original_line)
        elif name not in self.include_once:
            self.include_once[name] = None
            if name in LIBRARIES:
                self._sources[name] = library(name)
                yield from self.parsegen(self._sources[name], name, name)
            else:
                yield from self.parsegen(HEADERS[name], "", "")

    def _found(self, name: str) -> bool:
        return any((Path(p) / name).is_file() for p in self.temp_path + self.path)

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> None:
        if is_malformed:
            raise SyntaxProblem("malformed #include", self.position())
        position = self.position()
        if not is_system_include and position is not None:
            self.missing.append((includepath, position))
        raise OutputDirective(Action.IgnoreAndRemove)

    def on_directive_unknown(
        self, directive: _Raw, toks: list[_Raw], ifpassthru: bool, precedingtoks: list[_Raw]
    ) -> bool | None:
        if directive.value == "error":
            text = "".join(raw.value for raw in toks).strip()
            raise SyntaxProblem(f"#error {text}", self.span(directive.source, directive.lineno))
        return None if directive.value == "pragma" else True


@cache
def _after_prelude() -> _Engine:
    """What has read the prelude, once for all: expansion copies the tokens of a macro, and changes none."""
    return _Engine("", {}, None)


def _convert(engine: _Engine, raws: Iterator[_Raw]) -> Iterator[Token]:
    """pcpp's tokens without white space; a pragma becomes one token with its text."""
    for raw in raws:
        if raw.type in ("CPP_WS", "CPP_LINECONT") or raw.value.isspace() or not raw.value:
            continue
        if raw.type == "CPP_POUND" and raw.origin is not None:
            yield _pragma(engine, raw, raws)
        else:
            yield _token(engine, raw, _kind(raw.type), raw.value)


def _pragma(engine: _Engine, pound: _Raw, raws: Iterator[_Raw]) -> Token:
    line = []
    for raw in raws:
        if raw.value == "\n" and raw.type == "CPP_WS":
            break
        line.append(raw)
    text = "".join(raw.value for raw in engine.expand_macros(line)).strip()
    return _token(engine, pound, "pragma", text.removeprefix("pragma").strip())


def _token(engine: _Engine, raw: _Raw, kind: Kind, text: str) -> Token:
    source, line = raw.origin if raw.origin is not None else (raw.source, raw.lineno)
    span = engine.span(source, line)
    return Token(kind, text, span.file, span.line, span.column, span.length)


def _kind(type_: str) -> Kind:
    match type_:
        case "CPP_ID":
            return "name"
        case "CPP_INTEGER" | "CPP_FLOAT":
            return "number"
        case "CPP_STRING":
            return "string"
        case "CPP_CHAR":
            return "char"
    return "operator"
