"""Random whole programs for as long as there is time: each gradient against independent oracles, with drawn options.

    python tools/campaign.py --seconds 600 [--jobs N] [--seed N] [--backend cpu|cuda] [--found DIRECTORY] [--json FILE]
    python tools/campaign.py --merge FILE FILE... [--json FILE]
    python tools/campaign.py --again FILE

The generators are those of tests/property: hosts with loops, swaps, copies and streams; kernels with control flow,
shared memory, barriers, shuffles, atomics and aliases; stencils over grids; weighed sums; the same in C++.  What is
checked stands in tests/property/check.py: of each gradient, with the options that are drawn, the identity <w, J v> =
<J' w, v>, linearity and a second call; of some, which are drawn too, differences of the primal, races, other options,
batches, the primal against the machine's C++ compiler.  Programs that reach
passes which have changed few programs so far are preferred.

A failure is shrunk, printed, and written to DIRECTORY in the format of tests/gradient/programs, and to FILE with its
options: `--again` checks those of FILE once more.  The counts of FILE grow from run to run, each with a seed of its
own; they are written every few seconds, so that a campaign can be stopped at any time.  `--merge` adds the counts of
several files.  A job that dies is told, with its program, and another one takes its place; programs that are not done
`--grace` seconds after the end are printed, and do not count.  On GPUs the jobs are dealt out to those that
$CUDA_VISIBLE_DEVICES names, or to all.

Prints what was met, and the seed: with it, and as many jobs, the same programs come again.  Exit status 1 if a gradient
was wrong, or if the process that made it crashed, raised or did not end; a refusal that nobody expected is printed and
kept, no more.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hypothesis import HealthCheck, Phase, given, seed, settings, target  # noqa: E402
from hypothesis.errors import HypothesisException  # noqa: E402

from tests.property import grids, programs, weighted  # noqa: E402
from tests.property.check import WRONG, Outcome, check, without_optimisation  # noqa: E402
from tests.property.options import options  # noqa: E402
from tests.property.tally import Failure, Tally, read  # noqa: E402

GENERATORS: Mapping[str, Callable[[], Any]] = {
    "programs": programs.programs,
    "in C++": programs.cpp_programs,
    "grids": grids.programs,
    "sums": weighted.programs,
}
CHUNK = 30  # programs of one seed
OFTEN = 5  # seconds between reports of a worker
# In a process of its own: this one stays without a context.
COUNTING = "from hetad.run import cuda; assert cuda.usable(); print(cuda.cupy_module().cuda.runtime.getDeviceCount())"


class Late(BaseException):
    """There is no more time."""


@dataclass(frozen=True)
class Job:
    """What one process is given: `until` when it ends, of time.monotonic(); `folder` is its own."""

    number: int
    seed: int
    backend: str
    gpu: str | None
    until: float
    folder: Path

    @property
    def now(self) -> Path:
        """The program that is being checked."""
        return self.folder / "now.cu"


class Worker:
    """One process: tells `to` now and then what it has met."""

    def __init__(self, job: Job, to: Connection) -> None:
        self.job, self.to = job, to
        self.tally = Tally()
        self.met = Counter[str]()  # passes, since the beginning
        self.told = time.monotonic()

    def run(self) -> None:
        names = list(GENERATORS)
        job = self.job
        job.folder.mkdir()
        os.environ |= {"HETAD_CACHE_DIR": str(job.folder / "cache"), "HETAD_CC": without_optimisation()}
        if job.gpu is not None:
            os.environ |= {"CUDA_VISIBLE_DEVICES": job.gpu, "CUPY_CACHE_DIR": str(job.folder / "cupy")}
        with contextlib.suppress(Late):
            for turn in range(1 << 30):
                number = int(hashlib.sha256(f"{job.seed} {job.number} {turn}".encode()).hexdigest()[:12], 16)
                self.explore(names[(job.number + turn) % len(names)], number)
        self.tell()

    def tell(self) -> None:
        self.to.send(self.tally.plain())
        self.tally, self.told = Tally(), time.monotonic()

    def explore(self, generator: str, number: int) -> None:
        """The programs of one seed; the first that fails is shrunk, as far as there is time."""
        failing: list[tuple[str, Failure]] = []
        backend = self.job.backend

        @seed(number)
        @settings(
            max_examples=CHUNK, deadline=None, database=None, suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.target, Phase.shrink), report_multiple_bugs=False,
        )  # fmt: skip
        @given(options(), GENERATORS[generator]())  # options first: what is drawn late is often zero
        def explored(chosen: Mapping[str, Any], text: str) -> None:
            if time.monotonic() > self.job.until:
                raise Late
            self.job.now.write_text(f"{text}// {dict(chosen)}\n", encoding="utf-8")
            outcome = check(text, chosen, backend)
            if outcome.verdict in WRONG:
                failing.append((text, failure(outcome, chosen, backend)))
                raise AssertionError(outcome.message)
            self.tally.add(generator, text, chosen, backend, outcome)
            self.met.update(outcome.passes)
            if time.monotonic() > self.told + OFTEN:
                self.tell()
            target(sum(1 / self.met[name] for name in outcome.passes), label="passes that have changed few programs")

        try:
            explored()
        except (AssertionError, Late) as end:
            if failing:
                worst = [found for found in failing if found[1]["verdict"] == "failed"] or failing
                text, found = min(worst, key=lambda one: len(one[0]))
                found["message"] = f"seed {self.job.seed}, {generator}, {found['message']}"
                self.tally.fail(generator, text, found)
            if isinstance(end, Late):
                raise
        except HypothesisException as problem:
            named = f"seed {self.job.seed}, {number} of {generator}"
            self.tally.fail(generator, named, failure(Outcome("failed", f"the generator: {problem!r}"), {}, backend))


def failure(outcome: Outcome, chosen: Mapping[str, Any], backend: str) -> Failure:
    return {"message": outcome.message, "verdict": outcome.verdict, "options": dict(chosen), "backend": backend}


def work(job: Job, to: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process says when to stop
    Worker(job, to).run()


class Campaign:
    """The processes and what they have told; `file` keeps the sum with that of earlier runs."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.earlier = read([given.json] if given.json is not None else [])
        self.seed = given.seed if given.seed is not None else _unused({run["seed"] for run in self.earlier.runs})
        self.backend, self.jobs, self.file, self.found = given.backend, given.jobs, given.json, given.found
        self.began = time.monotonic()
        self.until = self.began + given.seconds
        self.grace = given.grace
        self.gpus = visible_gpus() if self.backend == "cuda" else [None]
        self.tally = Tally()
        self.saved = self.began
        self.started = 0
        self.folder = Path()
        self.processes: dict[Connection, tuple[Job, multiprocessing.process.BaseProcess]] = {}

    def run(self) -> Tally:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            self.folder = Path(folder)
            self._work()
        return self.tally

    def _work(self) -> None:
        try:
            for _ in range(self.jobs):
                self.begin()
            while self.processes and time.monotonic() < self.until + self.grace:
                for reading in wait(list(self.processes), timeout=OFTEN):
                    self.hear(reading)  # type: ignore[arg-type]
                if time.monotonic() > self.saved + OFTEN:
                    self.save()
            for job, _ in self.processes.values():
                sys.stderr.write(
                    f"job {job.number} was not done with this when the campaign ended:\n{_text(job.now)}\n"
                )
        except KeyboardInterrupt:
            sys.stderr.write("stopped: what was met up to now counts\n")
        finally:
            for _, process in self.processes.values():
                process.kill()
                process.join()
            self.save()

    def begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        reading, writing = context.Pipe(duplex=False)
        gpu = self.gpus[self.started % len(self.gpus)]
        job = Job(self.started, self.seed, self.backend, gpu, self.until, self.folder / str(self.started))
        process = context.Process(target=work, args=(job, writing))
        process.start()
        writing.close()
        self.processes[reading] = job, process
        self.started += 1

    def hear(self, reading: Connection) -> None:
        """Of one process; another takes the place of one that broke."""
        try:
            told = reading.recv()
        except (EOFError, ConnectionError):
            job, process = self.processes.pop(reading)
            process.join()
            if process.exitcode:
                message = (
                    f"job {job.number} of seed {job.seed} ended with {process.exitcode}; it was at\n{_text(job.now)}"
                )
                sys.stderr.write(f"{message}\n")
                if time.monotonic() < self.until and self.started < 4 * self.jobs:
                    self.begin()
            return
        self.tally.join(told)
        for text, found in told["failures"].items():
            self.keep(text, found)

    def keep(self, text: str, found: Failure) -> None:
        """A program that fails: at once to those who watch, and as a file."""
        message = f"{found['options']}\n{found['message']}"
        sys.stderr.write(f"found: {message}\n{text}\n")
        if self.found is not None:
            self.found.mkdir(parents=True, exist_ok=True)
            name = hashlib.sha256(text.encode()).hexdigest()[:12]
            note = "".join(f"// {line}\n" for line in message.splitlines())
            (self.found / f"found_{name}.cu").write_text(text + note)

    def save(self) -> None:
        self.saved = time.monotonic()
        self.tally.runs = [
            {
                "date": time.strftime("%Y-%m-%d"), "seed": self.seed, "backend": self.backend, "jobs": self.jobs,
                "seconds": round(self.saved - self.began), "programs": self.tally.programs,
            }
        ]  # fmt: skip
        if self.file is not None:
            total = Tally(self.earlier.plain())
            total.join(self.tally.plain())
            total.save(self.file)


