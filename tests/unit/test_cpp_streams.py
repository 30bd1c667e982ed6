"""What C++ programs print and write to files is what they print and write when a C++ compiler compiles them.

Each file in cpp_streams/ defines `double f(double a, int n)`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import hetad
from hetad.frontend.streams import are_read

COMPILER = shutil.which("c++")
PROGRAMS = sorted((Path(__file__).parent / "cpp_streams").glob("*.cpp"))
CALLS = ((1.75, 3), (-0.5, 1))
MAIN = "\n#include <cstdio>\nint main() {{ {} }}\n".format(
    " ".join(f'{{ double r = f({a}, {n}); std::printf("= %.17g\\n", r); }}' for a, n in CALLS)
)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_same_text(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = path.read_text(encoding="utf-8")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for folder in (theirs, ours):
        folder.mkdir()
    source, program = tmp_path / "f.cpp", tmp_path / "f"
    source.write_text(text + MAIN)
    assert COMPILER is not None
    subprocess.run([COMPILER, "-std=c++17", "-O0", "-w", source, "-o", program], check=True)
    ran = subprocess.run([program], cwd=theirs, check=True, capture_output=True, text=True)
    monkeypatch.chdir(ours)
    function = hetad.loads(text, "f.cu", frontend="cpp")["f"]
    library = ctypes.CDLL(None)
    capfd.readouterr()
    for a, n in CALLS:
        value = function(a, n, backend="cpu")
        library.printf(b"= %.17g\n", ctypes.c_double(value))
    library.fflush(None)
    printed = capfd.readouterr()
    assert printed.out == ran.stdout
    assert printed.err == ran.stderr
    written = {f.name: f.read_text() for f in sorted(theirs.iterdir())}
    assert {f.name: f.read_text() for f in sorted(ours.iterdir())} == written


def test_a_gradient_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    text = """
        #include <iostream>
        void say(std::ostream &os, int step, double u) { os << step << ": " << u << std::endl; }
        double f(double a, int n) {
            double u = a;
            for (int i = 0; i < n; ++i) { u = u * u; say(std::cout, i, u); }
            return u;
        }"""
    gradient = hetad.gradient(hetad.loads(text, "f.cu")["f"], wrt="a", backend="cpu")
    assert gradient(2.0, 2)["a"] == 32
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == "0: 4\n1: 16\n"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("void f ( ) { std :: cout << 1 ; std :: ofstream a ( name ) , b ; b . open ( name ) ; b << 2 ; }", False),
        ("using std :: cout ; void f ( double * out ) { out [ 0 ] = 1 ; cout << 1 ; cout . precision ( 3 ) ; }", False),
        ("void f ( ) { std :: ofstream out ( name ) ; out << 1 ; } void g ( double * out ) { out [ 0 ] = 1 ; }", False),
        ("void f ( ) { std :: ofstream out ( name ) ; if ( ! out ) return ; }", True),
        ("void f ( ) { std :: ofstream a ( name ) , out ; if ( out . is_open ( ) ) return ; }", True),
        ("struct W { std :: ofstream out ; } ;", True),
        ("void f ( std :: ofstream & out ) { out << 1 ; }", True),
        ("void f ( ) { auto & out = n ? std :: cout : std :: cerr ; }", True),
        ("void f ( ) { report ( std :: cout ) ; }", True),
        ("void f ( ) { std :: ofstream out ( name ) ; out << 1 ; std :: ifstream in ( name ) ; }", True),
        ("void f ( std :: ostream & ) ;", True),
    ],
)  # fmt: skip
def test_which_programs_do_more_than_write(text: str, read: bool) -> None:
    assert are_read(text.split()) is read
