"""Programs for the CPU, as they are asked for: fast, checked, or checked where nothing proves that they need not be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hetad.diagnostics import BackendError
from hetad.run.cpu_executable import CpuExecutable
from hetad.run.executable import Executable, library, starts_afresh
from hetad.run.kept import kept
from hetad.targets.places import Places

if TYPE_CHECKING:
    from hetad.ir.nodes import Program
    from hetad.run.running import Running


def build(program: Program, entry: str, running: Running, parts: tuple[str, ...] | None = None) -> Executable:
    """Compile `program` for a call of its function `entry`.

    Args:
        program: closed, as the pipeline gives it.
        entry: the function to call.
        running: how many threads run the blocks of a grid; 0 for as many as there are processors; None for
            `$HETAD_CPU_THREADS`, or else one.  With more than one, sums in atomics have no fixed order.  And which
            accesses are checked for leaving their memory: all, none, or those of which nothing proves that they do not.
        parts: what tells the program apart in all processes, if anything does; its text is kept under that.

    Raises:
        BackendError: there is no C compiler, or it fails.
    """
    count = _threads(running.threads)
    mode = _mode()
    sweeps = mode not in ("fibers", "blocks")
    parallel = count > 1

    def made(places: Places | None) -> CpuExecutable:
        fibers = mode == "fibers" and places is None

        def printed() -> str:
            from hetad import targets

            options = targets.CpuOptions(fibers=fibers, parallel=parallel, sweeps=sweeps, checked=places)
            return targets.cpu_source(program, entry, options)

        told = "" if places is None else places.text
        text = kept(None if parts is None else (*parts, entry, "as C", mode, str(parallel), told), printed)
        needed = ("m", "pthread") if parallel else ("m",)
        code = library(text, libraries=needed, unloads=True, shared=starts_afresh(program, entry))
        threads = count if parallel and not fibers else None
        if places is None:
            return CpuExecutable(program.functions[entry], code, threads)
        from hetad.run.checked import CheckedExecutable

        return CheckedExecutable(program, program.functions[entry], code, threads)

    if running.checked or (running.checked is None and mode == "checked"):
        return made(Places())
    if running.checked is False or mode != "safe":
        return made(None)
    if not starts_afresh(program, entry):  # in one library, not in that of the last call that was like this one
        return made(Places())
    from hetad.run.adaptive import AdaptiveExecutable

    return AdaptiveExecutable(program.functions[entry], made)


def _mode() -> str:
    """`$HETAD_CPU_MODE`: `safe` (or empty), with those accesses checked that are not proven to stay within their
    memory; `regions`, with none; `checked`, with every one; and without checks `blocks`, which runs every kernel block
    by block as a GPU does, or `fibers`, the oracle for tests."""
    mode = os.environ.get("HETAD_CPU_MODE", "") or "safe"
    if mode not in ("regions", "blocks", "checked", "safe", "fibers"):
        raise BackendError(f"HETAD_CPU_MODE is {mode!r}: there are 'safe', 'regions', 'checked', 'blocks' and 'fibers'")
    return mode


def _threads(asked: int | None) -> int:
    given = os.environ.get("HETAD_CPU_THREADS", "") or "1" if asked is None else str(asked)
    if not given.isdecimal():
        name = "HETAD_CPU_THREADS" if asked is None else "cpu_threads"
        raise BackendError(f"{name} is {given!r}: give a number, 0 for as many as there are processors")
    if int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
