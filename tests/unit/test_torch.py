"""`hetad.torch`: functions of programs as PyTorch's own, on the CPU, and with the mark `cuda` on a GPU."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetad
from tests.adapters import need

torch = need("torch")

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

__global__ void mix_kernel(const float *x, const int *index, float *u, float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { u[i] = x[index[i]] * x[i]; v[2 * i] = x[i]; v[2 * i + 1] = expf(x[i]); }
}
void mix(const float *x, const int *index, float *u, float *v, int n)
{
    mix_kernel<<<(n + 31) / 32, 32>>>(x, index, u, v, n);
}

__global__ void step_kernel(double *u, double *next, double k, int n)
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
__global__ void turn_kernel(float2 *y, const float2 *x, float angle, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i].x = cosf(angle) * x[i].x - sinf(angle) * x[i].y;
        y[i].y = sinf(angle) * x[i].x + cosf(angle) * x[i].y;
    }
}
void turn(float2 *y, const float2 *x, float angle, int n) { turn_kernel<<<(n + 31) / 32, 32>>>(y, x, angle, n); }
struct Pair { double a, b; };
void of_struct(Pair p, const double *x, double *y) { y[0] = p.a * x[0]; }
void scaled(double *y, const double *x, double lambda, int n) { for (int i = 0; i < n; i++) y[i] = lambda * x[i]; }
void only_reads(double *y, const double *x) { double z = y[0] * x[0]; (void)z; }
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "torch.cu")


@pytest.fixture(scope="module")
def wave(program: hetad.Program) -> Any:
    return hetad.torch.function(program["wave"], of={"y": "x"}, given={"n": lambda x: x.numel()})


@pytest.fixture(scope="module")
def energy(program: hetad.Program) -> Any:
    return hetad.torch.function(program["energy"], given={"n": lambda x: x.shape[0]})


def wave_in_torch(a: Any, x: Any) -> Any:
    return torch.sin(a * x) * x


def energy_in_torch(x: Any, w: Any) -> Any:
    return (x**2 * w**2 + x * torch.roll(x, -1)).sum()


def random(*shape: int, dtype: Any = None, device: str = "cpu") -> Any:
    values = np.random.default_rng(sum(shape) + 5).uniform(0.2, 1.5, shape)
    return torch.tensor(values, dtype=dtype or torch.float64, device=device)


def leaf(tensor: Any) -> Any:
    return tensor.clone().requires_grad_()


# --- derivatives ---------------------------------------------------------------------------------


def test_gradcheck(wave: Any, energy: Any) -> None:
    a, x, w = leaf(random()), leaf(random(5)), leaf(random(5, 1)[:, 0])
    for f, args in ((wave, (a, x)), (energy, (x, w)), (wave, (a, leaf(random(2, 3))))):
        assert torch.autograd.gradcheck(f, args, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(f, args, check_fwd_over_rev=True)


def test_opcheck(wave: Any, energy: Any) -> None:
    a, x, w = leaf(random()), leaf(random(5)), leaf(random(5))
    torch.library.opcheck(wave.operator, (a, x))
    torch.library.opcheck(energy.operator, (x, w))
    torch.library.opcheck(wave.operators.vjp.operator, (a, x, random(5), 2))
    torch.library.opcheck(wave.operators.jvp.operator, (a, x, random(0), random(5), 2))
    torch.library.opcheck(energy.operators.hvp.operator, (x.detach(), w.detach(), x.detach(), w.detach(), random(), 3))


def test_values_and_gradients_are_those_of_torch(wave: Any, energy: Any) -> None:
    a, x, w = random(), random(700), random(700)
    for f, own, args in ((wave, wave_in_torch, (a, x)), (energy, energy_in_torch, (x, w))):
        ours, theirs = [leaf(v) for v in args], [leaf(v) for v in args]
        found, expected = f(*ours), own(*theirs)
        torch.testing.assert_close(found, expected)
        seed = torch.randn_like(expected)
        torch.testing.assert_close(torch.autograd.grad(found, ours, seed), torch.autograd.grad(expected, theirs, seed))


def test_transformations_of_functions(wave: Any, energy: Any) -> None:
    func, a, x, w = torch.func, random(), random(4), random(4)
    for transform in (func.jacrev, func.jacfwd):
        for n in (0, 1):
            torch.testing.assert_close(transform(wave, n)(a, x), transform(wave_in_torch, n)(a, x))
    for n in (0, 1):
        expected = func.hessian(energy_in_torch, n)(x, w)
        for second in (
            func.hessian(energy, n), func.jacrev(func.jacrev(energy, n), n), func.jacrev(func.jacfwd(energy, n), n),
        ):  # fmt: skip
            torch.testing.assert_close(second(x, w), expected)
    rows = random(3, 4)
    torch.testing.assert_close(func.vmap(energy, (0, None))(rows, w), func.vmap(energy_in_torch, (0, None))(rows, w))
    ours, theirs = (func.vmap(func.grad(f), (1, None))(rows.t(), w) for f in (energy, energy_in_torch))
    torch.testing.assert_close(ours, theirs)
    primal, tangent = func.jvp(lambda v: wave(2.0, v), (x,), (w,))
    expected_primal, expected_tangent = func.jvp(lambda v: wave_in_torch(2.0, v), (x,), (w,))
    torch.testing.assert_close((primal, tangent), (expected_primal, expected_tangent))


def test_dual_numbers(wave: Any) -> None:
    x, v = random(4), torch.ones(4, dtype=torch.float64)
    with torch.autograd.forward_ad.dual_level():
        out = wave(2.0, torch.autograd.forward_ad.make_dual(x, v))
        tangent = torch.autograd.forward_ad.unpack_dual(out).tangent
    torch.testing.assert_close(tangent, 2 * torch.cos(2 * x) * x + torch.sin(2 * x))


def test_what_has_no_derivative_says_so(wave: Any) -> None:
    x = leaf(random(3))
    (first,) = torch.autograd.grad(wave(1.0, x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    torch.testing.assert_close(second, 2 * torch.cos(x) - torch.sin(x) * x)
    with pytest.raises(hetad.ArgumentError, match="hetad has no third derivatives"):
        torch.autograd.grad(second.sum(), x)
    with pytest.raises(hetad.ArgumentError, match="nor a forward derivative of a forward derivative"):
        torch.func.jacfwd(torch.func.jacfwd(lambda v: wave(1.0, v)))(random(3))


# --- compiled ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_compiled_with_one_graph(wave: Any, energy: Any) -> None:
    torch._dynamo.reset()

    def ours(a: Any, x: Any, w: Any) -> Any:
        return energy(wave(a, x * 2), w + 1) * 2 + wave(0.5, x).sum()

    def theirs(a: Any, x: Any, w: Any) -> Any:
        return energy_in_torch(wave_in_torch(a, x * 2), w + 1) * 2 + wave_in_torch(0.5, x).sum()

    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager", dynamic=True)
    for size in (5, 9):
        args = [leaf(random()), leaf(random(size)), leaf(random(size))]
        value, expected = compiled(*args), theirs(*args)
        torch.testing.assert_close(value, expected)
        torch.testing.assert_close(torch.autograd.grad(value, args), torch.autograd.grad(expected, args))


# --- outputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [("n", 2), lambda x, n: (n, 2), lambda x: (*x.shape, 2)])
def test_several_outputs_and_shapes(program: hetad.Program, shape: Any) -> None:
    mix = hetad.torch.function(program["mix"], of={"v": shape, "u": "x"})
    x = leaf(random(6, dtype=torch.float32))
    index = torch.tensor([5, 4, 3, 2, 1, 0], dtype=torch.int32)
    v, u = mix(x, index, 6)
    assert (v.shape, u.shape) == ((6, 2), (6,))
    expected = (x[index.long()] * x).sum() + 3 * x.sum() + 3 * torch.exp(x).sum()
    ours, theirs = (torch.autograd.grad(e, x)[0] for e in (u.sum() + 3 * v.sum(), expected))
    torch.testing.assert_close(ours, theirs)
    (alone,) = torch.autograd.grad(mix(x, index, 6)[1].sum(), x)
    torch.testing.assert_close(alone, 2 * x.detach().flip(0))


def logistic(u: Any, k: Any, steps: int) -> Any:
    for _ in range(steps):
        u = u + k * u * (1 - u)
    return u


def test_an_output_that_is_an_argument(program: hetad.Program) -> None:
    march = hetad.torch.function(program["march"], of="u", scratch={"work": "u"}, given={"n": lambda u: u.numel()})
    u, k = leaf(random(5)), leaf(torch.tensor(0.3, dtype=torch.float64))
    before = u.detach().clone()
    assert torch.autograd.gradcheck(lambda u, k: march(u, k, 3), (u, k), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda u, k: march(u, k, 2), (u, k))
    torch.testing.assert_close(march(u, k, 3), logistic(u, k, 3))
    assert torch.equal(u, before)


def test_arguments_that_are_overwritten(program: hetad.Program) -> None:
    march = hetad.torch.function(program["march"], mutates="u", scratch={"work": "u"}, given={"n": 4})
    u = random(4)
    expected = logistic(u.clone(), 0.3, 2)
    assert march(u, 0.3, 2) is None
    torch.testing.assert_close(u, expected)
    start, k = leaf(random(4)), leaf(torch.tensor(0.3, dtype=torch.float64))
    state = start * 1
    march(state, k, 2)
    ours = torch.autograd.grad(state.sum(), (start, k))
    torch.testing.assert_close(ours, torch.autograd.grad(logistic(start, k, 2).sum(), (start, k)))


def test_a_kernel(program: hetad.Program) -> None:
    f = hetad.torch.function(program["wave_kernel"], of={"y": "x"}, grid=lambda n: (n + 3) // 4, block=4)
    x = leaf(random(10))
    torch.testing.assert_close(
        hetad.torch.function(
            program["wave_kernel"],
            of={"y": lambda n: (n,)},
            given={"n": lambda x: x.numel()},
            grid=lambda n: n,
            block=1,
        )(0.5, x),
        wave_in_torch(0.5, x),
    )
    assert torch.autograd.gradcheck(lambda x: f(10, 0.5, x), x, check_forward_ad=True)
    torch.testing.assert_close(f(n=10, a=0.5, x=x), wave_in_torch(0.5, x))


def test_names_that_python_reserves(program: hetad.Program) -> None:
    f = hetad.torch.function(program["scaled"], of={"y": lambda lambda_, n: (n,)}, given={"n": lambda x: x.numel()})
    torch.testing.assert_close(f(random(3), 2.0), 2 * random(3))
    assert list(inspect.signature(f).parameters) == ["x", "lambda_"]


def test_vectors_of_cuda_are_a_last_axis(program: hetad.Program) -> None:
    turn = hetad.torch.function(program["turn"], of={"y": "x"}, given={"n": lambda x: x.shape[0]})
    x, angle = leaf(random(7, 2, dtype=torch.float32)), leaf(torch.tensor(0.3))
    matrix = torch.stack([torch.cos(angle), -torch.sin(angle), torch.sin(angle), torch.cos(angle)]).reshape(2, 2)
    weights = random(2, 7, dtype=torch.float32).t()
    ours, theirs = (torch.autograd.grad((y * weights).sum(), (x, angle)) for y in (turn(x, angle), x @ matrix.t()))
    torch.testing.assert_close(ours, theirs)


def test_tensors_that_are_not_contiguous(wave: Any) -> None:
    x = random(6, 4).t()[::2]
    ours, theirs = leaf(x), leaf(x)
    torch.testing.assert_close(wave(1.0, ours.t()), wave_in_torch(1.0, theirs.t()))
    wave(1.0, ours.t()).t().sum().backward()
    wave_in_torch(1.0, theirs.t()).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_nothing_at_all(wave: Any) -> None:
    x = torch.zeros(0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(wave(1.0, x).sum(), x)[0].shape == (0,)


def test_who_watches_operators_sees_one(wave: Any) -> None:
    """Elsewhere the operator is passed by."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[Any] = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(f)
            return f(*args, **(kwargs or {}))

    x = leaf(random(5))
    with Watching():
        watched = wave(1.5, x)
        of_watched = torch.autograd.grad(watched.sum(), x)
    assert {op for op in seen if op.namespace == "hetad"} == {
        wave.operators.value.operator._opoverload, wave.operators.vjp.operator._opoverload
    }  # fmt: skip
    seen.clear()
    y = wave(1.5, x)
    torch.testing.assert_close(y, watched, rtol=0, atol=0)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), of_watched, rtol=0, atol=0)
    assert not seen
    with torch.no_grad():
        assert not wave(1.5, x).requires_grad


