"""No text of the user's changes generated code: comments, strings, names of files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hetad
from hetad import frontend, pipeline, targets
from hetad.host.derivation import Request
from hetad.ir import texts
from hetad.run import compiler
from hetad.targets.cpu.passes import CpuOptions

NASTY = [
    "\\",
    "??/",
    "*/",
    "/*",
    "//",
    '"',
    "'",
    "\u2028",
    "\u202e",
    "\r",
    "\f",
    "\v",
    "\0",
    "\t",
    "\\\n",
    "\x85",
    "?",
    "%s",
    "\ud800",
]
TEXT = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=3)), max_size=8).map("".join)
ONE_LINE = TEXT.map(lambda t: re.sub(r"[\r\n]", " ", t)).filter(lambda t: "\\" not in t)

PROGRAM = """\
__global__ void square(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (i < n) {
        float s = 0;
        s += x[i] * x[i]; // %s
        y[i] = s; /* %s */
    }
}
void run(float *y, const float *x, int n) { square<<<(n + 63) / 64, 64>>>(y, x, n); }
"""


def code(text: str) -> list[str]:
    """The tokens that a compiler sees which knows trigraphs: splices joined, comments gone."""
    text = text.replace("??/", "\\")
    text = re.sub(r"\\[ \t]*\n", "", text)
    tokens = re.findall(r"""//[^\n]*|/\*[\s\S]*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\w+|[^\s\w]""", text)
    return [t for t in tokens if not t.startswith(("//", "/*"))]


def gradient_text(line: str, block: str, name: str = "x.cu") -> str:
    unit = frontend.load(PROGRAM % (line, block), name)
    return pipeline.source(pipeline.differentiate(unit, Request(function="run", wrt=("x",), of=("y",))))


@given(TEXT)
@example("\\ \\")
@example("drawn in C:\\ ??/ \\")
def test_a_comment_ends_with_its_line(text: str) -> None:
    lines = list(texts.comment(text))
    assert all(line.startswith("//") and line.isprintable() for line in lines)
    assert code("\n".join([*lines, "x = 1;"])) == ["x", "=", "1", ";"]


@given(TEXT)
def test_a_literal_holds_its_text_and_nothing_else(text: str) -> None:
    literal = texts.quoted(text)
    assert literal.isprintable()
    assert len(code(f"f({literal});")) == 5
    assert texts.octets(literal) == text.encode("utf-8", "surrogatepass")


@given(st.binary(max_size=8))
def test_bytes_survive_a_literal(found: bytes) -> None:
    assert texts.octets(texts.quoted(found)) == found


@given(st.integers(0, 255))
def test_characters(number: int) -> None:
    literal = texts.character(number)
    assert texts.octets(literal) == bytes([number])
    assert len(code(f"f({literal});")) == 5


@pytest.mark.parametrize(
    ("literal", "found"),
    [
        (r'"a\tb"', b"a\tb"),
        (r'"\x41" "2"', b"A2"),
        (r'"\1012\e\?"', b"A2\x1b?"),
        ('"\\u00e9\u00e9"', "éé".encode()),
        ('R"x(a"\\n)x"', b'a"\\n'),
        ('u8"abc"', b"abc"),
    ],
)
def test_what_a_literal_stands_for(literal: str, found: bytes) -> None:
    assert texts.octets(literal) == found
    assert texts.octets(texts.respelled(literal)) == found


_COMPARE = """\
#include <string.h>
static const struct { const char *literal; size_t length; unsigned char bytes[8]; } rows[] = {
ROWS};
int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (memcmp(rows[i].literal, rows[i].bytes, rows[i].length + 1)) return 1;
    return 0;
}
"""


def test_a_c_compiler_reads_the_same_bytes(tmp_path: Path) -> None:
    given_ = [bytes([i, j]) for i in range(256) for j in (0x30, 0x3F, 0x5C)] + [b"??/", b"??/\n", "\u202eé".encode()]
    rows = "".join(f"    {{{texts.quoted(g)}, {len(g)}, {{{', '.join(map(str, g))}}}}},\n" for g in given_)
    source = tmp_path / "literals.c"
    source.write_text(_COMPARE.replace("ROWS", rows), encoding="utf-8")
    program = tmp_path / "literals"
    subprocess.run([*compiler.find().command, "-std=c11", str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], check=False).returncode == 0


@settings(max_examples=15, deadline=None)
@given(ONE_LINE, TEXT.filter(lambda t: "*/" not in t))
@example("drawn in C:/ \\ \\\n", "")
@example("??/", "??/")
def test_comments_of_the_source_change_no_derivative(line: str, block: str) -> None:
    assert code(gradient_text(line, block)) == code(gradient_text("", ""))


@settings(max_examples=15, deadline=None)
@given(TEXT.filter(bool))
@example('a"b\\??/\n.cu')
def test_names_of_files_change_no_code(name: str) -> None:
    def text(name: str) -> list[str]:
        made = pipeline.primal(frontend.load(PROGRAM % ("", ""), name), "run")
        source = targets.cpu_source(made.program, made.entry, CpuOptions(fibers=True))
        return [t for t in code(source) if not t.startswith('"')]

    assert text(name) == text("x.cu")


@settings(max_examples=15, deadline=None)
@given(TEXT)
def test_strings_of_the_source_change_no_code(text: str) -> None:
    def made(literal: str) -> list[str]:
        source = f"double run(double x) {{ printf({literal}); return x * x; }}"
        request = Request(function="run", wrt=("x",))
        return code(pipeline.source(pipeline.differentiate(frontend.load(source, "x.cu"), request)))

    assert [t for t in made(texts.quoted(text)) if not t.startswith('"')] == [
        t for t in made('"x"') if not t.startswith('"')
    ]


def test_a_raw_string_and_trigraphs(capfd: pytest.CaptureFixture[str]) -> None:
    program = hetad.loads(
        'double run(double x) { printf(R"(%%"\\n??/)"); printf("??/ %d\\n", (int)sizeof "\\x41" "2"); return x; }'
    )
    program["run"](1.0, backend="cpu")
    assert capfd.readouterr().out == '%"\\n??/??/ 3\n'


def test_factors_of_unrolling_are_numbers() -> None:
    source = """\
template <int N> __global__ void power(float *y, const float *x)
{
    const int half = N / 2;
    #pragma unroll N
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
    #pragma unroll (half)
    for (int i = 0; i < N; i++) y[i] += x[i];
    #pragma unroll "\\\\"
    for (int i = 0; i < N; i++) y[i] += x[i];
}
void run(float *y, const float *x) { power<8><<<1, 1>>>(y, x); }
"""
    text = targets.cuda_file(frontend.load(source, "x.cu").reach("run"), "run")
    assert re.findall("#pragma.*", text) == ["#pragma unroll 8", "#pragma unroll (4)"]
