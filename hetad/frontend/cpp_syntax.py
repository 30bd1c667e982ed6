"""Everyday C++ in terms of C: rewritings of tokens, for `cuda_syntax.rewrite`.

Names with a `$` are ours.  `T &x` becomes `T * _Atomic x`: a qualifier that C++ does not have marks the pointer that
stands for a reference.  `auto` is the type `hetad$auto`; `f<float, 3>` is `hetad$template(f, (float)hetad$type, 3)`;
`return {a, b}` gets the type `hetad$braced`; `if constexpr (c)` is `if (hetad$constexpr(c))`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hetad.diagnostics import SyntaxProblem, UnsupportedError
from hetad.frontend.tokens import CLOSING, OPENING, Token, is_operator, matching, split_commas

REFERENCE = "_Atomic"
AUTO = "hetad$auto"
BRACED = "hetad$braced"
TEMPLATE = "hetad$template"
TYPE_ARGUMENT = "hetad$type"
CONSTEXPR = "hetad$constexpr"

TYPE_WORDS = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"}
TAGS = {"struct", "union", "enum", "class"}
_CASTS = {"static_cast", "reinterpret_cast", "const_cast"}


@dataclass(frozen=True)
class NameTable:
    """What the tokens of an item may refer to."""

    types: Collection[str]
    beyond: Mapping[str, str] = field(default_factory=dict)  # names of C++ items, and what each is
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # per parameter: "type" or "value"
    namespaces: Collection[str] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)  # of namespaces: the first part of what each stands for
    own: Collection[str] = ()  # everything that the source declares at file scope
    host: bool = False  # a host function, in which statements beyond hetad may be passed over

    def is_type(self, token: Token) -> bool:
        return token.kind == "name" and (token.text in TYPE_WORDS or token.text == AUTO or token.text in self.types)


def close(tokens: Sequence[Token], start: int) -> int:
    """Where the bracket that opens at `start` closes."""
    end = matching(tokens, start)
    if end is None:
        raise SyntaxProblem(f"'{tokens[start].text}' is never closed", tokens[start].span)
    return end


def operators(token: Token, *texts: str) -> list[Token]:
    """Operators at the place of a token."""
    return [token.spelled(text, "operator") for text in texts]


def local_types(tokens: Sequence[Token]) -> set[str]:
    """The names that an item declares as types inside itself."""
    found: set[str] = set()
    for i, token in enumerate(tokens[:-2]):
        if token.kind != "name":
            continue
        if (token.text == "using" and is_operator(tokens, i + 2, "=")) or (
            token.text in TAGS and tokens[i + 1].kind == "name" and is_operator(tokens, i + 2, "{")
        ):
            found.add(tokens[i + 1].text)
        elif token.text == "typedef":
            end = _end_of_statement(tokens, i)
            found |= {_declarator_name(part) for part in split_commas(tokens[i + 1 : end])} - {""}
    return found


def _declarator_name(part: Sequence[Token]) -> str:
    """The last name outside brackets, or the one in `(*name)`."""
    depth, name = 0, ""
    for i, token in enumerate(part):
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
        elif token.kind == "name" and (depth == 0 or (i and part[i - 1].text == "*" and depth == 1)):
            name = token.text
    return name


def _end_of_statement(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].kind == "operator":
            depth += (tokens[i].text in OPENING) - (tokens[i].text in CLOSING)
            if depth < 0 or (depth == 0 and tokens[i].text == ";"):
                return i
    return len(tokens)


def body_start(tokens: Sequence[Token]) -> int:
    """The first brace or equals sign outside parentheses: before it only declarators stand."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == "operator":
            if depth == 0 and token.text in ("{", "="):
                return i
            depth += (token.text in OPENING) - (token.text in CLOSING)
    return len(tokens)


# --- using, auto, if constexpr -------------------------------------------------------------------


