"""What compiled programs do to files, counted: a signal is sent in front of the operation that one names.

Programs that are linked while they are `watched` call a library of ours in place of these functions of C's.
"""

from __future__ import annotations

import ctypes
import functools
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hetad.run import compiler

WATCHED = ("fopen", "fsync", "rename", "remove")
SOURCE = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static long passed, last;
static int number;
void watch(long operations, int signal_number)
{
    last = operations;
    number = signal_number;
    passed = 0;
}
long so_far(void) { return passed; }
static void pass(void)
{
    if (++passed == last) kill(getpid(), number);
}
FILE *__wrap_fopen(const char *path, const char *mode) { pass(); return fopen(path, mode); }
int __wrap_fsync(int file) { pass(); return 0; }  // what a process has written outlives it
int __wrap_rename(const char *from, const char *to) { pass(); return rename(from, to); }
int __wrap_remove(const char *path) { pass(); return remove(path); }
"""


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(compiler.shared_library(SOURCE)), mode=ctypes.RTLD_GLOBAL)
    library.watch.argtypes = (ctypes.c_long, ctypes.c_int)
    library.watch.restype = None
    library.so_far.restype = ctypes.c_long
    return library


@contextmanager
def watched() -> Iterator[None]:
    """Gradients that are run for the first time in here."""
    _library()
    with pytest.MonkeyPatch.context() as patch:
        wrapped = (f"-Wl,--wrap={name}" for name in WATCHED)
        patch.setattr(compiler, "LINKER_FLAGS", ("-Wl,-Bsymbolic", *wrapped))  # `defs` would ask for what they are now
        yield


def send(number: signal.Signals, at: int) -> None:
    """This process gets the signal in front of its operation AT, counted from 1 and from now on; 0: never."""
    _library().watch(at, number)


def so_far() -> int:
    """How many operations there have been since `send`."""
    return int(_library().so_far())
