"""Everyday C++: the same function compiled by a C++ compiler, run as lowered IR, and run as normalised IR."""

# ruff: noqa: E501  (programs read best on a line of their own)
from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from hetad.frontend import fence, load
from hetad.frontend.normalize import normalize
from hetad.ir import nodes as ir
from hetad.ir.printer import program_text
from hetad.ir.types import Struct, align_of, size_of
from hetad.ir.verify import NORMALISED, verify
from hetad.ir.visit import walk_stmts
from hetad.rules.signatures import signature
from tests.unit.frontend_interpreter import Address, Interpreter

CXX = shutil.which("g++") or shutil.which("c++")
needs_cxx = pytest.mark.skipif(CXX is None, reason="no C++ compiler to compare with")
INPUTS = list(itertools.product((-2, 0, 3, 7), (0, 2, 5)))

# name: (declarations, body of f)
PROGRAMS = {
    "reference_parameter": (
        "void split(int n, int &low, int &high) { low = n % 4; high = n / 4; low += high; }",
        "int x = 1, y = 2; split(a * 5, x, p[1]); split(b, y, x); return x * 100 + y * 10 + p[1];",
    ),
    "reference_chain": (
        "void inner(int &r) { r += 3; r *= 2; }\nvoid outer(int &r, int *q) { inner(r); inner(q[1]); inner(*q); r--; }",
        "outer(a, p); outer(p[2], p); return a + p[2];",
    ),
    "reference_aliases": (
        "int twice_first(const int &x, int *out) { out[0] = 7; out[1] = x; return x; }",
        "return twice_first(p[0], p) * 100 + twice_first(b, p) * 10 + twice_first(a + b, p);",
    ),
    "const_reference_by_value": (
        "int weigh(const int &x, const double &y, const int *q) { return x * 3 + (int)(y * 2) + q[0]; }",
        "short s = a; return weigh(a, b, p) + weigh(3, 2.5, p) + weigh(s, 1.5f, p + 1);",
    ),
    "const_reference_to_struct": (
        "struct Box { int x; int k[2]; };\nint sum(const Box &box) { return box.x + box.k[1]; }\nvoid grow(Box &box, int by) { box.x += by; box.k[1] = box.x; }",
        "Box box{a, {1, b}}; Box many[2] = {box, {4}}; grow(many[1], 5); grow(box, 1); return sum(box) * 100 + sum(many[1]) + sum(many[0]);",
    ),
    "reference_to_pointer": (
        "void advance(int *&q, int n) { q += n; *q = n; }",
        "int *q = p; advance(q, 1); advance(q, 2); return q - p;",
    ),
    "local_references": (
        "",
        "int &x = a; x += 2; int i = b % 4; int &y = p[i]; i = 3; y = x; const int &z = a; a++; const int &w = a * 2; a = 50; auto &v = p[2]; v -= 1; return z + w + i + y;",
    ),
    "reference_to_member": (
        "struct P { int x; struct { int k[3]; } in; };",
        "P s = {a, {{1, 2, 3}}}; P t[2]; t[1] = s; int &k = s.in.k[1]; k = b; P &u = t[1]; u.x = 9; const auto &in = u.in; s = u; return k + in.k[2] + u.x * 10;",
    ),
    "auto": (
        "",
        "auto x = a * 2; const auto y = b + 1.5; auto *q = p + 1; auto r = p; const auto *c = p; auto u = sizeof(int); auto big = 3000000000; auto t = x < b; *q = x; r[2] = (int)(y * 2); return x + (int)y + c[2] + (int)u + (int)(big % 7) + t;",
    ),
    "auto_in_loop": (
        "",
        "int s = 0; for (auto i = 0u; i < 4u; ++i) s += p[i] * (int)i; for (auto q = p, end = p + 4; q != end; ++q) s -= *q; return s;",
    ),
    "constexpr": (
        "constexpr int N = 3, M = N * 2;\nconstexpr double scale = 2.5;\nconstexpr int square(int x) { return x * x; }\nstatic constexpr int table[] = {4, 5, 6};",
        "constexpr int k = M - 1; int v[N * 2] = {1, 2}; static constexpr int w[2] = {7, 8}; v[k] = table[b % 3] + w[b % 2]; return v[k] + square(a) + (int)(scale * N);",
    ),
    "brace_initialisers": (
        "struct Q { int x, y; float z; };\nQ make(int x) { return {x, x + 1, 0.5f}; }\nint area(Q q) { return q.x * q.y; }",
        "int x{a}, y{}; int v[4]{1, 2, b}; Q q{a, b, 1.5f}, r{}; Q s = {1}; r = {3, a}; s = Q{b, 2}; y += int{3} + area(Q{2, x}) + area({b, 3, 0}); const Q m = make(a); return x + y + v[2] + v[3] + q.y + r.x + (int)(q.z * 2) + s.x * 10 + m.y;",
    ),
    "direct_initialisers": (
        "",
        "int x(a), y(x + 1), z = 3; double d(1.5 * b); const int n(2); int *q(p + n); for (int i(0); i < n; i++) z += i; return x + y + (int)d + z + q[0];",
    ),
    "default_arguments": (
        "int f3(int x, int y = 2, int z = 3 * 4) { return x + 10 * y + 100 * z; }",
        "return f3(a) + f3(a, b) + f3(a, b, 1);",
    ),
    "using": (
        "using real = double;\nusing row = int[4];\nusing counter = unsigned long;",
        "using local = int; local x = b; real r = a / real(2); row v = {1, 2, 3, 4}; counter c = 3; return int(r * 2) + v[x % 4] + int(c) + local(r);",
    ),
    "namespaces": (
        "namespace geo { const int side = 4; struct Dot { int x; }; int far(Dot d) { return d.x * side; } namespace deep { int one() { return side - 3; } } }\nnamespace geo { int near(int x) { return x + deep::one(); } }\nnamespace { int hidden(int x) { return -x; } }",
        "geo::Dot d = {a}; using namespace geo; return far(d) + geo::near(b) + geo::deep::one() + hidden(a) + side + ::hidden(b);",
    ),
    "casts": (
        "",
        "double d = static_cast<double>(a) / 2; long n = static_cast<long>(d * 3); const int *q = p; int *r = const_cast<int *>(q); r[0] = int(d) + (int)n; return bool(a) + static_cast<int>(true) + r[0] + (p != nullptr);",
    ),
    "templates": (
        "template <typename T> T larger(T x, T y) { return x > y ? x : y; }\ntemplate <class T, int N> T total(const T *v) { T s = T(0); for (int i = 0; i < N; ++i) s += v[i]; return s; }\ntemplate <int N, typename T = int> T fixed(T x) { constexpr int twice = 2 * N; T w[N] = {}; w[N - 1] = x; return w[N - 1] * twice; }",
        "return larger(a, b) + (int)(larger(1.5, 2.0) * 2) + total<int, 3>(p) + larger<long>(a, 3L) + fixed<2>(b) + (int)fixed<3, double>(1.5);",
    ),
    "template_deduction": (
        "template <typename T> void swap_in(T &x, T &y) { T t = x; x = y; y = t; }\ntemplate <typename T, typename U> U blend(const T *v, U scale, size_t n = 2) { U s = 0; for (size_t i = 0; i < n; ++i) s += v[i] * scale; return s; }\ntemplate <typename T> T read(const T &x) { return x; }",
        "swap_in(a, b); swap_in(p[0], p[3]); double d[2] = {1.5, 2.5}; return (int)blend(p, 0.5) + blend(d, a) + blend(p, 2, 4) + read(b) + (int)read(d[1]) + read(a + 1);",
    ),
    "template_recursion": (
        "template <int N> int power(int x) { if constexpr (N == 0) { return 1; } else { return x * power<N - 1>(x); } }\ntemplate <bool Add, unsigned K> int step(int x) { return Add ? x + (int)K : x - (int)K; }",
        "return power<3>(b) + step<true, 2>(a) + step<false, sizeof(int)>(a);",
    ),
    "template_of_pointer_and_struct": (
        "struct V { int x, y; };\ntemplate <typename T> T first(T *v) { return v[0]; }\ntemplate <typename T> T last(T v) { return v; }",
        "V v[2] = {{a, b}, {1, 2}}; int *q = last(p); V w = first(v); const int *c = p; return w.x * 10 + w.y + *q + first(c) + last<V>(v[1]).y;",
    ),
    "new_and_delete": (
        "struct Q { int x, y; };",
        "int n = b + 2; int *v = new int[n]; int *w = new int[n](); Q *q = new Q; for (int i = 0; i < n; ++i) v[i] = a + i; q->y = v[1] + w[n - 1]; int r = q->y; delete[] v; delete[] w; delete q; return r;",
    ),
    "enum": (
        "enum Kind : int { A, B = 4, C };\nenum { ONE = 1, TWO };",
        "Kind k = a > 0 ? C : B; switch (k) { case B: return TWO; case C: return ONE + b; default: return 0; }",
    ),
    "pointer_by_condition": (
        "",
        "int x[2] = {1, 2}; int *q = a > 0 ? p : x; q[1] += b; const int *r = b ? q : p + 2; return r[0] + p[1] + x[1];",
    ),
    "array_pointers": (
        "int corner(int (*m)[3], int i) { return m[i][2]; }\nint whole(int m[2][3]) { return m[1][1]; }",
        "int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*r)[3] = m + 1; (*r)[0] = a; r[0][2] = b; return corner(m, 1) + whole(m) + r[-1][2] + m[1][0];",
    ),
    "widths": (
        "",
        "char c = 200; unsigned char u = 200; short s = 40000; unsigned short w = 70000; long long l = 1LL << 40; unsigned int v = -1; size_t n = 5; n -= b; return c + u + s + w + (int)(l >> 38) + (int)(v >> 30) + (int)(n < 4) + (c < u);",
    ),
    "extern_c": (
        'extern "C" { int plain(int x) { return x + 1; } }\nextern "C" int other(int x) { return plain(x) * 2; }',
        "return other(a) + plain(b);",
    ),
    "struct_typedefs": (
        "typedef struct { int x; } Anonymous;\ntypedef struct Tagged { Anonymous in; int n; } Alias;",
        "Alias s = {{a}, b}; struct Tagged t = s; t.in.x++; return t.in.x * s.n;",
    ),
    "noexcept": ("inline int quick(int x) noexcept { return x - 1; }", "return quick(a);"),
}


