"""Arithmetic with a stated rounding, fast division, conversions between float and double; functions of two results.

A rounding mode does not change the derivative: it moves the result by less than one unit in the last place.
"""

from __future__ import annotations

from hetad.rules.row import Precision, Row, row

MODES = ("rn", "rz", "ru", "rd")


def _arithmetic(letter: str, precision: Precision, *fma: str) -> list[tuple[Row, ...]]:
    rows = []
    away = ((-3.0, 3.0), (0.5, 3.0))
    for mode in MODES:
        rows += [
            row(f"__{letter}add_{mode}", "x, y", ("1", "1"), precision=precision),
            row(f"__{letter}sub_{mode}", "x, y", ("1", "-1"), precision=precision),
            row(f"__{letter}mul_{mode}", "x, y", ("y", "x"), precision=precision),
            row(f"__{letter}div_{mode}", "x, y", ("1 / y", "-r / y"), precision=precision, infinite="x y",
                domain=away, edges={"x=1 y=0": "inf -inf"}),
            row(f"__{letter}rcp_{mode}", "x", "-r * r", precision=precision, infinite="x", domain=(0.5, 3),
                edges={"x=0": "-inf"}),
            row(f"__{letter}sqrt_{mode}", "x", "0.5 / r", precision=precision, infinite="x", domain=(0.01, 9),
                edges={"x=0": "inf"}),
            *(row(f"{name}_{mode}", "x, y, z", ("y", "x", "1"), precision=precision) for name in fma),
        ]  # fmt: skip
    return rows


ROUNDED: tuple[tuple[Row, ...], ...] = (
    *_arithmetic("f", "float", "__fmaf", "__fmaf_ieee"),
    *_arithmetic("d", "double", "__fma"),
    row("__frsqrt_rn", "x", "-0.5 * (r * r * r)", precision="float", infinite="x", domain=(0.01, 9),
        edges={"x=0": "-inf"}),
    row("__fdividef", "x, y", ("1 / y", "-r / y"), precision="float", infinite="x y", domain=((-3, 3), (0.5, 3)),
        edges={"x=1 y=0": "inf -inf"}),
    row("hetad_fma_to_odd", "x, y, z", ("y", "x", "1"), precision="double"),
    *(row(f"__double2float_{mode}", "double x", "1", precision="float") for mode in MODES),
)  # fmt: skip

# Functions of several results: the pointers are outputs, and the formulas may use the stored values by name.
# A call is a statement, not an expression; `output_partial` builds the slope of one output.
TWO_RESULTS: tuple[tuple[Row, ...], ...] = (
    row("sincos", "x, real *s, real *c", ("0",), returns="void", outputs={"s": "c", "c": "-s"}),
    row("sincospi", "x, real *s, real *c", ("0",), returns="void", outputs={"s": "M_PI * c", "c": "-M_PI * s"}),
    row("__sincosf", "x, real *s, real *c", ("0",), returns="void", outputs={"s": "c", "c": "-s"}, precision="float"),
    row("modf", "x, real *whole", ("1",), outputs={"whole": "0"}, edges={"x=2": "1"},
        note="the whole part is inactive"),
    row("frexp", "x, int *e", ("ldexp(1, -e)",), overflow="x", note="the exponent is inactive"),
    row("remquo", "x, y, int *quo", ("1", "(r - x) / y"), infinite="y", domain=((-9, 9), (0.5, 3)),
        edges={"x=7 y=2": "1 -4"}, note="the quotient is inactive"),
)  # fmt: skip
