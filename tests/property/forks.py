"""Functions that run in a process of their own, which may crash or never end: a fork of one that has loaded hetad and
looked up its tables.  To do so for each of them takes as long as to differentiate a program."""

from __future__ import annotations

import functools
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import hetad
from hetad import targets
from hetad.passes.manager import watch_always
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


def run(function: Callable[..., T], *arguments: Any, seconds: float) -> T:
    """What a function of a module gives for these arguments.

    Raises:
        EndedError: it gives nothing.
    """
    server = _server()
    server.send((function, arguments, seconds))
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
    while True:
        try:
            function, arguments, seconds = jobs.recv()
        except EOFError:
            return
        jobs.send(_in_fork(jobs, function, arguments, seconds))


def _in_fork(
    jobs: Connection, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float
) -> tuple[Any, str | None]:
    """What the function gives, or how its process ended."""
    reading, writing = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            jobs.close()
            reading.close()
            writing.send(function(*arguments))
        finally:
            os._exit(0)
    writing.close()
    late = not reading.poll(seconds)
    if late:
        os.kill(child, signal.SIGKILL)
    try:
        return (None, f"not done after {seconds} s") if late else (reading.recv(), None)
    except EOFError:
        pass
    finally:
        reading.close()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return None, f"the process ended with {status}"


def _warm_up() -> None:
    watch_always(Verifying(signature))
    for text in (_AS_C, _AS_CPP):
        function = hetad.loads(text)["run"]
        made = (
            hetad.gradient(function, wrt="x", of="y", backend="cpu"),
            hetad.jvp(function, wrt="x", of="y", backend="cpu"),
        )
        for derivative in (one.derivative for one in made):
            targets.cpu_source(derivative.program, derivative.entry)
    gc.freeze()
