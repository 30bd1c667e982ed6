"""What must hold of the gradient of a program, checked in a process of its own.

A process of its own, because a wrong derivative may crash, or never end, and a failing program must still be shrunk.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import re
import shlex
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from unittest.mock import patch

import numpy as np

import hetad
from hetad.checks import comparison, products
from hetad.diagnostics import ArgumentError, UnsupportedError
from hetad.host.outlining import outline
from hetad.ir.nodes import Program
from hetad.passes.manager import Pass, watch_always, watched
from hetad.passes.watching import Verifying
from hetad.problem import Problem
from hetad.rules.signatures import signature
from hetad.run import compiler
from tests import corpus
from tests.batches import AT_ONCE, check_batch
from tests.property import emulated
from tests.property.options import Options


def without_optimisation() -> str:
    """$HETAD_CC for the C compiler that is found, without its optimisations, which are most of the time here."""
    found = compiler.find()
    # The last -O counts.  The word after the script is its $0, and tells hetad if this is zig.
    script = f'exec {shlex.join(found.command)} "$@" -O0'
    return shlex.join(["sh", "-c", script, "zig" if "ziglang" in found.command else "cc"])


Verdict = Literal["passed", "unsure", "refused", "failed"]

# Refusals that a generated program may meet: a part of the message each.
ALLOWED_REFUSALS: tuple[str, ...] = (
    "how often this runs depends on a value that only the launch itself can provide",
    "is never written by this function, so it is no output",
)

# What the options refuse: a part of the message each.
REFUSALS_OF_OPTIONS: Mapping[str, str] = {
    "deterministic": "with deterministic=True",
    "memory_limit": "memory limit",
    "graph": "read back from the device",
}

_SECONDS = 240
_OF_HETAD = ("HETAD_CC", "HETAD_CACHE_DIR")  # in the environment
# Forks of a process that has loaded nothing else: one with threads of JAX would hang.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.property.check"])
EVERY_CALL = {
    **dict.fromkeys(("LEAST_SPARED", "LEAST_REPEATED", "LEAST_ALONE"), 0),
    **dict.fromkeys(("MOST_PARAMETERS", "MOST_PARAMETERS_ALONE", "MOST_BY_POINTER", "MOST_BY_POINTER_ALONE"), 99),
}


@dataclass(frozen=True)
class Outcome:
    """`passes`: the names of those that changed the program on its way to its derivative."""

    verdict: Verdict
    message: str = ""
    passes: frozenset[str] = frozenset()


def check(text: str, options: Options = MappingProxyType({}), backend: str = "cpu") -> Outcome:
    """The outcome for a program in the format of tests/corpus.py, whose gradient with `options` must be the same."""
    reading, writing = _PROCESSES.Pipe(duplex=False)
    around = {name: os.environ[name] for name in _OF_HETAD if name in os.environ}
    child = _PROCESSES.Process(target=_report, args=(writing, around, text, dict(options), backend))
    child.start()
    writing.close()
    ready = reading.poll(_SECONDS)
    if not ready:
        child.kill()
    try:
        return reading.recv() if ready else Outcome("failed", f"not done after {_SECONDS} s")
    except EOFError:
        child.join()
        return Outcome("failed", f"the process ended with {child.exitcode}; a signal is negative")
    finally:
        reading.close()
        child.join()


def _report(to: Connection, around: Mapping[str, str], text: str, options: Options, backend: str) -> None:
    os.environ |= around
    watch_always(Verifying(signature))
    to.send(_outcome(text, options, backend))


def _outcome(text: str, options: Options, backend: str) -> Outcome:
    met: set[str] = set()

    def changed(step: Pass[Any], before: Program, after: Program, _: float) -> None:
        if after is not before:
            met.add(step.name)

    with watched(changed):
        return replace(_verdict(text, options, backend), passes=frozenset(met))


def _verdict(text: str, options: Options, backend: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.cu"
        path.write_text(text, encoding="utf-8")
        try:
            (case,) = corpus.cases(path)
            return _checked(case, options, backend)
        except (UnsupportedError, ArgumentError) as refusal:
            allowed = any(part in str(refusal) for part in ALLOWED_REFUSALS)
            return Outcome("refused" if allowed else "failed", f"refused: {refusal}")
        except Exception:  # noqa: BLE001 whatever goes wrong is the outcome
            return Outcome("failed", traceback.format_exc(limit=-4))


def _checked(case: corpus.Case, options: Options, backend: str) -> Outcome:
    problem = case.problem
    function = hetad.load(problem.source)[problem.function]
    arguments = problem.arguments(function.parameters)
    subject = comparison.of_function(function, problem.wrt, problem.of, backend, {})
    report = comparison.check(subject, arguments, comparison.Accuracy(samples=1))
    seeds = _seeds(subject, arguments)
    first = subject.gradient(list(arguments), seeds)
    failed = [row for row in report.rows if row.verdict == "failed"]
    exact = ("linear in the seeds", "dot product")
    if failed and not all(row.check in exact and _noise(*first.values()) for row in failed):
        return Outcome("failed", str(report))
    again = subject.gradient(list(arguments), seeds)
    unoptimised = _gradient(function, problem, backend, optimize=False)(*arguments, seeds=seeds)
    for name in problem.wrt:
        if not _same_bits(first[name], again[name]) and (backend == "cpu" or not _close(name, first, again, subject)):
            return Outcome("failed", f"a second call gives another gradient of {name}: {first[name]}, {again[name]}")
        row = comparison.same_gradient(name, first[name], unoptimised[name], subject.bits)
        if row.verdict == "failed" and not _noise(first[name], unoptimised[name]):
            return Outcome("failed", f"optimisation changes {name}: {first[name]}, without it {unoptimised[name]}")
    if options and (wrong := _changed_by_options(problem, arguments, seeds, first, options, backend, subject.bits)):
        return Outcome("failed", f"with {dict(options)}: {wrong}")
    if backend == "cpu" and (changed := _changed_by_functions(problem, arguments, seeds, first)) is not None:
        return Outcome("failed", f"functions of the host change {changed}")
    if backend != "cpu":
        on_cpu = _gradient(function, problem, "cpu")(*arguments, seeds=seeds)
        for name in problem.wrt:
            if not _close(name, first, on_cpu, subject):
                return Outcome("failed", f"the CPU gives another gradient of {name}: {on_cpu[name]}, not {first[name]}")
    return Outcome("unsure" if any(row.verdict == "unsure" for row in report.rows) else "passed")


def _changed_by_options(
    problem: Problem,
    arguments: list[Any],
    seeds: dict[str, Any] | None,
    expected: Any,
    options: Options,
    backend: str,
    bits: int,
) -> str | None:
    """What is wrong with the gradient that is asked for with these options, if they do not refuse the program."""
    options = dict(options)
    function = hetad.load(problem.source, frontend=options.pop("frontend", "auto"))[problem.function]
    if options.pop("emulated", False) and (wrong := _meant_otherwise(function, arguments, problem, backend)):
        return wrong
    os.environ["HETAD_CPU_MODE"] = options.pop("cpu_mode", "")  # of this process
    if backend != "cpu":
        options.pop("cpu_threads", None)
    ordered = bool(options.get("deterministic")) or (backend == "cpu" and "cpu_threads" not in options)
    batch, hvp = options.pop("batch", False), options.pop("hvp", False)
    try:
        if hvp and (wrong := _wrong_product(function, arguments, problem, options, backend)) is not None:
            return f"the product of the Hessian: {wrong}"
        if batch:
            check_batch(function, arguments, problem.wrt, problem.of, backend=backend, **options)
            if options.get("optimize", True) is True:
                at_once = {**options, "optimize": AT_ONCE}
                check_batch(function, arguments, problem.wrt, problem.of, backend=backend, **at_once)
        chosen = _gradient(function, problem, backend, **options)
        found = [chosen(*arguments, seeds=seeds) for _ in range(2)]
    except hetad.HetadError as refusal:
        if any(name in options and said in str(refusal) for name, said in REFUSALS_OF_OPTIONS.items()):
            return None
        raise
    except AssertionError as problem_of_batch:
        return f"a batch: {problem_of_batch}"
    finally:
        del os.environ["HETAD_CPU_MODE"]
    for name in problem.wrt:
        one, other = (comparison.to_vector(f[name]) for f in found)
        if ordered and one.tobytes() != other.tobytes():
            return f"a second call gives other bits of {name}: {one}, {other}"
        row = comparison.same_gradient(name, expected[name], found[0][name], bits)
        if row.verdict == "failed" and not _noise(expected[name], found[0][name]):
            return f"the gradient of {name} is {one}, without them {expected[name]}"
    return None


def _meant_otherwise(function: hetad.Function, arguments: list[Any], problem: Problem, backend: str) -> str | None:
    """What the program computes otherwise than what the machine's C++ compiler makes of it."""
    given = copy.deepcopy(arguments)
    result = function(*given, backend=backend)
    text = Path(problem.source).read_text(encoding="utf-8")
    expected = emulated.outputs(text, problem.function, arguments, returns=result is not None)
    found = [value.ravel() for value in given if isinstance(value, np.ndarray)]
    found += [np.array([result])] if result is not None else []
    noise = 1e-3 if re.search(r"\bfloat\b", text) else 1e-9
    for one, other in zip(expected, found, strict=True):
        if not np.allclose(one, other, rtol=noise, atol=noise):
            return f"the program computes {other}, and as compiled by {emulated.COMPILER} {one}"
    return None


