"""Quotes: pieces of generated code as CUDA C with holes, read by hetad's own front end.

    CLEAR = Quote('''
        for (unsigned int k = first; k < words; k += threads) {
            ((unsigned int *)memory)[k] = 0;
        }
    ''')
    CLEAR(names, span, first=thread, words=words, threads=block_size, memory=array)

A hole is a name that the text does not declare.  What fills it tells what it is: an expression, a variable of the
caller's, a number (which a constant expression may have), a type, an operation of hetad's own for the text to call, or
statements (where the text has the name alone, as `body;`), as they are or as a function that makes them.  A name that
the text declares may be filled too: with the variable that the caller wants declared, or with the name it should have.
All others get fresh names.

What numbers decide is decided: `if (true) A else B` is `A`, and `first + 0` is `first`.

    text = Scope(names, span, real=FLOAT)
    (*text(OPENING, size=n), *text(LOOP, body=lambda: text(STEP)))

In a scope, a quote has what those before and around it declare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.simplify import simplified_body
from hetad.ir.types import Type
from hetad.ir.visit import declared, map_body, map_spans, substitute
from hetad.rules.operations import Operation

Filling = ir.Expr | ir.Symbol | int | Type | Operation | ir.Body | Callable[[], ir.Body] | str


class FreshNames(Protocol):
    """Where fresh names come from."""

    def fresh(self, wanted: str) -> str: ...


class Scope:
    """Quotes for one function, in the order of the text.  A name in them stands for one variable at a time."""

    def __init__(self, names: FreshNames, span: Span, **known: Filling) -> None:
        self._names, self._span = names, span
        self._known: dict[str, Filling] = dict(known)
        self._fresh: dict[tuple[str, str], str] = {}

    def __getitem__(self, name: str) -> ir.Var:
        """The variable that a quote before declares under this name."""
        found = self._known[name]
        assert isinstance(found, ir.Var)
        return found

    def __call__(self, quote: Quote, **holes: Filling) -> ir.Body:
        assert holes.keys() <= quote.words, holes.keys() - quote.words
        holes = {name: x for name, x in {**self._known, **holes}.items() if name in quote.words}
        body, stands_for = quote.read(holes)
        renamed: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        for x in declared(body):
            own = self._own(x, holes.get(x.name))
            renamed[x] = own
            self._known[x.name] = ir.Var(own, span=self._span)
        for name, x in stands_for.items():
            filling = holes[name]
            assert isinstance(filling, ir.Symbol | ir.Expr)
            renamed[x] = filling
        placed = simplified_body(substitute(renamed, map_spans(lambda _: self._span, body)))

        def filled(s: ir.Stmt) -> ir.Stmt | ir.Body:
            return _statements(holes[s.label]) if isinstance(s, ir.Goto) else s

        return map_body(filled, placed)

    def _own(self, x: ir.Symbol, given: Filling | None) -> ir.Symbol:
        """The variable for one that a text declares."""
        if isinstance(given, ir.Symbol):
            return given
        wanted = given if isinstance(given, str) else x.name
        if (x.name, wanted) not in self._fresh:
            self._fresh[x.name, wanted] = self._names.fresh(wanted)
        return replace(x, name=self._fresh[x.name, wanted], span=self._span)


class Quote:
    """`text`: statements of CUDA C, or one expression (of `value`)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = frozenset(re.findall(r"\w+", text))
        self._lowered: dict[tuple[object, ...], tuple[ir.Body, Mapping[str, ir.Symbol]]] = {}

    def __call__(self, names: FreshNames, span: Span, **holes: Filling) -> ir.Body:
        """The statements at a place of the user's program; `names`: of the function they go to."""
        return Scope(names, span)(self, **holes)

    def value(self, span: Span, **holes: Filling) -> ir.Expr:
        """The expression, at a place of the user's program."""
        (s,) = self(_NoNames(), span, **holes)
        assert isinstance(s, ir.Return) and s.value is not None
        return s.value

    def read(self, holes: Mapping[str, Filling]) -> tuple[ir.Body, Mapping[str, ir.Symbol]]:
        """The statements, and the variables in them that stand for the holes."""
        key = tuple((name, _kind(x)) for name, x in sorted(holes.items()))
        if key not in self._lowered:
            # The parser takes long to import, and most programs come from the cache of gradients.
            from hetad.frontend.quoted import lowered

            self._lowered[key] = lowered(self.text, self.words, holes)
        return self._lowered[key]


def _kind(x: Filling) -> object:
    """What decides how the text is read."""
    if isinstance(x, ir.Symbol | ir.Expr):
        return x.type
    return (type(x), x) if isinstance(x, int | Type | Operation) else "statements or a name"


def _statements(x: Filling) -> ir.Body:
    made = x() if callable(x) else x
    assert isinstance(made, tuple)
    return made


class _NoNames:
    def fresh(self, wanted: str) -> str:
        raise AssertionError(f"an expression declares '{wanted}'")