def _unused(seeds: set[int]) -> int:
    """Today's date and the number of a run."""
    today = int(time.strftime("%Y%m%d"))
    return next(number for run in range(1 << 30) if (number := today * 100 + run) not in seeds)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else "its first program"


def visible_gpus() -> list[str]:
    """What $CUDA_VISIBLE_DEVICES may be for one of the GPUs each."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is not None:
        return named.split(",")
    counted = (
        "from hetad.run import cuda; assert cuda.usable(); print(cuda.cupy_module().cuda.runtime.getDeviceCount())"
    )
    done = subprocess.run([sys.executable, "-c", counted], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"no usable GPU: `hetad doctor` says why\n{done.stderr}")
    return [str(number) for number in range(int(done.stdout))]


def again(file: Path) -> int:
    """Those that failed, once more: how many still do."""
    failing = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        os.environ |= {"HETAD_CACHE_DIR": cache, "HETAD_CC": without_optimisation()}
        for text, found in read([file]).failures.items():
            outcome = check(text, found["options"], found["backend"])
            failing += outcome.verdict in WRONG
            sys.stdout.write(f"{outcome.verdict} with {found['options']}: {outcome.message}\n{text}\n")
    sys.stdout.write(f"{failing} still fail\n")
    return failing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, help="default: today's date, and the first number that FILE lacks")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--found", type=Path, help="where programs that fail are written")
    parser.add_argument("--json", type=Path, help="where the counts are kept, and added to")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE", help="adds the counts of files, and runs none")
    parser.add_argument("--grace", type=float, default=60, help="seconds beyond the end for programs that have begun")
    parser.add_argument("--again", type=Path, metavar="FILE", help="checks the failures of a file, and no more")
    given_options = parser.parse_args()
    if given_options.again is not None:
        return 1 if again(given_options.again) else 0
    if given_options.merge is not None:
        tally = read(given_options.merge)
        if given_options.json is not None:
            tally.save(given_options.json)
    else:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        campaign = Campaign(given_options)
        on = f" on GPUs {','.join(map(str, campaign.gpus))}" if campaign.backend == "cuda" else ""
        sys.stdout.write(f"seed {campaign.seed}, {campaign.jobs} jobs{on}\n")
        sys.stdout.flush()
        tally = campaign.run()
    sys.stdout.write("\n".join(tally.report()) + "\n")
    return 1 if tally.is_wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
