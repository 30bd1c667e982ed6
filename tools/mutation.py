"""Changes rules and proofs in small ways, one at a time, and lists the changes that the tests near to them miss.

    python tools/mutation.py --record [--jobs N] [--seconds S] [PYTEST ARGUMENTS]
    python tools/mutation.py [--jobs N] [--seconds S] [--sample N] [--seed N] [--files GLOB...] [--json FILE]
    python tools/mutation.py --again [...]

`--record` runs the suite once and notes which tests reach which lines (tools/reached.py), in build/reached.json; what
is not done after S seconds counts for nothing.  Without that file, a run begins with it.

The changes are mutmut's and those of tools/mutants.py.  Of each file `--sample` many are drawn, files in turns, until
the time is up.  A changed program is a fork of a process that has loaded what hetad imports and no hetad: it imports
the changed text, so that tables are made of it, and runs tests that reach the changed line, the nearest first, as many
as take `--effort` seconds.  A change is killed by a test that fails, or that takes far longer than it did.  Now and
then the tests of a change run without it, and have to pass.

Outcomes are kept in FILE (build/mutation.json), by a name that outlives other changes of the file: another run goes on
with those not tried yet, and `--again` tries the survivors.  Those stand as diffs in survivors.diff beside FILE.
A survivor that does no harm counts for nothing, once tools/justified.toml says why (tools/justified.py).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tools.justified import JUSTIFIED, Justified  # noqa: E402
from tools.mutants import Mutant, mutants  # noqa: E402
from tools.reached import Reached  # noqa: E402

# Left out where lines are noted: what reaches them from other processes, or takes long.
APART = ("tests/mpi", "tests/gpu", "tests/property", "tests/unit/test_jax.py", "tests/unit/test_torch.py",
         "tests/unit/test_notebooks.py", "tests/unit/test_house.py", "tests/unit/test_imports.py")  # fmt: skip
FOLDERS = ("hetad/rules", "hetad/analysis", "hetad/adjoint")
LOADED = (
    "numpy", "islpy", "clang.cindex", "networkx", "pycparser", "pcpp", "pygments", "hypothesis", "mpmath", "pytest",
    "rich.console", "checkpoint_schedules", "unittest.mock",
)  # fmt: skip
PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:faulthandler", "--backend", "cpu")
CONTROL = 50  # a run without a change for so many with one
MEMORY = 8 << 30
KILLED, SURVIVED, LATE, UNREACHED = "killed", "survived", "timed out", "not reached"
ALLOWED = "justified"


@dataclass(frozen=True)
class Trial:
    """A mutant, or none, with tests and what they take, in seconds of a processor."""

    mutant: Mutant
    tests: Sequence[str]
    seconds: float
    control: bool = False

    @property
    def limit(self) -> float:
        """Of the processor."""
        return 20 + 4 * self.seconds


class Changed(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Finds one module, with another text."""

    def __init__(self, mutant: Mutant) -> None:
        name = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        super().__init__(name, str(ROOT / mutant.file))
        self.text = mutant.text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        folder = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=folder
        )  # fmt: skip

    def get_code(self, fullname: str) -> Any:
        return compile(self.text, self.path, "exec")


