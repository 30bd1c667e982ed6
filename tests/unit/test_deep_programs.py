"""Programs as generators write them: nested by hundreds, sums and chains of thousands; and no exception but hetad's."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.deep import deep
from hetad.diagnostics import HetadError, InternalError, UnsupportedError, ours
from tests.corpus import header

PROGRAMS = sorted((Path(__file__).parents[1] / "gradient" / "programs").glob("*.cu"))


def kernel(statement: str, before: str = "") -> str:
    return f"{before}\n__global__ void k(float *y, const float *x) {{\n{statement}\n}}\n"


LARGE = {
    "parentheses": kernel("y[0] = " + "(" * 1500 + "x[0]" + ")" * 1500 + ";"),
    "braces": kernel("{" * 1500 + "y[0] = x[0];" + "}" * 1500),
    "sum": kernel("y[0] = x[0]" + " + x[0]" * 3000 + ";"),
    "unary": kernel("y[0] = " + "- " * 2000 + "x[0];"),
    "else-if": kernel(
        "if (x[0] > 3) y[0] = x[0];" + "".join(f"else if (x[0] > {-i}) y[0] = x[0];" for i in range(1000))
    ),
    "choice": kernel("y[0] = " + "x[0] > 4 ? x[0] : " * 800 + "x[0];"),
    "macros": kernel("y[0] = M799;", "#define M0 x[0]\n" + "".join(f"#define M{i} M{i - 1}\n" for i in range(1, 800))),
    "calls": kernel(
        "y[0] = f299(x[0]);",
        "__device__ float f0(float v) { return v; }\n"
        + "".join(f"__device__ float f{i}(float v) {{ return f{i - 1}(v); }}\n" for i in range(1, 300)),
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_programs_are_read(name: str) -> None:
    before = sys.getrecursionlimit()
    assert hetad.loads(LARGE[name])["k"].definition.name == "k"
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    ("statement", "derivative"),
    [
        ("y[0] = " + "(" * 600 + "x[0] * x[0]" + ")" * 600 + ";", 4.0),
        ("{" * 600 + "y[0] = x[0] * x[0];" + "}" * 600, 4.0),
        ("y[0] = x[0] * x[0]" + " + x[0]" * 150 + ";", 154.0),
        ("y[0] = " + "- " * 400 + "x[0];", 1.0),
    ],
)
def test_their_gradients(statement: str, derivative: float) -> None:
    for optimize in (True, False):
        gradient = hetad.gradient(hetad.loads(kernel(statement))["k"], "x", "y", "cpu", optimize=optimize)
        x, y = np.full(1, 2, np.float32), np.zeros(1, np.float32)
        assert gradient(y, x, seeds={"y": np.ones(1, np.float32)}, grid=1, block=1)["x"][0] == derivative


def test_depth_ends_somewhere() -> None:
    @deep
    def endless(n: int) -> int:
        return endless.__wrapped__(n + 1) + 1  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(UnsupportedError, match="nests more deeply"):
        endless(0)


def test_deep_work_raises_what_it_raises_and_runs_once_at_a_time() -> None:
    @deep
    def depth(n: int) -> int:
        if n < 0:
            raise KeyError(n)
        return 1 + depth.__wrapped__(n - 1) if n else 0  # type: ignore[attr-defined, no-any-return]

    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(depth(5000))) for _ in range(4)]
    before = sys.getrecursionlimit()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [5000] * 4
    assert sys.getrecursionlimit() == before
    with pytest.raises(KeyError):
        depth(-1)


BESIDE = """
import sys, threading
from hetad.deep import deep

high, low, over = threading.Event(), threading.Event(), threading.Event()

@deep
def first(n):
    if n == 0:
        high.set()
        assert low.wait(60)
    return 1 + first.__wrapped__(n - 1) if n else 0

@deep
def second(n):
    if n == 1000:
        low.set()
        assert over.wait(60)
    return 1 + second.__wrapped__(n - 1) if n else 0

def run():
    first(5000)
    over.set()

