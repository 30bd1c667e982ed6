"""All rows by name, and the questions the reverse engine asks about one: its partials and what they mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from hetad.diagnostics import Span
from hetad.ir.nodes import Cast, Const, Expr, Intrinsic
from hetad.ir.types import BOOL, Float, Int, Type
from hetad.rules import expanded, folding, inactive, refused
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math.elementary import ELEMENTARY
from hetad.rules.math.formula import build, problem
from hetad.rules.math.intrinsics import ROUNDED, TWO_RESULTS
from hetad.rules.math.special import SPECIAL
from hetad.rules.row import CONSTANTS, Row, Slope, names

_WITH_JUMPS = {"fmod", "remainder", "copysign"}

ROWS: Mapping[str, Row] = {row.name: row for group in (*ELEMENTARY, *SPECIAL, *ROUNDED, *TWO_RESULTS) for row in group}


def is_math(name: str) -> bool:
    """Whether the function has a row: it is differentiable."""
    return name in ROWS


def is_inactive(name: str) -> bool:
    """Whether the function is known to carry no derivative."""
    return name in CLASSIFICATION or name in inactive.table()


def refusal(name: str) -> str | None:
    """Why a call of this function on active data is refused; None when it is not."""
    row = refused.table().get(name)
    return row.reason if row else None


def slope(name: str, index: int, args: Sequence[Expr] | None = None) -> Slope:
    """Whether the partial with respect to argument `index` stays finite at finite arguments (see `Row`).

    The call's arguments, where given, sharpen the answer: x to the power of 2 has no pole, nor has a division by 3.
    """
    row = ROWS[name]
    second = folding.value_of(args[1]) if args is not None and len(args) == 2 else None
    if second is not None and index == 0:
        if row.base in ("pow", "__powf"):
            return "finite" if second in (0, 1, 2) else "overflow" if second > 1 else "infinite"
        if row.partials[0] == "1 / y":
            return "finite" if second != 0 else "infinite"
    return row.slopes[_input(row, index)]


def may_be_infinite(name: str, index: int, args: Sequence[Expr] | None = None) -> bool:
    """Whether seed * slope needs the guard `seed == 0 ? 0 : seed * slope`; `args` as for `slope`."""
    return slope(name, index, args) != "finite"


def is_stable(name: str, index: int, args: Sequence[Expr]) -> bool:
    """Whether the last bit of an argument only moves the last bits of the value, wherever that is a number.

    It may decide more at the end of a domain, as of acos and of pow with a broken exponent, on a cut, and at a jump.
    """
    row = ROWS[name]
    if row.base in _WITH_JUMPS or any(p.output for p in row.params):
        return False
    if row.base in ("pow", "__powf") and index == 0:
        exponent = folding.value_of(args[1])
        return exponent is not None and exponent >= 0 and float(exponent).is_integer()
    return slope(name, index, args) != "infinite"


def mentions(name: str, index: int) -> frozenset[str]:
    """Which parameters, by name, and `r` the partial with respect to argument `index` uses."""
    row = ROWS[name]
    return _variables(row.partials[_input(row, index)])


def output_mentions(name: str, output: str, index: int) -> frozenset[str]:
    """The same for the partial of the result stored through the parameter `output`; stored results by name."""
    row = ROWS[name]
    return _variables(row.output_partials[output][_input(row, index)] if output in row.output_partials else None)


def partial(
    name: str,
    index: int,
    args: Sequence[Expr],
    result: Expr | None,
    span: Span,
    stored: Mapping[str, Expr] | None = None,
) -> Expr | None:
    """The slope of the function's result in argument `index`; None where it is identically zero.

    `args` are the call's arguments, of the parameters' types.  `result` is the primal result; where it is None and the
    formula uses `r`, the call is repeated.  `stored` holds the results stored through pointers, by parameter name.
    """
    row = ROWS[name]
    formula = row.partials[_input(row, index)]
    return _slope(row, formula, args, result, stored or {}, span)


def output_partial(
    name: str, output: str, index: int, args: Sequence[Expr], values: Mapping[str, Expr], span: Span
) -> Expr | None:
    """The slope, in argument `index`, of the result stored through `output`.

    `args` are the inputs (the pointers may be among them, at their places); `values` the results by parameter name.
    """
    row = ROWS[name]
    formulas = row.output_partials.get(output)
    return _slope(row, formulas[_input(row, index)] if formulas else None, args, None, values, span)


def _slope(
    row: Row, formula: str | None, args: Sequence[Expr], result: Expr | None, values: Mapping[str, Expr], span: Span
) -> Expr | None:
    if formula is None:
        return None
    given = args if len(args) == len(row.inputs) else [a for a, p in zip(args, row.params, strict=True) if not p.output]
    variables = {p.name: _explicit(a) for p, a in zip(row.inputs, given, strict=True)} | dict(values)
    variables["r"] = result or Intrinsic(row.name, tuple(args), row.returns, span=span)
    slope = folding.typed(build(formula, variables, row.real, _resolve, span), row.real, span)
    return None if isinstance(slope, Const) and slope.value == 0 else slope


def formula_slope(formula: str, variables: Mapping[str, Expr], real: Float, span: Span) -> Expr | None:
    """A formula over `variables`, in precision `real`, as a user's rule gives one; None where it is zero."""
    given = {name: _explicit(e) for name, e in variables.items()}
    slope = folding.typed(build(formula, given, real, _resolve, span), real, span)
    return None if isinstance(slope, Const) and slope.value == 0 else slope


