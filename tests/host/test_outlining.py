"""What a gradient does for a call of a host function is a function again, where that only regroups text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.adjoint.inline import inline
from hetad.adjoint.options import OPTIMISATIONS
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts
from tests.corpus import cases

INLINE = set(OPTIMISATIONS) - {"outline"}
PROGRAMS = Path(__file__).parents[1] / "gradient" / "programs"
NAMES = (
    "arguments_by_value", "frees_in_loops", "grid_struct", "whole/grid_on_the_heap", "whole/lstm", "whole/multigrid",
    "whole/preconditioned_conjugate_gradients", "whole/shallow_water", "whole/v_cycles",
)  # fmt: skip

KERNELS = """
#include <cstdio>
#include <iostream>

__global__ void bend(double *v, const double *u, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] + a * u[i] * u[(i + 1) % n];
}
"""
N = 21


def functions(source: str) -> list[str]:
    """The host functions beside the entry."""
    return re.findall(r"^// (?:forward sweep|pullback) of \w+ \(line \d+\)\nstatic (?!__global__)[^(]*?(\w+)\(", source,
                      re.MULTILINE)  # fmt: skip


def equal_bits(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert np.array(value).tobytes() == np.array(second[name]).tobytes(), name


def compared(text: str, *arguments: Any, wrt: Any = "u", of: Any = "u", **options: Any) -> str:
    """The derivative, whose results are the same bits as those of one without functions."""
    results = []
    for optimize in (INLINE, True):
        f = hetad.loads(KERNELS + text)["f"]
        g = hetad.gradient(f, wrt=wrt, of=of, backend="cpu", optimize=optimize, **options)
        seeds = {of: np.random.default_rng(3).normal(size=N)} if of is not None else None
        results.append(g(*arguments, seeds=seeds) if seeds else g(*arguments))
    equal_bits(*results)
    return g.source


def vectors() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    return generator.normal(size=N), generator.normal(size=N)


@pytest.mark.parametrize("name", NAMES)
def test_same_bits_with_functions_and_without(name: str) -> None:
    problem = cases(PROGRAMS / f"{name}.cu")[0].problem
    results = []
    for optimize in (INLINE, True):
        program = hetad.load(problem.source, defines=problem.defines)
        function = program[problem.function]
        g = hetad.gradient(function, wrt=problem.wrt, of=problem.of, backend="cpu", optimize=optimize)
        arguments = problem.arguments(function.parameters)
        generator = np.random.default_rng(2)
        given = dict(zip((p.name for p in function.parameters), arguments, strict=True))
        seeds = {n: generator.normal(size=given[n].shape) for n in problem.of or ()}
        results.append(g(*arguments, seeds=seeds) if seeds else g(*arguments))
    equal_bits(*results)
    assert functions(g.source)


THREE_CALLS = """
static void advance(double *u, double *v, double a, int n, int times)
{
    for (int k = 0; k < times; k++) {
        bend<<<3, 8>>>(v, u, a, n);
        bend<<<3, 8>>>(u, v, 0.5 * a, n);
    }
}
static void cycle(double *u, double *v, int n)
{
    advance(u, v, 0.1, n, 1);
    for (int c = 0; c < 2; c++) {
        advance(u, v, 0.2, n, 3);
        advance(v, u, 0.4, n, 1);
    }
    bend<<<3, 8>>>(v, u, 0.5, n);
}
void f(double *u, double *v, int n)
{
    cycle(u, v, n);
    advance(v, u, 0.3, n, 2);
    cycle(u, v, n);
    bend<<<3, 8>>>(u, v, 0.7, n);
}
"""


def test_functions_call_functions() -> None:
    source = compared(THREE_CALLS, *vectors(), N)
    assert functions(source) == ["advance_forward", "cycle_forward", "advance_pullback", "cycle_pullback"]
    assert "static void advance_forward(double *u, double *v, double a, int n, int times)" in source
    assert "advance_forward(v, u, 0.3, n, 2);" in source


@pytest.mark.parametrize("options", [{"memory_limit": "12kB"}, {"measure": True}, {"graph": True}])
def test_functions_go_with_other_ways_to_run(options: dict[str, Any]) -> None:
    text = THREE_CALLS.replace("cycle(u, v, n);\n}", "for (int t = 0; t < 12; t++)\n        cycle(u, v, n);\n}")
    if options.pop("measure", False):
        u, v = vectors()
        g = hetad.gradient(hetad.loads(KERNELS + text)["f"], wrt="u", of="u", backend="cpu", measure=True)
        g(u, v, N, seeds={"u": np.ones(N)})
        assert "advance_forward" in functions(g.source)
        return
    assert "advance_forward" in functions(compared(text, *vectors(), N, **options))


def test_all_of_a_loop_under_a_memory_limit_is_in_the_function() -> None:
    text = THREE_CALLS.replace("cycle(u, v, n);\n}", "for (int t = 0; t < 12; t++)\n        cycle(u, v, n);\n}")
    source = compared(text, *vectors(), N, memory_limit="12kB")
    assert "advance_pullback(double *u, double *v, double a, int n, double *adj_u, double *adj_v)" in source
    assert "advance_pullback(u, v, 0.2, n, adj_u, adj_v);" in source


def test_one_value_is_returned_and_several_come_back_by_pointer() -> None:
    text = """
    static double total(const double *u, int n)
    {
        double host[32], sum = 1.0;
        cudaMemcpy(host, u, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            sum += host[i] * host[i];
        return sum;
    }
    static void both(const double *host, int n, double *sum, double *squares)
    {
        for (int i = 0; i < n; i++) {
            *sum += host[i];
            *squares += host[i] * host[i];
            *sum += *squares * host[i];
        }
    }
    void f(double *u, double *v, const double *host, int n)
    {
        double sum = 0.0, squares = 1.0;
        both(host, n, &sum, &squares);
        bend<<<3, 8>>>(v, u, sum / total(u, n), n);
        both(host + 1, n - 1, &sum, &squares);
        bend<<<3, 8>>>(u, v, squares / total(v, n), n);
        bend<<<3, 8>>>(v, u, sum / total(u, n), n);
        cudaMemcpy(u, v, n * sizeof(double), cudaMemcpyDeviceToDevice);
    }
    """
    source = compared(text, *vectors(), vectors()[1], N, wrt=("u", "host"))
    assert "static double total_forward(" in source
    assert re.search(r"static void both_forward\([^)]*double \*\w+, double \*\w+\)", source)


FOUR_STEPS = """
static void g(double *u, double *v, double x, int n)
{
    /* here */
    bend<<<3, 8>>>(v, u, 0.1 * x, n);
    bend<<<3, 8>>>(u, v, 0.2, n);
    bend<<<3, 8>>>(v, u, 0.3 * x, n);
    bend<<<3, 8>>>(u, v, 0.4, n);
}
void f(double *u, double *v, double x, int n)
{
    g(u, v, x, n);
    g(v, u, x + 1, n);
    g(u, v, x + 2, n);
}
"""
STAYS = {
    "output that hetad does not read": 'std::cout << "step " << n << std::endl;',
    "an array with values that both sweeps use": """
        double w[2] = {x * x, x - 1};
        for (int i = 0; i < 2; i++)
            x += w[i] * w[1 - i];""",
}


def test_moves() -> None:
    assert "g_forward" in functions(compared(FOUR_STEPS, *vectors(), 0.3, N, wrt=("u", "x")))


@pytest.mark.parametrize("why", STAYS)
def test_stays(why: str) -> None:
    source = compared(FOUR_STEPS.replace("/* here */", STAYS[why]), *vectors(), 0.3, N, wrt=("u", "x"))
    assert "g_forward" not in functions(source)


def test_a_few_statements_stay() -> None:
    text = """
    static void g(double *u, double *v, int n)
    {
        bend<<<3, 8>>>(v, u, 0.1, n);
    }
    void f(double *u, double *v, int n)
    {
        g(u, v, n);
        g(v, u, n);
    }
    """
    assert functions(compared(text, *vectors(), N)) == []


def test_a_variable_that_a_pointer_leads_to_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function gets its address, even of one that it only reads."""
    monkeypatch.setattr("hetad.host.outlining.outline.MOST_BY_POINTER", 9)
    text = """
    static void choose(double *first, double *second, double x, int n)
    {
        double *at = n > 20 ? first : second;
        *first = x * x;
        *second = 2 * x;
        for (int i = 0; i < 3; i++) {
            *at = *at * x + 0.1;
            *second += *first * *at;
        }
    }
    void f(double *u, double *v, double x, int n)
    {
        double a, b, c, d;
        choose(&a, &b, x, n);
        choose(&c, &d, x + 1.0, n - 1);
        bend<<<3, 8>>>(v, u, a + d, n);
        bend<<<3, 8>>>(u, v, c + b, n);
    }
    """
    source = compared(text, *vectors(), 0.3, N, wrt=("u", "x"))
    assert "choose_forward" in functions(source)
    assert "choose_pullback" in functions(source)


NESTED = """
__device__ double inner(double x)
{
    return nextafter(x, 1.0);
}
__device__ double outer(double x)
{
    return 2 * inner(x);
}
__global__ void k(double *u)
{
    u[0] = outer(u[0]);
}
"""


def test_errors_tell_from_where_a_function_was_called() -> None:
    with pytest.raises(UnsupportedError) as found:
        hetad.gradient(hetad.loads(NESTED, name="f.cu")["k"], wrt="u", of="u")
    text = str(found.value)
    assert text.splitlines()[0].startswith("f.cu:4:12: ")
    assert "  called from f.cu:8:16\n  called from f.cu:12:12" in text


def test_spans_tell_of_the_calls_that_were_inlined() -> None:
    from hetad import pipeline

    program = hetad.loads(KERNELS + THREE_CALLS)
    flat = inline(pipeline.normalized(pipeline.reach(program.unit, "f")), "f")
    launches = [s for s in walk_stmts(flat.functions["f"].body) if isinstance(s, ir.Launch)]
    chains = [[i.function for i in s.span.inlinings()] for s in launches]
    cycle = [["advance", "cycle"]] * 6 + [["cycle"]]
    assert chains == [*cycle, ["advance"], ["advance"], *cycle, []]
    assert len({i for s in launches for i in s.span.inlinings()}) == 9  # each call is another
    first, second = launches[0].span, launches[2].span
    assert first == second  # one place
    assert dict(next(second.inlinings()).arguments)["times"] == "3"
