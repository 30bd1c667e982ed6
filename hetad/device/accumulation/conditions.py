"""Conditions on the sizes of a launch under which more is proven, as comparisons: `s - m >= 0` as `s >= m`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hetad.analysis.accesses import Accesses
from hetad.analysis.affine import Monomial, Polynomial
from hetad.analysis.coordinates import told_by_launch
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import convert, integer
from hetad.ir.printer import expr_text
from hetad.ir.types import BOOL, LONG, Int
from hetad.ir.visit import map_expr

Leaf = Callable[[ir.Expr], ir.Expr]  # what stands for a parameter of the kernel, or an extent of the launch


def known_on_host(value: Polynomial) -> bool:
    """Whether a launch tells the value: from integers passed by value, and the sizes of grid and block."""
    return all(told_by_launch(a) for monomial in value.terms for a in monomial)


def assumed_of_launches(kernel: ir.Function) -> tuple[Polynomial, ...]:
    """What is taken to be not negative in the launches of a kernel: numbers that it compares with unsigned ones."""
    return tuple(Accesses(kernel.body, kernel.span, lambda _: ()).coordinates.assumed)


def text(conditions: tuple[Polynomial, ...], span: Span) -> str:
    """In the kernel's own words."""
    return " and ".join(_words(c) for c in comparisons(conditions, lambda e: e, span))


def _words(e: ir.Binary) -> str:
    bare = map_expr(lambda x: x.operand if isinstance(x, ir.Cast) else x, e)
    if isinstance(bare, ir.Binary) and isinstance(bare.left, ir.Const):
        return f"{expr_text(bare.right)} <= {expr_text(bare.left)}"
    return expr_text(bare)


def comparisons(conditions: Sequence[Polynomial], leaf: Leaf, span: Span) -> list[ir.Binary]:
    """Whether none of the values is negative; zero, where that is said of a value and its negative."""
    found: list[ir.Binary] = []
    for i, c in enumerate(conditions):
        if c.scaled(-1) not in conditions:
            found.append(comparison(c, leaf, span))
        elif c.scaled(-1) in conditions[i:]:
            found.append(comparison(c, leaf, span, "=="))
    return found


def comparison(value: Polynomial, leaf: Leaf, span: Span, op: str = ">=") -> ir.Binary:
    """Whether the value is not negative, or zero, in integers that are wide enough."""
    more = {m: c for m, c in value.terms.items() if c > 0}
    less = {m: -c for m, c in value.terms.items() if c < 0}
    left, right = _sum(more, leaf, span), _sum(less, leaf, span)
    if op == "==" and isinstance(right, ir.Const) and not isinstance(left, ir.Binary):
        return ir.Binary(op, left, integer(int(right.value), span, left.type), BOOL, span=span)
    simple = all(isinstance(e.type, Int) and e.type.signed and not isinstance(e, ir.Binary) for e in (left, right))
    if not simple:
        left, right = (_sum(side, lambda e: convert(leaf(e), LONG), span) for side in (more, less))
    return ir.Binary(op, _alike(left, right), _alike(right, left), BOOL, span=span)


def _alike(e: ir.Expr, other: ir.Expr) -> ir.Expr:
    """The value in the type in which it is compared with the other one."""
    assert isinstance(e.type, Int) and isinstance(other.type, Int)
    if isinstance(e, ir.Const):
        return integer(int(e.value), e.span, other.type)
    narrower = other.type.bits > e.type.bits and not isinstance(other, ir.Const)
    return convert(e, other.type) if narrower else e


def _sum(terms: dict[Monomial, int], leaf: Leaf, span: Span) -> ir.Expr:
    """The terms in the order of their text, constants last."""
    parts = sorted((_product(m, c, leaf, span) for m, c in terms.items()), key=lambda e: (_constant(e), expr_text(e)))
    total = parts[0] if parts else integer(0, span)
    for part in parts[1:]:
        total = ir.Binary("+", total, convert(part, total.type), total.type, span=span)
    return total


def _product(monomial: Monomial, coefficient: int, leaf: Leaf, span: Span) -> ir.Expr:
    factors = sorted((leaf(a) for a in monomial), key=expr_text)
    if coefficient != 1 or not factors:
        factors.append(integer(coefficient, span, factors[0].type if factors else LONG))
    product = factors[0]
    for f in factors[1:]:
        product = ir.Binary("*", product, convert(f, product.type), product.type, span=span)
    return product


def _constant(e: ir.Expr) -> bool:
    return isinstance(e, ir.Const)
