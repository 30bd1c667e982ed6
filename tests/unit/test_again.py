"""Calls that are like the one before (run/again.py) give what other calls give, and what is not like it is seen."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hetad
from hetad.gradients import Gradient

SOURCE = """
struct pair { double a; double b; };
__global__ void scale(int n, double a, struct pair p, const double *x, float f, const float *w, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = y[i] * x[i] * a + (w != 0 ? w[i] * f : f) * p.a + p.b * x[i] * x[i];
}
double run(int n, double a, struct pair p, const double *x, float f, const float *w, double *y)
{
    scale<<<(n + 31) / 32, 32>>>(n, a, p, x, f, w, y);
    return a * a;
}
__global__ void waves(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sin(a * x[i]);
}
double total(int n, double a, const double *x, double *y)
{
    waves<<<(n + 31) / 32, 32>>>(n, a, x, y);
    return a * a * a;
}
"""
WRT = ("a", "x", "y")


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(SOURCE)


def waves(program: hetad.Program) -> Gradient:
    return hetad.gradient(program["total"], wrt=("a", "x"), of="y", backend="cpu")


def expected(a: float, x: Any, seed: Any) -> tuple[float, Any]:
    return float((seed * np.cos(a * x) * x).sum()), seed * np.cos(a * x) * a


CALLS = st.lists(
    st.tuples(
        st.sampled_from(["gradient", "execute", "primal", "short", "seedless"]),
        st.sampled_from([1, 5, 33]),
        st.sampled_from(["new", "same", "read-only", "strided", "matrix", "list"]),
        st.sampled_from([0.5, 2, np.float64(1.5)]),
    ),
    min_size=2, max_size=8,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(CALLS)
def test_sequences(program: hetad.Program, calls: list[tuple[str, int, str, Any]]) -> None:
    g, rng, kept = waves(program), np.random.default_rng(5), np.empty(0)
    for what, n, how, a in calls:
        x = kept if how == "same" and kept.size == n else rng.standard_normal(n)
        kept = x
        seed = rng.standard_normal(n)
        given: Any = x
        if how == "read-only":
            given = x.copy()
            given.flags.writeable = False
        elif how == "strided":
            seed = rng.standard_normal(2 * n)[::2]
        elif how == "matrix":
            given = x.reshape(n, 1)
        elif how == "list":
            given = x.tolist()
        y = np.zeros(n)
        da, dx = expected(float(a), x, seed)
        if what == "primal":
            program["total"](n, a, given, y, backend="cpu")
            np.testing.assert_allclose(y, np.sin(a * x))
        elif what == "short":
            with pytest.raises(hetad.HetadError):
                g(n + 40, a, given, y, seeds={"y": seed})
        elif what == "seedless":
            with pytest.raises(hetad.ArgumentError):
                g(n, a, given, y)
        elif what == "execute":
            adjoints = [np.ascontiguousarray(seed), np.zeros(1), np.zeros(n)]
            g.execute(n, a, given, y, *adjoints)
            np.testing.assert_allclose(adjoints[1], da, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(adjoints[2], dx)
        elif how == "strided" and n > 1:
            with pytest.raises(hetad.ArgumentError, match="C-contiguous"):
                g(n, a, given, y, seeds={"y": seed})
        else:
            before = np.array(given)
            found = g(n, a, given, y, seeds={"y": seed})
            np.testing.assert_allclose(found["a"], da, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(np.ravel(found["x"]), dx)
            assert np.shape(found["x"]) == np.shape(given)
            np.testing.assert_array_equal(given, before)


def test_results_are_of_one_call(program: hetad.Program) -> None:
    g, x, y = waves(program), np.linspace(0.1, 1, 7), np.zeros(7)
    found = [g(7, 0.3 * k, x, y, seeds={"y": np.full(7, k + 1.0)}) for k in range(4)]
    for k, one in enumerate(found):
        da, dx = expected(0.3 * k, x, np.full(7, k + 1.0))
        assert isinstance(one["a"], float)
        assert one["a"] == pytest.approx(da)
        np.testing.assert_allclose(one["x"], dx)


def test_seed_of_the_return_value(program: hetad.Program) -> None:
    g = hetad.gradient(program["total"], wrt="a", backend="cpu")
    x, y = np.ones(4), np.zeros(4)
    given: list[Any] = [None, {"return": 2.0}, {"return": 2.0}, None, {}]
    found = [g(4, 0.5, x, y, seeds=seeds)["a"] for seeds in given]
    np.testing.assert_allclose(found, [0.75, 1.5, 1.5, 0.75, 0.75])


def test_structs_and_arrays_that_are_not_there(program: hetad.Program) -> None:
    g = hetad.gradient(program["run"], wrt=("a", "p", "x", "f", "y"), of="y", backend="cpu")
    rng = np.random.default_rng(1)
    x, y, seed, w = (rng.standard_normal(9) for _ in range(4))
    for weights, f, b in [(None, 0.5, 1.0), (None, 0.25, 1.0), (None, 0.25, 3.0), (w.astype(np.float32), 0.25, 3.0)]:
        p = {"a": 2.0, "b": b}
        found = g(9, 1.5, p, x, f, weights, y, seeds={"y": seed})
        factor = 1.0 if weights is None else weights
        assert found["f"] == pytest.approx(float((seed * factor * 2.0).sum()), rel=1e-5)
        assert found["p"]["b"] == pytest.approx(float((seed * x * x).sum()))
        np.testing.assert_allclose(found["x"], seed * (y * 1.5 + 2 * b * x))
    with pytest.raises(hetad.ArgumentError):
        g(9, 1.5, p, x, 1e39, None, y, seeds={"y": seed})


def test_arrays_that_share_memory(program: hetad.Program) -> None:
    both = np.linspace(0.1, 1, 20)
    function = program["total"]
    function(10, 0.5, both[:10], both[10:], backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="share memory"):
        function(10, 0.5, both[:10], both[5:15], backend="cpu")
    g = waves(program)
    x, y, adjoints = np.ones(6), np.zeros(6), np.ones((2, 6))
    one = np.zeros(1)
    g.execute(6, 0.5, x, y, adjoints[0], one, adjoints[1])
    with pytest.raises(hetad.ArgumentError, match="share memory"):
        g.execute(6, 0.5, x, y, adjoints[0], one, adjoints[0])


def test_no_array_is_kept(program: hetad.Program) -> None:
    g = waves(program)
    for checked in (None, True):
        other = hetad.gradient(program["total"], wrt=("a", "x"), of="y", backend="cpu", checked=checked)
        for call in (g, other):
            for _ in range(3):
                x, seed = np.ones(8), np.ones(8)
                result = call(8, 0.5, x, np.zeros(8), seeds={"y": seed})
                known = [weakref.ref(x), weakref.ref(seed), weakref.ref(result["x"])]
                del x, seed, result
                gc.collect()
                assert [ref() for ref in known] == [None] * 3


def test_an_array_that_is_changed_in_place(program: hetad.Program) -> None:
    g, seed = waves(program), np.ones(8)
    x = np.linspace(0, 1, 8)
    for _ in range(2):
        g(8, 0.5, x, np.zeros(8), seeds={"y": seed})
    x.flags.writeable = False
    np.testing.assert_allclose(g(8, 0.5, x, np.zeros(8), seeds={"y": seed})["x"], expected(0.5, x, seed)[1])
    shaped = x.reshape(2, 4)
    assert g(8, 0.5, shaped, np.zeros(8), seeds={"y": seed})["x"].shape == (2, 4)


def test_kernels_with_other_launches(program: hetad.Program) -> None:
    g = hetad.gradient(program["waves"], wrt="x", of="y", backend="cpu")
    x, seed = np.linspace(0.1, 1, 40), np.arange(1.0, 41.0)
    for blocks in (5, 2, 2, 5, 5, 1):
        found = g(40, 0.5, x, np.zeros(40), seeds={"y": seed}, grid=blocks, block=8)["x"]
        reached = np.arange(40) < 8 * blocks
        np.testing.assert_allclose(found, np.where(reached, expected(0.5, x, seed)[1], 0))
        with pytest.raises(hetad.HetadError):
            g(40, 0.5, x, np.zeros(40), seeds={"y": seed}, grid=blocks, block=8, stream=1)
