"""Programs of several files, and what macros a file sees."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli.parser import build_parser
from hetad.diagnostics import ArgumentError, HetadError

PARTS = Path(__file__).parents[1] / "gradient" / "parts"
PROGRAM = PARTS.parent / "programs" / "two_files.cu"


@pytest.fixture(params=["c", "cpp"])
def reader(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def load(tmp_path: Path, reader: str) -> Any:
    def load(*texts: str, **options: Any) -> hetad.Program:
        paths = [tmp_path / f"{name}.cu" for name, _ in zip("abcdef", texts, strict=False)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return hetad.load(paths, **options, frontend=reader)

    return load


def refused_as_c(texts: tuple[str, ...]) -> bool:
    """Whether the texts are C++ alone."""
    return any(word in text for text in texts for word in ("template", "namespace", "&x", "= 3)"))


def value(program: hetad.Program, x: float = 2.0) -> float:
    return float(program["run"](x, backend="cpu"))


CALL = "double g(double x); double run(double x) { return h(x) + g(x); }"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("double g(double x); double run(double x) { return g(x); }", "double g(double x) { return x * x; }"), 4.0),
        (("static double h(double x) { return x; }" + CALL,
          "static double h(double x) { return 10 * x; } double g(double x) { return h(x); }"), 22.0),
        (("namespace { double h(double x) { return x; } }" + CALL,
          "namespace { double h(double x) { return 10 * x; } } double g(double x) { return h(x); }"), 22.0),
        (("template <typename T> T h(T x) { return x; }" + CALL,
          "template <typename T> T h(T x) { return 10 * x; } double g(double x) { return h(x); }"), 22.0),
        (("static double h(double x) { static int n = 0; return ++n; }" + CALL,
          "static double h(double x) { static int n = 0; return ++n; } double g(double x) { return h(x); }"), 2.0),
        (("inline double h(double x) { static int n = 0; return ++n; }" + CALL,
          "inline double h(double x) { static int n = 0; return ++n; } double g(double x) { return h(x); }"), 3.0),
        (("static int n = 3; static double h(double x) { return n * x; }" + CALL,
          "static int n = 5; static double h(double x) { return n * x; } double g(double x) { return h(x); }"), 16.0),
        (("#define N 3\nstatic double h(double x) { return N * x; }" + CALL,
          "#define N 5\nstatic double h(double x) { return N * x; } double g(double x) { return h(x); }"), 16.0),
        (("struct P { double a; }; static double h(double x) { P p = {x}; return p.a; }" + CALL,
          "struct P { int i; double a; }; double g(double x) { P p = {1, x}; return p.a * p.i; }"), 4.0),
        (("typedef float real; static double h(double x) { return (real)x; }" + CALL,
          "typedef double real; double g(double x) { real r = x; return r; }"), 4.0),
        (("double g(double x, double y = 3); double run(double x) { return g(x); }",
          "double g(double x, double y) { return x * y; }"), 6.0),
        (("void g(double &x); double run(double x) { g(x); return x; }",
          "int calls; void g(double &x) { x *= x; ++calls; }"), 4.0),
        (("extern double q[]; double run(double x) { return q[1] * x; }", "double q[2] = {5, 6};"), 12.0),
        (("double run(double x) { return sin(x); }", "#define sin cos\ndouble g(double x) { return sin(x); }"),
         math.sin(2.0)),
    ],
)  # fmt: skip
def test_names_are_joined_as_by_a_linker(load: Any, reader: str, texts: tuple[str, ...], expected: float) -> None:
    if reader == "c" and refused_as_c(texts):
        with pytest.raises(HetadError) as caught:
            value(load(*texts))
        assert 'frontend="cpp"' in str(caught.value)
        return
    assert value(load(*texts)) == pytest.approx(expected)


def test_a_name_of_cuda_that_is_static_in_one_file(load: Any, reader: str) -> None:
    texts = (
        "static double norm3d(double a, double b, double c) { return a; }"
        "double g(double x); double run(double x) { return norm3d(x, x, x) + g(x); }",
        "double g(double x) { return norm3d(x, x, x); }",
    )
    if reader == "c":
        assert value(load(*texts)) == pytest.approx(2 + math.sqrt(12))
        return
    with pytest.raises(HetadError, match=r"Clang: .*function 'norm3d' cannot overload"):
        load(*texts)["run"]


@pytest.mark.parametrize(
    ("texts", "message", "place"),
    [
        (("double run(double x) { return x; }", "\ndouble run(double x) { return 2 * x; }"),
         r"'run' is defined here and at \S*a.cu:1:8", "b.cu:2:8"),
        (("int n;\ndouble run(double x) { return x; }", "int n = 2;"), "'n' is defined here and at", "b.cu:1:5"),
        (("double g(double x); double run(double x) { return g(x); }", "double g(float x) { return x; }"),
         r"in another way than it is defined at \S*b.cu:1:8|'g' is declared but not defined", r"a.cu:1:(8|28|51)"),
        (("double g(double x); double run(double x) { return g(x); }", "static double g(double x) { return x; }"),
         "'g' is declared but not defined", "a.cu:1:(28|51)"),
        (("extern double q; double run(double x) { return q * x; }", "static double q = 2;"),
         "'q' is declared but not defined", "a.cu:1:15"),
        (("double g(double x); double run(double x) { return g(x); }", "double g(double x) { return x * y; }"),
         "unknown name 'y'|undeclared identifier 'y'", "b.cu:1:33"),
        (("double norm3d(double a, double b, double c) { return a; } double run(double x) { return x; }",
          "double g(double x) { return norm3d(x, x, x); }"), "one of CUDA's", "a.cu:1:8"),
        (("struct P { double a; }; double g(P p); double run(double x) { P p = {x}; return g(p); }",
          "struct P { float a; }; double g(P p) { return p.a; }"), "in another way", "a.cu:1:32"),
    ],
)  # fmt: skip
def test_what_a_linker_refuses(load: Any, texts: tuple[str, ...], message: str, place: str) -> None:
    with pytest.raises(HetadError, match=message) as caught:
        load(*texts)["run"]
    assert re.fullmatch(place, str(caught.value.span).rpartition("/")[2])  # type: ignore[attr-defined]


def test_statics_of_two_files_have_readable_names() -> None:
    program = hetad.load([PROGRAM, PARTS / "two_files_kernels.cu"])
    assert list(program) == ["at", "scale_two_files", "count_two_files", "energy", "smooth", "count_two_files_kernels",
                             "advance"]  # fmt: skip
    text = hetad.gradient(program["energy"], "x", "y").source
    assert "static int launches_two_files = 10;" in text
    assert "static int launches_two_files_kernels = 0;" in text
    assert text.count("struct Grid {") == 1
    assert "two_files_kernels.cu" in str(program)


_AS_C = {
    ", double mix = 0.5": ", double mix", "advance(y, hidden, g)": "advance(y, hidden, g, 0.5)",
    "template <typename T> __device__ T squared(T": "static __device__ double squared(double",
    "template <int N> __host__": "static __host__", "i < N": "i < POWER", "raised<POWER>": "raised",
}  # fmt: skip


@pytest.mark.parametrize(
    ("names", "function", "arguments"),
    [
        (
            ["programs/two_files.cu", "parts/two_files_kernels.cu", "parts/two_files.h"],
            "energy",
            (np.arange(12.0) / 7, 0.3, 3, 4),
        ),
        (["programs/host_and_device_text.cu"], "both", (np.arange(9.0) / 7, 0.7, 9)),
    ],
)
def test_both_front_ends_join_alike(
    tmp_path: Path, names: list[str], function: str, arguments: tuple[Any, ...]
) -> None:
    for name in names:
        text = (PARTS.parent / name).read_text()
        for cpp, c in _AS_C.items():
            text = text.replace(cpp, c)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in names if name.endswith(".cu")]
    by_c, by_clang = (hetad.load(paths, frontend=frontend) for frontend in ("c", "cpp"))
    assert list(by_clang) == list(by_c)
    one, other = (program.unit.reach(function) for program in (by_c, by_clang))
    assert len(one.functions) == len(other.functions)
    assert {g.symbol.name for g in one.globals} == {g.symbol.name for g in other.globals}
    y, seed = np.zeros_like(arguments[0]), np.linspace(1, 2, len(arguments[0]))
    gradients = [hetad.gradient(p[function], "x", "y", backend="cpu") for p in (by_c, by_clang)]
    found = [gradient(y, *arguments, seeds={"y": seed})["x"] for gradient in gradients]
    np.testing.assert_array_equal(*found)
    assert np.all(found[0][1:] != 0)


def test_instances_of_templates_see_the_text_of_the_device() -> None:
    program = hetad.loads(
        BOTH
        + "template <typename T> __global__ void of(T *y, T x) { y[0] = f(x); }\n"
        + "struct Scale { double a; __host__ __device__ double by(double x) const { return SEEN * a * x; } };\n"
        + "__constant__ double c = 2;\n"
        + "template <typename F> __global__ void map(double *y, F g) { y[0] = c * g.by(y[0]); }\n"
        + "double on_both(double x) { double *y, z; cudaMalloc(&y, 8); of<double><<<1, 1>>>(y, x);\n"
        + "  Scale s{1}; map<<<1, 1>>>(y, s); cudaMemcpy(&z, y, 8, cudaMemcpyDeviceToHost); cudaFree(y);\n"
        + "  return z + s.by(x); }\n",
        frontend="cpp",
    )
    assert program["on_both"](1.0, backend="cpu") == 2 * 9 * 9 + 1
    assert hetad.gradient(program["on_both"], "x", backend="cpu")(1.0)["x"] == 2 * 9 * 9 + 1


@pytest.mark.parametrize("reader", ["c", "cpp"])
def test_variables_that_are_others_on_the_device_are_refused(reader: str) -> None:
    program = hetad.loads(
        BOTH + "double __device__ s = SEEN; __global__ void t(double *y) { y[0] = s; }", frontend=reader
    )
    with pytest.raises(HetadError, match="'s' is another variable in device code than in host code"):
        program["t"]


def test_a_rule_for_a_function_of_another_file(load: Any) -> None:
    program = load(
        "__device__ double f(double x); __global__ void k(double *y, const double *x) { y[0] = f(x[0]); }",
        "__device__ double f(double x) { return x * x; }",
    )
    hetad.pullback(
        program, "f", cuda="__device__ void f_pullback(double x, double seed, double *adj_x) { *adj_x += 7 * seed; }"
    )
    gradient = hetad.gradient(program["k"], "x", "y", backend="cpu")
    found = gradient(np.zeros(1), np.ones(1), seeds={"y": np.ones(1)}, grid=1, block=1)
    assert found["x"][0] == 7


def test_a_program_needs_a_file() -> None:
    with pytest.raises(ArgumentError, match="needs a source"):
        hetad.load([])


def test_files_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    files = f"{PROGRAM},{PARTS / 'two_files_kernels.cu'}"
    options = build_parser().parse_args(["grad", files, "energy", "--wrt", "x", "--of", "y"])
    assert options.run(options) == 0
    assert "launches_two_files_kernels" in capsys.readouterr().out


def test_files_of_a_problem(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        f'source = ["{PROGRAM}", "{PARTS / "two_files_kernels.cu"}"]\nfunction = "energy"\nwrt = ["x"]\nof = ["y"]\n'
        "[inputs]\ny = {zeros = [6]}\nx = {shape = [6], random = 1}\nmix = 0.5\nrows = 2\ncolumns = 3\n"
    )
    options = build_parser().parse_args(["gradcheck", str(tmp_path / "p.toml"), "--backend", "cpu"])
    assert options.run(options) == 0


# --- macros ---------------------------------------------------------------------------------------

BOTH = """
#ifdef __CUDA_ARCH__
#define SEEN (__CUDA_ARCH__ / 100)
#else
#define SEEN 1
#endif
__host__ __device__ double f(double x) { return SEEN * x; }
__global__ void k(double *y, const double *x) { y[0] = f(x[0]); }
double run(double x) { return f(x); }
"""


def on_device(program: hetad.Program) -> float:
    y = np.zeros(1)
    program["k"](y, np.ones(1), grid=1, block=1, backend="cpu")
    return float(y[0])


@pytest.mark.parametrize(
    ("options", "device", "host"),
    [
        ({}, 9, 1), ({"cuda_arch": 750}, 7, 1), ({"undefines": ["__CUDA_ARCH__"]}, 1, 1),
        ({"defines": {"__CUDA_ARCH__": 600}}, 6, 6), ({"defines": {"SEEN": 3}}, 9, 1),
    ],
)  # fmt: skip
def test_host_and_device_see_their_own_text(options: dict[str, Any], device: int, host: int) -> None:
    program = hetad.loads(BOTH, **options)
    assert (on_device(program), value(program, 1.0)) == (device, host)
    assert list(program) == ["f", "k", "run"]
    assert hetad.gradient(program["f"], "x", backend="cpu")(2.0)["x"] == host


def test_what_is_the_same_for_both_is_one_function() -> None:
    program = hetad.loads("#ifdef __CUDA_ARCH__\n#endif\n" + BOTH.split("#endif\n")[1].replace("SEEN", "2"))
    assert set(program.unit.reach("run").functions) == {"f", "run"}
    assert (on_device(program), value(program, 1.0)) == (2, 2)


@pytest.mark.parametrize(
    "test",
    [
        "defined __cplusplus && __cplusplus >= 201402L", "defined __linux__ && defined __unix__ && defined __x86_64__",
        "__GNUC__ >= 9 && !defined __clang__", "__SIZEOF_LONG__ == 8 && __CHAR_BIT__ == 8 && defined __LP64__",
        "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__", "CUDART_VERSION >= 11000 && __CUDACC_VER_MAJOR__ >= 11",
        "_POSIX_VERSION >= 200112L && _POSIX_TIMERS > 0", "CUDA_VERSION >= 12000", "!defined __CUDA_ARCH__",
        "!defined _WIN32 && !defined _MSC_VER && !defined __SSE2__",
    ],
)  # fmt: skip
def test_macros_of_the_platform(test: str) -> None:
    text = f"#include <unistd.h>\n#include <cuda.h>\n#if {test}\ndouble run(double x) {{ return x; }}\n#endif\n"
    assert value(hetad.loads(text)) == 2.0


def test_the_user_has_the_last_word() -> None:
    text = "#include <unistd.h>\ndouble run(double x) { return _POSIX_VERSION; }"
    assert value(hetad.loads(text, defines={"_POSIX_VERSION": 5})) == 5
    with pytest.raises(HetadError, match="unknown name '_POSIX_VERSION'"):
        hetad.loads(text, undefines=["_POSIX_VERSION"])["run"]
    text = "#ifdef __cplusplus\n#define N 2\n#else\n#define N 3\n#endif\ndouble run(double x) { return N * x; }"
    assert value(hetad.loads(text)) == 4
    assert value(hetad.loads(text, undefines=["__cplusplus"])) == 6


@pytest.mark.parametrize(
    "text",
    [
        '#ifdef __cplusplus\nextern "C" {\n#endif\ndouble run(double x) { return x; }\n#ifdef __cplusplus\n}\n#endif',
        "#ifdef __GNUC__\n#define likely(x) __builtin_expect(!!(x), 1)\n#endif\n"
        "double run(double x) { return likely(x > 0) ? x : 0; }",
        "double run(double x) { double v[4] __attribute__((aligned(32))) = {x}; return v[0]; }",
        "typedef struct { double a; } __attribute__((aligned(32))) P;\n"
        "double run(double x) { P p = {x}; return p.a * sizeof(P) / 32; }",
        "struct __attribute__((aligned(16))) P { double a; };\n"
        "double run(double x) { P p = {x}; return p.a * sizeof(P) / 16; }",
        "static inline __attribute__((const, always_inline)) double f(double x) { return x; }\n"
        "double run(double x) { __SIZE_TYPE__ n = 1; return n * f(x); }",
    ],
)
def test_branches_for_this_compiler(text: str) -> None:
    assert value(hetad.loads(text)) == 2.0
