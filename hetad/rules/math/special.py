"""Error, gamma, normal and Bessel functions."""

from __future__ import annotations

from hetad.rules.row import Row, row

# For large x both terms of 2 x r - 2/sqrt(pi) agree in all digits; there the asymptotic series takes over
# (DLMF 7.12.1 differentiated), whose relative truncation error at 50 is 2e-12.
_ERFCX = (
    "2 * x * r - M_2_SQRTPI if x < 50 else "
    "-M_1_SQRTPI / (x * x) * (1 - 1.5 / (x * x) * (1 - 2.5 / (x * x) * (1 - 3.5 / (x * x))))"
)

SPECIAL: tuple[tuple[Row, ...], ...] = (
    row("erf", "x", "M_2_SQRTPI * exp(-(x * x))", edges={"x=inf": "0"}),
    row("erfc", "x", "-M_2_SQRTPI * exp(-(x * x))", edges={"x=inf": "0"}),
    row("erfcx", "x", _ERFCX, overflow="x", edges={"x=1e5": "-5.6418958346e-11", "x=50": "-0.000225540563135"}),
    row("erfinv", "x", "M_SQRTPI_2 * exp(r * r)", infinite="x", edges={"x=1": "inf", "x=-1": "inf"},
        domain=(-0.9, 0.9)),
    row("erfcinv", "x", "-M_SQRTPI_2 * exp(r * r)", infinite="x", edges={"x=0": "-inf", "x=2": "-inf"},
        domain=(0.1, 1.9)),
    row("normcdf", "x", "M_1_SQRT2PI * exp(-0.5 * (x * x))", edges={"x=inf": "0"}),
    row("normcdfinv", "x", "M_SQRT2PI * exp(0.5 * (r * r))", infinite="x", edges={"x=0": "inf", "x=1": "inf"},
        domain=(0.05, 0.95)),
    row("tgamma", "x", "r * hetad_digamma(x)", infinite="x", edges={"x=1": "-0.5772156649015329"}, domain=(0.2, 6)),
    row("lgamma", "x", "hetad_digamma(x)", infinite="x", edges={"x=1": "-0.5772156649015329"}, domain=(0.2, 9)),
    # CUDA has no digamma; hetad emits its own, and its derivative, so that second derivatives of lgamma exist.
    row("hetad_digamma", "x", "hetad_trigamma(x)", infinite="x", domain=(0.2, 9), note="emitted by hetad"),
    row("j0", "x", "-j1(x)", edges={"x=0": "0"}, domain=(0.1, 9)),
    row("j1", "x", "j0(x) - (r / x if x != 0 else 0.5)", edges={"x=0": "0.5"}, domain=(0.1, 9)),
    row("jn", "int n, x", (None, "-j1(x) if n == 0 else 0.5 * (jn(n - 1, x) - jn(n + 1, x))"),
        domain=((0, 4), (0.1, 9)), edges={"n=0 x=0": "0", "n=1 x=0": "0.5", "n=2 x=0": "0"}),
    row("y0", "x", "-y1(x)", infinite="x", edges={"x=0": "inf"}, domain=(0.1, 9)),
    row("y1", "x", "y0(x) - r / x", infinite="x", edges={"x=0": "nan"}, domain=(0.1, 9)),
    row("yn", "int n, x", (None, "-y1(x) if n == 0 else 0.5 * (yn(n - 1, x) - yn(n + 1, x))"), infinite="x",
        domain=((0, 4), (0.5, 9)), edges={"n=0 x=0": "inf"}),
    row("cyl_bessel_i0", "x", "cyl_bessel_i1(x)", overflow="x", edges={"x=0": "0"}),
    row("cyl_bessel_i1", "x", "cyl_bessel_i0(x) - (r / x if x != 0 else 0.5)", overflow="x", edges={"x=0": "0.5"}),
)  # fmt: skip
