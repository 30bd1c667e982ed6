"""Headers that gcc reads once.  Of the time it takes for a file without optimisation, a third would go into them, and
more in C++."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hetad.diagnostics import BackendError
from hetad.run import compiler
from hetad.targets.cpu.file import HEAD


def included(command: Sequence[str], text: str, language: str = "c") -> tuple[str, ...]:
    """Flags with which `command`, a compiler and its flags, has read `text` before the file; none if it is no gcc.

    gcc takes what is made here where all other flags are the same, and reads the text elsewhere."""
    return ("-include", str(_header(tuple(command), text, language))) if _is_gcc(command[0]) else ()


def without_optimisation() -> tuple[str, ...]:
    """hetad's flags for the C compiler, without its optimisations; headers that all files include are read already."""
    flags = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
    try:
        found = compiler.find()
    except BackendError:
        return flags
    return (*flags, *included((*found.command, *flags, *found.extra_flags), HEAD))


@functools.cache
def _is_gcc(program: str) -> bool:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return "Free Software Foundation" in done.stdout


@functools.cache
def _header(command: tuple[str, ...], text: str, language: str) -> Path:
    """Found by all processes, and whole or absent."""
    name = hashlib.sha256(repr((command, text, language)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"hetad-headers-{os.getuid()}" / name
    header = folder / "precompiled.h"
    if not header.exists():
        folder.parent.mkdir(exist_ok=True, mode=0o700)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        source = made / header.name
        source.write_text(text, encoding="utf-8")
        subprocess.run([*command, "-x", f"{language}-header", str(source), "-o", f"{source}.gch"], check=True)
        try:
            made.rename(folder)
        except OSError:  # another process has made it meanwhile
            shutil.rmtree(made)
    return header
