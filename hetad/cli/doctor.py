"""`hetad doctor`: what this machine has of what hetad can use, and what to do about the rest."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hetad.cli.findings import Finding
from hetad.cli.options import add_json

_MARKS = {"ok": "[green]ok[/]", "absent": "[yellow]absent[/]", "broken": "[bold red]broken[/]"}


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help="show what this machine has: C compiler, GPU, caches",
        description="Shows the C compiler, CUDA and the caches that hetad would use here, and why a GPU cannot be "
        "used.  Exit status 1 if no backend works.",
    )
    add_json(command)
    return command


def run(options: argparse.Namespace) -> int:
    from hetad.cli.console import print_json

    groups = examine()
    usable = {name: all(f.status == "ok" for f in findings) for name, findings in groups.items()}
    works = usable["CPU backend"] or usable["CUDA backend"]
    if options.json:
        listed = {name: [asdict(f) for f in findings] for name, findings in groups.items()}
        print_json({"works": works, "usable": usable, "findings": listed})
    else:
        _print(groups)
    return 0 if works else 1


def examine() -> dict[str, list[Finding]]:
    """All findings by group; a backend can be used if every finding of its group is ok, and hetad whatever it
    would work with."""
    from hetad.cli import versions

    return {
        "hetad": [_interpreter(), versions.needed(), _cache()],
        "works with": versions.beside(),
        "CPU backend": [_compiler()],
        "CUDA backend": _cuda(),
    }


# --- hetad itself ---------------------------------------------------------------------------------


def _interpreter() -> Finding:
    import platform
    import sys

    return Finding("Python", "ok", f"{platform.python_version()} ({sys.executable}) on {platform.machine()}")


def _cache() -> Finding:
    from hetad.run import cache, private

    wanted, used = cache.configured_directory(), cache.directory()
    if used != wanted and wanted.is_dir() and (problem := private.objection(wanted)) is not None:
        remedy = "set HETAD_CACHE_DIR to a directory of your own; until then every process compiles anew"
        return Finding("cache", "broken", f"{wanted} is not used: {problem}", remedy)
    if used != wanted:
        remedy = "set HETAD_CACHE_DIR to a directory that can be written; until then every process compiles anew"
        return Finding("cache", "broken", f"{wanted} cannot be written", remedy)
    sizes = [size for path in used.rglob("*") if (size := _size(path)) is not None]
    return Finding("cache", "ok", f"{used} ({len(sizes)} files, {sum(sizes) / 1e6:.1f} MB)")


def _size(path: Path) -> int | None:
    """The size of a file; None for a folder, and for what another process has removed meanwhile."""
    try:
        return path.stat().st_size if path.is_file() else None
    except FileNotFoundError:
        return None


# --- CPU ------------------------------------------------------------------------------------------


def _compiler() -> Finding:
    """Finds the C compiler and uses it."""
    import ctypes

    from hetad.diagnostics import BackendError
    from hetad.run import compiler

    try:
        found = compiler.find()
    except BackendError as error:
        return Finding("C compiler", "absent", "none found", error.told.removeprefix("no C compiler found: "))
    try:
        library = compiler.shared_library("#include <math.h>\ndouble hetad_doctor(double x) { return sqrt(x); }\n")
        function = ctypes.CDLL(str(library)).hetad_doctor
    except (BackendError, OSError) as error:
        return Finding("C compiler", "broken", f"{found} compiles nothing that runs here", str(error))
    function.restype, function.argtypes = ctypes.c_double, (ctypes.c_double,)
    if function(4.0) != 2.0:
        return Finding("C compiler", "broken", f"{found} compiles wrong code", compiler.HOW_TO_GET_ONE)
    return Finding("C compiler", "ok", str(found))


# --- CUDA -----------------------------------------------------------------------------------------


def _cuda() -> list[Finding]:
    driver = _driver()
    found = [_device(), _nvrtc(), *_libraries()] if driver.status == "ok" else []
    return [driver, _cupy(), *found]


def _driver() -> Finding:
    """The driver's library, asked without CuPy, so that a missing CuPy is told from a missing GPU."""
    import ctypes
    import sys

    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        remedy = (
            "there is no NVIDIA driver on this machine, or this container was started without it "
            "(docker run --gpus all); the CPU backend gives the same numbers"
        )
        return Finding("NVIDIA driver", "absent", "libcuda.so.1 cannot be loaded", remedy)
    status, count, number = cuda.cuInit(0), ctypes.c_int(0), ctypes.c_int(0)
    cuda.cuDriverGetVersion(ctypes.byref(number))
    supports = f"supports CUDA {number.value // 1000}.{number.value % 1000 // 10}"
    if status != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        remedy = "no GPU is visible; look at nvidia-smi and at CUDA_VISIBLE_DEVICES"
        return Finding("NVIDIA driver", "broken", f"{supports}, but cuInit answers {status}", remedy)
    return Finding("NVIDIA driver", "ok", f"{supports}; {count.value} GPU{'s' if count.value > 1 else ''}")


def _cupy() -> Finding:
    from importlib import metadata

    found = [d for d in metadata.distributions() if (d.metadata["Name"] or "").lower().startswith("cupy")]
    if not found:
        return Finding("CuPy", "absent", "not installed", "pip install cupy-cuda13x, or cupy-cuda12x for CUDA 12")
    names = ", ".join(f"{d.metadata['Name']} {d.version}" for d in found)
    if len(found) > 1:
        return Finding("CuPy", "broken", f"several at once: {names}", "pip uninstall all of them, then install one")
    return Finding("CuPy", "ok", names)


def _device() -> Finding:
    from hetad.run import cuda

    reason = cuda.unusable_reason()
    if reason is not None:
        return Finding("GPU", "broken", reason, "see nvidia-smi; CuPy must be of the driver's CUDA version or older")
    return Finding("GPU", "ok", cuda.device_description())


def _nvrtc() -> Finding:
    from hetad.run import cuda

    try:
        return Finding("NVRTC", "ok", cuda.compiler_description())
    except Exception as error:  # noqa: BLE001 - whatever CuPy raises is what the user must see
        return Finding("NVRTC", "broken", str(error), "pip install nvidia-cuda-nvrtc, or install the CUDA toolkit")


def _libraries() -> list[Finding]:
    """cuBLAS and cuFFT: without them programs that call them run as well, through kernels of hetad's own.  And NCCL,
    which only programs that call it need."""
    from hetad.run import cuda, cuda_routines, nccl

    findings = []
    for name in cuda_routines.LIBRARIES:
        topic = f"cu{name.removeprefix('cu').upper()}"
        found = cuda.library_description(name)
        remedy = f"pip install nvidia-{name} (for CUDA 12 nvidia-{name}-cu12), or install the CUDA toolkit"
        detail = found or "not found: kernels of hetad's own stand for its routines"
        findings.append(Finding(topic, "ok", detail, "" if found else remedy))
    library = nccl.find()
    detail = library._name if library is not None else "not found: programs that call NCCL do not run on GPUs"
    return [*findings, Finding("NCCL", "ok", detail, "" if library is not None else nccl.HOW_TO_GET_IT)]


def _print(groups: dict[str, list[Finding]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hetad.cli.console import out

    table = Table(title="hetad doctor", title_justify="left", title_style="bold", show_header=False)
    for name, findings in groups.items():
        table.add_row(f"[bold]{name}[/]", "", "")
        for finding in findings:
            table.add_row(f"  {finding.topic}", _MARKS[finding.status], escape(finding.detail))
            if finding.remedy:
                table.add_row("", "", f"[cyan]help:[/] {escape(finding.remedy)}")
        table.add_section()
    out().print(table)
