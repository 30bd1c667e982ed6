"""Quotes: generated code as CUDA C with holes."""

from __future__ import annotations

import pytest

import hetad
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer
from hetad.ir.printer import body_text, expr_text
from hetad.ir.types import CHAR, DOUBLE, FLOAT, INT, SIZE_T, UINT, Pointer
from hetad.ir.verify import verify
from hetad.ir.visit import declared, walk_exprs, walk_stmts
from hetad.rules import operations

HERE = Span("kernel.cu", 12, 5, 3)

SUM = Quote("""
    real total = 0;
    #pragma unroll
    for (int k = 0; k < count; ++k) {
        total += at[k];
        more;
    }
    if (threadIdx.x == 0)
        atomicAdd(target, total);
""")


def param(name, type_):
    return ir.Symbol(name, type_, HERE, "param")


def sums(names, real=FLOAT, more=(), count=None):
    at, target = param("p", Pointer(real)), param("q", Pointer(real))
    count = count if count is not None else integer(8, HERE)
    return SUM(names, HERE, real=real, at=at, target=ir.Var(target, span=HERE), count=count, more=more)


def test_what_is_read():
    text = body_text(sums(Names(()), more=(ir.Call("__syncthreads", (), span=HERE),)))
    assert (
        text.split()
        == """
        float total = 0;
        #pragma unroll
        for (int k = 0; k < 8; k += 1) {
            total += p[k];
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            atomicAdd(q, total);
        }""".split()
    )


def test_every_use_has_names_and_places_of_its_own():
    names = Names(("k", "total"))
    first, second = sums(names), sums(names, DOUBLE)
    assert [x.name for x in declared(first)] == ["total_2", "k_2"]
    assert [x.name for x in declared(second)] == ["total_3", "k_3"]
    assert {s.span for s in walk_stmts(first)} | {e.span for e in walk_exprs(first)} == {HERE}
    assert {x.type for x in declared(second)} == {DOUBLE, INT}
    assert set(declared(first)).isdisjoint(declared(sums(Names(()))))  # another variable under the same name


def test_expressions_keep_their_own_places():
    there = Span("kernel.cu", 40, 1, 1)
    body = sums(Names(()), count=integer(3, there))
    assert [e.span for e in walk_exprs(body) if isinstance(e, ir.Const) and e.value == 3] == [there]


def test_a_variable_that_is_handed_in_is_declared():
    total = ir.Symbol("adj_x_sum", DOUBLE, HERE)
    body = SUM(
        Names(()), HERE, real=DOUBLE, total=total, at=param("p", Pointer(DOUBLE)), count=2,
        target=param("q", Pointer(DOUBLE)), more=(),
    )  # fmt: skip
    assert next(iter(declared(body))) is total
    assert "atomicAdd(q, adj_x_sum);" in body_text(body)


def test_whole_numbers_are_constants():
    body = Quote("__shared__ real tile[rows][2 * rows + 1];")(Names(()), HERE, real=FLOAT, rows=16)
    (tile,) = declared(body)
    assert str(tile.type) == "float[33][16]" and tile.storage == "shared"


def test_what_numbers_decide_is_decided():
    step = Quote("if (apart || parts > 1) at[first + part * 16] += 1; else at[last] += parts;")
    first, last = (ir.Var(param(name, INT), span=HERE) for name in ("i", "j"))
    known = {"at": param("a", Pointer(FLOAT)), "first": first, "last": last, "part": 0, "parts": 1}
    assert body_text(step(Names(()), HERE, apart=True, **known)).strip() == "a[i] += 1.0;"
    assert body_text(step(Names(()), HERE, apart=False, **known)).strip() == "a[j] += 1.0;"
    parts = param("n", INT)
    text = body_text(step(Names(()), HERE, apart=False, **{**known, "parts": parts}))
    assert text.startswith("if (n > 1) {")


def test_a_scope_knows_what_the_text_before_and_around_declares():
    text = Scope(Names(("k",)), HERE, n=param("n", INT), at=param("a", Pointer(FLOAT)))
    start = Quote("const int start = n / 2;")
    loop = Quote("for (int k = start; k < n; ++k) { body; }")
    step = Quote("at[k] = start;")
    opening = text(start, start="middle")
    inner = [text(loop, body=lambda: text(step)) for _ in range(2)]
    assert (
        body_text((*opening, *inner[0])).split()
        == """
        const int middle = n / 2;
        for (int k_2 = middle; k_2 < n; k_2 += 1) {
            a[k_2] = float(middle);
        }""".split()
    )
    assert body_text(inner[0]) == body_text(inner[1])  # one after the other, under one name
    assert set(declared(inner[0])).isdisjoint(declared(inner[1]))
    assert text["start"].symbol.name == "middle"