class Run:
    """The forks that are under way, at most `jobs`, and what came of those before."""

    def __init__(self, given: argparse.Namespace, reached: Reached) -> None:
        self.jobs, self.effort, self.file = given.jobs, given.effort, given.json
        self.until = time.monotonic() + given.seconds
        self.reached = reached
        self.plain = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}
        self.tried: dict[str, dict[str, Any]] = self.plain.get("tried", {})
        self.sizes: dict[str, int] = self.plain.get("sizes", {})
        self.under_way: dict[int, tuple[Trial, float]] = {}
        self.controls = Counter[str]()

    def run(self, trials: Iterable[Trial]) -> None:
        waiting = iter(trials)
        more = True
        try:
            while (more and time.monotonic() < self.until) or self.under_way:
                while more and len(self.under_way) < self.jobs and time.monotonic() < self.until:
                    trial = next(waiting, None)
                    more = trial is not None
                    if trial is not None:
                        self.begin(trial)
                self.collect()
                if time.monotonic() > self.until + 30:  # what has begun may end
                    break
        except KeyboardInterrupt:
            sys.stderr.write("stopped: what was tried up to now counts\n")
        finally:
            for process in list(self.under_way):
                self.kill(process)
            self.save()

    def begin(self, trial: Trial) -> None:
        if not trial.tests:
            self.note(trial, UNREACHED)
            return
        process = os.fork()
        if process == 0:
            try:
                _try(trial)
            finally:
                os._exit(1)
        self.under_way[process] = trial, time.monotonic()

    def collect(self) -> None:
        """What has ended; those that wait and do not compute end here."""
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            for late in [p for p, (t, began) in self.under_way.items() if time.monotonic() - began > 3 * t.limit]:
                self.note(self.under_way[late][0], LATE)
                self.kill(late)
            time.sleep(0.02)
            return
        if process in self.under_way:
            trial, _ = self.under_way.pop(process)
            code = os.waitstatus_to_exitcode(status)
            late = code == -signal.SIGXCPU
            self.note(trial, LATE if late else SURVIVED if code == 0 else KILLED)

    def kill(self, process: int) -> None:
        self.under_way.pop(process)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)

    def note(self, trial: Trial, outcome: str) -> None:
        if trial.control:
            self.controls[outcome] += 1
            if outcome != SURVIVED:
                sys.stderr.write(f"without a change, {outcome}: {' '.join(trial.tests)}\n")
            return
        mutant = trial.mutant
        row = {"file": mutant.file, "line": mutant.line, "owner": mutant.owner, "outcome": outcome}
        if outcome in (SURVIVED, UNREACHED):
            if Justified.of_diff(mutant.file, mutant.owner, mutant.diff) in JUSTIFIED:
                row["outcome"] = ALLOWED
            row |= {"diff": mutant.diff, "tests": len(trial.tests)}
        self.tried[mutant.name] = row

    def save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({"sizes": self.sizes, "tried": self.tried}, indent=0), encoding="utf-8")
        diffs = [
            f"# {name} in {row['owner'] or 'a table'}, {row['outcome']} ({row['tests']} tests)\n{row['diff']}\n"
            for name, row in sorted(self.tried.items(), key=lambda one: (one[1]["file"], one[1]["line"]))
            if "diff" in row and row["outcome"] != ALLOWED
        ]
        self.file.with_name("survivors.diff").write_text("\n".join(diffs), encoding="utf-8")


