"""Run as a process of its own: a gradient that can be gone on with, in processes that end at its file operations.

    python -m tests.host.killed PROGRAM DIRECTORY TIMES

That often, a child of this process is killed in front of an operation of the call, a second one while it goes on,
and a third has to come to the same bits.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hetad
from hetad.run import compiler
from tests.host.file_operations import send, so_far, watched
from tests.host.resumed import PROGRAMS


def move_memory(rng: random.Random) -> None:
    """What is allocated from here on lies at other addresses than in the process that this one is a copy of."""
    allocate = ctypes.CDLL(None).malloc
    allocate.argtypes, allocate.restype = (ctypes.c_size_t,), ctypes.c_void_p
    for size in (16, 24, 40, 72, 136, 264, 520, 1032, 2056, 5000, 10_000, 200_000, 2_000_000):
        for _ in range(rng.randint(1, 40)):
            allocate(size)


def in_a_child(run: Callable[[], None]) -> int:
    """How a child that runs this ended: its exit status, or the signal as a negative number."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run()
            status = 0
        except BaseException:  # noqa: BLE001 - the child ends here
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    name, directory, times = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    compiler.FLAGS = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
    source, function, what, args, seeds, limits = PROGRAMS[name]()
    program = hetad.loads(source)[function]
    wanted = hetad.gradient(program, **what, backend="cpu", **limits)(*args, **seeds)
    gradient = hetad.gradient(program, **what, backend="cpu", **limits, checkpoint_dir=directory, resume=0)
    rng = random.Random(name)

    def run(dies_at: int) -> None:
        move_memory(random.Random(os.getpid()))
        send(signal.SIGKILL, dies_at)
        found = gradient(*args, **seeds)
        for x in gradient.wrt:
            np.testing.assert_array_equal(found[x], wanted[x])
        assert list(directory.iterdir()) == []

    with watched():
        run(0)
        operations = so_far()
        for first in rng.sample(range(1, operations + 1), min(times, operations)):
            assert in_a_child(lambda at=first: run(at)) == -signal.SIGKILL
            second = rng.randint(1, operations)
            ended = in_a_child(lambda at=second: run(at))
            assert ended in (0, -signal.SIGKILL), (first, second)
            assert ended == 0 or in_a_child(lambda: run(0)) == 0, (first, second)


if __name__ == "__main__":
    main()
