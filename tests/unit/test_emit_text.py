"""What is written as hetad writes comes out as it went in; what is not keeps its meaning."""

from __future__ import annotations

import math
import random
import re
import struct

import pytest

import hetad
from hetad import frontend, targets
from hetad.diagnostics import Span
from hetad.emit.declarators import declaration
from hetad.emit.dialect import CUDA, NVRTC, C
from hetad.emit.literals import const
from hetad.ir import nodes as ir
from hetad.ir.types import DOUBLE, FLOAT, INT, LONG, SIZE_T, UINT, ULLONG, Array, Pointer, Type

SPAN = Span("x.cu", 1, 1)


def emitted(source: str, entry: str = "f") -> str:
    return targets.cuda_file(frontend.load(source, "x.cu").reach(entry), entry)


def body_of(statements: str, params: str = "float *x, double *y, int *k, int n, float a, double b, size_t m") -> str:
    """The statements of a device function as they are emitted."""
    source = f"__device__ void f({params})\n{{\n{statements}\n}}\n"
    return emitted(source).split("{\n", 1)[1].rsplit("}", 1)[0]


@pytest.mark.parametrize(
    "line",
    [
        "y[n] = b * (b + 1.0);",
        "y[n] = b - (b - 2.5);",
        "y[n] = b - b - 2.5;",
        "y[n] = b / (b * 3.0) * 2.0;",
        "x[n] = -a * a;",
        "x[n] = -(a + 1.5f);",
        "x[n] = a < 0.0f ? -a : a;",
        "x[n] = a > 1e-3f && n >= 0 || n == -1 ? a : 0.0f;".replace("a > 1e-3f && n >= 0", "(a > 1e-3f && n >= 0)"),
        "y[n] = a;",
        "y[n] = a * b;",
        "x[n] = b;",
        "x[n] *= a;",
        "x[n] -= a * x[n + 1];",
        "y[n] += a;",
        "k[n] = n / 2 % 3;",
        "k[n] = (n & 3) == 0 ? n >> 1 : ~n;",
        "k[n] |= 0x1F;",
        "k[n] = (int)b;",
        "++k[n];",
        "x[m] = x[m - 1];",
        "y[0] = sqrt(b) + pow(b, 3.0);",
        "x[0] = fmaxf(sqrtf(a), a);",
        "y[0] = sqrt((double)a);",
        "y[0] = (float)b;",
        "k[0] = min(n, 2);",
    ],
)
def test_an_expression_in_house_style_is_kept(line: str) -> None:
    assert body_of("    " + line) == "    " + line + "\n"


def test_statements_in_house_style_are_kept() -> None:
    source = """\
struct Point {
    float x;
    int tags[2];
};

static __device__ float twice(float v)
{
    return 2.0f * v;
}

static __global__ void k(Point *points, const float *__restrict__ w, int n)
{
    __shared__ float tile[4][32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float (*row)[32] = tile;
    if (i < n) {
        points[i].x *= w[i];
    } else if (i == n) {
        points->tags[1] = 3;
    } else {
        return;
    }
    #pragma unroll 4
    for (int j = 0, step = 1; j < 4; j += step) {
        row[j][threadIdx.x] = twice(w[j]);
    }
    while (n > 0) {
        if (points[n].tags[0] == 1) {
            break;
        }
        --n;
    }
    do {
        ++n;
    } while (n < 3);
    switch (n) {
    case 1:
    case 2:
        n = 0;
        break;
    default:
        n = 1;
    }
    __syncthreads();
    atomicAdd(&points->x, tile[0][0]);
}

extern "C" void f(Point *points, const float *w, int n, cudaStream_t stream)
{
    dim3 grid((n + 255) / 256, 2);
    k<<<grid, 256>>>(points, w, n);
    k<<<dim3(n, n), dim3(8, 8, 4), 128>>>(points, w, n);
    k<<<n, 32, 0, stream>>>(points, w, n);
}
"""
    text = emitted(source.replace("static ", "").replace('extern "C" ', ""))
    assert text == source


def test_a_variable_is_declared_where_it_gets_its_value() -> None:
    text = body_of("    float s, t;\n    t = a * a;\n    s = t + 1.0f;\n    x[0] = s;")
    assert text == "    float t = a * a;\n    float s = t + 1.0f;\n    x[0] = s;\n"


def test_a_variable_that_branches_set_is_declared_before_them() -> None:
    text = body_of("    float s;\n    if (n > 0) s = a; else s = 2.0f;\n    x[0] = s;")
    assert text.startswith("    float s;\n    if (n > 0) {\n        s = a;\n    } else {\n")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("x[0] = (a);", "x[0] = a;"),
        ("x[0] = x[0] * a;", "x[0] *= a;"),
        ("k[0] = k[0] + 1;", "++k[0];"),
        ("y[0] = 2 * b;", "y[0] = 2.0 * b;"),
        ("y[0] = n * b;", "y[0] = n * b;"),
        ("y[0] = a * (double)a;", "y[0] = a * (double)a;"),
        ("if (n > 1) { } else { x[0] = a; }", "if (!(n > 1)) {"),
    ],
)
def test_what_changes(written: str, kept: str) -> None:
    assert body_of("    " + written).splitlines()[0].strip() == kept


def test_long_statements_are_broken() -> None:
    long = " + ".join(f"y[n + {i}] * b" for i in range(12))
    text = body_of(f"    y[0] = {long};\n    y[n] = fma({long}, b, 1.0);")
    assert all(len(line) <= 110 for line in text.splitlines())
    assert "\n        + y[n + " in text
    assert "".join(text.split()) == "".join(f"y[0]={long};y[n]=fma({long},b,1.0);".split())


def float_of(text: str) -> float:
    return struct.unpack("f", struct.pack("f", float(text.rstrip("f"))))[0]  # type: ignore[no-any-return]


