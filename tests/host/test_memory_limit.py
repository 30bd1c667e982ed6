"""Gradients under a memory limit: the same to the last bit, with less saved."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main
from hetad.run.report import size_in_bytes

HEAT = """
__global__ void heat(const double *u, double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        v[i] = u[i] + 0.1 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
}

__global__ void react(double *u, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = u[i] + rate * u[i] * (1 - u[i]);
}

void march(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        heat<<<(n + 63) / 64, 64>>>(u, v, n);
        double *w = u;
        u = v;
        v = w;
    }
}
"""
N = 150


def _vectors(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.uniform(0.5, 1.5, N) for _ in range(count)]


def _compare(
    source: str, function: str, args: list[Any], wrt: tuple[str, ...], of: tuple[str, ...], limit: int | str,
    backend: str, **options: Any,
) -> hetad.Report:  # fmt: skip
    """The report of the limited gradient, which is that without a limit and leaves the arguments alone."""
    program = hetad.loads(source)
    names = [p.name for p in program[function].parameters]
    rng = np.random.default_rng(4)
    seeds = {name: rng.standard_normal(args[names.index(name)].shape) for name in of}
    options["of"] = of or None
    full = hetad.gradient(program[function], wrt=wrt, of=options["of"], backend=backend)
    limited = hetad.gradient(program[function], wrt=wrt, backend=backend, memory_limit=limit, **options)
    before = [np.copy(a) for a in args]
    expected, found = full(*args, seeds=seeds), limited(*args, seeds=seeds)
    for name in wrt:
        _assert_same(found[name], expected[name], backend)
        assert np.isfinite(expected[name]).all() and np.any(expected[name] != 0)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    report = limited.last_report
    assert report is not None and full.last_report is not None
    again = limited(*args, seeds=seeds)
    _assert_same(again[wrt[0]], expected[wrt[0]], backend)
    assert limited.last_report == report
    return report


def _assert_same(found: np.ndarray, expected: np.ndarray, backend: str) -> None:
    """To the last bit, except where threads add in no fixed order."""
    one_thread = backend == "cpu" and os.environ.get("HETAD_CPU_THREADS", "1") == "1"
    np.testing.assert_allclose(found, expected, rtol=0 if one_thread else 1e-9)


def test_a_thousand_steps_in_the_memory_of_twenty(backend: str) -> None:
    u, v = _vectors(2)
    limit = 20 * u.nbytes
    report = _compare(HEAT, "march", [u, v, N, 1000], ("u", "v"), ("u", "v"), limit, backend)
    assert 10 * u.nbytes < report.saved_bytes <= limit
    assert report.steps == 1000
    assert 1000 < report.extra_steps < 5000


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 16, 17])
def test_few_steps(steps: int, backend: str) -> None:
    u, v = _vectors(2)
    report = _compare(HEAT, "march", [u, v, N, steps], ("u", "v"), ("u", "v"), 7 * u.nbytes, backend)
    assert report.saved_bytes <= 7 * u.nbytes
    assert report.steps == (steps if steps > 1 else 0)


def test_everything_is_recorded_where_it_fits(backend: str) -> None:
    u, v = _vectors(2)
    report = _compare(HEAT, "march", [u, v, N, 30], ("u", "v"), ("u", "v"), "1GB", backend)
    assert report.extra_steps == 1


def test_checkpoints_in_host_memory(backend: str) -> None:
    u, v = _vectors(2)
    args = [u, v, N, 200]
    alone = _compare(HEAT, "march", args, ("u",), ("u", "v"), 6 * u.nbytes, backend)
    report = _compare(HEAT, "march", args, ("u",), ("u", "v"), 6 * u.nbytes, backend, host_memory=30 * u.nbytes)
    assert alone.host_bytes == 0 and 20 * u.nbytes < report.host_bytes <= 30 * u.nbytes
    assert report.saved_bytes <= 6 * u.nbytes
    assert report.extra_steps < alone.extra_steps / 2


NESTED = (
    HEAT
    + """
