"""`hetad.jax`: functions of programs as JAX's own, on the CPU, and with the mark `cuda` on a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetad
from tests.adapters import need

jax = need("jax")
jnp = need("jax.numpy")
test_util = need("jax.test_util")

PROGRAM = """
__global__ void wave_kernel(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sin(a * x[i]) * x[i];
}
void wave(int n, double a, const double *x, double *y) { wave_kernel<<<(n + 31) / 32, 32>>>(n, a, x, y); }
double energy(const double *x, const double *w, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * w[i] * w[i] + x[i] * x[(i + 1) % n];
    return s;
}
void mix(const float *x, const int *index, float *u, float *v, int n, bool twice)
{
    for (int i = 0; i < n; i++) {
        u[i] = x[index[i]] * x[i] * (twice ? 2 : 1);
        v[2 * i] = x[i];
        v[2 * i + 1] = expf(x[i]);
    }
}
__global__ void step_kernel(const double *u, double *next, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = u[i] + k * u[i] * (1 - u[i]);
}
__global__ void copy_kernel(double *u, const double *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = next[i];
}
void march(double *u, double *work, double k, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        step_kernel<<<(n + 31) / 32, 32>>>(u, work, k, n);
        copy_kernel<<<(n + 31) / 32, 32>>>(u, work, n);
    }
}
"""


@pytest.fixture(autouse=True)
def _with_64_bits() -> Iterator[None]:
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "jax.cu")


@pytest.fixture(scope="module")
def wave(program: hetad.Program) -> Any:
    return hetad.jax.function(program["wave"], of={"y": "x"}, given={"n": lambda x: x.size})


@pytest.fixture(scope="module")
def energy(program: hetad.Program) -> Any:
    return hetad.jax.function(program["energy"], given={"n": lambda x: x.shape[0]})


def wave_in_jax(a: Any, x: Any) -> Any:
    return jnp.sin(a * x) * x


def energy_in_jax(x: Any, w: Any) -> Any:
    return (x**2 * w**2 + x * jnp.roll(x, -1)).sum()


def random(*shape: int) -> Any:
    return jnp.asarray(np.random.default_rng(sum(shape) + 5).uniform(0.2, 1.5, shape))


def close(found: Any, expected: Any) -> None:
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12), found, expected)


def plain(function: Any) -> Any:
    return function


# --- derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize("under", [pytest.param(plain, marks=pytest.mark.slow), pytest.param(jax.jit, id="jit")])
def test_values_and_derivatives_are_those_of_jax(wave: Any, energy: Any, under: Callable[[Any], Any]) -> None:
    for f, own, args in ((wave, wave_in_jax, (0.7, random(4))), (energy, energy_in_jax, (random(4), random(3, 4)[0]))):
        close(under(f)(*args), own(*args))
        for transform in (jax.jacrev, jax.jacfwd, jax.hessian):
            close(under(transform(f, (0, 1)))(*args), transform(own, (0, 1))(*args))
        for outer, inner in ((jax.jacrev, jax.jacrev), (jax.jacrev, jax.jacfwd)):
            close(under(outer(inner(f, (0, 1)), (0, 1)))(*args), jax.hessian(own, (0, 1))(*args))
    x, v = random(4), random(5)[:4]
    close(under(lambda x, v: jax.jvp(lambda x: wave(2.0, x), (x,), (v,)))(x, v),
          jax.jvp(lambda x: wave_in_jax(2.0, x), (x,), (v,)))  # fmt: skip
    close(under(jax.value_and_grad(energy, 1))(x, v), jax.value_and_grad(energy_in_jax, 1)(x, v))


def test_finite_differences(wave: Any, energy: Any) -> None:
    test_util.check_grads(wave, (0.7, random(5)), 2, modes=["rev"])
    test_util.check_grads(energy, (random(5), random(5)), 2, modes=["rev"])
    test_util.check_grads(wave, (0.7, random(5)), 1, modes=["fwd"])


def test_vmap_goes_through_the_entries(wave: Any, energy: Any) -> None:
    for transform in (plain, jax.grad, lambda f: jax.hessian(f, 1)):
        for axes in ((0, None), (1, 0), (None, 0)):
            args = [random(4) if a is None else random(4, 3) if a == 1 else random(3, 4) for a in axes]
            close(jax.jit(jax.vmap(transform(energy), axes))(*args), jax.vmap(transform(energy_in_jax), axes)(*args))
    scales, w = jnp.array([0.5, 1.0]), random(4)
    close(jax.grad(lambda s: jax.vmap(wave, (0, None))(s, w).sum())(scales),
          jax.grad(lambda s: jax.vmap(wave_in_jax, (0, None))(s, w).sum())(scales))  # fmt: skip


def test_inside_of_control_flow(wave: Any) -> None:
    def run(f: Any) -> Any:
        return lambda x: jax.lax.scan(lambda c, a: (f(a, c), c.sum()), x, jnp.array([0.5, 1.0, 1.5]))[1].sum()

    close(jax.jit(jax.grad(run(wave)))(random(4)), jax.grad(run(wave_in_jax))(random(4)))
    close(jax.grad(jax.checkpoint(run(wave)))(random(4)), jax.grad(run(wave_in_jax))(random(4)))


def test_what_has_no_derivative_says_so(wave: Any) -> None:
    with pytest.raises(hetad.ArgumentError, match="hetad has no third derivatives, nor a forward derivative of a for"):
        jax.jacfwd(jax.jacfwd(wave, 1), 1)(1.0, random(3))
    with pytest.raises(hetad.ArgumentError, match="hetad has no third derivatives"):
        jax.jacfwd(jax.hessian(wave, 1), 1)(1.0, random(3))


def test_devices_of_a_mesh() -> None:
    """A function is called on each, and the derivative with respect to what they share is summed."""
    code = """
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
import hetad, hetad.jax
from tests.unit.test_jax import PROGRAM, wave_in_jax, close
P, kind = jax.sharding.PartitionSpec, jax.sharding.AxisType.Auto
wave = hetad.jax.function(hetad.loads(PROGRAM)["wave"], of={"y": "x"}, given={"n": lambda x: x.size})
mesh = jax.make_mesh((4,), ("i",), axis_types=(kind,))
def loss(f):
    spread = jax.shard_map(f, mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"))
    return lambda a, x: (spread(a, x) ** 2).sum()
x = jnp.linspace(0.1, 1.5, 8)
close(jax.jit(loss(wave))(0.7, x), loss(wave_in_jax)(0.7, x))
close(jax.jit(jax.grad(loss(wave), (0, 1)))(0.7, x), jax.grad(loss(wave_in_jax), (0, 1))(0.7, x))
close(jax.jit(jax.hessian(loss(wave), (0, 1)))(0.7, x), jax.hessian(loss(wave_in_jax), (0, 1))(0.7, x))
inner = lambda f: jax.shard_map(
    lambda a, x: jax.grad(lambda a: f(a, x).sum())(a), mesh=mesh, in_specs=(P(), P("i")), out_specs=P())
close(jax.jit(inner(wave))(0.7, x), inner(wave_in_jax)(0.7, x))
placed = jax.device_put(x, jax.sharding.NamedSharding(mesh, P("i")))
close(jax.jit(wave)(0.7, placed), wave_in_jax(0.7, x))
print("done", len(jax.devices()))
"""
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.strip() == "done 4", done.stderr


# --- outputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [("n", 2), lambda x, n: (n, 2), lambda x: (*x.shape, 2)])
def test_several_outputs_and_shapes(program: hetad.Program, shape: Any) -> None:
    mix = hetad.jax.function(program["mix"], of={"v": shape, "u": "x"})
    x, index = random(6).astype(np.float32), jnp.array([5, 4, 3, 2, 1, 0], np.int32)
    v, u = mix(x, index, 6, True)
    assert (v.shape, u.shape, v.dtype) == ((6, 2), (6,), np.float32)
    np.testing.assert_allclose(u, 2 * x * x[::-1], rtol=1e-6)
    traced = jax.jit(mix, static_argnames=("n", "twice"))
    np.testing.assert_allclose(traced(x, index, n=6, twice=False)[1], x * x[::-1], rtol=1e-6)
    total = jax.jit(jax.grad(lambda x: mix(x, index, 6, False)[0].sum() + 3 * mix(x, index, 6, False)[1].sum()))
    np.testing.assert_allclose(total(x), 1 + jnp.exp(x) + 6 * x[::-1], rtol=1e-5)


def test_an_output_that_is_an_argument(program: hetad.Program) -> None:
    march = hetad.jax.function(program["march"], of="u", scratch={"work": "u"}, given={"n": lambda u: u.size})

    def logistic(u: Any, k: Any, steps: int) -> Any:
        for _ in range(steps):
            u = u + k * u * (1 - u)
        return u

    u = random(5)
    before = np.array(u)
    traced = jax.jit(march, static_argnums=2)
    for steps in (1, 3, 0):
        close(traced(u, 0.3, steps), logistic(u, 0.3, steps))
    for transform in (jax.jacrev, jax.jacfwd, jax.hessian):
        close(transform(march, (0, 1))(u, 0.3, 2), transform(logistic, (0, 1))(u, 0.3, 2))
    np.testing.assert_array_equal(u, before)


def test_a_kernel(program: hetad.Program) -> None:
    f = hetad.jax.function(program["wave_kernel"], of={"y": "x"}, grid=lambda n: (n + 3) // 4, block=4)
    x = random(10)
    close(f(10, 0.5, x), wave_in_jax(0.5, x))
    close(jax.grad(lambda x: f(10, 0.5, x).sum())(x), jax.grad(lambda x: wave_in_jax(0.5, x).sum())(x))


def test_nothing_at_all(wave: Any) -> None:
    assert jax.jit(jax.grad(lambda x: wave(1.0, x).sum()))(jnp.zeros(0)).shape == (0,)


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(3, 1.0, jnp.ones(3, np.float32)), "'x': expected an array of float64, got float32.*astype"),
        (lambda f: f(3, 1.0, [1.0, 2.0, 3.0]), "'x': expected an array, got a.* of shape"),
        (lambda f: f(3, jnp.ones(1), jnp.ones(3)), r"'a': expected a number, got an array of shape \(1,\)"),
        (lambda f: f(3, "1", jnp.ones(3)), "'a': expected a number, got a str"),
        (lambda f: f(3.0, 1.0, jnp.ones(3)), "'n': expected an integer, got a float"),
        (lambda f: jax.jit(f)(3, 1.0, jnp.ones(3)), "'n': this integer is traced.*static_argnames"),
        (lambda f: f(1.0, jnp.ones(3)), "expected 3 arguments"),
    ],
)
def test_arguments_that_do_not_fit(program: hetad.Program, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=f"(?s){message}"):
        call(hetad.jax.function(program["wave"], of={"y": "x"}))


def test_an_error_of_a_call_arrives(program: hetad.Program) -> None:
    f = hetad.jax.function(program["wave"], of={"y": "x"})
    with pytest.raises(Exception, match="wave: argument 'x': expected at least 4 elements, got 3"):
        jax.block_until_ready(f(4, 1.0, jnp.ones(3)))


def test_numbers_of_32_bits(wave: Any) -> None:
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(hetad.ArgumentError, match=r'(?s)JAX has numbers of 32 bits now.*"jax_enable_x64", True'):
        wave(1.0, jnp.ones(3))


def test_an_argument_outside_wrt_has_no_gradient(program: hetad.Program) -> None:
    f = hetad.jax.function(program["wave"], of={"y": "x"}, wrt="x", given={"n": 3})
    jax.grad(lambda x: f(0.5, x).sum())(jnp.ones(3))
    with pytest.raises(
        hetad.ArgumentError, match="argument 'a': this argument is differentiated, and is no part of wrt"
    ):
        jax.grad(lambda a: f(a, jnp.ones(3)).sum())(0.5)


# --- on a GPU ------------------------------------------------------------------------------------


@pytest.fixture
def on_gpu() -> None:
    try:
        jax.devices("cuda")
    except RuntimeError as problem:
        pytest.skip(f"JAX has no GPU: {problem}")


@pytest.mark.cuda
@pytest.mark.usefixtures("on_gpu")
def test_on_the_gpu(wave: Any, energy: Any) -> None:
    with jax.default_device(jax.devices("cuda")[0]):
        args = (0.7, random(900))
        assert jax.jit(wave)(*args).devices() == {jax.devices("cuda")[0]}
        close(jax.jit(wave)(*args), wave_in_jax(*args))
        close(jax.jit(jax.grad(lambda *v: wave(*v).sum(), (0, 1)))(*args),
              jax.grad(lambda *v: wave_in_jax(*v).sum(), (0, 1))(*args))  # fmt: skip
        for transform in (jax.jacfwd, jax.hessian):
            close(jax.jit(transform(wave, 1))(0.7, random(6)), transform(wave_in_jax, 1)(0.7, random(6)))
        close(jax.jit(lambda x: wave(2.0, wave(1.0, x * 2) + 1) * 3)(random(99)),
              wave_in_jax(2.0, wave_in_jax(1.0, random(99) * 2) + 1) * 3)  # fmt: skip
        with pytest.raises(jax.errors.JaxRuntimeError, match="this is a host pointer, and the array lies in device"):
            jax.jit(energy)(random(9), random(9)).block_until_ready()


@pytest.mark.cuda
@pytest.mark.usefixtures("on_gpu")
def test_arrays_on_the_gpu_are_not_copied(program: hetad.Program) -> None:
    with jax.default_device(jax.devices("cuda")[0]):
        x, y = random(4), jnp.zeros(4)
        r = hetad.gradient(program["wave"], wrt="x", of="y", backend="cuda")(4, 1.0, x, y, seeds={"y": jnp.ones(4)})
        assert isinstance(r["x"], jax.Array)
        close(r["x"], jnp.cos(x) * x + jnp.sin(x))
        with pytest.raises(hetad.ArgumentError, match="'y': the function writes to this array, which is read-only"):
            program["wave"](4, 1.0, x, y, backend="cuda")
