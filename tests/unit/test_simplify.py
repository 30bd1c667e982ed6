"""Simplification changes no value: expressions before and after, as compiled C computes them; what each rule does."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hetad.diagnostics import Span
from hetad.emit.dialect import C
from hetad.emit.expressions import Expressions
from hetad.emit.names import Spellings
from hetad.ir import nodes as ir
from hetad.ir.printer import expr_text
from hetad.ir.simplify import simplified
from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT, LONG, SIZE_T, UINT, Float, Int, Type, promote, promote_integer
from hetad.rules.folding import operation

CC = shutil.which("cc") or shutil.which("gcc")
HERE = Span("test", 1, 1, 1)
TYPES: tuple[Type, ...] = (INT, UINT, LONG, SIZE_T, FLOAT, DOUBLE)
PARAMS = tuple(ir.Symbol(n, t, HERE, "param") for n, t in zip("abcdefghijkl", (*TYPES, *TYPES), strict=True))
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, 3.0, float("inf"), float("-inf"), float("nan"), 1e300]
INTS = [0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63)]


def const(value: float, type_: Type, text: str | None = None) -> ir.Const:
    return ir.Const(value, type_, text, span=HERE)


def as_(e: ir.Expr, type_: Type) -> ir.Expr:
    return e if e.type == type_ else ir.Cast(e, type_, implicit=True, span=HERE)


@st.composite
def literals(draw: st.DrawFn) -> ir.Expr:
    type_ = draw(st.sampled_from(TYPES))
    if isinstance(type_, Float):
        return const(draw(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0])), type_)
    assert isinstance(type_, Int)
    least = 0 if not type_.signed else -3
    value = draw(st.integers(least, 3) | st.sampled_from([2**31 - 1, 2**30]))
    return const(value, type_, draw(st.sampled_from([None, str(value)])) if value >= 0 else None)


def grown(operands: st.SearchStrategy[ir.Expr]) -> st.SearchStrategy[ir.Expr]:
    def numbers(op: str, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        type_ = promote(a.type, b.type)
        if op == "/" and isinstance(type_, Int):
            b = const(2, type_)  # no division by zero, nor of the least number by -1
        return ir.Binary(op, as_(a, type_), as_(b, type_), type_, span=HERE)

    def compared(op: str, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        type_ = promote(a.type, b.type)
        return ir.Binary(op, as_(a, type_), as_(b, type_), BOOL, span=HERE)

    def logical(op: str, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        return ir.Binary(op, a, b, BOOL, span=HERE)

    def negative(a: ir.Expr) -> ir.Expr:
        type_ = promote_integer(a.type) if isinstance(a.type, Int) else a.type
        return ir.Unary("-", as_(a, type_), type_, span=HERE)

    def chosen(c: ir.Expr, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        type_ = promote(a.type, b.type)
        return ir.Select(c, as_(a, type_), as_(b, type_), type_, span=HERE)

    def whole(e: ir.Expr, type_: Type) -> ir.Expr:
        narrow = isinstance(e.type, Float) and isinstance(type_, Int)  # whose values C leaves open
        return ir.Cast(e, DOUBLE if narrow else type_, span=HERE)

    return st.one_of(
        st.builds(numbers, st.sampled_from("+-*/"), operands, operands),
        st.builds(numbers, st.sampled_from("+-*"), operands, literals()),
        st.builds(numbers, st.sampled_from("+-*"), literals(), operands),
        st.builds(compared, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), operands, operands),
        st.builds(logical, st.sampled_from(["&&", "||"]), operands, operands),
        st.builds(lambda a: ir.Unary("!", a, BOOL, span=HERE), operands),
        st.builds(negative, operands),
        st.builds(chosen, operands, operands, operands),
        st.builds(whole, operands, st.sampled_from(TYPES)),
    )  # fmt: skip


LEAVES = st.sampled_from([ir.Var(p, span=HERE) for p in PARAMS]) | literals()
EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=12)


def values(type_: Type) -> st.SearchStrategy[float]:
    if isinstance(type_, Float):
        return st.sampled_from(FLOATS)
    assert isinstance(type_, Int)
    half = 1 << (type_.bits - 1)
    low, high = (-half, half - 1) if type_.signed else (0, 2 * half - 1)
    return st.sampled_from([v for v in INTS if low <= v <= high])


def c_type(type_: Type) -> str:
    return "_Bool" if type_ == BOOL else str(type_)


def compiled(pairs: list[tuple[ir.Expr, ir.Expr]], folder: Path) -> ctypes.CDLL:
    function = ir.Function("f", "host", PARAMS, INT, (), HERE)
    names = Spellings(ir.Program({"f": function}))
    text = Expressions(names, names.of(function), C)
    lines = [
        f"{{ {c_type(e.type)} v = {text.text(e)}; memcpy(out + {8 * i}, &v, sizeof v); }}"
        for i, e in enumerate(e for pair in pairs for e in pair)
    ]
    params = ", ".join(f"{p.type} {p.name}" for p in PARAMS)
    source = "\n".join(["#include <string.h>", "#include <stdbool.h>", f"void f(char *out, {params}) {{", *lines, "}"])
    (folder / "f.c").write_text(source)
    # signed numbers wrap around, so that what C leaves open is the same before and after
    flags = ["-O0", "-fwrapv", "-ffp-contract=off", "-fPIC", "-shared", "-w"]
    subprocess.run([str(CC), *flags, "f.c", "-o", "f.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "f.so"))


@pytest.mark.skipif(CC is None, reason="no C compiler to compare with")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(EXPRESSIONS, min_size=5, max_size=40),
    st.lists(st.tuples(*(values(p.type) for p in PARAMS)), min_size=5, max_size=20),
)
def test_no_value_changes(
    tmp_path_factory: pytest.TempPathFactory, expressions: list[ir.Expr], inputs: list[tuple[float, ...]]
) -> None:
    pairs = [(e, simplified(e)) for e in expressions]
    assert all(e.type == new.type for e, new in pairs)
    assert all(simplified(new) == new for _, new in pairs)
    library = compiled(pairs, tmp_path_factory.mktemp("simplified"))
    out = ctypes.create_string_buffer(16 * len(pairs))
    kinds = {INT: ctypes.c_int, UINT: ctypes.c_uint, LONG: ctypes.c_long, SIZE_T: ctypes.c_size_t}
    kinds |= {FLOAT: ctypes.c_float, DOUBLE: ctypes.c_double}
    for given_ in inputs:
        library.f(out, *(kinds[p.type](v) for p, v in zip(PARAMS, given_, strict=True)))
        for i, (e, new) in enumerate(pairs):
            before, after = (number(out.raw[at : at + 8], e.type) for at in (16 * i, 16 * i + 8))
            assert before == after, f"{expr_text(e)}, {expr_text(new)}: {given_}"


def number(raw: bytes, type_: Type) -> bytes:
    """The bits of a number; all numbers that are none are one."""
    size = type_.bits // 8 if isinstance(type_, Int | Float) else 8
    if isinstance(type_, Float):
        (value,) = struct.unpack("f" if size == 4 else "d", raw[:size])
        return raw[:size] if value == value else b"nan"
    return raw[:size]


N, M, X, Y = (
    ir.Var(ir.Symbol(n, t, HERE, "param"), span=HERE) for n, t in (("n", INT), ("m", INT), ("x", DOUBLE), ("y", DOUBLE))
)


def op(o: str, a: ir.Expr, b: ir.Expr | float) -> ir.Binary:
    b = b if not isinstance(b, int | float) else const(b, a.type)
    return ir.Binary(o, a, b, BOOL if o[0] in "<>=!&|" else a.type, span=HERE)


def not_(e: ir.Expr) -> ir.Expr:
    return ir.Unary("!", e, BOOL, span=HERE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (op("+", const(0, INT), op("*", op("-", N, 1), 1)), "n - 1"),
        (op("-", op("-", N, 1), 1), "n - 2"),
        (op("-", op("+", N, 2), 2), "n"),
        (op("+", X, 0.0), "x + 0.0"),
        (op("-", X, 0.0), "x"),
        (op("-", X, -0.0), "x - -0.0"),
        (op("*", X, 0.0), "x * 0.0"),
        (op("*", N, 0), "0"),
        (op("*", X, -1.0), "-x"),
        (op("+", X, ir.Unary("-", Y, DOUBLE, span=HERE)), "x - y"),
        (op("+", op("+", X, 1.0), -1.0), "x + 1.0 - 1.0"),
        (not_(op("<", N, M)), "n >= m"),
        (not_(op("<", X, Y)), "!(x < y)"),
        (not_(op("==", X, Y)), "x != y"),
        (op("==", X, X), "x == x"),
        (op("<=", N, N), "true"),
        (op("&&", op("<", N, M), op("<", const(1, INT), 2)), "n < m"),
        (op("&&", op("<", N, M), op("<", const(2, INT), 1)), "false"),
        (op("&&", op("&&", op("<", N, M), op("<", X, Y)), op("<", N, M)), "n < m && x < y"),
        (op("||", op("<", const(1, INT), 2), op("<", N, M)), "true"),
        (op("+", const(2**31 - 1, INT), 1), "2147483647 + 1"),
        (op("*", const(64, INT, "64"), const(64, INT, "64")), "64 * 64"),
        (op("*", const(64, INT, "64"), 2), "128"),
        (ir.Select(op("<", const(1, INT), 2), X, Y, DOUBLE, span=HERE), "x"),
    ],
)
def test_rules(before: ir.Expr, after: str) -> None:
    assert expr_text(simplified(before)) == after


def test_what_is_called_stays() -> None:
    taken = ir.Intrinsic("hetad_take_int", (), INT, span=HERE)
    calls = (op("*", taken, 0), op("==", taken, taken), op("&&", taken, const(False, BOOL)))
    assert all(simplified(e) == e for e in calls)


def test_a_slope_of_zero_takes_all() -> None:
    assert operation("*", 0, X, HERE) == 0
    assert operation("+", operation("/", 0, X, HERE), Y, HERE) is Y
