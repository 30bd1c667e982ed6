"""C++ that is read as C is refused with the way out; what Clang's front end refuses of it says why.  § marks the place."""

# ruff: noqa: E501  (programs read best on a line of their own)
from __future__ import annotations

import pytest

import hetad
from hetad.diagnostics import SourceError
from hetad.frontend.settings import Frontend
from tests.reject.test_frontend import refusal

AS_C = {
    "template arguments": ("float f(float a) { return §sq<float>(a); }", "'sq<...>'"),
    "class": ("class C { float x; };\nvoid f(float *a) { §C c; }", "'C', a class,"),
    "lambda": ("float f(float a) { §auto g = [](float x) { return x; }; return g(a); }", "'auto'"),
    "exceptions": ("void f(float *a) { §try { a[0] = 1; } catch (int e) { } }", "an exception"),
    "overloads": (
        "int g(int a) { return a; }\nfloat §g(float a) { return a; }\nint f(int a) { return g(a); }",
        "'g', which is overloaded,",
    ),
    "template overloaded": (
        "template<class T> T sq(T a) { return a; }\ntemplate<class T> T sq(T *a) { return *a; }\nint f(int a) { return §sq(a); }",
        "'sq', a template,",
    ),
    "template and function": (
        "template<class T> T sq(T a) { return a; }\nint sq(int a) { return a; }\nint f(int a) { return §sq(a); }",
        "'sq', a template,",
    ),
    "template of templates": (
        "template<template<class> class C> int sq(int a) { return a; }\nint f(int a) { return §sq<int>(a); }",
        "'sq', a template,",
    ),
    "template pack": (
        "template<class... T> int sq(int a) { return a; }\nint f(int a) { return §sq(a); }",
        "'sq', a template,",
    ),
    "template prototype": ("template<class T> T sq(T a);\nint f(int a) { return §sq(a); }", "'sq', a template,"),
    "template not deduced": (
        "template<class T> T zero(int n) { return T(n); }\nint f(int a) { return §zero(a); }",
        "'zero', a template,",
    ),
    "template without end": (
        "template<int N> int down(int a) { return a > 0 ? down<N + 1>(a - 1) : N; }\nint f(int a) { return §down<0>(a); }",
        "'down', a template,",
    ),
    "template specialisation": (
        "template<class T> T sq(T a) { return a; }\ntemplate<> int sq<int>(int a) { return 1; }\nint f(int a) { return §sq(a); }",
        "'sq', a template,",
    ),
    "class template": (
        "template<class T> struct V { T x; };\nint f(int a) { §V<int> v; return a; }",
        "'V', a template,",
    ),
    "template variable": (
        "template<class T> constexpr T pi = T(3);\nint f(int a) { return §pi<int> + a; }",
        "'pi', a template,",
    ),
    "enum class": ("enum class E { A };\nint f(int a) { return §int(E::A); }", "'int(...)'"),
    "in two namespaces": (
        "namespace a { int g(int x) { return x; } }\nnamespace b { int g(int x) { return 2 * x; } }\nint f(int x) { return §a::g(x); }",
        "'a::'",
    ),
    "rvalue reference": ("float f(float §&&a) { return a; }", "a reference"),
    "reference returned": ("float §&g(float *a) { return a[0]; }\nfloat f(float *a) { return g(a); }", "a reference"),
    "reference to an array": ("float f(§float (&a)[4]) { return a[0]; }", "'float(...)'"),
    "cast to a reference": ("float f(float a) { return (int §&)a; }", "a reference"),
    "reference member": ("struct S { float §&x; };\nfloat f(S s) { return s.x; }", "a reference"),
    "reference of a kernel": ("__global__ void f(float §&a) { a = 1; }", "a reference"),
    "range for": ("void f(int *a) { int v[3] = {1, 2, 3}; for (int x §: v) a[0] += x; }", "syntax error at ':'"),
    "auto parameter": ("float f(§auto a) { return a; }", "'auto'"),
    "auto list": ("void f(int *a) { §auto x = {1, 2}; }", "'auto'"),
    "auto empty": ("void f(int *a) { §auto x; }", "'auto'"),
    "placement new": ("void f(float *a) { float *p = §new (a) float; }", "'new'"),
    "new with a value": ("void f(float *a) { float *p = §new float(3); }", "'new'"),
    "new rows": ("void f(int n) { float (*p)[3] = §new float[n][3]; }", "'new'"),
    "brace argument": ("float f(float a) { return sqrt(§{a}); }", "syntax error: expected an expression at '{'"),
    "container used": ("void f(float *a) { §std::vector<float> v(3); a[0] = v[0]; }", "'std::'"),
    "container filled": ("void f(float *a) { §std::vector<float> v; v.push_back(a[0]); }", "'std::'"),
    "input": ("void f(int n) { §std::string s; s >> n; }", "'std::'"),
    "stream with effects": ("void f(int n) { §std::cout << n++; }", "'std::'"),
    "clock decides": ("void f(int n) { if (§std::chrono::steady_clock::now() > n) n = 1; }", "'std::'"),
    "clock assigned": ("void f(double n) { n = §std::chrono::duration<double>(3).count(); }", "'std::'"),
    "in a kernel": ("__global__ void f(int *a) { §std::cout << a[0]; }", "'std::'"),
    "algorithm": ("void f(int *a) { §std::sort(a, a + 3); }", "'std::'"),
    "thrust": ("int f(int *a) { return §thrust::reduce(a, a + 3); }", "'thrust::'"),
    "cub": ("void f(int *a) { §cub::DeviceReduce::Sum(a); }", "'cub::'"),
    "cooperative groups": (
        "__global__ void f(float *a) { §auto b = cooperative_groups::this_thread_block(); }",
        "'auto'",
    ),
    "cooperative names": (
        "using namespace cooperative_groups;\n__global__ void f(float *a) { §auto b = this_thread_block(); }",
        "'auto'",
    ),
    "tensor cores": ("__global__ void f(float *a) { §nvcuda::wmma::mma_sync(a, a, a, a); }", "'nvcuda::'"),
}

