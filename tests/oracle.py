"""What a gradient must satisfy, for tests: CUDA in, gradient out.

    check_gradient(SOURCE, "axpy", [n, 1.5, x, y], wrt=("a", "x"), of=("y",), backend=backend)

compares `hetad.gradient` with central finite differences of the primal run along random directions, <seed, J v> =
<gradient, v>; asks that the gradient is linear in its seeds, that a call changes no argument, that the in-place form
adds the same numbers, and that every setting of the optimisations agrees.  A reference in NumPy is compared element by
element.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import hetad
from hetad.checks import comparison
from hetad.ir.verify import DERIVATIVE, verify
from hetad.rules.signatures import signature

Reference = Callable[[dict[str, Any], dict[str, Any]], Mapping[str, Any]]


def check_gradient(
    source: str | Path | tuple[Path, ...],
    function: str,
    args: Sequence[Any],
    wrt: Sequence[str],
    of: Sequence[str] | None = None,
    *,
    backend: str = "cpu",
    launch: Mapping[str, Any] | None = None,
    reference: Reference | None = None,
    rtol: float | None = None,
    atol: float = 0.0,
    samples: int = 2,
    defines: Mapping[str, str] | None = None,
    settings: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Fails unless the gradient of `function` at `args` is right.

    Args:
        source: CUDA text, or the path of a file, or those of several.
        function: host function or kernel.
        args: one per parameter; generic (random) values find more than round ones.
        wrt: names of parameters.
        of: names of parameters, or None for the return value.
        backend: "cpu" or "cuda".
        launch: grid=, block=, … of a kernel.
        reference: from ({parameter: argument}, {output: seed}) to {name: gradient}, compared element by element.
        rtol: relative tolerance of the differences; by default that of `hetad.gradcheck`.
        atol: absolute tolerance.
        samples: random directions per parameter.
        defines: macros.
        settings: keyword arguments of `hetad.gradient` to try; by default with and without optimisation.
    """
    path = source if isinstance(source, Path | tuple) else None
    program = hetad.load(path, defines=defines or {}) if path else hetad.loads(str(source), defines=defines or {})
    launchable = program[function]
    for number, setting in enumerate(settings if settings is not None else optimisations()):
        made = hetad.gradient(launchable, wrt=tuple(wrt), of=of and tuple(of), backend=backend, **setting)
        verify(made.derivative.program, DERIVATIVE, signature)
        subject = comparison.of_function(
            launchable, tuple(wrt), of and tuple(of), backend, launch or {}, tangent=number == 0, **setting
        )
        assert not subject.without_tangent, subject.without_tangent
        watched = number == 0 or setting != {"optimize": False} or path is not None
        report = comparison.check(subject, args, comparison.Accuracy(rtol, atol, samples), racecheck=watched)
        assert report.passed, f"{setting or ''}\n{report}"
        if reference is not None:
            _check_reference(subject, args, reference)
        if backend == "cpu":
            _check_in_place(subject, launchable, args, launch or {}, setting)


def optimisations() -> list[dict[str, Any]]:
    """The settings that must not change a gradient."""
    return [{"optimize": True}, {"optimize": False}]


def _seeds(subject: comparison.Subject, args: Sequence[Any]) -> dict[str, Any] | None:
    if subject.of is None:
        return None
    rng = np.random.default_rng(7)
    like = {name: args[subject.position(name)] for name in subject.of}
    return {
        name: comparison.from_vector(a, rng.standard_normal(comparison.to_vector(a).size)) for name, a in like.items()
    }


def _check_reference(subject: comparison.Subject, args: Sequence[Any], reference: Reference) -> None:
    seeds = _seeds(subject, args)
    found = subject.gradient(list(args), copy.deepcopy(seeds))
    named = {p.name: copy.deepcopy(a) for p, a in zip(subject.parameters, args, strict=True)}
    tolerance = {16: 2e-2, 32: 1e-4, 64: 1e-10}[16 if subject.inner_bits == 16 else subject.bits]
    for name, expected in reference(named, seeds or {"return": 1.0}).items():
        scale = max(float(np.abs(expected).max()), 1e-30)
        np.testing.assert_allclose(found[name], expected, rtol=tolerance, atol=tolerance * scale, err_msg=name)


def _check_in_place(
    subject: comparison.Subject,
    launchable: Any,
    args: Sequence[Any],
    launch: Mapping[str, Any],
    setting: Mapping[str, Any],
) -> None:
    """`execute` adds the gradient to what the buffers of `wrt` hold, and gives back a name in `of` and `wrt` as one."""
    if subject.of is None or any(not isinstance(args[subject.position(n)], np.ndarray) for n in subject.wrt):
        return
    seeds = _seeds(subject, args)
    assert seeds is not None
    expected = subject.gradient(list(args), copy.deepcopy(seeds))
    rng = np.random.default_rng(8)
    buffers = {name: _wide(seed) for name, seed in copy.deepcopy(seeds).items()}
    start: dict[str, Any] = {}
    for name in subject.wrt:
        if name not in buffers:
            like = args[subject.position(name)]
            start[name] = comparison.from_vector(_wide(like), rng.standard_normal(comparison.to_vector(like).size))
            buffers[name] = start[name].copy()
    gradient = hetad.gradient(launchable, wrt=subject.wrt, of=subject.of, backend="cpu", **setting)
    gradient.execute(*args, *buffers.values(), **launch)
    for name in subject.wrt:
        added = comparison.to_vector(expected[name])
        before = comparison.to_vector(start[name]) if name in start else 0.0
        tolerance = 1e-4 if subject.bits <= 32 else 1e-10
        np.testing.assert_allclose(
            comparison.to_vector(buffers[name]), before + added, rtol=tolerance,
            atol=tolerance * (1 + float(np.abs(added).max(initial=0.0))), err_msg=f"execute: {name}",
        )  # fmt: skip


def _wide(value: Any) -> Any:
    """What has 16 bits in float, as its adjoint is."""
    return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == np.float16 else value
