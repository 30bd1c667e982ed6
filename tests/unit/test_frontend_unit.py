"""Loading and reaching: what is found, what is lowered, where it points."""

# ruff: noqa: E501  (programs read best on a line of their own)
from __future__ import annotations

from hetad.frontend import fence, load
from hetad.frontend.normalize import normalize
from hetad.ir import nodes as ir
from hetad.ir.printer import body_text, function_text
from hetad.ir.types import DIM3, DOUBLE, FLOAT, INT, SIZE_T, Array, Int, Pointer, Struct
from hetad.ir.verify import NORMALISED, verify
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.rules.signatures import signature


def reach(text: str, name: str = "f") -> ir.Program:
    program = load(text, "t.cu").reach(name)
    verify(program, callees=signature)
    return program


def body(text: str, name: str = "f") -> str:
    return body_text(reach(text, name).functions[name].body)


def device(statements: str, params: str = "float *a, const double *d, int n") -> str:
    return body(f"__global__ void f({params}) {{ {statements} }}")


# --- items ---------------------------------------------------------------------------------------


def test_functions_and_kinds_without_parsing() -> None:
    unit = load(
        """
        #include <vector>
        using namespace std;
        template <typename T> T square(T x) { return x * x; }
        class Timer { public: void start() { t = 0; } int t; };
        namespace { inline int hidden() { return 1; } }
        namespace named { int inside(); }
        extern "C" { void launch(float *a); __global__ void __launch_bounds__(128) k(int *p) { p[0] = 1; } }
        static __device__ __forceinline__ float d(float x) { return x; }
        __host__ __device__ float hd(float x) { return x; }
        void __global__ late(int *p) {}
        int table[] = {1, 2}, (*pointer)(int) = 0;
        void launch(float *a) { std::vector<int> v; }
        """,
        "t.cu",
    )
    assert dict(unit.functions) == {
        "hidden": "host", "k": "kernel", "d": "device", "hd": "host device", "late": "kernel", "launch": "host",
    }  # fmt: skip


def test_unreached_code_is_no_obstacle() -> None:
    program = reach(
        """
        #include "missing.h"
        template <class T> struct Box { T v; operator T() const { return v; } };
        void show(std::vector<float> &v) { for (auto &x : v) std::cout << R"(don't " { )" << x; }
        int main() { auto f = [&](int i) { return i; }; thrust::sort(a.begin(), a.end()); }
        unknown_t other(unknown_t x);
        float f(float x) { return x; }
        """
    )
    assert list(program.functions) == ["f"]


def test_methods_that_are_defined_outside_their_class_are_no_functions_of_a_program() -> None:
    unit = load(
        """
        struct Ray { double x; double at(double t) const; };
        double Ray::at(double t) const { return x * t; }
        namespace optics { double bent(double x); }
        double optics::bent(double x) { return 2.0 * x; }
        double shot(double x) { Ray ray{x}; return ray.at(2.0); }
        """,
        "t.cu",
    )
    assert list(unit.functions) == ["bent", "shot"]


def test_reached_functions_in_the_order_of_the_source() -> None:
    text = "void c() {} void b() { c(); } void unused() {} void f() { b(); c(); }"
    assert list(reach(text).functions) == ["c", "b", "f"]


def test_function_attributes() -> None:
    program = reach('extern "C" __global__ void __launch_bounds__(256, 2) f(float *a) {}')
    assert (program.functions["f"].kind, program.functions["f"].launch_bounds) == ("kernel", "256, 2")
    program = reach(
        "static __device__ __forceinline__ float g(float x) { return x; }\n__global__ void f(float *a) { a[0] = g(1); }"
    )
    assert program.functions["g"].inline == "static __forceinline__"


def test_signature_lines() -> None:
    unit = load("int x;\n__global__ void f(float *a,\n                  int n = 3)\n{\n}\n", "t.cu")
    assert unit.signature("f") == "__global__ void f(float *a,\n                  int n = 3)"


def test_structs_and_globals_in_use() -> None:
    program = reach(
        """
        struct Unused { int x; };
        struct Inner { float v[2]; };
        typedef struct { struct Inner in; int n; } Outer;
        __constant__ float w[2] = {1, 2}; const float unused[1] = {0};
        __global__ void f(Outer *o) { o->in.v[1] = w[0]; }
        """
    )
    assert [s.name for s in program.structs if isinstance(s, Struct)] == ["Inner", "Outer"]
    assert [(g.symbol.name, g.symbol.storage, g.device) for g in program.globals] == [("w", "constant", True)]


