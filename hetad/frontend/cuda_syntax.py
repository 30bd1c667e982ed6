"""CUDA's and everyday C++'s additions to C, rewritten token by token into what pycparser reads as C23.

The rewritten tokens keep the user's positions.  Names with a `$` are ours: `hetad$launch4(k, g, b, s, st, ...)` for
`k<<<g, b, s, st>>>(...)` and `hetad$dim3(x, y)` for `dim3(x, y)`.  What is left of C++ after that, and would fail to
parse or, worse, parse as other C, is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.frontend import beyond, cpp_syntax, initialisers, opaque
from hetad.frontend.attributes import ALIGNMENTS, aligned, attribute
from hetad.frontend.cpp_syntax import TEMPLATE, TYPE_WORDS, NameTable, body_start
from hetad.frontend.cpp_syntax import close as _close
from hetad.frontend.cpp_syntax import operators as _op
from hetad.frontend.leftovers import BEFORE_EXPRESSION, refuse, refuse_library
from hetad.frontend.tokens import CLOSING, OPENING, Token, matching, split_commas
from hetad.frontend.tokens import is_operator as _is

LAUNCH = "hetad$launch"
DIM3 = "hetad$dim3"

_SPELLINGS = {
    "__restrict__": "restrict", "__restrict": "restrict", "__volatile__": "volatile", "__signed__": "signed",
    "__const": "const", "__asm__": "asm", "__asm": "asm", "wchar_t": "int",
}  # fmt: skip
_ALTERNATIVES = {
    "and": "&&", "or": "||", "not": "!", "not_eq": "!=", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~",
    "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip
_DROPPED = {"__extension__", "__grid_constant__", "__cdecl", "__forceinline__", "register"}
_LOCAL_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "device"}
_ALIGNMENTS = {"__align__", "alignas", "__builtin_align__"}
_CASTS = {"static_cast", "reinterpret_cast", "const_cast"}


_Pass = Callable[[list[Token], NameTable], list[Token]]


def rewrite(tokens: Sequence[Token], names: NameTable) -> list[Token]:
    """All rewritings in order, then the refusal of what is left.  Raises SourceError with the position."""
    result = _respell(joined(tokens), names)
    if names.host:
        result = opaque.pass_over(result, names)
    texts = {t.text for t in result}
    for triggers, rewriting in _passes():
        if not triggers or not triggers.isdisjoint(texts):
            result = rewriting(result, names)
    refuse(result, names)
    return result


def _passes() -> tuple[tuple[frozenset[str], _Pass], ...]:
    """The rewritings in order; each with the tokens without one of which there is nothing for it to do."""
    return (
        (frozenset(_LOCAL_SPACES), _local_spaces),
        (frozenset({"::"}), _scopes),
        (frozenset(), _refuse_templates),
        (frozenset({"using", "auto", "constexpr", "for"}), cpp_syntax.words),
        (frozenset({"<"}), cpp_syntax.template_ids),
        (frozenset({"<<<"}), _launches),
        (frozenset(_CASTS), _named_casts),
        (frozenset({"new", "delete"}), cpp_syntax.heap),
        (frozenset({"dim3"}), _dim3),
        (frozenset({"{"}), initialisers.braces),
        (frozenset({"{"}), initialisers.direct_initialisers),
        (frozenset(), _functional_casts),
        (frozenset({"&", "&&"}), cpp_syntax.references),
    )


# --- the rewritings ------------------------------------------------------------------------------


def joined(tokens: Sequence[Token]) -> list[Token]:
    """`k << <g, b >> >(x)`, as formatters of C++ write it: the brackets of a launch in one piece."""
    result: list[Token] = []
    open_ = False  # a launch whose `>>>` is still to come
    i = 0
    while i < len(tokens):
        found = _pieces(tokens, i, "<<<") or (_pieces(tokens, i, ">>>") if open_ else 0)
        if not found or (found > 1 and open_ and tokens[i].text[0] == ">" and not _is(tokens, i + found, "(")):
            result.append(tokens[i])
            i += 1
            continue
        open_ = tokens[i].text[0] == "<"
        result.append(tokens[i] if found == 1 else tokens[i].spelled(tokens[i].text[0] * 3, "operator"))
        i += found
    return result


def _pieces(tokens: Sequence[Token], i: int, bracket: str) -> int:
    """How many tokens from `i` on spell the bracket; 0 if they do not."""
    text, count = "", 0
    while bracket.startswith(text) and i + count < len(tokens) and tokens[i + count].kind == "operator":
        text += tokens[i + count].text
        count += 1
        if text == bracket:
            return count
    return 0


def _respell(tokens: list[Token], names: NameTable) -> list[Token]:
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
            attribute(tokens[i + 2 : end], result, token)
            i = end
        elif token.text in _ALIGNMENTS and _is_number(tokens, i + 1) and aligned(tokens[i + 2].text, result, token):
            i += 3
        elif token.text in _ALTERNATIVES and token.text not in names.own:
            result.append(token.spelled(_ALTERNATIVES[token.text], "operator"))
        elif token.text == cpp_syntax.REFERENCE:
            raise UnsupportedError("hetad does not support _Atomic", token.span, "use the atomic functions of CUDA")
        elif token.text == "noexcept" and not _is(tokens, i + 1, "("):
            pass
        elif token.text not in _DROPPED:
            result.append(token.spelled(_SPELLINGS.get(token.text, token.text)))
        i += 1
    return result


def _is_number(tokens: Sequence[Token], i: int) -> bool:
    """Whether `(16)` stands at `i`."""
    return _is(tokens, i, "(") and _is(tokens, i + 2, ")") and tokens[i + 1].text in ALIGNMENTS


def _local_spaces(tokens: list[Token], _names: NameTable) -> list[Token]:
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


def _refuse_templates(tokens: list[Token], names: NameTable) -> list[Token]:
    """`f<3>(x)` is a comparison to a C parser."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text in _CASTS or token.text in ("operator", "template"):
            continue
        if refuse_library(tokens, i, names) or token.text in names.templates:
            continue
        follows_type = _is(tokens, i + 1, "<") and _type_argument(tokens, i + 2, names)
        what = names.beyond.get(token.text, "a C++ template" if follows_type else None)
        if what is None or (i and tokens[i - 1].text in (".", "->")):
            continue
        remedy = "write it as plain C"
        if "template" in what:
            if i + 1 == len(tokens) or tokens[i + 1].text not in ("<", "(", "<<<"):
                continue
            remedy = "write a plain function for each set of template arguments that is used"
        raise UnsupportedError(f"'{token.text}' is {what}", token.span, remedy)
    return tokens


