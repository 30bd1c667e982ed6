"""Every refusal of the front end: message, line and column.  § marks the place the error must point at."""

# ruff: noqa: E501  (programs read best on a line of their own)
from __future__ import annotations

import pytest

from hetad.diagnostics import SourceError, SyntaxProblem, UnknownNameError, UnsupportedError
from hetad.frontend import fence, load, load_files
from hetad.frontend.normalize import normalize
from hetad.frontend.settings import Frontend, Settings

K = "__global__ void k(float *a) { a[0] = 1; }\n"

SYNTAX = {
    "expression": ("void f(float *a) { a[0] = 1 +§; }", "expected an expression at ';'"),
    "parenthesis": ("void f(float *a) {\n  a[0] = §(1;\n}", "'(' is not closed"),
    "brace": ("void f(float *a) §{\n  a[0] = 1;\n", "'{' is not closed"),
    "stray brace": ("void f(float *a) { a[0] = 1; }\n§}", "'}' without its opening bracket"),
    "statement": ("void f(float *a) { a[0] = 1 §a[1] = 2; }", "syntax error at 'a'"),
    "in a macro": ("#define BAD(x) ((x) + )\nvoid f(float *a) {\n\ta[0] = §BAD(3);\n}", "expected an expression"),
    "after a macro": (
        "#define TWO 1 + \\\n  1\nvoid f(float *a) { a[0] = TWO; a[1] = §]; }",
        "'[' without|']' without its opening",
    ),
    "after a launch": (K + "void f(float *a) { k<<<dim3(1), 2>>>(a); a[0] = §; }", "expected an expression at ';'"),
    "launch arguments": (K + "void f(float *a) { k§<<<1>>>(a); }", "2 to 4 arguments between"),
    "launch without call": (K + "void f(float *a) { k<<<1, 2§>>>; }", "expected '(' after '>>>'"),
    "launch not closed": (K + "void f(float *a) { k§<<<1, 2>>(a); }", "'<<<' without '>>>'"),
    "launch of a function": ("void g(int a) {}\nvoid f(float *a) { §g<<<1, 1>>>(2); }", "not a __global__ function"),
    "call of a kernel": (K + "void f(float *a) { §k(a); }", "'k' is a kernel"),
    "count of arguments": (K + "void f(float *a) { §k<<<1, 2>>>(a, 3); }", "'k' takes 1 argument, not 2"),
    "unknown type": ("void f(§thing_t *a) { a[0] = 1; }", "unknown type 'thing_t'"),
    "unknown local type": ("void f(float *a) { §thing_t x; a[0] = 1; }", "unknown type 'thing_t'"),
    "octal": ("void f(float *a) { a[0] = §08; }", "cannot read '08'"),
    "character": ("void f(float *a) { a[0] = §@; }", "cannot read '@'"),
    "not UTF-8 quotes": ("void f(float *a) /* ünï */ { a[0] = §“1”; }", "cannot read '“'"),
    "place": ("void f(float *a) { §3 = a[0]; }", "cannot be assigned to"),
    "const": ("void f(const float *a) { §a[0] = 1; }", "assignment to something const"),
    "pointer from int": ("void f(float *a) { float *p = §3; }", "cannot convert 'int' to 'float *'"),
    "int pointer": ("void f(float *a) { int *q = §a; }", "cannot convert 'float *' to 'int *'"),
    "float from pointer": ("void f(float *a) { float x = §a; }", "cannot convert 'float *' to 'float'"),
    "member": ("struct P { float x; };\nvoid f(struct P *a) { a->§y = 1; }", "'P' has no member 'y'"),
    "element of a struct": (
        "struct P { float x; };\nvoid f() { struct P p = {§[0] = 1}; }",
        "'P' has members, not elements",
    ),
    "element of a union": (
        "union P { float x; };\nvoid f() { union P p = {§[0] = 1}; }",
        "'P' has members, not elements",
    ),
    "literal of nothing": ("void f() { §(void){0}; }", "a literal cannot have type void"),
    "member of a number": ("void f(float *a) { a->§x = 1; }", "'float' has no members"),
    "value returned": ("void f(float *a) { §return 1; }", "'f' returns nothing"),
    "value not returned": ("float f(float *a) { §return; }", "must return a value of type 'float'"),
    "modulo": ("float f(float a) { return §a % 2; }", "'%' needs integers"),
    "index": ("float f(float *a, float i) { return a[§i]; }", "an index must be an integer"),
    "too many elements": ("void f(int n) { int a[2] = {1, 2, §3}; }", "too many initialisers"),
    "device from host": ("__device__ float g() { return 1; }\nfloat f() { return §g(); }", "host code cannot call"),
    "host from device": ("float g() { return 1; }\n__global__ void f(float *a) { a[0] = §g(); }", "device code cannot"),
    "error directive": ("#if 1\n#§error no way\n#endif\nvoid f(float *a) { }", "#error no way"),
    "missing endif": ("int x;\n§#ifdef X\nvoid f(float *a) { }", "unterminated #ifdef X"),
    "misplaced else": ("#§else\nvoid f(float *a) { }", "misplaced #else"),
    "bad condition": ("#if §1 +\n#endif\nvoid f(float *a) { }", "#if expression cannot be evaluated"),
    "macro arguments": ("#define M(a, b) a + b\nvoid f(float *a) { a[0] = §M(1); }", "requires 2 arguments"),
    "break": ("void f(int n) { if (n) §break; }", "a break outside"),
    "continue": ("void f(int n) { switch (n) { case 1: §continue; } }", "a continue outside"),
    "void arithmetic": ("void f(void *a) { *§a; }", "a void pointer cannot be dereferenced"),
}

