"""All benchmarks of one machine: `python benchmarks/run.py` on a GPU, `--cpu` on one core.

Prints a table and, when everything was run, replaces its section of RESULTS.md.  Each item has a time limit; one that
fails, hangs or takes the CUDA context with it is reported in the table, and the run goes on in a new process.

    python benchmarks/run.py                      kernels and programs on the GPU, under eight minutes
    python benchmarks/run.py --only lbm,heat      some of them
    python benchmarks/run.py --without warp,torch,plain
    python benchmarks/run.py --cpu                the CPU backend against hand-written C
    python benchmarks/run.py --check              the hand-written adjoints against double precision, without a GPU
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

import common

common.use_checkout()

import cases  # noqa: E402
import cpu  # noqa: E402
import programs  # noqa: E402

Record = dict[str, Any]


# --- the GPU -------------------------------------------------------------------------------------


class Worker:
    """A process that measures items one after the other and prints records."""

    def __init__(self, items: list[str], environment: dict[str, str], log: IO[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(common.HERE / "gpu.py"), *items], stdout=subprocess.PIPE, stderr=log, text=True,
            env=environment,
        )  # fmt: skip
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, timeout: float) -> Record | None:
        """The next record; None when the process has ended.  Raises queue.Empty when there is none in time."""
        end = time.monotonic() + timeout
        while True:
            line = self.lines.get(timeout=max(0.1, end - time.monotonic()))
            if line is None:
                return None
            if line.startswith("{"):
                found: Record = json.loads(line)
                return found

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def run_gpu(items: list[str], options: argparse.Namespace) -> tuple[Record, list[Record]]:
    """What the machine is, and a record per item and version."""
    environment = os.environ | {
        "HETAD_BENCH_SIZE": "tiny" if options.tiny else "gpu",
        "HETAD_BENCH_VERSIONS": ",".join(
            v for v in ("hetad", "plain", "torch", "warp") if v not in options.without.split(",")
        ),
    }
    deadline = time.monotonic() + options.budget
    machine: Record = {}
    records: list[Record] = []
    starts = 0  # of a process that ended before it began an item
    log_path = Path(options.log)
    with log_path.open("w", encoding="utf-8") as log:
        while items and time.monotonic() < deadline:
            worker, current, problem = Worker(items, environment, log), None, "the process ended early"
            item_end = time.monotonic() + options.limit + 60  # imports, the first contact with the GPU
            while True:
                try:
                    record = worker.next(min(item_end, deadline) - time.monotonic())
                except queue.Empty:
                    problem = (
                        f"stopped: over {options.limit:.0f} s"
                        if time.monotonic() < deadline
                        else "stopped: out of time"
                    )
                    break
                if record is None:
                    break
                if record["item"] == "machine":
                    machine = record
                elif "begin" in record:
                    current, item_end = record["item"], time.monotonic() + options.limit
                elif "end" in record:
                    items = [i for i in items if i != record["item"]]
                    current = None
                else:
                    records.append(record)
                    show(record)
            worker.stop()
            if not items:
                break
            starts = starts + 1 if current is None else 0
            if starts == 2:  # it does not come up
                records += [{"item": i, "version": "run", "problem": f"{problem} {last_line(log_path)}"} for i in items]
                return machine, records
            failed = current or items[0]
            records.append({"item": failed, "version": "run", "problem": f"{problem} {last_line(log_path)}".strip()})
            show(records[-1])
            items = [i for i in items if i != failed]
    records += [{"item": i, "version": "run", "problem": "not run: out of time"} for i in items]
    return machine, records


def last_line(log: Path) -> str:
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return f"({common.first_line(lines[-1])})" if lines else ""


def show(record: Record) -> None:
    what = record.get("problem") or "  ".join(
        f"{key} {record[key]:.4g}" for key in ("ms", "call_ms", "error", "spread") if record.get(key) is not None
    )
    print(f"{record['item']:24} {record['version']:36} {what}", flush=True)


def kernel_table(machine: Record, records: list[Record]) -> str:
    header = [
        "kernel", "primal", "hetad", "hand", "hetad / hand", "must be ≤", "tuned", "no proofs", "Warp", "PyTorch",
        "hetad / primal", "hetad call", "GB/s", "of copy",
    ]  # fmt: skip
    rows, errors, notes = [], [], []
    for name in dict.fromkeys(r["item"].split(":")[1] for r in records if r["item"].startswith("case:")):
        found = {r["version"]: r for r in records if r["item"] == f"case:{name}"}
        case = cases.CASES[name]("tiny")  # for the limit; sizes are in the title of the real one
        hands = [r for v, r in found.items() if v.startswith("hand") and "ms" in r]
        hand = min((r["ms"] for r in hands if r["style"] == "primal"), default=None)
        tuned = min((r["ms"] for r in hands if r["style"] == "tuned"), default=None)
        hetad = found.get("hetad", {}).get("ms")
        primal = found.get("primal", {}).get("ms")
        speed = found["primal"]["bytes"] / (hetad * 1e-3) if hetad else None
        wrong = {v for v, r in found.items() if v != "reference" and not r.get("error", 0) < case.tolerance}

        def cell(version: str, found: dict[str, Record] = found, wrong: set[str] = wrong) -> str:
            text = _ms(found.get(version, {}).get("ms"))
            return text + (" ✗" if version in wrong and text != "–" else "")

        rows.append([
            name, _ms(primal), cell("hetad"), _ms(hand), _ratio(hetad, hand), f"{case.limit}", _ms(tuned),
            cell("hetad, optimize=False"), cell("Warp"), cell("PyTorch"), _ratio(hetad, primal),
            _ms(found.get("hetad", {}).get("call_ms")), f"{speed / 1e9:.0f}" if speed else "–",
            f"{100 * speed / machine['bandwidth']:.0f} %" if speed and machine else "–",
        ])  # fmt: skip
        errors.append([
            name, _error(found, "reference"), *("; ".join(f"{r['error']:.0e}" for r in hands) or "–",),
            *(_error(found, v) for v in ("hetad", "hetad, optimize=False", "Warp", "PyTorch")),
        ])  # fmt: skip
        notes += [
            f"- {name}, {v}: {r['problem']}"
            for v, r in found.items()
            if "not expressed" not in r.get("problem", "not expressed")
        ]
        notes += [f"- {name}, {v}: error {found[v]['error']:.1e}" for v in sorted(wrong) if "error" in found[v]]
        times = ", ".join(f"{r['version'][6:]} {r['ms']:.3f}" for r in hands)
        if len(hands) > 1:
            notes.append(f"- {name}, hand-written: {times}")
    parts = [
        common.table(header, rows),
        "Times in ms. `hand`: the best hand-written adjoint at the primal's level of tuning; `tuned`: with "
        "register tiles. `no proofs`: `optimize=False`. `hetad call`: wall clock of one call in a loop. GB/s: the "
        "fewest bytes the pullback can move over its time; ✗: wrong beyond 1e-3.",
        "Largest error relative to the largest gradient, against double precision (the hand-written adjoint with "
        "doubles), which itself is compared with a central difference along a random direction:",
        common.table(["kernel", "reference", "hand", "hetad", "no proofs", "Warp", "PyTorch"], errors),
        "\n".join(notes),
    ]
    return "\n\n".join(part for part in parts if part)


def program_table(records: list[Record]) -> str:
    rows, notes = [], []
    for name in dict.fromkeys(r["item"].split(":")[1] for r in records if r["item"].startswith("program:")):
        found = {r["version"]: r for r in records if r["item"] == f"program:{name}"}
        primal, gradient, graph = (found.get(v, {}).get("ms") for v in ("primal", "hetad", "graph"))
        item = programs.program(name, tiny=True)
        rows.append(
            [
                name,
                _ms(primal),
                _ms(gradient),
                _ms(graph),
                _ratio(gradient, primal),
                f"{item.limit}",
                _error(found, "hetad"),
            ]
        )
        notes += [f"- {name}, {v}: {r['problem']}" for v, r in found.items() if "problem" in r]
    header = ["program", "primal ms", "gradient ms", "with graph=True", "gradient / primal", "must be ≤", "error"]
    explanation = "Error: the directional derivative against central differences in double precision."
    return "\n\n".join(part for part in (common.table(header, rows), explanation, "\n".join(notes)) if part)


def loop_table(records: list[Record]) -> str:
    """Time loops: what they save, how fast they launch, and what a memory limit costs."""
    rows = []
    for name in dict.fromkeys(r["item"].split(":")[1] for r in records if r["item"].startswith("program:")):
        item = programs.program(name)
        if item.least is None:
            continue
        found = {r["version"]: r for r in records if r["item"] == f"program:{name}" and "ms" in r}
        primal = found.get("primal", {}).get("ms")
        for version, label in (("hetad", "all stored"), ("graph", "graph=True"), ("budget", "budget")):
            if (r := found.get(version)) is not None:
                if version == "budget":
                    label = f"budget {item.budget / 1e6:.1f} MB"
                rows.append([
                    f"{name}, {label}", _ms(primal), _ms(r["ms"]), _ratio(r["ms"], primal), f"{r['launches']}",
                    f"{r['launches'] / r['ms']:.0f}", f"{r['saved'] / 1e6:.2f}", f"{item.least / 1e6:.2f}",
                    f"{r['extra_steps']}", f"{r['error']:.0e}",
                ])  # fmt: skip
    header = [
        "time loop", "primal ms", "gradient ms", "gradient / primal", "launches", "launches / ms", "saved MB",
        "least MB", "extra steps", "error",
    ]  # fmt: skip
    explanation = (
        "Launches: of kernels, in both sweeps of one gradient. Saved: the most at a time; least: what any reverse "
        f"sweep that stores all has to have of the primal. Budget: as much as {programs.BUDGET} lattices, one a step."
    )
    return f"{common.table(header, rows)}\n\n{explanation}" if rows else ""


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _ratio(a: float | None, b: float | None) -> str:
    return f"{a / b:.2f}" if a and b else "–"


def _error(found: dict[str, Record], version: str) -> str:
    value = found.get(version, {}).get("error")
    return "–" if value is None else f"{value:.0e}"


def gpu(options: argparse.Namespace) -> None:
    only = [part for part in options.only.split(",") if part]
    items = [f"case:{name}" for name in cases.chosen(only)]
    items += [f"program:{name}" for name in programs.PROGRAM_NAMES if not only or any(part in name for part in only)]
    machine, records = run_gpu(items, options)
    speed = machine.get("bandwidth", 0) / 1e12
    stamp = common.stamp(f"{machine.get('gpu', 'no GPU')}, copy {speed:.2f} TB/s, CuPy {machine.get('cupy', '?')}")
    out = {
        "Kernels on a GPU": kernel_table(machine, records),
        "Whole programs on a GPU": program_table(records),
        "Time loops on a GPU": loop_table(records),
    }
    for heading, body in out.items():
        if not body:
            continue
        print(f"\n## {heading}\n\n{stamp}\n{body}")
        if options.write or not (only or options.tiny or options.without):
            common.write_section(heading, f"{stamp}\n{body}")
    if options.json:
        Path(options.json).write_text(json.dumps({"machine": machine, "records": records}, indent=1), encoding="utf-8")


# --- the CPU -------------------------------------------------------------------------------------


def on_cpu(options: argparse.Namespace) -> None:
    only = [part for part in options.only.split(",") if part]
    rows = []
    for name in cases.chosen(only):
        try:
            rows.append(cpu.compare(cases.CASES[name]("tiny" if options.tiny else "cpu")))
        except Exception as problem:  # noqa: BLE001 - it goes into the table
            rows.append({"case": name, "problem": f"{type(problem).__name__}: {common.first_line(problem)}"})
        print(json.dumps(rows[-1]), flush=True)
    body = common.table(*cpu.rows_of_table(rows))
    stamp = common.stamp(f"{common.processor()}, one thread, {common.load()}")
    print(f"\n{stamp}\n{body}")
    if options.write or not (only or options.tiny):
        common.write_section("Kernels on the CPU", f"{stamp}\n{body}")


def check(options: argparse.Namespace) -> None:
    for name in cases.chosen([part for part in options.only.split(",") if part]):
        try:
            print("\n".join(cpu.check(cases.CASES[name]("tiny"))), flush=True)
        except Exception as problem:  # noqa: BLE001
            print(f"{name}: {type(problem).__name__}: {common.first_line(problem)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cpu", action="store_true", help="the CPU backend against hand-written C")
    parser.add_argument("--check", action="store_true", help="check the hand-written adjoints, without a GPU")
    parser.add_argument(
        "--only", default="", metavar="NAME,...", help="names of kernels and programs, or parts of them"
    )
    parser.add_argument("--without", default="", metavar="VERSION,...", help="of warp, torch, plain, hetad")
    parser.add_argument("--tiny", action="store_true", help="small sizes: whether everything works")
    parser.add_argument("--limit", type=float, default=45, metavar="S", help="seconds for one kernel or program (45)")
    parser.add_argument("--budget", type=float, default=450, metavar="S", help="seconds for everything (450)")
    parser.add_argument("--json", default="", metavar="FILE", help="all records, for later use")
    parser.add_argument("--log", default="/tmp/hetad-bench.log", metavar="FILE", help="what the measuring process says")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md also after a partial run")
    options = parser.parse_args()
    check(options) if options.check else on_cpu(options) if options.cpu else gpu(options)


if __name__ == "__main__":
    main()
