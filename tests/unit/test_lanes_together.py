"""Runs of doubles that the lanes of a warp add together: lanes, and warps, at different places do not meet, and what
lanes pass on is added once."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hetad.emit import support

COMPILER = shutil.which("c++") or shutil.which("g++")
PROGRAM = Path(__file__).parent / "lanes_together.cpp"


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_lanes_at_different_places_do_not_meet(tmp_path: Path) -> None:
    text = "\n".join(support.read(f"add_{name}_double.cu") for name in ("run", "each", "chain"))
    text, changed = re.subn(
        r"(?s)    const size_t address = .*?;\n    asm .*?;\n", "    atomicAdd(cell, value);\n", text
    )
    assert changed == 1  # what only a GPU understands
    source, program = tmp_path / "lanes.cpp", tmp_path / "lanes"
    source.write_text(PROGRAM.read_text().replace("\nHETAD\n", f"\n{text}\n"))
    command = [str(COMPILER), "-std=c++20", "-O1", "-DTHREADS=64", "-o", str(program), str(source), "-lpthread"]
    races = ["-fsanitize=thread"]  # found where the compiler can
    made = subprocess.run([*command, *races], capture_output=True, text=True, check=False)
    if made.returncode:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode and "barrier" in made.stderr.split("error", 1)[-1][:200]:
        pytest.skip("the compiler has no <barrier>")
    assert made.returncode == 0, made.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=120, check=False)
    assert "data race" not in ran.stderr
    assert [float(line) for line in ran.stdout.split()] == [0.0, 0.0, 0.0], ran.stderr
