"""What must hold of the gradient of a program, checked in a process of its own.

A process of its own, because a wrong derivative may crash, or never end, and a failing program must still be shrunk.
"""

from __future__ import annotations

import copy
import os
import re
import shlex
import tempfile
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from unittest.mock import patch

import numpy as np

import hetad
from hetad.checks import comparison, products
from hetad.diagnostics import ArgumentError, SyntaxProblem, UnknownNameError, UnsupportedError
from hetad.host.outlining import outline
from hetad.ir.nodes import Program
from hetad.passes.manager import Pass, watched
from hetad.passes.watching import Verifying
from hetad.problem import Problem
from hetad.rules.signatures import signature
from hetad.run import compiler
from hetad.targets.cpu.file import HEAD
from tests import corpus, precompiled
from tests.batches import AT_ONCE, check_batch
from tests.property import emulated, forks
from tests.property.options import ORACLES, Options


def without_optimisation() -> str:
    """$HETAD_CC for the C compiler that is found, without its optimisations, which are most of the time here."""
    found = compiler.find()
    more = (*precompiled.included((*found.command, *compiler.FLAGS, *found.extra_flags, "-O0"), HEAD), "-O0")
    # The last -O counts.  The word after the script is its $0, and tells hetad if this is zig.
    script = f'exec {shlex.join(found.command)} "$@" {shlex.join(more)}'
    return shlex.join(["sh", "-c", script, "zig" if "ziglang" in found.command else "cc"])


Verdict = Literal["passed", "unsure", "refused", "unexpected", "failed"]  # unexpected: a refusal

WRONG: tuple[Verdict, ...] = ("failed", "unexpected")  # what a program is kept for

REFUSALS = (UnsupportedError, ArgumentError, SyntaxProblem, UnknownNameError)
# Those that a generated program may meet: a part of the message each.
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
_CALLS_ON_GPU = 25  # in one process: a context takes as long as the program, and longer beside others
_OF_HETAD = ("HETAD_CC", "HETAD_CACHE_DIR")  # in the environment
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
    calls = 1 if backend == "cpu" else _CALLS_ON_GPU
    outcome = _in_fork(text, options, backend, calls)
    if calls > 1 and outcome.verdict in WRONG:
        alone = _in_fork(text, options, backend, 1)
        if alone.verdict in WRONG:
            return alone
        return Outcome("failed", f"in a process that has run other programs, not alone: {outcome.message}")
    return outcome


def _in_fork(text: str, options: Options, backend: str, calls: int) -> Outcome:
    around = {name: os.environ[name] for name in _OF_HETAD if name in os.environ}
    try:
        return forks.run(_outcome, around, text, dict(options), backend, seconds=_SECONDS, calls=calls)
    except forks.EndedError as problem:
        return Outcome("failed", f"{problem}; a signal is negative")


def _outcome(around: Mapping[str, str], text: str, options: Options, backend: str) -> Outcome:
    os.environ |= around
    met: set[str] = set()

    def changed(step: Pass[Any], before: Program, after: Program, _: float) -> None:
        if after is not before:
            met.add(step.name)

    verifier = (Verifying(signature),) if "verifier" in options.get("against", ORACLES) else ()
    with watched(changed, *verifier):
        return replace(_verdict(text, options, backend), passes=frozenset(met))


