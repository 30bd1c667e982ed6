"""The top-level items of a translation unit, found by matching brackets, so that each can be parsed by itself.

What an item declares is read off its tokens.  That is a guess where the item is C++ beyond the front end, and
good enough there: such an item is refused if it is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.tokens import CLOSING, OPENING, Token, matching, split_commas, unmatched

Declares = Literal[
    "function", "prototype", "typedef", "variable", "tag", "enumerator", "template", "specialisation", "other"
]

SPACES = {"__global__", "__device__", "__host__", "__constant__", "__shared__", "__managed__"}
INLINES = {"static", "inline", "__inline__", "__inline", "__forceinline__", "__noinline__"}
_DROPPED = {"__extension__", "__cdecl"}
UNNAMED = "(unnamed)"
_TAGS = {"struct", "union", "enum", "class"}


@dataclass(frozen=True)
class Item:
    """`tokens` are without execution spaces, inlining and launch bounds, which have fields of their own."""

    tokens: tuple[Token, ...]
    names: dict[str, Declares]
    spaces: frozenset[str] = frozenset()
    inline: str | None = None
    launch_bounds: str | None = None
    header: tuple[Token, ...] = ()  # all tokens before a function's body, as written
    span: Span = field(default=Span("", 1, 1), compare=False)  # of the name of a function, else of the first token
    namespace: str = ""
    unnamed: bool = False  # in a namespace without a name
    keeps_references: bool = False  # whether a reference that it is given may outlive the call

    @property
    def internal(self) -> bool:
        """Whether its names are of its file alone."""
        return self.unnamed or "static" in (self.inline or "").split()

    @property
    def owner(self) -> str:
        """What stands before `::` and the name of a function: its class, or a namespace."""
        at = next((i for i, t in enumerate(self.tokens) if t.span == self.span), 0)
        return self.tokens[at - 2].text if at > 1 and self.tokens[at - 1].text == "::" else ""

    @property
    def kind(self) -> Literal["kernel", "device", "host device", "host"]:
        if "__global__" in self.spaces:
            return "kernel"
        if "__device__" in self.spaces:
            return "host device" if "__host__" in self.spaces else "device"
        return "host"


def split_items(tokens: Sequence[Token]) -> list[Item]:
    """Raises SyntaxProblem where brackets do not match."""
    items = []
    for run, around in _runs(tokens):
        namespace = "::".join(scope for scope in around if scope not in ("", UNNAMED))
        items.append(replace(describe(run), namespace=namespace, unnamed=UNNAMED in around))
    return items


def _runs(tokens: Sequence[Token]) -> Iterator[tuple[list[Token], tuple[str, ...]]]:
    """Token runs of one item each, and the scopes around: the braces of `extern "C" {` and namespaces."""
    current: list[Token] = []
    around: list[str] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "pragma" and not current:
            i += 1
        elif token.kind != "operator" or (token.text not in OPENING and token.text not in CLOSING):
            if token.text == ";" and token.kind == "operator":
                if current:
                    yield [*current, token], tuple(around)
                current = []
            else:
                current.append(token)
            i += 1
        elif token.text in CLOSING:
            if token.text != "}" or not around or current:
                raise SyntaxProblem(f"'{token.text}' without its opening bracket", token.span)
            around.pop()
            i += 1
        elif token.text == "{" and (scope := _scope(current)) is not None:
            around.append(scope)
            current = []
            i += 1
        else:
            end = matching(tokens, i)
            if end is None:
                blamed = unmatched(tokens, i)
                what = "is not closed" if blamed.text in OPENING else "without its opening bracket"
                raise SyntaxProblem(f"'{blamed.text}' {what}", blamed.span)
            body = token.text == "{" and _before_body(current)
            current.extend(tokens[i : end + 1])
            if body:
                yield current, tuple(around)
                current = []
            i = end + 1
    if current:
        raise SyntaxProblem("the file ends inside a declaration", current[0].span)
    if around:
        raise SyntaxProblem("a block at file level is never closed", tokens[-1].span)


def _scope(current: Sequence[Token]) -> str | None:
    """The namespace whose brace opens here, "" for `extern "C"`; None for other braces."""
    texts = [t.text for t in current if t.text != "inline"]
    if texts in (["extern", '"C"'], ["extern", '"C++"']):
        return ""
    if texts[:1] == ["namespace"] and all(t.kind == "name" or t.text == "::" for t in current):
        return "".join(texts[1:]) or UNNAMED
    return None


def _before_body(current: Sequence[Token]) -> bool:
    """Whether an opening brace here starts a body after which the item ends without a semicolon."""
    if not current:
        return True
    depth = 0
    for token in current[_after_head(current) :]:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0 and token.kind == "operator" and token.text == "=" and not _operator_name(current):
            return False
    return _parameter_list(current) is not None


def _operator_name(current: Sequence[Token]) -> bool:
    return any(token.text == "operator" for token in current)


def _parameter_list(head: Sequence[Token]) -> tuple[int, int] | None:
    """Where the last parenthesised list at the outer level starts and ends."""
    found = None
    i = 0
    while i < len(head):
        token = head[i]
        if token.kind == "operator" and token.text in OPENING:
            end = matching(head, i)
            if end is None:
                return None
            if token.text == "(" and i > 0 and not _is_specifier_argument(head[i - 1]):
                found = (i, end)
            i = end
        i += 1
    return found


def _is_specifier_argument(before: Token) -> bool:
    return before.text in ("__launch_bounds__", "__attribute__", "__align__", "alignas", "noexcept", "throw")


def describe(run: list[Token]) -> Item:
    """Take the CUDA specifiers out of an item's head and find what it declares."""
    if run[0].text == "extern" and len(run) > 1 and run[1].kind == "string":
        run = run[2:]
    first = _after_head(run)
    body = next(
        (i for i, t in enumerate(run) if i >= first and t.kind == "operator" and t.text in ("{", "=", ";")), len(run)
    )
    taken = _take_specifiers(run, body)
    rest = taken.rest
    names = _declared(rest)
    is_function = "function" in names.values()
    if not is_function and "prototype" not in names.values():
        # static is a matter of linkage for a variable, and of nothing else here
        rest = [t for t in rest if t.text != "inline"]
    span = next((t.span for t in rest if t.text in names), run[0].span)
    head = next((i for i, t in enumerate(run) if t.kind == "operator" and t.text in ("{", ";")), len(run))
    inline = " ".join(taken.inline) or None
    return Item(tuple(rest), names, frozenset(taken.spaces), inline, taken.bounds, tuple(run[:head]), span)