def test_const_numbers_at_file_scope_are_constants() -> None:
    text = "const int N = 4 * 2; static const float S = 0.5f; float f(float *a) { float b[N] = {S}; return b[N - 1]; }"
    assert body(text) == "float b[8] = {0.5f};\nreturn b[8 - 1];"


def test_default_arguments() -> None:
    text = "void g(int a, float b = 1 + 1, bool c = true);\nvoid g(int a, float b, bool c) {}\nvoid f() { g(1); g(1, 2, false); }"
    assert body(text) == "g(1, float(1 + 1), true);\ng(1, 2.0f, false);"


# --- types ---------------------------------------------------------------------------------------


def test_declared_types() -> None:
    program = reach(
        """
        typedef unsigned long size_type; typedef float real, *realp; typedef const float *input;
        void f(size_type n, realp p, input q, double (*m)[16], float v[4][5], const int *const *r, long unsigned int u,
               size_t s, float *__restrict__ z, dim3 g, unsigned char c) {}
        """
    )
    types = {p.name: p.type for p in program.functions["f"].params}
    assert types == {
        "n": Int(64, False, ""), "p": Pointer(FLOAT), "q": Pointer(FLOAT, const=True), "m": Pointer(Array(DOUBLE, 16)),
        "v": Pointer(Array(FLOAT, 5)), "r": Pointer(Pointer(INT, const=True), const=True), "u": Int(64, False, ""),
        "s": SIZE_T, "z": Pointer(FLOAT), "g": DIM3, "c": Int(8, False, ""),
    }  # fmt: skip
    restrict = {p.name for p in program.functions["f"].params if isinstance(p.type, Pointer) and p.type.restrict}
    assert restrict == {"z"}


def test_struct_tag_without_struct_and_same_named_variable() -> None:
    text = "struct grid { int n; }; static int g(grid *p) { return p->n; } int f(struct grid grid) { return grid.n + g(&grid); }"
    assert body(text) == "return grid.n + g(&grid);"


# --- CUDA syntax ---------------------------------------------------------------------------------


def test_launches() -> None:
    text = """__global__ void k(float *a, float s, size_t n) {}
    #define LAUNCH(g, ...) k<<<g, 64>>>(__VA_ARGS__)
    void f(float *a, int n) {
      dim3 grid((n + 15) / 16, 2), block{16};
      k<<<grid, block>>>(a, 2, n);
      k<<<dim3(max(n, 1), n > 2 ? 1 : 2), 32, n * sizeof(float), 0>>>(a, n << 1, n >> 1);
      LAUNCH(n >> 3, a, 1.0f, 3);
    }"""
    assert body(text).splitlines() == [
        "dim3 grid = dim3{unsigned int((n + 15) / 16), 2, 1};",
        "dim3 block = dim3{16, 1, 1};",
        "k<<<grid, block>>>(a, 2.0f, size_t(n));",
        "k<<<dim3{unsigned int(max(n, 1)), unsigned int(n > 2 ? 1 : 2), 1}, 32, size_t(n) * sizeof(float), 0>>>"
        "(a, float(n << 1), size_t(n >> 1));",
        "k<<<n >> 3, 64>>>(a, 1.0f, 3);",
    ]


def test_default_dim3_is_one() -> None:
    assert body("__global__ void k() {} void f() { dim3 g; dim3 b = 64; k<<<g, b>>>(); }").splitlines()[:2] == [
        "dim3 g = dim3{1, 1, 1};",
        "dim3 b = dim3{64, 1, 1};",
    ]


def test_cpp_casts_and_namespaces() -> None:
    assert device(
        "a[0] = static_cast<float>(n) + float(n + 1) + std::sqrt(a[1]) + std::max<float>(a[2], 1) + size_t(n);"
    ) == ("a[0] = (float)n + (float)(n + 1) + sqrtf(a[1]) + fmaxf(a[2], 1.0f) + float((size_t)n);")


def test_words_of_cpp() -> None:
    assert device(
        "bool b = true; float *p = nullptr; if (p == NULL || !b) return; auto x = a[0]; constexpr int N = 2; a[N] = x;"
    ) == (
        "bool b = true;\nfloat *p = 0;\nif (p == 0 || !b) {\n    return;\n}\nfloat x = a[0];\nconst int N = 2;\na[N] = x;"
    )


