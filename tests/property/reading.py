"""Reads a text as a program, and takes what it defines as far as differentiation does, in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

import hetad
from hetad import pipeline
from hetad.cli.check import examine
from hetad.diagnostics import HetadError, InternalError

SECONDS, BYTES = 10, 2 << 30
_WAIT = 40 * SECONDS  # of a clock on the wall, while others use the processor
_SPACE = 3 * BYTES  # of addresses, of which a stack for deep programs takes a gigabyte

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.property.reading"])


def read(text: str) -> None:
    """Every function to normal form, and the last of them to its derivative.

    Raises:
        HetadError: the text as a whole is refused; or a refusal is none: the error is hetad's own.
    """
    unit = hetad.loads(text).unit
    last = None
    for name in unit.functions:
        try:
            pipeline.normalized(pipeline.reach(unit, name))
            last = name
        except InternalError:
            raise
        except HetadError:
            pass
    for error in examine(unit, last).errors if last is not None else ():
        if isinstance(error, InternalError):
            raise error


def wrong(text: str, reads: Callable[[str], None] = read, seconds: int = SECONDS) -> str:
    """What went wrong, or nothing."""
    reading, writing = _PROCESSES.Pipe(duplex=False)
    child = _PROCESSES.Process(target=_report, args=(writing, text, reads, seconds))
    child.start()
    writing.close()
    ready = reading.poll(_WAIT)
    if not ready:
        child.kill()
    try:
        return reading.recv() if ready else f"not done after {_WAIT} s"
    except EOFError:
        child.join()
        return f"the process ended with {child.exitcode}; -24 is that it took more than {seconds} s"
    finally:
        reading.close()
        child.join()


def _report(to: Connection, text: str, reads: Callable[[str], None], seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_SPACE, _SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        reads(text)
    except InternalError:
        to.send(traceback.format_exc(limit=-4))
    except HetadError:
        to.send("")
    except BaseException:  # noqa: BLE001 whatever goes wrong is the outcome
        to.send(traceback.format_exc(limit=-4))
    else:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        to.send("" if used < BYTES else f"it took {used} bytes")
