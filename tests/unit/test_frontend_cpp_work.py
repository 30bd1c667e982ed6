"""What reading C++ costs, counted: how often Clang reads a text, and how often it is asked the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad.frontend.cpp import binding, clang, functions, source
from hetad.ir import nodes as ir

SAMPLES = Path(__file__).parents[2] / "samples"
METHODS = """
struct Line {
    double a, b;
    __device__ double at(double x) const { return a * x + b; }
};
__global__ void kernel(double *y, const double *x, Line l) { y[threadIdx.x] = l.at(x[threadIdx.x]); }
void run(double *y, const double *x) { kernel<<<1, 32>>>(y, x, Line{2.0, 3.0}); }
"""
IN_VECTORS = """
#include <vector>
double run(const double *x, int n)
{
    std::vector<double> v(n);
    for (int i = 0; i < n; i++)
        v[i] = x[i] * x[i];
    return v[n - 1];
}
"""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, clang.Unit]]:
    """The texts that Clang reads from now on, and what it makes of them; nothing is known from before."""
    monkeypatch.setenv("HETAD_KEEP", "0")
    found: list[tuple[str, clang.Unit]] = []
    parse = clang.parse

    def counted(name: str, text: str, standard: str = "c++17") -> clang.Unit:
        found.append((text, parse(name, text, standard)))
        return found[-1][1]

    monkeypatch.setattr(clang, "parse", counted)
    return found


def test_clang_reads_a_program_once(parsed: list[tuple[str, clang.Unit]]) -> None:
    """Whatever of it is asked for."""
    program = hetad.loads(METHODS, frontend="cpp")
    hetad.gradient(program["run"], wrt=["x"], of=["y"])
    hetad.gradient(program["kernel"], wrt=["x"], of=["y"])
    assert len(parsed) == 1


def test_it_reads_again_where_it_must_be_asked_of_templates(parsed: list[tuple[str, clang.Unit]]) -> None:
    """Once for all of their members: all that will be asked is foreseen."""
    program = hetad.loads(IN_VECTORS, frontend="cpp")
    hetad.gradient(program["run"], wrt=["x"])
    (first, _), (second, _) = parsed
    assert second.startswith(first)


NESTED = """
template <class E> struct Expression { __device__ const E &self() const { return static_cast<const E &>(*this); } };
struct Number : Expression<Number> {
    double v;
    __device__ Number(double v) : v(v) {}
    __device__ double value() const { return v; }
};
template <class A, class B> struct Sum : Expression<Sum<A, B>> {
    A a;
    B b;
    __device__ Sum(const A &a, const B &b) : a(a), b(b) {}
    __device__ double value() const { return a.value() * b.value() + 0.5; }
};
template <class A, class B> __device__ Sum<A, B> operator+(const Expression<A> &a, const Expression<B> &b)
{
    return Sum<A, B>(a.self(), b.self());
}
__global__ void kernel(double *y, const double *x)
{
    Number a(x[threadIdx.x]);
    y[threadIdx.x] = (%s).value();
}
void run(double *y, const double *x) { kernel<<<1, 32>>>(y, x); }
"""


@pytest.mark.parametrize("terms", [2, 6])
def test_however_many_templates_there_are(parsed: list[tuple[str, clang.Unit]], terms: int) -> None:
    """Of classes in classes, that derive from classes, all questions are asked at once: a program is read twice."""
    program = hetad.loads(NESTED % " + ".join("a" * terms), frontend="cpp")
    assert len(program.unit.reach("run").functions) >= 3 * terms
    assert len(parsed) == 2


def test_no_function_is_lowered_before_all_is_asked(
    parsed: list[tuple[str, clang.Unit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So each is lowered once."""
    lowered: Counter[str] = Counter()
    definition = functions.definition

    def counted(body: Any, name: str, cursor: clang.Cursor) -> Any:
        lowered[name] += 1
        return definition(body, name, cursor)

    monkeypatch.setattr(functions, "definition", counted)
    hetad.load(SAMPLES / "kokkos_nrm2.cu").unit.reach("nrm2")
    assert len(lowered) > 50
    assert set(lowered.values()) == {1}
    assert len(parsed) == 2


def test_the_text_of_models_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all programs that ask for the same ones."""
    monkeypatch.setenv("HETAD_KEEP", "0")
    hetad.loads(IN_VECTORS, frontend="cpp")
    laid_out: list[int] = []
    recipes = source.with_recipes

    def counted(tokens: Any, *rest: Any) -> Any:
        laid_out.append(len(tokens))
        return recipes(tokens, *rest)

    monkeypatch.setattr(source, "with_recipes", counted)
    hetad.loads(IN_VECTORS.replace("v[n - 1]", "v[0]"), frontend="cpp")
    assert len(laid_out) == 1
    assert laid_out[0] < 100


class _Counting:
    """libclang, with a count of what it is asked, by question and object; what is right in a cursor, and all that is in
    it, are two questions."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, bytes]] = Counter()
        self._library = binding.library()

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._library, name)

        def counted(*given: Any) -> Any:
            about = given[0]
            # A cursor without data says that there is nothing, in all texts the same.
            if isinstance(about, binding.RawCursor | binding.RawType) and about.data[0] and name not in _NUMBERED:
                self.asked[f"{name} {given[1] if name == 'clang_visitChildren' else ''}", bytes(about)] += 1
            return function(*given)

        return counted


_NUMBERED = {
    "clang_Cursor_getArgument", "clang_Cursor_getTemplateArgumentKind", "clang_Cursor_getTemplateArgumentType",
    "clang_Cursor_getTemplateArgumentValue", "clang_Type_getTemplateArgumentAsType",
}  # fmt: skip


def test_nothing_is_asked_twice(parsed: list[tuple[str, clang.Unit]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one cursor or type; what constant expressions and template arguments are is asked where it is needed."""
    counting = _Counting()
    monkeypatch.setattr(binding, "library", lambda: counting)
    unit = hetad.load(SAMPLES / "kokkos_nrm2.cu").unit
    assert isinstance(unit.reach("nrm2").functions["nrm2"], ir.Function)
    assert not {what: n for (what, _), n in counting.asked.items() if n > 1}
    assert len(counting.asked) > 1000
    assert len(parsed) == 2  # each with cursors of its own, which are there at once