def _type_argument(tokens: Sequence[Token], i: int, names: NameTable) -> bool:
    """Whether a type stands here; a name that is a type elsewhere may be a variable, so `name>(` must follow."""
    if i >= len(tokens) or not names.is_type(tokens[i]):
        return False
    return tokens[i].text in TYPE_WORDS or (_is(tokens, i + 1, ">") and _is(tokens, i + 2, "("))


def _launches(tokens: list[Token], names: NameTable) -> list[Token]:
    """`k<<<g, b>>>(x)` to `hetad$launch2(k, g, b, x)`."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if not (token.kind == "operator" and token.text == "<<<"):
            result.append(token)
            i += 1
            continue
        called = _called(result)
        if not called:
            raise SyntaxProblem("expected the name of a kernel before '<<<'", token.span)
        del result[-len(called) :]
        kernel = called[0]
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
        result += [*_op(kernel, "("), *called]
        for part in configuration:
            result += [*_op(part[0], ","), *part]
        arguments = _launches(list(tokens[end + 2 : close]), names)
        result += [*(_op(kernel, ",") if arguments else []), *arguments, tokens[close]]
        i = close + 1
    return result


def _called(tokens: Sequence[Token]) -> list[Token]:
    """The name of a kernel that the tokens end in, with its template arguments."""
    if tokens and tokens[-1].text == ")":
        at = max((i for i, t in enumerate(tokens) if t.text == TEMPLATE), default=None)
        return list(tokens[at:]) if at is not None and matching(tokens, at + 1) == len(tokens) - 1 else []
    return [tokens[-1]] if tokens and tokens[-1].kind == "name" else []


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


def _scopes(tokens: list[Token], names: NameTable) -> list[Token]:
    """`std::sqrt(x)` and `::sqrt(x)` are the plain function, where CUDA knows it by that name; the source's own
    namespaces are one."""
    result: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        scope = token.kind == "name" and _is(tokens, i + 1, "::") and i + 2 < len(tokens)
        meant = names.aliases.get(token.text, token.text) if scope else ""
        if scope and meant in names.namespaces:
            i += 2
        elif scope and token.text == "std" and tokens[i + 2].text == "swap" and _is(tokens, i + 3, "("):
            swapped, i = _exchange(tokens, i, result, names)
            result += swapped
            continue
        elif scope and token.text == "std":
            i = _standard(tokens, i, names)
            if tokens[i].text in ("min", "max") and _is(tokens, i + 1, "<"):
                converted, i = _typed_extremum(tokens, i, names)
                result += converted
            continue
        elif scope and meant in beyond.SCOPES:
            raise beyond.refusal(beyond.SCOPES[meant], token.span)
        elif token.text == "::" and (not result or result[-1].kind != "name") and i + 1 < len(tokens):
            i += 1
        else:
            result.append(token)
            i += 1
    return result


def _standard(tokens: Sequence[Token], i: int, names: NameTable) -> int:
    """The index of the name behind `std::`, which must be one that is plain CUDA too."""
    name = tokens[i + 2]
    if not (name.text in _STANDARD or name.text in names.types) or _is(tokens, i + 3, "::"):
        raise UnsupportedError(
            f"std::{name.text} is C++ beyond hetad",
            Span(tokens[i].file, tokens[i].line, tokens[i].column, len("std::") + name.length),
            "use C functions and arrays in the functions that are differentiated, and keep C++ outside",
        )
    return i + 2


def _exchange(tokens: Sequence[Token], i: int, before: Sequence[Token], names: NameTable) -> tuple[list[Token], int]:
    """The statement `std::swap(a, b);` as `{ auto held = a; a = b; b = held; }`, and the index after it."""
    here, close = tokens[i], _close(tokens, i + 3)
    places = [_scopes(part, names) for part in split_commas(tokens[i + 4 : close])]
    statement = not before or before[-1].text in (";", "{", "}", ")", "else", ":", "do")
    if not statement or not _is(tokens, close + 1, ";") or len(places) != 2 or any(_may_act(p) for p in places):
        raise UnsupportedError(
            "std::swap other than as a statement of its own, of two variables or elements",
            Span(here.file, here.line, here.column, len("std::swap")),
            "exchange them by hand: T old = a; a = b; b = old;",
        )
    used = {t.text for place in places for t in place}
    held = here.spelled(next(name for name in ("held", "held_", "held__") if name not in used))
    a, b = places
    return [
        *_op(here, "{"), here.spelled(cpp_syntax.AUTO), held, *_op(here, "="), *a, *_op(here, ";"),
        *a, *_op(here, "="), *b, *_op(here, ";"), *b, *_op(here, "="), held, *_op(here, ";", "}"),
    ], close + 2  # fmt: skip


def _may_act(place: Sequence[Token]) -> bool:
    """Whether an expression calls something or assigns, so that it must not be written twice."""
    calls = any(_is(place, i + 1, "(") for i, t in enumerate(place) if t.kind == "name")
    return calls or any(t.text in ("++", "--") or (t.text[-1:] == "=" and t.text not in _COMPARED) for t in place)


_COMPARED = ("==", "!=", "<=", ">=")


def _typed_extremum(tokens: Sequence[Token], i: int, names: NameTable) -> tuple[list[Token], int]:
    """`max<T>(a, b)` as `max((T)(a), (T)(b))`, and the index after it."""
    end = next((j for j in range(i + 2, len(tokens)) if _is(tokens, j, ">")), None)
    if end is None or not _is(tokens, end + 1, "("):
        raise SyntaxProblem(f"expected arguments of '{tokens[i].text}'", tokens[i].span)
    close = _close(tokens, end + 1)
    result = [tokens[i], tokens[end + 1]]
    for number, part in enumerate(split_commas(tokens[end + 2 : close])):
        if number:
            result += _op(tokens[i], ",")
        inside = _scopes(part, names)
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


def _named_casts(tokens: list[Token], names: NameTable) -> list[Token]:
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


def _dim3(tokens: list[Token], names: NameTable) -> list[Token]:
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


def _functional_casts(tokens: list[Token], names: NameTable) -> list[Token]:
    """`float(i)` to `((float)(i))`, inside bodies and initialisers, where an expression can stand."""
    start = body_start(tokens)
    result = list(tokens[:start])
    i = start
    while i < len(tokens):
        token = tokens[i]
        if names.is_type(token) and _is(tokens, i + 1, "(") and _is_functional(tokens, i):
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


def _is_functional(tokens: Sequence[Token], i: int) -> bool:
    before = tokens[i - 1]
    if before.text not in BEFORE_EXPRESSION and before.text != "{":
        return False
    return not _is(tokens, i + 2, "*")  # `float (*)[16]` in a cast, `float (*a)[16]` in a declaration
