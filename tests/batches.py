"""Whether a batch gives the numbers of as many calls."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import hetad
from hetad.adjoint.options import OPTIMISATIONS, is_named
from hetad.checks.comparison import inner_bits
from hetad.directions import from_vector, to_vector

SETS = 3


def check_batch(
    function: hetad.Function, arguments: Sequence[Any], wrt: Sequence[str], of: Sequence[str] | None, *,
    backend: str = "cpu", launch: Mapping[str, Any] | None = None, shared: Sequence[str] = (),
    exact: bool | None = None, **options: Any,
) -> None:  # fmt: skip
    """Fails unless the gradients for three sets are those of three calls: sets of all arguments that hold floating
    numbers, but for those in `shared`.  `exact`: to the last bit, as on one thread of the CPU.

    With the optimisation `sets` by name they run at once where they can; then sums over threads have another order."""
    optimize = options.get("optimize", True)
    in_turn = options.get("cpu_threads", 1) == 1 and not is_named("sets", optimize)
    exact = backend == "cpu" and (options.get("deterministic", False) or in_turn) if exact is None else exact
    names = [p.name for p in function.parameters]
    batched = [n for n, a in zip(names, arguments, strict=True) if to_vector(a).size and n not in shared]
    sets = [[_another(a, i) if n in batched else a for n, a in zip(names, arguments, strict=True)] for i in range(SETS)]
    seeds = [_seeds(dict(zip(names, one, strict=True)), of, i) for i, one in enumerate(sets)]
    together = [_stacked([one[i] for one in sets]) if n in batched else arguments[i] for i, n in enumerate(names)]
    kept = copy.deepcopy(together)
    single = hetad.gradient(function, wrt=wrt, of=of, backend=backend, **options)
    many = hetad.gradient(function, wrt=wrt, of=of, backend=backend, batch=SETS, batched=batched, **options)
    given = {n: _stacked([s[n] for s in seeds]) for n in seeds[0]}
    found = many(*together, seeds=given, **(launch or {}))
    for before, after in zip(kept, together, strict=True):
        np.testing.assert_equal(after, before, err_msg="arguments stay as they are")
    for i, one in enumerate(sets):
        alone = single(*one, seeds=seeds[i], **(launch or {}))
        for name in wrt:
            mine = found[name][i]
            expected = to_vector(
                np.array(tuple(alone[name].values())) if isinstance(alone[name], dict) else alone[name]
            )
            actual = to_vector(np.array(tuple(mine)) if isinstance(mine, np.void) else mine)
            what = f"{name} of set {i}"
            if exact:
                np.testing.assert_array_equal(actual, expected, err_msg=what)
            else:
                noise = 1e-4 if inner_bits(single.derivative.program) == 32 else 1e-11
                np.testing.assert_allclose(actual, expected, rtol=noise, atol=noise, err_msg=what)


AT_ONCE = tuple(OPTIMISATIONS)
ONE_BY_ONE = tuple(name for name in OPTIMISATIONS if name != "sets")


def runs_at_once(
    function: hetad.Function, arguments: Sequence[Any], wrt: Sequence[str], of: Sequence[str] | None, **options: Any
) -> bool:
    """Whether the sets of a batch of all that holds floating numbers run at once."""
    batched = [p.name for p, a in zip(function.parameters, arguments, strict=True) if to_vector(a).size]
    made = hetad.gradient(function, wrt=wrt, of=of, batch=SETS, batched=batched, optimize=AT_ONCE, **options)
    return made.derivative.explanation.sets.startswith("at once")


def _another(value: Any, number: int) -> Any:
    """The value, changed a little."""
    return from_vector(value, to_vector(value) * (1 - 0.05 * number))


def _stacked(values: list[Any]) -> Any:
    if not isinstance(values[0], np.ndarray):
        return values
    every = np.empty((len(values), *values[0].shape), values[0].dtype)  # stacking would change the layout of structs
    for i, value in enumerate(values):
        every[i] = value
    return every


def _seeds(arguments: Mapping[str, Any], of: Sequence[str] | None, number: int) -> dict[str, Any]:
    if of is None:
        return {"return": 1.0 - 0.3 * number}
    rng = np.random.default_rng(number)
    return {n: from_vector(arguments[n], rng.standard_normal(to_vector(arguments[n]).size)) for n in of}
