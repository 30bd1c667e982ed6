"""What is kept and recalled by value (`host/again/slots.py`): programs that say so, under names that differ."""

from __future__ import annotations

import pytest

import hetad

DECLARED = """
static void hetad_push(const void *value, size_t bytes);
static void hetad_pop(void *value, size_t bytes);
"""
# Names, a loop of another kind, and a branch that was turned round; the integers that lie between are no numbers.
MIRRORED = """
double f(double x, int n)
{
    double a = x * x, s = 0.0;
    int k = 0;
    while (k < n) {
        a *= 1.5 * x;
        hetad_push(&a, 8);
        if (k % 2) {
            double b = a * a;
            hetad_push(&k, 4);
            hetad_push(&b, 8);
        } else {
            double b[2] = {x, 3.0 * x};
            hetad_push(b, 16);
        }
        k++;
    }
    for (int i = n - 1; i >= 0; --i) {
        double c[2], d = 0.0, e;
        int was;
        if (i % 2 == 0) {
            hetad_pop(c, 16);
            d = c[0] * c[1];
        } else {
            hetad_pop(&d, 8);
            hetad_pop(&was, 4);
        }
        hetad_pop(&e, 8);
        s += d * e;
    }
    return s;
}
"""
# What comes back is known as it runs.
UNLIKE = """
double f(double x, int n)
{
    double a = x * x, b = 2.0 * x, c = 0.0, d = 0.0;
    hetad_push(&b, 8);
    if (n > 2) {
        hetad_push(&a, 8);
    } else {
        hetad_push(&x, 8);
    }
    hetad_pop(&c, 8);
    hetad_pop(&d, 8);
    return c * d * x;
}
"""


@pytest.mark.parametrize("n", [0, 2, 5])
@pytest.mark.parametrize("text", [MIRRORED, UNLIKE], ids=["mirrored", "unlike"])
def test_slots(text: str, n: int, backend: str) -> None:
    function = hetad.loads(DECLARED + text, "kept.cu")["f"]
    x, h = 1.1, 1e-6
    along = hetad.jvp(function, wrt="x", backend=backend)
    high, low = (along.value_and_jvp(x + s, n, tangents={"x": 1.0})[0] for s in (h, -h))
    expected = (high - low) / (2 * h)
    assert hetad.gradient(function, wrt="x", backend=backend)(x, n)["x"] == pytest.approx(expected, rel=1e-7)
    assert along(x, n, tangents={"x": 1.0}) == pytest.approx(expected, rel=1e-7)
