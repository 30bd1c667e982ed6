"""Host statements in C++ that hetad does not read, where nothing else depends on them: clocks, output, random engines.

Such a statement becomes `hetad$opaque("…", …)`: in hexadecimal the headers it needs, the names it declares and the
pieces of its text, between which stand the names that it mentions.  Only what is listed here is passed over; every
other piece of C++ is refused where it is reached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.beyond_c import TAGS, TYPE_WORDS
from hetad.frontend.flags import ENDS, FLAGS
from hetad.frontend.models import CLOCKS
from hetad.frontend.tokens import CLOSING, OPENING, Token, is_operator, operators, split_commas
from hetad.ir import texts

OPAQUE = "hetad$opaque"

_HEADERS = {
    "iostream": " ".join(("cout", "cerr", "clog", *ENDS)),
    "iomanip": " ".join(("setprecision", "setw", "setfill", *(f for f in FLAGS if f not in ENDS))),
    "chrono": "chrono",
    "random": "mt19937 mt19937_64 minstd_rand default_random_engine random_device uniform_real_distribution "
    "uniform_int_distribution normal_distribution bernoulli_distribution",
    "string": "string to_string",
    "sstream": "ostringstream stringstream",
    "fstream": "ofstream fstream",
    "vector": "vector",
    "thread": "this_thread",
}
_HEADER = {name: header for header, names in _HEADERS.items() for name in names.split()}
_CLOCKS = CLOCKS - {"chrono"}
_TEMPLATES = {"vector", "duration", "duration_cast", "time_point", "uniform_real_distribution"}
_TEMPLATES |= {"uniform_int_distribution", "normal_distribution"}
_STREAMS = {"cout", "cerr", "clog"}
_OUTPUT = {"printf", "fprintf", "puts", "fputs"}
_SAID = {"cudaGetErrorString", "cudaGetErrorName"}  # of CUDA, what only says something
_CONTROL = {"if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto"}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
_WORDS = TYPE_WORDS | TAGS | {"const", "static", "auto", "constexpr", "sizeof", "true", "false", "nullptr", "std"}


@dataclass
class Function:
    """What is known of the names in one function."""

    own: Collection[str]  # what the source declares at file scope
    modelled: frozenset[str] = frozenset()  # names of the library that hetad does read
    declared: dict[str, Span] = field(default_factory=dict)  # by an opaque statement, and where

    def beyond(self, tokens: Sequence[Token], i: int) -> bool:
        """Whether the name at `i` is C++ that may be passed over."""
        token = tokens[i]
        if token.kind != "name" or (i and tokens[i - 1].text in (".", "->")):
            return False
        if token.text == "std" and is_operator(tokens, i + 1, "::") and i + 2 < len(tokens):
            return tokens[i + 2].text in _HEADER and tokens[i + 2].text not in self.modelled
        if i and tokens[i - 1].text == "::":
            return False
        if token.text in self.declared:
            return True
        listed = (token.text in _HEADER or token.text in _CLOCKS) and token.text not in self.modelled
        return listed and token.text not in self.own and _is_distinct(tokens, i)


def _is_distinct(tokens: Sequence[Token], i: int) -> bool:
    """Whether a name without `std::` can only be the one of the library: it is streamed to, or followed like a type."""
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if after is None:
        return False
    if tokens[i].text in _STREAMS:
        return after.text == "<<" and (i == 0 or tokens[i - 1].kind != "name")
    if after.text == "<":
        return tokens[i].text in _TEMPLATES and i + 2 < len(tokens) and tokens[i + 2].text in TYPE_WORDS | {"std"}
    starts = i == 0 or tokens[i - 1].text in ("const", "static", "=", "<", "(")
    return starts and (after.text == "::" or (after.kind == "name" and i == 0))


def check(tokens: Sequence[Token], own: Collection[str], modelled: frozenset[str]) -> None:
    """Raises UnsupportedError where a host function depends on what such a statement does."""
    start = next((i for i, t in enumerate(tokens) if t.text == "{"), len(tokens))
    function = Function(own, modelled)
    i = start
    while i < len(tokens):
        end = _statement_end(tokens, i)
        statement = tokens[i:end]
        at = next((j for j in range(len(statement)) if function.beyond(statement, j)), None)
        if at is not None and statement[0].text != "throw":  # which ends the program, whatever it says
            if end >= len(tokens) or tokens[end].text != ";" or statement[0].text in _CONTROL:
                raise _refusal(statement, at, function, "decides what the program does")
            call(statement, at, function)
        i = end + 1


def _statement_end(tokens: Sequence[Token], start: int) -> int:
    """Where a simple statement ends in a semicolon, or a head in a brace."""
    if tokens[start].text in ("else", "do"):
        return start
    depth = 0
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.kind != "operator":
            continue
        if depth == 0 and token.text == ":" and tokens[start].text in ("case", "default"):
            return i
        if depth == 0 and (token.text in (";", "}") or (token.text == "{" and not _is_initialiser(tokens, i, start))):
            return i
        if depth == 0 and token.text == ")":
            return i
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0 and token.text == ")" and _closes_head(tokens, start):
            return i
    return len(tokens)


def _closes_head(tokens: Sequence[Token], start: int) -> bool:
    """Whether the first parentheses are those of `if (...)` and its like, which a statement follows."""
    return tokens[start].text in ("if", "for", "while", "switch") or (
        tokens[start].text == "else" and is_operator(tokens, start + 1, "if")
    )


def _is_initialiser(tokens: Sequence[Token], i: int, start: int) -> bool:
    before = tokens[i - 1] if i > start else None
    if before is None or any(t.text in TAGS for t in tokens[start:i]):
        return False
    return before.text in ("=", "]", ">", "return") or (before.kind == "name" and before.text not in ("else", "do"))


def call(statement: Sequence[Token], at: int, function: Function) -> list[Token]:
    """The replacement of a statement, which is checked to be harmless to pass over."""
    first = statement[0]
    declared = _declared(statement)
    output = first.text in _OUTPUT or _streams(statement, function)
    _check(statement, at, declared, output, function)
    for name in declared:
        function.declared[name] = statement[at].span
    headers = sorted({_HEADER[t.text] for t in statement if t.text in _HEADER and t.text not in function.declared})
    kind = "output" if output else "other"
    arguments: list[Token] = [_hex(first, kind), _hex(first, " ".join(headers)), _hex(first, " ".join(declared))]
    text = ""
    for i, token in enumerate(statement):
        if _may_be_variable(statement, i):
            arguments += [_hex(token, text + _space(statement, i)), token]
            text = ""
        else:
            first_of_path = token.kind == "name" and not (i and statement[i - 1].text in ("::", ".", "->"))
            text += _space(statement, i) + (scope(token.text) if first_of_path else "") + texts.respelled(token.text)
    arguments.append(_hex(first, text + ";"))
    result = [first.spelled(OPAQUE), *operators(first, "(")]
    for number, argument in enumerate(arguments):
        result += [*(operators(first, ",") if number else []), argument]
    return [*result, *operators(first, ")")]


def scope(name: str) -> str:
    """The namespace of a library's name that is written without it: the emitted file has no `using namespace std`."""
    return "std::" if name in _HEADER else "std::chrono::" if name in _CLOCKS else ""


