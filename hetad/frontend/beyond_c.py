"""What is C++ is refused before it is parsed as C: some of it would fail to parse, some would parse as other C."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hetad.diagnostics import Span, UnsupportedError, report
from hetad.frontend import beyond
from hetad.frontend.tokens import OPENING, Token, closing, is_operator, matching

TYPE_WORDS = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"}
TAGS = {"struct", "union", "enum", "class"}
_BEYOND = {
    "template": "a template", "class": "a class", "namespace": "a namespace", "using": "'using'", "auto": "'auto'",
    "new": "'new'", "delete": "'delete'", "operator": "an operator", "try": "an exception", "catch": "an exception",
    "throw": "an exception", "this": "'this'", "typename": "a template", "decltype": "decltype",
    "static_cast": "a cast", "const_cast": "a cast", "reinterpret_cast": "a cast", "dynamic_cast": "a cast",
    "typeid": "typeid", "virtual": "a class", "friend": "a class", "public": "a class", "private": "a class",
    "protected": "a class", "co_await": "a coroutine", "noexcept": "noexcept", "mutable": "a class",
    "requires": "a concept", "concept": "a concept", "explicit": "a class",
}  # fmt: skip
_REFUSED = {
    "asm": "inline assembly", "alignas": "alignment specifiers", "__align__": "alignment specifiers",
    "__builtin_align__": "alignment specifiers", "thread_local": "thread_local",
}  # fmt: skip
_BEFORE_EXPRESSION = {
    "=", "(", ",", "[", "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<",
    ">>", "?", ":", "!", "~", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return",
}  # fmt: skip
_AFTER_DECLARED = ("=", ";", ",", "[", ")", "{", ":")


class IsCppError(UnsupportedError):
    """What is C++, where C is read."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(f"{what} is C++, and this is read as C", span, 'read it as C++: frontend="cpp"')


@dataclass(frozen=True)
class NameTable:
    """What the tokens of an item may refer to."""

    types: Collection[str]
    beyond: Mapping[str, str] = field(default_factory=dict)  # names of C++ items, and what each is
    own: Collection[str] = ()  # everything that the source declares at file scope

    def is_type(self, token: Token) -> bool:
        return token.kind == "name" and (token.text in TYPE_WORDS or token.text in self.types)


def refuse(tokens: Sequence[Token], names: NameTable) -> None:
    """Report the pieces of C++, and what hetad reads in no language."""
    head = _head(tokens)
    for i, token in enumerate(tokens):
        if token.kind == "name":
            if not (i and tokens[i - 1].text in (".", "->")):
                _refuse_name(tokens, i, names)
        elif token.kind == "operator":
            if token.text == "::":
                raise IsCppError(f"'{tokens[i - 1].text}::'" if i else "'::'", tokens[max(i - 1, 0)].span)
            if token.text == "[" and (i == 0 or _starts_lambda(tokens, i)):
                raise IsCppError("a lambda", token.span)
            if token.text in ("&", "&&") and i and (i < head or _declares_reference(tokens, i, names)):
                raise IsCppError("a reference", token.span)


def _head(tokens: Sequence[Token]) -> int:
    """The first brace or equals sign outside parentheses: before it only declarators stand."""
    i = 0
    while i < len(tokens):
        if tokens[i].kind == "operator" and tokens[i].text in ("{", "="):
            return i
        i = closing(tokens, i) + 1 if tokens[i].kind == "operator" and tokens[i].text in OPENING else i + 1
    return len(tokens)


def _refuse_name(tokens: Sequence[Token], i: int, names: NameTable) -> None:
    token = tokens[i]
    if _is_of_library(tokens, i, names):
        return
    if token.text in _BEYOND:
        raise IsCppError(_BEYOND[token.text], token.span)
    if token.text in _REFUSED:
        report(UnsupportedError(f"hetad does not read {_REFUSED[token.text]}", token.span, "write it as plain C"))
    what = names.beyond.get(token.text)
    called = i + 1 < len(tokens) and tokens[i + 1].text in ("<", "(", "<<<")
    if what is not None and ("template" not in what or called):
        raise IsCppError(f"'{token.text}', {what},", token.span)
    if token.text in TAGS:
        _refuse_members(tokens, i)
    if is_operator(tokens, i + 1, "<") and i + 2 < len(tokens) and _is_argument(tokens, i + 2, names):
        raise IsCppError(f"'{token.text}<...>'", token.span)
    if token.text != "dim3" and names.is_type(token) and i and _is_functional(tokens, i):
        raise IsCppError(f"'{token.text}(...)'", token.span)


