"""Facts that only a launch tells, tested there in front of two versions of its pullback."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from hetad.analysis.affine import Polynomial
from hetad.analysis.no_alias import NoAlias
from hetad.analysis.pointers import PointsTo
from hetad.device.accumulation.axes import extent_along
from hetad.device.accumulation.conditions import comparisons
from hetad.device.generated import Pullback
from hetad.diagnostics import Span
from hetad.host.kernels.extents import Extents, number_along
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import number
from hetad.ir.build import binary, convert, integer
from hetad.ir.printer import body_text
from hetad.ir.simplify import conjunction, simplest
from hetad.ir.types import Pointer
from hetad.rules import operations


def memory_apart(
    kernel: ir.Function, s: ir.Launch, merged: tuple[tuple[str, ...], ...], pointers: PointsTo, no_alias: NoAlias
) -> ir.Expr | None:
    """Whether the pointers of each group, which may reach the same memory, do not this time: the buffers of a loop that
    swaps them.  None where some always do."""
    given = {p.name: arg for p, arg in zip(kernel.params, s.args, strict=True) if isinstance(p.type, Pointer)}
    pairs = [pair for group in merged for pair in combinations(group, 2)]
    if not pairs or not all(name in given for pair in pairs for name in pair):
        return None
    if any(
        pointers.targets(given[a]) == pointers.targets(given[b]) and len(pointers.targets(given[a])) == 1
        for a, b in pairs
    ):
        return None
    doubtful = [(given[a], given[b]) for a, b in pairs if not no_alias.apart(s, given[a], given[b])]
    tests = [operations.apart(a, b, span=s.span) for a, b in doubtful]
    return conjunction([binary("!=", t, integer(0, s.span)) for t in tests])


def alike(a: Pullback, b: Pullback) -> bool:
    """Whether two versions are one."""

    def text(made: Pullback) -> list[str]:
        return [body_text(f.body) for f in made.functions()] + [str(p) for f in made.functions() for p in f.params]

    return text(a) == text(b)


def holds(
    conditions: Sequence[Polynomial],
    params: Sequence[ir.Symbol],
    narrow: ir.Launch,
    extents: Extents,
) -> ir.Expr | bool:
    """Whether all of them are not negative in the launch of a kernel with these parameters, if the text tells.
    `extents`: the values of variables that hold grids and blocks."""
    given = dict(zip(params, narrow.args, strict=True))

    def leaf(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.ThreadIndex):
            found = extent_along(narrow.block if e.name == "blockDim" else narrow.grid, e.axis)
        else:
            assert isinstance(e, ir.Var)
            found = convert(given[e.symbol], e.type)
        told = number_along(found, "x", extents)
        return integer(told, e.span) if told is not None else found

    compared = [simplest(c) for c in comparisons(conditions, leaf, narrow.span)]
    if False in map(number, compared):
        return False
    return all(map(number, compared)) or conjunction(compared)


def either(condition: ir.Expr | bool, then: list[ir.Stmt], orelse: list[ir.Stmt], span: Span) -> list[ir.Stmt]:
    if isinstance(condition, bool):
        return then if condition else orelse
    return [ir.If(condition, tuple(then), tuple(orelse), span=span)]