def source(name: str) -> str:
    declarations, body = PROGRAMS[name]
    return f'#include <cstddef>\n{declarations}\nextern "C" int f(int a, int b, int *p) {{ {body} }}\n'


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    file, library = folder / "f.cpp", folder / "f.so"
    file.write_text("#include <cstdlib>\n" + text)
    subprocess.run(
        [CXX, "-std=c++17", "-O0", "-w", "-fwrapv", "-shared", "-fPIC", str(file), "-o", str(library)], check=True
    )
    return ctypes.CDLL(str(library))


def run_c(library: ctypes.CDLL, a: int, b: int) -> tuple[int, list[int]]:
    memory = (ctypes.c_int * 4)(5, 6, 7, 8)
    return library.f(a, b, memory), list(memory)


def run_ir(program: ir.Program, a: int, b: int) -> tuple[int, list[int]]:
    memory = [5, 6, 7, 8]
    return Interpreter(program).call("f", a, b, Address(memory, 0)), memory


def both_forms(text: str) -> tuple[ir.Program, ir.Program]:
    lowered = load(text, "f.cu").reach("f")
    verify(lowered, callees=signature)
    normalised = normalize(lowered)
    verify(normalised, NORMALISED, signature)
    return lowered, normalised


@needs_cxx
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name: str, tmp_path: Path) -> None:
    text = source(name)
    library = compiled(text, tmp_path)
    lowered, normalised = both_forms(text)
    for a, b in INPUTS:
        expected = run_c(library, a, b)
        assert run_ir(lowered, a, b) == expected, (name, a, b, "lowered")
        assert run_ir(normalised, a, b) == expected, (name, a, b, "normalised")


