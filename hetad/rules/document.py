"""The table of derivatives as a document: `python -m hetad.rules.document docs/math.md`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hetad.ir.types import FLOAT, VOID
from hetad.rules import inactive, operators, refused
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math import elementary, special
from hetad.rules.math.intrinsics import ROUNDED, TWO_RESULTS
from hetad.rules.row import Row

_HEAD = """\
# Mathematical functions

This file is generated from the tables in `hetad/rules` (`python -m hetad.rules.document docs/math.md`); the tests
compare every formula with differences of the function in 40 digits, and every value in the last column with the
formula.

`r` is the function's result.  Each function also exists for float, with an `f` at the end of its name; the overloads of
C++ (`sqrt` of a float, `max` of two doubles) lead here too, chosen as nvcc chooses.

**Kinks.** Where a function has a subgradient of zero it is taken (`fabs`, `hypot` at 0).  Where two arguments of `fmax`
or `fmin` tie, the first has the whole slope, as in `x >= y ? x : y`.  A NaN argument that `fmax` ignores has none.

**Poles.** A zero adjoint gives zero, whatever the slope: where a slope can be infinite or undefined (marked ∞), or can
overflow (marked >), the derivative program has `seed == 0 ? 0 : seed * slope`, because 0 · ∞ is NaN.
"""

_MARKS = {"finite": "", "overflow": " >", "infinite": " ∞"}


def _partials(row: Row) -> str:
    lines = []
    for param, formula, slope in zip(row.inputs, row.partials, row.slopes, strict=True):
        if formula is not None and row.returns != VOID:
            lines.append(f"∂{param.name}: `{formula}`{_MARKS[slope]}")
    for output, formulas in row.output_partials.items():
        lines += [f"∂{output}/∂{p.name}: `{f}`" for p, f in zip(row.inputs, formulas, strict=True)]
    return "<br>".join(lines)


def _edges(row: Row) -> str:
    """`x=0, y=1: ∂x = 1, ∂y = 0`, one line an edge."""
    real = [p.name for p, formula in zip(row.inputs, row.partials, strict=True) if formula is not None]
    lines = []
    for where, slopes in row.edges.items():
        values = ", ".join(f"∂{name} = {value}" for name, value in zip(real, slopes.split(), strict=True))
        lines.append(f"{where.replace(' ', ', ')}: {values}")
    return "<br>".join(lines)


def _table(rows: list[Row]) -> str:
    lines = ["| function | derivative | at kinks and poles |", "|---|---|---|"]
    for row in rows:
        name = re.sub(r"_rn$", "_r{n,z,u,d}", row.name) if row.name != "__frsqrt_rn" else row.name
        params = ", ".join("*" + p.name if p.output else p.name for p in row.params)
        note = f"{_edges(row)}{'<br>' if row.edges and row.note else ''}{row.note}"
        lines.append(f"| `{name}({params})` | {_partials(row)} | {note} |")
    return "\n".join(lines) + "\n"


def _names(names: list[str]) -> str:
    """The names in order, the four rounding modes of one function as one."""
    shown = dict.fromkeys(re.sub(r"_r[nzud]$", "_r{n,z,u,d}", n) for n in names)
    return ", ".join(f"`{n}`" for n in shown)


def _operators() -> str:
    lines = ["| operation | derivative |", "|---|---|"]
    for row in operators.ROWS.values():
        over, mark = (f" / {row.divisor}", _MARKS["infinite"]) if row.divisor else ("", "")
        partials = (f"∂{a}: `{n}{over}`{mark}" for a, n in zip(row.operands, row.numerators, strict=True))
        lines.append(f"| `{row.form}` | {'<br>'.join(partials)}{', of the one that is chosen' * row.chosen} |")
    return "\n".join(lines) + "\n"


def text() -> str:
    """The whole document."""
    groups = (
        ("Powers and norms", elementary.POWERS), ("Exponentials and logarithms", elementary.EXPONENTIALS),
        ("Trigonometric functions", elementary.TRIGONOMETRIC), ("Hyperbolic functions", elementary.HYPERBOLIC),
        ("Selection, signs, remainders", elementary.SELECTION), ("Scaling and products", elementary.SCALING),
        ("Error, gamma, normal and Bessel functions", special.SPECIAL),
        ("Arithmetic with a stated rounding, fast division, narrowing", ROUNDED),
        ("Functions of two results", TWO_RESULTS),
    )  # fmt: skip
    parts = [_HEAD, f"\n## Operators\n\n{_operators()}"]
    for title, rows in groups:
        shown = [row[0] for row in rows if not re.search(r"_r[zud]$", row[0].name)]
        parts.append(f"\n## {title}\n\n{_table(shown)}")
    table = inactive.table()
    own = {p.name for text in inactive.BITS for p in inactive.prototypes(text)}
    public = {n: p for n, p in table.items() if n not in own}
    shown_inactive = [n for n, p in public.items() if not (FLOAT in (*p.params, p.returns) and n[:-1] in table)]
    parts.append(
        "\n## No derivative, deliberately\n\nTheir results are integers or piecewise constant; a derivative stops "
        f"there, as at a cast to `int`.\n\n{_names([*CLASSIFICATION, *shown_inactive])}\n"
    )
    parts.append(
        "\n## Functions of arrays\n\n`norm(n, p)`, `rnorm(n, p)` and their float twins are written out as a loop: "
        "`s = hypot(s, p[k])` from `s = 0`, so that a derivative is 0 where the norm is; at least once, as on a GPU.\n"
    )
    parts.append("\n## Refused\n\n| function | why | accepted when |\n|---|---|---|\n")
    whens = {"inactive": "no operand carries a derivative", "constant": "the operand is a constant"}
    parts += [f"| `{r.name}` | {r.reason} | {whens[r.unless]} |\n" for r in refused.table().values()]
    return "".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
