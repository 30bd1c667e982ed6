"""The CUDA runtime table (hetad/run/cuda_table.c) over a driver made of host memory: no GPU is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetad.run import cuda, cuda_table
from hetad.run.executable import library

P, N, Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
FIELDS = {
    "device_malloc": (P, Z),
    "device_free": (N, P),
    "copy": (N, P, P, Z, N),
    "set": (N, P, N, Z),
    "launch": (N, N, P, P, Z, P, P),
    "synchronize": (N,),
    "last_error": (N,),
    "memory_info": (N, P, P),
    "copy_rows": (N, P, Z, P, Z, Z, Z, N),
    "set_rows": (N, P, Z, N, Z, Z),
    "attribute": (N, P, N, N),
    "managed_malloc": (P, Z),
    "set_device": (N, N),
    "device": (N, P),
    "device_of": (N, P),
    "peer": (N, N, N),
}
OUR_STREAM, THEIR_STREAM = 0x100, 0x200


class Table:
    """The table connected to the fake driver, with one module of one kernel."""

    def __init__(self) -> None:
        self.fake = library((Path(__file__).parent / "fake_cuda.c").read_text()).handle
        self.fake.fake_journal.restype = ctypes.c_char_p
        self.fake.fake_capacity.argtypes = (Z,)
        self.released: list[bool] = []
        code = library(cuda_table.table_source() + "// for tests: apart from the one that a GPU uses", libraries=())
        self.kept = cuda_table.connect(code, self.fake, lambda: self.released.append(True))
        pointers = ctypes.cast(code.function("hetad_cuda_runtime", P)(), ctypes.POINTER(P))
        for i, (name, (result, *arguments)) in enumerate(FIELDS.items()):
            setattr(self, name, ctypes.CFUNCTYPE(result, *arguments)(pointers[i]))
        self.prepare = code.function("hetad_cuda_prepare", N, N)
        self._enter = code.function("hetad_cuda_enter", N, P, N, P)
        self.leave = code.function("hetad_cuda_leave", N, N)
        self.message = code.function("hetad_cuda_message", ctypes.c_char_p)
        self.module = (
            (ctypes.c_void_p * 1)(ctypes.cast(self.fake.fake_kernel, P).value),
            (ctypes.c_char_p * 1)(b"ramp"),
            (Z * 1)(),
        )
        self.c_module = cuda_table.Module(1, *(ctypes.addressof(part) for part in self.module))
        assert self.prepare(0) == 0
        assert self.prepare(1) == 0

    def __getattr__(self, name: str) -> Any:  # the table's functions
        raise AttributeError(name)

    def enter(self, device: int = 0) -> None:
        self.fake.fake_fail(b"", 0)
        self.fake.fake_capacity(2**40)
        self.module[2][0] = 0
        assert self._enter(ctypes.addressof(self.c_module), device, OUR_STREAM) == 0
        self.journal()

    def journal(self) -> list[str]:
        lines = self.fake.fake_journal().decode().splitlines()
        return [line for line in lines if not line.startswith("cuFuncGet")]

    def start(
        self, grid: tuple[int, ...] = (2, 1, 1), block: tuple[int, ...] = (4, 1, 1), shared: int = 0, stream: int = 0
    ) -> tuple[int, list[int]]:
        out = (ctypes.c_int * 8)()
        args = (P * 1)(ctypes.addressof(cell := P(ctypes.addressof(out))))
        code = self.launch(0, (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), shared, stream, args)
        assert cell
        return code, list(out)


@pytest.fixture(scope="module")
def connected() -> Table:
    return Table()


@pytest.fixture
def table(connected: Table) -> Iterator[Table]:
    connected.enter()
    yield connected
    connected.leave(0)


def test_rows(table: Table) -> None:
    data, back = np.arange(12.0), np.zeros(6)
    p = table.device_malloc(96)
    assert table.copy_rows(p, 48, data.ctypes.data, 32, 24, 2, 1) == 0  # three numbers of each row of four
    assert table.set_rows(p + 8, 48, 0, 8, 2) == 0
    assert table.copy_rows(back.ctypes.data, 24, p, 48, 24, 2, 2) == 0
    assert back.tolist() == [0, 0, 2, 4, 0, 6]
    assert table.copy_rows(p, 48, p + 24, 48, 24, 2, 9) == 21
    assert table.last_error() == 21
    assert table.device_free(p) == 0
    assert [line for line in table.journal() if "2D" in line] == [
        "cuMemcpy2DAsync_v2 12", f"cuMemsetD2D8Async {OUR_STREAM}", "cuMemcpy2DAsync_v2 21",
    ]  # fmt: skip


def test_attributes(table: Table) -> None:
    value = ctypes.c_int()
    assert (table.attribute(ctypes.addressof(value), 4, 0), value.value) == (0, 64)
    assert table.attribute(ctypes.addressof(value), 12345, 0) != 0


@pytest.mark.parametrize("device", [0, 1])  # the second has no memory pools
def test_memory_goes_there_and_back(connected: Table, device: int) -> None:
    connected.enter(device)
    t, data, back = connected, np.arange(4.0), np.zeros(4)
    p, q = t.device_malloc(32), t.device_malloc(32)
    assert t.copy(p, data.ctypes.data, 32, 1) == 0
    assert t.copy(q, p, 32, 3) == 0
    assert t.set(p, 0, 16) == 0
    assert t.copy(back.ctypes.data, q, 32, 2) == 0
    assert back.tolist() == [0, 1, 2, 3]
    assert t.copy(back.ctypes.data, p, 16, 4) == 0
    assert back.tolist() == [0, 0, 2, 3]
    assert t.copy(back.ctypes.data, data.ctypes.data, 32, 0) == 0
    assert back.tolist() == [0, 1, 2, 3]
    assert (t.device_free(p), t.device_free(q), t.device_free(0)) == (0, 0, 0)
    allocated, freed = (
        ("cuMemAllocFromPoolAsync 32", "cuMemFreeAsync 256") if device == 0 else ("cuMemAlloc_v2 32", "cuMemFree_v2 0")
    )
    assert t.journal() == [
        allocated, allocated,
        "cuMemcpyHtoDAsync_v2 256", "cuStreamSynchronize 256",
        "cuMemcpyDtoDAsync_v2 256", "cuMemsetD8Async 256",
        "cuMemcpyDtoHAsync_v2 256", "cuStreamSynchronize 256",
        "cuMemcpyAsync 256", "cuStreamSynchronize 256",
        "cuStreamSynchronize 256",
        freed, freed,
    ]  # fmt: skip
    assert t.fake.fake_outstanding() == 0
    assert t.leave(0) == 0


def test_managed_memory_is_freed_as_such(table: Table) -> None:
    both, ours = table.managed_malloc(48), table.device_malloc(32)
    assert (table.device_free(ours), table.device_free(both)) == (0, 0)
    assert table.journal() == [
        "cuMemAllocManaged 48", "cuMemAllocFromPoolAsync 32",
        "cuMemFreeAsync 256", "cuCtxSynchronize 0", "cuMemFree_v2 0",
    ]  # fmt: skip
    table.fake.fake_fail(b"cuMemAllocManaged", 2)
    assert table.managed_malloc(48) is None
    assert table.last_error() == 2


def test_nothing_is_asked_of_the_driver_for_no_bytes(table: Table) -> None:
    assert (table.copy(0, 0, 0, 1), table.set(0, 0, 0)) == (0, 0)
    assert table.journal() == []


def test_a_kernel_runs_on_our_stream(table: Table) -> None:
    assert table.start() == (0, list(range(8)))
    assert table.start(shared=16)[1][0] == 16
    assert table.journal() == ["cuLaunchKernel 256"] * 2
    assert table.leave(1) == 0
    assert table.journal() == ["cuStreamSynchronize 256"]


def test_large_shared_memory_is_asked_for_once(table: Table) -> None:
    assert table.start(shared=47 * 1024)[0] == 0
    assert table.start(shared=64 * 1024)[0] == 0
    assert table.start(shared=60 * 1024)[0] == 0
    assert table.journal() == ["cuLaunchKernel 256", "cuFuncSetAttribute 65536", *["cuLaunchKernel 256"] * 2]


def test_shared_memory_beyond_the_device(table: Table) -> None:
    assert table.start(shared=100 * 1024) == (1, [0] * 8)
    assert table.leave(0) == 1
    sizes = b"103424 bytes of shared memory per block (1024 static, 102400 dynamic); the device has 102400"
    assert table.message() == b"kernel ramp needs " + sizes


@pytest.mark.parametrize(
    ("grid", "block", "why"),
    [
        ((1, 1, 1), (1025, 1, 1), b"the block is too large"),
        ((1, 1, 1), (1, 1, 65), b"the block is too large"),
        ((1, 1, 1), (32, 33, 1), b"more threads than the device allows"),
        ((1, 1, 1), (0, 1, 1), b"the block is empty"),
        ((1, 65536, 1), (1, 1, 1), b"the grid is too large"),
    ],
)
def test_a_launch_that_cuda_refuses(table: Table, grid: Any, block: Any, why: bytes) -> None:
    assert table.start(grid, block) == (9, [0] * 8)
    assert table.leave(0) == 9
    assert why in table.message()
    assert b"ramp<<<" in table.message()


def test_an_empty_grid_is_an_error_that_may_be_passed_over(table: Table) -> None:
    assert table.start(grid=(0, 1, 1)) == (9, [0] * 8)
    assert table.last_error() == 9
    assert table.last_error() == 0
    table.start(grid=(0, 1, 1))
    assert table.leave(0) == 0


def test_an_error_of_the_device_is_found_and_named(table: Table) -> None:
    table.fake.fake_fail(b"cuStreamSynchronize", 700)
    assert table.start()[0] == 0
    assert table.synchronize() == 700
    assert table.leave(0) == 700
    assert table.message() == b"waiting for the device: CUDA_ERROR_ILLEGAL_ADDRESS (what it means)"


def test_an_error_that_the_program_looked_at_is_its_own_affair(table: Table) -> None:
    table.fake.fake_fail(b"cuMemcpyDtoDAsync_v2", 1)
    assert table.copy(1, 1, 8, 3) == 1
    assert table.last_error() == 1
    assert table.leave(0) == 0


def test_no_memory_left(table: Table) -> None:
    table.fake.fake_capacity(100)
    table.released.clear()
    assert table.device_malloc(1000) is None
    assert table.released == [True]
    assert table.journal() == [
        "cuMemAllocFromPoolAsync 1000", "cuCtxSynchronize 0", "cuMemPoolTrimTo 0", "cuMemAllocFromPoolAsync 1000",
    ]  # fmt: skip
    assert table.leave(0) == 2
    assert b"allocating 1000 bytes of device memory: CUDA_ERROR_OUT_OF_MEMORY" in table.message()


def test_another_stream_is_kept_in_order_with_ours(table: Table) -> None:
    assert table.start(stream=THEIR_STREAM)[0] == 0
    assert table.journal() == ["cuStreamSynchronize 256", "cuLaunchKernel 512"]
    assert table.start(stream=OUR_STREAM)[0] == 0
    assert table.journal() == ["cuCtxSynchronize 0", "cuLaunchKernel 256"]
    out = np.zeros(1)
    table.copy(out.ctypes.data, out.ctypes.data, 8, 3)
    assert table.journal() == ["cuCtxSynchronize 0", "cuMemcpyDtoDAsync_v2 256"]
    assert table.leave(0) == 0
    assert table.journal() == ["cuCtxSynchronize 0"]


def test_entering_makes_the_device_current(connected: Table) -> None:
    connected.enter(0)
    connected._enter(ctypes.addressof(connected.c_module), 1, OUR_STREAM)
    assert connected.journal() == ["cuCtxSetCurrent 1"]
    connected._enter(ctypes.addressof(connected.c_module), 1, OUR_STREAM)
    assert connected.journal() == []


def test_a_driver_without_what_is_needed() -> None:
    code = library(cuda_table.table_source() + "// not connected", libraries=())
    with pytest.raises(Exception, match="too old: it has no cuGetErrorName"):
        cuda_table.connect(code, ctypes.CDLL(None), lambda: None)


def test_why_cuda_cannot_be_used() -> None:
    reason = cuda.unusable_reason()
    if reason is None:
        pytest.skip("CUDA can be used here")
    with pytest.raises(Exception, match=r"the CUDA backend cannot be used: .*backend='cpu' needs no GPU"):
        cuda.require()
