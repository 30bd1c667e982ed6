"""Mistakes of somebody new to hetad: each message says what is meant, where, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetad

PROGRAM = """
struct Law { double a, b; };
__device__ double square(double v) { return v * v; }
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
void run(float *y, const float *x, float a, int n) { scale<<<(n + 31) / 32, 32>>>(y, x, a, n); }
void two(double *y, double *z, const double *x, double *spare, int n)
{
    for (int i = 0; i < n; i++) { y[i] = x[i] * x[i]; z[i] = 3 * x[i]; }
}
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
double under(struct Law law, double x) { return law.a * x + law.b; }
void bend(float3 *y, const float3 *x, int n) { for (int i = 0; i < n; i++) y[i].x = x[i].y; }
template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
"""
PLACE = r"hand\.cu:\d+"
SIGNATURE = rf"\n    .*\(.*\)    \({PLACE}\)"


def x(n: int = 4, dtype: Any = np.float64) -> Any:
    return np.ones(n, dtype)


def f(n: int = 4) -> Any:
    return np.ones(n, np.float32)


def loaded(text: str = PROGRAM) -> hetad.Program:
    return hetad.loads(text, "hand.cu")


def call(name: str, *args: Any, **named: Any) -> Callable[[], Any]:
    return lambda: loaded()[name](*args, backend="cpu", **named)


def gradient(name: str, *args: Any, make: dict[str, Any] | None = None, **named: Any) -> Callable[[], Any]:
    """A gradient, and its call if there are arguments."""

    def run() -> Any:
        g = hetad.gradient(loaded()[name], **{"backend": "cpu", **(make or {})})
        return g(*args, **named) if args else g

    return run


OF_TWO = {"wrt": "x", "of": ("y", "z")}
OF_RUN = {"wrt": "x", "of": "y"}
IN_TWO = (x(), x(), x(), x(), 4)

# What is done; what the message says; where it says it is; what it says helps.
MISTAKES: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    # --- the program
    "a text where a file is meant": (
        lambda: hetad.load(PROGRAM),
        "the name of a file is expected, not a text",
        "",
        "help: use hetad.loads",
    ),
    "a file where a text is meant": (
        lambda: hetad.loads("samples/axpy.cu"),
        "the text of a program is expected, not the name of a file",
        "",
        r"use hetad\.load\('samples/axpy\.cu'\)",
    ),
    "a misspelt keyword": (
        call("run", f(), f(), 1.0, 4, checkd=True),
        "there is no parameter 'checkd'",
        SIGNATURE,
        "help: did you mean checked=?",
    ),
    "the gradient of a gradient": (
        lambda: hetad.gradient(gradient("run", make=OF_RUN)(), wrt="x", of="y"),
        "expected a function of a loaded program, got <hetad gradient of y",
        "",
        "hetad.hvp is for second derivatives",
    ),
    "no such file": (lambda: hetad.load("wavve.cu"), "cannot read wavve.cu: No such file", "wavve.cu", ""),
    "a misspelt function": (
        lambda: loaded()["scal"],
        "no function 'scal' in hand.cu",
        "hand.cu",
        "help: did you mean scale",
    ),
    "a device function": (
        lambda: loaded()["square"],
        "square is a __device__ function, which only device code can call",
        r"__device__ double square",
        "help: differentiate a kernel that calls it",
    ),
    "a template without arguments": (
        lambda: loaded()["twice"],
        "'twice' is a template",
        PLACE,
        "help: name an instance of it, as 'twice<float>'",
    ),
    "a missing semicolon": (
        lambda: loaded("void f(double *x) { x[0] = 1 x[1] = 2; }")["f"],
        "syntax error|expected",
        r"hand\.cu:1:\d+[^^]*\^",
        "",
    ),
    "an undeclared name": (
        lambda: loaded("void f(double *x) { x[0] = alpha; }")["f"],
        "unknown name 'alpha'",
        r"hand\.cu:1:28[^^]*\^",
        "help: declare it, or include the header",
    ),
    "device code called by the host": (
        lambda: loaded("__device__ double g(double v) { return v; }\nvoid f(double *x) { x[0] = g(x[1]); }")["f"],
        "host code cannot call the __device__ function 'g'",
        r"hand\.cu:2:28[^^]*\^",
        "help: declare it __host__ __device__",
    ),
    "a kernel called like a function": (
        lambda: loaded("__global__ void k(double *x) { x[0] = 1; }\nvoid f(double *x) { k(x); }")["f"],
        "'k' is a kernel",
        r"hand\.cu:2:21[^^]*\^",
        "help: launch it: kernel<<<grid, block>>>",
    ),
    "what is not differentiated": (
        lambda: hetad.gradient(
            loaded(
                "__global__ void k(int *m, const float *x) { atomicMax(m, __float_as_int(x[threadIdx.x])); }\n"
                "void f(float *y, int *m, const float *x) { k<<<1, 8>>>(m, x); y[0] = __int_as_float(m[0]); }"
            )["f"],
            wrt="x",
            of="y",
        ),
        ".",
        r"hand\.cu:\d:\d+[^^]*\^",
        "help: ",
    ),
    # --- what is asked for
    "a function of Python": (
        lambda: hetad.gradient(len, wrt="x"),  # type: ignore[arg-type]
        "expected a function of a loaded program, got <built-in function len>",
        "",
        r"use hetad.load\(...\)\[name\]",
    ),
    "a misspelt parameter": (
        gradient("run", make={"wrt": "xx", "of": "y"}),
        "wrt: there is no parameter 'xx'",
        SIGNATURE,
        "help: did you mean x",
    ),
    "an integer in wrt": (
        gradient("run", make={"wrt": "n", "of": "y"}),
        r"wrt: 'n' holds no floating values \(int\)",
        SIGNATURE,
        "help: leave it out",
    ),
    "an empty wrt": (
        gradient("run", make={"wrt": (), "of": "y"}),
        "wrt is empty",
        SIGNATURE,
        "help: name at least one parameter",
    ),
    "no of": (
        gradient("run", make={"wrt": "x"}),
        "of is omitted, which means the return value, but it returns void",
        SIGNATURE,
        "help: name the outputs, as in of='y'",
    ),
    "of a number": (
        gradient("run", make={"wrt": "x", "of": "a"}),
        "of: 'a' is passed by value",
        SIGNATURE,
        "help: an output is a pointer",
    ),
    "of what is read-only": (
        gradient("run", make={"wrt": "a", "of": "x"}),
        "of: 'x' is read-only, so it is no output",
        SIGNATURE,
        "help: what it writes: y",
    ),
    "of what is never written": (
        gradient("two", make={"wrt": "x", "of": "spare"}),
        "of: 'spare' is never written by this function",
        SIGNATURE,
        "help: what it writes: y, z",
    ),
    "no such backend": (
        gradient("run", make={**OF_RUN, "backend": "gpu"}),
        "backend='gpu'",
        "",
        "there are 'cuda', 'cpu'",
    ),
    "no such optimisation": (
        gradient("run", make={**OF_RUN, "optimize": "gathr"}),
        "there is no optimisation 'gathr'",
        "",
        "did you mean gather",
    ),
    "a limit without a unit that exists": (
        gradient("run", make={**OF_RUN, "memory_limit": "8 gigs"}),
        "memory_limit='8 gigs'",
        "",
        "as in",
    ),
    # --- calls
    "no grid": (
        call("scale", f(), f(), 1.0, 4),
        "a kernel needs grid=",
        SIGNATURE,
        r"help: call it as kernel\(..., grid=\(40,\), block=\(256,\)\)",
    ),
    "a block that is too large": (
        call("scale", f(), f(), 1.0, 4, grid=1, block=2048),
        "a block has at most 1024 threads",
        SIGNATURE,
        "help: take more blocks",
    ),
    "a grid for a host function": (
        call("run", f(), f(), 1.0, 4, grid=1),
        "grid= is for kernels",
        SIGNATURE,
        "this host function launches by itself",
    ),
    "too few arguments": (
        call("run", f(), f(), 1.0),
        r"expected 4 arguments \(y, x, a, n\), got 3; n missing",
        SIGNATURE,
        "",
    ),
    "an argument given twice": (call("run", f(), f(), 1.0, 4, a=2.0), "argument 'a' is given twice", SIGNATURE, ""),
    "double for float": (
        call("run", f(), x(), 1.0, 4),
        "argument 'x': expected an array of float32, got float64",
        SIGNATURE,
        r"help: convert it with .astype\(np.float32\)",
    ),
    "a list to write to": (
        call("run", [0.0] * 4, f(), 1.0, 4),
        "argument 'y': expected an array of float32, got",
        SIGNATURE,
        r"help: use np.array\(..., dtype=np.float32\)",
    ),
    "a slice with strides": (
        call("run", f(), f(8)[::2], 1.0, 4),
        "argument 'x': the array is not C-contiguous",
        SIGNATURE,
        "help: C sees a pointer, not strides: pass np.ascontiguousarray",
    ),
    "a float for an integer": (
        call("run", f(), f(), 1.0, 4.0),
        r"argument 'n': expected an integer \(int\), got 4.0",
        SIGNATURE,
        "help: hetad rounds nothing: pass int",
    ),
    "a number that is too large": (
        call("run", f(), f(), 1.0, 2**31),
        "argument 'n': 2147483648 is out of range for int",
        SIGNATURE,
        "",
    ),
    "an array that is too short": (
        call("run", f(3), f(), 1.0, 4),
        "argument 'y': expected at least 4 elements, got 3",
        rf"reaches that far \({PLACE}",
        "help: pass an array of that length",
    ),
    "None for an array": (
        call("run", None, f(), 1.0, 4),
        "argument 'y': expected at least 4 elements, got None",
        rf"reaches that far \({PLACE}",
        "help: pass an array of that length",
    ),
    "complex numbers": (
        call("two", x(), x(), x(4, np.complex128), x(), 4),
        "expected an array of float64, got complex128",
        SIGNATURE,
        "help: pass x.real.copy.. and x.imag.copy..: hetad differentiates real numbers",
    ),
    "a masked array": (
        call("two", x(), x(), np.ma.masked_less(x(), 0), x(), 4),
        "a masked array has elements without a value",
        SIGNATURE,
        "help: pass x.filled",
    ),
    "vectors of the wrong width": (
        call("bend", np.ones((4, 4), np.float32), np.ones((4, 3), np.float32), 4),
        r"argument 'y': expected an array of float3, got float32 of shape \(4, 4\)",
        SIGNATURE,
        "help: an array of np.float32 whose last axis has 3 elements",
    ),
    "a field that is missing": (
        call("under", {"a": 1.0}, 2.0),
        "Law has the fields a, b, the mapping a",
        SIGNATURE,
        "",
    ),
    # --- calls of derivatives
    "one seed of two": (
        gradient("two", *IN_TWO, make=OF_TWO, seeds={"y": x()}),
        "the output 'z' is an array, so its gradient needs a seed",
        SIGNATURE,
        "help: pass seeds={'z': s}.*zeros leave this output out",
    ),
    "seeds without names": (
        gradient("two", *IN_TWO, make=OF_TWO, seeds=x()),
        "seeds must be a mapping, got a ndarray",
        SIGNATURE,
        "help: use seeds={'y': ..., 'z': ...}",
    ),
    "a seed of an input": (
        gradient("two", *IN_TWO, make=OF_TWO, seeds={"x": x()}),
        "seeds: there is no 'x'",
        SIGNATURE,
        "help: there is y, z",
    ),
    "a seed of another shape": (
        gradient("two", *IN_TWO, make=OF_TWO, seeds={"y": x(3), "z": x()}),
        r"expected the shape of y, \(4,\), got \(3,\)",
        SIGNATURE,
        "",
    ),
    "a name of a result": (
        lambda: gradient("total", x(), 4, make={"wrt": "x"})()["y"],
        "no gradient of 'y'; there are those of x",
        "",
        "",
    ),
    "value_and_grad of what returns nothing": (
        lambda: gradient("run", make=OF_RUN)().value_and_grad(f(), f(), 1.0, 4),
        "value_and_grad needs a function that returns a float or double",
        SIGNATURE,
        "help: call the gradient itself",
    ),
    "no tangents of an input": (
        lambda: hetad.jvp(loaded()["two"], wrt="x", of="y", backend="cpu")(*IN_TWO, tangents={}),
        "there is no tangent of 'x'",
        SIGNATURE,
        "help: pass tangents={'x': v}, where v is like x; zeros hold it fixed",
    ),
    "one set of two": (
        gradient("run", f(), f(), 1.0, 4, make={**OF_RUN, "batch": 2, "batched": "x"}, seeds={"y": f()}),
        "expected a first axis of 2, one for each set of the batch",
        SIGNATURE,
        "help: leave x out of batched=",
    ),
}


def test_functions_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match=r"its functions are items: program\['run'\]"):
        loaded().run  # noqa: B018


def test_there_are_thirty() -> None:
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake(name: str) -> None:
    make, says, place, helps = MISTAKES[name]
    with pytest.raises((hetad.HetadError, KeyError)) as caught:
        make()
    message = str(caught.value)
    for part in (says, place, helps):
        assert re.search(part, message, re.DOTALL), message


def test_shared_memory_of_arguments_is_told() -> None:
    both = x()
    with pytest.raises(
        hetad.ArgumentError, match=r"'y' and 'x' share memory, and the function writes to y.*\n.*\n  help: pass a copy"
    ):
        loaded()["two"](both, x(), both, x(), 4, backend="cpu")


def test_a_read_only_array_is_not_written() -> None:
    fixed = x()
    fixed.flags.writeable = False
    with pytest.raises(hetad.ArgumentError, match=r"to this array, which is read-only.*\n.*\n  help: pass a copy"):
        loaded()["two"](fixed, x(), x(), x(), 4, backend="cpu")
