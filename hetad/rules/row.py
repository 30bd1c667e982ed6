"""The form of a rule: one row per mathematical function, its partial derivatives as formula text.

A formula is a Python expression over the row's parameters and `r`, the primal result.  It may use + - * /,
comparisons, `a if condition else b`, `and`/`or`/`not`, the constants of `CONSTANTS`, and any function that has a row or
is inactive.  What a formula mentions is what the reverse sweep needs.

A row is written for `double`; its `float` twin follows from it: name plus `f`, inner calls to float functions.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from hetad.ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    USHORT,
    VOID,
    Float,
    Pointer,
    Type,
)  # fmt: skip

Slope = Literal["finite", "overflow", "infinite"]
Precision = Literal["both", "float", "double"]

CONSTANTS: Mapping[str, float] = {
    "M_PI": math.pi,
    "M_LN2": math.log(2),
    "M_LN10": math.log(10),
    "M_LOG2E": 1 / math.log(2),
    "M_LOG10E": 1 / math.log(10),
    "M_1_SQRTPI": 1 / math.sqrt(math.pi),
    "M_2_SQRTPI": 2 / math.sqrt(math.pi),
    "M_SQRTPI_2": math.sqrt(math.pi) / 2,
    "M_SQRT2PI": math.sqrt(2 * math.pi),
    "M_1_SQRT2PI": 1 / math.sqrt(2 * math.pi),
}

#: the spelling of a type in a row
TYPES: Mapping[str, Type] = {
    "void": VOID, "bool": BOOL, "unsigned short": USHORT, "int": INT, "unsigned": UINT, "unsigned int": UINT,
    "long": LONG, "unsigned long": ULONG, "long long": LLONG, "unsigned long long": ULLONG,
    "float": FLOAT, "double": DOUBLE, "char": CHAR,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; `output` says that it is a pointer through which a result of `type` is stored."""

    name: str
    type: Type
    output: bool = False

    @property
    def passed(self) -> Type:
        return Pointer(self.type) if self.output else self.type


@dataclass(frozen=True, slots=True)
class Row:
    """One function in one precision.

    `partials` has one formula per input parameter, None where the parameter is an integer.
    `output_partials` has the same for each result stored through a pointer; there the names of the results stand for
    the stored values, as `r` stands for the returned one.
    `edges` gives arguments on the rim of the domain or at kinks, with the slopes that the formulas yield there.
    `slopes` says for each input whether the slope stays finite for finite arguments, can only overflow, or has poles
    (or is undefined) at finite arguments: in the last two cases the product seed * slope must be written
    `seed == 0 ? 0 : seed * slope`, because a zero adjoint means no dependence, and 0 * inf is NaN.
    `domain` is one interval per input, where the tests draw their points.
    """

    name: str
    params: tuple[Param, ...]
    returns: Type
    real: Float
    partials: tuple[str | None, ...]
    output_partials: Mapping[str, tuple[str | None, ...]]
    slopes: tuple[Slope, ...]
    edges: Mapping[str, str]
    domain: tuple[tuple[float, float], ...]
    note: str
    base: str  # the name of the double row that this one follows from, or its own

    @property
    def inputs(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if not p.output)

    @property
    def outputs(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if p.output)


@cache
def parse(formula: str) -> ast.expr:
    """The syntax tree of a formula."""
    return ast.parse(formula, mode="eval").body


@cache
def names(formula: str) -> frozenset[str]:
    """The variables of a formula: parameters, results and constants, not the functions it calls."""
    tree = parse(formula)
    called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n not in called)


def parse_params(text: str, real: Float) -> tuple[Param, ...]:
    """`"int n, x, real *out, const double *p"`: the type may be left out, and is then the row's real type.

    A pointer is an output, unless it points to const."""
    params = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        spelling, _, name = part.rpartition(" ")
        const = spelling.startswith("const ")
        spelling = spelling.removeprefix("const ") or "real"
        type_ = real if spelling == "real" else TYPES[spelling]
        output = name.startswith("*") and not const
        params.append(Param(name.lstrip("*"), Pointer(type_, const=True) if const else type_, output))
    return tuple(params)


Formulas = str | tuple[str | None, ...]


def row(
    name: str,
    params: str,
    partials: Formulas,
    *,
    precision: Precision = "both",
    returns: str = "real",
    outputs: Mapping[str, Formulas] | None = None,
    infinite: str = "",
    overflow: str = "",
    edges: Mapping[str, str] | None = None,
    domain: tuple[tuple[float, float], ...] | tuple[float, float] | None = None,
    note: str = "",
) -> tuple[Row, ...]:
    """The row of one function, followed by its float twin when `precision` is "both"."""
    real = FLOAT if precision == "float" else DOUBLE
    parsed = parse_params(params, real)
    inputs = tuple(p for p in parsed if not p.output)
    slopes: tuple[Slope, ...] = tuple(
        "infinite" if p.name in infinite.split() else "overflow" if p.name in overflow.split() else "finite"
        for p in inputs
    )
    intervals: tuple[tuple[float, float], ...]
    if domain is None:
        intervals = ((-3.0, 3.0),) * len(inputs)
    elif isinstance(domain[0], tuple):
        intervals = domain
    else:
        intervals = (domain,) * len(inputs)
    first = Row(
        name, parsed, real if returns == "real" else TYPES[returns], real, _tuple(partials),
        {key: _tuple(value) for key, value in (outputs or {}).items()}, slopes, edges or {}, intervals, note, name,
    )  # fmt: skip
    assert len(first.partials) == len(inputs) == len(intervals), name
    assert {*infinite.split(), *overflow.split()} <= {p.name for p in inputs}, name
    return (first, _float_twin(first)) if precision == "both" else (first,)


def _tuple(formulas: Formulas) -> tuple[str | None, ...]:
    return (formulas,) if isinstance(formulas, str) else formulas


def _float_twin(double: Row) -> Row:
    params = tuple(replace(p, type=FLOAT) if p.type == DOUBLE else p for p in double.params)
    returns = FLOAT if double.returns == DOUBLE else double.returns
    return replace(double, name=double.name + "f", params=params, returns=returns, real=FLOAT)
