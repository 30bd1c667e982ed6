"""CUDA's and everyday C++'s additions to C, rewritten token by token into what pycparser reads as C23.

The rewritten tokens keep the user's positions.  Names with a `$` are ours: `hetad$launch4(k, g, b, s, st, ...)` for
`k<<<g, b, s, st>>>(...)` and `hetad$dim3(x, y)` for `dim3(x, y)`.  What is left of C++ after that, and would fail to
parse or, worse, parse as other C, is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hetad.diagnostics import SourceError, Span, SyntaxProblem, UnsupportedError
from hetad.frontend.tokens import CLOSING, OPENING, Token, matching, split_commas

LAUNCH = "hetad$launch"
DIM3 = "hetad$dim3"

TYPE_WORDS = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"}
_SPELLINGS = {
    "__restrict__": "restrict", "__restrict": "restrict", "__volatile__": "volatile", "__signed__": "signed",
    "__const": "const", "__asm__": "asm", "__asm": "asm", "wchar_t": "int",
}  # fmt: skip
_DROPPED = {"__extension__", "__grid_constant__", "__cdecl", "__forceinline__", "register"}
_LOCAL_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "device"}
_CASTS = {"static_cast", "reinterpret_cast", "const_cast"}
# what may stand before an expression
_BEFORE_EXPRESSION = {
    "=", "(", ",", "[", "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<",
    ">>", "?", ":", "!", "~", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return",
}  # fmt: skip


@dataclass(frozen=True)
class Names:
    """What the tokens of an item may refer to."""

    types: Collection[str]
    beyond: Mapping[str, str] = field(default_factory=dict)  # names of C++ items, and what each is


def rewrite(tokens: Sequence[Token], names: Names) -> list[Token]:
    """All rewritings in order, then the refusal of what is left.  Raises SourceError with the position."""
    passes: tuple[Callable[[list[Token], Names], list[Token]], ...] = (
        _respell,
        _local_spaces,
        _standard_namespace,
        _refuse_templates,
        _launches,
        _named_casts,
        _dim3,
        _functional_casts,
    )
    result = list(tokens)
    for each in passes:
        result = each(result, names)
    refuse_leftovers(result, names)
    return result


def _is(tokens: Sequence[Token], i: int, text: str) -> bool:
    return 0 <= i < len(tokens) and tokens[i].text == text and tokens[i].kind in ("operator", "name")


def _close(tokens: Sequence[Token], start: int) -> int:
    end = matching(tokens, start)
    if end is None:
        raise SyntaxProblem(f"'{tokens[start].text}' is never closed", tokens[start].span)
    return end


def _op(token: Token, *texts: str) -> list[Token]:
    return [token.spelled(text, "operator") for text in texts]


# --- the rewritings ------------------------------------------------------------------------------


def _respell(tokens: list[Token], names: Names) -> list[Token]:
    """Compiler spellings to C's; pragmas other than `unroll`, which say nothing about values, go."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "pragma":
            if token.text.split("(")[0].split()[:1] in (["unroll"], ["nounroll"]):
                result.append(token)
        elif token.kind != "name":
            result.append(token)
        elif token.text == "_Pragma" and _is(tokens, i + 1, "("):
            end = _close(tokens, i + 1)
            text = "".join(t.text for t in tokens[i + 2 : end]).strip('"')
            result += _respell([token.spelled(text, "pragma")], names)
            i = end
        elif token.text == "__attribute__" and _is(tokens, i + 1, "("):
            end = _close(tokens, i + 1)
            inside = {t.text.strip("_") for t in tokens[i + 1 : end]} - {"(", ")", ","}
            if not inside <= {"unused", "always_inline", "noinline", "used", "hot", "cold"}:
                raise UnsupportedError("__attribute__ that hetad does not know", token.span, "remove the attribute")
            i = end
        elif token.text not in _DROPPED:
            result.append(token.spelled(_SPELLINGS.get(token.text, token.text)))
        i += 1
    return result


def _local_spaces(tokens: list[Token], _names: Names) -> list[Token]:
    """`__shared__` anywhere among a declaration's specifiers becomes an attribute in front of it."""
    result: list[Token] = []
    for token in tokens:
        if token.kind == "name" and token.text in _LOCAL_SPACES:
            start = len(result)
            while start and result[start - 1].text not in (";", "{", "}", ":", ")"):
                start -= 1
            result.insert(start, token.spelled(_LOCAL_SPACES[token.text], "attribute"))
        else:
            result.append(token)
    return result


