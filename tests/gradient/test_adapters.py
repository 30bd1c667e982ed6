"""Some programs of the corpus as functions of PyTorch and of JAX: outputs and gradients are those of hetad itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.run.arrays import members_of
from tests.adapters import need
from tests.corpus import cases

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cu"))[::36]


def numbers_of(value: Any) -> Any:
    """Arrays of `float3` as those of floats."""
    members = members_of(value.dtype) if isinstance(value, np.ndarray) else None
    return value if members is None else value.view(members[0]).reshape(*value.shape, members[1])


def by_torch(f: Any, call: dict[str, Any], wrt: Sequence[str], seeds: Any) -> tuple[Any, Any]:
    torch = need("torch")
    given = {n: torch.from_numpy(v.copy()) if isinstance(v, np.ndarray) else v for n, v in call.items()}
    leaves = [torch.as_tensor(given[n], dtype=None if n in call and np.ndim(call[n]) else torch.float64) for n in wrt]
    given |= {n: v.requires_grad_() for n, v in zip(wrt, leaves, strict=True)}
    outputs = f(**given)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    weights = [torch.from_numpy(np.asarray(s)).to(o.dtype) for s, o in zip(seeds(outputs), outputs, strict=True)]
    found = torch.autograd.grad(outputs, leaves, weights)
    return [o.detach().numpy() for o in outputs], [g.numpy() for g in found]


def by_jax(f: Any, call: dict[str, Any], wrt: Sequence[str], seeds: Any) -> tuple[Any, Any]:
    jax, jnp = need("jax"), need("jax.numpy")
    given = {n: jnp.asarray(v) if isinstance(v, np.ndarray) else v for n, v in call.items()}

    def part(*moved: Any) -> Any:
        found = f(**given | dict(zip(wrt, moved, strict=True)))
        return found if isinstance(found, tuple) else (found,)

    outputs, pullback = jax.vjp(part, *(jnp.asarray(given[n]) for n in wrt))
    weights = tuple(jnp.asarray(s, o.dtype) for s, o in zip(seeds(outputs), outputs, strict=True))
    return [np.asarray(o) for o in outputs], [np.asarray(g) for g in pullback(weights)]


@pytest.fixture
def _with_64_bits(request: pytest.FixtureRequest) -> Any:
    if request.getfixturevalue("library") == "jax":
        jax = need("jax")
        jax.config.update("jax_enable_x64", True)
        yield
        jax.config.update("jax_enable_x64", False)
    else:
        yield


@pytest.mark.usefixtures("_with_64_bits")
@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_gradients_through_a_library(path: Path, library: str) -> None:
    need(library)
    problem = cases(path)[0].problem
    function = hetad.load(problem.source, defines=problem.defines)[problem.function]
    names = function.compiled.signature.parameters
    values = {n: numbers_of(v) for n, v in zip(names, problem.arguments(function.parameters), strict=True)}
    given = {n: v for n, v in values.items() if v is None or isinstance(v, dict)}
    launch = dict(problem.launch or {})
    wrt = tuple(n for n in problem.wrt if n not in given)
    try:
        made = getattr(hetad, library).function(function, of=problem.of, wrt=wrt, given=given, **launch)
    except hetad.ArgumentError as problem_with_it:
        if not re.search(r"libraries (have no elements of|want .* 16 bits)", str(problem_with_it)):
            raise
        pytest.skip(str(problem_with_it))
    call = {a.name: values[a.name] for a in made.functional.arguments}
    call |= {a.name: float(values[a.name]) for a in made.functional.arguments if a.kind == "floating"}

    weights = np.random.default_rng(1)
    drawn: list[Any] = []

    def seeds(outputs: Sequence[Any]) -> list[Any]:
        drawn[:] = [weights.uniform(-1, 1, tuple(o.shape)) for o in outputs]
        return drawn

    outputs, found = (by_torch if library == "torch" else by_jax)(made, call, wrt, seeds)
    copies = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in values.items()}
    returned = function(*copies.values(), backend="cpu", **launch)
    of = made.functional.of
    for output, expected in zip(outputs, [returned] if of is None else [copies[n] for n in of], strict=True):
        np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)
    g = hetad.gradient(function, wrt, problem.of, backend="cpu")
    given_seeds: dict[str, Any] = (
        {"return": float(drawn[0])}
        if of is None
        else {n: s.astype(values[n].dtype) for n, s in zip(of, drawn, strict=True)}
    )
    expected_gradients = g(*values.values(), seeds=given_seeds, **launch)
    for name, gradient in zip(wrt, found, strict=True):
        np.testing.assert_allclose(gradient, expected_gradients[name], rtol=1e-4, atol=1e-5)
