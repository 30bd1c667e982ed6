"""Processes that go on for long: many calls and programs, sources that are edited meanwhile, files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hetad

GROWTH = """
import gc, os
import numpy as np, hetad
x, y, seed = np.arange(1.0, 9), np.zeros(8), np.ones(8)
def state():
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))
def gradient(k):
    source = f"__global__ void k(double *y, const double *x) {{ int i = threadIdx.x; y[i] = x[i] * x[i] * {k}; }}"
    source += "void run(double *y, const double *x) { k<<<1, 8>>>(y, x); }"
    g = hetad.gradient(hetad.loads(source)["run"], wrt="x", of="y", backend="cpu")
    assert np.allclose(g(y, x, seeds={"y": seed})["x"], 2 * k * x)
    return g
"""


def _last(script: str) -> list[int]:
    """The numbers in the last line that the script prints."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH + script], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.splitlines()[-1].split()]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_ten_thousand_calls_leave_nothing() -> None:
    memory, files = _last("""
g = gradient(3)
before = None
for n in range(11000):
    g(y, x, seeds={"y": seed})
    if n == 1000:
        before = state()
print(*(b - a for a, b in zip(before, state())))
""")
    assert memory < 1 << 20
    assert files == 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_many_programs_leave_nothing() -> None:
    """A program is unloaded with the last that could call it."""
    memory, files, loaded = _last("""
import time
from hetad.run import cache
first = int(time.time() * 1000)
def count():
    return sum(str(cache.directory()) in line for line in open("/proc/self/maps"))
for n in range(12):
    gradient(first + n)
before = *state(), count()
for n in range(12):
    gradient(first + 12 + n)
print(*(b - a for a, b in zip(before, (*state(), count()))))
""")
    assert memory < 12 * 10_000
    assert files == 0
    assert loaded == 0


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="no /proc")
def test_a_program_stays_while_something_can_call_it() -> None:
    """Its gradient alone, behind the program; and it is loaded anew when it is gone."""
    (same,) = _last("""
import time
k = int(time.time() * 1000) % 1000
g = gradient(k)
for _ in range(3):
    gc.collect()
    assert np.allclose(g(y, x, seeds={"y": seed})["x"], 2 * k * x)
del g
gc.collect()
g = gradient(k)
print(int(np.allclose(g(y, x, seeds={"y": seed})["x"], 2 * k * x)))
""")
    assert same


def test_a_source_that_is_edited_after_it_was_loaded(tmp_path: Path) -> None:
    """The program is that which was loaded, also where its functions are looked at later."""
    path, y = tmp_path / "p.cu", np.zeros(1)
    path.write_text("void f(double *y, double x) { y[0] = 2 * x; }\nvoid g(double *y, double x) { y[0] = 7 * x; }\n")
    loaded = hetad.load(path)
    path.write_text("\nvoid f(double *y, double x) { y[0] = 5 * x; }\nvoid g(double *y, double x) { y[0] = 9 * x; }\n")
    found = []
    for program in (loaded, hetad.load(path), loaded):
        for name in ("f", "g"):
            gradient = hetad.gradient(program[name], wrt="x", of="y", backend="cpu")
            found.append(gradient(y, 1.0, seeds={"y": np.ones(1)})["x"])
    assert found == [2, 7, 5, 9, 2, 7]
    path.unlink()
    loaded["g"](y, 1.0, backend="cpu")
    assert y[0] == 7


def test_a_gradient_writes_to_files_what_the_program_does(tmp_path: Path) -> None:
    source = """
    #include <stdio.h>
    void f(double *y, const double *x, int n)
    {
        FILE *log = n > 0 ? fopen("LOG", "a") : NULL;
        for (int i = 0; i < n; i++) {
            y[0] += x[i] * x[i];
            fprintf(log, "%d %g\\n", i, y[0]);
        }
        if (log)
            fclose(log);
    }
    """.replace("LOG", str(tmp_path / "log"))
    f, x = hetad.loads(source)["f"], np.arange(1.0, 4)
    g = hetad.gradient(f, wrt="x", of="y", backend="cpu")
    g(np.zeros(1), x, 0, seeds={"y": np.ones(1)})
    assert not list(tmp_path.iterdir())
    f(np.zeros(1), x, 3, backend="cpu")
    written = (tmp_path / "log").read_text()
    assert written == "0 1\n1 5\n2 14\n"
    np.testing.assert_array_equal(g(np.zeros(1), x, 3, seeds={"y": np.ones(1)})["x"], 2 * x)
    assert (tmp_path / "log").read_text() == 2 * written
