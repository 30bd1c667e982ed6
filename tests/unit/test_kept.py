"""What one process works out, the next one finds: but never that of another program, or of other files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import frontend, kept_unit
from hetad.cli.check import examine
from hetad.run import cache, kept

ROOT = Path(__file__).parents[2]
PROGRAM = """
#include "law.h"
template <typename T> __global__ void twice(T *y, const T *x) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
__host__ __device__ double power(double v) { return v * v; }
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += LAW(power(x[i])); return s; }
double r;
int main() { double a = 3; r = LAW(a * a); return 0; }
"""
SCRIPT = """
import sys
import numpy as np
import hetad
program = hetad.load("program.cu")
g = hetad.gradient(program["total"], wrt="x", backend="cpu")
print(g.value_and_grad(np.arange(3.0), 3)[1]["x"].tolist())
h = hetad.hvp(program["total"], wrt="x", backend="cpu")
print(h(np.arange(3.0), 3, tangents={"x": np.ones(3)})["x"].tolist())
j = hetad.jvp(program["twice<float>"], wrt="x", of="y", backend="cpu")
x = np.ones(2, np.float32)
print(j(x.copy(), x, grid=1, block=2, tangents={"x": x})["y"].tolist())
print(program.driver(inputs="a", output="r")(4.0, backend="cpu"))
print(*(len(d.source) for d in (g, h, j)))
print("hetad.pipeline" in sys.modules, "pycparser" in sys.modules)
"""
NUMBERS = ["[0.0, 2.0, 4.0]", "[2.0, 2.0, 2.0]", "[2.0, 2.0]", "16.0"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, an own cache, and no watchers of passes, who would see none."""
    (tmp_path / "program.cu").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "law.h").write_text("#define LAW(v) (v)\n", encoding="utf-8")
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for module in (kept, kept_unit):
        monkeypatch.setattr(module, "is_enabled", lambda: True)
    return tmp_path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that are read rather than found."""
    found: list[str] = []
    real: Callable[..., Any] = frontend.load_files

    def counted(texts: Any, settings: Any) -> Any:
        found.append(texts[0][1])
        return real(texts, settings)

    monkeypatch.setattr(frontend, "load_files", counted)
    return found


def gradient(**options: Any) -> Any:
    """As a new process takes it."""
    g = hetad.gradient(hetad.load("program.cu", **options)["total"], wrt="x", backend="cpu")
    return g(np.arange(3.0), 3)["x"].tolist()


def test_the_second_process_reads_and_differentiates_nothing(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SCRIPT]
    texts = set()
    for kept_already in (False, True):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=300)
        *numbers, lengths, loaded = done.stdout.splitlines()
        assert (numbers, loaded) == (NUMBERS, f"{not kept_already} {not kept_already}")
        texts.add(lengths)
    assert len(texts) == 1


def test_an_included_file_that_changes_is_read_again(folder: Path, reads: list[str]) -> None:
    assert gradient() == [0, 2, 4]
    assert gradient() == [0, 2, 4]
    assert len(reads) == 1
    (folder / "law.h").write_text("#define LAW(v) (3 * (v))\n", encoding="utf-8")
    assert gradient() == [0, 6, 12]
    assert gradient() == [0, 6, 12]
    assert len(reads) == 2
    (folder / "law.h").write_text("#define LAW(v) (v)\n", encoding="utf-8")
    assert gradient() == [0, 2, 4]


def test_a_file_that_comes_to_stand_before_another_is_found(folder: Path, reads: list[str]) -> None:
    (folder / "law.h").unlink()
    for name, factor in (("first", 5), ("second", 3)):
        (folder / name).mkdir()
        if name == "second":
            (folder / name / "law.h").write_text(f"#define LAW(v) ({factor} * (v))\n", encoding="utf-8")
    where = {"include_dirs": ("first", "second")}
    assert gradient(**where) == [0, 6, 12]
    (folder / "first" / "law.h").write_text("#define LAW(v) (5 * (v))\n", encoding="utf-8")
    assert gradient(**where) == [0, 10, 20]
    (folder / "law.h").write_text("#define LAW(v) (v)\n", encoding="utf-8")
    assert gradient(**where) == [0, 2, 4]
    assert len(reads) == 3


def test_what_a_missing_header_or_the_time_decides_is_not_kept(folder: Path, reads: list[str]) -> None:
    source = folder / "program.cu"
    for text in ('#include "nowhere.h"\n', "// __DATE__\n"):
        source.write_text(text + PROGRAM, encoding="utf-8")
        reads.clear()
        assert gradient() == gradient() == [0, 2, 4]
        assert len(reads) == 2


def test_macros_options_and_rules_are_part_of_what_is_kept(folder: Path) -> None:
    (folder / "law.h").write_text("#ifndef LAW\n#define LAW(v) (v)\n#endif\n", encoding="utf-8")
    assert gradient() == [0, 2, 4]
    assert gradient(defines={"LAW(v)": "(7 * (v))"}) == [0, 14, 28]
    program = hetad.load("program.cu")
    hetad.pullback(program, "power", {"v": "100"})
    assert hetad.gradient(program["total"], wrt="x", backend="cpu")(np.arange(3.0), 3)["x"].tolist() == [100] * 3
    names = {hetad.gradient(program["total"], wrt="x", optimize=o).source for o in (True, False)}
    assert len(names) == 2
    assert gradient() == [0, 2, 4]


def test_a_damaged_entry_is_as_good_as_none(folder: Path, reads: list[str]) -> None:
    assert gradient() == [0, 2, 4]
    entries = sorted((folder / "cache").glob("*.pickle"))
    assert len(entries) > 3
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-50])
    assert gradient() == [0, 2, 4]
    assert len(reads) == 2
    for entry in entries:
        cache.entry(entry.name, lambda _: None)  # it is whole again
    assert gradient() == [0, 2, 4]
    assert len(reads) == 2


def test_refusals_are_those_of_the_first_time(folder: Path) -> None:
    (folder / "program.cu").write_text("void f(double *y, int *n) { y[0] = atomicMax(n, 2); }", encoding="utf-8")
    messages = []
    for _ in range(2):
        with pytest.raises(hetad.HetadError) as caught:
            hetad.gradient(hetad.load("program.cu")["f"], wrt="y", of="y")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    with pytest.raises(hetad.UnknownNameError, match="no function 'g'"):
        hetad.load("program.cu")["g"]


def test_what_is_read_while_problems_are_collected_is_not_kept(folder: Path) -> None:
    """Of a program that is refused, `check` goes on with what is left of it, which must not be there the next time."""
    (folder / "program.cu").write_text(
        'double bad(double v) { asm("nop;"); return v; }\ndouble run(double v) { return bad(v) * v; }', encoding="utf-8"
    )
    found = [examine(hetad.load("program.cu").unit, "run").errors for _ in range(2)]
    assert [[e.message for e in errors] for errors in found] == [["hetad does not support inline assembly"]] * 2
    with pytest.raises(hetad.UnsupportedError, match="inline assembly"):
        hetad.gradient(hetad.load("program.cu")["run"], wrt="v")


def test_lengths_are_checked_though_others_were_long_enough(folder: Path) -> None:
    assert gradient() == [0, 2, 4]
    g = hetad.gradient(hetad.load("program.cu")["total"], wrt="x", backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="expected at least 4 elements, got 3"):
        g(np.arange(3.0), 4)


def test_nothing_is_kept_where_that_is_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("HETAD_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("HETAD_KEEP", "0")
    monkeypatch.chdir(folder)
    assert gradient() == [0, 2, 4]
    assert not list((folder / "cache").glob("*.pickle"))
