"""A library that stands for NCCL: what does so on the CPU backend, with names that are found from outside."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from hetad.emit import support
from hetad.run import cuda_table, nccl
from hetad.run.executable import library
from hetad.targets.communication import INCLUDE
from hetad.targets.cpu.file import HEAD

# Of the runtime only this is asked for: devices, which NCCL counts as the driver does.
_RUNTIME = """
static const struct hetad_runtime *table;
static int device(int *count)
{
    return table->ordinal(table->device(count));
}
static int device_of(const void *p)
{
    const int found = table->device_of(p);
    return found < 0 ? found : table->ordinal(found);
}
static const struct hetad_runtime own = {.device = device, .device_of = device_of};
static const struct hetad_runtime *const hetad_rt = &own;
void fake_nccl_runtime(const struct hetad_runtime *given)
{
    table = given;
}
static void hetad_fail(const char *message)
{
    fprintf(stderr, "%s\\n", message);
    abort();
}
"""
_MISSING = {
    "mpi": "ncclResult_t ncclCommInitAll(ncclComm_t *c, int n, const int *d) { return ncclSystemError; }",
    "devices": "ncclResult_t ncclGetUniqueId(ncclUniqueId *id) { return ncclSystemError; }\n"
    "ncclResult_t ncclCommInitRank(ncclComm_t *c, int n, ncclUniqueId id, int r) { return ncclSystemError; }",
}


def built(of: Literal["mpi", "devices"]) -> ctypes.CDLL:
    """NCCL over ranks of MPI, or over the devices of a process; its memory is the host's."""
    text = support.read(f"nccl_on_{of}.c").replace("static ncclResult_t nccl", "ncclResult_t nccl")
    text = text.replace("static const char *nccl", "const char *nccl")
    parts = [
        INCLUDE if of == "mpi" else "", HEAD, support.read("cuda_types.h"), support.read("runtime.h"),
        support.read("nccl_types.h"), _RUNTIME, text, _MISSING[of],
    ]  # fmt: skip
    return library("\n".join(parts)).handle


class Calls:
    """The functions as programs get them: `streams` are those of all-reduces; `error` is what these return, if any,
    after so many calls."""

    def __init__(self, fake: ctypes.CDLL) -> None:
        fake.fake_nccl_runtime.argtypes = [ctypes.c_void_p]
        fake.fake_nccl_runtime(cuda_table.table().runtime)
        self.streams: list[Any] = []
        self.error = self.after = 0
        signature = [ctypes.c_void_p] * 2 + [ctypes.c_size_t] + [ctypes.c_int] * 2 + [ctypes.c_void_p] * 2
        reduce = ctypes.CFUNCTYPE(ctypes.c_int, *signature)(("ncclAllReduce", fake))

        def all_reduce(*arguments: Any) -> int:
            self.streams.append(arguments[-1])
            self.after -= 1
            return (self.error if self.after < 0 else 0) or int(reduce(*arguments))

        self._kept = ctypes.CFUNCTYPE(ctypes.c_int, *signature)(all_reduce)
        found = {name: ctypes.cast(getattr(fake, f"nccl{name}"), ctypes.c_void_p).value for name in nccl.NAMES}
        found["AllReduce"] = ctypes.cast(self._kept, ctypes.c_void_p).value
        self.functions = (ctypes.c_void_p * len(found))(*found.values())


@contextlib.contextmanager
def in_place_of_nccl(of: Literal["mpi", "devices"]) -> Iterator[Calls]:
    with pytest.MonkeyPatch.context() as patch:
        calls = Calls(built(of))
        patch.setattr(nccl, "functions", lambda: calls.functions)
        yield calls
