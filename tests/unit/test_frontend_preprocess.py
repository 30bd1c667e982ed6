"""Preprocessing: macros, includes, and above all positions."""

# ruff: noqa: E501  (sources read best on a line of their own)
from __future__ import annotations

import pytest

from hetad.diagnostics import SyntaxProblem
from hetad.frontend.preprocess import preprocess
from hetad.frontend.settings import Settings


def tokens(text: str, **options):
    return preprocess(text, "a.cu", Settings(**options)).tokens


def spelled(text: str, **options) -> str:
    return " ".join(t.text for t in tokens(text, **options))


def place(text: str, of: str) -> tuple[int, int]:
    token = next(t for t in tokens(text) if t.text == of)
    return token.line, token.column


def test_columns_of_plain_tokens() -> None:
    found = [(t.text, t.line, t.column, t.length) for t in tokens("int x =\n\t 1.5e-3f;\n")]
    assert found == [("int", 1, 1, 3), ("x", 1, 5, 1), ("=", 1, 7, 1), ("1.5e-3f", 2, 3, 7), (";", 2, 10, 1)]


def test_comments_and_continuations_keep_lines() -> None:
    text = "/* ü\n ü */ int a; // it's\nint \\\n  b; /* x */ int c;\n"
    assert place(text, "a") == (2, 11)
    assert place(text, "b") == (4, 3)
    assert place(text, "c") == (4, 18)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert place(end.join(["#define A 1 + \\", "  2", "int x = A;", "int y;"]), "y") == (4, 5)


def test_byte_order_mark_and_form_feed() -> None:
    assert place("\ufeffint a;\f\nint b;", "b") == (2, 5)


def test_body_of_a_macro_is_at_its_use_and_arguments_are_at_home() -> None:
    text = "#define ADD(x, y) ((x) + \\\n  (y))\nint a = ADD(b,\n   c);\n"
    found = {t.text: (t.line, t.column, t.length) for t in tokens(text)}
    assert found["+"] == (3, 9, 3)
    assert found["b"] == (3, 13, 1)
    assert found["c"] == (4, 4, 1)


def test_nested_macros_are_at_the_outermost_use() -> None:
    text = "#define ONE 1\n#define TWO (ONE + ONE)\nint a = TWO;\n"
    assert {(t.line, t.column) for t in tokens(text) if t.text == "1"} == {(3, 9)}


def test_stringify_paste_and_variadic() -> None:
    text = '#define S(x) #x\n#define C(a, b) a##b\n#define P(f, ...) printf(f, ##__VA_ARGS__)\nS(a + b) C(x, 1) P("u"); P("v", 2);'
    assert spelled(text) == '"a + b" x1 printf ( "u" ) ; printf ( "v" , 2 ) ;'


def test_line_and_file_macros() -> None:
    assert spelled("\n__LINE__ __FILE__") == '2 "a.cu"'


def test_cuda_operators_and_numbers_stay_whole() -> None:
    assert (
        spelled("k<<<1, 2>>>(0x1p-3f, 1'000ULL, .5f, 1.f) a>>=1")
        == "k <<< 1 , 2 >>> ( 0x1p-3f , 1'000ULL , .5f , 1.f ) a >>= 1"
    )


def test_conditions() -> None:
    text = "#if defined(N) && N > 2LL\nbig\n#elif defined N\nsmall\n#else\nnone\n#endif\n#ifdef __CUDACC__\ncuda\n#endif\n#ifdef __cplusplus\ncpp\n#endif"
    assert spelled(text, defines={"N": 3}) == "big cuda cpp"
    assert spelled(text, defines={"N": "1"}) == "small cuda cpp"
    assert spelled(text) == "none cuda cpp"


def test_apostrophes_in_skipped_text() -> None:
    assert spelled("#if 0\ndon't \"\n#endif\nint a;") == "int a ;"


def test_pragma_is_one_token_with_macros_expanded() -> None:
    pragma = next(t for t in tokens("#define U 4\nvoid f() {\n  #pragma unroll U\n}") if t.kind == "pragma")
    assert (pragma.text, pragma.line, pragma.column) == ("unroll 4", 3, 3)


def test_known_headers_give_their_macros() -> None:
    assert spelled("#include <float.h>\n#include <climits>\nFLT_MAX INT_MAX M_PI NULL") == (
        "3.402823466e+38F 2147483647 3.14159265358979323846 nullptr"
    )


def test_user_headers(tmp_path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "a.h").write_text('#pragma once\n#include "b.h"\nint in_a;\n')
    (tmp_path / "inc" / "b.h").write_text("#ifndef B\n#define B\nint in_b;\n#endif\n")
    (tmp_path / "near.h").write_text("int near_by;\n")
    text = '#include "near.h"\n#include <a.h>\n#include "b.h"\n#include "a.h"\n#include <unknown>\n#include "gone.h"\nint own;'
    result = preprocess(text, str(tmp_path / "main.cu"), Settings(include_dirs=[str(tmp_path / "inc")]))
    assert " ".join(t.text for t in result.tokens) == "int near_by ; int in_b ; int in_a ; int own ;"
    assert [name for name, _ in result.missing] == ["gone.h"]
    assert any(name.endswith("b.h") for name in result.sources)
    at = next(t for t in result.tokens if t.text == "in_a")
    assert at.file.endswith("a.h")
    assert (at.line, at.column) == (3, 5)


def test_a_header_that_includes_itself(tmp_path) -> None:
    (tmp_path / "loop.h").write_text('int a;\n#include "loop.h"\n')
    with pytest.raises(SyntaxProblem, match="includes itself"):
        preprocess('#include "loop.h"', str(tmp_path / "main.cu"))


@pytest.mark.parametrize(
    "directive", ["#ifdef", "#if", "#define", "#undef", "#include", "#ifndef", "#define F(", "#elif 1"]
)
def test_malformed_directives(directive: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        tokens(f"int a;\n{directive}\nint b;\n")
    assert caught.value.span is not None
    assert caught.value.span.line == 2
