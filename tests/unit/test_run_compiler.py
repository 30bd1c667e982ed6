from __future__ import annotations

import ctypes
import importlib.util
import stat
import sys
from pathlib import Path

import pytest

from hetad.diagnostics import BackendError
from hetad.run import compiler

pytestmark = pytest.mark.shipped

SOURCE = "int answer(void) { return 42; }\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "cache"))


def fake_compiler(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_library_is_compiled_once_and_runs(tmp_path: Path) -> None:
    path = compiler.shared_library(SOURCE)
    assert ctypes.CDLL(str(path)).answer() == 42
    before = path.stat().st_mtime_ns
    assert compiler.shared_library(SOURCE) == path
    assert path.stat().st_mtime_ns == before
    assert path.with_suffix(".c").read_text() == SOURCE
    assert compiler.shared_library(SOURCE + "\n") != path


def test_functions_bind_within_the_library() -> None:
    # libm has a gamma too, and Python has loaded it
    source = "double gamma(double x) { return x + 1; }\ndouble (*pointer)(double) = gamma;\n"
    source += "double call(double x) { return pointer(x) + gamma(x); }\n"
    call = ctypes.CDLL(str(compiler.shared_library(source))).call
    call.restype, call.argtypes = ctypes.c_double, [ctypes.c_double]
    assert call(3.0) == 8.0


def test_the_message_of_the_compiler_and_the_source_are_kept(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"this_is_not_c") as caught:
        compiler.shared_library("int this_is_not_c {")
    message = str(caught.value)
    kept = Path(message.splitlines()[-1].removeprefix("  the source is kept in "))
    assert kept.read_text() == "int this_is_not_c {"


@pytest.mark.parametrize("source", ["double f(void) { return sqrt(2); }", "int g(void); int f(void) { return g(); }"])
def test_a_function_that_is_not_declared_or_not_there_is_an_error(source: str) -> None:
    with pytest.raises(BackendError, match=r"sqrt|g"):
        compiler.shared_library(source)


def test_hetad_cc_may_have_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = compiler.find()
    wrapper = fake_compiler(tmp_path / "mycc", f'[ "$1" = -DANSWER=43 ] || exit 7; exec {real} "$@"')
    monkeypatch.setenv("HETAD_CC", f"{wrapper} -DANSWER=43")
    path = compiler.shared_library("int answer(void) { return ANSWER; }")
    assert ctypes.CDLL(str(path)).answer() == 43


def test_another_compiler_makes_another_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, real = compiler.shared_library(SOURCE), compiler.find()
    monkeypatch.setenv("HETAD_CC", str(fake_compiler(tmp_path / "mycc", f'exec {real} "$@"')))
    assert compiler.shared_library(SOURCE) != first


def test_hetad_cc_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CC", "no-such-compiler -O2")
    with pytest.raises(BackendError, match="HETAD_CC is 'no-such-compiler -O2'"):
        compiler.shared_library(SOURCE)


def test_without_a_compiler_the_message_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HETAD_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(BackendError, match="pip install ziglang"):
        compiler.find()


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the ziglang wheel is not installed")
def test_without_a_system_compiler_zig_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HETAD_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "ziglang" in str(compiler.find())
    assert ctypes.CDLL(str(compiler.shared_library(SOURCE))).answer() == 42


def test_a_compiler_that_does_not_know_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = compiler.find()
    body = f'for a in "$@"; do [ "$a" = -march=native ] && echo "unknown march" >&2 && exit 1; done; exec {real} "$@"'
    monkeypatch.setenv("HETAD_CC", str(fake_compiler(tmp_path / "oldcc", body)))
    assert ctypes.CDLL(str(compiler.shared_library(SOURCE))).answer() == 42
