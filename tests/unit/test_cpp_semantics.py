"""C++ as Clang reads it and hetad runs it gives the numbers that a C++ compiler gives.

Each file in cpp_programs/ defines `double f(double a, int n)`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import hetad

COMPILER = shutil.which("c++")
PROGRAMS = sorted((Path(__file__).parent / "cpp_programs").glob("*.cpp"))


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_same_numbers(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source, library = tmp_path / "f.cpp", tmp_path / "f.so"
    source.write_text(text + '\nextern "C" double entry(double a, int n) { return f(a, n); }\n')
    assert COMPILER is not None
    subprocess.run([COMPILER, "-std=c++17", "-O0", "-w", "-shared", "-fPIC", source, "-o", library], check=True)
    compiled = ctypes.CDLL(str(library)).entry
    compiled.restype, compiled.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_int]
    function = hetad.loads(text, "f.cu", frontend="cpp")["f"]
    for a, n in ((1.75, 3), (-0.5, 1)):
        assert function(a, n, backend="cpu") == compiled(a, n)