def test_memory_of_the_caller_is_used(program: hetad.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs are read where they lie."""
    seen: list[Any] = []
    call = hetad.Function.__call__

    def recorded(self: Any, *args: Any, **named: Any) -> Any:
        seen.extend(v.data_ptr() for v in args if isinstance(v, torch.Tensor))
        return call(self, *args, **named)

    monkeypatch.setattr(hetad.Function, "__call__", recorded)
    x = random(4)
    y = hetad.torch.function(program["wave"], of={"y": "x"})(4, 1.0, x)
    assert seen == [x.data_ptr(), y.data_ptr()]


def test_modules_that_hold_one_can_be_copied(wave: Any) -> None:
    class Layer(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.wave = wave
            self.a = torch.nn.Parameter(random())

        def forward(self, x: Any) -> Any:
            return self.wave(self.a, x)

    layer = copy.deepcopy(Layer())
    layer(random(3)).sum().backward()
    assert layer.a.grad is not None


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(1.0, random(3, dtype=torch.float32)), r"argument 'x': expected a tensor of torch.float64.*\.to\("),
        (lambda f: f(1.0, np.ones(3)), "argument 'x': expected a tensor, got a ndarray.*torch.as_tensor"),
        (lambda f: f(random(1), random(3)), r"argument 'a': expected a number, got a tensor of shape \(1,\)"),
        (lambda f: f("1", random(3)), "argument 'a': expected a number, got a str"),
        (lambda f: f(random(3)), "expected 2 arguments"),
        (lambda f: f(1.0, random(3), y=random(3)), "there is no parameter 'y'"),
    ],
)
def test_arguments_that_do_not_fit(wave: Any, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=f"(?s){message}.*"):
        call(wave)


def test_integers_are_plain(program: hetad.Program) -> None:
    f = hetad.torch.function(program["wave"], of={"y": "x"})
    with pytest.raises(hetad.ArgumentError, match="argument 'n': expected an integer of Python, got a tensor"):
        f(torch.tensor(3), 1.0, random(3))
    with pytest.raises(hetad.ArgumentError, match="argument 'x': expected at least 4 elements, got 3"):
        f(4, 1.0, random(3))


def test_an_argument_outside_wrt_has_no_gradient(program: hetad.Program) -> None:
    f = hetad.torch.function(program["wave"], of={"y": "x"}, wrt="x", given={"n": 3})
    a, x = leaf(random()), leaf(random(3))
    torch.autograd.grad(f(a.detach(), x).sum(), x)
    with pytest.raises(hetad.ArgumentError, match="argument 'a': this argument requires a gradient, and is no part of"):
        torch.autograd.grad(f(a, x).sum(), x)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("wave", {}, "of is omitted, which means the return value"),
        ("wave", {"of": "z"}, "there is no parameter 'z'"),
        ("wave", {"of": {"x": "y"}}, "the function never writes to 'x'"),
        ("wave", {"of": {"y": "x"}, "given": {"m": 1}}, "given: there is no parameter 'm'"),
        ("wave", {"of": {"y": "x"}, "scratch": {"y": "x"}}, "'y' is an output already"),
        ("wave", {"of": {"y": "x"}, "scratch": {"n": "x"}}, "'n' is no array"),
        ("wave", {"of": {"y": "x"}, "wrt": "y"}, "wrt: 'y' is made for each call"),
        ("wave", {"of": {"y": "x"}, "wrt": "n"}, "'n' holds no floating values"),
        ("wave", {"of": {"y": "x"}, "mutates": "x"}, "the function never writes to 'x'"),
        ("wave", {"of": {"y": "x"}, "name": "wave"}, "'library::name'"),
        ("wave_kernel", {"of": {"y": "x"}}, "a kernel needs grid= and block="),
        ("of_struct", {"of": {"y": "x"}}, "argument 'p': a Pair is no argument"),
    ],
)
def test_what_does_not_fit_the_function(
    program: hetad.Program, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(hetad.ArgumentError, match=message):
        hetad.torch.function(program[name], **options)


@pytest.mark.parametrize(
    ("shape", "message"),
    [(("m",), "names 'm', which is no integer argument"), (lambda z: z.shape, "asks for 'z'; there are n, a, x")],
)
def test_shapes_that_name_nothing(program: hetad.Program, shape: Any, message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=message):
        hetad.torch.function(program["wave"], of={"y": shape})(3, 1.0, random(3))


def test_a_struct_can_be_given(program: hetad.Program) -> None:
    f = hetad.torch.function(program["of_struct"], of={"y": (1,)}, given={"p": {"a": 3.0, "b": 0.0}})
    assert f(random(1)).item() == 3 * random(1).item()


# --- on a GPU ------------------------------------------------------------------------------------


@pytest.fixture
def on_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")


@pytest.mark.cuda
@pytest.mark.usefixtures("on_gpu")
def test_gradcheck_on_the_gpu(wave: Any, energy: Any) -> None:
    a, x, w = leaf(random()), leaf(random(5, device="cuda")), leaf(random(5, device="cuda"))
    for args in ((a, x), (leaf(a.detach().cuda()), x)):
        assert torch.autograd.gradcheck(wave, args, check_forward_ad=True, nondet_tol=1e-9)
        assert torch.autograd.gradgradcheck(wave, args, nondet_tol=1e-9)
    torch.library.opcheck(wave.operator, (a, x))
    out = wave(a, x)
    assert out.device == x.device
    torch.testing.assert_close(out, wave_in_torch(a, x))
    with pytest.raises(hetad.ArgumentError, match=f"argument 'w': this tensor is on cpu, and x on {x.device}"):
        energy(x, w.detach().cpu())


@pytest.mark.cuda
@pytest.mark.usefixtures("on_gpu")
def test_order_on_streams_of_torch(wave: Any) -> None:
    """What comes before on the stream is seen, and what comes after sees the result, without a wait."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x = torch.zeros(1 << 20, dtype=torch.float64, device="cuda")
        torch.cuda._sleep(50_000_000)
        x += 1.5
        leafed = leaf(x)
        found = wave(2.0, leafed) * 2
        (gradient,) = torch.autograd.grad(found.sum(), leafed)
    side.synchronize()
    torch.testing.assert_close(found, torch.full_like(found, 2 * 1.5 * float(np.sin(3.0))))
    torch.testing.assert_close(gradient, torch.full_like(x, 2 * float(np.sin(3.0) + 3 * np.cos(3.0))))


@pytest.mark.cuda
@pytest.mark.usefixtures("on_gpu")
def test_tensors_on_the_gpu_are_not_copied(program: hetad.Program) -> None:
    x, y = random(4, device="cuda"), torch.zeros(4, dtype=torch.float64, device="cuda")
    program["wave"](4, 1.0, x, y, backend="cuda")
    torch.testing.assert_close(y, wave_in_torch(1.0, x))
    r = hetad.gradient(program["wave"], wrt="x", of="y", backend="cuda")(4, 1.0, x, y, seeds={"y": torch.ones_like(y)})
    assert r["x"].device == x.device
    torch.testing.assert_close(r["x"], torch.cos(x) * x + torch.sin(x))
    with pytest.raises(hetad.ArgumentError, match="the CPU backend cannot take an array that lies in GPU memory"):
        program["wave"](4, 1.0, x, y, backend="cpu")


def test_where_nothing_is_differentiated_nothing_is_kept(wave: Any) -> None:
    x, strided = random(40), random(80)[::2]
    for given in (x, strided):
        kept = wave(1.3, leaf(given))
        assert kept.grad_fn is not None
        with torch.no_grad():
            alone = wave(1.3, leaf(given))
        for found in (alone, wave(1.3, given)):
            assert not found.requires_grad
            assert torch.equal(found, kept)
