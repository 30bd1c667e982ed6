"""What libclang does not show of a loop over a range, written out for it to resolve.

    for (const auto &e : row) { ... }

becomes, with names that are free,

    for (const auto &e : row) { { auto &&e_range = row; auto e_at = e_range.begin(); auto e_end = e_range.end();
                                  e_at != e_end; ++e_at; const auto &e = *e_at; } ... }

The front end takes the loop from these statements (`ranges.py`), and what Clang objects to in them is no error: arrays
have no `begin()`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hetad.frontend.tokens import Token, is_operator, matching

_HEADED = ("for", "while", "if", "switch")


def with_recipes(tokens: Sequence[Token]) -> tuple[list[Token], set[int]]:
    """The tokens with the statements put in, and where these are."""
    if not any(_range(tokens, i) for i in range(len(tokens))):
        return list(tokens), set()
    names = {t.text for t in tokens}
    before: dict[int, list[tuple[Token, bool]]] = {}
    for i in range(len(tokens)):
        found = _range(tokens, i)
        if found is None:
            continue
        colon, close = found
        recipe = [(t, True) for t in _recipe(tokens, i, colon, close, names)]
        if is_operator(tokens, close + 1, "{"):
            before.setdefault(close + 2, [])[:0] = recipe
            continue
        end = _end(tokens, close + 1)
        opening, closing = (tokens[colon].spelled(text, "operator") for text in "{}")
        before.setdefault(close + 1, [])[:0] = [(opening, False), *recipe]
        before.setdefault(end, [])[:0] = [(closing, False)]
    out: list[Token] = []
    added: set[int] = set()
    for i, token in enumerate((*tokens, None)):
        for extra, is_recipe in before.get(i, ()):
            added |= {len(out)} if is_recipe else set()
            out.append(extra)
        if token is not None:
            out.append(token)
    return out, added


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


def _recipe(tokens: Sequence[Token], start: int, colon: int, close: int, names: set[str]) -> list[Token]:
    declared, over = tokens[start + 2 : colon], list(tokens[colon + 1 : close])
    stem = declared[-1].text if declared[-1].kind == "name" else "element"
    while any(f"{stem}{suffix}" in names for suffix in _SUFFIXES):
        stem += "_"
    object_, at, end = (f"{stem}{suffix}" for suffix in _SUFFIXES)
    place = tokens[colon]

    def words(text: str) -> list[Token]:
        return [place.spelled(w, "name" if w.isidentifier() else "operator") for w in text.split()]

    return [
        *words(f"{{ auto && {object_} ="), *over, *words(f"; auto {at} = {object_} . begin ( ) ;"),
        *words(f"auto {end} = {object_} . end ( ) ; {at} != {end} ; ++ {at} ;"), *declared, *words(f"= * {at} ; }}"),
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
