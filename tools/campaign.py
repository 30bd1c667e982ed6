"""Random whole programs for as long as there is time: each gradient against independent oracles, with drawn options.

    python tools/campaign.py --seconds 600 [--jobs N] [--seed N] [--backend cpu|cuda] [--found DIRECTORY] [--json FILE]

The generators are those of tests/property: hosts with loops, swaps, copies and streams; kernels with control flow,
shared memory, barriers, shuffles, atomics and aliases; stencils over grids.  What is checked stands in
tests/property/check.py: differences of the primal, linearity, the identity <w, J v> = <J' w, v>, repeated calls, no
optimisation against all, drawn options against none.  Programs that reach passes which have changed few programs so far
are preferred.

A failure is shrunk and written to DIRECTORY in the format of tests/gradient/programs.  Prints what was met; exit
status 1 if anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hypothesis import HealthCheck, Phase, given, seed, settings, target  # noqa: E402
from hypothesis.errors import HypothesisException  # noqa: E402

from tests.property import grids, programs  # noqa: E402
from tests.property.check import Outcome, check, without_optimisation  # noqa: E402
from tests.property.options import options  # noqa: E402

GENERATORS: Mapping[str, Callable[[], Any]] = {"programs": programs.programs, "grids": grids.programs}
CHUNK = 60  # programs of one seed
CONSTRUCTS = {
    "shared memory": "__shared__",
    "barriers": "__syncthreads",
    "shuffles": "__shfl",
    "votes": "__(any|all|ballot)_sync",
    "atomics": r"\batomic",
    "device functions": "__device__",
    "device memory": "cudaMalloc",
    "copies": "cudaMemcpy",
    "fills": "cudaMemset",
    "swaps": "swap|= t;",
    "streams": "Async|cudaStream",
    "loops": r"\bfor \(",
    "while": r"\bwhile \(",
    "branches": r"\bif \(",
    "early exits": r"\b(break|continue|return);",
    "structs": r"\bstruct\b",
    "switch": r"\bswitch \(",
    "modular indices": "%",
    "unsigned": "unsigned",
    "float": r"\bfloat\b",
    "double": r"\bdouble\b",
}


class Late(BaseException):
    """There is no more time."""


class Tally:
    """What a worker has met."""

    def __init__(self) -> None:
        self.counts = {name: Counter[str]() for name in ("verdicts", "generators", "constructs", "options", "passes")}
        self.failures: dict[str, str] = {}

    def add(self, generator: str, text: str, chosen: Mapping[str, Any], outcome: Outcome) -> None:
        self.counts["verdicts"][outcome.verdict] += 1
        self.counts["generators"][generator] += 1
        self.counts["options"].update(list(chosen) or ["none"])
        self.counts["passes"].update(outcome.passes)
        self.counts["constructs"].update(name for name, word in CONSTRUCTS.items() if re.search(word, text))

    def join(self, other: Mapping[str, Any]) -> None:
        for name, counts in other["counts"].items():
            self.counts[name].update(counts)
        self.failures |= other["failures"]

    def plain(self) -> dict[str, Any]:
        return {"counts": {name: dict(c.most_common()) for name, c in self.counts.items()}, "failures": self.failures}


def explore(generator: str, number: int, until: float, tally: Tally, backend: str) -> None:
    """The programs of one seed; the first that fails is shrunk."""
    failing: list[tuple[str, str]] = []

    @seed(number)
    @settings(
        max_examples=CHUNK, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target, Phase.shrink), report_multiple_bugs=False,
    )  # fmt: skip
    @given(GENERATORS[generator](), options())
    def explored(text: str, chosen: Mapping[str, Any]) -> None:
        if time.monotonic() > until:
            raise Late
        outcome = check(text, chosen, backend)
        if outcome.verdict == "failed":
            failing.append((text, f"{dict(chosen)}\n{outcome.message}"))
            raise AssertionError(outcome.message)
        tally.add(generator, text, chosen, outcome)
        met = tally.counts["passes"]
        target(sum(1 / met[name] for name in outcome.passes), label="passes that have changed few programs")

    try:
        explored()
    except AssertionError:
        text, message = failing[-1]  # the smallest
        tally.failures[text] = f"seed {number}, {generator}, {message}"
        tally.counts["verdicts"]["failed"] += 1
    except HypothesisException as problem:
        tally.failures[f"seed {number} of {generator}"] = f"the generator: {problem!r}"


def work(job: int, given_options: argparse.Namespace, until: float) -> dict[str, Any]:
    """What one process finds, in plain data."""
    tally = Tally()
    names = list(GENERATORS)
    with tempfile.TemporaryDirectory() as cache, contextlib.suppress(Late):
        os.environ |= {"HETAD_CACHE_DIR": cache, "HETAD_CC": without_optimisation()}
        for turn in range(1 << 30):
            number = int(hashlib.sha256(f"{given_options.seed} {job} {turn}".encode()).hexdigest()[:12], 16)
            explore(names[(job + turn) % len(names)], number, until, tally, given_options.backend)
            if time.monotonic() > until:
                break
    return tally.plain()


def report(tally: Tally, seconds: float) -> Iterator[str]:
    total = sum(tally.counts["verdicts"].values())
    yield f"{total} programs in {seconds:.0f} s: " + ", ".join(f"{n} {v}" for v, n in tally.counts["verdicts"].items())
    for name in ("generators", "constructs", "options", "passes"):
        rows = tally.counts[name].most_common()
        yield f"{name}: " + ", ".join(f"{key} {count}" for key, count in rows)
    for text, message in tally.failures.items():
        yield f"FAILED {message}\n{text}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=int(time.strftime("%Y%m%d")), help="default: today's date")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--found", type=Path, help="where programs that fail are written")
    parser.add_argument("--json", type=Path, help="where the counts are written")
    given_options = parser.parse_args()
    began = time.monotonic()
    until = began + given_options.seconds
    tally = Tally()
    jobs = [(job, given_options, until) for job in range(given_options.jobs)]
    with ProcessPoolExecutor(given_options.jobs, multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(work, *zip(*jobs, strict=True)):
            tally.join(found)
    sys.stdout.write("\n".join(report(tally, time.monotonic() - began)) + "\n")
    if given_options.json is not None:
        given_options.json.write_text(json.dumps({"seed": given_options.seed, **tally.plain()}, indent=1))
    if given_options.found is not None:
        given_options.found.mkdir(parents=True, exist_ok=True)
        for number, (text, message) in enumerate(tally.failures.items()):
            note = "".join(f"// {line}\n" for line in message.splitlines())
            (given_options.found / f"found_{given_options.seed}_{number}.cu").write_text(text + note)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
