"""Rules that users give for device functions of their own program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hetad.diagnostics import ArgumentError, Span
from hetad.ir import nodes as ir
from hetad.ir.printer import declarator
from hetad.ir.types import Float, Int, Pointer, Type, Void, holds_floating, of_value
from hetad.rules.math.table import formula_problem, formula_slope


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


def checked(rule: UserRule, function: ir.Function) -> None:
    """Raises ArgumentError if the rule does not fit its function."""
    names = [p.name for p in function.params]
    if function.kind not in ("device", "host device") or any(isinstance(p.type, Pointer) for p in function.params):
        raise ArgumentError(f"'{function.name}': a rule can stand for a __device__ function of values only")
    if not isinstance(function.returns, Float):
        raise ArgumentError(f"'{function.name}' returns no floating value")
    for p in function.params:
        if (rule.partials or rule.pullback) and holds_floating(p.type) and not isinstance(p.type, Float):
            raise ArgumentError(f"'{function.name}': no rule can give the derivative in '{p.name}', a '{p.type}'")
    types = {p.name: p.type for p in function.params}
    for name, formula in rule.partials.items():
        if name not in names:
            raise ArgumentError(f"'{function.name}' has no parameter '{name}'; it has {', '.join(names)}")
        if not isinstance(types[name], Float):
            raise ArgumentError(f"'{function.name}': there is no derivative in '{name}', a '{types[name]}'")
        wrong = formula_problem(formula, names)
        if wrong:
            raise ArgumentError(f"'{function.name}': in the formula '{formula}' for '{name}', {wrong}")


def checked_pullback(pullback: ir.Function, function: ir.Function) -> None:
    """Raises ArgumentError if the user's pullback does not take what a call of it gives."""
    adjoints = [(f"adj_{p.name}", Pointer(p.type)) for p in function.params if isinstance(p.type, Float)]
    wanted = [*((p.name, p.type) for p in function.params), ("seed", function.returns), *adjoints]
    given = [_passed(p.type) for p in pullback.params]
    if given != [_passed(type_) for _, type_ in wanted] or not isinstance(pullback.returns, Void):
        head = ", ".join(declarator(type_, name) for name, type_ in wanted)
        raise ArgumentError(f"{pullback.span}: write it as __device__ void {pullback.name}({head})")
    if pullback.kind not in ("device", "host device"):
        raise ArgumentError(f"{pullback.span}: '{pullback.name}' is no __device__ function")


def _passed(type_: Type) -> Type:
    """A parameter's type, as far as arguments that fit it must be of the same."""
    return replace(type_, name="") if isinstance(type_, Int) else of_value(type_)


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
