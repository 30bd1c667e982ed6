"""A body as it stands elsewhere is made in one walk, which does what one walk each for places, names and expressions
would; and what is known of a function that is inlined is found once for all calls of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import hetad
from hetad.adjoint import inline
from hetad.diagnostics import HetadError, Inlined, Span
from hetad.frontend.normalize import normalize
from hetad.ir import nodes as ir
from hetad.ir.types import INT, Pointer
from hetad.ir.visit import copied, declared, map_exprs, map_spans, own_nodes, substitute, walk_stmts

PROGRAMS = sorted((Path(__file__).parents[1] / "gradient" / "programs").glob("*.cu"))
CALLED_OFTEN = """
__device__ double square(double v) {{ double w = v * v; return w; }}
__device__ double both(double v) {{ return square(v) * square(v + square(v)); }}
__global__ void kernel(double *y, const double *x)
{{
    int i = threadIdx.x;
{calls}}}
void run(double *y, const double *x) {{ kernel<<<1, 32>>>(y, x); }}
"""


def _functions(path: Path) -> list[ir.Function]:
    unit = hetad.load(path).unit
    try:
        return list(normalize(unit.reach(next(iter(unit.functions)))).functions.values())
    except HetadError:  # of files of which others make a program
        return []


def _places(body: ir.Body) -> list[tuple[Span, Inlined | None]]:
    return [(n.span, n.span.inlined) for s in walk_stmts(body) for n in (s, *own_nodes(s))]


@pytest.mark.parametrize("path", PROGRAMS[::30], ids=lambda path: path.stem)
def test_one_walk_does_what_three_do(path: Path) -> None:
    here = Inlined("f", Span("other.cu", 1, 1))

    def place(span: Span) -> Span:
        return replace(span, inlined=here)

    for function in _functions(path):
        new: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        for number, symbol in enumerate(dict.fromkeys((*function.params, *declared(function.body)))):
            other = replace(symbol, name=f"{symbol.name}_there")
            new[symbol] = ir.Index(
                ir.AddressOf(ir.Var(other, span=symbol.span), Pointer(symbol.type), span=symbol.span),
                ir.Const(0, INT, span=symbol.span), symbol.type, span=symbol.span,
            ) if symbol in function.params and number % 2 else other  # fmt: skip
        at_once = copied(function.body, place, new, inline.followed)
        one_by_one = map_exprs(inline.followed, substitute(new, map_spans(place, function.body)))
        assert at_once == one_by_one
        assert _places(at_once) == _places(one_by_one)


@pytest.mark.parametrize("times", [1, 5])
def test_a_function_is_looked_at_once_however_often_it_is_called(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    looked: Counter[int] = Counter()
    written = inline.written

    def counted(body: ir.Body) -> set[ir.Symbol]:
        looked[id(body)] += 1
        return written(body)

    calls = "".join(f"    y[{j}] = both(x[i]) + square(x[i]);\n" for j in range(times))
    program = normalize(hetad.loads(CALLED_OFTEN.format(calls=calls)).unit.reach("run"))
    monkeypatch.setattr(inline, "written", counted)
    inline.inline(program, "run")
    assert sorted(looked.values()) == [1, 1]