def _verdict(text: str, options: Options, backend: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.cu"
        path.write_text(text, encoding="utf-8")
        try:
            (case,) = corpus.cases(path)
            return _checked(case, options, backend)
        except REFUSALS as refusal:
            allowed = any(part in str(refusal) for part in ALLOWED_REFUSALS)
            return Outcome("refused" if allowed else "unexpected", f"refused: {refusal}")
        except Exception:  # noqa: BLE001 whatever goes wrong is the outcome
            return Outcome("failed", traceback.format_exc(limit=-4))


def _checked(case: corpus.Case, options: Options, backend: str) -> Outcome:
    asked = dict(options)
    if backend != "cpu":
        asked.pop("cpu_threads", None)
        if asked.get("debug"):  # it looks at each launch when it is done, which a graph has no place for
            asked.pop("graph", None)
    against = asked.pop("against", ORACLES)
    try:
        return Look(case.problem, asked, backend).outcome(against)
    except hetad.HetadError as refusal:
        if not any(name in asked and said in str(refusal) for name, said in REFUSALS_OF_OPTIONS.items()):
            raise
    return Look(case.problem, {}, backend).outcome(against)


class Look:
    """A look at the gradient of a program that is asked for with some options."""

    def __init__(self, problem: Problem, options: Mapping[str, Any], backend: str) -> None:
        given = dict(options)
        self.options, self.problem, self.backend = options, problem, backend
        os.environ["HETAD_CPU_MODE"] = given.pop("cpu_mode", "")  # of this process
        self.function = hetad.load(problem.source, frontend=given.pop("frontend", "auto"))[problem.function]
        self.arguments = problem.arguments(self.function.parameters)
        self.given = given  # keyword arguments of `hetad.gradient`

    @cached_property
    def subject(self) -> comparison.Subject:
        return comparison.of_function(
            self.function, self.problem.wrt, self.problem.of, self.backend, {}, **self.given
        )  # fmt: skip

    @cached_property
    def seeds(self) -> dict[str, Any] | None:
        return _seeds(self.subject, self.arguments)

    def outcome(self, against: Collection[str]) -> Outcome:
        """What independent oracles say of it: the tangents, always, and those that are named."""
        differences = "differences" in against or self.subject.tangent is None
        accuracy = comparison.Accuracy(samples=1 if differences else 0)
        report = comparison.check(self.subject, self.arguments, accuracy, racecheck="races" in against)
        found = self.subject.gradient(list(self.arguments), self.seeds)
        failed = [row for row in report.rows if row.verdict == "failed"]
        exact = ("linear in the seeds", "dot product")
        if failed and not all(row.check in exact and _noise(*found.values()) for row in failed):
            return Outcome("failed", f"with {dict(self.options)}: {report}")
        again = self.subject.gradient(list(self.arguments), self.seeds)
        wrong = self.differs("a second call", found, again, exact=self.is_ordered)
        for oracle in against:
            wrong = wrong or (_FURTHER[oracle](self, found) if oracle in _FURTHER else None)
        if wrong is None and self.backend != "cpu":
            on_cpu = self.gradient("cpu")(*self.arguments, seeds=self.seeds)
            wrong = self.differs("the CPU", found, on_cpu)
        if wrong is not None:
            return Outcome("failed", f"with {dict(self.options)}: {wrong}")
        return Outcome("unsure" if any(row.verdict == "unsure" for row in report.rows) else "passed")

    @property
    def is_ordered(self) -> bool:
        """Whether sums have one order in each call."""
        return bool(self.given.get("deterministic")) or (self.backend == "cpu" and "cpu_threads" not in self.given)

    def gradient(self, backend: str | None = None, **options: Any) -> hetad.Gradient:
        problem = self.problem
        return hetad.gradient(
            self.function, wrt=problem.wrt, of=problem.of, backend=backend or self.backend, **options
        )  # fmt: skip

    def differs(self, what: str, found: Mapping[str, Any], other: Mapping[str, Any], exact: bool = False) -> str | None:
        """Where two gradients are not the same: to the bit, or up to the order of sums."""
        for name in self.problem.wrt:
            row = comparison.same_gradient(name, found[name], other[name], self.subject.bits)
            same = row.verdict != "failed" or _noise(found[name], other[name])
            if not (_same_bits(found[name], other[name]) if exact else same):
                return f"{what} gives another gradient of {name}: {other[name]}, not {found[name]}"
        return None

    def without_optimisation(self, found: Mapping[str, Any]) -> str | None:
        other = self.gradient(optimize=False)(*self.arguments, seeds=self.seeds)
        return self.differs("no optimisation", found, other)

    def by_default(self, found: Mapping[str, Any]) -> str | None:
        if not self.options:
            return None
        mode = os.environ["HETAD_CPU_MODE"]
        other = Look(self.problem, {}, self.backend).gradient()(*self.arguments, seeds=self.seeds)
        os.environ["HETAD_CPU_MODE"] = mode
        return self.differs("no option", found, other)

    def with_functions(self, found: Mapping[str, Any]) -> str | None:
        """Whether a bit changes where each call of a host function is a function that can be one."""
        if self.backend != "cpu":
            return None
        with patch.multiple(outline, **EVERY_CALL):
            # Read anew: what has been differentiated is kept with the function.
            moved = Look(self.problem, self.options, "cpu")
            made = moved.gradient(**moved.given)
            if sum(f.kind == "host" for f in made.derivative.program.functions.values()) == 1:
                return None
            other = made(*self.arguments, seeds=self.seeds)
        return self.differs("a function for each call", found, other, exact=self.is_ordered)

    def in_batch(self, _: Mapping[str, Any]) -> str | None:
        """Whether sets at once, and one after the other, have the gradients of single calls."""
        given = {name: value for name, value in self.given.items() if name != "debug"}
        ways = [given, *([{**given, "optimize": AT_ONCE}] if given.get("optimize", True) is True else [])]
        try:
            for way in ways:
                check_batch(
                    self.function, self.arguments, self.problem.wrt, self.problem.of, backend=self.backend, **way
                )
        except AssertionError as wrong:
            return f"a batch: {wrong}"
        return None

    def product(self, _: Mapping[str, Any]) -> str | None:
        """What is wrong with the Hessian times a vector."""
        shared = {k: v for k, v in self.given.items() if k not in ("graph", "measure", "debug")}
        subject = products.of_function(
            self.function, self.arguments, self.problem.wrt, self.problem.of, self.backend, {}, **shared
        )  # fmt: skip
        report = comparison.check(subject, list(self.arguments), comparison.Accuracy(samples=1))
        failed = any(row.verdict == "failed" for row in report.rows)
        return f"the product of the Hessian: {report}" if failed else None

    def meant_otherwise(self, _: Mapping[str, Any]) -> str | None:
        """What the program computes otherwise than what the machine's C++ compiler makes of it."""
        return _meant_otherwise(self.function, self.arguments, self.problem, self.backend)


_FURTHER: Mapping[str, Callable[[Look, Mapping[str, Any]], str | None]] = {
    "no optimisation": Look.without_optimisation,
    "no options": Look.by_default,
    "functions": Look.with_functions,
    "batch": Look.in_batch,
    "hvp": Look.product,
    "emulated": Look.meant_otherwise,
}


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


def _same_bits(one: Any, other: Any) -> bool:
    return comparison.to_vector(one).tobytes() == comparison.to_vector(other).tobytes()


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
