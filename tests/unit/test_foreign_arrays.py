"""Arrays of other libraries, and what has the buffer protocol, in calls of functions and derivatives."""

from __future__ import annotations

import array
import ctypes
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.diagnostics import ArgumentError
from hetad.run import foreign
from tests.adapters import need

PROGRAM = """
__global__ void kernel(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i] * x[i];
}
void f(int n, double a, const double *x, double *y) { kernel<<<(n + 31) / 32, 32>>>(n, a, x, y); }
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }
int sum(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void grown(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] *= x[i] * x[i]; }
void halved(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] / 2; }
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "hand.cu")


class Exports:
    """An array of a library that hetad has never heard of, by DLPack alone."""

    def __init__(self, own: np.ndarray[Any, Any]) -> None:
        self.own = own
        self.shape = own.shape

    def __dlpack__(self, **named: Any) -> Any:
        return self.own.__dlpack__(**named)

    def __dlpack_device__(self) -> Any:
        return self.own.__dlpack_device__()

    def __array_namespace__(self, api_version: Any = None) -> Any:
        class Space:
            @staticmethod
            def from_dlpack(other: Any) -> Exports:
                return Exports(np.from_dlpack(other))

        return Space


class Interface:
    def __init__(self, own: np.ndarray[Any, Any]) -> None:
        self.own = own
        self.__array_interface__ = own.__array_interface__


Interface.__array_interface__ = None  # type: ignore[attr-defined]  # the type has it, too


def of_torch(values: Any) -> Any:
    return need("torch").from_numpy(np.array(values))


KINDS: list[Callable[[Any], Any]] = [
    of_torch,
    lambda values: Exports(np.array(values)),
    lambda values: Interface(np.array(values)),
    lambda values: memoryview(array.array("d", values)),
    lambda values: array.array("d", values),
    lambda values: (ctypes.c_double * len(values))(*values),
]
IDS = ["torch", "dlpack", "array interface", "memoryview", "array.array", "ctypes"]


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_memory_is_used_as_it_is(program: hetad.Program, kind: Callable[[Any], Any]) -> None:
    x, y = kind([1.0, 2.0, 3.0]), kind([10.0, 20.0, 30.0])
    program["f"](3, 2.0, x, y, backend="cpu")
    assert np.asarray(foreign.seen(y)).tolist() == [12.0, 28.0, 48.0]


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_derivatives_come_as_the_arguments_are(program: hetad.Program, kind: Callable[[Any], Any]) -> None:
    given = [1.0, -2.0, 0.5]
    x, y, seed = kind(given), kind([1.0, 1.0, 1.0]), kind([1.0, 10.0, 100.0])
    r = hetad.gradient(program["f"], wrt=("a", "x", "y"), of="y", backend="cpu")(3, 2.0, x, y, seeds={"y": seed})
    assert r["a"] == 1 + 40 + 25
    assert np.asarray(foreign.seen(r["x"])).tolist() == [4.0, -80.0, 200.0]
    t = hetad.jvp(program["f"], wrt="x", of="y", backend="cpu")
    values, tangents = t.value_and_jvp(3, 2.0, x, y, tangents={"x": seed})
    assert np.asarray(foreign.seen(values["y"])).tolist() == [3.0, 9.0, 1.5]
    assert np.asarray(foreign.seen(tangents["y"])).tolist() == [4.0, -80.0, 200.0]
    h = hetad.hvp(program["total"], wrt="x", backend="cpu")(x, 3, tangents={"x": seed})
    assert np.asarray(foreign.seen(h["x"])).tolist() == [6.0, -120.0, 300.0]
    second = hetad.hvp(program["f"], wrt="x", of="y", backend="cpu")(
        3, 2.0, x, y, tangents={"x": seed}, seeds={"y": kind([1.0, 1.0, 1.0])}
    )
    expected = type(x) if foreign.library(x) in (foreign.TORCH, foreign.BY_DLPACK) else np.ndarray
    for found in (r["x"], r["y"], values["y"], tangents["y"], h["x"], second["x"]):
        assert type(found) is expected
    assert np.asarray(foreign.seen(second["x"])).tolist() == [4.0, 40.0, 400.0]
    assert np.asarray(foreign.seen(x)).tolist() == given
    assert np.asarray(foreign.seen(y)).tolist() == [1.0, 1.0, 1.0]
    matrix = hetad.jacobian(program["f"], wrt="x", of="y", backend="cpu")(3, 2.0, x, y)
    assert matrix["y"]["x"].diagonal().tolist() == [4.0, -8.0, 2.0]


def test_gradients_in_place_on_tensors(program: hetad.Program) -> None:
    x, y, seed, total, adjoint = (of_torch(v) for v in ([1.0, 2.0], [0.0, 0.0], [1.0, 1.0], [0.0], [5.0, 5.0]))
    hetad.gradient(program["f"], wrt=("a", "x"), of="y", backend="cpu").execute(2, 1.0, x, y, seed, total, adjoint)
    assert adjoint.tolist() == [7.0, 9.0]
    assert total.tolist() == [5.0]


def test_batches_of_tensors(program: hetad.Program) -> None:
    g = hetad.gradient(program["total"], wrt="x", backend="cpu", batch=2, batched="x")
    values, r = g.value_and_grad(of_torch([[1.0, 2.0], [3.0, 4.0]]), 2, seeds={"return": of_torch([1.0, 10.0])})
    assert values.tolist() == [9.0, 91.0]
    assert type(r["x"]).__module__ == "torch"
    assert r["x"].tolist() == [[3.0, 12.0], [270.0, 480.0]]


def test_numbers_of_other_libraries(program: hetad.Program) -> None:
    y = np.zeros(2)
    program["f"](of_torch(2), of_torch(3.0), np.array([1.0, 2.0]), y, backend="cpu")
    assert y.tolist() == [3.0, 12.0]
    with pytest.raises(ArgumentError, match="argument 'a': expected a number"):
        program["f"](2, of_torch([3.0]), np.array([1.0, 2.0]), y, backend="cpu")


def test_arrays_of_jax(program: hetad.Program) -> None:
    need("jax")
    jnp = need("jax.numpy")
    x, y = jnp.array([1.0, 2.0], np.float32), jnp.zeros(2, np.float32)
    with pytest.raises(ArgumentError, match="argument 'y': the function writes to this array, which is read-only"):
        program["halved"](y, x, 2, backend="cpu")
    r = hetad.gradient(program["halved"], wrt="x", of="y", backend="cpu")(y, x, 2, seeds={"y": x})
    assert isinstance(r["x"], type(x))
    assert r["x"].tolist() == [0.5, 1.0]
    values, _ = hetad.jvp(program["halved"], wrt="x", of="y", backend="cpu").value_and_jvp(y, x, 2, tangents={"x": x})
    assert isinstance(values["y"], type(x))
    assert (values["y"].tolist(), y.tolist()) == ([0.5, 1.0], [0.0, 0.0])


def test_inside_jit_nothing_has_numbers(program: hetad.Program) -> None:
    jax = need("jax")
    out = np.zeros(2, np.float32)
    with pytest.raises(ArgumentError, match=r"(?s)argument 'x': inside a transformation.*help: .*hetad.jax.function"):
        jax.jit(lambda x: program["halved"](out, x, 2, backend="cpu"))(np.ones(2, np.float32))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda torch: torch.ones(3, dtype=torch.float64, requires_grad=True), "requires a gradient.*hetad.torch.func"),
        (lambda torch: torch.ones(3), "expected an array of float64, got float32"),
        (lambda torch: torch.ones(3, 2, dtype=torch.float64).t(), "not C-contiguous"),
        (lambda torch: torch.ones(3, dtype=torch.float64).to_sparse(), "PyTorch does not hand out the memory"),
        (lambda torch: torch.ones(3, dtype=torch.float64, device="meta"), "PyTorch does not hand|lies in GPU memory"),
        (lambda torch: torch.ones(2, dtype=torch.float64), "expected at least 3 elements, got 2"),
    ],
)
def test_tensors_that_do_not_fit(program: hetad.Program, given: Callable[[Any], Any], message: str) -> None:
    torch = need("torch")
    with pytest.raises(ArgumentError, match=f"(?s)argument 'x': .*({message})"):
        program["f"](3, 1.0, given(torch), np.zeros(3), backend="cpu")


def test_a_tensor_that_requires_a_gradient_where_none_is_kept(program: hetad.Program) -> None:
    torch = need("torch")
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with torch.no_grad():
        assert program["total"](x, 2, backend="cpu") == 2.0


def test_half_precision_of_torch() -> None:
    torch = need("torch")
    program = hetad.loads(
        "__global__ void k(__nv_bfloat16 *y, const __nv_bfloat16 *x) { y[0] = __float2bfloat16(2 * "
        "__bfloat162float(x[0])); }\nvoid f(__nv_bfloat16 *y, const __nv_bfloat16 *x) { k<<<1, 1>>>(y, x); }"
    )
    x, y = torch.tensor([1.5], dtype=torch.bfloat16), torch.zeros(1, dtype=torch.bfloat16)
    program["f"](y, x, backend="cpu")
    assert y.tolist() == [3.0]


@pytest.mark.parametrize("given", [bytes(24), memoryview(bytes(24)).cast("d"), (1.0, 2, 3), [1, 2, 3], range(3)])
def test_what_cannot_be_written_to(program: hetad.Program, given: Any) -> None:
    with pytest.raises(ArgumentError, match="argument 'y': "):
        program["f"](3, 1.0, np.ones(3), given, backend="cpu")


def test_lists_of_numbers(program: hetad.Program) -> None:
    y = np.zeros(3)
    program["f"](3, 1.0, [1, 2.5, np.float32(2)], y, backend="cpu")
    assert y.tolist() == [1.0, 6.25, 4.0]
    assert program["sum"]((1, 2, 3), 3, backend="cpu") == 6
    assert program["sum"](range(4), 4, backend="cpu") == 6
    r = hetad.gradient(program["f"], wrt="x", of="y", backend="cpu")(2, 1.0, [1.0, 2.0], [0, 0], seeds={"y": [1, 1]})
    assert isinstance(r["x"], np.ndarray)
    assert r["x"].tolist() == [2.0, 4.0]


def test_the_tangent_of_a_list_is_zero(program: hetad.Program) -> None:
    h = hetad.hvp(program["grown"], wrt="x", of="y", backend="cpu")
    found = h([5.0, 7.0], [1.0, 2.0], 2, tangents={"x": [1.0, 10.0]}, seeds={"y": [1.0, 1.0]})
    assert found["x"].tolist() == [10.0, 140.0]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sum", [1.0, 2.0]), ("sum", [1, 2**40]), ("sum", [True]), ("sum", [1, None]), ("sum", [[1], [2, 3]]),
        ("total", ["1"]), ("total", [1j]), ("total", "12"), ("total", {1.0}), ("total", b"12345678"),
    ],
)  # fmt: skip
def test_lists_that_would_be_guessed_at(program: hetad.Program, name: str, given: Any) -> None:
    with pytest.raises(ArgumentError, match="argument 'x': expected an array of"):
        program[name](given, 1, backend="cpu")


def test_a_list_that_float_cannot_hold(program: hetad.Program) -> None:
    with pytest.raises(ArgumentError, match="argument 'x': expected an array of float32"):
        program["halved"](np.zeros(1, np.float32), [1e300], 1, backend="cpu")


def test_a_gradient_takes_what_is_read_only(program: hetad.Program) -> None:
    y = np.zeros(2)
    y.flags.writeable = False
    r = hetad.gradient(program["f"], wrt="x", of="y", backend="cpu")(2, 1.0, [1.0, 2.0], y, seeds={"y": np.ones(2)})
    assert r["x"].tolist() == [2.0, 4.0]


def test_nothing_is_imported_that_the_user_has_not_imported() -> None:
    code = (
        "import sys, hetad, array\n"
        "hetad.loads('double f(const double *x) { return x[0]; }')['f'](array.array('d', [1]), backend='cpu')\n"
        "print(*({'torch', 'jax', 'scipy', 'cupy', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
