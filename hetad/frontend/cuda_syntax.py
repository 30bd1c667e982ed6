"""CUDA's additions to C, rewritten token by token into what pycparser reads as C23.

The rewritten tokens keep the user's positions.  Names with a `$` are ours: `hetad$launch4(k, g, b, s, st, ...)` for
`k<<<g, b, s, st>>>(...)` and `hetad$dim3(x, y)` for `dim3 g(x, y)`.  What is C++, and would fail to parse or, worse,
parse as other C, is refused here: `cpp/` reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hetad.diagnostics import SyntaxProblem, UnsupportedError
from hetad.frontend.attributes import ALIGNMENTS, aligned, attribute
from hetad.frontend.beyond_c import TAGS, NameTable, refuse
from hetad.frontend.lower.c_nodes import REFERENCE
from hetad.frontend.tokens import CLOSING, OPENING, Token, closing, split_commas
from hetad.frontend.tokens import is_operator as _is
from hetad.frontend.tokens import operators as _op

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

_Pass = Callable[[list[Token]], list[Token]]


def rewrite(tokens: Sequence[Token], names: NameTable) -> list[Token]:
    """All rewritings in order, behind the refusal of C++.  Raises SourceError with the position."""
    result = _respell(joined(tokens), names)
    refuse(result, names)
    texts = {t.text for t in result}
    for triggers, rewriting in _PASSES:
        if not triggers.isdisjoint(texts):
            result = rewriting(result)
    stray = next((t for t in result if t.text in ("<<<", ">>>")), None)
    if stray is not None:
        raise SyntaxProblem(f"unexpected '{stray.text}'", stray.span)
    return result


def local_types(tokens: Sequence[Token]) -> set[str]:
    """The names that an item declares as types inside itself."""
    found: set[str] = set()
    for i, token in enumerate(tokens[:-2]):
        if token.kind == "name" and token.text in TAGS and tokens[i + 1].kind == "name" and _is(tokens, i + 2, "{"):
            found.add(tokens[i + 1].text)
        elif token.kind == "name" and token.text == "typedef":
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
            end = closing(tokens, i + 1)
            text = "".join(t.text for t in tokens[i + 2 : end]).strip('"')
            result += _respell([token.spelled(text, "pragma")], names)
            i = end
        elif token.text == "__attribute__" and _is(tokens, i + 1, "("):
            end = closing(tokens, i + 1)
            attribute(tokens[i + 2 : end], result, token)
            i = end
        elif token.text in _ALIGNMENTS and _is_number(tokens, i + 1) and aligned(tokens[i + 2].text, result, token):
            i += 3
        elif token.text in _ALTERNATIVES and token.text not in names.own:
            result.append(token.spelled(_ALTERNATIVES[token.text], "operator"))
        elif token.text == REFERENCE:
            raise UnsupportedError("hetad does not support _Atomic", token.span, "use the atomic functions of CUDA")
        elif token.text not in _DROPPED:
            result.append(token.spelled(_SPELLINGS.get(token.text, token.text)))
        i += 1
    return result


def _is_number(tokens: Sequence[Token], i: int) -> bool:
    """Whether `(16)` stands at `i`."""
    return _is(tokens, i, "(") and _is(tokens, i + 2, ")") and tokens[i + 1].text in ALIGNMENTS


def _local_spaces(tokens: list[Token]) -> list[Token]:
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


def _launches(tokens: list[Token]) -> list[Token]:
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
        configuration = [_launches(part) for part in split_commas(tokens[i + 1 : end])]
        if not 2 <= len(configuration) <= 4 or not all(configuration):
            raise SyntaxProblem(
                f"a launch takes 2 to 4 arguments between '<<<' and '>>>', not {len(configuration)}", token.span
            )
        if not _is(tokens, end + 1, "("):
            raise SyntaxProblem("expected '(' after '>>>'", tokens[end].span)
        end_of_arguments = closing(tokens, end + 1)
        result.append(kernel.spelled(f"{LAUNCH}{len(configuration)}"))
        result += [*_op(kernel, "("), kernel]
        for part in configuration:
            result += [*_op(part[0], ","), *part]
        arguments = _launches(list(tokens[end + 2 : end_of_arguments]))
        result += [*(_op(kernel, ",") if arguments else []), *arguments, tokens[end_of_arguments]]
        i = end_of_arguments + 1
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


def _dim3(tokens: list[Token]) -> list[Token]:
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
            if _is(tokens, i + 1, "("):
                close = closing(tokens, i + 1)
                inside = _dim3(list(tokens[i + 2 : close]))
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
            and tokens[i + 1].text == "("
        ):
            close = closing(tokens, i + 1)
            inside = _dim3(list(tokens[i + 2 : close]))
            call = [token.spelled(DIM3), *_op(token, "("), *inside, *_op(tokens[close], ")")]
            result += [token, *_op(token, "="), *call]
            i = close + 1
            continue
        result.append(token)
        i += 1
    return result


_PASSES: tuple[tuple[frozenset[str], _Pass], ...] = (
    (frozenset(_LOCAL_SPACES), _local_spaces),
    (frozenset({"<<<"}), _launches),
    (frozenset({"dim3"}), _dim3),
)  # in order; each with the tokens without one of which there is nothing for it to do
