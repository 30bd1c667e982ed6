"""What is added to a cell that has just been cleared is stored, unless somebody could tell."""

from __future__ import annotations

import pytest

import hetad
from hetad.adjoint.seeds import stored
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.printer import body_text
from hetad.ir.types import DOUBLE, INT, Pointer

HERE = Span("f.cu", 1, 1)
A = ir.Symbol("adj_a", Pointer(DOUBLE), HERE, "param")
B = ir.Symbol("adj_b", Pointer(DOUBLE), HERE, "param")
P = ir.Symbol("p", Pointer(DOUBLE), HERE, "param")
N, S = ir.Symbol("i", INT, HERE), ir.Symbol("s", DOUBLE, HERE)


def var(symbol: ir.Symbol) -> ir.Var:
    return ir.Var(symbol, span=HERE)


def at(pointer: ir.Symbol) -> ir.Index:
    return ir.Index(var(pointer), var(N), DOUBLE, span=HERE)


CLEAR = ir.Assign(at(A), ir.Const(0.0, DOUBLE, "0", span=HERE), span=HERE)
ADD = ir.Update("+", at(A), var(S), span=HERE)
TAKE_AWAY = ir.Update("-", at(A), var(S), span=HERE)
SEED = ir.Symbol("seed", DOUBLE, HERE, const=True)
TAKEN, PUT_BACK = ir.Declare(SEED, at(A), span=HERE), ir.Update("+", at(A), var(SEED), span=HERE)
NEXT_N = ir.Assign(var(N), ir.Const(1, INT, span=HERE), span=HERE)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ((CLEAR, ADD), "adj_a[i] = s;"),
        ((TAKEN, CLEAR, PUT_BACK), "const double seed = adj_a[i];"),
        ((TAKEN, NEXT_N, CLEAR, PUT_BACK), "const double seed = adj_a[i];\ni = 1;\nadj_a[i] = seed;"),
        ((CLEAR, TAKE_AWAY), "adj_a[i] = -s;"),
        ((CLEAR, ADD, ADD), "adj_a[i] = s;\nadj_a[i] += s;"),
        ((CLEAR, ir.Declare(S, at(P), span=HERE), ADD), "double s = p[i];\nadj_a[i] = s;"),
        ((ir.If(var(N), (CLEAR, ADD), (), span=HERE),), "if (i) {\n    adj_a[i] = s;\n}"),
    ],
)
def test_stored(body: ir.Body, expected: str) -> None:
    assert body_text(stored(body, (A, B))).strip() == expected


@pytest.mark.parametrize(
    "body",
    [
        (CLEAR, NEXT_N, ADD),  # another cell
        (CLEAR, ir.Update("+", at(B), var(S), span=HERE), ADD),  # adj_b may be the same memory
        (CLEAR, ir.Declare(S, at(A), span=HERE), ADD),  # reads what was cleared
        (CLEAR, ir.Update("+", at(A), at(B), span=HERE)),
        (CLEAR, ir.Assign(var(B), var(P), span=HERE), ADD),  # leads elsewhere from here on
        (CLEAR, ir.Call("__syncthreads", (), span=HERE), ADD),
        (CLEAR, ir.If(var(N), (ADD,), (), span=HERE)),
        (ir.Assign(at(P), ir.Const(0.0, DOUBLE, "0", span=HERE), span=HERE), ir.Update("+", at(P), var(S), span=HERE)),
    ],
)
def test_left_as_it_is(body: ir.Body) -> None:
    assert stored(body, (A, B)) is body


def test_in_place_kernels_store() -> None:
    text = "__global__ void k(double *x) { x[threadIdx.x] *= x[threadIdx.x]; }\nvoid f(double *x) { k<<<1, 9>>>(x); }\n"
    source = hetad.gradient(hetad.loads(text)["f"], wrt="x", of="x", backend="cpu").source
    assert "adj_x[threadIdx.x] = 2.0 * seed * x[threadIdx.x];" in source
    assert "adj_x[threadIdx.x] = 0;" not in source