BY_CLANG = {
    "template arguments": ("float f(float a) { return §sq<float>(a); }", "Clang: use of undeclared identifier 'sq'"),
    "exceptions": ("void f(float *a) { a[0] = a[1] > 0 ? a[1] : §throw 1; }", "exceptions"),
    "template of templates": (
        "template<template<class> class C> int sq(int a) { return a; }\nint f(int a) { return §sq<int>(a); }",
        "Clang: no matching function for call to 'sq'",
    ),
    "template prototype": (
        "template<class T> T sq(T a);\nint f(int a) { return §sq(a); }",
        "'sq' is declared but not defined in this program",
    ),
    "template not deduced": (
        "template<class T> T zero(int n) { return T(n); }\nint f(int a) { return §zero(a); }",
        "Clang: no matching function for call to 'zero'",
    ),
    "template without end": (
        "template<int N> int down(int a) { return a > 0 ? §down<N + 1>(a - 1) : N; }\nint f(int a) { return down<0>(a); }",
        "Clang: recursive template instantiation exceeded maximum depth of 1024",
    ),
    "template variable": (
        "template<class T> T pi = T(3);\nint f(int a) { return §pi<int> + a; }",
        "'pi' here",
    ),
    "cast to a reference": ("float f(float a) { return §(int &)a; }", "a cast to a reference"),
    "reference of a kernel": ("__global__ void f(float &§a) { a = 1; }", "a reference parameter of a kernel"),
    "auto parameter": ("float f(§auto a) { return a; }", "Clang: 'auto' not allowed in function prototype"),
    "auto list": ("void f(int *a) { auto x = {§1, 2}; }", "cannot convert 'int' to 'const int *'"),
    "auto empty": (
        "void f(int *a) { auto §x; }",
        "Clang: declaration of variable 'x' with deduced type 'auto' requires an initializer",
    ),
    "placement new": ("void f(float *a) { float *p = §new (a) float; }", "this 'new' in given memory"),
    "brace argument": ("float f(float a) { return §sqrt({a}); }", "Clang: no matching function for call to 'sqrt'"),
    "input": (
        "void f(int n) { std::string s; s §>> n; }",
        "Clang: invalid operands to binary expression ('std::string' and 'int')",
    ),
    "stream with effects": (
        "void f(int n) { §std::cout << n++; }",
        "std::cout is C++ that hetad does not read, and it is used in an assignment",
    ),
    "clock decides": (
        "void f(int n) { if (std::chrono::steady_clock::now() §> n) n = 1; }",
        "Clang: invalid operands to binary expression ('time_point' (aka 'time_point<__clock<1>>') and 'int')",
    ),
    "in a kernel": (
        "__global__ void f(int *a) { std::cout §<< a[0]; }",
        "Clang: invalid operands to binary expression ('ostream' and 'int')",
    ),
    "cub": ("void f(int *a) { §cub::DeviceReduce::Sum(a); }", "cub::DeviceReduce::Sum with these arguments"),
    "container": (
        "void f(int *a) { §std::valarray<int> m(3); a[0] = m.size(); }",
        "std::valarray is C++ that hetad does not read",
    ),
    "tensor cores": (
        "__global__ void f(float *a) { §nvcuda::wmma::mma_sync(a, a, a, a); }",
        "tensor-core fragments (wmma)",
    ),
}


@pytest.mark.parametrize("name", AS_C)
def test_read_as_c(name: str) -> None:
    error = _refused(*AS_C[name], "c")
    assert 'frontend="cpp"' in error.remedy


@pytest.mark.parametrize("name", BY_CLANG)
def test_refused_as_cpp(name: str) -> None:
    _refused(*BY_CLANG[name], "cpp")


@pytest.mark.parametrize("name", [name for name in BY_CLANG if not BY_CLANG[name][1].startswith("Clang")])
def test_the_reason_is_shown_where_nobody_reads_it(name: str) -> None:
    _refused(*BY_CLANG[name], "auto")


def _refused(marked: str, message: str, frontend: Frontend) -> SourceError:
    error = refusal(marked, SourceError, frontend)
    assert message in error.message
    return error


def test_a_template_as_the_entry() -> None:
    with pytest.raises(hetad.UnknownNameError, match="'f' is a template") as caught:
        hetad.loads("template <typename T, int N> void f(T *a) { a[0] = N; }")["f"]
    assert "'f<float, 16>'" in caught.value.remedy
