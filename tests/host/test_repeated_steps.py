"""Under a memory limit steps run again: what they allocate, free, print, read and ask the clock for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hetad
from tests.host.test_long_runs import _Counting, _interrupt_after
from tests.host.test_memory_limit import HEAT, N, _compare, _vectors

FREES = (
    HEAT
    + """
void stages(double *u, double *v, int n, int outer, int inner)
{
    for (int s = 0; s < outer; s++) {
        double *a, *b, *h = (double *)malloc(n * sizeof(double));
        cudaMalloc(&a, n * sizeof(double));
        cudaMalloc(&b, n * sizeof(double));
        heat<<<(n + 63) / 64, 64>>>(u, a, n);
        for (int t = 0; t < 2; t++) {
            cudaMemcpy(b, a, n * sizeof(double), cudaMemcpyDeviceToDevice);
            heat<<<(n + 63) / 64, 64>>>(a, b, n);
            react<<<(n + 63) / 64, 64>>>(b, 0.1, n);
            cudaMemcpy(a, b, n * sizeof(double), cudaMemcpyDeviceToDevice);
        }
        cudaMemcpy(h, a, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(s % 2 ? a : b);
        h = (double *)realloc(h, (n + 1 + s) * sizeof(double));
        cudaMemcpy(u, h, n * sizeof(double), cudaMemcpyHostToDevice);
        cudaFree(s % 2 ? b : a);
        free(h);
        for (int t = 0; t < inner; t++) {
            heat<<<(n + 63) / 64, 64>>>(u, v, n);
            cudaMemcpy(u, v, n * sizeof(double), cudaMemcpyDeviceToDevice);
        }
    }
}
"""
)


def test_loops_that_free_memory_are_recorded(backend: str) -> None:
    """Those inside them that do not run by schedules, between allocations and frees."""
    u, v = _vectors(2)
    source = FREES
    limited = hetad.gradient(hetad.loads(source)["stages"], wrt="u", of="u", backend=backend, memory_limit="1MB")
    outer, *inner = limited.derivative.explanation.loops
    assert outer.refused == "memory is allocated or freed in it"
    assert [loop.refused for loop in inner][-1] == ""
    report = _compare(source, "stages", [u, v, N, 5, 30], ("u", "v"), ("u", "v"), "1GB", backend)
    assert report.extra_steps == 5
    report = _compare(source, "stages", [u, v, N, 1, 80], ("u", "v"), ("u", "v"), 40 * u.nbytes, backend)
    assert report.extra_steps > 80


def test_a_limit_that_is_reached_between_frees_leaves_everything_usable(backend: str) -> None:
    u, v = _vectors(2)
    before = u.copy(), v.copy()
    limited = hetad.gradient(hetad.loads(FREES)["stages"], wrt="u", of="u", backend=backend, memory_limit=40 * u.nbytes)
    expected = limited(u, v, N, 2, 4, seeds={"u": u})["u"]
    for _ in range(3):
        with pytest.raises(hetad.ExecutionError, match=r"(?s)memory limit.*memory is allocated or freed in it"):
            limited(u, v, N, 50, 2, seeds={"u": u})
        np.testing.assert_array_equal((u, v), before)
    np.testing.assert_array_equal(limited(u, v, N, 2, 4, seeds={"u": u})["u"], expected)


@pytest.mark.parametrize("room", [60, 2**30])
def test_a_program_that_stops_frees_what_it_freed_before(room: int) -> None:
    """Blocks that the program has freed wait for the reverse sweep: out of memory, or at Ctrl-C, they go too."""
    u, v = _vectors(2)
    before = u.copy(), v.copy()
    gradient = hetad.gradient(hetad.loads(FREES)["stages"], wrt="u", of="u", backend="cpu")
    expected = gradient(u, v, N, 2, 3, seeds={"u": u})["u"]
    counting = _Counting.of(gradient, room * u.nbytes)
    if room == 60:
        with pytest.raises(hetad.ExecutionError, match="out of device memory"):
            gradient(u, v, N, 50, 6, seeds={"u": u})
    else:
        timer = _interrupt_after(0.3)
        with pytest.raises(KeyboardInterrupt):
            gradient(u, v, N, 300_000, 1, seeds={"u": u})
        timer.join()
    assert counting.made > 20 and not counting.alive
    np.testing.assert_array_equal((u, v), before)
    np.testing.assert_array_equal(gradient(u, v, N, 2, 3, seeds={"u": u})["u"], expected)
    assert not counting.alive


STEPS = (
    "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
    + HEAT
    + """
void drive(double *u, double *v, int n, int steps)
{
    double rate = 0.1, seconds = 0;
    int many = 0;
    FILE *log = fopen("LOG", "w");
    srand(5);
    for (int t = 0; t < steps; t++) {
        BEFORE
        heat<<<(n + 63) / 64, 64>>>(u, v, n);
        react<<<(n + 63) / 64, 64>>>(v, rate, n);
        cudaMemcpy(u, v, n * sizeof(double), cudaMemcpyDeviceToDevice);
        AFTER
    }
    fclose(log);
}
"""
)

HARMLESS = {
    "the log": ("", 'fprintf(log, "step %d\\n", t);'),
    "a file for some steps": (
        "",
        """
        if (t % 5 == 0) {
            FILE *more = fopen("LOG", "a");
            if (more == NULL) {
                fprintf(stderr, "no file\\n");
                exit(1);
            }
            for (int i = 0; i < 2; i++) {
                char text[40];
                sprintf(text, "step %d part %d\\n", t, i);
                if (fwrite(text, 1, 14, more) != 14)
                    perror("LOG");
            }
            fclose(more);
        }
        """,
    ),
    "a clock": (
        "clock_t start = clock();",
        """
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        seconds += took;
        if (took > 1e-9)
            many++;
        fprintf(log, "step %d %d\\n", t, took >= 0);
        if (t == steps - 1)
            fprintf(log, "%d %d\\n", seconds >= 0, many >= 0);
        """,
    ),
}


def _source(before: str, after: str, log: Path) -> str:
    return STEPS.replace("BEFORE", before).replace("AFTER", after).replace("LOG", str(log))


@pytest.mark.parametrize("case", HARMLESS)
def test_output_happens_once(case: str, backend: str, tmp_path: Path) -> None:
    u, v = _vectors(2)
    log = tmp_path / "log"
    source = _source(*HARMLESS[case], log)
    texts = []
    for limit in (None, 9 * u.nbytes):
        made = hetad.gradient(hetad.loads(source)["drive"], wrt="u", of="u", backend=backend, memory_limit=limit)
        made(u, v, N, 40, seeds={"u": u})
        texts.append(log.read_text())
    assert texts[0] == texts[1] and len(re.findall("step", texts[0])) > 10
    report = _compare(source, "drive", [u, v, N, 40], ("u", "v"), ("u", "v"), 9 * u.nbytes, backend)
    assert report.extra_steps > 40


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("rate = 0.1 * rand() / RAND_MAX;", "", "'rand'"),
        ("int r = rand(); if (r % 2) rate *= 0.9;", "", "'rand'"),
        ("", "many += rand(); if (many % 2) react<<<(n + 63) / 64, 64>>>(u, 0.01, n);", "'rand'"),
        ("double r = drand48(); double s[2] = {r, 1}; rate = s[0];", "", "'drand48'"),
        ("rate += 1e-9 * clock();", "", "'clock'"),
        ("if (fscanf(log, \"%d\", &many) == 1) rate = 0.2;", "", "'fscanf'"),
        ("double got[1] = {0.1}; fread(got, sizeof(double), 1, log); rate = got[0];", "", "'fread'"),
    ],
)  # fmt: skip
def test_steps_that_depend_on_more_than_their_state_are_recorded(
    before: str, after: str, reason: str, backend: str, tmp_path: Path
) -> None:
    u, v = _vectors(2)
    source = _source(before, after, tmp_path / "log")
    program = hetad.loads(source)["drive"]
    limited = hetad.gradient(program, wrt="u", of="u", backend=backend, memory_limit="1MB")
    (loop,) = limited.derivative.explanation.loops
    assert reason in loop.refused
    if reason != "'clock'" and reason != "'drand48'":
        _compare(source, "drive", [u, v, N, 12], ("u", "v"), ("u", "v"), "1MB", backend)