void nested(double *u, double *v, double *total, int n, int outer, int inner)
{
    for (int s = outer; s > 0; s -= 2) {
        react<<<(n + 63) / 64, 64>>>(u, 0.01 * s, n);
        for (int t = 0; t < inner; t++) {
            heat<<<(n + 63) / 64, 64>>>(u, v, n);
            heat<<<(n + 63) / 64, 64>>>(v, u, n);
        }
        cudaMemcpy(total + (s - 1) / 2 % 2 * (n / 2), u, n / 2 * sizeof(double), cudaMemcpyDeviceToDevice);
    }
    react<<<(n + 63) / 64, 64>>>(u, 0.5, n);
}
"""
)


@pytest.mark.parametrize("buffers", [11, 14, 40, 1000])
@pytest.mark.parametrize("trips", [(30, 20), (5, 40), (40, 1), (8, 0)])
def test_loops_inside_loops(trips: tuple[int, int], buffers: int, backend: str) -> None:
    u, v, total = _vectors(3)
    limit = buffers * u.nbytes
    args = [u, v, total, N, *trips]
    report = _compare(NESTED, "nested", args, ("u", "v"), ("u", "v", "total"), limit, backend)
    assert report.saved_bytes <= limit


def test_too_small_for_loops_inside_loops(backend: str) -> None:
    u, v, total = _vectors(3)
    nested = hetad.loads(NESTED)["nested"]
    gradient = hetad.gradient(nested, wrt="u", of="u", backend=backend, memory_limit=8 * u.nbytes)
    with pytest.raises(
        hetad.ExecutionError,
        match=r"limit of 9600 bytes is too small: .* loop in line 28, of 20 steps, needs \d+ for its state and "
        r"12\d{4} for what one step saves, which is \d{4} at least where the loops inside",
    ):
        gradient(u, v, total, N, 40, 50, seeds={"u": u})


SCALARS = (
    HEAT
    + """
#include <stdio.h>
#include <stdlib.h>
__global__ void mean(double *out, const double *u, int n)
{
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += u[i];
        out[0] = sum / n;
    }
}

double *buffer(int n)
{
    double *p;
    cudaMalloc(&p, n * sizeof(double));
    return p;
}

