"""Adjoints to which every thread adds: summed in registers, then over the block, one atomic addition each.

These are the adjoints of scalars passed by value, and of few elements that no thread index chooses, such as the weights
of a stencil.  Where blocks do not depend on each other, a block does the work of several, so that fewer sums remain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Access
from hetad.device.accumulation.accumulate import LaunchAssumptions, accesses_of, conflicts_of
from hetad.device.accumulation.increments import increment, plain
from hetad.device.draft import Draft, on_body
from hetad.device.tape.storage import LOCAL_LIMIT
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, integer, zero
from hetad.ir.identity import IdentitySet
from hetad.ir.places import base, changed_in, exposed
from hetad.ir.types import INT, UINT, Array, Pointer, size_of
from hetad.ir.visit import declared, map_body, map_exprs, variables, walk_stmts
from hetad.rules import operations

MOST = 64  # elements
_TOTALS = Quote("""
    #pragma unroll
    for (int k = 0; k < count; ++k) {
        add;
    }
""")
_BLOCKS = Quote("""
    for (unsigned int block = blockIdx.x; block < blocks; block += gridDim.x) {
        body;
    }
""")


@dataclass(frozen=True, slots=True)
class _Few:
    """The elements from `low` on of an adjoint array, with the thread's own sums of them."""

    root: ir.Symbol
    low: int
    count: int
    sums: ir.Symbol
    increments: IdentitySet[ir.Stmt]


@on_body("privatise-reductions")
def privatised(draft: Draft) -> ir.Body:
    """Few cells that all threads add to are summed in registers and over the block."""
    return with_totals(draft.body, draft.ground, draft.names) if draft.apart else draft.body


def with_totals(body: ir.Body, ground: LaunchAssumptions, names: Names) -> ir.Body:
    """With the increments of few fixed elements summed by each thread."""
    accesses = accesses_of(body, ground)
    maps = conflicts_of(accesses, ground).maps
    groups: dict[ir.Symbol, list[Access]] = {}
    for access in accesses.all:
        if access.cell is None:
            return body
        groups.setdefault(access.cell.root, []).append(access)
    found = [
        few for root, members in groups.items() if (few := _few(root, members, maps, ground, names, body)) is not None
    ]
    if found:
        k = names.symbol("k", INT, ground.span)
        for few in found:
            body = _summed(body, few, k, names)
    return body


def _few(
    root: ir.Symbol, members: list[Access], maps: AccessMaps, ground: LaunchAssumptions, names: Names, body: ir.Body
) -> _Few | None:
    if root not in ground.adjoints or not isinstance(root.type, Pointer):
        return None
    if sum(1 for x in variables(body) if x is root) > len(members):
        return None  # a seed is read between the additions
    values = []
    for access in members:
        place = access.place
        direct = isinstance(place, ir.Index) and isinstance(place.base, ir.Var) and place.base.symbol is root
        m = maps.map(access)
        if increment(access.statement) is None or not direct or m is None:
            return None
        mine = set(maps.coordinates_of(m)) - maps.threads_of(m)
        if not all(isinstance(a, ir.Var) and a.symbol in mine for t in m.offset.terms for a in t):
            return None
        values.append((m.offset, list(m.conditions)))
    lower, upper = ([c for p in bounds if (c := p.constant) is not None] for bounds in maps.domains.range(values))
    if not lower or not upper or not 0 < (count := min(upper) - max(lower) + 1) <= MOST:
        return None
    if count * size_of(root.type.to) > LOCAL_LIMIT:
        return None
    span = members[0].statement.span
    sums = names.symbol(f"{root.name}_sums", Array(root.type.to, count), span)
    return _Few(root, max(lower), count, sums, IdentitySet(s.statement for s in members))


def _summed(body: ir.Body, few: _Few, k: ir.Symbol, names: Names) -> ir.Body:
    span = k.span

    def cell(array: ir.Symbol, index: ir.Expr) -> ir.Index:
        assert isinstance(few.root.type, Pointer)
        return ir.Index(ir.Var(array, span=span), index, few.root.type.to, span=span)

    def moved(index: ir.Expr, by: int) -> ir.Expr:
        if by == 0:
            return index
        if isinstance(index, ir.Const):
            return integer(int(index.value) + by, span, index.type)
        return ir.Binary("+" if by > 0 else "-", index, integer(abs(by), span, index.type), index.type, span=span)

    def own(s: ir.Stmt) -> ir.Stmt:
        found = increment(s) if s in few.increments else None
        if found is None or not isinstance(found.place, ir.Index):
            return s
        return plain(replace(found, place=cell(few.sums, moved(found.place.index, -few.low))))

    def unrolled(s: ir.Stmt) -> ir.Stmt:
        mine = isinstance(s, ir.For) and any(x in few.increments for x in walk_stmts(s.body))
        return replace(s, unroll="", primal=None) if mine and isinstance(s, ir.For) else s

    count = ir.Var(k, span=span)
    target = address_of(cell(few.root, moved(count, few.low)))
    add = operations.block_add(target, cell(few.sums, count), span=span)
    total = _TOTALS(names, span, k=k, count=few.count, add=(add,))
    opening = ir.Declare(few.sums, zero(few.sums.type, span), span=span)
    return (opening, *map_body(own, map_body(unrolled, body)), *total)


def adds_up(s: ir.Stmt) -> bool:
    """Whether the statement adds a sum over the block."""
    return any(operations.does(x, operations.block_add) for x in walk_stmts((s,)))


def in_fewer_blocks(body: ir.Body, blocks: ir.Symbol, names: Names, span: Span) -> ir.Body | None:
    """The body of a kernel whose blocks each work for several: for every `gridDim.x`-th of `blocks` along x."""
    split = next((i for i, s in enumerate(body) if adds_up(s)), None)
    if split is None or not all(adds_up(s) for s in body[split:]):
        return None
    after = set(variables(body[split:])) - set(declared(body[split:]))
    sums = [s for s in body[:split] if isinstance(s, ir.Declare) and s.symbol in after and _starts_at_zero(s)]
    if {x for x in after if x.storage != "param"} != {s.symbol for s in sums}:
        return None
    inner = tuple(s for s in body[:split] if not any(s is d for d in sums))
    if not _starts_anew(inner, {s.symbol for s in sums}):
        return None
    block = names.symbol("block", UINT, span)

    def for_several(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.ThreadIndex) and e.axis == "x" and e.name in ("blockIdx", "gridDim"):
            return ir.Var(block if e.name == "blockIdx" else blocks, span=e.span)
        return e

    loop = _BLOCKS(names, span, block=block, blocks=blocks, body=map_exprs(for_several, inner))
    return (*sums, *loop, *body[split:])


def _starts_anew(body: ir.Body, sums: set[ir.Symbol]) -> bool:
    """Whether a second run of the body finds what the first one found: it only adds to `sums`, and its parameters
    stay."""
    if any(x.storage == "param" for x in (*changed_in(body), *exposed(body))):
        return False
    added = sum(
        1 for s in walk_stmts(body) if isinstance(s, ir.Update) and s.op in ("+", "-") and base(s.target) in sums
    )
    return added == sum(1 for x in variables(body) if x in sums)


def _starts_at_zero(s: ir.Declare) -> bool:
    return s.init is not None and s.init == zero(s.symbol.type, s.span)