UNKNOWN = {
    "function": ("void f(float *a) { a[0] = §sqrtt(a[1]); }", "unknown function 'sqrtt'", "sqrt or"),
    "own function": (
        "float half_of(float x) { return x; }\nfloat f(float a) { return §halfof(a); }",
        "'halfof'",
        "half_of",
    ),
    "kernel": ("__global__ void step(float *a) {}\nvoid f(float *a) { §stop<<<1, 2>>>(a); }", "kernel 'stop'", "step"),
    "variable": ("float f(float alpha) { return §alhpa; }", "unknown name 'alhpa'", "alpha"),
    "scope": ("void f(float *a) { { float y; } a[0] = §y; }", "unknown name 'y'", ""),
    "extern": (
        "extern double §q;\ndouble f(double a) { return q * a; }",
        "'q' is declared but not defined",
        "load its source",
    ),
    "prototype": (
        "int g(int a);\nint §f(int a) { return g(a); }",
        "'g' is declared but not defined",
        "load its source",
    ),
    "header": ('#include "nope.h"\nfloat f(float a) { return §helper(a); }', "'helper'", '"nope.h"'),
}

UNSUPPORTED = {
    "packed": (
        "struct S { char a; double b; } §__attribute__((packed));\nint f(struct S s) { return s.a; }",
        "__attribute__",
    ),
    "aligned member": (
        "struct S { char a; char b §__attribute__((aligned(8))); };\nint f(struct S s) { return s.a; }",
        "__attribute__",
    ),
    "variable that differs": (
        "#ifdef __CUDA_ARCH__\n__constant__ double §c[2] = {1, 2};\n#else\n__constant__ double c[1];\n#endif\n"
        "__global__ void k(double *y) { y[0] = c[1]; }\nvoid f(double *y) { k<<<1, 1>>>(y); }",
        "'c' is another variable in device code",
    ),
    "struct that differs": (
        "struct P {\n#ifdef __CUDA_ARCH__\ndouble a[2];\n#else\ndouble a[1];\n#endif\n};\n"
        "__device__ double g(P §p) { return p.a[0]; }\n__global__ void k(double *y) { P p = {1.0}; y[0] = g(p); }\n"
        "void f(double *y) { P q = {2.0}; y[0] = q.a[0]; k<<<1, 1>>>(y); }",
        "'P' is another struct in device code",
    ),
    "union": (
        "union U { float f; float §g[2]; };\nint f(float a) { union U u; u.f = a; return 1; }",
        "a union with a member",
    ),
    "function pointer": ("float f(float a, float (§*g)(float)) { return g(a); }", "function pointers"),
    "function value": (
        "float g(float a) { return a; }\nint f(int a) { return §g == 0; }",
        "the function 'g' as a value",
    ),
    "volatile": ("void f(float §*volatile a) { a[0] = 1; }", "volatile itself"),
    "assembly": ('float f(float a) { §asm volatile("bar.sync 0;"); return a; }', "inline assembly"),
    "goto back": ("float f(float a) { again: a -= 1; if (a > 0) §goto again; return a; }", "a goto that jumps back"),
    "bit-field": ("struct S { int §a : 3; };\nint f(struct S s) { return s.a; }", "bit-fields"),
    "linked list": (
        "struct §N { float v; struct N *next; };\nfloat f(struct N *s) { return s->next->v; }",
        "refers to itself",
    ),
    "variable arguments": ("float f(float a, §...) { return a; }", "variable arguments"),
    "static in device code": (
        "__device__ float f(int n) { static float §s = 0; return s += n; }",
        "a static variable in device code",
    ),
    "static of a parameter": ("float f(float x) { static float §s = x; return s += x; }", "first value is no constant"),
    "variable length": ("__device__ float f(int n) { float a[§n]; return a[0]; }", "length is not a constant"),
    "two variable lengths": ("float f(int n) { float a[n][§n]; return a[0][0]; }", "length is not a constant"),
    "long double": ("void f(float *a) { §long double x = 1; a[0] = x; }", "long double"),
    "half": ("void f(§half *a) { a[0] = 0; }", "half without <cuda_fp16.h>"),
    "switch scope": (
        "void f(int n, int *a) { switch (n) { case 1: int §x = 2; break; case 2: x = 3; a[0] = x; } }",
        "one case of a switch",
    ),
    "case inside": ("void f(int n) { switch (n) { case 1: { §case 2: n = 1; } } }", "a case inside another statement"),
    "statement expression": ("int f(int n) { return (§{ int x = n; x; }); }", "a statement inside an expression"),
    "mathematics": ("double f(double *a) { return §pow(a); }", "no 'pow' for arguments of type (double *)"),
    "stream API": ("void f(cudaStream_t s) { §cudaStreamCopyAttributes(s, s); }", "does not know 'cudaStreamCopy"),
    "recursion": ("float f(float a) { return a > 1 ? §f(a - 1) : 1; }", "recursion"),
    "mutual recursion": ("int g(int a);\nint f(int a) { return g(a); }\nint g(int a) { return §f(a); }", "recursion"),
    "member function": (
        "struct S { int x; int §get() { return x; } };\nint f(S s) { return s.x; }",
        "a member function",
    ),
    "constructor": ("struct S { int x; §S(int y) : x(y) {} };\nint f(S s) { return s.x; }", "a member function"),
    "member default": ("struct S { int §x = 3; };\nint f(S s) { return s.x; }", "a default value of a member"),
    "alignment": (
        "struct §alignas(sizeof(int)) V { float x; };\nvoid f(struct V *a) { a->x = 1; }",
        "alignment specifiers",
    ),
    "texture": ("__global__ void f(float *a) { a[0] = §tex2D<float>(a, 1, 2); }", "textures"),
    "surface": ("__global__ void f(§cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 1, 2); }", "surfaces"),
    "cuRAND": ("__global__ void f(float *a) { §curandState s; a[0] = curand_uniform(&s); }", "cuRAND"),
    "half arithmetic": (
        "__global__ void f(float *a) { a[0] = __half2float(§__hmul(__float2half(a[0]), 1.0f)); }",
        "half precision",
    ),
    "memory of three dimensions": (
        "void f(float *a) { §cudaArray_t b; cudaMallocArray(&b, 0, 3, 4); }",
        "memory of three dimensions",
    ),
    "two dynamic arrays": (
        "__global__ void f(float *a) { extern __shared__ float s[]; extern __shared__ int §t[]; t[0] = 1; s[0] = a[0]; }",
        "'s' and 't' are the same memory",
    ),
    "punned write": ("void f(float *a) { int *p = §(int *)a; p[0] = 1; }", "a cast of 'float *' to 'int *'"),
    "punned call": (
        "void g(int *p) { p[0] = 1; }\nvoid f(float *a) { g(§(int *)a); }",
        "a cast of 'float *' to 'int *'",
    ),
    "punned copy": (
        "void f(float *a) { int *p = §(int *)a; int *q = p + 1; *q += 2; }",
        "a cast of 'float *' to 'int *'",
    ),
    "punned float": ("float f(int a) { return *§(float *)&a; }", "a cast of 'int *' to 'float *'"),
    "double as float": ("float f(double *a) { return *§(float *)a; }", "a cast of 'double *' to 'float *'"),
    "_Atomic": ("void f(§_Atomic int *a) { a[0] = 1; }", "_Atomic"),
    "pointer bits": ("unsigned long f(float *a) { return §(unsigned long)a; }", "a cast of 'float *'"),
    "launch from a kernel": (K + "__global__ void f(float *a) { §k<<<1, 1>>>(a); }", "a launch from device code"),
}


