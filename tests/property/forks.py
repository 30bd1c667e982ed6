"""Functions that run in a process of their own, which may crash or never end: a fork of one that has loaded hetad and
looked up its tables.  To do so for each of them takes as long as to differentiate a program.

Several calls may share a fork: on a GPU its context takes longer than most programs."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import hetad
from hetad import targets
from hetad.passes.manager import watched
from hetad.passes.watching import Verifying
from hetad.rules.signatures import signature

T = TypeVar("T")

_AS_C = """
__global__ void scale(double *y, const double *x, int n)
{
    __shared__ double tile[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.0;
    __syncthreads();
    for (int k = 0; k < 3; ++k)
        if (i < n)
            y[i] += sin(x[i]) * tile[3 - threadIdx.x] * y[i];
}
void run(double *y, const double *x, int n)
{
    double *copy;
    cudaMalloc(&copy, n * sizeof(double));
    cudaMemcpy(copy, x, n * sizeof(double), cudaMemcpyDefault);
    for (int step = 0; step < 2; ++step)
        scale<<<(n + 3) / 4, 4>>>(y, copy, n);
    cudaFree(copy);
}
"""
_AS_CPP = _AS_C.replace("__global__", "template <typename T> __global__").replace("scale<<<", "scale<double><<<")


class EndedError(Exception):
    """The process crashed, or did not end in time."""


def run(function: Callable[..., T], *arguments: Any, seconds: float, calls: int = 1) -> T:
    """What a function of a module gives for these arguments, in a process that serves at most so many calls.

    Raises:
        EndedError: it gives nothing.
    """
    server = _server()
    server.send((function, arguments, seconds, calls))
    try:
        found, ended = server.recv()
    except (EOFError, ConnectionError):
        _server.cache_clear()
        raise EndedError("the process of which all are forks has ended") from None
    if ended is not None:
        raise EndedError(ended)
    result: T = found
    return result


@functools.cache
def _server() -> Connection:
    # Spawned: a fork of this process, which may have threads of JAX, would hang.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=_serve, args=(there,), daemon=True).start()
    there.close()
    return here


def _serve(jobs: Connection) -> None:
    _warm_up()
    fork: _Fork | None = None
    while True:
        try:
            function, arguments, seconds, calls = jobs.recv()
        except EOFError:
            return
        if fork is not None and fork.calls >= calls:
            fork.end()
            fork = None
        if fork is None:
            fork = _Fork(jobs)
        found, ended = fork.call(function, arguments, seconds)
        if ended is not None:
            fork = None
        elif fork.calls >= calls:
            fork.end()
            fork = None
        jobs.send((found, ended))


class _Fork:
    """A process that makes calls, one after the other; `calls` of them up to now."""

    def __init__(self, jobs: Connection) -> None:
        self.calls = 0
        self.pipe, there = multiprocessing.Pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                jobs.close()
                self.pipe.close()
                with contextlib.suppress(EOFError):
                    while True:
                        function, arguments = there.recv()
                        there.send(function(*arguments))
            finally:
                os._exit(0)
        there.close()

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> tuple[Any, str | None]:
        """What the function gives, or how the process ended."""
        self.calls += 1
        self.pipe.send((function, arguments))
        if not self.pipe.poll(seconds):
            os.kill(self.process, signal.SIGKILL)
            self.end()
            return None, f"not done after {seconds} s"
        try:
            return self.pipe.recv(), None
        except (EOFError, ConnectionError):
            return None, f"the process ended with {self.end()}"

    def end(self) -> int:
        """How it ended; a signal is negative."""
        self.pipe.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def _warm_up() -> None:
    for text in (_AS_C, _AS_CPP):
        with watched(Verifying(signature)):
            function = hetad.loads(text)["run"]
            made = (
                hetad.gradient(function, wrt="x", of="y", backend="cpu"),
                hetad.jvp(function, wrt="x", of="y", backend="cpu"),
            )
            for derivative in (one.derivative for one in made):
                targets.cpu_source(derivative.program, derivative.entry)
    if importlib.util.find_spec("cupy") is not None:
        importlib.import_module("cupy")  # which leaves the driver alone: a fork cannot use a context of its parent's
    gc.freeze()
