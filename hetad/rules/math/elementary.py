"""Powers, exponentials, trigonometry, rounding remainders, selection: the functions of C's math.h and CUDA's cousins.

Conventions at kinks and poles, stated in `edges` and tested:

* A kink where the function has a minimum-norm subgradient of zero takes it: `fabs`, `hypot`, `norm3d` at 0.
* Where two arguments tie, the first one has the whole slope, as in `x >= y ? x : y`; a NaN operand, which `fmax` and
  `fmin` ignore, has none.  `fdim` at a tie has slope 0.
* A pole of the slope is infinite with its sign, or NaN where the sign has no meaning.
"""

from __future__ import annotations

from hetad.rules.row import Row, row

POWERS: tuple[tuple[Row, ...], ...] = (
    row("sqrt", "x", "0.5 / r", infinite="x", edges={"x=0": "inf", "x=inf": "0"}, domain=(0.01, 9)),
    row("rsqrt", "x", "-0.5 * (r * r * r)", infinite="x", edges={"x=0": "-inf", "x=inf": "0"}, domain=(0.01, 9)),
    row("cbrt", "x", "1 / (3 * r * r)", infinite="x", edges={"x=0": "inf", "x=-8": "0.08333333333333333"}),
    row("rcbrt", "x", "-(r * r) * (r * r) / 3", infinite="x", edges={"x=0": "-inf"}, domain=(0.1, 9)),
    # The exponent's slope at x = 0 is the limit of x^y log(x); below 0 no slope exists (x^y is real at integers only).
    row(
        "pow", "x, y", ("0 if y == 0 else y * pow(x, y - 1)", "0 if x == 0 and y >= 0 else r * log(x)"),
        infinite="x y", domain=((0.05, 4), (-3, 3)),
        edges={
            "x=0 y=0": "0 0", "x=0 y=1": "1 0", "x=0 y=2": "0 0", "x=0 y=0.5": "inf 0", "x=-2 y=3": "12 nan",
            "x=-2 y=0": "0 nan", "x=1 y=5": "5 0",
        },
        note="negative base: the slope of the exponent is NaN",
    ),
    row("__powf", "x, y", ("0 if y == 0 else y * __powf(x, y - 1)", "0 if x == 0 and y >= 0 else r * __logf(x)"),
        precision="float", infinite="x y", domain=((0.05, 4), (-3, 3)), edges={"x=0 y=0": "0 0", "x=0 y=2": "0 0"}),
    row("hypot", "x, y", ("x / r if r != 0 else 0", "y / r if r != 0 else 0"), edges={"x=0 y=0": "0 0"}),
    row("rhypot", "x, y", ("-(x * r) * r * r", "-(y * r) * r * r"), infinite="x y", edges={"x=0 y=0": "nan nan"}),
    row("norm3d", "x, y, z", tuple(f"{v} / r if r != 0 else 0" for v in "xyz"), edges={"x=0 y=0 z=0": "0 0 0"}),
    row("rnorm3d", "x, y, z", tuple(f"-({v} * r) * r * r" for v in "xyz"), infinite="x y z",
        edges={"x=0 y=0 z=0": "nan nan nan"}),
    row("norm4d", "x, y, z, w", tuple(f"{v} / r if r != 0 else 0" for v in "xyzw"),
        edges={"x=0 y=0 z=0 w=0": "0 0 0 0"}),
    row("rnorm4d", "x, y, z, w", tuple(f"-({v} * r) * r * r" for v in "xyzw"), infinite="x y z w",
        edges={"x=0 y=0 z=0 w=0": "nan nan nan nan"}),
)  # fmt: skip

EXPONENTIALS: tuple[tuple[Row, ...], ...] = (
    row("exp", "x", "r", overflow="x", edges={"x=-inf": "0", "x=inf": "inf"}),
    row("exp2", "x", "r * M_LN2", overflow="x"),
    row("exp10", "x", "r * M_LN10", overflow="x"),
    row("expm1", "x", "r + 1", overflow="x", edges={"x=0": "1"}),
    row("log", "x", "1 / x", infinite="x", edges={"x=0": "inf", "x=inf": "0"}, domain=(0.01, 9)),
    row("log2", "x", "M_LOG2E / x", infinite="x", edges={"x=0": "inf"}, domain=(0.01, 9)),
    row("log10", "x", "M_LOG10E / x", infinite="x", edges={"x=0": "inf"}, domain=(0.01, 9)),
    row("log1p", "x", "1 / (1 + x)", infinite="x", edges={"x=-1": "inf", "x=0": "1"}, domain=(-0.9, 9)),
    row("__expf", "x", "r", precision="float", overflow="x"),
    row("__exp10f", "x", "r * M_LN10", precision="float", overflow="x"),
    row("__logf", "x", "1 / x", precision="float", infinite="x", edges={"x=0": "inf"}, domain=(0.01, 9)),
    row("__log2f", "x", "M_LOG2E / x", precision="float", infinite="x", edges={"x=0": "inf"}, domain=(0.01, 9)),
    row("__log10f", "x", "M_LOG10E / x", precision="float", infinite="x", edges={"x=0": "inf"}, domain=(0.01, 9)),
)

