"""CUDA text of kernels without barriers, compiled as C++ for the host: checked kernels run as they are emitted."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMPILER = shutil.which("c++") or shutil.which("g++")
_SHIM = Path(__file__).parent / "kernels_on_host.hpp"
_FOLDER = tempfile.TemporaryDirectory()


def compiled(source: str) -> ctypes.CDLL:
    """The library of device code that hetad has emitted, with `launch_NAME(grid, block, args)` for each kernel."""
    text = source.replace('asm volatile("exit;");', "leave_thread();")
    text = re.sub(r'asm\((?:[^()"]|"[^"]*"|\([^()]*\))*\);', "", text)  # sizes and addresses of shared memory
    kernels = re.findall(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(', text)
    launches = [
        f'extern "C" int launch_{k}(const unsigned *grid, const unsigned *block, void **args)'
        f"\n{{\n    return run({k}, grid, block, args);\n}}"
        for k in kernels
    ]
    stem = Path(_FOLDER.name) / hashlib.sha256(text.encode()).hexdigest()[:20]
    cpp, library = stem.with_suffix(".cpp"), stem.with_suffix(".so")
    cpp.write_text("\n".join((_SHIM.read_text(), text, *launches, "")))
    command = [str(COMPILER), "-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-o", str(library), str(cpp)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return ctypes.CDLL(str(library))


def launcher(code: ctypes.CDLL, name: str) -> Callable[..., int]:
    """Runs a kernel as the driver of tests asks for it."""
    run: Any = code[f"launch_{name}"]
    run.argtypes = [ctypes.c_void_p] * 3

    def launch(_number: int, grid: int, block: int, _shared: int, _stream: Any, args: int) -> int:
        return int(run(grid, block, args))

    return launch
