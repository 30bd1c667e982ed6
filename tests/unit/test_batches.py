"""Batches of seeds and of arguments: the numbers of as many calls, from one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main
from tests.batches import AT_ONCE, ONE_BY_ONE, check_batch, runs_at_once
from tests.corpus import Case, cases
from tests.unit import fake_cupy as cp
from tests.unit.test_run_cuda import driver
from tests.unit.test_run_cuda_graph import replays

__all__ = ["driver"]

SOURCE = r"""
struct law { double a; int power; double b; };
__global__ void step(double *y, const double *x, double w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sin(w * x[i]) + 0.5 * y[i] * y[i];
}
double march(double *y, const double *x, double w, int n, int steps) {
    double *t, sum = 0, *h = (double *)malloc(n * sizeof(double));
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, y, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < steps; k++) {
        step<<<(n + 15) / 16, 16>>>(y, x, w, n);
        step<<<(n + 15) / 16, 16>>>(t, y, w, n);
    }
    cudaMemcpy(h, t, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i] * h[i];
    cudaFree(t);
    free(h);
    return sum;
}
__global__ void bend(double *y, const double *x, struct law l, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double p = 1;
    for (int k = 0; k < l.power; k++) p *= x[i];
    y[i] = l.a * p + l.b;
}
void rows(double (*y)[2], const double (*x)[2], int n) {
    for (int i = 0; i < n; i++) { y[i][0] = x[i][0] * x[i][1]; y[i][1] = x[i][1] * x[i][1]; }
}
"""
N, SETS = 11, 3
PROGRAMS = Path(__file__).parents[1] / "gradient" / "programs"
VARIED = (
    "atomics_in_shared", "conjugate_gradients", "data_dependent_trips", "gather_by_index", "host_loops", "hotspot",
    "indexed", "jacobi", "n_body", "structs_of_pointers", "tree_reduction", "warp_reductions",
)  # fmt: skip
ALONE = ("conjugate_gradients",)  # of them, those whose sets cannot run at once
CASES = [c for path in sorted(PROGRAMS.glob("**/*.cu")) if path.stem in VARIED for c in cases(path)]


@pytest.fixture
def program() -> hetad.Program:
    """Anew for each test: what one has compiled without optimisation has other sums than what another compiles as users
    do, and the two are compared to the bit."""
    return hetad.loads(SOURCE)


def random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("optimize", [AT_ONCE, ONE_BY_ONE], ids=["at once", "one by one"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_programs_of_the_corpus(case: Case, optimize: Any, backend: str) -> None:
    problem = case.problem
    function = hetad.load(problem.source, defines=problem.defines)[problem.function]
    arguments = problem.arguments(function.parameters)
    check_batch(
        function, arguments, problem.wrt, problem.of, backend=backend, launch=problem.launch, optimize=optimize,
        **problem.memory,
    )  # fmt: skip
    at_once = runs_at_once(function, arguments, problem.wrt, problem.of, **problem.memory)
    assert at_once == (problem.source.stem not in ALONE)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"memory_limit": "2kB"},
        {"deterministic": True},
        {"optimize": False},
        {"cpu_threads": 2},
        {"graph": True},
        {"optimize": AT_ONCE, "deterministic": True, "cpu_threads": 2},
        {"optimize": "sets"},
    ],
    ids=str,
)
@pytest.mark.parametrize("shared", [(), ("x",), ("w",), ("x", "y", "w")], ids=str)
def test_a_time_loop_that_returns_a_number(program: hetad.Program, options: Any, shared: Any) -> None:
    check_batch(
        program["march"], [random(N), random(N, seed=1), 0.7, N, 9], ["x", "w", "y"], None, shared=shared, **options
    )


def test_a_struct_passed_by_value(program: hetad.Program) -> None:
    laws = [{"a": 1.5, "power": 2, "b": 0.1}, {"a": -0.5, "power": 3, "b": 0.2}, {"a": 2.0, "power": 0, "b": 0.3}]
    x, s = random(N), random(SETS, N, seed=1)
    many = hetad.gradient(program["bend"], ["x", "l"], "y", backend="cpu", batch=SETS, batched="l")
    one = hetad.gradient(program["bend"], ["x", "l"], "y", backend="cpu")
    found = many(np.zeros(N), x, laws, N, seeds={"y": s}, grid=1, block=16)
    for i, law in enumerate(laws):
        alone = one(np.zeros(N), x, law, N, seeds={"y": s[i]}, grid=1, block=16)
        np.testing.assert_array_equal(found["x"][i], alone["x"])
        assert {k: found["l"][i][k] for k in ("a", "power", "b")} == alone["l"]


def test_pointers_to_rows(program: hetad.Program) -> None:
    check_batch(program["rows"], [np.zeros((5, 2)), random(5, 2), 5], ["x"], ["y"])


def test_whole_numbers_may_differ(program: hetad.Program) -> None:
    """Steps, and how much of each array is used."""
    y, x, steps, n = random(SETS, N), random(N, seed=1), [1, 4, 2], [N, 5, 7]
    many = hetad.gradient(program["march"], ["x", "w"], backend="cpu", batch=SETS, batched=["y", "steps", 3])
    one = hetad.gradient(program["march"], ["x", "w"], backend="cpu")
    values, found = many.value_and_grad(y, x, 0.3, n, np.array(steps))
    assert values.shape == (SETS,)
    for i in range(SETS):
        value, alone = one.value_and_grad(y[i], x, 0.3, n[i], steps[i])
        assert values[i] == value
        assert found["w"][i] == alone["w"]
        np.testing.assert_array_equal(found["x"][i], alone["x"])
    with pytest.raises(hetad.ArgumentError, match="expected at least 12 elements, got 11"):
        many(y, x, 0.3, [N, 5, 12], steps)


def test_a_seed_for_all_sets_and_one_for_each(program: hetad.Program) -> None:
    y, x = random(SETS, N), random(N, seed=1)
    many = hetad.gradient(program["march"], "x", backend="cpu", batch=SETS, batched="y")
    each = many(y, x, 0.3, N, 2, seeds={"return": [1.0, 2.0, -1.0]})["x"]
    same = many(y, x, 0.3, N, 2, seeds={"return": 2.0})["x"]
    np.testing.assert_allclose(same[:2], [2 * each[0], each[1]])
    kernel = hetad.gradient(program["step"], "x", "y", backend="cpu", batch=SETS, batched="y")
    s = random(N, seed=2)
    same = kernel(y, x, 0.3, N, seeds={"y": s}, grid=1, block=16)["x"]
    each = kernel(y, x, 0.3, N, seeds={"y": np.stack([s] * SETS)}, grid=1, block=16)["x"]
    np.testing.assert_array_equal(same, each)


def test_in_place(program: hetad.Program) -> None:
    y, x = random(SETS, N), random(N, seed=1)
    many = hetad.gradient(program["march"], ["x", "w"], backend="cpu", batch=SETS, batched="y")
    values, found = many.value_and_grad(y, x, 0.3, N, 2)
    adj_x, adj_w = np.ones((SETS, N)), np.full(SETS, 2.0)
    np.testing.assert_array_equal(many.execute(y, x, 0.3, N, 2, adj_x, adj_w), values)
    np.testing.assert_allclose(adj_x, 1 + found["x"])
    np.testing.assert_allclose(adj_w, 2 + found["w"])
    with pytest.raises(hetad.ArgumentError, match=r"expected 33 elements \(as many as x has, for each set\), got 11"):
        many.execute(y, x, 0.3, N, 2, np.ones(N), adj_w)


def test_the_report_is_of_all_sets(program: hetad.Program) -> None:
    y, x = random(SETS, N), random(N, seed=1)
    options: Any = {"backend": "cpu", "memory_limit": "2kB", "measure": True}
    one = hetad.gradient(program["march"], "x", **options)
    many = hetad.gradient(program["march"], "x", batch=SETS, batched="y", **options)
    one(y[0], x, 0.3, N, 40)
    for _ in range(2):
        many(y, x, 0.3, N, 40)
        single, report = one.last_report, many.last_report
        assert single is not None
        assert report is not None
        assert single.extra_steps > 0
        assert report.saved_bytes == single.saved_bytes
        assert (report.steps, report.extra_steps, report.launches) == (
            SETS * single.steps, SETS * single.extra_steps, SETS * single.launches,
        )  # fmt: skip
        assert [n for _, n in many.last_saves] == [SETS * n for _, n in one.last_saves]


def test_graphs_are_replayed_for_equal_numbers_alone(driver: Any) -> None:
    """Numbers that differ between the sets lie in memory: what is there counts, not where it is."""
    program = hetad.loads(SOURCE)
    many = hetad.gradient(program["step"], ["x", "w"], "y", backend="cuda", graph=True, batch=2, batched=["w", "y"])
    one = hetad.gradient(program["step"], ["x", "w"], "y", backend="cpu")
    y, x, s = random(2, N), random(N, seed=1), random(2, N, seed=2)
    there = [cp.asarray(a) for a in (y, x, s)]
    for w in ([0.1, 0.2], [0.1, 0.2], [0.1, 0.2], [0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.4, 0.3]):
        found = many(there[0], there[1], w, N, seeds={"y": there[2]}, grid=1, block=16)
        for i in range(2):
            alone = one(y[i], x, w[i], N, seeds={"y": s[i]}, grid=1, block=16)
            np.testing.assert_allclose(cp.asnumpy(found["x"])[i], alone["x"])
            np.testing.assert_allclose(found["w"][i], alone["w"])
    assert replays(many) > 0


def test_on_a_gpu_sets_run_at_once(driver: Any) -> None:
    """As the host's program for a GPU does it, in as many launches as one set takes."""
    program = hetad.loads(SOURCE)
    y, x, w = random(SETS, N), random(N, seed=1), [0.3, 0.7, 0.2]
    many = hetad.gradient(program["march"], ["x", "w", "y"], backend="cuda", batch=SETS, batched=["w", "y"])
    one = hetad.gradient(program["march"], ["x", "w", "y"], backend="cpu")
    values, found = many.value_and_grad(cp.asarray(y), cp.asarray(x), w, N, 4)
    for i in range(SETS):
        value, alone = one.value_and_grad(y[i], x, w[i], N, 4)
        np.testing.assert_allclose(values[i], value)
        for name in ("x", "w", "y"):
            actual = found[name] if name == "w" else cp.asnumpy(found[name])
            np.testing.assert_allclose(actual[i], alone[name], err_msg=name)
    single, report = one.last_report, many.last_report
    assert single is not None
    assert report is not None
    assert report.launches == single.launches


