"""hetad computes of C++ what a C++ compiler computes, of each function `double g1(double)` in the files here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import hetad

FILES = sorted(Path(__file__).parent.glob("*.cu"))
NAMES = [(p, name) for p in FILES for name in re.findall(r"^static double ([gm]\d+)\(double t\)", p.read_text(), re.M)]
AT = (0.7, 0.9)
COMPILER = shutil.which("g++") or shutil.which("clang++")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[Path, str, float], float]:
    """What the machine's compiler makes of all functions."""
    folder, found = tmp_path_factory.mktemp("meaning"), {}
    for path in FILES:
        names = [name for p, name in NAMES if p == path]
        calls = "".join(f'std::printf("%.17g\\n", {name}({at}));' for name in names for at in AT)
        text = f"#include <cmath>\n#include <cstdio>\n{path.read_text()}\nint main() {{ {calls} }}\n"
        program = folder / path.stem
        (folder / "program.cpp").write_text(text)
        subprocess.run([str(COMPILER), "-std=c++17", "-w", "-o", program, folder / "program.cpp"], check=True)
        values = subprocess.run([program], check=True, capture_output=True, text=True, timeout=20).stdout.split()
        cases = [(path, name, at) for name in names for at in AT]
        found |= dict(zip(cases, map(float, values), strict=True))
    return found


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize(("path", "name"), NAMES, ids=[f"{p.stem}-{name}" for p, name in NAMES])
def test_value(path: Path, name: str, compiled: dict[tuple[Path, str, float], float]) -> None:
    function = hetad.load(path, frontend="cpp")[name]
    for at in AT:
        assert function(at, backend="cpu") == pytest.approx(compiled[path, name, at], rel=1e-12, abs=1e-12)