def words(tokens: list[Token], names: NameTable) -> list[Token]:
    """`using X = T;` as a typedef, `auto` as a type, `if constexpr`; `using` of a namespace says nothing to us."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "name" and token.text == "using":
            end = _end_of_statement(tokens, i)
            result += _using(tokens[i : end + 1])
            i = end + 1
            continue
        if token.kind == "name" and token.text == "auto":
            token = token.spelled(AUTO)
        result.append(token)
        if token.text == "if" and i + 2 < len(tokens) and tokens[i + 1].text == "constexpr":
            end = close(tokens, i + 2)
            condition = words(list(tokens[i + 3 : end]), names)
            result += [*operators(token, "("), tokens[i + 1].spelled(CONSTEXPR), tokens[i + 2], *condition]
            result += [tokens[end], *operators(tokens[end], ")")]
            i = end
        if token.text == "for" and is_operator(tokens, i + 1, "("):
            _refuse_range(tokens, i + 1)
        i += 1
    return result


def _using(tokens: Sequence[Token]) -> list[Token]:
    """From `using` to its semicolon."""
    if len(tokens) < 4 or tokens[2].text != "=":
        return [tokens[-1]] if len(tokens) > 2 and tokens[1].kind == "name" else list(tokens)
    type_ = list(tokens[3:-1])
    if any(t.text == "(" for t in type_):
        raise UnsupportedError("hetad does not support function pointers", tokens[0].span, "call the functions by name")
    at = next((i for i, t in enumerate(type_) if t.text == "["), len(type_))
    return [tokens[0].spelled("typedef"), *type_[:at], tokens[1], *type_[at:], tokens[-1]]


def _refuse_range(tokens: Sequence[Token], start: int) -> None:
    end = close(tokens, start)
    depth = 0
    inside = tokens[start + 1 : end]
    for token in inside:
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if depth == 0 and token.text in (";", "?"):
                return
            if depth == 0 and token.text == ":":
                raise UnsupportedError(
                    "hetad does not read a range-based for", tokens[start - 1].span, "count with an index"
                )


# --- template arguments --------------------------------------------------------------------------


def template_ids(tokens: list[Token], names: NameTable) -> list[Token]:
    """`f<float, 3>` of a function template."""
    if not names.templates:
        return tokens
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "name" and token.text in names.templates and is_operator(tokens, i + 1, "<"):
            arguments, i = _template_arguments(tokens, i, names)
            result += [token.spelled(TEMPLATE), *operators(token, "("), token]
            for argument in arguments:
                result += [*operators(token, ","), *argument]
            result += operators(token, ")")
        else:
            result.append(token)
            i += 1
    return result


def _template_arguments(tokens: Sequence[Token], i: int, names: NameTable) -> tuple[list[list[Token]], int]:
    """The arguments behind the template's name at `i`, and the index after them."""
    name = tokens[i]
    end = _closing_angle(tokens, i + 1, names)
    kinds = names.templates[name.text]
    parts = split_commas(tokens[i + 2 : end])
    if len(parts) > len(kinds):
        raise SyntaxProblem(f"'{name.text}' takes at most {len(kinds)} template arguments", name.span)
    result: list[list[Token]] = []
    for part, kind in zip(parts, kinds, strict=False):
        if not part:
            raise SyntaxProblem(f"a template argument of '{name.text}' is missing", name.span)
        if kind == "type":
            if any(t.text in ("&", "&&") for t in part):
                raise UnsupportedError("a reference as a template argument", part[0].span, "use the type itself")
            at = part[0]
            result.append([*operators(at, "("), *part, *operators(at, ")"), at.spelled(TYPE_ARGUMENT)])
        else:
            result.append([*operators(part[0], "("), *template_ids(part, names), *operators(part[0], ")")])
    return result, end + 1


def _closing_angle(tokens: Sequence[Token], start: int, names: NameTable) -> int:
    depth = angles = 0
    for i in range(start, len(tokens)):
        text = tokens[i].text
        if tokens[i].kind != "operator":
            continue
        before = tokens[i - 1].text
        if text == "<" and depth == 0 and (i == start or before in names.templates or before in _CASTS):
            angles += 1
        elif text == ">" and depth == 0:
            angles -= 1
            if angles == 0:
                return i
        depth += (text in OPENING) - (text in CLOSING)
        if depth < 0 or text in (";", "{", "}", ">>", ">>>", "<<<"):
            break
    raise SyntaxProblem(f"expected '>' after the template arguments of '{tokens[start - 1].text}'", tokens[start].span)


# --- memory --------------------------------------------------------------------------------------


