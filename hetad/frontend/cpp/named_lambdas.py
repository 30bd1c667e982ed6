"""Names behind the program for the types of lambdas that it keeps in variables.

    auto release = [](double *p) { cudaFree(p); };

is followed by a statement that ties the type to the place of the lambda, by a friend function that returns it:

    static_assert(sizeof(__hetad_keep<12, 20, decltype(release)>) > 0, "");

Behind the program `__hetad_lambda<12, 20>` is then that type, and Clang can be asked (`questions.py`) about instances
of class templates for it: `std::unique_ptr<double, decltype(release)>`.  In a template one lambda has several types,
which the place does not tell apart, so that none has a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hetad.frontend.tokens import Kind, Token, behind_arguments, is_operator, matching

TEXT = """
template<int L, int C> struct __hetad_place { friend auto __hetad_kept(__hetad_place<L, C>); };
template<int L, int C, class T> struct __hetad_keep {
    friend auto __hetad_kept(__hetad_place<L, C>) { return (T *)0; } };
template<class T> struct __hetad_followed;
template<class T> struct __hetad_followed<T *> { typedef T type; };
template<int L, int C> using __hetad_lambda =
    typename __hetad_followed<decltype(__hetad_kept(__hetad_place<L, C>()))>::type;
"""
_SPELLED = re.compile(r"\(lambda at [^()]*:(\d+):(\d+)\)")


def with_names(class_: str, token: Callable[[int, int], Token | None]) -> str:
    """Types as libclang spells them, with the names of lambdas in them; `token`: what stands at a place of the text."""

    def name(found: re.Match[str]) -> str:
        at = token(int(found[1]), int(found[2]))
        return f"__hetad_lambda<{at.line}, {at.column}>" if at is not None else found[0]

    return _SPELLED.sub(name, class_)


def kept(tokens: Sequence[Token]) -> Iterator[tuple[int, list[Token]]]:
    """The statements that keep the types, and before which token each stands."""
    found = [i for i in range(1, len(tokens) - 3) if _declares(tokens, i)]
    templates = _templates(tokens) if found else []
    for i in found:
        end = _end(tokens, i + 3)
        if end is None or any(i in places for places in templates):
            continue
        place = tokens[i + 3]
        text = f"static_assert ( sizeof ( __hetad_keep < {place.line} , {place.column} , decltype ( "
        tail = ' ) > ) > 0 , "" ) ;'
        yield end, [place.spelled(w, _kind(w)) for w in (*text.split(), tokens[i + 1].text, *tail.split())]


def _kind(word: str) -> Kind:
    return "name" if word.isidentifier() else "number" if word.isdigit() else "string" if '"' in word else "operator"


def _declares(tokens: Sequence[Token], i: int) -> bool:
    """Whether `auto name = [` stands at a place, as a statement begins."""
    if tokens[i].text != "auto" or not is_operator(tokens, i + 2, "=") or not is_operator(tokens, i + 3, "["):
        return False
    first = i
    while first > 0 and tokens[first - 1].text in ("const", "static", "constexpr"):
        first -= 1
    return tokens[i + 1].kind == "name" and (first == 0 or tokens[first - 1].text in ("{", "}", ";"))


def _end(tokens: Sequence[Token], i: int) -> int | None:
    """Behind the semicolon of a declaration."""
    while i < len(tokens) and not is_operator(tokens, i, ";"):
        if tokens[i].kind == "operator" and tokens[i].text in ("(", "[", "{"):
            i = matching(tokens, i) or len(tokens)
        i += 1
    return i + 1 if i < len(tokens) else None


def _templates(tokens: Sequence[Token]) -> list[range]:
    """Where templates stand, and lambdas and functions with parameters that are `auto`."""
    found = []
    for i, token in enumerate(tokens):
        if token.text == "template" and is_operator(tokens, i + 1, "<"):
            j = behind_arguments(tokens, i + 1)
        elif is_operator(tokens, i, "("):
            j = (matching(tokens, i) or i) + 1
            if all(t.text != "auto" for t in tokens[i:j]):
                continue
        else:
            continue
        while j < len(tokens) and tokens[j].text not in ("{", ";", ")"):
            j = (matching(tokens, j) or j) + 1 if tokens[j].text in ("(", "[") else j + 1
        if j < len(tokens) and tokens[j].text == "{":
            found.append(range(i, (matching(tokens, j) or len(tokens)) + 1))
    return found
