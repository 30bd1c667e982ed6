"""Comments, const, and numbers in names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hetad.adjoint.canonicalise.uses import changed, inside
from hetad.ir import nodes as ir
from hetad.ir.types import Float
from hetad.ir.visit import same_or, substitute, variables, walk_stmts


def comments(body: ir.Body, last: str | None) -> tuple[ir.Body, str | None]:
    """Without comments that repeat the one before or stand above nothing."""
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ir.Comment):
            follows = body[i + 1] if i + 1 < len(body) else None
            if s.text == last or follows is None or isinstance(follows, ir.Comment):
                continue
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


def renamed(body: ir.Body) -> ir.Body:
    """Synthesised variables that are set once are const, and the numbers in their names have no gaps where pruning
    took some."""
    symbols = list(dict.fromkeys(s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare)))
    new: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    constants, names = _constants(body), _numbered_on(body, symbols)
    for s in symbols:
        name, const = names.get(s, s.name), s.const or s in constants
        if name != s.name or const != s.const:
            new[s] = replace(s, name=name, const=const)
    return substitute(new, body)


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


_NUMBERED = re.compile(r"(seed|stored|taken|trips?|most|iterations|\w+_(?:saved|kept|after))(?:_\d+)$")


def _numbered_on(body: ir.Body, symbols: Sequence[ir.Symbol]) -> dict[ir.Symbol, str]:
    """Names for the symbols, which the body declares, whose numbers follow each other."""
    kept = {s.name for s in symbols if not _NUMBERED.match(s.name)} | {s.name for s in variables(body)} - {
        s.name for s in symbols
    }
    names: dict[ir.Symbol, str] = {}
    last: dict[str, int] = {}  # the number taken last of each name
    for s in symbols:
        match = _NUMBERED.match(s.name)
        if match is None:
            continue
        n = last.get(match[1], 1)
        name = match[1] if n == 1 else f"{match[1]}_{n}"
        while name in kept:
            n += 1
            name = f"{match[1]}_{n}"
        last[match[1]] = n
        kept.add(name)
        names[s] = name
    return names
