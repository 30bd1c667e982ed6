"""The class of each increment of an adjoint: a plain `+=` only where a proof holds, atomics where it must fail."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np
import pytest

import hetad
from tests.access_classes import CLASSES, HEAD, PLAIN, PROGRAMS, ROW, TESTED, condition, emitted, kernels, program

SIZE = 130
LAUNCHES = (((3, 2), (8, 4)), ((2, 1), (5, 3)))
VALUES = ((6, 9, 4), (11, 5, 3), (24, 7, 1), (5, 8, 12))  # of n, m and s; strides below and above the extents
ORDERS = {"fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}, "threads": {"HETAD_CPU_THREADS": "4"}}
CASES = ((0, 0), (1, 1), (0, 3))  # launch and values: under sizes that decide, of both kinds
MUTANTS = [f"{name}, but {m}" for accesses in CLASSES.values() for name, a in accesses.items() for m in a.mutants]


@functools.cache
def jacobian(body: str, launch: int, values: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, indices, and dy/dx at them by central differences: what the program does, whatever hetad makes of it."""
    kernel, (grid, block), numbers = program(body)["k"], LAUNCHES[launch], VALUES[values]
    if "threadIdx.y" not in body:
        grid, block = grid[:1], block[:1]
    rng = np.random.default_rng(5)
    x, at = rng.standard_normal(SIZE), rng.integers(0, 4, SIZE).astype(np.int32)

    def y(moved: np.ndarray) -> np.ndarray:
        out = np.zeros(SIZE)
        kernel(out, moved, at, *numbers, grid=grid, block=block, backend="cpu")
        return out

    h = 1e-5
    columns = [(y(x + h * e) - y(x - h * e)) / (2 * h) for e in np.eye(SIZE)]
    return x, at, np.array(columns).T


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_emitted(name: str) -> None:
    how, body = PROGRAMS[name]
    assert emitted(body) == how


def met(body: str) -> bool:
    """Whether two threads read one cell, in any of the launches."""
    cases = [(launch, values) for launch in range(len(LAUNCHES)) for values in range(len(VALUES))]
    return any((np.count_nonzero(jacobian(body, *case)[2], axis=0) > 1).any() for case in cases)


@pytest.mark.parametrize("name", [n for n, (how, _) in PROGRAMS.items() if PLAIN in how.split()])
def test_threads_do_not_meet_where_updates_are_plain(name: str) -> None:
    assert not met(PROGRAMS[name][1])