double drive(const double *start, int n, int steps, double rate)
{
    double *ring[2], *m = buffer(1), mean_now = 0, history[3] = {0, 0, 0};
    ring[0] = buffer(n);
    ring[1] = buffer(n);
    cudaMemcpy(ring[0], start, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(ring[1], 0, n * sizeof(double));
    int t;
    for (t = 3; t <= steps + 2; t++) {
        heat<<<(n + 63) / 64, 64>>>(ring[t % 2], ring[(t + 1) % 2], n);
        if (t % 3 == 0) {
            mean<<<1, 32>>>(m, ring[(t + 1) % 2], n);
            cudaMemcpy(&mean_now, m, sizeof(double), cudaMemcpyDeviceToHost);
            rate *= 1 - 0.01 * mean_now;
            history[t / 3 % 3] += rate * mean_now;
            printf("step %d\\n", t);
        }
        react<<<(n + 63) / 64, 64>>>(ring[(t + 1) % 2], rate, n);
    }
    mean<<<1, 32>>>(m, ring[t % 2], n);
    cudaMemcpy(&mean_now, m, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(ring[0]);
    cudaFree(ring[1]);
    cudaFree(m);
    return mean_now * history[0] + history[1] * history[2] + t;
}
"""
)


@pytest.mark.parametrize("buffers", [8, 12, 500])
def test_scalars_arrays_of_pointers_and_output(buffers: int, backend: str, capfd: pytest.CaptureFixture[str]) -> None:
    (start,) = _vectors(1)
    program = hetad.loads(SCALARS)["drive"]
    args = (start, N, 61, 0.3)
    full = hetad.gradient(program, wrt=("start", "rate"), backend=backend)
    limited = hetad.gradient(program, wrt=("start", "rate"), backend=backend, memory_limit=buffers * start.nbytes)
    assert not any(loop.refused for loop in limited.derivative.explanation.loops)
    value, expected = full.value_and_grad(*args)
    printed = capfd.readouterr().out
    again, found = limited.value_and_grad(*args)
    assert capfd.readouterr().out == printed and printed.count("step") == 21
    assert again == value and expected["rate"] != 0
    _assert_same(found["rate"], expected["rate"], backend)
    _assert_same(found["start"], expected["start"], backend)
    report = limited.last_report
    assert report is not None and report.saved_bytes <= buffers * start.nbytes
    assert report.extra_steps > 0


PROGRAMS = Path(__file__).parent.parent / "gradient" / "programs"


@pytest.mark.parametrize("limit", [9000, 24000])
def test_conjugate_gradients_with_results_on_the_host(limit: int, backend: str) -> None:
    rng = np.random.default_rng(5)
    source = (PROGRAMS / "libraries" / "cublas_memory_limit.cu").read_text()
    args = [rng.standard_normal((30, 30)), rng.standard_normal(30), 30, 40]
    report = _compare(source, "solve", args, ("a", "b"), (), limit, backend)
    assert report.saved_bytes <= limit and report.steps == 40 and report.extra_steps > 20


@pytest.mark.parametrize("limit", [12000, 40000])
def test_transforms_work_in_memory_in_front_of_the_loop(limit: int, backend: str) -> None:
    rng = np.random.default_rng(5)
    source = (PROGRAMS / "libraries" / "cufft_memory_limit.cu").read_text()
    args = [rng.standard_normal(200), rng.standard_normal(100), 100, 60, 0.05]
    report = _compare(source, "propagate", args, ("psi", "potential"), ("psi",), limit, backend)
    assert report.saved_bytes <= limit and report.steps == 60 and report.extra_steps > 20


@pytest.mark.parametrize("limit", [16000, 60000])
def test_memory_that_each_step_allocates(limit: int, backend: str) -> None:
    rng = np.random.default_rng(5)
    source = (PROGRAMS / "whole" / "memory_of_a_step.cu").read_text()
    args = [rng.uniform(0.3, 1.2, 230), rng.uniform(0, 0.01, 230), 230, 40, 3]
    report = _compare(source, "march", args, ("u", "rate"), ("u",), limit, backend)
    assert report.saved_bytes <= limit and report.extra_steps > 20


@pytest.mark.parametrize(
    "step",
    [
        "cudaMalloc(&w, (t + 1) * sizeof(double)); add<<<1, 32>>>(u, w, t + 1);",  # another size each time
        "cudaMalloc(&w, n * sizeof(double)); add<<<1, 32>>>(u, w, n); last = w;",  # handed on to the next step
        "if (t == 0) cudaMalloc(&last, n * sizeof(double)); w = last; add<<<1, 32>>>(u, w, n);",  # by the first one
    ],
)
def test_memory_that_has_to_be_allocated_in_the_loop(step: str, backend: str) -> None:
    source = """
    __global__ void add(double *u, double *w, int n)
    {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            w[i] = u[i] * u[i];
            u[i] += 0.01 * w[i] * w[i];
        }
    }
    void march(double *u, int n, int steps)
    {
        double *last = NULL;
        for (int t = 0; t < steps; t++) {
            double *w;
            STEP
            if (last != NULL)
                add<<<1, 32>>>(u, last, t + 1);
        }
    }
    """.replace("STEP", step)
    args = [np.linspace(0.2, 0.9, 20), 20, 6]
    _compare(source, "march", args, ("u",), ("u",), 100000, backend)
    gradient = hetad.gradient(hetad.loads(source)["march"], wrt="u", of="u", backend=backend, memory_limit=300)
    assert [loop.refused for loop in gradient.derivative.explanation.loops] == ["memory is allocated or freed in it"]


def test_loops_that_are_left(backend: str) -> None:
    """Their steps are counted, and run by a schedule."""
    source = (
        HEAT
        + """
    void until(double *u, double *v, int n, int steps)
    {
        for (int t = 0; t < steps; t++) {
            heat<<<(n + 63) / 64, 64>>>(u, v, n);
            if (t * t > 300)
                break;
            heat<<<(n + 63) / 64, 64>>>(v, u, n);
        }
    }
    """
    )
    u, v = _vectors(2)
    for limit in (80, 9):
        report = _compare(source, "until", [u, v, N, 100], ("u", "v"), ("u", "v"), limit * u.nbytes, backend)
        assert report.saved_bytes <= limit * u.nbytes
    assert report.extra_steps > 18


def test_loops_that_cannot_be_run_by_a_schedule(backend: str) -> None:
    """They are recorded, and the message says why there was no room."""
    source = (
        HEAT
        + """
    void handed_on(double *u, double *v, int n, int steps)
    {
        double *last = u;
        for (int t = 0; t < steps; t++) {
            double *w;
            cudaMalloc(&w, n * sizeof(double));
            cudaMemset(w, 0, n * sizeof(double));
            heat<<<(n + 63) / 64, 64>>>(last, w, n);
            heat<<<(n + 63) / 64, 64>>>(w, v, n);
            last = w;
        }
    }
    """
    )
    u, v = _vectors(2)
    args = [u, v, N, 20]
    _compare(source, "handed_on", args, ("u", "v"), ("u", "v"), 80 * u.nbytes, backend)
    gradient = hetad.gradient(
        hetad.loads(source)["handed_on"], wrt="u", of="v", backend=backend, memory_limit=9 * u.nbytes
    )
    before = u.copy()
    with pytest.raises(
        hetad.ExecutionError, match=r"(?s)memory limit of 10800 bytes.*:29:9: .*memory is allocated or freed in it"
    ):
        gradient(*args, seeds={"v": u})
    np.testing.assert_array_equal(u, before)
    gradient(u, v, N, 2, seeds={"v": u})


def test_while_loops(backend: str) -> None:
    """Their steps are counted; else the message has the loop."""
    source = (
        HEAT
        + """
    double relax(double *u, double *v, int n, double enough)
    {
        double host[4] = {0, 0, 0, 0}, change = 1;
        while (change > enough) {
            double before = host[2];
            heat<<<(n + 63) / 64, 64>>>(u, v, n);
            heat<<<(n + 63) / 64, 64>>>(v, u, n);
            cudaMemcpy(host, u + 1, 4 * sizeof(double), cudaMemcpyDeviceToHost);
            change = fabs(host[2] - before);
        }
        return host[2] * host[2];
    }
    """
    )
    u, v = _vectors(2)
    args = [u, v, N, 1e-4]
    _compare("#include <math.h>\n" + source, "relax", args, ("u",), (), "10MB", backend)
    report = _compare("#include <math.h>\n" + source, "relax", args, ("u",), (), 9 * u.nbytes, backend)
    assert report.extra_steps > 0
    relax = hetad.loads("#include <math.h>\n" + source)["relax"]
    gradient = hetad.gradient(relax, wrt="u", backend=backend, memory_limit=2 * u.nbytes)
    with pytest.raises(
        hetad.ExecutionError, match=r"(?s)limit of 2400 bytes is too small: .* the time loop in line 30 needs"
    ):
        gradient(*args)


def test_kernels_whose_order_may_change_are_not_run_again(backend: str) -> None:
    """A step packs what it finds in the order of its threads: another order would not fit the next step's adjoints."""
    source = """
    __global__ void pack(int *index, int *count, const double *u, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && u[i] > 0.7)
            index[atomicAdd(count, 1)] = i;
    }

    __global__ void move(double *v, const double *u, const int *index, const int *count, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            v[i] = i < *count ? 1.1 * u[index[i]] * u[index[i]] : 0.9 * u[i];
    }

    void pack_all(double *u, int n, int steps)
    {
        int *index, *count;
        double *v;
        cudaMalloc(&index, n * sizeof(int));
        cudaMalloc(&count, sizeof(int));
        cudaMalloc(&v, n * sizeof(double));
        for (int t = 0; t < steps; t++) {
            cudaMemset(count, 0, sizeof(int));
            pack<<<(n + 31) / 32, 32>>>(index, count, u, n);
            move<<<(n + 31) / 32, 32>>>(v, u, index, count, n);
            cudaMemcpy(u, v, n * sizeof(double), cudaMemcpyDeviceToDevice);
        }
        cudaFree(index);
        cudaFree(count);
        cudaFree(v);
    }
    """
    (u,) = _vectors(1)
    program = hetad.loads(source)
    gradient = hetad.gradient(program["pack_all"], wrt="u", of="u", backend=backend, memory_limit=8 * u.nbytes)
    (loop,) = gradient.derivative.explanation.loops
    assert "order of its threads" in loop.refused
    gradient(u, N, 3, seeds={"u": u})
    with pytest.raises(hetad.ExecutionError, match="order of its threads"):
        gradient(u, N, 30, seeds={"u": u})


def test_too_small(backend: str) -> None:
    u, v = _vectors(2)
    gradient = hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", backend=backend, memory_limit=2 * u.nbytes)
    with pytest.raises(
        hetad.ExecutionError,
        match=r"(?s)limit of 2400 bytes is too small: .* loop in line 18, of 50 steps, needs 25\d\d.*"
        r":18:5: this loop keeps checkpoints of",
    ):
        gradient(u, v, N, 50, seeds={"u": u})


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GB", 8 * 10**9), ("1.5 MiB", 3 * 2**19), ("2e3", 2000), ("64k", 64000), (7, 7), ("12B", 12)],
)
def test_sizes(text: str | int, size: int) -> None:
    assert size_in_bytes(text, "memory_limit") == size


