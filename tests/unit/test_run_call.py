"""Plans over a library written by hand: what reaches C, what comes back, and what is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.diagnostics import ArgumentError, ExecutionError, Span
from hetad.host.derivative import Parameter
from hetad.ir.nodes import Function, Symbol
from hetad.ir.types import (
    BOOL,
    DIM3,
    DOUBLE,
    FLOAT,
    INT,
    SIZE_T,
    STREAM,
    UCHAR,
    VOID,
    Array,
    Field,
    Pointer,
    Struct,
    Type,
)
from hetad.run.call import Interface, Plan
from hetad.run.cpu_executable import CpuExecutable
from hetad.run.executable import library
from hetad.run.launch import LaunchConfiguration
from hetad.run.signature import bind, signature_of

SPAN = Span("hand.cu", 3, 1)
ABI = """
#include <stddef.h>
static char message[100];
const char *hetad_message(void) { return message; }
const void *hetad_cpu_runtime(void) { return 0; }
const char *hetad_cpu_leave(void) { return 0; }
#define A(i, type) (*(type *)args[i])
"""
IN, OUT = Pointer(DOUBLE, const=True), Pointer(DOUBLE)


def symbol(name: str, type_: Type) -> Symbol:
    return Symbol(name, type_, SPAN, "param")


def executable(c: str, parameters: list[Parameter], returns: Type = VOID) -> CpuExecutable:
    entry = Function("entry", "host", tuple(p.symbol for p in parameters), returns, (), SPAN)
    return CpuExecutable(entry, library(f"{ABI}int hetad_call(const void *rt, void **args, void *result) {{ {c} }}"))


def primal(c: str, written: str = "", returns: Type = VOID, kind: Any = "host", **types: Type) -> Plan:
    function = Function("f", kind, tuple(symbol(n, t) for n, t in types.items()), returns, (), SPAN)
    configuration = {"grid": DIM3, "block": DIM3, "shared_mem": SIZE_T, "stream": STREAM} if kind == "kernel" else {}
    parameters = [Parameter(symbol(n, t), n) for n, t in configuration.items()]  # type: ignore[arg-type]
    parameters += [Parameter(s, "primal", None, "device") for s in function.params]
    return Plan(
        executable(c, parameters, returns), Interface(parameters, signature_of(function), frozenset(written.split()))
    )


AXPY = "int n = A(0, int); double a = A(1, double); const double *x = A(2, double *); double *y = A(3, double *);"


@pytest.fixture(scope="module")
def axpy() -> Callable[..., Any]:
    plan = primal(AXPY + " for (int i = 0; i < n; i++) y[i] += a * x[i]; return 0;", "y", n=INT, a=DOUBLE, x=IN, y=OUT)
    return lambda *args, **named: plan.primal(bind(plan.signature, args, named), None)


@pytest.fixture(scope="module")
def axpy_grad() -> Plan:
    """Of y with respect to a, y and x; y is written for a moment, as a forward sweep does."""
    names = {"n": INT, "a": DOUBLE, "x": IN, "y": OUT}
    function = Function("axpy", "host", tuple(symbol(n, t) for n, t in names.items()), VOID, (), SPAN)
    parameters = [
        *(Parameter(s, "primal", None, "device") for s in function.params),
        Parameter(symbol("adj_y", OUT), "adjoint", "y", "device"),
        Parameter(symbol("adj_a", OUT), "adjoint", "a", "host"),
        Parameter(symbol("adj_x", OUT), "adjoint", "x", "device"),
        Parameter(symbol("x_bytes", SIZE_T), "bytes", "x"),
    ]
    c = (
        AXPY
        + """
        double *adj_y = A(4, double *), *adj_a = A(5, double *), *adj_x = A(6, double *);
        if (A(7, size_t) != 8 * n) return 1;
        for (int i = 0; i < n; i++) { *adj_a += adj_y[i] * x[i]; adj_x[i] += a * adj_y[i]; }
        return 0;"""
    )
    return Plan(
        executable(c, parameters),
        Interface(parameters, signature_of(function), frozenset("y")),
        ("a", "y", "x"),
        ("y",),
    )


# --- the primal ----------------------------------------------------------------------------------


def test_arrays_are_written_in_place(axpy: Callable[..., Any]) -> None:
    x, y = np.arange(4.0), np.ones(4)
    assert axpy(4, 2.0, x, y) is None
    np.testing.assert_array_equal(y, [1, 3, 5, 7])
    axpy(n=np.int32(4), a=np.float32(1), x=x, y=y)
    axpy(4, 1, y=y, x=x)
    np.testing.assert_array_equal(y, [1, 5, 9, 13])


def test_arrays_of_any_rank_and_read_only_inputs(axpy: Callable[..., Any]) -> None:
    x, y = np.ones((2, 3)), np.zeros((3, 1, 2))
    x.flags.writeable = False
    axpy(6, 1.0, x, y)
    assert y.sum() == 6
    axpy(0, 1.0, np.zeros(0), np.zeros(0))
    axpy(0, 1.0, None, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 2.5}, r"argument 'n': expected an integer \(int\), got 2.5 \(float\)"),
        ({"n": 2.0}, "expected an integer"),
        ({"n": "2"}, "expected an integer"),
        ({"n": 2**31}, "2147483648 is out of range for int"),
        ({"a": "1.0"}, r"argument 'a': expected a number \(double\), got '1.0' \(str\)"),
        ({"a": 1j}, "expected a number"),
        ({"a": None}, "expected a number"),
        ({"a": 10**400}, "out of range for double"),
        ({"y": [1.0, 2.0]}, r"expected an array of float64, got \[1.0, 2.0\] \(list\)"),
        ({"x": [1.0, "2"]}, r"expected an array of float64, got \[1.0, '2'\] \(list\)"),
        ({"x": np.zeros(4, np.float32)}, "argument 'x': expected an array of float64, got float32"),
        ({"x": np.zeros(4, ">f8")}, "expected an array of float64, got >f8"),
        ({"x": np.array(1.0)}, "rank 0"),
        ({"x": np.zeros((4, 2))[:, 0]}, r"not C-contiguous \(shape \(4,\), strides \(16,\)\)"),
        ({"x": np.zeros((2, 2), order="F")}, "not C-contiguous"),
        ({"x": np.ma.zeros(4)}, "a masked array has elements without a value.*\n.*\n  help: pass x.filled"),
    ],
)
def test_an_argument_that_does_not_fit(axpy: Callable[..., Any], change: dict[str, Any], message: str) -> None:
    arguments = {"n": 2, "a": 1.0, "x": np.zeros(4), "y": np.zeros(4)}
    with pytest.raises(ArgumentError, match=message) as caught:
        axpy(**(arguments | change))
    assert "void f(int n, double a, const double *x, double *y)    (hand.cu:3)" in str(caught.value)


def test_a_read_only_array_for_a_written_pointer(axpy: Callable[..., Any]) -> None:
    y = np.zeros(4)
    y.flags.writeable = False
    with pytest.raises(ArgumentError, match="argument 'y': the function writes to this array, which is read-only"):
        axpy(4, 1.0, np.zeros(4), y)


def test_counts_and_names(axpy: Callable[..., Any]) -> None:
    with pytest.raises(ArgumentError, match=r"expected 4 arguments \(n, a, x, y\), got 3; y missing"):
        axpy(1, 2.0, np.zeros(1))
    with pytest.raises(ArgumentError, match=r"expected 4 arguments .*, got 5"):
        axpy(1, 2.0, np.zeros(1), np.zeros(1), 3)
    with pytest.raises(ArgumentError, match="no parameter 'b'"):
        axpy(1, 2.0, np.zeros(1), b=np.zeros(1))
    with pytest.raises(ArgumentError, match="'a' is given twice"):
        axpy(1, 2.0, np.zeros(1), a=1.0)


def test_arrays_that_share_memory(axpy: Callable[..., Any]) -> None:
    z = np.zeros(10)
    axpy(5, 1.0, z[:5], z[5:])
    with pytest.raises(ArgumentError, match="'x' and 'y' share memory, and the function writes to y"):
        axpy(5, 1.0, z[:6], z[5:])
    both = primal("return 0;", "", x=IN, y=IN)
    both.primal([z, z], None)


def test_values_of_every_type_reach_c() -> None:
    particle = Struct("particle", (Field("id", INT), Field("x", DOUBLE), Field("v", Array(FLOAT, 3))))
    plan = primal(
        """struct p { int id; double x; float v[3]; } *p = args[3], *q = A(4, struct p *);
           struct p *r = result; unsigned *d = args[5];
           *r = *p; r->id = A(0, unsigned char) + 10 * A(1, _Bool); r->x += A(2, float) + q[1].x + d[0] + d[1] + d[2];
           q[0].id = 7; return 0;""",
        "q", particle, b=UCHAR, t=BOOL, f=FLOAT, p=particle, q=Pointer(particle), d=DIM3,
    )  # fmt: skip
    dtype = np.dtype([("id", "i4"), ("x", "f8"), ("v", "f4", (3,))], align=True)
    q = np.zeros(2, dtype)
    q[1]["x"] = 0.25
    p = {"id": 3, "x": 1.0, "v": [1, 2, 3]}
    assert plan.primal([5, True, 0.5, p, q, (1, 2, 3)], None) == {"id": 15, "x": 7.75, "v": pytest.approx([1, 2, 3])}
    assert q[0]["id"] == 7
    assert plan.primal([5, np.True_, 0.5, (3, 1.0, (1, 2, 3)), q, np.array([1, 1, 1])], None)["x"] == 4.75
    assert plan.primal([5, 1, 0.5, q[1], q, {"x": 1, "y": 1, "z": 1}], None)["x"] == 4.0
    for wrong, message in [
        ([256, 1, 0.5, p, q, (1, 1, 1)], "argument 'b': 256 is out of range for unsigned char"),
        ([5, 2, 0.5, p, q, (1, 1, 1)], "argument 't': 2 is out of range for bool"),
        ([5, 1, 1e39, p, q, (1, 1, 1)], "argument 'f': 1e\\+39 is out of range for float"),
        ([5, 1, 0.5, {"id": 1, "x": 1.0}, q, (1, 1, 1)], "argument 'p': particle has the fields id, x, v"),
        ([5, 1, 0.5, p | {"id": 1.5}, q, (1, 1, 1)], "argument 'p.id': expected an integer"),
        ([5, 1, 0.5, p | {"v": [1, 2]}, q, (1, 1, 1)], "argument 'p.v': expected 3 elements"),
        ([5, 1, 0.5, p, np.zeros(2, [("id", "i4"), ("x", "f8")]), (1, 1, 1)], "argument 'q': expected an array of"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            plan.primal(wrong, None)


def test_rows_of_a_fixed_length() -> None:
    plan = primal("double (*rows)[4] = A(0, void *); return rows[1][2] != 6;", "", rows=Pointer(Array(DOUBLE, 4)))
    plan.primal([np.arange(8.0).reshape(2, 4)], None)
    plan.primal([np.arange(8.0)], None)
    with pytest.raises(ArgumentError, match=r"multiple of 4 elements, got 6.*\n    void f\(double \(\*rows\)\[4\]\)"):
        plan.primal([np.zeros(6)], None)


def test_a_pointer_to_pointers_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"`double \*\*rows` cannot be passed from Python"):
        primal("return 0;", "", rows=Pointer(OUT))


def test_return_values() -> None:
    assert primal("*(double *)result = 2.5; return 0;", "", DOUBLE).primal([], None) == 2.5
    assert primal("*(int *)result = -3; return 0;", "", INT).primal([], None) == -3
    assert primal("*(_Bool *)result = 1; return 0;", "", BOOL).primal([], None) is True


def test_a_failure_in_c_is_an_execution_error() -> None:
    plan = primal('__builtin_strcpy(message, "the program called exit(3)"); return 2;')
    with pytest.raises(ExecutionError, match=r"exit\(3\)"):
        plan.primal([], None)


def test_the_configuration_of_a_kernel() -> None:
    plan = primal(
        """unsigned *g = args[0], *b = args[1], *out = A(4, unsigned *);
           for (int i = 0; i < 3; i++) { out[i] = g[i]; out[i + 3] = b[i]; }
           out[6] = A(2, size_t); return A(3, void *) != 0;""",
        "out", kind="kernel", out=Pointer(INT),
    )  # fmt: skip
    out = np.zeros(7, np.int32)

    def launch(grid: Any, block: Any, shared_mem: Any = 0, stream: Any = None) -> None:
        plan.primal([out], LaunchConfiguration.of(plan.signature, grid, block, shared_mem, stream))

    launch((40, 2), 256, 1024)
    assert out.tolist() == [40, 2, 1, 256, 1, 1, 1024]
    launch(np.int64(3), [1, 2, 4])
    assert out.tolist() == [3, 1, 1, 1, 2, 4, 0]
    for arguments, message in [
        ((None, 1), "a kernel needs grid="),
        ((1, None), "a kernel needs block="),
        ((0, 1), "one to three positive integers"),
        ((1, (1, 1, 1, 1)), "one to three positive integers"),
        ((1.5, 1), "expected an integer"),
        ((1, (32, 33)), "at most 1024 threads"),
        ((1, 1, -1), "shared_mem=-1: expected a number of bytes"),
        ((1, 1, 0, 5), "only the CUDA backend has streams"),
    ]:
        with pytest.raises(ArgumentError, match=message) as caught:
            launch(*arguments)
        assert "__global__ void f(int *out)" in str(caught.value)


def test_threads_take_turns(axpy: Callable[..., Any]) -> None:
    results = [np.zeros(1000) for _ in range(4)]

    def work(y: Any) -> None:
        for _ in range(50):
            axpy(1000, 1.0, np.ones(1000), y)

    threads = [threading.Thread(target=work, args=(y,)) for y in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((y == 50).all() for y in results)


# --- the gradient --------------------------------------------------------------------------------


def test_the_gradient_leaves_everything_as_it_was(axpy_grad: Plan) -> None:
    x, y, seed = np.array([1.0, 2.0, 3.0]), np.zeros(3), np.array([1.0, 10.0, 100.0])
    for _ in range(2):
        value, (a_bar, y_bar, x_bar) = axpy_grad.gradient([3, 2.0, x, y], {"y": seed}, None)
        assert value is None
        assert a_bar == 321.0
        assert type(a_bar) is float
        np.testing.assert_array_equal(y_bar, seed)
        np.testing.assert_array_equal(x_bar, 2 * seed)
    assert seed.tolist() == [1, 10, 100]
    assert not np.shares_memory(y_bar, seed)


def test_gradients_have_the_shape_of_the_argument(axpy_grad: Plan) -> None:
    y = np.zeros((2, 3))
    _, (_, y_bar, x_bar) = axpy_grad.gradient([6, 2.0, np.ones((3, 2)), y], {"y": np.ones((2, 3))}, None)
    assert y_bar.shape == (2, 3)
    assert x_bar.shape == (3, 2)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({}, "the output 'y' is an array, so its gradient needs a seed"),
        ({"y": np.ones(4)}, r"argument seeds\['y'\]: expected the shape of y, \(3,\), got \(4,\)"),
        ({"y": np.ones(3, np.float32)}, r"argument seeds\['y'\]: expected an array of float64, got float32"),
        ({"y": 1.0}, r"argument seeds\['y'\]: expected an array of float64, got 1.0"),
    ],
)
def test_seeds_that_do_not_fit(axpy_grad: Plan, seeds: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        axpy_grad.gradient([3, 2.0, np.ones(3), np.ones(3)], seeds, None)


def test_a_missing_seed_says_how_to_give_it(axpy_grad: Plan) -> None:
    with pytest.raises(ArgumentError, match=r"pass seeds=\{'y': s\}, where s has the shape \(3,\)"):
        axpy_grad.gradient([3, 2.0, np.ones(3), np.ones(3)], {}, None)


def test_a_null_pointer_has_no_gradient(axpy_grad: Plan) -> None:
    with pytest.raises(ArgumentError, match="argument 'x': expected an array, got None"):
        axpy_grad.gradient([0, 2.0, None, np.ones(3)], {"y": np.ones(3)}, None)


def test_execute_adds_to_the_users_buffers(axpy_grad: Plan) -> None:
    assert axpy_grad.adjoint_names == ("adj_y", "adj_a", "adj_x")
    x, y, adj_y, adj_a, adj_x = np.array([1.0, 2.0]), np.zeros(2), np.array([1.0, 10.0]), np.array([5.0]), np.ones(2)
    axpy_grad.execute([2, 3.0, x, y], [adj_y, adj_a, adj_x], {}, None)
    assert adj_a[0] == 26
    assert adj_x.tolist() == [4, 31]
    for adjoints, message in [
        ([adj_y, 5.0, adj_x], "argument 'adj_a': expected an array of float64, got 5.0"),
        ([adj_y, np.zeros(2), adj_x], "argument 'adj_a': expected 1 element"),
        ([adj_y, adj_a, np.zeros(3)], "argument 'adj_x': expected 2 elements"),
        ([adj_y, adj_a, adj_y], "'adj_y' and 'adj_x' share memory"),
        ([adj_y, adj_a, x], "'x' and 'adj_x' share memory"),
        ([adj_y, adj_a, None], "argument 'adj_x': expected an array, got None"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            axpy_grad.execute([2, 3.0, x, y], adjoints, {}, None)


def test_the_seed_of_a_return_value_and_structs() -> None:
    pair = Struct("pair", (Field("n", INT), Field("x", DOUBLE)))
    function = Function("f", "host", (symbol("p", pair), symbol("q", Pointer(pair))), DOUBLE, (), SPAN)
    parameters = [
        *(Parameter(s, "primal", None, "host") for s in function.params),
        Parameter(symbol("adj_return", DOUBLE), "seed", "return"),
        Parameter(symbol("adj_p", Pointer(pair)), "adjoint", "p", "host"),
        Parameter(symbol("adj_q", Pointer(pair)), "adjoint", "q", "host"),
    ]
    c = """struct p { int n; double x; } *p = args[0], *q = A(1, struct p *), *ap = A(3, struct p *);
           ap->x += A(2, double) * q[0].x; A(4, struct p *)[0].x += A(2, double) * p->x;
           *(double *)result = p->x * q[0].x; return 0;"""
    plan = Plan(
        executable(c, parameters, DOUBLE), Interface(parameters, signature_of(function), frozenset()), ("p", "q")
    )
    q = np.array([(1, 3.0), (2, 4.0)], np.dtype([("n", "i4"), ("x", "f8")], align=True))
    value, (p_bar, q_bar) = plan.gradient([{"n": 1, "x": 2.0}, q], {}, None)
    assert value == 6.0
    assert p_bar == {"n": 0, "x": 3.0}
    assert q_bar.tolist() == [(0, 2.0), (0, 0.0)]
    assert plan.gradient([{"n": 1, "x": 2.0}, q], {"return": 10}, None)[1][0]["x"] == 30.0
    with pytest.raises(ArgumentError, match=r"argument seeds\['return'\]: expected a number"):
        plan.gradient([{"n": 1, "x": 2.0}, q], {"return": np.ones(2)}, None)


class DeviceArray:
    """Looks like a CuPy array to hetad."""

    __cuda_array_interface__ = None
    dtype, ndim, size, shape, nbytes = np.dtype("f8"), 1, 3, (3,), 24
    flags = np.zeros(3).flags


def test_device_arrays_on_the_cpu_backend(axpy: Callable[..., Any]) -> None:
    with pytest.raises(ArgumentError, match="argument 'x': the CPU backend cannot take an array that lies in GPU"):
        axpy(3, 1.0, DeviceArray(), np.zeros(3))


@pytest.mark.parametrize("more", [{}, {"checked": True}, {"cpu_threads": 2}], ids=["plain", "checked", "threads"])
def test_a_launch_that_fails_is_placed(more: dict[str, Any]) -> None:
    source = """
__global__ void k(double *y) { y[threadIdx.x] = 1; }
void f(double *y, int n)
{
    k<<<1, n>>>(y);
}
void g(double *y, int n)
{
    k<<<0, 1>>>(y);
    for (int i = 0; i < 2; i++)
        k<<<1, n>>>(y);
}
"""
    program = hetad.loads(source, "f.cu")
    for name, place in (("f", "f.cu:5:5"), ("g", "f.cu:11:9")):
        with pytest.raises(hetad.ExecutionError, match=rf"^{place}: kernel k<<<.* more than 1024 threads"):
            program[name](np.zeros(2000), 2000, backend="cpu", **more)
        program[name](y := np.zeros(20), 20, backend="cpu", **more)
        assert y.tolist() == [1] * 20