def _try(trial: Trial) -> None:
    """In a fork: ends it, with 0 if all tests pass."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    seconds = int(trial.limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if not trial.control:
        sys.meta_path.insert(0, Changed(trial.mutant))
    import pytest

    os._exit(int(pytest.main([*PYTEST, *trial.tests])))


def drawn(jobs: int, files: Sequence[str], sample: int, seed: int) -> Iterator[tuple[str, int, list[Mutant]]]:
    """Of each file, made in processes of their own: parsers that keep memory are not for this one."""
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(files))) as pool:
        yield from zip(
            files,
            *zip(*pool.starmap(mutants, [(ROOT, file, sample, seed) for file in files]), strict=True),
            strict=True,
        )


def near(reached: Reached, mutant: Mutant, effort: float) -> tuple[list[str], float]:
    """The tests to try, and what they take: of different functions in turns."""
    found = reached.of_change(mutant.file, mutant.owner, mutant.line, mutant.about)
    turns: dict[str, list[str]] = {}
    for test in found:
        turns.setdefault(test.partition("[")[0], []).append(test)
    ordered = [test for turn in itertools.zip_longest(*turns.values()) for test in turn if test is not None]
    chosen, seconds = [], 0.0
    for test in dict.fromkeys(ordered):
        if not chosen or seconds + reached.tests[test] <= effort:
            chosen.append(test)
            seconds += reached.tests[test]
    return chosen, seconds


def trials(run: Run, by_file: dict[str, list[Mutant]]) -> Iterator[Trial]:
    """One of each file, then another one; a control now and then."""
    count = 0
    for turn in itertools.zip_longest(*by_file.values()):
        for mutant in turn:
            if mutant is None:
                continue
            tests, seconds = near(run.reached, mutant, run.effort)
            yield Trial(mutant, tests, seconds)
            count += 1
            if count % CONTROL == 1 and tests:
                yield Trial(mutant, tests, seconds, control=True)


def table(run: Run) -> Iterator[str]:
    head = (KILLED, LATE, SURVIVED, UNREACHED, ALLOWED)
    yield f"{'file':44} {'changes':>8} {'tried':>6} " + " ".join(f"{name:>11}" for name in head) + f" {'score':>6}"
    total = Counter[str]()
    for file, size in sorted(run.sizes.items()):
        counts = Counter(row["outcome"] for row in run.tried.values() if row["file"] == file)
        total += counts
        total["changes"] += size
        yield _row(file, size, counts, head)
    yield _row("all", total.pop("changes", 0), total, head)
    yield f"controls: {dict(run.controls)}"


def _row(name: str, size: int, counts: Counter[str], head: Sequence[str]) -> str:
    tried = counts.total()
    asked = tried - counts[ALLOWED]
    score = f"{100 * (counts[KILLED] + counts[LATE]) / asked:5.1f}%" if asked else ""
    return f"{name:44} {size:8} {tried:6} " + " ".join(f"{counts[one]:11}" for one in head) + f" {score:>6}"


def record(file: Path, jobs: int, seconds: float, arguments: Sequence[str]) -> None:
    """Notes which tests reach which lines, as far as it comes in this time."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "tools.reached", "-p", "no:cacheprovider", "--backend", "cpu",
        "-m", "not slow and not sweep and not cuda", *(f"--ignore={one}" for one in APART),
    ]  # fmt: skip
    if jobs > 1:
        command += ["-n", str(jobs)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HETAD_REACHED": folder, "PYTHONPATH": _path()}
        process = subprocess.Popen([*command, *arguments], cwd=ROOT, env=environment, start_new_session=True)
        try:
            process.wait(seconds)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            sys.stderr.write("not all tests were run: those that were count\n")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        reached = Reached.of(Path(folder))
    reached.save(file)
    sys.stdout.write(f"{len(reached.tests)} tests reach {sum(map(len, reached.lines.values()))} lines\n")


def _path() -> str:
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--sample", type=int, default=40, help="changes of each file")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--effort", type=float, default=20, help="seconds of tests for a change")
    parser.add_argument("--files", nargs="+", default=[f"{folder}/**/*.py" for folder in FOLDERS])
    parser.add_argument("--json", type=Path, default=ROOT / "build/mutation.json")
    parser.add_argument("--reached", type=Path, default=ROOT / "build/reached.json")
    parser.add_argument("--record", action="store_true", help="notes the tests of all lines, and changes nothing")
    parser.add_argument("--again", action="store_true", help="tries the survivors once more")
    given, others = parser.parse_known_args()
    began = time.monotonic()
    if given.record or not given.reached.exists():
        record(given.reached, given.jobs, given.seconds if given.record else given.seconds / 2, others)
        if given.record:
            return 0
    given.seconds -= time.monotonic() - began
    run = Run(given, Reached.read(given.reached))
    files = sorted({str(p.relative_to(ROOT)) for one in given.files for p in ROOT.glob(one) if p.stat().st_size})
    by_file: dict[str, list[Mutant]] = {}
    for file, size, found in drawn(given.jobs, files, given.sample, given.seed):
        run.sizes[file] = size
        by_file[file] = [mutant for mutant in found if _is_wanted(run, mutant, given.again)]
    cache = tempfile.mkdtemp()
    # What other runs have kept is of the unchanged program; compiled C is found by its text.
    os.environ |= {"HETAD_KEEP": "0", "HETAD_CACHE_DIR": cache, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    run.run(trials(run, by_file))
    shutil.rmtree(cache, ignore_errors=True)
    sys.stdout.write("\n".join(table(run)) + "\n")
    return 0


def _is_wanted(run: Run, mutant: Mutant, again: bool) -> bool:
    """Those not tried yet; or those that nothing killed."""
    before = run.tried.get(mutant.name)
    return (before is None) != again and (before is None or before["outcome"] in (SURVIVED, UNREACHED))


if __name__ == "__main__":
    raise SystemExit(main())