# --- how it comes out ----------------------------------------------------------------------------


def lowered_text(text: str, entry: str = "f") -> str:
    program = load(text, "f.cu").reach(entry)
    verify(program, callees=signature)
    fence.check(program, entry)
    verify(normalize(program), NORMALISED, signature)
    return program_text(program)


def test_template_kernels_are_named_after_their_arguments() -> None:
    text = lowered_text("""
        template <typename T, int N> __global__ void __launch_bounds__(N) scale(T *x, T by) { x[threadIdx.x % N] *= by; }
        template <typename T> __global__ void shift(T *x, int n) { if (n > 0) x[0] += T(n); }
        void f(float *x, double *y) { scale<float, 2 * 8><<<1, 16>>>(x, 2); shift<<<1, 1>>>(y, 3); scale<double, 4><<<1, 4>>>(y, 1.5); }
    """)
    assert "kernel launch_bounds(16) void scale_float_16(float *x, float by)" in text
    assert "kernel void shift_double(double *x, int n)" in text
    assert "scale_float_16<<<1, 16>>>(x, 2.0f);" in text
    assert "scale_double_4<<<1, 4>>>(y, 1.5);" in text


def test_instances_avoid_names_that_are_taken() -> None:
    text = lowered_text(
        "int g_int(int x) { return x; }\ntemplate <typename T> T g(T x) { return x; }\nint f(int x) { return g(x) + g_int(x); }"
    )
    assert "return g_int_int(x) + g_int(x);" in text


