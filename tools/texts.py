"""Writes what hetad emits for every program of tests/gradient and every sample, to compare before and after a change.

    python tools/texts.py build/before            # then change something
    python tools/texts.py build/after --compare build/before

For each problem the derivative's CUDA text and explanation, the text that runs on the CPU, and refusals, with all
optimisations, with none, and with sums of fixed order; and those of its tangents.  `--every N`: only each N-th problem.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import hetad  # noqa: E402
from hetad import pipeline, problem  # noqa: E402
from hetad.adjoint.options import Options  # noqa: E402
from hetad.host.derivation import Request  # noqa: E402
from hetad.targets.cpu.file import cpu_source  # noqa: E402
from tests.corpus import cases  # noqa: E402

SETTINGS = {
    "on": {"options": Options.of(True)},
    "off": {"options": Options.of(False)},
    "deterministic": {"options": Options.of(True, True)},
    "tangents": {"options": Options.of(True), "directions": 1},
}


def problems() -> Iterator[tuple[str, problem.Problem]]:
    for path in sorted((ROOT / "samples").glob("*.toml")):
        yield f"samples-{path.stem}", problem.read(path)  # a program of tests may have the name of one
    for path in sorted((ROOT / "tests" / "gradient" / "programs").glob("**/*.cu")):
        seen = set()
        for case in cases(path):
            key = (case.problem.function, tuple(case.problem.wrt), str(case.problem.of), str(case.problem.defines))
            if key not in seen:
                seen.add(key)
                yield case.name, case.problem


def text_of(found: problem.Problem, asked: dict[str, Any]) -> str:
    of = None if found.of is None else tuple(found.of)
    try:
        unit = hetad.load(found.source, defines=found.defines).unit
        request = Request(function=found.function, wrt=tuple(found.wrt), of=of, **asked)
        made = pipeline.differentiate(unit, request)
        run = cpu_source(made.program, made.entry)
        text = "\n".join((pipeline.source(made), str(made.explanation), str(made.parameters), run))
    except hetad.HetadError as refusal:
        text = f"{type(refusal).__name__}: {refusal}\n"
    return text.replace(str(ROOT), "")


def write(name: str, found: problem.Problem, folder: Path) -> None:
    for setting, asked in SETTINGS.items():
        (folder / f"{name}.{setting}").write_text(text_of(found, asked))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compare", type=Path, metavar="FOLDER")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = list(problems())[:: options.every]
    with ProcessPoolExecutor() as pool:
        list(pool.map(write, *zip(*chosen, strict=True), repeat(options.folder), chunksize=4))
    if options.compare is None:
        return 0
    made = sorted(f for f in options.folder.iterdir() if (options.compare / f.name).exists())
    differ = [f.name for f in made if f.read_text() != (options.compare / f.name).read_text()]
    sys.stdout.write(f"{len(made)} texts, {len(differ)} differ: {' '.join(differ)}\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
