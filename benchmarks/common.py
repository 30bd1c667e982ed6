"""What the benchmark scripts share: where things are, double precision from single, RESULTS.md."""

from __future__ import annotations

import datetime as dt
import os
import re
import shlex
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
KERNELS = HERE / "kernels"
PROGRAMS = HERE / "programs"
SAMPLES = ROOT / "samples"
RESULTS = HERE / "RESULTS.md"

_MATH = re.compile(r"\b(sin|cos|tan|tanh|exp|log|sqrt|rsqrt|erf|erfc|sincos|fabs|pow|fma)f\b")


def use_checkout() -> None:
    """Import hetad from this checkout, installed or not."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def in_double(text: str) -> str:
    """The same program in double precision.  Literals keep their `f`: both versions have the same constants."""
    return _MATH.sub(r"\1", re.sub(r"\bfloat\b", "double", text))


def first_line(problem: BaseException | str, length: int = 100) -> str:
    """A message, short enough for a table cell."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()] or [type(problem).__name__]
    errors = [line[line.index("error:") :] for line in lines if "error:" in line]  # of a compiler
    text = errors[0] if errors else lines[0]
    return text if len(text) <= length else text[: length - 1] + "…"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with aligned columns; all but the first column to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        padded = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def stamp(machine: str) -> str:
    """When, where and how a section of RESULTS.md was made."""
    command = shlex.join(["python", str(Path(sys.argv[0]).resolve().relative_to(ROOT)), *sys.argv[1:]])
    return f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d %H:%M} UTC, {machine}\n\n    {command}\n"


def write_section(title: str, body: str) -> None:
    """Replace one section of RESULTS.md, or add it."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    head, *sections = re.split(r"(?m)^## ", text)
    head = (
        head.strip()
        or "# Benchmark results\n\nWritten by the scripts of this folder; each section says when, where and how."
    )
    found = {s.split("\n", 1)[0].strip(): s.split("\n", 1)[1].strip() for s in sections}
    found[title] = body.strip()
    parts = [head.strip(), *(f"## {name}\n\n{content}" for name, content in found.items())]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def processor() -> str:
    """The CPU's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def load() -> str:
    """Whether other work was going on."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs"
