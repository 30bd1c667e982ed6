"""`hetad doctor`: versions of what hetad needs, and of the libraries that it works with where they are installed."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

from hetad.cli.findings import Finding

NEEDED = (
    "numpy", "pycparser", "pcpp", "libclang", "islpy", "networkx", "checkpoint-schedules", "rich", "pygments",
)  # fmt: skip
# What stands on one line, and what for: the first one is what the line is about.
_BESIDE = (
    ("PyTorch", ("torch",), "hetad.torch"),
    ("JAX", ("jax", "jaxlib"), "hetad.jax"),
    ("SciPy", ("scipy",), "hetad.scipy"),
    ("MPI", ("mpi4py",), "programs that call MPI"),
    ("Matplotlib", ("matplotlib",), "plots"),
)
_REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[[^\]]*\])?\s*>=\s*([\d.]+)")


def needed() -> Finding:
    """All that is always there."""
    from hetad import __version__

    found = {name: version for name in (*NEEDED, "ziglang") if (version := _installed(name))}
    return Finding("versions", "ok", ", ".join(f"{n} {v}" for n, v in {"hetad": __version__, **found}.items()))


def beside() -> list[Finding]:
    """What an adapter or an option needs; where it is absent all else works."""
    return [_mpi() if first == "MPI" else _library(first, names, use) for first, names, use in _BESIDE]


def _library(topic: str, names: tuple[str, ...], use: str) -> Finding:
    versions = {name: version for name in names if (version := _installed(name))}
    least = _least(names[0])
    wanted = f"pip install '{names[0]}>={least}'" if least else f"pip install {names[0]}"
    if names[0] not in versions:
        return Finding(topic, "absent", f"not installed: {use}", wanted)
    detail = ", ".join(f"{name} {version}" for name, version in versions.items())
    if least and _numbers(versions[names[0]]) < _numbers(least):
        return Finding(topic, "broken", f"{detail} is too old", wanted)
    return Finding(topic, "ok", detail)


def _mpi() -> Finding:
    """mpi4py is asked in a process of its own: loading it begins MPI."""
    from hetad.run import mpi

    found = _library("MPI", ("mpi4py",), "programs that call MPI")
    if found.status != "ok":
        return found
    asked = subprocess.run(
        [sys.executable, "-m", "mpi4py", "--mpi-lib-version"], capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        last = (asked.stderr.strip().splitlines() or ["mpi4py cannot be loaded"])[-1]
        return Finding("MPI", "broken", f"{found.detail}: {last}", "pip install mpich, or install an MPI library")
    library = " ".join(asked.stdout.strip("\0 \n").splitlines()[0].replace("Version:", "").split())
    wrapper = mpi.wrapper()
    if wrapper is None:
        return Finding("MPI", "broken", f"{found.detail}, {library}, no mpicc", "pip install mpich, or set HETAD_MPICC")
    return Finding("MPI", "ok", f"{found.detail}, {library}, {wrapper}")


def _least(name: str) -> str | None:
    """The version that hetad's own metadata asks for."""
    try:
        lines = metadata.requires("hetad") or []
    except metadata.PackageNotFoundError:  # run from its source
        return None
    found = (match for line in lines if (match := _REQUIREMENT.match(line)) and match[1] == name)
    return next((match[2] for match in found), None)


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """`2.13.0+cpu` as (2, 13, 0)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