def _may_be_variable(statement: Sequence[Token], i: int) -> bool:
    token = statement[i]
    if token.kind != "name" or token.text in _WORDS or token.text in _OUTPUT:
        return False
    return not (i and statement[i - 1].text in (".", "->", "::")) and not is_operator(statement, i + 1, "::")


def _declared(statement: Sequence[Token]) -> list[str]:
    """The names that a declaration declares."""
    i = angles = 0
    while i < len(statement) and (
        statement[i].kind == "name" or statement[i].text in ("::", "<", ">", ">>", "*", "&") or angles
    ):
        text = statement[i].text
        angles += (text == "<") - (text == ">") - 2 * (text == ">>")
        after = statement[i + 1].text if i + 1 < len(statement) else ";"
        named = statement[i].kind == "name" and i and not angles and statement[i - 1].text != "::"
        if named and (statement[i - 1].kind == "name" or statement[i - 1].text in (">", ">>", "*", "&")):
            if after in ("=", "(", "{", ",", ";", "["):
                parts = split_commas(statement[i:])
                return [p[0].text for p in parts if p and p[0].kind == "name"]
        i += 1
    return []


def _streams(statement: Sequence[Token], function: Function) -> bool:
    first = 2 if statement[0].text == "std" else 0
    return is_operator(statement, first + 1, "<<") and (
        statement[first].text in _STREAMS or statement[first].text in function.declared
    )