def test_types_are_those_of_what_fills_a_hole():
    """And conversions are those of C."""
    copied = Quote("to[i] = from[i];")
    i = ir.Var(param("i", UINT), span=HERE)
    (s,) = copied(Names(()), HERE, to=param("a", Pointer(FLOAT)), i=i, **{"from": param("b", Pointer(INT))})
    assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Cast) and s.value.implicit
    (s,) = copied(Names(()), HERE, to=param("a", Pointer(FLOAT)), i=i, **{"from": param("b", Pointer(FLOAT))})
    assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Index)


def test_what_a_quote_says_is_valid():
    memory, size = param("memory", Pointer(CHAR)), param("bytes", SIZE_T)
    clear = Quote("for (size_t k = threadIdx.x; k < bytes / 4; k += blockDim.x) ((unsigned int *)memory)[k] = 0;")
    body = (*clear(Names(()), HERE, memory=memory, bytes=size), *sums(Names(("k",))))
    params = (memory, size, *(x for x in dict.fromkeys(e.symbol for e in walk_exprs(body) if isinstance(e, ir.Var))
                              if x.storage == "param" and x not in (memory, size)))  # fmt: skip
    kernel = ir.Function("clears", "kernel", params, hetad.ir.types.VOID, body, HERE)
    verify(ir.Program({"clears": kernel}, {}, {}, {}))


def test_operations_are_called():
    """Their operands are converted to what they take, and their results go where they are assigned to."""
    taken = Quote("""
        next(&what, first, second);
        total = swap(cell, 1);
        double old = swap(cell, total);
        total += take(cell + k);
    """)
    cell, total = param("cell", Pointer(DOUBLE)), param("total", DOUBLE)
    at = {name: param(name, Pointer(SIZE_T)) for name in ("first", "second")}
    acts = {"next": operations.next_action, "swap": operations.swap, "take": operations.take}
    body = taken(Names(()), HERE, what=param("what", INT), cell=cell, total=total, k=3, **acts, **at)
    asked, swapped, declared_, into, added = body
    assert operations.does(asked, operations.next_action)
    assert operations.does(swapped, operations.swap) and swapped.result == ir.Var(total, span=HERE)
    assert swapped.args[1] == ir.Const(1.0, DOUBLE, "1.0", span=HERE)
    assert isinstance(declared_, ir.Declare) and operations.does(into, operations.swap)
    assert isinstance(added, ir.Update) and operations.gives(added.value, operations.take)
    assert added.value.type == DOUBLE and added.span == HERE


def test_expressions():
    """A text that is an expression has a value, of the type that C gives it."""
    k, x = param("k", UINT), param("x", Pointer(DOUBLE))
    rounded = Quote("(bytes + 15) / 16 * 16").value(HERE, bytes=param("n", SIZE_T))
    assert expr_text(rounded) == "(n + 15) / 16 * 16" and rounded.type == SIZE_T
    chosen = Quote("k < 4 ? x[k] : take(x)").value(HERE, k=k, x=x, take=operations.take)
    assert isinstance(chosen, ir.Select) and chosen.type == DOUBLE and operations.gives(chosen.orelse, operations.take)
    assert {e.span for e in walk_exprs((ir.Return(chosen, span=HERE),))} == {HERE}


def test_a_cell_is_an_expression():
    cell = Quote("at[row * (size_t)rows + column]")
    at, rows, column = param("a", Pointer(FLOAT)), param("n", INT), param("j", INT)
    assert expr_text(cell.value(HERE, at=at, row=2, rows=rows, column=column)) == "a[2 * (size_t)n + size_t(j)]"
    assert isinstance(cell.value(HERE, at=at, row=0, rows=rows, column=column), ir.Index)


def test_truth_is_no_number():
    said = Quote("x = holds;")
    x = param("x", INT)
    assert body_text(said(Names(()), HERE, x=x, holds=1)) != body_text(said(Names(()), HERE, x=x, holds=True))


def test_a_hole_that_nothing_fills_is_unknown():
    with pytest.raises(hetad.HetadError, match="count"):
        SUM(Names(()), HERE, real=FLOAT, at=param("p", Pointer(FLOAT)), target=param("q", Pointer(FLOAT)), more=())
