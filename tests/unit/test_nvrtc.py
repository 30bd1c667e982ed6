"""What hetad emits for the samples compiles for a GPU, on machines without one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import hetad
from hetad import pipeline
from hetad import problem as problems
from hetad.run import compiler
from hetad.targets.accesses import NumberedAccesses
from hetad.targets.communication import INCLUDE
from tests import fixed_order, nvrtc
from tests.corpus import cases
from tests.turns import is_turn_of, skip_unless_turn_of

pytestmark = pytest.mark.usefixtures("kept_derivatives")

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.toml"))
PROGRAMS = Path(__file__).parents[1] / "gradient" / "programs"
CORPUS = sorted(PROGRAMS.glob("**/*.cu"))
LIBRARIES = PROGRAMS / "libraries"
needs_nvrtc = pytest.mark.skipif(nvrtc.load() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc)")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")


def gradient_of(path: Path) -> hetad.Gradient:
    problem = problems.read(path)
    program = hetad.load(problem.source, defines=problem.defines)
    return hetad.gradient(program[problem.function], wrt=problem.wrt, of=problem.of)


@needs_nvrtc
def test_the_compiler_reports_errors() -> None:
    with pytest.raises(nvrtc.CompilationError, match="undefined"):
        nvrtc.compile_device('extern "C" __global__ void f(float *x) { *x = missing; }')


@needs_nvrtc
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_kernels_compile_with_nvrtc(path: Path) -> None:
    from hetad import targets

    program, entry = (derivative := gradient_of(path).derivative).program, derivative.entry
    assert nvrtc.compile_device(targets.device_source(program))
    accesses = NumberedAccesses()
    assert nvrtc.compile_device(targets.device_source(program, accesses))
    host = targets.host_source(program, entry, targets.kernels(program), accesses)
    if INCLUDE not in host:  # not every machine has MPI
        accept_host_code(host)


@needs_nvrtc
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_kernels_of_the_corpus_compile_with_nvrtc(path: Path) -> None:
    from hetad import targets

    skip_unless_turn_of(path.stem, 4)
    problem = cases(path)[0].problem
    function = hetad.load(problem.source, defines=problem.defines)[problem.function]
    primal = pipeline.primal(function.compiled.unit, problem.function)
    accept_host_code(targets.host_source(primal.program, primal.entry, targets.kernels(primal.program)))
    for optimize in (True, False) if is_turn_of(path.stem, 16) else (True,):
        gradient = hetad.gradient(function, wrt=problem.wrt, of=problem.of, optimize=optimize, **problem.memory)
        program = gradient.derivative.program
        assert nvrtc.compile_device(targets.device_source(program))
        accept_host_code(targets.host_source(program, gradient.derivative.entry, targets.kernels(program)))


FILES = """
#include <stdio.h>
struct settings { FILE *log; int n; };
struct logger { FILE *file; int lines; };
static struct logger common;
__global__ void scale(double *y, const double *x, double a, struct settings s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) y[i] = a * sin(x[i]);
}
void f(double *y, const double *x, double a, int n)
{
    struct settings s = {stdout, n};
    common.lines += 1;
    scale<<<(n + 31) / 32, 32>>>(y, x, a, s);
}
"""


@needs_nvrtc
def test_files_that_kernels_are_given_and_are_not() -> None:
    from hetad import targets

    gradient = hetad.gradient(hetad.loads(FILES, "f.cu")["f"], wrt=("x", "a"), of="y", backend="cpu")
    device = targets.device_source(gradient.derivative.program)
    assert nvrtc.compile_device(device)
    assert "struct settings" in device
    assert "struct logger" not in device


def accept_host_code(source: str) -> None:
    """The C compiler reads the host's half of a program whose kernels run on a GPU; it makes no code of it."""
    flags = [flag for flag in compiler.FLAGS if not flag.startswith(("-O", "-march"))]
    command = [*compiler.find().command, *flags, "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs_nvrtc
@pytest.mark.parametrize("name", fixed_order.PROGRAMS)
def test_sums_of_fixed_order_compile_with_nvrtc(name: str) -> None:
    from hetad import targets

    gradient = fixed_order.Problem(name, 10).gradient("cpu", deterministic=True)
    assert nvrtc.compile_device(targets.device_source(gradient.derivative.program))


@needs_nvrtc
@pytest.mark.parametrize("name", ["cublas_factors_on_device", "cublas_scalars_on_device", "cufft_memory_limit"])
def test_kernels_beside_libraries_compile_with_nvrtc(name: str) -> None:
    from hetad import targets

    problem = cases(LIBRARIES / f"{name}.cu")[0].problem
    program = hetad.load(problem.source, defines=problem.defines)
    gradient = hetad.gradient(program[problem.function], wrt=problem.wrt, of=problem.of, memory_limit="1MB")
    assert nvrtc.compile_device(targets.device_source(gradient.derivative.program))


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_source_compiles_with_nvcc(path: Path, tmp_path: Path) -> None:
    source = tmp_path / "gradient.cu"
    source.write_text(gradient_of(path).source, encoding="utf-8")
    through = ["-ccbin", "mpicxx"] if "#include <mpi.h>" in source.read_text() else []
    if through and shutil.which("mpicxx") is None:
        pytest.skip("no mpicxx")
    command = ["nvcc", *through, f"-arch={nvrtc.ARCHITECTURE}", "-c", str(source), "-o", str(tmp_path / "gradient.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
