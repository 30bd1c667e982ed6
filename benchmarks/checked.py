"""What checks of accesses cost on the CPU: benchmark kernels and samples, unchecked, checked where nothing is proven,
as they are where nothing else is said, and checked everywhere; each the best of several runs that take turns.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import common
import numpy as np

common.use_checkout()

import cases  # noqa: E402

import hetad  # noqa: E402
from hetad import problem as problems  # noqa: E402
from hetad.checks.subjects import function_of  # noqa: E402
from hetad.run.running import Running  # noqa: E402

MODES = (False, None, True)


@dataclass(frozen=True)
class Subject:
    """A function and a call of it; `options` of its gradient."""

    name: str
    function: hetad.Function
    arguments: Sequence[Any]
    launch: Mapping[str, Any]
    options: Mapping[str, Any]


def subjects(names: Sequence[str]) -> Iterator[Subject]:
    """Those of these names; all, but those on several ranks, without one."""
    for name, make in cases.CASES.items():
        if not names or name in names:
            case = make("cpu")
            function = hetad.load(case.source, case.defines)[case.function]
            launch = {"grid": case.grid, "block": case.block}
            arguments = [case.values[p] for p in case.params]
            yield Subject(name, function, arguments, launch, {"wrt": case.wrt, "of": case.of})
    for path in sorted(common.SAMPLES.glob("*.toml")):
        if path.stem in names or (not names and not path.stem.endswith("_on_ranks")):
            problem = problems.read(path)
            function = function_of(hetad.load(problem.source, **problem.loading), problem)
            options = {"wrt": problem.wrt, "of": problem.of, **problem.memory}
            arguments = problem.arguments(function.parameters)
            yield Subject(f"samples/{path.stem}", function, arguments, problem.launch, options)


def timed(call: Callable[[], Any]) -> float:
    start = time.thread_time()
    call()
    return time.thread_time() - start


def best(calls: Sequence[Callable[[], Any]], repeats: int) -> tuple[list[float], list[float]]:
    """The first time of each, and the best of the others."""
    first = [timed(call) for call in calls]
    until = time.thread_time() + 10
    times = [[timed(call) for call in calls] for _ in range(3)]
    while len(times) < repeats and time.thread_time() < until:
        times.append([timed(call) for call in calls])
    return first, [min(column) for column in zip(*times, strict=True)]


def measure(subject: Subject, repeats: int) -> list[str]:
    """A row of the table."""
    function, given = subject.function, copy.deepcopy(subject.arguments)
    primals = [lambda m=m: function(*given, **subject.launch, backend="cpu", checked=m) for m in MODES]
    _, plain = best(primals, repeats)
    places = function.compiled.primal_plan("cpu", Running()).executable.unproven
    count = "none" if places is None else "all" if places.some is None else str(len(places.some))
    gradients = [hetad.gradient(function, backend="cpu", checked=m, **subject.options) for m in MODES]
    names = [p.name for p in function.parameters]
    arrays = {n: a for n, a in zip(names, subject.arguments, strict=True) if hasattr(a, "shape")}
    seeds = {n: np.ones_like(arrays[n]) for n in gradients[0].of or () if n in arrays}
    reverse = [lambda g=g: g(*subject.arguments, **subject.launch, seeds=seeds) for g in gradients]
    first, back = best(reverse, repeats)
    cells = [cell for t in (plain, back) for cell in (f"{1e3 * t[0]:.3f}", *(f"{x / t[0]:.2f}" for x in t[1:]))]
    return [subject.name, count, *cells, *(f"{t:.2f}" for t in first[:2])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmark kernels and samples (default: all)")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    os.environ.pop("HETAD_CPU_MODE", None)
    head = ["one core", "unproven", "primal ms", "safe", "everywhere", "gradient ms", "safe", "everywhere"]
    rows = []
    for subject in subjects(options.names):
        rows.append(measure(subject, options.repeats))
        print(*rows[-1], flush=True)
    table = common.table([*head, "first s", "safe s"], rows)
    print(table)
    if options.write:
        machine = f"one core, {common.processor()}, {common.load()}"
        common.write_section("Accesses that are checked", f"{common.stamp(machine)}\n{table}")


if __name__ == "__main__":
    main()