TRIGONOMETRIC: tuple[tuple[Row, ...], ...] = (
    row("sin", "x", "cos(x)"),
    row("cos", "x", "-sin(x)"),
    row("tan", "x", "1 + r * r", domain=(-1.4, 1.4)),
    row("sinpi", "x", "M_PI * cospi(x)"),
    row("cospi", "x", "-M_PI * sinpi(x)"),
    row("asin", "x", "rsqrt((1 - x) * (1 + x))", infinite="x", edges={"x=1": "inf", "x=-1": "inf"}, domain=(-0.9, 0.9)),
    row("acos", "x", "-rsqrt((1 - x) * (1 + x))", infinite="x", edges={"x=1": "-inf", "x=-1": "-inf"},
        domain=(-0.9, 0.9)),
    row("atan", "x", "1 / (1 + x * x)", edges={"x=inf": "0"}),
    # x / (x^2 + y^2) without the squares, which would overflow and underflow; it has a derivative where y is 0
    row("atan2", "y, x", ("x / hypot(x, y) / hypot(x, y)", "-y / hypot(x, y) / hypot(x, y)"), infinite="y x",
        edges={"y=0 x=0": "nan nan", "y=0 x=2": "0.5 0", "y=2 x=0": "0 -0.5", "y=0 x=-2": "-0.5 0"}),
    row("__sinf", "x", "__cosf(x)", precision="float"),
    row("__cosf", "x", "-__sinf(x)", precision="float"),
    row("__tanf", "x", "1 + r * r", precision="float", overflow="x", domain=(-1.4, 1.4)),
)  # fmt: skip

HYPERBOLIC: tuple[tuple[Row, ...], ...] = (
    row("sinh", "x", "cosh(x)", overflow="x"),
    row("cosh", "x", "sinh(x)", overflow="x"),
    row("tanh", "x", "1 - r * r", edges={"x=inf": "0"}),
    row("asinh", "x", "rhypot(1, x)"),
    row("acosh", "x", "rsqrt(x - 1) * rsqrt(x + 1)", infinite="x", edges={"x=1": "inf"}, domain=(1.1, 9)),
    row("atanh", "x", "1 / ((1 - x) * (1 + x))", infinite="x", edges={"x=1": "inf", "x=-1": "inf"},
        domain=(-0.9, 0.9)),
    row("__tanhf", "x", "1 - r * r", precision="float"),
)  # fmt: skip

_SIGN = "copysign(1, x) if x != 0 else 0"

SELECTION: tuple[tuple[Row, ...], ...] = (
    row("fabs", "x", _SIGN, edges={"x=0": "0", "x=-0.0": "0", "x=-inf": "-1"}),
    row("fmax", "x, y", ("1 if x >= y or isnan(y) else 0", "0 if x >= y or isnan(y) else 1"),
        edges={"x=1 y=1": "1 0", "x=nan y=1": "0 1", "x=1 y=nan": "1 0", "x=inf y=1": "1 0"}),
    row("fmin", "x, y", ("1 if x <= y or isnan(y) else 0", "0 if x <= y or isnan(y) else 1"),
        edges={"x=1 y=1": "1 0", "x=nan y=1": "0 1", "x=1 y=nan": "1 0", "x=-inf y=1": "1 0"}),
    row("fdim", "x, y", ("1 if x > y else 0", "-1 if x > y else 0"), edges={"x=1 y=1": "0 0"}),
    row("copysign", "x, y", ("copysign(1, x) * copysign(1, y) if x != 0 else 0", "0"),
        edges={"x=0 y=1": "0 0", "x=2 y=-0.0": "-1 0"}),
    # (r - x) / y is minus the whole number of times that y went into x, exactly
    row("fmod", "x, y", ("1", "(r - x) / y"), infinite="y", edges={"x=7 y=2": "1 -3", "x=6 y=2": "1 -3"},
        domain=((-9, 9), (0.5, 3))),
    row("remainder", "x, y", ("1", "(r - x) / y"), infinite="y", edges={"x=7 y=2": "1 -4", "x=6 y=2": "1 -3"},
        domain=((-9, 9), (0.5, 3))),
    row("__saturatef", "x", "1 if x >= 0 and x <= 1 else 0", precision="float",
        edges={"x=0": "1", "x=1": "1", "x=nan": "0"}),
)  # fmt: skip

SCALING: tuple[tuple[Row, ...], ...] = (
    row("ldexp", "x, int n", ("ldexp(1, n)", None), overflow="x"),
    row("scalbn", "x, int n", ("scalbn(1, n)", None), overflow="x"),
    row("scalbln", "x, long n", ("scalbln(1, n)", None), overflow="x"),
    row("fdivide", "x, y", ("1 / y", "-r / y"), infinite="x y", domain=((-3, 3), (0.5, 3)),
        edges={"x=1 y=0": "inf -inf"}),
    row("fma", "x, y, z", ("y", "x", "1")),
)  # fmt: skip

ELEMENTARY = POWERS + EXPONENTIALS + TRIGONOMETRIC + HYPERBOLIC + SELECTION + SCALING
