"""Both front ends make the same program of C, up to names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hetad
from hetad.diagnostics import HetadError, SyntaxProblem
from hetad.frontend import load_files
from hetad.frontend.beyond_c import IsCppError
from hetad.frontend.settings import Frontend, Settings
from hetad.ir import nodes as ir
from tests.corpus import cases
from tests.same_ir import canonical
from tests.turns import skip_unless_turn_of

# See test_files; and structs with the name of a function, which C++ tells apart as it reads, C as it is emitted.
OTHER_NAMES = {"host_and_device_text", "two_files", "names_of_tags_and_functions"}
PROGRAMS = sorted((Path(__file__).parents[1] / "gradient" / "programs").glob("*.cu"))

# What Clang does not read, or hetad not of it, and why.
NOT_YET = {
    "bytes": "arithmetic on void pointers is no C++ to Clang",
}


def _read(path: Path, function: str, defines: dict[str, object], frontend: Frontend) -> ir.Program:
    settings = Settings(defines, frontend=frontend)
    return load_files([(path.read_text(encoding="utf-8"), str(path))], settings).reach(function)


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem not in OTHER_NAMES], ids=lambda path: path.stem)
def test_same_program(path: Path) -> None:
    skip_unless_turn_of(path.stem, 2)
    case = cases(path)[0]
    function, defines = case.problem.function, dict(case.problem.defines)
    try:
        by_c = _read(path, function, defines, "c")
    except HetadError as error:
        assert isinstance(error, IsCppError | SyntaxProblem) or path.stem.startswith(("cpp_", "kokkos_"))  # noqa: PT017
        _read(path, function, defines, "cpp")
        return
    if path.stem in NOT_YET:
        with pytest.raises(HetadError):
            _read(path, function, defines, "cpp")
        return
    assert canonical(_read(path, function, defines, "cpp")) == canonical(by_c)


def test_most_programs_are_c() -> None:
    """What is written as CUDA C is read without Clang."""
    as_c = 0
    for path in PROGRAMS[::8]:
        case = cases(path)[0]
        try:
            _read(path, case.problem.function, dict(case.problem.defines), "c")
            as_c += 1
        except HetadError:
            pass
    assert as_c > len(PROGRAMS[::8]) / 2


AS_CPP = """
struct View {
    double *data;
    int nx;
    __device__ double &operator()(int i, int j) const { return data[j * nx + i]; }
    __device__ bool inside(int i) const { return i > 0 && i < nx - 1; }
};
__global__ void f(View y, View x)
{
    int i = threadIdx.x, j = blockIdx.x;
    if (x.inside(i))
        y(i, j) = x(i - 1, j) + x(i + 1, j);
}
"""
AS_C = """
struct View { double *data; int nx; };
__global__ void f(struct View y, struct View x)
{
    int i = threadIdx.x, j = blockIdx.x;
    if (i > 0 && i < x.nx - 1)
        y.data[j * y.nx + i] = x.data[j * x.nx + (i - 1)] + x.data[j * x.nx + (i + 1)];
}
"""


def test_accessors_are_the_elements_that_they_name() -> None:
    by_clang, by_c = (
        load_files([(text, "f.cu")], Settings(frontend=frontend)).reach("f")
        for text, frontend in ((AS_CPP, "cpp"), (AS_C, "c"))
    )
    assert canonical(by_clang) == canonical(by_c)


def test_without_libclang(monkeypatch: pytest.MonkeyPatch) -> None:
    """C needs none; C++ is refused with what is missing, or as C where that tells more."""
    for name in [n for n in sys.modules if n == "clang" or n.startswith(("clang.", "hetad.frontend.cpp"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "clang", None)
    text = "__global__ void twice(double *y) { y[0] *= 2; }"
    assert hetad.gradient(hetad.loads(text, "twice.cu")["twice"], wrt="y", of="y").source
    with pytest.raises(hetad.UnsupportedError, match="libclang cannot be loaded"):
        hetad.loads(text, "twice.cu", frontend="cpp")["twice"]
    with pytest.raises(hetad.UnknownNameError, match="no function 'other'"):
        hetad.loads(text, "twice.cu")["other"]