def formula_problem(formula: str, parameters: Sequence[str]) -> str | None:
    """What is wrong with a formula over these parameters and the result `r`."""
    return problem(formula, parameters, {name: _arity(name) for name in (*CLASSIFICATION, *_signatures())})


def _arity(name: str) -> int | None:
    """How many numbers the function takes in a formula; None if it stands for no number there."""
    if name in CLASSIFICATION:
        return 1
    params, returns = _signatures()[name]
    return len(params) if all(isinstance(t, Float | Int) for t in (returns, *params)) else None


def _explicit(arg: Expr) -> Expr:
    """An implicit conversion, spelled out: in a new place it might not happen by itself.  A constant is converted."""
    if not isinstance(arg, Cast):
        return arg
    value = folding.value_of(arg)
    return replace(arg, implicit=False) if value is None else Const(value, arg.type, span=arg.span)


def _input(row: Row, index: int) -> int:
    """The position among the inputs of the parameter at `index`."""
    if row.params[index].output:
        raise IndexError(f"parameter {index} of {row.name} is an output")
    return sum(not p.output for p in row.params[:index])


def _variables(formula: str | None) -> frozenset[str]:
    return frozenset() if formula is None else names(formula) - CONSTANTS.keys()


@cache
def _resolve(base: str, real: Float) -> tuple[str, tuple[Type, ...], Type]:
    """The function that a formula's call means in the precision at hand."""
    if base in CLASSIFICATION:
        return base, (real,), BOOL
    name = base + "f" if real.bits == 32 and base + "f" in _signatures() else base
    return name, *_signatures()[name]


@cache
def _signatures() -> dict[str, tuple[tuple[Type, ...], Type]]:
    """Name -> parameter and return types, of every function in the tables but the classification macros."""
    result = {row.name: (tuple(p.passed for p in row.params), row.returns) for row in ROWS.values()}
    result |= {p.name: (p.params, p.returns) for p in inactive.table().values()}
    result |= {r.name: (r.prototype.params, r.prototype.returns) for r in refused.table().values()}
    result |= {p.name: (p.params, p.returns) for p in expanded.table().values()}
    return result


def prototypes() -> Mapping[str, tuple[tuple[Type, ...], Type]]:
    """Name -> parameter and return types, of every function in the tables but the classification macros."""
    return _signatures()
