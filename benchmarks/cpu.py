"""hetad's CPU adjoint against a hand-written C adjoint compiled with the same flags, both on one core.

`check` also runs the hand-written CUDA adjoints, at a small size, on hetad's CPU backend: they can be trusted before
they reach a GPU.
"""

from __future__ import annotations

import ctypes
import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from cases import Case, Hand
from common import KERNELS, first_line, in_double

Values = dict[str, Any]
REPEATS = 9


def in_precision(values: Mapping[str, Any], double: bool) -> Values:
    """The values, floats in double precision if asked for."""
    return {
        name: v.astype(np.float64) if double and isinstance(v, np.ndarray) and v.dtype == np.float32 else v
        for name, v in values.items()
    }


def seeds_of(case: Case) -> Values:
    rng = np.random.default_rng(2)
    return {name: rng.standard_normal(case.values[name].shape, dtype=np.float32) for name in case.of}


def fresh_adjoints(case: Case, seeds: Values, double: bool) -> Values:
    """adj_x for each name: a copy of the seed, or zeros."""
    dtype = np.float64 if double else np.float32
    return {
        f"adj_{name}": seeds[name].astype(dtype) if name in seeds else np.zeros(np.shape(case.values[name]) or 1, dtype)
        for name in case.adjoints
    }


def max_error(case: Case, found: Mapping[str, Any], reference: Mapping[str, Any]) -> float:
    """The largest error of a gradient, relative to its largest element; over all of wrt."""
    worst = 0.0
    for name in case.wrt:
        got, right = np.asarray(found[f"adj_{name}"], np.float64), reference[f"adj_{name}"]
        if not np.all(np.isfinite(got)):
            return float("inf")
        worst = max(worst, float(np.max(np.abs(got - right)) / np.max(np.abs(right))))
    return worst