def test_text(program: hetad.Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = hetad.gradient(program["march"], ["x", "w"], backend="cpu", batch=SETS, batched=["w", "y"])
    assert "value[set] = march_grad(" in many.source
    assert (
        many.source == hetad.gradient(program["march"], ["x", "w"], backend="cpu", batch=7, batched=["w", "y"]).source
    )
    (tmp_path / "p.cu").write_text(SOURCE)
    assert main(["grad", str(tmp_path / "p.cu"), "march", "--wrt", "x,w", "--batch", "w,y"]) == 0
    assert 'extern "C" void march_grad_batch(' in capsys.readouterr().out
    assert (
        main(["grad", str(tmp_path / "p.cu"), "march", "--wrt", "x", "--batch", "--emit", "after:loop-over-batch"]) == 0
    )
    assert "march_grad_batch" in capsys.readouterr().out
    assert main(["grad", str(tmp_path / "p.cu"), "march", "--wrt", "x", "--batch", "w", "--mode", "hvp"]) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"batched": "x"}, "batched= is for batches"),
        ({"batch": 0}, "expected a positive number of sets"),
        ({"batch": True}, "expected a positive number of sets"),
        ({"batch": 2.5}, "expected a positive number of sets"),
        ({"batch": 2, "batched": "z"}, "batched: there is no parameter 'z'"),
        ({"batch": 2, "batched": ["x", 1]}, "batched: 'x' is named twice"),
    ],
)
def test_no_such_batch(program: hetad.Program, given: Any, message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=message):
        hetad.gradient(program["march"], "x", **given)


