"""What the machine's own C++ compiler makes of a program: its threads are the fibers of `emulated.h`, which knows
nothing of hetad."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests import precompiled

COMPILER = shutil.which("g++")
_HEADER = Path(__file__).with_name("emulated.h")
_LAUNCH = re.compile(r"(\w+(?:<\w+>)?)<<<(.+)>>>\((.*)\);$", re.M)
_TYPES = {"float64": "double", "float32": "float", "int32": "int"}
_SECONDS = 60


def outputs(text: str, function: str, arguments: Sequence[Any], *, returns: bool) -> list[np.ndarray]:
    """The arrays among the arguments behind a call of a function of a generated program, and what it returns."""
    arrays = [value for value in arguments if isinstance(value, np.ndarray)]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "program.cpp"), Path(folder, "program")
        source.write_text(_as_cpp(text) + _main(function, arguments, returns), encoding="utf-8")
        command = [str(COMPILER), "-std=c++20", "-w", "-O0", "-ffp-contract=off"]
        command += precompiled.included(command, _HEADER.read_text(encoding="utf-8"), "c++")
        made = subprocess.run([*command, str(source), "-o", str(program)], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert ran.returncode == 0, f"the program that {COMPILER} makes ends with {ran.returncode}"
    found = np.array([float(line) for line in ran.stdout.split()])
    ends = np.cumsum([array.size for array in arrays])
    return np.split(found, ends)[: len(arrays) + returns]


def _as_cpp(text: str) -> str:
    """A launch is a call; generated programs have one a line."""
    return _LAUNCH.sub(r"emulated::Launch(\2).run(\1, \3);", text)


def _main(function: str, arguments: Sequence[Any], returns: bool) -> str:
    lines, names = [], []
    for i, value in enumerate(arguments):
        names.append(f"a{i}" if isinstance(value, np.ndarray) else _literal(value))
        if isinstance(value, np.ndarray):
            numbers = ", ".join(_literal(x) for x in value.ravel().tolist())
            lines.append(f"static {_TYPES[value.dtype.name]} a{i}[{value.size + 1}] = {{{numbers}}};")
    shown = [f"emulated::show(a{i}, {v.size});" for i, v in enumerate(arguments) if isinstance(v, np.ndarray)]
    call = f"{function}({', '.join(names)});"
    body = [f"auto result = {call}" if returns else call, *shown, *(["emulated::show(&result, 1);"] if returns else [])]
    return "\n".join([*lines, "int main()", "{", *body, "}", ""])


def _literal(value: Any) -> str:
    return float(value).hex() if isinstance(value, float) else str(int(value))
