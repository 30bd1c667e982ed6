"""`hetad.gradcheck`, `hetad.taylor_test` and `hetad.dot_product_test`: what the command line checks, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.api import checked_function
from hetad.checks import comparison, subjects
from hetad.checks.comparison import Accuracy, Report, generic_seeds
from hetad.checks.taylor import TaylorTest, taylor
from hetad.diagnostics import ArgumentError
from hetad.gradients import Gradient
from hetad.ir.types import Pointer, holds_floating
from hetad.run.movable import movable

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.checks.subjects import Subject
    from hetad.run.selection import Selection


def gradcheck(
    fn: Function | Gradient, args: Sequence[Any], wrt: Selection | None = None, of: Selection | None = None,
    backend: str | None = None, *, grid: Any = None, block: Any = None, shared_mem: int = 0,
    rtol: float | None = None, atol: float = 0.0, samples: int = 3, seed: int = 0, racecheck: bool = True,
    **options: Any,
) -> Report:  # fmt: skip
    """Compare a gradient with finite differences of the program itself, along random directions.

    It also compares the gradient with the tangent (`dot_product_test`), asks whether it is linear in its seeds and
    whether the call leaves its arguments as they were, and runs program and derivative once under the race detector.

    Args:
        fn: a function of a loaded program, or a gradient of one.
        args: one value per parameter of the function: the point.  Arrays are copied; nothing is written to them.
        wrt: as for `hetad.gradient`; by default all that holds floating numbers and is not written, or else all.
        of: as for `hetad.gradient`; by default all arrays of floating numbers that are written, or else the return
            value.
        backend: "cuda" or "cpu".
        grid: of a kernel, as the next two.
        block: threads of a block.
        shared_mem: bytes of dynamic shared memory.
        rtol: relative tolerance, by default 1e-6, or 2e-4 where a float takes part.
        atol: absolute tolerance.
        samples: directions for each parameter.
        seed: of the random directions and seeds.
        racecheck: whether the race detector runs, on the CPU; launches that are too large for it are noted.
        **options: those of `hetad.gradient`, such as `memory_limit`.

    Returns:
        A report, true if all has passed.  A row that failed tells which components are wrong; "unsure" is one of which
        nothing can be said, because the function is not smooth here or rounding drowns it.  Notes warn of gradients
        that are zero and of parameters without influence.

    Raises:
        RaceError: two threads race for memory, so that neither program nor gradient has one value.
        ArgumentError: an argument does not fit; UnsupportedError: see `hetad.gradient`.
    """
    launch = _launch(grid, block, shared_mem)
    subject, point = _subject(fn, args, (wrt, of), backend, launch, options)
    return comparison.check(subject, point, Accuracy(rtol, atol, samples, seed), racecheck=racecheck)


def taylor_test(
    fn: Function | Gradient, args: Sequence[Any], wrt: Selection | None = None, of: Selection | None = None,
    backend: str | None = None, *, grid: Any = None, block: Any = None, shared_mem: int = 0, seed: int = 0,
    **options: Any,
) -> TaylorTest:  # fmt: skip
    """What the gradient leaves of the change along a random direction must fall with the square of the step.

    Args:
        fn: as for `hetad.gradcheck`, and so are all that follow.
        args: the point.
        wrt: the parameters that move.
        of: the outputs.
        backend: "cuda" or "cpu".
        grid: of a kernel, as the next two.
        block: threads of a block.
        shared_mem: bytes of dynamic shared memory.
        seed: of the direction.
        **options: those of `hetad.gradient`.

    Returns:
        Steps, changes and remainders with their order; true if that is 2 or the remainder is rounding alone.  `plot()`
        draws them.
    """
    subject, point = _subject(fn, args, (wrt, of), backend, _launch(grid, block, shared_mem), options, tangent=False)
    return taylor(subject, point, seed)


def dot_product_test(
    fn: Function | Gradient, args: Sequence[Any], wrt: Selection | None = None, of: Selection | None = None,
    backend: str | None = None, *, grid: Any = None, block: Any = None, shared_mem: int = 0, samples: int = 3,
    seed: int = 0, **options: Any,
) -> Report:  # fmt: skip
    """<w, J v> = <Jᵀ w, v> for random v and w: tangent and gradient, of different making, agree to rounding.

    Args:
        fn: as for `hetad.gradcheck`, and so are all that follow.
        args: the point.
        wrt: the inputs.
        of: the outputs.
        backend: "cuda" or "cpu".
        grid: of a kernel, as the next two.
        block: threads of a block.
        shared_mem: bytes of dynamic shared memory.
        samples: how many pairs of vectors.
        seed: of the vectors.
        **options: those of `hetad.gradient`.

    Raises:
        UnsupportedError: hetad has no tangent of the function.
    """
    subject, point = _subject(fn, args, (wrt, of), backend, _launch(grid, block, shared_mem), options)
    if subject.tangent is None:
        raise ArgumentError(f"{subject.function} has no tangent to compare with: {subject.without_tangent}")
    rng = np.random.default_rng(seed)
    seeds = generic_seeds(subject, point)
    gradient = subject.gradient(list(point), seeds)
    rows = tuple(comparison.dot_product(subject, point, seeds, gradient, rng) for _ in range(samples))
    return Report(subject.function, subject.backend, rows)


def _subject(
    fn: Any, args: Sequence[Any], selected: tuple[Selection | None, Selection | None], backend: str | None,
    launch: Mapping[str, Any], options: Mapping[str, Any], tangent: bool = True,
) -> tuple[Subject, list[Any]]:  # fmt: skip
    wrt, of = selected
    if isinstance(fn, Gradient):
        if options or backend or wrt is not None or of is not None:
            raise ArgumentError("a gradient has its own wrt, of, backend and options: pass the function to choose them")
        return subjects.of_gradient(fn, launch, tangent=tangent), _point(fn.function, fn.wrt, args)
    checked_function(fn)
    if options.get("batch"):
        raise ArgumentError("batch=: sets are checked one at a time")
    choice = fn.compiled.choice(_inputs(fn) if wrt is None else wrt, _outputs(fn) if of is None else of, {})
    subject = subjects.of_function(fn, choice.wrt, choice.of, backend, launch, tangent=tangent, **options)
    return subject, _point(fn, choice.wrt, args)


def _inputs(function: Function) -> Sequence[str]:
    floating = [p.name for p in function.parameters if holds_floating(p.type)]
    return [name for name in floating if name not in function.compiled.written] or floating


def _outputs(function: Function) -> Sequence[str] | None:
    found = [p.name for p in function.parameters if isinstance(p.type, Pointer) and holds_floating(p.type)]
    return [name for name in found if name in function.compiled.written] or None


def _launch(grid: Any, block: Any, shared_mem: int) -> dict[str, Any]:
    return {} if grid is None and block is None else {"grid": grid, "block": block, "shared_mem": shared_mem}


def _point(function: Function, wrt: Sequence[str], args: Sequence[Any]) -> list[Any]:
    return movable(function.definition, function.compiled.signature, wrt, args)