def _check(statement: Sequence[Token], at: int, declared: list[str], output: bool, function: Function) -> None:
    """Raise where the statement may do more than hetad may leave out."""
    own = function.own
    first_assignment = True
    depth = 0
    for i, token in enumerate(statement):
        after = statement[i + 1].text if i + 1 < len(statement) else ""
        before = statement[i - 1].text if i else ""
        if token.text == "<<<" or (token.kind == "name" and token.text.startswith("cuda") and token.text not in _SAID):
            raise _refusal(statement, at, function, "is used in a call of CUDA")
        if token.kind == "operator":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == "[" and (i == 0 or before in ("(", ",", "=")):
                raise _refusal(statement, at, function, "is used in a lambda")
            if token.text in _ASSIGNMENTS:
                target = statement[0].text in function.declared or bool(declared)
                if not (first_assignment and token.text == "=" and target and not output and depth == 0):
                    raise _refusal(statement, at, function, "is used in an assignment")
                first_assignment = False
            if token.text in ("&", "*") and before in ("(", ",", "=", "<<"):
                raise _refusal(statement, at, function, "is used with an address")
            if token.text == ">>" and after and statement[i + 1].kind == "name":
                raise _refusal(statement, at, function, "is used in an input")
        elif (
            token.kind == "name"
            and after == "("
            and before not in (".", "->")
            and not _harmless(token, function, declared)
        ):
            where = f"is used together with a call of '{token.text}'"
            raise _refusal(statement, at, function, where)
        elif token.kind == "name" and token.text in own and before not in (".", "->", "::") and after == "<":
            raise _refusal(statement, at, function, f"is used together with '{token.text}'")
    if (
        not declared
        and not output
        and statement[0].text not in (*function.declared, "std")
        and not _is_clock(statement)
    ):
        raise _refusal(statement, at, function, "is used in an expression")


def _is_clock(statement: Sequence[Token]) -> bool:
    return statement[0].text in _HEADER or statement[0].text in _CLOCKS


def _harmless(token: Token, function: Function, declared: list[str]) -> bool:
    """Whether a call by this name reads its arguments and changes nothing but C++ objects."""
    text = token.text
    if text in function.own:
        return False
    known = any(text in names for names in (_SAID, _HEADER, _CLOCKS, _OUTPUT, TYPE_WORDS, ("sizeof", "now")))
    return known or text in function.declared or text in declared or text in _MATHEMATICS


_MATHEMATICS = {"sqrt", "fabs", "abs", "exp", "log", "pow", "log10", "min", "max", "sleep_for"}


def _refusal(statement: Sequence[Token], at: int, function: Function, why: str) -> UnsupportedError:
    token = statement[at]
    name, origin = f"std::{statement[at + 2].text if token.text == 'std' else token.text}", ""
    if token.text in function.declared:
        name, origin = f"'{token.text}'", f" (declared in line {function.declared[token.text].line})"
    return UnsupportedError(
        f"{name}{origin} is C++ that hetad does not read, and it {why}",
        token.span,
        "use C in the functions that are differentiated, and keep this apart from what they compute",
    )


def _hex(at: Token, text: str) -> Token:
    return at.spelled('"' + text.encode().hex() + '"', "string")


_TIGHT = {"::", ".", "->", "(", "[", "!", "~"}


def _space(statement: Sequence[Token], i: int) -> str:
    """A blank before a token, where one reads better or is needed."""
    if i == 0:
        return ""
    before, token = statement[i - 1].text, statement[i].text
    if before in _TIGHT or token in ("::", ".", "->", ")", "]", ",", ";", "(", "["):
        return ""
    return "" if "<" in (before, token) or token in (">", ">>") or before == "<" else " "
