"""Rules that users give for device functions of their own program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hetad.diagnostics import ArgumentError, Span
from hetad.ir import nodes as ir
from hetad.ir.types import Float, Pointer
from hetad.rules.math.table import formula_slope


@dataclass(frozen=True, slots=True)
class UserRule:
    """How the adjoint of a call of `function` is taken.

    `partials`: for each parameter the slope as a formula over the parameters and the result `r`; a parameter without
    one has none.  `pullback`: the name of a device function `(parameters..., seed, adjoint pointers...)` that adds to
    the adjoints, one pointer for each floating parameter.  Neither: the function is inactive.
    """

    function: str
    partials: Mapping[str, str] = field(default_factory=dict)
    pullback: str | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return self.function, tuple(sorted(self.partials.items())), self.pullback


Rules = Mapping[str, UserRule]


def checked(rule: UserRule, function: ir.Function) -> UserRule:
    """The rule, if it fits its function.  Raises ArgumentError."""
    names = [p.name for p in function.params]
    if function.kind not in ("device", "host device") or any(isinstance(p.type, Pointer) for p in function.params):
        raise ArgumentError(f"'{function.name}': a rule can stand for a __device__ function of values only")
    if not isinstance(function.returns, Float):
        raise ArgumentError(f"'{function.name}' returns no floating value")
    for name in rule.partials:
        if name not in names:
            raise ArgumentError(f"'{function.name}' has no parameter '{name}'; it has {', '.join(names)}")
    return rule


def slope(
    rule: UserRule, function: ir.Function, index: int, args: tuple[ir.Expr, ...], result: ir.Expr, span: Span
) -> ir.Expr | None:
    """∂r/∂args[index]; None where it is zero."""
    formula = rule.partials.get(function.params[index].name)
    if formula is None:
        return None
    assert isinstance(function.returns, Float)
    variables = {p.name: a for p, a in zip(function.params, args, strict=True)} | {"r": result}
    return formula_slope(formula, variables, function.returns, span)