def _is_argument(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """Whether a template's argument stands here: a name that is a type elsewhere may be a variable, so `name>(` must
    follow."""
    if not names.is_type(tokens[i]):
        return False
    return tokens[i].text in TYPE_WORDS or (is_operator(tokens, i + 1, ">") and is_operator(tokens, i + 2, "("))


def _is_functional(tokens: Sequence[Token], i: int) -> bool:
    """Whether `T(` is a conversion: not `float (*)[16]` in a cast or a declaration."""
    before = tokens[i - 1].text in _BEFORE_EXPRESSION
    return before and is_operator(tokens, i + 1, "(") and not is_operator(tokens, i + 2, "*")


def _declares_reference(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """`T &r = y`, where T is a type or a pointer to one, as a statement; `(T &)x`."""
    type_at = i - 1
    while type_at > 0 and tokens[type_at].text in ("*", "const", "restrict"):
        type_at -= 1
    if not names.is_type(tokens[type_at]) or (type_at and tokens[type_at - 1].text in (".", "->")):
        return False
    if tokens[type_at].text in TYPE_WORDS:
        return True
    starts = type_at == 0 or tokens[type_at - 1].text in {";", "{", "}", "const", "static", "(", ")", *TAGS}
    named = i + 2 < len(tokens) and tokens[i + 1].kind == "name" and tokens[i + 2].text in ("=", ":")
    return starts and (named or is_operator(tokens, i + 1, ")"))


def _refuse_members(tokens: Sequence[Token], i: int) -> None:
    """Functions and default values inside `struct ... { }`."""
    while i < len(tokens) and tokens[i].text not in ("{", ";", "(", ")", "="):
        i += 1
    if not is_operator(tokens, i, "{") or any(t.text == "enum" for t in tokens[max(i - 4, 0) : i]):
        return
    end, i = closing(tokens, i), i + 1
    while i < end:
        if tokens[i].text == "=" and tokens[i].kind == "operator":
            raise IsCppError("a default value of a member", tokens[i - 1].span)
        if tokens[i].kind == "operator" and tokens[i].text in OPENING:
            if tokens[i].text == "(" and tokens[i - 1].kind == "name":
                raise IsCppError("a member function", tokens[i - 1].span)
            i = closing(tokens, i)
        i += 1


def _starts_lambda(tokens: Sequence[Token], i: int) -> bool:
    before, end = tokens[i - 1], matching(tokens, i)
    if end is None or not (is_operator(tokens, end + 1, "(") or is_operator(tokens, end + 1, "{")):
        return False  # a designator
    return before.text in _BEFORE_EXPRESSION and before.text not in ("*", "&")


# --- libraries -----------------------------------------------------------------------------------


def _is_of_library(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """Reports a name that nothing in the source declares, where it is used as a function or a type of a library."""
    token = tokens[i]
    used = i + 1 < len(tokens) and (tokens[i + 1].text in ("(", "<", "*", "&") or tokens[i + 1].kind == "name")
    if used and token.text not in names.own:
        what = beyond.library_name(token.text)
        template = token.text != "texture" or tokens[i + 1].text == "<"
        if what is not None and template and not _declares(tokens, token.text, names):
            report(beyond.refusal(what, token.span))
            return True
    return False


def _declares(tokens: Sequence[Token], name: str, names: NameTable) -> bool:
    """Whether a variable or a parameter of that name is declared among the tokens: `int name;`, `float *name, ...`."""
    for i, token in enumerate(tokens[1:-1], 1):
        if token.text == name and token.kind == "name" and tokens[i + 1].text in _AFTER_DECLARED:
            before = tokens[i - 1]
            if names.is_type(before) or before.text in ("*", "&", ",", "const", "restrict"):
                return True
    return False
