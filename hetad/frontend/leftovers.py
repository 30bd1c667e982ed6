"""C++ that was not rewritten is refused before parsing: some of it would fail to parse, some would parse as other C."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.diagnostics import SourceError, SyntaxProblem, UnsupportedError, report
from hetad.frontend import beyond
from hetad.frontend.cpp_syntax import REFERENCE, TAGS, NameTable, body_start, close, declares_reference
from hetad.frontend.tokens import OPENING, Token, is_operator, matching

# what may stand before an expression
BEFORE_EXPRESSION = {
    "=", "(", ",", "[", "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<",
    ">>", "?", ":", "!", "~", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return",
}  # fmt: skip
_AFTER_DECLARED = ("=", ";", ",", "[", ")", "{", ":")
_BEYOND = {
    "template": "C++ templates", "class": "C++ classes", "namespace": "namespaces", "using": "using declarations",
    "new": "'new'", "delete": "'delete'", "operator": "C++ operators", "try": "exceptions", "catch": "exceptions",
    "throw": "exceptions", "this": "'this'", "typename": "C++ templates", "decltype": "decltype",
    "dynamic_cast": "dynamic_cast", "typeid": "typeid", "virtual": "C++ classes", "friend": "C++ classes",
    "public": "C++ classes", "private": "C++ classes", "protected": "C++ classes", "co_await": "coroutines",
    "asm": "inline assembly", "alignas": "alignment specifiers", "__align__": "alignment specifiers",
    "__builtin_align__": "alignment specifiers", "__managed__": "managed variables", "thread_local": "thread_local",
    "noexcept": "noexcept", "mutable": "C++ classes", "requires": "C++ concepts", "concept": "C++ concepts",
}  # fmt: skip


def refuse(tokens: Sequence[Token], names: NameTable) -> None:
    """Report the pieces of C++ that were not rewritten."""
    header_end = body_start(tokens)
    for i, token in enumerate(tokens):
        if token.kind == "name":
            if i and tokens[i - 1].text in (".", "->"):
                continue
            if token.text in _BEYOND:
                report(_refusal(_BEYOND[token.text], token))
            if token.text in TAGS:
                _refuse_members(tokens, i)
            if token.text in ("if", "while", "switch") and is_operator(tokens, i + 1, "("):
                _refuse_declaration(tokens, i, names)
        elif token.kind == "operator":
            if token.text == "::":
                report(_scope(tokens, i, names))
            if token.text == ">>>" or token.text == "<<<":
                raise SyntaxProblem(f"unexpected '{token.text}'", token.span)
            if token.text == "[" and (i == 0 or _starts_lambda(tokens, i)):
                report(_refusal("a lambda", token))
            if token.text in ("&", "&&") and i and (i < header_end or declares_reference(tokens, i, names)):
                report(_refusal("a C++ reference", token, "use a pointer"))


def _scope(tokens: Sequence[Token], i: int, names: NameTable) -> SourceError:
    """`E::A` of an enumeration, `S::n` of a struct, or of something that is not known."""
    before = tokens[i - 1] if i else tokens[i]
    if names.is_type(before) or before.text in names.own:
        remedy = "of an enumeration, make it plain and write its constant alone; of a struct, move it to file scope"
        return _refusal(f"'{before.text}::', the scope of a type,", before, remedy)
    return _refusal("a C++ scope", tokens[i])


def _refuse_declaration(tokens: Sequence[Token], i: int, names: NameTable) -> None:
    """`if (T u = x)` and `if (T u = x; u > 1)`."""
    at = i + 2
    while at < len(tokens) and tokens[at].text == "const":
        at += 1
    first = at
    while at < len(tokens) and names.is_type(tokens[at]):
        at += 1
    while at > first and at < len(tokens) and tokens[at].text in ("*", "&", "const", REFERENCE):
        at += 1
    if at > first and at + 1 < len(tokens) and tokens[at].kind == "name" and tokens[at + 1].text in ("=", "{"):
        what = f"a declaration in the condition of '{tokens[i].text}'"
        raise _refusal(what, tokens[i + 2], "declare the variable before")


def _refuse_members(tokens: Sequence[Token], i: int) -> None:
    """Functions and default values inside `struct ... { }`."""
    while i < len(tokens) and tokens[i].text not in ("{", ";", "(", ")", "="):
        i += 1
    if not is_operator(tokens, i, "{"):
        return
    if any(t.text == "enum" for t in tokens[max(i - 4, 0) : i]):
        return
    end, i = close(tokens, i), i + 1
    while i < end:
        if tokens[i].text == "=" and tokens[i].kind == "operator":
            raise _refusal("a default value of a member", tokens[i - 1], "initialise it where the struct is made")
        if tokens[i].kind == "operator" and tokens[i].text in OPENING:
            if tokens[i].text == "(" and tokens[i - 1].kind == "name":
                raise _refusal("a member function", tokens[i - 1], "make it a function that takes the struct")
            i = close(tokens, i)
        i += 1


def refuse_library(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """Reports a name that nothing in the source declares, where it is used as a function or a type of a library."""
    token = tokens[i]
    if i and tokens[i - 1].text in (".", "->"):
        return False
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
            if names.is_type(before) or before.text in ("*", "&", ",", "const", "restrict", REFERENCE):
                return True
    return False


def _refusal(what: str, token: Token, remedy: str = "write it as plain C") -> SourceError:
    return UnsupportedError(f"hetad does not read {what}", token.span, remedy)


def _starts_lambda(tokens: Sequence[Token], i: int) -> bool:
    before, end = tokens[i - 1], matching(tokens, i)
    if end is None or not (is_operator(tokens, end + 1, "(") or is_operator(tokens, end + 1, "{")):
        return False  # a designator
    return before.kind == "operator" and before.text in BEFORE_EXPRESSION and before.text not in ("*", "&")