def front_end(text: str, frontend: Frontend) -> None:
    program = load_files([(text, "t.cu")], Settings(frontend=frontend)).reach("f")
    fence.check(program, "f")
    normalize(program)


def refusal(marked: str, exception: type[SourceError], frontend: Frontend = "c") -> SourceError:
    """The error of a program, at the place that is marked."""
    before = marked[: marked.index("§")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(exception) as caught:
        front_end(marked.replace("§", ""), frontend)
    error = caught.value
    assert error.span is not None
    assert (error.span.file, error.span.line, error.span.column) == ("t.cu", line, column), str(error)
    assert error.source_line == marked.replace("§", "").splitlines()[line - 1]
    return error


def check(marked: str, exception: type[SourceError], message: str) -> SourceError:
    error = refusal(marked, exception)
    assert any(part in error.message for part in message.split("|")), error.message
    return error


@pytest.mark.parametrize("name", SYNTAX)
def test_syntax(name: str) -> None:
    check(SYNTAX[name][0], SyntaxProblem, SYNTAX[name][1])


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_name(name: str) -> None:
    marked, message, remedy = UNKNOWN[name]
    assert remedy in check(marked, UnknownNameError, message).remedy


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name: str) -> None:
    error = check(UNSUPPORTED[name][0], UnsupportedError, UNSUPPORTED[name][1])
    assert error.remedy


def test_unknown_entry_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="no function 'lanch' in t") as caught:
        load("void launch(float *a) {}", "t.cu").reach("lanch")
    assert caught.value.remedy == "did you mean launch?"


def test_error_in_an_included_file(tmp_path) -> None:
    (tmp_path / "part.h").write_text("float g(float a)\n{\n  return a +;\n}\n")
    unit = load('#include "part.h"\nfloat f(float a) { return g(a); }', str(tmp_path / "main.cu"))
    with pytest.raises(SyntaxProblem) as caught:
        unit.reach("f")
    assert caught.value.span is not None
    assert caught.value.span.file.endswith("part.h")
    assert (caught.value.span.line, caught.value.span.column) == (3, 13)
    assert caught.value.source_line == "  return a +;"
