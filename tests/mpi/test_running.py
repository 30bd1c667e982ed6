"""How programs run on several ranks: what one gives to Python, and what happens where a rank fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mpi.launching import ROOT, needs_mpi, on_ranks

pytestmark = needs_mpi

SUM = """
#include <mpi.h>
double sum(const double *x, int n, MPI_Comm comm)
{
    double local = 0, total = 0;
    for (int i = 0; i < n; ++i) local += x[i] * x[i];
    MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    return total;
}
"""


def script(tmp_path: Path, program: str, lines: str) -> str:
    (tmp_path / "program.cu").write_text(program)
    path = tmp_path / "script.py"
    head = (
        f"import hetad, numpy as np\nfrom mpi4py import MPI\nprogram = hetad.load({str(tmp_path / 'program.cu')!r})\n"
    )
    path.write_text(head + "world = MPI.COMM_WORLD\nrank, size = world.rank, world.size\n" + lines)
    return str(path)


def test_communicators_come_from_python(tmp_path: Path) -> None:
    """Two groups of ranks, each with a gradient of its own; and the gradient is that of the sum over the ranks."""
    lines = """
x = np.arange(3.0) + rank
pair = world.Split(rank // 2, rank)
value, r = hetad.gradient(program["sum"], wrt=("x",)).value_and_grad(x, 3, pair)
expected = sum(pair.allgather(float(x @ x)))
assert abs(value - expected) < 1e-12, (value, expected)
np.testing.assert_allclose(r["x"], pair.size * 2 * x)
np.testing.assert_allclose(hetad.gradient(program["sum"], wrt=("x",))(x, 3, None)["x"], size * 2 * x)
print("right")
"""
    done = on_ranks(3, script(tmp_path, SUM, lines))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("right") == 3


def test_what_is_no_communicator_is_refused(tmp_path: Path) -> None:
    lines = """
try:
    program["sum"](np.ones(3), 3, 7)
except hetad.HetadError as problem:
    print(str(problem).splitlines()[0])
"""
    done = on_ranks(1, script(tmp_path, SUM, lines))
    assert "expected a communicator of mpi4py or None, got" in done.stdout


FAILS = """
#include <mpi.h>
#include <assert.h>
void f(double *y, const double *x, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    assert(rank != 1 || x[0] > 0);
    MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
"""


def test_a_rank_that_fails_ends_all(tmp_path: Path) -> None:
    lines = """
g = hetad.gradient(program["f"], wrt=("x",), of=("y",))
g(np.zeros(2), np.array([-1.0, 1.0]), 2, seeds={"y": np.ones(2)})
"""
    done = on_ranks(3, script(tmp_path, FAILS, lines), seconds=60)
    assert done.returncode != 0
    assert re.search(r"rank 1 of 3: \S*program\.cu:8:5: assertion failed: ", done.stderr)


WAITS = """
#include <mpi.h>
void f(double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Recv(y, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Barrier(MPI_COMM_WORLD);
}
"""


def test_an_interrupt_ends_a_rank_that_waits_for_another(tmp_path: Path) -> None:
    """The signal comes when the ranks have long been waiting for each other."""
    lines = """
import os, signal, threading
threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT)).start()
program["f"](np.zeros(3), 3)
"""
    done = on_ranks(2, script(tmp_path, WAITS, lines), seconds=60)
    assert done.returncode != 0


TOO_LONG = """
#include <mpi.h>
void f(double *y, const double *x, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(x, n, MPI_DOUBLE, (rank + 1) % size, 0,
                 y, n - 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
"""


def test_an_error_of_the_library_has_a_place(tmp_path: Path) -> None:
    """mpi4py lets calls return errors, which the program does not look at."""
    done = on_ranks(2, script(tmp_path, TOO_LONG, "program['f'](np.zeros(4), np.ones(4), 4)"), seconds=60)
    assert done.returncode != 0
    assert "program.cu:8:5: " in done.stderr
    assert "of 2: " in done.stderr


NOT_WAITED_FOR = """
#include <mpi.h>
void f(double *y, const double *x, int n)
{
    MPI_Request r, s;
    MPI_Irecv(y, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &r);
    MPI_Isend(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &s);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
}
"""


def test_a_receive_that_is_not_waited_for_is_refused(tmp_path: Path) -> None:
    lines = "hetad.gradient(program['f'], wrt=('x',), of=('y',))(np.zeros(4), np.ones(4), 4, seeds={'y': np.ones(4)})"
    done = on_ranks(1, script(tmp_path, NOT_WAITED_FOR, lines), seconds=60)
    assert "the request of line 6 is not waited for in the function" in done.stderr


MAIN = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double scale = 1.5, part, loss;
    part = scale * scale * (rank + 1);
    MPI_Allreduce(&part, &loss, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("loss %g\\n", loss);
    MPI_Finalize();
    return 0;
}
"""


def test_a_main_that_begins_and_ends_mpi(tmp_path: Path) -> None:
    """Twice: it can neither begin nor end more than once in a process."""
    lines = """
f = program.driver(inputs=("scale",), output="loss")
for scale in (2.0, 3.0):
    value, r = hetad.gradient(f, wrt=("scale",)).value_and_grad(scale)
    assert value == scale * scale * size * (size + 1) / 2
    assert r["scale"] == 2 * scale * (rank + 1) * size
print("right")
"""
    done = on_ranks(3, script(tmp_path, MAIN, lines))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("right") == 3


TWICE = """
#include <mpi.h>
double f(const double *x, int from)
{
    int rank, size;
    double y[3], s = 0, t;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(x, 3, MPI_DOUBLE, (rank + 1) % size, 0, y, 3, MPI_DOUBLE,
                 from == 0 ? (rank + size - 1) % size : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) s += x[i] * y[i] * y[i];
    MPI_Allreduce(&s, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return t * t;
}
"""


def test_second_derivatives(tmp_path: Path) -> None:
    """Against differences of the gradient, along directions of all ranks; a message from any rank is refused."""
    lines = """
rng = np.random.default_rng(rank)
x, v, step = rng.standard_normal(3), rng.standard_normal(3), 1e-5
g, h = hetad.gradient(program["f"], wrt=("x",)), hetad.hvp(program["f"], wrt=("x",))
found = h(x, 0, tangents={"x": v})["x"]
expected = (g(x + step * v, 0)["x"] - g(x - step * v, 0)["x"]) / (2 * step)
np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
try:
    h(x, 1, tangents={"x": v})
except hetad.HetadError as problem:
    assert "line 9: a message from any rank, or along any tag, has no second derivative" in str(problem)
    print("right")
"""
    done = on_ranks(3, script(tmp_path, TWICE, lines))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("right") == 3


def test_sample_on_several_ranks() -> None:
    done = on_ranks(4, "-m", "hetad", "gradcheck", str(ROOT / "samples" / "heat_on_ranks.toml"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("passed: ") == 1


def test_another_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that says that it is another one."""
    import ctypes

    from mpi4py import MPI

    from hetad import BackendError
    from hetad.run import mpi

    class Other:
        @staticmethod
        def Get_library_version() -> str:  # noqa: N802 - mpi4py's name
            return "Another MPI 1.0"

    monkeypatch.setattr(mpi, "library", lambda: Other)
    with pytest.raises(BackendError, match=r"linked to another MPI .* than mpi4py \(Another MPI 1.0\)"):
        mpi.check(ctypes.CDLL(MPI.__file__))
