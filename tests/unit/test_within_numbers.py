"""What is known of numbers where a call is proven to stay within its memory: two that look alike need not be the same,
and a number need not stay what it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.run.adaptive import AdaptiveExecutable
from hetad.run.running import Running


def ints(*numbers: int) -> Any:
    return np.array(numbers, np.int32)


COPIED_TWICE = """
#include <stdlib.h>
#include <string.h>
double f(const double *x, const int *a, int n) {
    int *h = (int *)malloc(n * sizeof(int));
    memcpy(h, a, n * sizeof(int));
    int low = h[0];
    memcpy(h, a + FROM, n * sizeof(int));
    double found = x[h[0] - low] * x[0];
    free(h);
    return found;
}"""
COUNTED = """
double f(const double *x, int n) {
    BOUND
    double s = 0;
    for (int i = 0; i < COUNT; i++) { if (i == 1) COUNT = n; s += x[i] * x[i]; }
    return s;
}"""
IN_ARRAY = COUNTED.replace("BOUND", "int count[1] = {3};").replace("COUNT", "count[0]")
IN_STRUCT = COUNTED.replace("BOUND", "struct Q { int n; } q = {3}, *p = &q;").replace("COUNT = n", "p->n = n")
IN_STRUCT = IN_STRUCT.replace("COUNT", "q.n")
STEPS = """
double f(const double *x, int n) {
    int step[1] = {1};
    double s = 0;
    for (int i = 0; i < 8; i += step[0]) { s += x[i + n] * x[i]; if (i == 2) step[0] = BY; }
    return s;
}"""
NARROWED = "double f(const double *x, int n) { return (unsigned char)n ? 1 : x[n] * x[n]; }"
WITHOUT_SIGN = """
double f(const double *x, TYPE n) {
    double s = 0;
    for (TYPE i = FIRST; COND; STEP) { s += x[i] * x[0]; }
    return s;
}"""
LAST_PAIR = (
    WITHOUT_SIGN.replace("FIRST", "0").replace("COND", "i < n - 1").replace("STEP", "i++").replace("TYPE", "size_t")
)
DOWNWARDS = WITHOUT_SIGN.replace("FIRST", "n - 1").replace("STEP", "i--").replace("TYPE", "unsigned")
BY_TWO = WITHOUT_SIGN.replace("FIRST", "n").replace("COND", "i > 1").replace("STEP", "i -= 2").replace("TYPE", "size_t")
CHOICES = """
double f(const double *x, const double *w) {
    int a = w[0] > 0 ? 1 : 0, b = w[1] > 0 ? 1 : 0;
    return x[MORE + a - b] * x[0];
}"""
CHOICE_OF_EACH = """
double f(const double *x, const double *w) {
    int a[2];
    for (int i = 0; i < 2; i++) a[i] = w[i] > 0 ? 1 : 0;
    return x[MORE + a[0] - a[1]] * x[0];
}"""
TURNED_ROUND = """
__global__ void k(double *y, const double *x) {
    int o[4] = {0, 1, 2, 3}, i = threadIdx.x & 3;
    int before = o[i];
    o[0] = 3; o[1] = 2; o[2] = 1; o[3] = 0;
    y[threadIdx.x] = x[MORE + before - o[i]] * 2;
}
void f(const double *x, double *y) { k<<<1, 8>>>(y, x); }"""

PROVEN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "a table that is copied twice": (COPIED_TWICE.replace("FROM", "0"), (np.ones(2), ints(1, 2, 7, 7), 2)),
    "a bound in an array": (IN_ARRAY.replace("count[0] = n", "n++"), (np.ones(3), 5)),
    "a step in an array": (STEPS.replace("BY", "1"), (np.ones(12), 4)),
    "downwards, above zero": (DOWNWARDS.replace("COND", "i > 0"), (np.ones(5), 5)),
    "choices": (CHOICES.replace("MORE", "1"), (np.ones(3), np.array([-1.0, 1]))),
    "a choice in each turn": (CHOICE_OF_EACH.replace("MORE", "1"), (np.ones(3), np.array([-1.0, 1]))),
    "numbers of an own array that are turned round": (TURNED_ROUND.replace("MORE", "3"), (np.ones(7), np.ones(8))),
}
NOT_PROVEN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "a table that is copied twice, from elsewhere": (
        COPIED_TWICE.replace("FROM", "n"), (np.ones(2), ints(1, 2, 7, 7), 2),
    ),
    "a bound in an array that the loop sets": (IN_ARRAY, (np.ones(3), 5)),
    "a bound in a struct that the loop sets": (IN_STRUCT, (np.ones(3), 5)),
    "a step in an array that the loop sets": (STEPS.replace("BY", "-5"), (np.ones(12), 4)),
    "part of a number that is zero": (NARROWED, (np.ones(5), 256)),
    "one less than none": (LAST_PAIR, (np.ones(3), 0)),
    "downwards, not below zero": (DOWNWARDS.replace("COND", "i >= 0"), (np.ones(5), 5)),
    "downwards, past zero": (BY_TWO.replace("i > 1", "i > 0"), (np.ones(5), 3)),
    "choices that are not the same": (CHOICES.replace("MORE", "0"), (np.ones(3), np.array([-1.0, 1]))),
    "a choice in each turn, not the same": (CHOICE_OF_EACH.replace("MORE", "0"), (np.ones(3), np.array([-1.0, 1]))),
    "numbers of an own array that are others": (TURNED_ROUND.replace("MORE", "0"), (np.ones(7), np.ones(8))),
}  # fmt: skip


def is_proven(case: tuple[str, tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Nothing runs: some would not end."""
    monkeypatch.delenv("HETAD_CPU_MODE", raising=False)
    monkeypatch.setattr(AdaptiveExecutable, "run", lambda self, progress=False: None)
    text, args = case
    function = hetad.loads(text)["f"]
    executable = function.compiled.primal_plan("cpu", Running()).executable
    assert isinstance(executable, AdaptiveExecutable)
    function(*args, backend="cpu")
    return executable.unproven is None


@pytest.mark.parametrize("case", PROVEN.values(), ids=PROVEN)
def test_what_is_known(case: tuple[str, tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_proven(case, monkeypatch)


@pytest.mark.parametrize("case", NOT_PROVEN.values(), ids=NOT_PROVEN)
def test_what_is_not_known(case: tuple[str, tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_proven(case, monkeypatch)
