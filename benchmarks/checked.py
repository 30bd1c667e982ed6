"""What checking costs: the samples, plain and checked, each first call (which compiles) and the best of several."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hetad import problem as problems
from hetad.checks import subjects
from hetad.run import cache

SAMPLES = Path(__file__).parent.parent / "samples"


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(path: Path, repeats: int) -> list[tuple[float, float]]:
    """First and best time of a gradient, plain and checked."""
    found = []
    for checked in (False, True):
        problem = problems.read(path)
        subject, arguments = subjects.from_problem(problem, "cpu", checked=checked, tangent=False)
        seeds = subjects.ones(subject, arguments)
        first, *later = [timed(lambda: subject.gradient(arguments, seeds)) for _ in range(repeats + 1)]  # noqa: B023
        found.append((first, min(later)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="samples (default: all)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"compiled code in {cache.directory()}: a first call compiles only what is not there\n")
    print(f"{'sample':<28}{'first':>10}{'checked':>10}{'then':>12}{'checked':>12}{'times':>8}")
    for path in sorted(SAMPLES.glob("*.toml")):
        if options.names and path.stem not in options.names:
            continue
        (first, best), (first_checked, best_checked) = measure(path, options.repeats)
        numbers = f"{first:>9.2f}s{first_checked:>9.2f}s{1e3 * best:>10.3f}ms{1e3 * best_checked:>10.3f}ms"
        print(f"{path.stem:<28}{numbers}{best_checked / best:>8.1f}")


if __name__ == "__main__":
    main()
