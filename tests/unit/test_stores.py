"""What a store may change of what is known of memory."""

from __future__ import annotations

import pytest

from hetad.analysis.known import Address, Cell, Known
from hetad.analysis.linear import Linear
from hetad.analysis.stores import Kinds, changes, clobber
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import LONG, Pointer
from tests.functions import function

HERE = Span("f.cu", 1, 1)
MEMORY, OTHER, VARIABLE = (ir.Symbol(name, Pointer(LONG), HERE) for name in ("memory", "other", "variable"))


def known() -> Known:
    cells: dict[Cell, Linear | Address] = {(VARIABLE, ()): Linear(1)}
    for x in (MEMORY, OTHER):
        cells |= {(x, (0, 4)): Linear(1), (x, (8, 8)): Linear(2), (x, (16, 8)): Address(OTHER, Linear(0))}
    return cells


@pytest.mark.parametrize(
    ("changed", "gone"),
    [
        (None, {0, 8, 16}),
        (frozenset([4]), {0}),
        (frozenset([8]), {8}),
        (frozenset(["pointer"]), {16}),
        (frozenset(), set()),
    ],
)
def test_a_store_takes_what_may_be_of_its_kind(changed: Kinds, gone: set[int]) -> None:
    everywhere, here = known(), known()
    clobber(everywhere, changed)
    clobber(here, changed, [MEMORY])
    assert {c for c in known() if c not in everywhere} == {
        (x, (n, 8 if n else 4)) for x in (MEMORY, OTHER) for n in gone
    }
    assert {c for c in known() if c not in here} == {(MEMORY, (n, 8 if n else 4)) for n in gone}


HEAD = """
struct Pair { int whole; double real; };
union Both { int whole; double real; };
__global__ void other(int *p) { p[0] = 1; }
__global__ void k(int *p, long long *q, short *s, double *x, unsigned char *bytes, int **table, struct Pair *pairs,
                  union Both *both, int n)
{ int own[4]; int i = threadIdx.x; BODY }
"""


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("p[i] = n;", {4}),
        ("q[i] += n;", {8}),
        ("s[i] = 1; q[i] = 2;", {2, 8}),
        ("x[i] = n;", set()),
        ("bytes[i] = n;", None),
        ("table[i] = p;", {"pointer"}),
        ("pairs[i] = pairs[n];", {4}),
        ("both[i] = both[n];", None),
        ("own[i % 4] = n;", {4}),
        ("i = n;", set()),
        ("atomicAdd(p, 1);", {4}),
        ("atomicAdd(x, 1.0);", set()),
        ("i = atomicAdd((unsigned long long *)q, 1ull);", {8}),
        ("p[0] = atomicAdd((unsigned long long *)q, 1ull);", {4, 8}),
        ("double t; x[0] = frexp(x[1], p);", {4}),
        ("__syncthreads();", set()),
        ("i = __shfl_sync(~0u, i, 0);", set()),
        ("if (n) for (int j = 0; j < n; j++) p[j] = 0;", {4}),
    ],
)
def test_what_a_body_may_change(body: str, changed: set[int | str] | None) -> None:
    found = changes(function(HEAD.replace("BODY", body), "k").body)
    assert found == changed


def test_what_a_launch_or_a_call_changes_nobody_knows() -> None:
    text = HEAD.replace("BODY", "") + "void f(int *p) { other<<<1, 1>>>(p); } void h(int *p) { cudaMemset(p, 0, 4); }"
    assert changes(function(text).body) is None
    assert changes(function(text, "h").body) is None
