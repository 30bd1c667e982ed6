"""Comments, const, and numbers in names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hetad.adjoint.canonicalise.uses import changed, inside
from hetad.ir import nodes as ir
from hetad.ir.types import Float
from hetad.ir.visit import declared, is_compound, same_or, substitute, variables, walk_stmts


def comments(body: ir.Body, last: str | None) -> tuple[ir.Body, str | None]:
    """Without comments that repeat the one before or stand above nothing."""
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ir.Comment):
            follows = body[i + 1] if i + 1 < len(body) else None
            if s.text == last or follows is None or isinstance(follows, ir.Comment):
                continue
            if is_compound(follows) and s.text.startswith("line ") and follows.span.line != s.span.line:
                continue  # the statements within have their own
            last = s.text
        else:
            found: list[str] = []
            s = inside(lambda b, found=found: _commented(b, found), s)  # type: ignore[misc]
            last = found[-1] if found else last
        out.append(s)
    return same_or(body, tuple(out)), last


def _commented(body: ir.Body, found: list[str]) -> ir.Body:
    """A nested body, once; the text of its last comment is `found`."""
    body, last = comments(body, None)
    found += [last] if last is not None else []
    return body


def constant(body: ir.Body) -> ir.Body:
    """Synthesised variables that are set once are const."""
    return substitute({s: replace(s, const=True) for s in _constants(body)}, body)


def _constants(body: ir.Body) -> set[ir.Symbol]:
    """Those that are set once."""
    declared: Counter[ir.Symbol] = Counter()
    candidates: set[ir.Symbol] = set()
    in_headers: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            declared[s.symbol] += 1
            if s.init is not None and not s.symbol.const and isinstance(s.symbol.type, Float):
                candidates.add(s.symbol)
        elif isinstance(s, ir.For):
            in_headers.update(d.symbol for d in s.init if isinstance(d, ir.Declare))
    reassigned = {x for s in body for x in changed(s)}
    return {x for x in candidates - in_headers - reassigned if declared[x] == 1}


_NUMBERED = re.compile(r"(seed|stored|taken|trips?|most|iterations|\w+_(?:saved|kept|after))(?:_\d+)?")


def in_order(body: ir.Body, own: Iterable[ir.Symbol]) -> ir.Body:
    """The numbers in names that were made follow each other as the names appear: `seed`, `seed_2`, ….  `own`: the
    variables of the program, which keep theirs."""
    symbols = list(dict.fromkeys(declared(body)))
    theirs = {x.name for x in own}
    made = {x: match[1] for x in symbols if x.name not in theirs and (match := _NUMBERED.fullmatch(x.name))}
    taken = theirs | {x.name for x in (*symbols, *variables(body)) if x not in made}
    names: dict[str, str] = {}  # variables of several branches may be called the same
    last: dict[str, int] = {}
    for x, stem in made.items():
        while x.name not in names:
            n = last[stem] = last.get(stem, 0) + 1
            name = f"{stem}_{n}" if n > 1 else stem
            if name not in taken:
                names[x.name] = name
    return substitute({x: replace(x, name=names[x.name]) for x in made if names[x.name] != x.name}, body)
