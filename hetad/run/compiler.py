"""The C compiler: which one there is, and shared libraries made with it.

`$HETAD_CC` (a command, which may have arguments), else `cc`, `gcc` or `clang`, else the one inside the `ziglang`
wheel, which pip installs anywhere (`pip install hetad[cpu]`).
"""

from __future__ import annotations

import errno
import functools
import importlib.util
import itertools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hetad.diagnostics import BackendError
from hetad.run import cache
from hetad.run.timing import step

if TYPE_CHECKING:
    from collections.abc import Sequence

# Contraction off: the same numbers wherever the program runs.  No errno and no traps, which generated code never looks
# at: neither changes a value, and both let loops be vectorised; so does `omp simd`, by which adjoint sums are marked.
# User functions bind within the library (a `gamma` of the user's must not become libm's).  A function without a
# declaration would be called with the wrong types.
FLAGS = (
    "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing",
    "-fno-semantic-interposition", "-fopenmp-simd", "-fPIC", "-shared", "-std=gnu11",
    "-Werror=implicit-function-declaration", "-Werror=implicit-int",
)  # fmt: skip
# Programs count an array through beyond the end of a row (`(&tile[0][0])[i]`), which nvcc lets them do: no loop may be
# taken to end where a row does.  gcc's alone; clang ignores it, zig does not know it.
GCC_FLAGS = ("-fno-aggressive-loop-optimizations",)
ZIG_FLAGS = ("-fno-sanitize=undefined",)  # `zig cc` traps undefined behaviour by default
LINKER_FLAGS = ("-Wl,-Bsymbolic", "-Wl,-z,defs") if sys.platform.startswith("linux") else ()

HOW_TO_GET_ONE = (
    "install a C compiler (gcc or clang), or `pip install ziglang`, which brings one along; "
    "HETAD_CC names another command"
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler: the command that starts it, and what tells it from another or an older one."""

    command: tuple[str, ...]
    identity: str
    extra_flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return shlex.join(self.command)


def find() -> Compiler:
    """The C compiler to use.

    Raises:
        BackendError: there is none; the message says how to get one.
    """
    return _find(os.environ.get("HETAD_CC", ""), os.environ.get("PATH", ""))


def shared_library(
    source: str, include_dirs: Sequence[Path] = (), libraries: Sequence[str] = ("m",), more_flags: Sequence[str] = ()
) -> Path:
    """Compile C `source` to a shared library, or take it from the cache.

    Raises:
        BackendError: no compiler, or it refuses the source; the message quotes it.
    """
    compiler = find()
    headers = [path.read_bytes() for folder in include_dirs for path in sorted(Path(folder).glob("*.h"))]
    flags = (*FLAGS, *LINKER_FLAGS, *compiler.extra_flags, *libraries, *more_flags)
    key = cache.key(source, *headers, compiler.identity, processor(), *flags)
    more = (*(f"-l{name}" for name in libraries), *more_flags)
    try:
        return cache.entry(f"{key}.so", lambda to: _compile(compiler, source, key, to, include_dirs, more))
    except OSError as problem:  # the disk is full, say
        raise BackendError(
            f"the compiled program cannot be kept in {cache.directory()}: {problem}; set HETAD_CACHE_DIR"
        ) from problem


@functools.cache
def processor() -> str:
    """What `-march=native` depends on."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            first = itertools.takewhile(str.strip, file)  # the file has one paragraph per core, and may be empty
            lines = [line for line in first if line.startswith(("model name", "flags", "Features", "CPU part"))]
    except OSError:
        lines = []
    return platform.machine() + "".join(lines or [platform.processor()])


@functools.cache
def _find(explicit: str, search_path: str) -> Compiler:
    if explicit.strip():
        command = shlex.split(explicit)
        program = shutil.which(command[0], path=search_path)
        if program is None:
            raise BackendError(f"HETAD_CC is {explicit!r}, but there is no command {command[0]!r}")
        return Compiler((program, *command[1:]), explicit + _stamp(program), _flags_for(command))
    for name in ("cc", "gcc", "clang"):
        if program := shutil.which(name, path=search_path):
            return Compiler((program,), program + _stamp(program), GCC_FLAGS)
    if zig := _zig():
        return Compiler((sys.executable, "-m", "ziglang", "cc"), "ziglang" + _stamp(zig), ZIG_FLAGS)
    raise BackendError(f"no C compiler found: {HOW_TO_GET_ONE}")


def _flags_for(command: Sequence[str]) -> tuple[str, ...]:
    return ZIG_FLAGS if any("zig" in Path(word).name for word in command) else GCC_FLAGS


def _zig() -> str | None:
    """The zig binary of the `ziglang` wheel, if that is installed."""
    try:
        spec = importlib.util.find_spec("ziglang")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).parent / "zig")


def _stamp(program: str) -> str:
    """Changes when the compiler does: asking for its version would start it each time."""
    try:
        path = Path(program).resolve()
        stat = path.stat()
    except OSError:
        return ""
    return f"|{path}|{stat.st_size}|{stat.st_mtime_ns}"


def _compile(
    compiler: Compiler, source: str, key: str, target: Path, include_dirs: Sequence[Path], linked: Sequence[str]
) -> None:
    file = cache.write_text(f"{key}.c", source)
    flags = [*FLAGS, *compiler.extra_flags, *LINKER_FLAGS]
    paths = [f"-I{folder}" for folder in include_dirs]
    command = [*compiler.command, *flags, *paths, str(file), "-o", str(target), *linked]
    with step("the C compiler"):
        done = _run(command)
    if done.returncode != 0 and "march" in done.stderr:  # a compiler that does not know this processor
        done = _run([word for word in command if word != "-march=native"])
    if done.returncode != 0:
        if "No space left on device" in done.stderr:
            raise OSError(errno.ENOSPC, "no space left on the device", str(target))
        message = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
        raise BackendError(
            f"the C compiler ({compiler}) failed on code that hetad generated:\n{_shortened(message)}\n"
            f"  the source is kept in {file}"
        )


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache.directory() / "zig"))
    environment.setdefault("ZIG_LOCAL_CACHE_DIR", str(cache.directory() / "zig"))
    environment["LC_ALL"] = "C"
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except OSError as problem:
        raise BackendError(f"the C compiler {command[0]} cannot be started: {problem}") from problem


def _shortened(message: str, lines: int = 40) -> str:
    kept = message.splitlines()
    if len(kept) > lines:
        kept = [*kept[:lines], f"... ({len(kept) - lines} lines more)"]
    return "\n".join(kept)