def test_references_to_steady_places_are_the_places() -> None:
    text = lowered_text("""
        struct Cell { float u, v; };
        void f(Cell *cells, float *out, int n) {
            for (int i = 0; i < n; ++i) { Cell &c = cells[i]; const float &u = c.u; auto &o = out[2 * i]; o = u * c.v; c.v = o; }
        }""")
    assert "out[2 * i] = cells[i].u * cells[i].v;" in text
    assert "cells[i].v = out[2 * i];" in text


def test_a_reference_stays_where_it_was_bound() -> None:
    text = lowered_text("void f(float *x, int i) { float &a = x[i]; i = 0; a = 1; x[i] = 2; }")
    assert "float *a = x + i;" in text
    assert "a[0] = 1.0f;" in text


def test_reference_parameters() -> None:
    text = lowered_text("""
        __device__ void split(size_t n, size_t &start, const float &by, float *out) { start = n; out[0] = by; }
        __device__ float twice(const float &x, const int *n) { return x * n[0]; }
        __global__ void f(float *x, const int *n) { size_t i; split(3, i, x[1], x); x[i] = twice(x[0] + 1, n); }""")
    assert "void split(size_t n, size_t *start, const float *by, float *out)" in text
    assert "split(3, &i, const float *(x + 1), x);" in text
    assert "float twice(float x, const int *n)" in text


def test_vectors_in_structs_are_aligned() -> None:
    text = "struct S { char c; float4 v; float3 w; double2 d; };\nstruct __align__(16) T { float3 a; };\nvoid f(S *s, T *t) { s->c = sizeof(S); t->a.x = sizeof(T); }"
    program = load(text, "f.cu").reach("f")
    sizes = {s.name: (size_of(s), align_of(s)) for s in program.structs if isinstance(s, Struct)}
    assert sizes == {"S": (64, 16), "T": (16, 16)}


def test_flags_in_the_bytes_of_a_float() -> None:
    text = lowered_text(
        "void f(float *x, int *n) { n[0] = *(unsigned char *)&x[3] & 1; const int *p = (const int *)x; n[1] = p[n[0]]; }"
    )
    assert "n[0] = int(((unsigned char *)(x + 3))[0]) & 1;" in text


