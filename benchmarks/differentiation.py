"""How long `hetad.gradient` takes: for each sample, for the corpus of tests, and for programs that grow.

    python benchmarks/differentiation.py [--only NAME,...] [--limit SECONDS] [--corpus] [--write]

Time of the process, so that other work on the machine does not count.  Growing programs (tests/growing.py) have
n, 2n, 4n, … of something; the time of a line should stay about the same.  The table has seconds, and milliseconds a
line of the largest program; a family ends where one program takes more than the limit.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import common

common.use_checkout()

from tests.growing import FAMILIES, Family  # noqa: E402

SAMPLE = 0.3  # seconds; must not take longer


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


def growing(name: str, family: Family, limit: int) -> list[str]:
    """A row: the times, and the last one a line."""
    import hetad

    cells, a_line = [], "–"
    for size in family.sizes:
        text = family.source(size)

        def work(text: str = text) -> None:
            program = hetad.loads(text)
            hetad.gradient(program["run"], wrt=["x", "y"], of=["y"], backend="cpu", **family.options)

        try:
            with at_most(limit):
                taken = seconds(work)
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
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    only = [part for part in options.only.split(",") if part]
    sampled = samples()  # and what a process does once is done
    chosen = {name: f for name, f in FAMILIES.items() if not only or any(part in name for part in only)}
    rows = [growing(name, family, options.limit) for name, family in chosen.items()]
    parts = [
        f"{common.stamp(f'{common.processor()}, Python {sys.version.split()[0]}, {common.load()}')}",
        common.table(["growing", "sizes", "seconds", "ms a line, last"], rows),
        common.table(["sample", "seconds", "must be ≤"], sampled),
        corpus() if options.corpus else "",
    ]
    body = "\n\n".join(part.strip() for part in parts if part)
    print(body)
    if options.write:
        common.write_section("Time of differentiation", body)


if __name__ == "__main__":
    main()
