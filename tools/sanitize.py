"""Runs the gradient of every program of tests/gradient and of every sample once on the GPU, for compute-sanitizer.

    compute-sanitizer --tool memcheck --error-exitcode 1 python tools/sanitize.py --shard 0/8
    compute-sanitizer --tool racecheck --error-exitcode 1 python tools/sanitize.py --shard 0/8

Prints the name of each program, so that a report can be told apart; exits with 1 if one cannot run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hetad import HetadError, problem  # noqa: E402
from hetad.checks import comparison  # noqa: E402
from tests.corpus import cases  # noqa: E402


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shard", default="0/1", help="K/N: every N-th program from the K-th")
    options = parser.parse_args()
    first, step = map(int, options.shard.split("/"))
    problems = [c.problem for path in sorted((ROOT / "tests/gradient/programs").glob("**/*.cu")) for c in cases(path)]
    problems += [problem.read(path) for path in sorted((ROOT / "samples").glob("*.toml"))]
    failed = 0
    for each in problems[first::step]:
        say(f"== {each.path.name}: {each.function}")
        try:
            subject, arguments = comparison.from_problem(each, "cuda")
            subject.gradient(arguments, comparison.generic_seeds(subject, arguments))
        except HetadError as error:
            failed += 1
            say(f"cannot run: {error}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