@pytest.mark.parametrize("size", ["8 elephants", "", 0, -1, "GB", "1..5"])
def test_no_sizes(size: str | int) -> None:
    with pytest.raises(hetad.ArgumentError, match=r"memory_limit=.*expected a number of bytes"):
        hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", memory_limit=size)


def test_the_command_line_and_problem_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "heat.cu").write_text(HEAT)
    problem = tmp_path / "heat.toml"
    vector = "{ shape = [150], random_uniform = 1, low = 0.5, high = 1.5 }"
    problem.write_text(
        'source = "heat.cu"\nfunction = "march"\nwrt = ["u"]\nof = ["u"]\nmemory_limit = "24kB"\n'
        f"[inputs]\nu = {vector}\nv = {vector}\nn = 150\nsteps = 100\n"
    )
    assert main(["run", str(problem), "--backend", "cpu"]) == 0
    assert re.search(r"\d+ bytes saved at most; \d+ of 100 steps run again", capsys.readouterr().out)
    assert main(["run", str(problem), "--backend", "cpu", "--memory-limit", "1GB"]) == 0
    assert "; 1 of 100 steps run again" in capsys.readouterr().out
    explain = ["explain", str(tmp_path / "heat.cu"), "march", "--wrt", "u", "--of", "u"]
    assert main([*explain, "--memory-limit", "1MB"]) == 0
    assert "checkpoints of" in capsys.readouterr().out
    assert main(explain) == 0
    assert "checkpoints of" not in capsys.readouterr().out
    assert main(["gradcheck", str(problem), "--backend", "cpu"]) == 0