@dataclass(slots=True)
class _Taken:
    """An item's tokens without CUDA's specifiers, and these."""

    rest: list[Token] = field(default_factory=list)
    spaces: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    bounds: str | None = None  # of launches


def _take_specifiers(run: list[Token], end: int) -> _Taken:
    taken = _Taken()
    depth = 0
    i = 0
    while i < end:
        token = run[i]
        if token.kind == "name" and depth == 0 and token.text == "__launch_bounds__":
            close = matching(run, i + 1) if i + 1 < end else None
            if close is None:
                raise SyntaxProblem("__launch_bounds__ without arguments", token.span)
            text = next((t for t in run[i + 2 : close] if t.kind in ("string", "char")), None)
            if text is not None:
                raise SyntaxProblem("__launch_bounds__ takes numbers", text.span)
            taken.bounds = " ".join(t.text for t in run[i + 2 : close]).replace(" ,", ",")
            i = close
        elif token.kind == "name" and depth == 0 and token.text in SPACES:
            taken.spaces.append(token.text)
        elif token.kind == "name" and depth == 0 and token.text in INLINES:
            taken.inline.append(token.text)
        elif token.text not in _DROPPED:
            depth += token.kind == "operator" and (token.text in OPENING) - (token.text in CLOSING)
            taken.rest.append(token)
        i += 1
    taken.rest += run[end:]
    return taken


def _declared(tokens: Sequence[Token]) -> dict[str, Declares]:
    first = tokens[0].text if tokens else ""
    if first == "template":
        return _template_name(tokens)
    if first == "using" and len(tokens) > 3 and tokens[2].text == "=":
        return {tokens[1].text: "typedef"}
    if first in ("namespace", "class"):
        return {t.text: "other" for t in tokens[1:2] if t.kind == "name"}
    if first == "using":
        return {}
    if _is_definition(tokens):
        name = _function_name(tokens)
        return {name: "function"} if name else {}
    names: dict[str, Declares] = {}
    names.update(dict.fromkeys(_tags(tokens), "tag"))
    names.update(dict.fromkeys(_enumerators(tokens), "enumerator"))
    category: Declares = "typedef" if any(t.text == "typedef" for t in tokens) else "variable"
    for name, is_function in _declarators(tokens):
        names[name] = "prototype" if is_function and category == "variable" else category
    return names