def test_overloads_of_mathematics() -> None:
    assert device(
        "a[0] = sqrt(a[1]) + exp(d[0]) + fabs(n) + pow(a[1], 2.0f) + abs(n) + fmaxf(a[0], 0) + min(n, 3);"
    ) == (
        "a[0] = float(double(sqrtf(a[1])) + exp(d[0]) + fabs(double(n)) + double(powf(a[1], 2.0f)) + double(abs(n))"
        " + double(fmaxf(a[0], 0.0f)) + double(min(n, 3)));"
    )


def test_own_function_wins_over_mathematics() -> None:
    text = "__device__ float erff(float x) { return x; } __global__ void f(float *a) { a[0] = erff(a[1]); }"
    assert isinstance(reach(text).functions["f"].body[0].value, ir.CallExpr)  # type: ignore[union-attr]


def test_memory_operations() -> None:
    text = """#define CHECK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { printf("%s", cudaGetErrorString(r)); exit(1); } } while (0)
    void f(float *h, int n) {
      float *d, *t = (float *)malloc(n * sizeof *t);
      CHECK(cudaMalloc((void **)&d, n * sizeof(float)));
      if (cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice) != cudaSuccess) return;
    }"""
    lines = [line.strip() for line in body(text).splitlines()]
    assert lines[:3] == ["float *d;", "float *t;", "t = malloc(size_t(n) * sizeof(float));"]
    assert "r = cudaMalloc((void * *)&d, size_t(n) * sizeof(float));" in lines
    assert "status = cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice);" in lines


def test_device_statements() -> None:
    assert device(
        "atomicAdd(&a[n], 2); unsigned m = __ballot_sync(~0u, n); a[0] = __shfl_xor_sync(m, a[1], 1) + __ldg(d + 2); __syncthreads();"
    ) == (
        "atomicAdd(a + n, 2.0f);\nunsigned int m;\nm = __ballot_sync(~0u, n);\nfloat result;\n"
        "result = __shfl_xor_sync(m, a[1], 1);\na[0] = float(double(result) + d[2]);\n__syncthreads();"
    )


def test_unroll() -> None:
    text = "#pragma unroll\nfor (int i = 0; i < 4; i++) a[i] = 0;\n#pragma unroll 2\nfor (;;) break;\n#pragma omp parallel for\nfor (;;) break;"
    loops = [
        s
        for s in walk_stmts(reach(f"__global__ void f(float *a) {{\n{text}\n}}").functions["f"].body)
        if isinstance(s, ir.For)
    ]
    assert [loop.unroll for loop in loops] == ["", "2", None]


def test_pointers_are_elements() -> None:
    assert device("*a = 1; *(a + n) = a[n] + *(d - 1); double *q; (*(&q))[2] = n[d]; a = &a[n]; *&a[0] = 2;").splitlines() == [
        "a[0] = 1.0f;", "a[n] = float(double(a[n]) + d[-1]);", "double *q;", "q[2] = d[n];", "a = a + n;", "a[0] = 2.0f;",
    ]  # fmt: skip


def test_compound_assignments() -> None:
    assert device("a[n] += n; a[0] *= 0.5; n += threadIdx.x; n /= 2u; n <<= 3; a += n; n -= d[0];").splitlines() == [
        "a[n] += float(n);",
        "a[0] = float(double(a[0]) * 0.5);",
        "n += int(threadIdx.x);",
        "n = int(unsigned int(n) / 2u);",
        "n <<= 3;",
        "a += n;",
        "n = int(double(n) - d[0]);",
    ]


# --- positions -----------------------------------------------------------------------------------


def test_spans() -> None:
    text = (
        "__global__ void k(float *a) {}\nvoid f(float *a, int n)\n{\n\tfloat total = a[n] * 2;\n  k<<<1, n>>>(a);\n}\n"
    )
    function = reach(text).functions["f"]
    declare, launch = function.body
    assert isinstance(declare, ir.Declare)
    assert isinstance(launch, ir.Launch)
    assert str(declare.span) == "t.cu:4:8"
    assert declare.span.length == 5
    assert str(declare.init.span) == "t.cu:4:16"  # type: ignore[union-attr]
    assert str(launch.span) == "t.cu:5:3"
    assert str(function.span) == "t.cu:2:6"
    assert [str(p.span) for p in function.params] == ["t.cu:2:15", "t.cu:2:22"]


def test_every_node_has_a_place_in_the_source() -> None:
    program = normalize(reach(_EVERYTHING))
    lines = _EVERYTHING.splitlines()
    for function in program.functions.values():
        for node in (*walk_stmts(function.body), *walk_exprs(function.body)):
            assert node.span.file == "t.cu"
            assert 1 <= node.span.line <= len(lines)
            assert 1 <= node.span.column <= len(lines[node.span.line - 1])


