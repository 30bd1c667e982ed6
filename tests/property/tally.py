"""Counts of what a campaign has met, which add up over processes, machines and days."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from tests.property.check import Outcome, Verdict
from tests.property.options import ORACLES

VERDICTS: Mapping[Verdict, str] = {
    "passed": "right",
    "unsure": "right, where differences could be trusted",
    "refused": "refused as foreseen",
    "unexpected": "refused unforeseen",
    "failed": "wrong, crashed, raised or without end",
}
LONGEST = 3000  # characters of a message that is kept
KINDS = ("verdicts", "backends", "generators", "constructs", "options", "oracles", "passes")
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
    "byte offsets": r"\(char \*\)",
    "swaps": r"swap|\bo\d+;",
    "streams": "cudaStream_t",
    "loops": r"\bfor \(",
    "while": r"\bwhile \(",
    "branches": r"\bif \(",
    "early exits": r"\b(break|continue|return);",
    "structs": r"\bstruct\b",
    "switch": r"\bswitch \(",
    "modular indices": "%",
    "unsigned": r"\b(unsigned|size_t)\b",
    "index chains": r"\bat\d+ = [^;]*\b(at|column)\d+",
    "more axes": r"dim3\(",
    "no elements": r"^n = 0$",
    "one element": r"^n = 1$",
    "references": r"\w &\w",
    "templates": r"\btemplate\b",
    "methods": r"\) const\b",
    "std::vector": "std::vector",
    "lambdas": r"\[[=&]?\]",
    "float": r"\bfloat\b",
    "double": r"\bdouble\b",
}


class Failure(TypedDict):
    """What is wrong with a program, and how it was asked for."""

    message: str
    verdict: Verdict
    backend: str
    options: dict[str, Any]


class Tally:
    """What was met: `counts` by kind and name, `failures` by text, `runs` what it was met in."""

    def __init__(self, plain: Mapping[str, Any] | None = None) -> None:
        self.counts = {kind: Counter[str]() for kind in KINDS}
        self.failures: dict[str, Failure] = {}  # unexpected refusals too
        self.runs: list[dict[str, Any]] = []
        if plain is not None:
            self.join(plain)

    @property
    def programs(self) -> int:
        return sum(self.counts["verdicts"].values())

    def add(self, generator: str, text: str, chosen: Mapping[str, Any], backend: str, outcome: Outcome) -> None:
        self.counts["verdicts"][outcome.verdict] += 1
        self.counts["backends"][backend] += 1
        self.counts["generators"][generator] += 1
        self.counts["options"].update([name for name in chosen if name != "against"] or ["none"])
        self.counts["oracles"].update(chosen.get("against", ORACLES))
        self.counts["passes"].update(outcome.passes)
        self.counts["constructs"].update(name for name, word in CONSTRUCTS.items() if re.search(word, text, re.M))

    @property
    def is_wrong(self) -> bool:
        """Whether a gradient was wrong, or none came though the program was not refused."""
        return self.counts["verdicts"]["failed"] > 0

    def fail(self, generator: str, text: str, failure: Failure) -> None:
        for kind, name in (
            ("verdicts", failure["verdict"]), ("backends", failure["backend"]), ("generators", generator)
        ):  # fmt: skip
            self.counts[kind][name] += 1
        self.failures[text] = {**failure, "message": failure["message"][:LONGEST]}

    def join(self, plain: Mapping[str, Any]) -> None:
        """Adds what another one has met."""
        for kind, counts in plain["counts"].items():
            self.counts[kind].update(counts)
        self.failures |= plain["failures"]
        self.runs += plain["runs"]

    def plain(self) -> dict[str, Any]:
        counts = {kind: dict(counter.most_common()) for kind, counter in self.counts.items()}
        return {"runs": self.runs, "counts": counts, "failures": self.failures}

    def report(self) -> Iterator[str]:
        """Lines for people."""
        seconds = sum(run["seconds"] for run in self.runs)
        yield f"{self.programs} programs in {seconds:.0f} s of {len(self.runs)} runs"
        for verdict, meaning in VERDICTS.items():
            yield f"{self.counts['verdicts'][verdict]:8} {meaning}"
        for kind in KINDS[1:]:
            rows = self.counts[kind].most_common()
            yield f"{kind}: " + ", ".join(f"{key} {count}" for key, count in rows)
        for run in self.runs:
            yield f"seed {run['seed']} with {run['jobs']} jobs on {run['backend']}: {run['programs']} programs"
        for text, failure in self.failures.items():
            yield f"FAILED with {failure['options']} on {failure['backend']}: {failure['message']}\n{text}"

    def save(self, file: Path) -> None:
        """Whole, or not at all: a campaign may be stopped at any time."""
        beside = file.with_name(f"{file.name}.{os.getpid()}")
        beside.write_text(json.dumps(self.plain(), indent=1), encoding="utf-8")
        beside.replace(file)


def read(files: Iterable[Path]) -> Tally:
    """The sum of what stands in files; of those that are there."""
    total = Tally()
    for file in files:
        if file.exists():
            total.join(json.loads(file.read_text(encoding="utf-8")))
    return total
