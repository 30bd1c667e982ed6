"""Starting Python on several ranks, with a time limit: a deadlock is a failure."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@functools.cache
def why_no_mpi() -> str:
    """Why programs cannot be run on several ranks here; "" if they can."""
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        return "mpi4py is not installed: pip install hetad[mpi]"
    return "" if _mpirun() is not None else "there is no mpirun"


def _mpirun() -> str | None:
    return shutil.which("mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


needs_mpi = pytest.mark.skipif(bool(why_no_mpi()), reason=why_no_mpi() or "-")


def on_ranks(count: int, *arguments: str, seconds: float = 240, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python ARGUMENTS` on so many ranks.

    Raises:
        TimeoutExpired: they are not done in time.
    """
    mpirun = _mpirun()
    assert mpirun is not None
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    settings = {**os.environ, "PYTHONPATH": paths, **environment}
    # Open MPI asks to be told that there are fewer processors, and that the user may be root.
    settings |= {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(
        [mpirun, "-n", str(count), sys.executable, *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT, env=settings, timeout=seconds, stdin=subprocess.DEVNULL,
    )  # fmt: skip