def test_arguments_that_do_not_fit(program: hetad.Program) -> None:
    y, x = random(SETS, N), random(N, seed=1)
    many = hetad.gradient(program["march"], "x", backend="cpu", batch=SETS, batched=["y", "w"])
    w = [0.1, 0.2, 0.3]
    for args, message in (
        (
            (y[:2], x, w, N, 2),
            r"first axis of 3, one for each set of the batch, got the shape \(2, 11\)(.|\n)*leave y out",
        ),
        ((y, x, 0.1, N, 2), "argument 'w': expected 3 values, one for each set of the batch, got a float"),
        ((y, x, w[:2], N, 2), "expected 3 values, one for each set of the batch, got 2"),
        ((y, x, ["a", "b", "c"], N, 2), "expected a number"),
        ((y, x, w, N + 1, 2), "expected at least 12 elements, got 11"),
    ):
        with pytest.raises(hetad.ArgumentError, match=message):
            many(*args)
    with pytest.raises(hetad.ArgumentError, match="expected 3 values, one for each set"):
        many(y, x, w, N, 2, seeds={"return": [1.0]})
    kernel = hetad.gradient(program["step"], "x", "y", backend="cpu", batch=SETS, batched="y")
    with pytest.raises(hetad.ArgumentError, match=r"s has the shape \(3, 11\) and dtype of y, or \(11,\) for the same"):
        kernel(y, x, 0.1, N, grid=1, block=16)
    with pytest.raises(hetad.ArgumentError, match=r"expected the shape \(3, 11\), or \(11,\) for the same seed in all"):
        kernel(y, x, 0.1, N, seeds={"y": random(2, N)}, grid=1, block=16)
    with pytest.raises(hetad.ArgumentError, match="'y' and 'x' share memory"):
        kernel(y, y[1], 0.1, N, seeds={"y": y}, grid=1, block=16)