@pytest.mark.parametrize("name", [n for n in MUTANTS if n.startswith(tuple(CLASSES["exclusive"]))])
def test_threads_meet_in_the_mutants(name: str) -> None:
    """So no proof can hold: a plain update would lose increments."""
    assert PLAIN not in PROGRAMS[name][0].split()
    assert met(PROGRAMS[name][1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_versions_where_sizes_decide(name: str) -> None:
    """A condition is tested at the launch where one is enough, and where it holds no threads meet."""
    body = PROGRAMS[name][1]
    assert condition(body) == (TESTED[name][0] if name in TESTED else None)
    held = []
    for launch, (_, block) in enumerate(LAUNCHES if name in TESTED else ()):
        for values, numbers in enumerate(VALUES):
            if TESTED[name][1](*numbers, block):
                assert (np.count_nonzero(jacobian(body, launch, values)[2], axis=0) <= 1).all(), (launch, numbers)
                held.append(numbers)
    assert held or name not in TESTED


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_under_races(name: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against differences, also where the launch does not reach every cell; with threads in a shuffled order, and with
    blocks in parallel."""
    body = PROGRAMS[name][1]
    for launch, values in CASES:  # before the environment is changed
        jacobian(body, launch, values)
    for key, value in ORDERS[order].items():
        monkeypatch.setenv(key, value)
    gradient = hetad.gradient(program(body)["k"], wrt="x", of="y", backend="cpu")
    for launch, values in CASES:
        x, at, expected = jacobian(body, launch, values)
        grid, block = LAUNCHES[launch]
        if "threadIdx.y" not in body:
            grid, block = grid[:1], block[:1]
        seed = np.random.default_rng(6).standard_normal(SIZE)
        found = gradient(np.zeros(SIZE), x, at, *VALUES[values], seeds={"y": seed}, grid=grid, block=block)["x"]
        np.testing.assert_allclose(found, seed @ expected, rtol=1e-6, atol=1e-7)


def test_many_threads_lose_nothing() -> None:
    """Enough work for blocks that run at once to meet."""
    n = 200_000
    x, at, seed = np.random.default_rng(3).standard_normal(n), np.arange(n, dtype=np.int32) % 3, np.ones(n)
    for body, expected in (
        (ROW + "    if (i < n) y[i] = x[at[i]] * 2;", np.r_[2 * np.bincount(at), np.zeros(n - 3)]),
        (ROW + "    if (i < n) y[i] = x[i % s] * 2;", np.r_[2 * np.bincount(np.arange(n) % 7), np.zeros(n - 7)]),
        (ROW + "    if (i < n) y[i] = x[0] * 2;", np.r_[2 * n, np.zeros(n - 1)]),
    ):
        g = hetad.gradient(program(body)["k"], wrt="x", of="y", backend="cpu", cpu_threads=4)
        found = g(np.zeros(n), x, at, n, 0, 7, seeds={"y": seed}, grid=(n + 63) // 64, block=64)["x"]
        np.testing.assert_array_equal(found, expected)


def test_strided_over_the_grid() -> None:
    """In a loop an atomic addition does not wait for the one before, although nothing asks for it."""
    step = "i += blockDim.x * gridDim.x"
    body = "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; STEP) y[i] = sin(x[i]);"

    def how(text: str) -> str:
        g = hetad.gradient(program(text)["k"], wrt="x", of="y", deterministic=True)
        return " ".join(a.how for a in g.derivative.explanation.accumulated)

    assert "exclusive" in how(body.replace("STEP", step))
    for mutant in ("i += blockDim.x", "i += gridDim.x", "i += blockDim.x * gridDim.x - 1", "i += s"):
        assert "exclusive" not in how(body.replace("STEP", mutant)), mutant


def test_dynamic_shared_memory_is_no_part_of_a_parameter() -> None:
    """Its adjoint, behind it, is none of the cells that threads add to, whatever the pointers into it are made of."""
    path = Path(__file__).parents[1] / "gradient/programs/norm_in_dynamic_memory.cu"
    for name in ("sum_of_squares", "two_arrays"):
        source = hetad.gradient(hetad.load(path)[name], wrt="x", of="out").source
        assert "adj_x[i] += " in source[: source.index(f"{name}_pullback(")], name


def test_overlapping_arguments_are_not_taken_apart() -> None:
    """A buffer that is read and written by neighbouring threads keeps its atomics."""
    text = HEAD.replace("const int *at, ", "") + ROW + "    if (i < n) y[i] = sin(x[i]);\n}\n"
    apart = hetad.loads(text + "void run(double *a, double *b, int n) { k<<<(n + 7) / 8, 8>>>(a, b, n, n, n); }\n")
    assert "atomicAdd" not in kernels(hetad.gradient(apart["run"], wrt="b", of="a").source)
    for arguments in ("a + 1, a", "a, a", "n > 3 ? a : b, a"):
        program = hetad.loads(
            f"{text}void run(double *a, double *b, int n) {{ k<<<(n + 7) / 8, 8>>>({arguments}, n, n, n); }}\n"
        )
        source = kernels(hetad.gradient(program["run"], wrt="a", of="a").source)
        source = source[source.index("k_pullback_overlapping(") :]  # where a test finds them apart, another runs
        assert "atomicAdd" in source, arguments
        assert not re.search("__restrict__ adj_[xy]", source), arguments