def _refuse_templates(tokens: list[Token], names: Names) -> list[Token]:
    """`f<3>(x)` is a comparison to a C parser."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text in _CASTS or token.text in ("operator", "template"):
            continue
        follows_type = _is(tokens, i + 1, "<") and _type_argument(tokens, i + 2, names)
        what = names.beyond.get(token.text, "a C++ template" if follows_type else None)
        if what is None or (i and tokens[i - 1].text in (".", "->")):
            continue
        remedy = "write it as plain C"
        if what == "a C++ template":
            if i + 1 == len(tokens) or tokens[i + 1].text not in ("<", "(", "<<<"):
                continue
            remedy = "write a plain function for each set of template arguments that is used"
        raise UnsupportedError(f"'{token.text}' is {what}", token.span, remedy)
    return tokens


def _type_argument(tokens: Sequence[Token], i: int, names: Names) -> bool:
    """Whether a type stands here; a name that is a type elsewhere may be a variable, so `name>(` must follow."""
    if i >= len(tokens) or not _names_type(tokens[i], names):
        return False
    return tokens[i].text in TYPE_WORDS or (_is(tokens, i + 1, ">") and _is(tokens, i + 2, "("))


def _names_type(token: Token, names: Names) -> bool:
    return token.kind == "name" and (token.text in TYPE_WORDS or token.text in names.types)


def _launches(tokens: list[Token], names: Names) -> list[Token]:
    """`k<<<g, b>>>(x)` to `hetad$launch2(k, g, b, x)`."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if not (token.kind == "operator" and token.text == "<<<"):
            result.append(token)
            i += 1
            continue
        if not result or result[-1].kind != "name":
            raise SyntaxProblem("expected the name of a kernel before '<<<'", token.span)
        kernel = result.pop()
        end = _launch_end(tokens, i)
        configuration = [_launches(part, names) for part in split_commas(tokens[i + 1 : end])]
        if not 2 <= len(configuration) <= 4 or not all(configuration):
            raise SyntaxProblem(
                f"a launch takes 2 to 4 arguments between '<<<' and '>>>', not {len(configuration)}", token.span
            )
        if not _is(tokens, end + 1, "("):
            raise SyntaxProblem("expected '(' after '>>>'", tokens[end].span)
        close = _close(tokens, end + 1)
        result.append(kernel.spelled(f"{LAUNCH}{len(configuration)}"))
        result += [*_op(kernel, "("), kernel]
        for part in configuration:
            result += [*_op(part[0], ","), *part]
        arguments = _launches(list(tokens[end + 2 : close]), names)
        result += [*(_op(kernel, ",") if arguments else []), *arguments, tokens[close]]
        i = close + 1
    return result


