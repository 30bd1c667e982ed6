"""Comments, const, and numbers in names."""

from __future__ import annotations

import re
from dataclasses import replace

from hetad.adjoint.canonicalise.uses import changed, inside
from hetad.ir import nodes as ir
from hetad.ir.types import Float
from hetad.ir.visit import substitute, variables, walk_stmts


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
    return tuple(out), last


def _commented(body: ir.Body, found: list[str]) -> ir.Body:
    """A nested body, once; the text of its last comment is `found`."""
    body, last = comments(body, None)
    found += [last] if last is not None else []
    return body


def constants(body: ir.Body) -> ir.Body:
    """Synthesised variables that are set once are const."""
    candidates = {
        s.symbol: s.symbol
        for s in walk_stmts(body)
        if isinstance(s, ir.Declare) and s.init is not None and not s.symbol.const and isinstance(s.symbol.type, Float)
    }
    in_headers = {
        d.symbol for s in walk_stmts(body) if isinstance(s, ir.For) for d in s.init if isinstance(d, ir.Declare)
    }
    declared_once: dict[ir.Symbol, int] = {}
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            declared_once[s.symbol] = declared_once.get(s.symbol, 0) + 1
    reassigned = {x for s in body for x in changed(s)}
    fixed: dict[ir.Symbol, ir.Symbol | ir.Expr] = {
        x: replace(x, const=True)
        for x in candidates
        if x not in in_headers and declared_once[x] == 1 and x not in reassigned
    }
    return substitute(fixed, body)


_NUMBERED = re.compile(r"(seed|stored|taken|trips?|most|iterations|\w+_(?:saved|kept|after))(?:_\d+)$")


def renumber(body: ir.Body) -> ir.Body:
    """Numbers of synthesised names without the gaps that pruning left."""
    symbols = list(dict.fromkeys(s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare)))
    kept = {s.name for s in symbols if not _NUMBERED.match(s.name)} | {s.name for s in variables(body)} - {
        s.name for s in symbols
    }
    new: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
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
        if name != s.name:
            new[s] = replace(s, name=name)
    return substitute(new, body)