def _is_definition(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and tokens[-1].text == "}"


def _function_name(tokens: Sequence[Token]) -> str | None:
    body = next((i for i, t in enumerate(tokens) if t.kind == "operator" and t.text == "{"), len(tokens))
    params = _parameter_list(tokens[:body])
    if params is None or params[0] == 0 or tokens[params[0] - 1].kind != "name":
        return None
    return tokens[params[0] - 1].text


def _template_name(tokens: Sequence[Token]) -> dict[str, Declares]:
    end = template_head(tokens)
    if end is None:
        return {}
    following = tokens[end + 1 :]
    special = end == 2  # template <>
    for i, token in enumerate(following):
        if token.text in ("struct", "class", "union", "using") and i + 1 < len(following):
            return {following[i + 1].text: "specialisation" if special else "template"}
        if token.text in ("(", "=", "<", ";") and i and following[i - 1].kind == "name":
            if following[i - 1].text in ("__launch_bounds__", "alignas", "__align__"):
                continue
            if token.text == "<" and not special and not _is_specialised(following, i):
                continue  # the template arguments of a type
            return {following[i - 1].text: "specialisation" if special or token.text == "<" else "template"}
    return {}


def _is_specialised(tokens: Sequence[Token], i: int) -> bool:
    """Whether `name<...>(` or `name<...> {` stands at the name before `i`: a specialisation is declared."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text == "<") - (tokens[j].text == ">") - 2 * (tokens[j].text == ">>")
        if depth <= 0:
            return j + 1 < len(tokens) and tokens[j + 1].text in ("(", "{")
    return False


def _after_head(tokens: Sequence[Token]) -> int:
    """The index after `template <...>`, 0 when there is none."""
    end = template_head(tokens) if tokens and tokens[0].text == "template" else None
    return 0 if end is None else end + 1


def is_function_template(item: Item) -> bool:
    """Whether an item that is a template is one of functions."""
    end = template_head(item.tokens)
    rest = item.tokens[end + 1 :] if end is not None else ()
    return bool(rest) and rest[0].text not in ("struct", "class", "union", "using", "template", "requires")


def example(name: str, item: Item) -> str:
    """An instance of a template as a user could name it: `scale<float, 16>`."""
    end = template_head(item.tokens) or 1
    parts = split_commas(item.tokens[2:end])
    given = ("float" if part and part[0].text in ("typename", "class") else "16" for part in parts)
    return f"{name}<{', '.join(given)}>"


def template_head(tokens: Sequence[Token]) -> int | None:
    """The index of the `>` that closes `template <...>`."""
    if len(tokens) < 2 or tokens[1].text != "<":
        return None
    depth = round_ = 0
    for i in range(1, len(tokens)):
        round_ += (tokens[i].text in OPENING) - (tokens[i].text in CLOSING)
        if round_ == 0:
            depth += (tokens[i].text == "<") - (tokens[i].text == ">") - 2 * (tokens[i].text == ">>")
            if depth <= 0:
                return i
    return None


def _tags(tokens: Sequence[Token]) -> Iterator[str]:
    for i, keyword in enumerate(tokens[:-2]):
        if keyword.kind == "name" and keyword.text in _TAGS:
            at = i + 1
            while _is_specifier_argument(tokens[at]) and tokens[at + 1].text == "(":
                at = (matching(tokens, at + 1) or at) + 1
            if tokens[at].kind == "name" and tokens[at + 1].text in ("{", ":", ";"):
                yield tokens[at].text


def _enumerators(tokens: Sequence[Token]) -> Iterator[str]:
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text == "enum":
            start = next((j for j in range(i, len(tokens)) if tokens[j].text in ("{", ";", ")")), None)
            if start is not None and tokens[start].text == "{":
                end = matching(tokens, start)
                for part in split_commas(tokens[start + 1 : end]):
                    if part and part[0].kind == "name":
                        yield part[0].text


def _declarators(tokens: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    """Names declared by a declaration without a body, and whether each is a function."""
    flat: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "operator" and token.text in ("{", "["):
            i = matching(tokens, i) or i
        elif _is_specifier_argument(token) and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            i = matching(tokens, i + 1) or i
        elif token.kind != "operator" or token.text != ";":
            flat.append(token)
        i += 1
    for number, part in enumerate(split_commas(flat)):
        equals = next((j for j, t in enumerate(part) if t.text == "=" and t.kind == "operator"), len(part))
        declarator = part[:equals]
        if number == 0 and declarator and declarator[0].text in _TAGS and len(declarator) <= 2:
            continue  # a definition or declaration of the tag alone
        found = _declarator_name(declarator)
        if found:
            yield found


def _declarator_name(part: Sequence[Token]) -> tuple[str, bool] | None:
    for i, token in enumerate(part):
        if token.text == "(" and token.kind == "operator" and not (i and _is_specifier_argument(part[i - 1])):
            inner = next((t for t in part[i + 1 :] if t.text != "*" and t.text not in ("const", "restrict")), None)
            if i + 1 < len(part) and part[i + 1].text == "*" and inner is not None and inner.kind == "name":
                return inner.text, False  # (*name)(...) or (*name)[n]
            return (part[i - 1].text, True) if i and part[i - 1].kind == "name" else None
    names = [t for t in part if t.kind == "name"]
    return (names[-1].text, False) if names else None