before = sys.getrecursionlimit()
threads = [threading.Thread(target=run), threading.Thread(target=lambda: high.wait(60) and print(second(4000)))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sys.getrecursionlimit() == before
"""


def test_a_thread_may_be_deep_when_another_is_done() -> None:
    """In a process of its own, which would end."""
    done = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "4000"), done.stderr


# --- only errors of hetad's own -------------------------------------------------------------------

RUN = "void run(double *x) {{ {} }}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("double run(double x) { return x * " + "9" * 10000 + "; }", "fits no integer type"),
        ("double run(double x) { return x * 1.2.3; }", "cannot read"),
        ("double run(double x) { return x * 0x1.8; }", "cannot read"),
        ("double run(double x) { int a[2000000000] = {[1999999999] = 1}; return x; }", "initial values"),
        ("__global__ void rows(float (*b)[3], const float (*a)[rows]) { b[0][0] = a[0][0]; }", "refers to itself"),
        ('#include "a\0b"', "zero byte"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(HetadError, match=message):
        next(iter(hetad.loads(text).values()))


def test_a_long_list_is_not_given_to_clang() -> None:
    text = "double run(double x) { int a[2000000000] = {[1999999999] = 1}; return x; }"
    with pytest.raises(UnsupportedError, match="initial values"):
        next(iter(hetad.loads(text, frontend="cpp").values()))


def test_a_device_is_no_header() -> None:
    program = hetad.loads('#include "/dev/zero"\ndouble run(double x) { return n * x; }')
    with pytest.raises(HetadError, match='not found: "/dev/zero"'):
        program["run"]


def test_large_numbers_and_arrays() -> None:
    text = "__constant__ double c[0x80000000] = {1.5};\ndouble run(double x) { return x < 0x1p99999 ? x : 0; }"
    assert hetad.loads(text)["run"](2.0, backend="cpu") == 2.0


def test_a_template_that_is_refused_is_refused_again() -> None:
    program = hetad.loads(
        "template <typename T> void fill(T *x) { std::valarray<T> v(3); x[0] = v[0]; }\n"
        "void a(float *x) { fill<float>(x); }\nvoid b(float *x) { fill<float>(x); }"
    )
    for name in "aba":
        with pytest.raises(UnsupportedError, match="C\\+\\+"):
            program[name]


@pytest.mark.parametrize(
    "body",
    [
        "double *p[3] = {x, }; if (p[1] == 0) p[0][0] *= 2;",
        "double a[2][2] = {{1}, {2, 3}}; x[0] *= a[1][1];",
        "double a[3] = {[2] = x[0]}; x[0] *= a[2];",
        "struct P { double v[2]; int n; } p = {{x[0], 2}, 1}; x[0] = p.v[0] * p.v[1];",
        "struct P { double v[2]; } p[2] = {{{1, x[0]}}, {}}; x[0] = p[0].v[1] + p[1].v[0];",
        "double s = 0; for (double a[2] = {x[0], 2}; s < 3; s += 2) x[0] *= a[1];",
        "double v = x[0] > 0 ? double{x[0]} : double{}; x[0] = v * v;",
        "int n{3}; double a[] = {x[0], x[1]}; x[0] = a[n - 2];",
        "static const double t[2][2] = {{1, 2}, {}}; x[0] *= t[0][1];",
        "double a[2] = {}; x[0] *= a[0];",
        "int m[4] = {1, 2}; x[m[0]] = x[0];",
        "dim3 g = {1}, b{2, 1}; x[0] *= g.x * b.x;",
    ],
)
def test_lists_of_initial_values(body: str) -> None:
    program = hetad.loads(RUN.format(body))
    try:
        hetad.gradient(program["run"], "x", "x", "cpu")(np.array([1.5, 2.5]), seeds={"x": np.ones(2)})
    except InternalError:
        raise
    except HetadError as refusal:
        if getattr(refusal, "span", None) is None:
            raise


def test_a_mistake_of_hetads_own_says_so() -> None:
    with pytest.raises(InternalError, match="internal error: KeyError: 'x'"), ours(None):
        raise KeyError("x")


@pytest.mark.parametrize("seed", range(60))
def test_damaged_programs(seed: int) -> None:
    """Programs with tokens taken out, doubled or exchanged are read, or refused with an error for the user."""
    numbers = random.Random(seed)
    path = numbers.choice(PROGRAMS)
    text = path.read_text()
    start = text.index("---*/")
    tokens = re.findall(r"\w+|\s+|[^\w\s]", text[start:])
    for _ in range(numbers.randint(1, 4)):
        i, j = numbers.randrange(len(tokens)), numbers.randrange(len(tokens))
        match numbers.randrange(4):
            case 0:
                del tokens[i]
            case 1:
                tokens.insert(i, tokens[j])
            case 2:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case _:
                tokens[i] = numbers.choice(["{", "}", "(", ")", ";", "*", "&", "0", "struct", "=", ",", "[", "]", "<"])
    try:
        program = hetad.loads(text[:start] + "".join(tokens), str(path), header(path).get("defines"))
        for name in program:
            try:
                program[name]
            except InternalError:
                raise
            except HetadError:
                continue
    except InternalError:
        raise
    except HetadError:
        return