def c_adjoint(case: Case, double: bool) -> Callable[[Values], None]:
    """The hand-written C adjoint, compiled with hetad's compiler and flags."""
    from hetad.run.compiler import shared_library

    text = "".join(f"#define {k} {v}\n" for k, v in case.defines.items()) + (KERNELS / case.c_file).read_text()
    function = getattr(ctypes.CDLL(str(shared_library(in_double(text) if double else text))), case.c_function)
    function.restype = None

    def argument(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return ctypes.c_void_p(value.ctypes.data)
        if isinstance(value, float):
            return ctypes.c_double(value) if double else ctypes.c_float(value)
        return ctypes.c_int(value)

    def call(values: Values) -> None:
        function(*(argument(values[name] if isinstance(name, str) else name) for name in case.c_args))

    return call


def directional(
    case: Any, primal: Callable[[Values], None], values: Values, seeds: Values, gradient: Values,
    asarray: Callable[[Any], Any] = np.asarray,
) -> float:  # fmt: skip
    """How far the gradient is from a central difference of `primal` (double) along one random direction, relatively.

    Arrays are NumPy's, or what `asarray` makes of NumPy's.
    """
    rng = np.random.default_rng(3)
    directions = {n: asarray(rng.standard_normal(getattr(values[n], "shape", ()))) for n in case.wrt}
    step = 1e-6

    def outputs(sign: float) -> Values:
        moved = {n: v.copy() if hasattr(v, "shape") else v for n, v in values.items()}
        for n, d in directions.items():
            moved[n] = (
                moved[n] + sign * step * d if hasattr(values[n], "shape") else float(values[n] + sign * step * float(d))
            )
        primal(moved)
        return moved

    up, down = outputs(1), outputs(-1)
    difference = sum(float(np.sum(seeds[n] * (up[n] - down[n]))) for n in case.of) / (2 * step)
    product = sum(float(np.sum(asarray(gradient[f"adj_{n}"]) * d)) for n, d in directions.items())
    return abs(difference - product) / max(abs(difference), abs(product))


def reference(case: Case, seeds: Values) -> tuple[Values, float]:
    """The gradient in double precision (hand-written C), and its relative distance from a central difference."""
    import hetad

    values = in_precision(case.values, double=True)
    adjoints = fresh_adjoints(case, seeds, double=True)
    c_adjoint(case, double=True)(values | adjoints)
    program = hetad.loads(in_double(case.source.read_text()), f"{case.name} in double precision", case.defines)
    kernel = program[case.function]

    def primal(moved: Values) -> None:
        kernel(*(moved[p] for p in case.params), grid=case.grid, block=case.block, backend="cpu")

    return adjoints, directional(case, primal, values, seeds, adjoints)


def seconds(call: Callable[[], None], reset: Callable[[], None], repeats: int = REPEATS, limit: float = 6.0) -> float:
    """The median time of a call, inputs warm as they are between calls."""
    times: list[float] = []
    reset()
    call()
    begin = time.perf_counter()
    gc.disable()
    while len(times) < repeats and (len(times) < 3 or time.perf_counter() - begin < limit):
        reset()
        t = time.perf_counter()
        call()
        times.append(time.perf_counter() - t)
    gc.enable()
    return statistics.median(times)


def compare(case: Case) -> dict[str, Any]:
    """One row: times in seconds, errors, or what went wrong."""
    import hetad

    seeds = seeds_of(case)
    row: dict[str, Any] = {"case": case.name, "title": case.title}
    values = in_precision(case.values, double=False)
    right, row["reference_check"] = reference(case, seeds)
    initial = fresh_adjoints(case, seeds, double=False)
    adjoints = {n: a.copy() for n, a in initial.items()}

    def reset() -> None:
        for n, a in adjoints.items():
            np.copyto(a, initial[n])

    hand = c_adjoint(case, double=False)
    row["hand"] = seconds(lambda: hand(values | adjoints), reset)
    row["hand_error"] = max_error(case, _after(lambda: hand(values | adjoints), reset, adjoints), right)
    try:
        program = hetad.load(case.source, case.defines)
        kernel = program[case.function]
        arguments = [values[p] for p in case.params]
        where: dict[str, Any] = {"grid": case.grid, "block": case.block}
        row["primal"] = seconds(lambda: kernel(*arguments, **where, backend="cpu"), lambda: None)
        begin = time.perf_counter()
        gradient = hetad.gradient(kernel, wrt=case.wrt, of=case.of, backend="cpu")
        row["generate"] = time.perf_counter() - begin

        def call() -> None:
            gradient.execute(*arguments, *(adjoints[f"adj_{n}"] for n in case.adjoints), **where)

        row["hetad"] = seconds(call, reset)
        row["hetad_error"] = max_error(case, _after(call, reset, adjoints), right)
    except Exception as problem:  # noqa: BLE001 - reported in the table; the run goes on
        row["problem"] = f"{type(problem).__name__}: {first_line(problem)}"
    return row


def _after(call: Callable[[], None], reset: Callable[[], None], adjoints: Values) -> Values:
    reset()
    call()
    return adjoints


def check(case: Case) -> list[str]:
    """Each hand-written CUDA adjoint on hetad's CPU backend, and hetad's own gradient, against the reference."""
    seeds = seeds_of(case)
    right, difference = reference(case, seeds)
    found = (_checked(lambda hand=hand: _emulated(case, hand, seeds, right)) for hand in case.hands)
    each = [f"    {hand.name}: {error}" for hand, error in zip(case.hands, found, strict=True)]
    return [f"{case.name}: C in double against a central difference {difference:.1e}", *each]


def _checked(work: Callable[[], float]) -> str:
    try:
        return f"{work():.1e}"
    except Exception as problem:  # noqa: BLE001
        return f"{type(problem).__name__}: {first_line(problem, 300)}"


def _emulated(case: Case, hand: Hand, seeds: Values, right: Values) -> float:
    import hetad

    text = (KERNELS / hand.file).read_text().replace("__align__(16)", "")
    program = hetad.loads(text, hand.file, dict(hand.defines))
    values = in_precision(case.values, double=False) | fresh_adjoints(case, seeds, double=False)
    for launch in hand.launches:
        arguments = [values[a] if isinstance(a, str) else a for a in launch.args]
        program[launch.kernel](*arguments, grid=launch.grid, block=launch.block, backend="cpu")
    return max_error(case, values, right)


def rows_of_table(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    header = [
        "kernel (CPU, one core)",
        "primal ms",
        "hetad ms",
        "hand-written C ms",
        "hetad / hand",
        "error",
        "hand error",
        "note",
    ]
    cells = []
    for r in rows:
        ratio = f"{r['hetad'] / r['hand']:.2f}" if "hetad" in r and "hand" in r else "–"
        ms = [f"{r[k] * 1e3:.3f}" if k in r else "–" for k in ("primal", "hetad", "hand")]
        errors = [f"{r[k]:.0e}" if k in r else "–" for k in ("hetad_error", "hand_error")]
        cells.append([r.get("title", r["case"]), *ms, ratio, *errors, r.get("problem", "")])
    return header, cells
