"""The Python interface over real programs, on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad

PROGRAM = """
typedef unsigned int count;

__device__ double square(double v) { return v * v; }

__global__ void scale_kernel(count n, float a, const float *x, float *y)
{
    count i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

// device pointers
void scale(count n, float a, const float *x, float *y)
{
    scale_kernel<<<(n + 31) / 32, 32>>>(n, a, x, y);
}

__global__ void squares(double *out, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = square(x[i]);
}

double weighted(const double *x, double w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += w * x[i] * x[i];
    return sum;
}

int count_positive(const double *x, int n, bool strict)
{
    int found = 0;
    for (int i = 0; i < n; i++) found += strict ? x[i] > 0 : x[i] >= 0;
    return found;
}

// The host side, with host pointers: a newcomer's program.
void all_squares(double *out, const double *x, int n)
{
    double *d_x, *d_out;
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_out, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    squares<<<(n + 31) / 32, 32>>>(d_out, d_x, n);
    cudaMemcpy(out, d_out, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
}

void never(double *x) { throw 1; }
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "program.cu")


@pytest.fixture(scope="module", autouse=True)
def _on_the_cpu() -> Iterator[None]:
    """These tests are about the interface: None means the CPU here, also where there is a GPU."""
    from hetad import compiled
    from hetad.run import cuda

    kept = cuda.usable
    cuda.usable = lambda: False
    assert compiled.backend_for(None) == "cpu"
    yield
    cuda.usable = kept


# --- programs and functions ----------------------------------------------------------------------


def test_a_program_is_a_mapping_of_functions(program: hetad.Program) -> None:
    assert list(program) == [
        "scale_kernel", "scale", "squares", "weighted", "count_positive", "all_squares", "never"
    ]  # fmt: skip
    assert len(program) == 7
    assert "scale" in program
    assert "square" not in program
    assert program["scale"] is program["scale"]
    assert repr(program).startswith("<hetad program program.cu: scale_kernel, scale, ")


def test_signatures_are_those_of_c_without_typedefs(program: hetad.Program) -> None:
    assert program["scale"].signature == "void scale(unsigned int n, float a, const float *x, float *y)"
    assert repr(program["squares"]) == "<hetad kernel __global__ void squares(double *out, const double *x, int n)>"
    assert [p.name for p in program["scale"].parameters] == ["n", "a", "x", "y"]


def test_an_unknown_function_names_the_nearest(program: hetad.Program) -> None:
    with pytest.raises(hetad.UnknownNameError, match=r"'wieghted'.*\n.*did you mean weighted\?"):
        program["wieghted"]


def test_a_device_function_cannot_be_called(program: hetad.Program) -> None:
    with pytest.raises(hetad.ArgumentError, match="square is a __device__ function"):
        program["square"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(hetad.UnknownNameError, match=r"cannot read .*absent\.cu: No such file"):
        hetad.load(tmp_path / "absent.cu")
    with pytest.raises(hetad.UnknownNameError, match="Is a directory"):
        hetad.load(tmp_path)


def test_load_finds_includes_beside_the_file_and_in_include_dirs(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "near.h").write_text("#define NEAR 1\n")
    (tmp_path / "include" / "far.h").write_text("#define FAR 10\n")
    (tmp_path / "p.cu").write_text(
        '#include "near.h"\n#include "far.h"\nint f(void) { return NEAR + FAR + MACRO + FLAG; }\n'
    )
    program = hetad.load(
        str(tmp_path / "p.cu"), defines={"MACRO": 100, "FLAG": True}, include_dirs=[tmp_path / "include"]
    )
    assert program["f"]() == 112


# --- the primal ----------------------------------------------------------------------------------


def test_a_host_function_writes_arrays_in_place(program: hetad.Program) -> None:
    x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
    assert program["scale"](40, 2.0, x, y, backend="cpu") is None
    np.testing.assert_array_equal(y, 1 + 2 * x)
    out = np.zeros(40)
    program["all_squares"](out, x=np.arange(40.0), n=40)
    np.testing.assert_array_equal(out, np.arange(40.0) ** 2)


def test_a_kernel_is_launched(program: hetad.Program) -> None:
    out, x = np.zeros((4, 10)), np.arange(40.0)
    program["squares"](out, x, 40, grid=(2,), block=32)
    np.testing.assert_array_equal(out.ravel(), x**2)
    with pytest.raises(hetad.ArgumentError, match="a kernel needs grid="):
        program["squares"](out, x, 40)
    with pytest.raises(hetad.ArgumentError, match="at most 1024 threads"):
        program["squares"](out, x, 40, grid=1, block=2000)
    with pytest.raises(hetad.ArgumentError, match="block= is for kernels; this host function launches by itself"):
        program["scale"](40, 2.0, x, x, block=32)


def test_values_are_returned(program: hetad.Program) -> None:
    x = np.array([1.0, 0.0, -2.0])
    assert program["weighted"](x, 0.5, 3) == 2.5
    assert program["count_positive"](x, 3, True) == 1
    assert program["count_positive"](x, n=3, strict=False) == 2


def test_which_arguments_are_written_is_known(program: hetad.Program) -> None:
    x = np.ones(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(hetad.ArgumentError, match="argument 'y': the function writes to this array"):
        program["scale"](4, 2.0, np.ones(4, np.float32), x)
    with pytest.raises(hetad.ArgumentError, match="'x' and 'y' share memory"):
        program["scale"](4, 2.0, z := np.ones(4, np.float32), z)


def test_a_backend_that_does_not_exist(program: hetad.Program) -> None:
    with pytest.raises(hetad.ArgumentError, match="backend='gpu'"):
        program["weighted"](np.ones(1), 1.0, 1, backend="gpu")
    with pytest.raises(hetad.ArgumentError, match="backend='gpu'"):
        hetad.gradient(program["weighted"], "x", backend="gpu")


# --- which gradient ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "wrt", "of", "message"),
    [
        ("scale", "xx", "y", r"wrt: there is no parameter 'xx'.*\n.*\n.*did you mean x\?"),
        ("scale", "x", "z", "of: there is no parameter 'z'"),
        ("scale", "n", "y", r"wrt: 'n' holds no floating values \(unsigned int\)"),
        ("scale", "x", "a", "of: 'a' is passed by value"),
        ("scale", "x", "n", "of: 'n' holds no floating values"),
        ("scale", (), "y", "wrt is empty"),
        ("scale", "x", (), "of is empty"),
        ("scale", ("x", 2), "y", "wrt: 'x' is named twice"),
        ("scale", 4, "y", "wrt: there is no parameter at position 4, there are 4"),
        ("scale", 1.5, "y", "wrt: 1.5 is neither a name nor a position"),
        ("scale", "x", None, r"but it returns void.*\n.*\n.*as in of='y'"),
        ("scale_kernel", "x", None, "but a kernel returns nothing"),
        ("count_positive", "x", None, "but it returns int"),
    ],
)
def test_wrt_and_of_that_do_not_fit(program: hetad.Program, function: str, wrt: Any, of: Any, message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=message) as caught:
        hetad.gradient(program[function], wrt=wrt, of=of)
    assert program[function].signature in str(caught.value)


def test_something_that_is_no_function() -> None:
    with pytest.raises(hetad.ArgumentError, match="expected a function of a loaded program"):
        hetad.gradient(lambda x: x, wrt="x")  # type: ignore[arg-type]


# --- gradients -----------------------------------------------------------------------------------


def test_the_gradient_of_an_array(program: hetad.Program) -> None:
    g = hetad.gradient(program["scale"], wrt=("x", "a", "y"), of="y")
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(6, np.float32)
    seed = np.arange(6, dtype=np.float32)
    r = g(6, 3.0, x, y, seeds={"y": seed})
    assert list(r.keys()) == ["x", "a", "y"]
    assert r["a"] == pytest.approx(float(x.ravel() @ seed))
    assert type(r["a"]) is float
    np.testing.assert_array_equal(r[0], 3 * seed.reshape(2, 3))
    assert r["x"].dtype == np.float32
    np.testing.assert_array_equal(r["y"], seed)
    assert y.tolist() == [1] * 6
    assert seed.tolist() == list(range(6))
    with pytest.raises(KeyError, match="no gradient of 'n'"):
        r["n"]


def test_names_or_positions(program: hetad.Program) -> None:
    x, y, seed = np.ones(2, np.float32), np.ones(2, np.float32), np.ones(2, np.float32)
    for wrt, of in [("x", "y"), (2, 3), (["x"], ["y"]), ((np.int64(2),), (-1,))]:
        r = hetad.gradient(program["scale"], wrt=wrt, of=of)(2, 3.0, x, y, seeds={"y": seed})
        assert r["x"].tolist() == [3, 3]


def test_the_gradient_of_a_return_value(program: hetad.Program) -> None:
    g = hetad.gradient(program["weighted"], wrt=("x", "w"))
    x = np.array([1.0, 2.0, 3.0])
    r = g(x, 0.5, 3)
    assert r["x"].tolist() == [1, 2, 3]
    assert r["w"] == 14
    value, r = g.value_and_grad(x, w=0.5, n=3, seeds={"return": 2.0})
    assert value == 7
    assert r["x"].tolist() == [2, 4, 6]


def test_the_gradient_of_a_kernel(program: hetad.Program) -> None:
    g = hetad.gradient(program["squares"], wrt="x", of="out")
    x = np.arange(40.0)
    r = g(np.zeros(40), x, 40, seeds={"out": np.ones(40)}, grid=2, block=32)
    np.testing.assert_array_equal(r["x"], 2 * x)
    with pytest.raises(hetad.ArgumentError, match="a kernel needs block="):
        g(np.zeros(40), x, 40, seeds={"out": np.ones(40)}, grid=2)


def test_the_gradient_of_a_program_with_copies(program: hetad.Program) -> None:
    g = hetad.gradient(program["all_squares"], wrt="x", of="out")
    x = np.arange(40.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(g(np.zeros(40), x, 40, seeds={"out": np.ones(40)})["x"], 2 * x)


def test_in_place(program: hetad.Program) -> None:
    g = hetad.gradient(program["scale"], wrt=("a", "x", "y"), of="y")
    x, y = np.array([1, 2], np.float32), np.ones(2, np.float32)
    adj_y, adj_a, adj_x = np.array([1, 10], np.float32), np.array([5], np.float32), np.ones(2, np.float32)
    assert g.execute(2, 3.0, x, y, adj_y, adj_a, adj_x) is None
    assert adj_a.tolist() == [26]
    assert adj_x.tolist() == [4, 31]
    assert adj_y.tolist() == [1, 10]  # y is an input too
    with pytest.raises(hetad.ArgumentError, match=r"expected 7 arguments \(n, a, x, y, adj_y, adj_a, adj_x\), got 6"):
        g.execute(2, 3.0, x, y, adj_y, adj_a)
    h = hetad.gradient(program["weighted"], wrt="x")
    assert h.execute(np.ones(2), 0.5, 2, adj_x := np.zeros(2), seeds={"return": 3.0}) == 1
    assert adj_x.tolist() == [3, 3]


def test_seeds(program: hetad.Program) -> None:
    g = hetad.gradient(program["scale"], wrt="x", of="y")
    x, y = np.ones(2, np.float32), np.ones(2, np.float32)
    with pytest.raises(hetad.ArgumentError, match=r"'y' is an array, so its gradient needs a seed"):
        g(2, 3.0, x, y)
    with pytest.raises(hetad.ArgumentError, match="seeds: there is no 'return'"):
        g(2, 3.0, x, y, seeds={"return": 1.0})
    with pytest.raises(hetad.ArgumentError, match="seeds must be a mapping, got a ndarray"):
        g(2, 3.0, x, y, seeds=y)  # type: ignore[arg-type]


def test_value_and_grad_needs_a_value(program: hetad.Program) -> None:
    with pytest.raises(hetad.ArgumentError, match="value_and_grad needs a function that returns a float or double"):
        hetad.gradient(program["scale"], "x", "y").value_and_grad(2, 3.0, np.ones(2), np.ones(2))


def test_the_same_gradient_is_made_once(program: hetad.Program) -> None:
    g, h = (hetad.gradient(program["scale"], wrt="x", of="y") for _ in range(2))
    assert g.derivative is h.derivative
    assert g.source == h.source
    assert 'extern "C"' in g.source
    assert "scale_grad" in g.source
    assert repr(g) == f"<hetad gradient of y with respect to x: {program['scale'].signature}>"


def test_the_source_needs_no_compiler(program: hetad.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CC", "no-such-compiler")
    g = hetad.gradient(program["scale"], wrt="a", of="y")
    assert "__global__" in g.source
    x = np.ones(1, np.float32)
    with pytest.raises(hetad.BackendError, match="no-such-compiler"):
        g(1, 1.0, x, x.copy(), seeds={"y": x})


def test_a_program_that_exits() -> None:
    program = hetad.loads(
        "#include <stdlib.h>\nvoid f(double *y, double x) { if (x < 0) exit(3); y[0] = x * x; }", "e.cu"
    )
    y = np.zeros(1)
    with pytest.raises(hetad.ExecutionError, match=r"exit\(3\)"):
        program["f"](y, -1.0)
    g = hetad.gradient(program["f"], "x", "y")
    with pytest.raises(hetad.ExecutionError, match=r"exit\(3\)"):
        g(y, -1.0, seeds={"y": np.ones(1)})
    assert g(y, 4.0, seeds={"y": np.ones(1)})["x"] == 8


def test_parameters_called_like_keywords() -> None:
    program = hetad.loads("double f(double grid, double backend, double in) { return grid * in + backend; }", "k.cu")
    assert program["f"](2.0, 3.0, 4.0) == 11
    assert program["f"](2.0, 3.0, **{"in": 4.0}) == 11
    assert hetad.gradient(program["f"], "in")(2.0, 3.0, 4.0)["in"] == 2


# --- the package ---------------------------------------------------------------------------------


def test_importing_hetad_is_cheap() -> None:
    script = (
        "import sys, hetad; heavy = {'numpy', 'cupy', 'pycparser', 'pcpp', 'networkx', 'rich'} & set(sys.modules); "
    )
    script += "assert not heavy, heavy; assert hetad.__version__; assert 'gradient' in dir(hetad)"
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ)


def test_the_names_of_the_package() -> None:
    for name in hetad.__all__:
        assert getattr(hetad, name) is not None
    for name in ("ArgumentError", "BackendError", "ExecutionError", "SourceError", "UnsupportedError"):
        assert issubclass(getattr(hetad, name), hetad.HetadError)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = hetad.absent  # type: ignore[attr-defined]


def test_optimisations_by_name() -> None:
    from hetad.adjoint.options import ALL, OPTIMISATIONS, Options

    assert Options.of(True) == Options.of(tuple(OPTIMISATIONS)) == ALL
    assert Options.of(False) == Options.of(())
    assert Options.of("gather") == Options.of(["gather"]) != Options.of(("gather", "sums"))
    with pytest.raises(
        hetad.ArgumentError, match=r"no optimisation 'xyz', 'zyx'.*\n  help: there are activity, needed, .*, "
    ):
        Options.of(("xyz", "gather", "zyx"))
