"""Which numbers an integer of a program may have, of those that it is given."""

from __future__ import annotations

import pytest

from hetad.analysis.known_numbers import Numbers, asked
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts
from tests.functions import expression, function

HEAD = """
struct Inner { int kind; double w; };
struct Outer { struct Inner in; int other; double *data; };
__global__ void k(struct Outer *o) { o->other = 5; }
"""


def numbers(body: str, of: str = "last") -> set[int]:
    """The numbers of what is assigned to `last`, in the end."""
    f = function(f"{HEAD} void f(int n, double *x, int *p) {{ int last; {body} x[0] = last; }}")
    (given,) = (
        s.value for s in walk_stmts(f.body)
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.target.symbol.name == of
    )  # fmt: skip
    return Numbers(f).values(given)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("int a = 1; a = 3; last = a;", {1, 3}),
        ("int a = 1; if (n) a = 2; else a = n ? 3 : 4; last = a;", {1, 2, 3, 4}),
        ("int a = n; last = a;", set()),
        ("int a = 1; a += 1; last = a;", set()),
        ("int a = 1, b = a; a = 2; last = b;", {1, 2}),
        ("struct Inner s = {4, 1.0}; last = s.kind;", {4}),
        ("struct Inner s = {4, 1.0}; struct Inner t = s; t.kind = 6; last = t.kind;", {4, 6}),
        ("struct Outer s = {{4, 1.0}, 7, x}; struct Outer t = s; last = t.in.kind;", {4}),
        ("struct Outer s = {{4, 1.0}, 7, x}; struct Outer t = s; last = t.other;", {7}),
        ("struct Outer s = {{4, 1.0}}; last = s.other;", {0}),
        ("struct Outer s[2] = {{{4, 1.0}, 7, x}, {{5, 1.0}, 8, x}}; struct Outer t = s[n]; last = t.other;", {7, 8}),
        ("int a = 1; int *q = &a; *q = 3; last = a;", set()),
        ("struct Inner s = {4, 1.0}; struct Inner *q = &s; q->kind = 5; last = s.kind;", {4, 5}),
        ("struct Inner s = {4, 1.0}; int *q = &s.kind; *q = n; last = s.kind;", set()),
        ("struct Outer *s = (struct Outer *)malloc(sizeof *s); s->other = 2; last = s->other;", {2}),
        ("struct Outer *s = (struct Outer *)malloc(sizeof *s); s->other = 2; k<<<1, 1>>>(s); last = s->other;",
         set()),
        ("struct Outer s = {{4, 1.0}, 7, x}; cudaMemcpy(&s, p, sizeof s, cudaMemcpyHostToHost); last = s.other;",
         set()),
    ],
)  # fmt: skip
def test_numbers_of_variables_and_members(body: str, found: set[int]) -> None:
    assert numbers(body) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("i == 3", (3, True)),
        ("i != 3", (3, False)),
        ("!(i == 3)", (3, False)),
        ("!i", (0, True)),
        ("i", (0, False)),
        ("(_Bool)i", (0, False)),
        ("(_Bool)(i != 2)", (2, False)),
        ("(int)(i == 3)", (3, True)),
        ("i == j", None),
        ("i < 3", None),
        ("i == 5000000000", None),
        ("i + 1 == 3", None),
        ("(short)i", None),
        ("(unsigned char)i == 3", None),
    ],
)
def test_what_is_compared_with_a_constant(text: str, found: tuple[int, bool] | None) -> None:
    e, symbols = expression(text)
    told = asked(e)
    assert (told[1:] if told is not None else None) == found
    if told is not None:
        assert isinstance(told[0], ir.Var)
        assert told[0].symbol is symbols["i"]