def test_dynamic_shared_memory_in_parts() -> None:
    lowered_text("""
        extern __shared__ unsigned char raw[];
        __global__ void f(double *x, int n) { double *a = (double *)raw; int *k = (int *)(a + n); float *b = (float *)&k[n];
            k[0] = n; a[0] = x[0]; b[0] = k[0]; x[0] = a[0] + b[0]; }""")


def test_float_arrays_as_vectors() -> None:
    lowered_text(
        "void f(float *x, double *y) { float4 *v = reinterpret_cast<float4 *>(x); v[0].x = v[1].y; double (*m)[4] = (double (*)[4])y; m[1][2] = 3; }"
    )


def test_votes_and_shuffles_keep_a_result() -> None:
    program = load("__global__ void f(int *a) { __syncthreads_count(a[0]); __shfl_sync(~0u, a[0], 1); }", "f.cu").reach(
        "f"
    )
    calls = [s for s in program.functions["f"].body if isinstance(s, ir.Call)]
    assert all(c.result is not None for c in calls)


# --- C++ that is passed over ---------------------------------------------------------------------

TIMED = """
#include <chrono>
#include <iostream>
void f(double *y, const double *x, int n)
{
    auto begin = std::chrono::steady_clock::now();
    std::mt19937 engine(n);
    for (int i = 0; i < n; ++i)
        y[i] = x[i] * x[i];
    const auto end = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(end - begin).count();
    if (n > 3) std::cout << "took " << seconds << " s for " << n << ", y[0] = " << y[0] << std::endl;
    printf("%f\\n", seconds);
}
"""


def test_output_and_clocks_are_kept_as_text() -> None:
    program = load(TIMED, "f.cu").reach("f")
    kept = [s for s in walk_stmts(program.functions["f"].body) if isinstance(s, ir.Opaque)]
    assert [s.span.line for s in kept] == [6, 10, 11, 12, 13]
    assert [tuple(x.name for x in s.declares) for s in kept] == [
        ("begin",),
        ("end",),
        ("seconds",),
        (),
        (),
    ]
    assert kept[3].headers == ("iostream",)
    assert [note for note, _ in fence.notes(program)] == [
        "C++ that is kept in the emitted source, and left out when hetad runs the program"
    ] * 5


def test_kept_text_follows_renamed_variables() -> None:
    text = "void f(double *y, int n) { for (int i = 0; i < n; ++i) y[0] += i; for (int i = 0; i < n; ++i) std::cout << i << y[i]; }"
    assert "opaque std::cout << i_1 << y[i_1];" in program_text(normalize(load(text, "f.cu").reach("f")))


def test_kept_text_names_its_namespace() -> None:
    text = "using namespace std;\nvoid f(int n) { cout << setprecision(3) << n << endl; auto t = chrono::system_clock::now(); }"
    lowered = program_text(load(text, "f.cu").reach("f"))
    assert "opaque std::cout << std::setprecision(3) << n << std::endl;" in lowered
    assert "opaque auto t = std::chrono::system_clock::now();" in lowered


def test_words_that_are_variables_are_not_taken_for_the_library() -> None:
    text = lowered_text("""
        using namespace std;
        int f(int left, int right, double seconds) {
            int duration = 3, vector = 2, fixed = right;
            while (left < right) left += duration;
            if (duration < vector) return 1; else std::cout << seconds;
            switch (left) { case 1: cout << fixed << scientific; break; default: std::cerr << hex; }
            return fixed < left;
        }""")
    assert "opaque std::cout << seconds;" in text
    assert "opaque std::cout << fixed << std::scientific;" in text
    assert "opaque std::cerr << std::hex;" in text


def test_gradient_with_kept_text() -> None:
    import numpy as np

    import hetad

    gradient = hetad.gradient(hetad.loads(TIMED, name="f.cu")["f"], wrt="x", of="y", backend="cpu")
    assert "#include <chrono>" in gradient.source
    assert "std::chrono::duration<double>(end - begin).count();" in gradient.source
    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(gradient(np.zeros(3), x, 3, seeds={"y": np.ones(3)})["x"], 2 * x)