_EVERYTHING = """
#define SQ(x) ((x) * (x))
struct P { float x; int n; };
__device__ float h(struct P p, float *q) { if (p.n > 3) return *q++; while (p.n--) { p.x = SQ(p.x) + sinf(*q); if (p.x > 2) break; } return p.x; }
__global__ void k(float *a, int n, float s) {
  int i = threadIdx.x;
  struct P p = {a[i], n};
  switch (i) { case 0: a[0] = h(p, a); case 1: return; default: a[i] = i > 2 ? expf(s) : h(p, &s); }
  do { i++; } while (i < n && h(p, a) > 0);
}
void f(float *a, int n, float s) { for (int i = 0, j = n; i < j; i++, --j) { if (i == 3) continue; k<<<n, 32>>>(a, n, s * i); } }
"""


# --- normalised forms ----------------------------------------------------------------------------


def normalised(text: str, name: str = "f") -> str:
    program = reach(text)
    fence.check(program, name)
    program = normalize(program)
    verify(program, NORMALISED, signature)
    return function_text(program.functions[name]).split("{\n", 1)[1].rsplit("}", 1)[0]


def test_guard_becomes_an_if() -> None:
    assert normalised(
        "__global__ void f(float *a, int n) { int i = threadIdx.x; if (i >= n || i < 0) return; a[i] = 1; }"
    ) == ("    int i = int(threadIdx.x);\n    if (i < n && i >= 0) {\n        a[i] = 1.0f;\n    }\n")


def test_floating_guard_keeps_nan() -> None:
    assert normalised("__global__ void f(float *a) { if (a[0] >= 1) return; a[1] = 1; }") == (
        "    if (!(a[0] >= 1.0f)) {\n        a[1] = 1.0f;\n    }\n"
    )


def test_calls_and_intrinsics_stand_alone() -> None:
    text = (
        "float g(float x) { return x; } float f(float x) { float y = g(x); y += 2 * expf(g(y) + 1); return __expf(y); }"
    )
    assert normalised(text) == (
        "    float y;\n    y = g(x);\n    float g_1;\n    g_1 = g(y);\n    float exp_1 = expf(g_1 + 1.0f);\n"
        "    y += 2.0f * exp_1;\n    float exp_2 = __expf(y);\n    return exp_2;\n"
    )


def test_floating_choice_becomes_an_if() -> None:
    assert normalised("float f(float x, int n) { const float y = n > 0 ? sinf(x) : x; return y; }") == (
        "    float y;\n    if (n > 0) {\n        y = sinf(x);\n    } else {\n        y = x;\n    }\n    return y;\n"
    )


def test_integer_choice_stays() -> None:
    assert normalised("int f(int x) { return x > 0 ? x : -x; }") == "    return x > 0 ? x : -x;\n"


def test_what_is_evaluated_sometimes_stays_so() -> None:
    assert normalised("float f(float *x, int n) { if (n > 0 && sqrtf(x[n]) > 1) return 1; return 0; }") == (
        "    float result;\n    bool condition_1 = n > 0;\n    if (condition_1) {\n        float sqrt_1 = sqrtf(x[n]);\n"
        "        condition_1 = sqrt_1 > 1.0f;\n    }\n    if (condition_1) {\n        result = 1.0f;\n    } else {\n"
        "        result = 0.0f;\n    }\n    return result;\n"
    )


def test_unique_names() -> None:
    text = "void f(int *a) { for (int i = 0; i < 2; i++) { int k = i; a[k] = 1; } for (int i = 0; i < 3; i++) { int k = i, i_1 = k; a[i_1] = k; } }"
    program = normalize(reach(text))
    verify(program, NORMALISED, signature)
    names = [s.symbol.name for s in walk_stmts(program.functions["f"].body) if isinstance(s, ir.Declare)]
    assert names == ["i", "k", "i_2", "k_1", "i_1"]


def test_floating_launch_arguments_are_variables() -> None:
    text = "__global__ void k(float s) {} void f(float s, int n) { k<<<1, n + 1>>>(s * 2); k<<<1, 1>>>(s); k<<<1, 1>>>(3); }"
    assert normalised(text) == (
        "    float argument_1 = s * 2.0f;\n    k<<<1, n + 1>>>(argument_1);\n    k<<<1, 1>>>(s);\n    k<<<1, 1>>>(3.0f);\n"
    )


def test_normalising_twice_changes_nothing() -> None:
    once = normalize(reach(_EVERYTHING))
    assert function_text(normalize(once).functions["k"]) == function_text(once.functions["k"])