@pytest.mark.parametrize("name", ["cublas", "cufft"])
def test_gradcheck_of_loops_that_call_libraries(name: str, tmp_path: Path) -> None:
    source = PROGRAMS / "libraries" / f"{name}_memory_limit.cu"
    header = source.read_text().split("/*---")[1].split("[[cases]]")[0]
    problem = tmp_path / "problem.toml"
    problem.write_text(f'source = "{source}"\n{header}')
    assert main(["gradcheck", str(problem), "--backend", "cpu", "--memory-limit", "9kB"]) == 0


def test_host_memory_alone() -> None:
    with pytest.raises(hetad.ArgumentError, match="host_memory= is for checkpoints beside"):
        hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", host_memory="1GB")


def test_what_follows_from_others_is_not_saved() -> None:
    """The parameters of a library's routines and of inlined functions are copies of what the loop leaves alone."""
    source = (PROGRAMS / "libraries" / "cublas_memory_limit.cu").read_text()
    gradient = hetad.gradient(hetad.loads(source)["solve"], wrt=("a", "b"), backend="cpu", memory_limit="1MB")
    pushed = set(re.findall(r"hetad_push\(&(\w+), 8\)", gradient.source.split("// gradient of")[1]))
    assert pushed == {"rho", "norm", "curvature", "alpha", "back", "beta", "x_10", "adj_x_10"}


def test_memory_behind_a_pointer_to_void() -> None:
    """What it is allocated for is not known from its type."""
    text = HEAT.replace(
        "for (int t", "void *beside = malloc(8); memset(beside, 0, 8); free(beside);\n    for (int t", 1
    )
    assert text != HEAT
    u, v = _vectors(2)
    seed = {"u": u}
    found = [
        hetad.gradient(hetad.loads(text)["march"], wrt="u", of="u", backend="cpu", memory_limit=limit)(
            u, v, N, 30, seeds=seed
        )["u"]
        for limit in (None, "24kB")
    ]
    np.testing.assert_array_equal(*found)
