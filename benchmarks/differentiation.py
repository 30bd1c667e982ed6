"""How long `hetad.gradient` takes: for each sample, for the corpus of tests, and for programs that grow.

    python benchmarks/differentiation.py [--only NAME,...] [--limit SECONDS] [--corpus] [--long] [--write]

Time of the process, so that other work on the machine does not count; nothing is kept from one time to the next.
Growing programs (tests/growing.py) have n, 2n, 4n, … of something; the time of a line should stay about the same.  The
table has seconds, and milliseconds a line of the largest program; a family ends where one program takes more than the
limit.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import common

common.use_checkout()

from tests.growing import FAMILIES, Family  # noqa: E402

os.environ["HETAD_KEEP"] = "0"  # what was differentiated once would only be read

SAMPLE = 0.3  # seconds; must not take longer
# Of each family, a program of about 500 lines; what must not take longer than 2 seconds.
LONG = {
    "else if": 240, "cases of a switch": 160, "branches": 245, "straight-line code": 490, "values overwritten": 490,
    "differential equations": 70, "cells of one array": 490, "loops in a row": 240, "phases in shared memory": 80,
    "fields of a struct": 160, "kernels": 80, "buffers": 100,
    "functors": 95, "vectors": 160, "depth of calls": 80,
}  # fmt: skip


class Late(BaseException):
    """A program takes more time than it is given."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Of the process's time."""

    def late(_signal: int, _frame: object) -> None:
        raise Late

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def seconds(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def differentiated(text: str, family: Family) -> None:
    import hetad

    hetad.gradient(hetad.loads(text)["run"], wrt=["x", "y"], of=["y"], backend="cpu", **family.options)


def long_programs(only: list[str]) -> list[list[str]]:
    """A row for each: the fastest of three."""
    rows = []
    for name, size in LONG.items():
        if only and not any(part in name for part in only):
            continue
        text = FAMILIES[name].source(size)
        work = partial(differentiated, text, FAMILIES[name])
        rows.append([name, str(size), str(text.count("\n")), f"{min(seconds(work) for _ in range(3)):.2f}"])
        print("  ".join(rows[-1]), flush=True)
    return rows


def growing(name: str, family: Family, limit: int) -> list[str]:
    """A row: the times, and the last one a line."""
    import hetad

    cells, a_line = [], "–"
    for size in family.sizes:
        text = family.source(size)
        try:
            with at_most(limit):
                taken = seconds(partial(differentiated, text, family))
        except Late:
            cells.append(f"> {limit}")
            break
        except (hetad.HetadError, RecursionError) as problem:
            cells.append(type(problem).__name__)
            break
        cells.append(f"{taken:.2f}")
        a_line = f"{taken / text.count(chr(10)) * 1e3:.1f}"
    sizes = ", ".join(map(str, family.sizes[: len(cells)]))
    row = [name, sizes, ", ".join(cells), a_line]
    print("  ".join(row), flush=True)
    return row


def samples() -> list[list[str]]:
    import hetad

    rows = []
    for problem in sorted(common.SAMPLES.glob("*.toml")):
        given = tomllib.loads(problem.read_text(encoding="utf-8"))
        rows.append([problem.stem, f"{_fastest(hetad, common.SAMPLES / given['source'], given):.2f}", f"{SAMPLE}"])
    return rows


def corpus() -> str:
    """The programs of tests/gradient: all together, and the slowest."""
    import hetad
    from tests.corpus import header

    times: list[tuple[float, str]] = []
    for path in sorted((common.ROOT / "tests" / "gradient" / "programs").glob("**/*.cu")):
        given = header(path)
        given = {**given, **given.get("cases", [{}])[0]}
        try:
            times.append((_fastest(hetad, path, given, 1), path.stem))
        except hetad.HetadError:
            continue
    slowest = ", ".join(f"{name} {taken:.2f}" for taken, name in sorted(times, reverse=True)[:5])
    return f"{len(times)} programs of tests/gradient: {sum(t for t, _ in times):.1f} s; the slowest: {slowest}."


def _fastest(hetad: Any, path: Path, given: dict[str, Any], repeats: int = 3) -> float:
    def work() -> None:
        program = hetad.load(path, given.get("defines"))
        hetad.gradient(program[given["function"]], given["wrt"], given.get("of"), backend="cpu")

    return min(seconds(work) for _ in range(repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", metavar="NAME,...", help="families whose names have one of these parts")
    parser.add_argument("--limit", type=int, default=30, metavar="SECONDS", help="for one program")
    parser.add_argument("--corpus", action="store_true", help="the programs of the tests too")
    parser.add_argument("--long", action="store_true", help="programs of 500 lines, instead of those that grow")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    only = [part for part in options.only.split(",") if part]
    sampled = samples()  # and what a process does once is done
    chosen = {name: f for name, f in FAMILIES.items() if not only or any(part in name for part in only)}
    if options.long:
        table = common.table(["growing", "size", "lines", "seconds"], long_programs(only))
    else:
        rows = [growing(name, family, options.limit) for name, family in chosen.items()]
        table = common.table(["growing", "sizes", "seconds", "ms a line, last"], rows)
    parts = [
        f"{common.stamp(f'{common.processor()}, Python {sys.version.split()[0]}, {common.load()}')}",
        table,
        common.table(["sample", "seconds", "must be ≤"], sampled),
        corpus() if options.corpus else "",
    ]
    body = "\n\n".join(part.strip() for part in parts if part)
    print(body)
    if options.write:
        common.write_section("Time of differentiation", body)


if __name__ == "__main__":
    main()
