"""C++ as Clang reads it and hetad runs it gives the numbers that a C++ compiler gives.

Each file in cpp_programs/ defines `double f(double a, int n)`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
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


def test_what_is_thrown_ends_the_program_where_it_would_be_caught() -> None:
    """No handler runs: neither a value nor a gradient could come of one."""
    program = hetad.loads(
        "void f(double *x)\n{\n    try {\n        if (x[0] < 0) throw 1;\n        x[0] *= 2;\n    } catch (int) {\n"
        "        x[0] = 0;\n    }\n}\n"
    )
    x = np.ones(1)
    program["f"](x, backend="cpu")
    assert x.tolist() == [2.0]
    gradient = hetad.gradient(program["f"], wrt=["x"], of=["x"], backend="cpu")
    assert gradient(np.ones(1), seeds={"x": np.ones(1)})["x"].tolist() == [2.0]
    with pytest.raises(hetad.ExecutionError, match="abort"):
        program["f"](-x, backend="cpu")
    with pytest.raises(hetad.ExecutionError, match="abort"):
        gradient(-x, seeds={"x": np.ones(1)})
