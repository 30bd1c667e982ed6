"""What libclang does not show of a loop over a range, and of the bases of classes, written out for it to resolve.

    for (const auto &e : row) { ... }

becomes, with names that are free,

    for (const auto &e : row) { { auto &&e_range = row; auto e_at = e_range.begin(); auto e_end = e_range.end();
                                  e_at != e_end; ++e_at; const auto &e = *e_at; } ... }

The front end takes the loop from these statements (`ranges.py`), and what Clang objects to in them is no error: arrays
have no `begin()`. But of a template of which Clang objects to anything it makes no instance, so that loops over arrays
in templates have an empty block, once Clang has told which these are.

    class Dense : public Layer<T> { ... };

has a name for the list of its bases, by which those of an instance are asked for (`questions.py`):

    class Dense : public Layer<T> { public: typedef __hetad_types<Layer<T>> __hetad_bases; private: ... };
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from hetad.diagnostics import Span
from hetad.frontend.cpp.named_lambdas import kept
from hetad.frontend.cpp.questions import BASES, LISTED
from hetad.frontend.tokens import Token, behind_arguments, is_operator, matching

Recipes = dict[int, list[tuple[Token, bool]]]  # what stands before tokens, and whether Clang may object to it
_HEADED = ("for", "while", "if", "switch")


def with_recipes(
    tokens: Sequence[Token], taken: Set[str] = frozenset(), arrays: Set[Span] = frozenset()
) -> tuple[list[Token], set[int]]:
    """The tokens with the statements put in, and where these are; `taken`: words that stand before them; `arrays`: the
    colons of loops that are known to be over arrays."""
    before: Recipes = {}
    names: Set[str] = set()
    for i in range(len(tokens)):
        opening = _head(tokens, i)
        if opening is not None:
            before.setdefault(opening[1] + 1, []).extend((t, True) for t in _named_bases(tokens, i, *opening))
        found = _range(tokens, i)
        if found is None:
            continue
        names = names or {t.text for t in tokens} | taken
        _put_range(tokens, i, *found, names if tokens[found[0]].span not in arrays else None, before)
    for at, statement in kept(tokens):
        before.setdefault(at, [])[:0] = [(t, True) for t in statement]
    out: list[Token] = []
    added: set[int] = set()
    for i, token in enumerate((*tokens, None)):
        for extra, is_recipe in before.get(i, ()):
            added |= {len(out)} if is_recipe else set()
            out.append(extra)
        if token is not None:
            out.append(token)
    return out, added


# --- bases ---------------------------------------------------------------------------------------


def _head(tokens: Sequence[Token], i: int) -> tuple[int, int] | None:
    """Of the head of a class with bases: where the colon before them and the brace are; None of anything else."""
    if tokens[i].text not in ("struct", "class") or (i > 0 and tokens[i - 1].text == "enum"):
        return None
    j, named = i + 1, False
    while j < len(tokens) and not is_operator(tokens, j, ":"):
        if tokens[j].text == "(" and tokens[j - 1].text in _ATTRIBUTES:
            j = (matching(tokens, j) or j) + 1
        elif tokens[j].text == "<" and named:
            j = behind_arguments(tokens, j)
        elif tokens[j].kind in ("name", "attribute") or tokens[j].text == "::":
            named = True
            j += 1
        else:
            return None
    colon, j = j, j + 1
    while j < len(tokens) and (tokens[j].kind == "name" or tokens[j].text in ("::", ",", "<", "...")):
        j = behind_arguments(tokens, j) if tokens[j].text == "<" else j + 1
    return (colon, j) if j > colon + 1 and is_operator(tokens, j, "{") else None


_ATTRIBUTES = ("alignas", "__align__", "__attribute__", "aligned")
_ACCESS = ("public", "protected", "private", "virtual")


def _named_bases(tokens: Sequence[Token], start: int, colon: int, brace: int) -> list[Token]:
    """The declaration that names the list of the bases."""
    place = tokens[brace]
    listed: list[Token] = []
    first, i = colon + 1, colon + 1
    while i <= brace:
        if tokens[i].text == "<":
            i = behind_arguments(tokens, i)
        elif tokens[i].text in (",", "{"):
            own = [t for t in tokens[first:i] if t.text not in _ACCESS]
            dependent = any(one.text == ">" and two.text == "::" for one, two in pairwise(own))
            listed += [place.spelled(",", "operator")] * bool(listed) + [place.spelled("typename")] * dependent + own
            first = i = i + 1
        else:
            i += 1
    access = "private" if tokens[start].text == "class" else "public"
    head, tail = f"public : typedef {LISTED} <", f"> {BASES} ; {access} :"
    return [*_words(place, head), *listed, *_words(place, tail)]


def _words(place: Token, text: str) -> list[Token]:
    return [place.spelled(w, "name" if w.isidentifier() else "operator") for w in text.split()]


# --- loops over ranges ---------------------------------------------------------------------------


def _put_range(
    tokens: Sequence[Token],
    i: int,
    colon: int,
    close: int,
    names: Set[str] | None,
    before: dict[int, list[tuple[Token, bool]]],
) -> None:
    """Puts the recipe of a loop into its body; without `names`, that of a loop over an array."""
    recipe = [
        (t, True) for t in (_words(tokens[colon], "{ }") if names is None else _recipe(tokens, i, colon, close, names))
    ]
    if is_operator(tokens, close + 1, "{"):
        before.setdefault(close + 2, [])[:0] = recipe
        return
    end = _end(tokens, close + 1)
    opening, closing = (tokens[colon].spelled(text, "operator") for text in "{}")
    before.setdefault(close + 1, [])[:0] = [(opening, False), *recipe]
    before.setdefault(end, [])[:0] = [(closing, False)]


def _range(tokens: Sequence[Token], i: int) -> tuple[int, int] | None:
    """Of a `for`: where the colon before its range and the closing parenthesis are; None of what is no such loop."""
    if not is_operator(tokens, i, "for") or not is_operator(tokens, i + 1, "("):
        return None
    close = matching(tokens, i + 1)
    j, choices = i + 2, 0
    while close is not None and j < close:
        if tokens[j].kind == "operator" and tokens[j].text in ("(", "[", "{"):
            j = matching(tokens, j) or close
        elif is_operator(tokens, j, ";"):
            return None
        elif is_operator(tokens, j, "?"):
            choices += 1
        elif is_operator(tokens, j, ":"):
            if not choices:
                return j, close
            choices -= 1
        j += 1
    return None


def _recipe(tokens: Sequence[Token], start: int, colon: int, close: int, names: Set[str]) -> list[Token]:
    declared, over = tokens[start + 2 : colon], list(tokens[colon + 1 : close])
    stem = declared[-1].text if declared[-1].kind == "name" else "element"
    while any(f"{stem}{suffix}" in names for suffix in _SUFFIXES):
        stem += "_"
    object_, at, end = (f"{stem}{suffix}" for suffix in _SUFFIXES)
    place = tokens[colon]

    return [
        *_words(place, f"{{ auto && {object_} ="), *over, *_words(place, f"; auto {at} = {object_} . begin ( ) ;"),
        *_words(place, f"auto {end} = {object_} . end ( ) ; {at} != {end} ; ++ {at} ;"), *declared,
        *_words(place, f"= * {at} ; }}"),
    ]  # fmt: skip


_SUFFIXES = ("_range", "_at", "_end")


def _end(tokens: Sequence[Token], i: int) -> int:
    """The index behind the statement that begins at `i`."""
    if is_operator(tokens, i, "{"):
        return (matching(tokens, i) or len(tokens)) + 1
    if tokens[i].text in _HEADED:
        i += 1
        while not is_operator(tokens, i, "("):  # `if constexpr (`
            i += 1
        i = _end(tokens, (matching(tokens, i) or len(tokens)) + 1)
        return _end(tokens, i + 1) if is_operator(tokens, i, "else") else i
    if is_operator(tokens, i, "do"):
        i = _end(tokens, i + 1)
    while i < len(tokens) and not is_operator(tokens, i, ";"):
        if tokens[i].kind == "operator" and tokens[i].text in ("(", "[", "{"):
            i = matching(tokens, i) or len(tokens)
        i += 1
    return i + 1