def heap(tokens: list[Token], names: NameTable) -> list[Token]:
    """`new T[n]` as `(T *)malloc(n * sizeof(T))`, `delete[] p` as `free(p)`."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        member = bool(result) and result[-1].text in (".", "->")
        if token.kind == "name" and token.text == "new" and not member:
            made, i = _new(tokens, i, names)
            result += made
        elif token.kind == "name" and token.text == "delete" and not member:
            start = i + 3 if is_operator(tokens, i + 1, "[") and is_operator(tokens, i + 2, "]") else i + 1
            end = end_of_operand(tokens, start)
            result += [token.spelled("free"), *operators(token, "("), *tokens[start:end], *operators(token, ")")]
            i = end
        else:
            result.append(token)
            i += 1
    return result


def _new(tokens: Sequence[Token], i: int, names: NameTable) -> tuple[list[Token], int]:
    at = tokens[i]
    end = i + 1
    while end < len(tokens) and (names.is_type(tokens[end]) or tokens[end].text in ("*", "const", *TAGS)):
        end += 1
    type_ = list(tokens[i + 1 : end])
    if not type_:
        what = "placement new" if is_operator(tokens, end, "(") else "'new' of this type"
        raise UnsupportedError(f"hetad does not read {what}", at.span, "use malloc")
    size = [at.spelled("sizeof"), *operators(at, "("), *type_, *operators(at, ")")]
    count: list[Token] = []
    if is_operator(tokens, end, "["):
        last = close(tokens, end)
        count = heap(list(tokens[end + 1 : last]), names)
        end = last + 1
    zeroed = False
    if end < len(tokens) and tokens[end].text in ("(", "{", "["):
        last = close(tokens, end)
        if last != end + 1 or tokens[end].text == "[":
            raise UnsupportedError("hetad does not read 'new' with initial values", at.span, "assign them afterwards")
        zeroed, end = True, last + 1
    cast = [*operators(at, "(", "("), *type_, *operators(at, "*", ")")]
    number = [
        *operators(at, "(", "("),
        at.spelled("size_t"),
        *operators(at, ")", "("),
        *count,
        *operators(at, ")", ")"),
    ]
    number = number if count else [at.spelled("1", "number")]
    if zeroed:
        call = [at.spelled("calloc"), *operators(at, "("), *number, *operators(at, ","), *size, *operators(at, ")")]
    else:
        product = [*number, *operators(at, "*"), *size] if count else size
        call = [at.spelled("malloc"), *operators(at, "("), *product, *operators(at, ")")]
    return [*cast, *call, *operators(at, ")")], end


def end_of_operand(tokens: Sequence[Token], start: int) -> int:
    """Where an expression ends at a comma, a semicolon or the bracket around it."""
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].kind == "operator":
            depth += (tokens[i].text in OPENING) - (tokens[i].text in CLOSING)
            if depth < 0 or (depth == 0 and tokens[i].text in (",", ";")):
                return i
    return len(tokens)


# --- references ----------------------------------------------------------------------------------


def references(tokens: list[Token], names: NameTable) -> list[Token]:
    """`T &x` among parameters, and `T &x = y;` in bodies."""
    header_end = body_start(tokens)
    result: list[Token] = []
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text in ("&", "&&") and i:
                header = i < header_end
                if header or declares_reference(tokens, i, names):
                    _check_reference(tokens, i, header, depth)
                    result += [*operators(token, "*"), token.spelled(REFERENCE)]
                    continue
        result.append(token)
    return result


def _check_reference(tokens: Sequence[Token], i: int, header: bool, depth: int) -> None:
    token = tokens[i]
    what = None
    if token.text == "&&":
        what = "an rvalue reference"
    elif tokens[i - 1].text == "(":
        what = "a reference to an array or a function"
    elif header and depth == 0:
        what = "a reference that a function returns, or at file scope"
    elif not header and is_operator(tokens, i + 1, ")"):
        what = "a cast to a reference"
    if what is not None:
        raise UnsupportedError(f"hetad does not read {what}", token.span, "use a pointer")


def declares_reference(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """`T &r = y`, where T is a type or a pointer to one, as a statement; `(T &)x`."""
    type_at = i - 1
    while type_at > 0 and tokens[type_at].text in ("*", "const", "restrict"):
        type_at -= 1
    if not names.is_type(tokens[type_at]) or (type_at and tokens[type_at - 1].text in (".", "->")):
        return False
    if tokens[type_at].text in TYPE_WORDS or tokens[type_at].text == AUTO:
        return True
    starts = type_at == 0 or tokens[type_at - 1].text in {";", "{", "}", "const", "static", "(", ")", *TAGS}
    named = i + 2 < len(tokens) and tokens[i + 1].kind == "name" and tokens[i + 2].text in ("=", ":")
    return starts and (named or is_operator(tokens, i + 1, ")"))