def test_floating_constants_read_back_as_the_same_number() -> None:
    draw = random.Random(1)
    for _ in range(300):
        single = struct.unpack("f", draw.randbytes(4))[0]
        double = struct.unpack("d", draw.randbytes(8))[0]
        if math.isfinite(single):
            text = const(ir.Const(single, FLOAT, span=SPAN), C)
            assert text.endswith("f") and float_of(text) == single
        if math.isfinite(double):
            text = const(ir.Const(double, DOUBLE, span=SPAN), C)
            assert float(text) == double and any(c in text for c in ".en")


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (2.0, FLOAT, "2.0f"),
        (2.0, DOUBLE, "2.0"),
        (0.1, FLOAT, "0.1f"),
        (1e30, FLOAT, "1e+30f"),
        (math.inf, FLOAT, "INFINITY"),
        (-math.inf, DOUBLE, "-(double)INFINITY"),
        (math.nan, FLOAT, "NAN"),
        (3, INT, "3"),
        (3, UINT, "3u"),
        (-(2**31), INT, "(-2147483647 - 1)"),
        (2**40, LONG, "1099511627776"),
        (3, ULLONG, "3ull"),
        (8, SIZE_T, "(size_t)8"),
        (0, Pointer(FLOAT), "nullptr"),
    ],
)
def test_constants_without_a_spelling(value: float, type_: Type, text: str) -> None:
    assert const(ir.Const(value, type_, span=SPAN), CUDA) == text


def test_nvrtc_has_no_headers() -> None:
    assert const(ir.Const(math.inf, FLOAT, span=SPAN), NVRTC) == "__int_as_float(0x7f800000)"


def test_a_spelling_of_another_type_is_not_used() -> None:
    assert const(ir.Const(struct.unpack("f", struct.pack("f", 0.1))[0], FLOAT, "0.1", span=SPAN), C) == "0.1f"


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (Pointer(FLOAT, const=True), "const float *x"),
        (Pointer(FLOAT, restrict=True), "float *__restrict__ x"),
        (Pointer(Pointer(FLOAT), const=True), "float *const *x"),
        (Array(Array(FLOAT, 4), 3), "float x[3][4]"),
        (Pointer(Array(FLOAT, 4)), "float (*x)[4]"),
        (Array(Pointer(FLOAT), 4), "float *x[4]"),
    ],
)
def test_declarators(type_: Type, text: str) -> None:
    assert declaration(type_, "x") == text


def test_names_that_collide_get_an_underscore() -> None:
    source = "__global__ void exp2(float *p) { p[0] = 1.0f; }\nvoid f(float *p) { exp2<<<1, 1>>>(p); }\n"
    program = frontend.load(source, "x.cu").reach("f")
    assert targets.kernels(program) == ("exp2_",)
    assert "exp2_<<<1, 1>>>(p);" in targets.cuda_file(program, "f")
    assert 'extern "C" __global__ void exp2_(' in targets.device_source(program)


def test_a_symbol_that_hides_another_gets_a_number() -> None:
    outer, inner = ir.Symbol("x", INT, SPAN), ir.Symbol("x", INT, SPAN)
    one, x = ir.Const(1, INT, span=SPAN), ir.Var(outer, span=SPAN)
    body: ir.Body = (
        ir.Declare(outer, one, span=SPAN),
        ir.Block((ir.Declare(inner, x, span=SPAN), ir.Assign(x, ir.Var(inner, span=SPAN), span=SPAN)), span=SPAN),
        ir.Return(x, span=SPAN),
    )
    program = ir.Program({"f": ir.Function("f", "host", (), INT, body, SPAN, comment="adjoint of g\n// line 2")})
    expected = """\
// adjoint of g
// line 2
extern "C" int f()
{
    int x = 1;
    {
        int x_2 = x;
        x = x_2;
    }
    return x;
}
"""
    assert targets.cuda_file(program, "f") == expected


def test_a_function_called_before_its_definition_has_a_prototype() -> None:
    source = """
__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__global__ void k(int *p) { p[0] = even(p[0]); }
"""
    text = targets.device_source(frontend.load(source, "x.cu").reach("k"))
    assert text.index("static __device__ int even(int n);") < text.index("static __device__ int odd(int n)\n{")


def test_a_gather_keeps_the_width_of_strides_and_bounds() -> None:
    """`adj_x[i * (int)s]` would be another cell where the stride, or the cell's number, is more than an int holds."""
    source = """
    __global__ void spread(double *y, const double *x, int n, long m, long s)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < m && i < n)
            y[i] += x[i * s] * x[i * s] + x[(i + 1) * s];
    }
    void run(double *y, const double *x, int n, long m, long s) { spread<<<(n + 7) / 8, 8>>>(y, x, n, m, s); }
    """
    text = hetad.gradient(hetad.loads(source)["run"], wrt="x", of="y", backend="cpu").source
    assert "a gather" in text
    assert not re.search(r"\(int\)\s*[sm]\b", text)


UNTYPED = """
__global__ void scale(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] += 2 * x[i] * x[i];
}
void run(double *y, double *x, int n)
{
    void *kept[2] = {(void *)x, (void *)y};
    for (int k = 0; k < 2; k++)
        scale<<<1, 32>>>((double *)kept[1], (const double *)kept[k], n);
}
"""


@pytest.mark.parametrize("optimize", [True, False])
def test_arrays_of_untyped_pointers_are_declared_as_they_are(optimize: bool) -> None:
    gradient = hetad.gradient(hetad.loads(UNTYPED)["run"], wrt=("x", "y"), of="y", backend="cpu", optimize=optimize)
    assert "    void *kept[2] = {(void *)x, (void *)y};\n" in gradient.source