def _wrong_product(
    function: hetad.Function, arguments: list[Any], problem: Problem, options: Options, backend: str
) -> str | None:
    """What is wrong with the Hessian times a vector."""
    shared = {k: v for k, v in options.items() if k not in ("graph", "measure", "debug")}
    subject = products.of_function(function, arguments, problem.wrt, problem.of, backend, {}, **shared)
    report = comparison.check(subject, list(arguments), comparison.Accuracy(samples=1))
    return str(report) if any(row.verdict == "failed" for row in report.rows) else None


def _gradient(function: hetad.Function, problem: Problem, backend: str, **options: Any) -> hetad.Gradient:
    return hetad.gradient(function, wrt=problem.wrt, of=problem.of, backend=backend, **options)


def _changed_by_functions(
    problem: Problem, arguments: list[Any], seeds: dict[str, Any] | None, expected: Mapping[str, Any]
) -> str | None:
    """A gradient of which a bit changes where each call of a host function is a function that can be one."""
    with patch.multiple(outline, **EVERY_CALL):
        function = hetad.load(problem.source)[problem.function]
        moved = _gradient(function, problem, "cpu")
        if sum(f.kind == "host" for f in moved.derivative.program.functions.values()) == 1:
            return None
        found = moved(*arguments, seeds=seeds)
    return next((name for name in problem.wrt if not _same_bits(found[name], expected[name])), None)


def _same_bits(one: Any, other: Any) -> bool:
    return comparison.to_vector(one).tobytes() == comparison.to_vector(other).tobytes()


def _close(name: str, one: Mapping[str, Any], other: Mapping[str, Any], subject: comparison.Subject) -> bool:
    """But for the order of sums, which threads on a GPU decide."""
    row = comparison.same_gradient(name, one[name], other[name], subject.bits)
    return row.verdict != "failed" or _noise(one[name], other[name])


def _noise(*gradients: Any) -> bool:
    """Whether they are nothing but rounding: what cancels exactly in one order of sums may not in another."""
    return max(float(np.abs(comparison.to_vector(x)).max(initial=0.0)) for x in gradients) < 1e-13


def _seeds(subject: comparison.Subject, arguments: list[Any]) -> dict[str, Any] | None:
    if subject.of is None:
        return None
    rng = np.random.default_rng(11)
    like = {name: arguments[subject.position(name)] for name in subject.of}
    return {
        name: comparison.from_vector(a, rng.standard_normal(comparison.to_vector(a).size)) for name, a in like.items()
    }