def _launch_end(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for i in range(start + 1, len(tokens)):
        text = tokens[i].text
        if tokens[i].kind != "operator":
            continue
        if text == ">>>" and depth == 0:
            return i
        depth += (text in OPENING) - (text in CLOSING)
        if depth < 0 or text in (";", "{", "}"):
            break
    raise SyntaxProblem("'<<<' without '>>>'", tokens[start].span)


def _standard_namespace(tokens: list[Token], names: Names) -> list[Token]:
    """`std::sqrt(x)` and `::sqrt(x)` are the plain function, where CUDA knows it by that name."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.text == "std" and _is(tokens, i + 1, "::") and i + 2 < len(tokens):
            name = tokens[i + 2]
            if not (name.text in _STANDARD or name.text in names.types) or _is(tokens, i + 3, "::"):
                raise UnsupportedError(
                    f"std::{name.text} is C++ beyond hetad",
                    Span(token.file, token.line, token.column, len("std::") + name.length),
                    "use C functions and arrays in the functions that are differentiated, and keep C++ outside",
                )
            i += 2
            if name.text in ("min", "max") and _is(tokens, i + 1, "<"):
                converted, i = _typed_extremum(tokens, i, names)
                result += converted
            continue
        if token.text == "::" and (not result or result[-1].kind != "name") and i + 1 < len(tokens):
            i += 1
            continue
        result.append(token)
        i += 1
    return result


def _typed_extremum(tokens: Sequence[Token], i: int, names: Names) -> tuple[list[Token], int]:
    """`max<T>(a, b)` as `max((T)(a), (T)(b))`, and the index after it."""
    end = next((j for j in range(i + 2, len(tokens)) if _is(tokens, j, ">")), None)
    if end is None or not _is(tokens, end + 1, "("):
        raise SyntaxProblem(f"expected arguments of '{tokens[i].text}'", tokens[i].span)
    close = _close(tokens, end + 1)
    result = [tokens[i], tokens[end + 1]]
    for number, part in enumerate(split_commas(tokens[end + 2 : close])):
        if number:
            result += _op(tokens[i], ",")
        inside = _standard_namespace(part, names)
        result += [*_op(tokens[i], "("), *tokens[i + 2 : end], *_op(tokens[i], ")", "("), *inside, *_op(tokens[i], ")")]
    return [*result, tokens[close]], close + 1


_STANDARD = frozenset(
    """abs fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh
    acosh atanh erf erfc tgamma lgamma hypot fmod remainder fma fmin fmax fdim min max floor ceil round trunc rint
    nearbyint copysign isnan isinf isfinite signbit ldexp frexp modf lround llround lrint
    size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    malloc calloc free memcpy memset exit abort printf fprintf puts fflush FILE nullptr_t
    sqrtf expf logf powf sinf cosf tanf fabsf fminf fmaxf floorf ceilf erff erfcf""".split()
)


def _named_casts(tokens: list[Token], names: Names) -> list[Token]:
    """`static_cast<T>(x)` to `((T)(x))`."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.text not in _CASTS or not _is(tokens, i + 1, "<"):
            result.append(token)
            i += 1
            continue
        end = i + 2
        while end < len(tokens) and not _is(tokens, end, ">"):
            if tokens[end].text in (";", "{", "}", ">>", ">>>"):
                raise SyntaxProblem(f"{token.text} without its type", token.span)
            end += 1
        if not _is(tokens, end + 1, "("):
            raise SyntaxProblem(f"expected '(' after {token.text}<...>", token.span)
        close = _close(tokens, end + 1)
        inside = _named_casts(list(tokens[end + 2 : close]), names)
        target = tokens[i + 2 : end]
        result += [*_op(token, "(", "("), *target, *_op(token, ")", "("), *inside, *_op(token, ")", ")")]
        i = close + 1
    return result


def _dim3(tokens: list[Token], names: Names) -> list[Token]:
    """`dim3 g(x, y), h(z);` and `dim3(x, y)`."""
    result: list[Token] = []
    i = 0
    depth = 0
    declaring: int | None = None  # the bracket depth of the dim3 declaration that we are in
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == ";" or (declaring is not None and depth < declaring):
                declaring = None
        if token.text == "dim3" and token.kind == "name":
            if _is(tokens, i + 1, "(") or _is(tokens, i + 1, "{"):
                close = _close(tokens, i + 1)
                inside = _dim3(list(tokens[i + 2 : close]), names)
                result += [token.spelled(DIM3), *_op(tokens[i + 1], "("), *inside, *_op(tokens[close], ")")]
                i = close + 1
                continue
            if i + 1 < len(tokens) and tokens[i + 1].kind == "name" and depth > 0:
                declaring = depth
        elif (
            declaring == depth
            and token.kind == "name"
            and result[-1].text in ("dim3", ",")
            and i + 1 < len(tokens)
            and tokens[i + 1].text in ("(", "{")
        ):
            close = _close(tokens, i + 1)
            inside = _dim3(list(tokens[i + 2 : close]), names)
            call = [token.spelled(DIM3), *_op(token, "("), *inside, *_op(tokens[close], ")")]
            result += [token, *_op(token, "="), *call]
            i = close + 1
            continue
        result.append(token)
        i += 1
    return result


def _functional_casts(tokens: list[Token], names: Names) -> list[Token]:
    """`float(i)` to `((float)(i))`, inside bodies and initialisers, where an expression can stand."""
    start = _body_start(tokens)
    result = list(tokens[:start])
    i = start
    while i < len(tokens):
        token = tokens[i]
        if _names_type(token, names) and _is(tokens, i + 1, "(") and _is_functional(tokens, i):
            close = _close(tokens, i + 1)
            parts = split_commas(tokens[i + 2 : close])
            if len(parts) > 1:
                raise UnsupportedError(
                    f"constructor call {token.text}(...)", token.span, "initialise the members one by one"
                )
            inside = _functional_casts([*_op(token, "{"), *tokens[i + 2 : close]], names)[1:]
            inside = inside or [token.spelled("0", "number")]
            result += [*_op(token, "(", "("), token, *_op(token, ")", "("), *inside, *_op(token, ")", ")")]
            i = close + 1
        else:
            result.append(token)
            i += 1
    return result


def _body_start(tokens: Sequence[Token]) -> int:
    """The first brace or equals sign outside parentheses: before it only declarators stand."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == "operator":
            if depth == 0 and token.text in ("{", "="):
                return i
            depth += (token.text in OPENING) - (token.text in CLOSING)
    return len(tokens)


def _is_functional(tokens: Sequence[Token], i: int) -> bool:
    before = tokens[i - 1]
    if before.text not in _BEFORE_EXPRESSION and before.text != "{":
        return False
    return not _is(tokens, i + 2, "*")  # `float (*)[16]` in a cast, `float (*a)[16]` in a declaration


# --- what is left --------------------------------------------------------------------------------

_BEYOND = {
    "template": "C++ templates", "class": "C++ classes", "namespace": "namespaces", "using": "using declarations",
    "new": "'new'", "delete": "'delete'", "operator": "C++ operators", "try": "exceptions", "catch": "exceptions",
    "throw": "exceptions", "this": "'this'", "typename": "C++ templates", "decltype": "decltype",
    "dynamic_cast": "dynamic_cast", "typeid": "typeid", "virtual": "C++ classes", "friend": "C++ classes",
    "public": "C++ classes", "private": "C++ classes", "protected": "C++ classes", "co_await": "coroutines",
    "asm": "inline assembly", "alignas": "alignment specifiers", "__align__": "alignment specifiers",
    "__builtin_align__": "alignment specifiers", "__managed__": "managed variables", "thread_local": "thread_local",
    "noexcept": "noexcept",
}  # fmt: skip


def refuse_leftovers(tokens: Sequence[Token], names: Names) -> None:
    """Raise UnsupportedError at the first piece of C++ that was not rewritten."""
    header_end = _body_start(tokens)
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text in _BEYOND:
            if not (i and tokens[i - 1].text in (".", "->")):
                raise _refusal(_BEYOND[token.text], token)
        elif token.kind == "operator":
            if token.text == "::":
                raise _refusal("a C++ scope", token)
            if token.text == ">>>" or token.text == "<<<":
                raise SyntaxProblem(f"unexpected '{token.text}'", token.span)
            if token.text == "[" and (i == 0 or _starts_lambda(tokens, i)):
                raise _refusal("a lambda", token)
            if token.text in ("&", "&&") and i and (i < header_end or _declares_reference(tokens, i, names)):
                raise _refusal("a C++ reference", token, "use a pointer")


def _refusal(what: str, token: Token, remedy: str = "write it as plain C") -> SourceError:
    return UnsupportedError(f"hetad does not read {what}", token.span, remedy)


def _starts_lambda(tokens: Sequence[Token], i: int) -> bool:
    before, end = tokens[i - 1], matching(tokens, i)
    if end is None or not (_is(tokens, end + 1, "(") or _is(tokens, end + 1, "{")):
        return False  # a designator
    return before.kind == "operator" and before.text in _BEFORE_EXPRESSION and before.text not in ("*", "&")


def _declares_reference(tokens: Sequence[Token], i: int, names: Names) -> bool:
    """`T &r = y`, where T is a type or a pointer to one, as a statement; `(T &)x`."""
    type_at = i - 1
    while type_at > 0 and tokens[type_at].text in ("*", "const", "restrict"):
        type_at -= 1
    if not _names_type(tokens[type_at], names) or (type_at and tokens[type_at - 1].text in (".", "->")):
        return False
    if tokens[type_at].text in TYPE_WORDS:
        return True
    starts = type_at == 0 or tokens[type_at - 1].text in (";", "{", "}", "const", "static", "(")
    named = i + 2 < len(tokens) and tokens[i + 1].kind == "name" and tokens[i + 2].text in ("=", ":")
    return starts and (named or _is(tokens, i + 1, ")"))
