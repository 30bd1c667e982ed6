"""The C functions that generated host code calls, on the CPU: tape, snapshots, registry, copies."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad import targets
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import DOUBLE, FLOAT, INT, SIZE_T, STRING, VOID, Pointer, Type
from hetad.run import compiler, process

SPAN = Span("x.cu", 1, 1)
PARAMS: dict[str, Type] = {
    "p": Pointer(VOID), "q": Pointer(VOID), "out": Pointer(Pointer(VOID)), "kind": INT,
    **dict.fromkeys("nmwh", SIZE_T),
    "message": STRING, "f": Pointer(FLOAT), "g": Pointer(FLOAT), "d": Pointer(DOUBLE), "e": Pointer(DOUBLE),
}  # fmt: skip
CALLS = """
    begin() argument(p n kind) device_malloc(out n) device_zeros(out n) release(p) push(p n) pop(p n) save(p) restore(p)
    save_range(p n) restore_range(p n) copy_pullback_float(f g n kind) copy_pullback_double(d e n kind) clear(p n kind)
    read_scalar_float(f g) read_scalar_double(d e) require_disjoint(p q message) end() retire(p) revive(p)
    revive_zeros(p) rows_pullback_float(f n g m w h kind) rows_pullback_double(d n e m w h kind)
    clear_rows(p n w h kind) copy_kind(p q kind)
"""
# Those for which it is enough to know what was allocated.
OF_ALLOCATIONS = "begin() device_malloc(out n) device_zeros(out n) release(p) copy_pullback_double(d e n kind) end()"
# Every support function is called once through the table of a runtime that counts what device memory is alive.
HARNESS = """
static int live, mallocs;
static void *counted_malloc(size_t bytes) { ++live, ++mallocs; return malloc(bytes); }
static int counted_free(void *p) { --live; free(p); return 0; }
static struct hetad_runtime counted;
#define GUARD(call) do { int code = setjmp(hetad_entry); if (code == 0) { call; } return code; } while (0)
void t_setup(void)
{
    counted = *hetad_cpu_runtime();
    counted.device_malloc = counted_malloc, counted.device_free = counted_free;
    hetad_rt = &counted;
}
int t_live(void) { return live; }
int t_mallocs(void) { return mallocs; }
size_t t_registered(void) { return hetad_allocation_count; }
void *t_host_malloc(size_t n) { return hetad_host_malloc(n); }
void *t_host_zeros(size_t n) { return hetad_host_zeros(n); }
"""
OF_THE_TAPE = """
size_t t_tape_used(void) { return hetad_tape_used; }
size_t t_tape_room(void) { return hetad_tape_room; }
int t_known_kind(const void *p, const void *q, int kind) { return hetad_copy_kind(p, q, kind); }
"""


def everything(calls: str = CALLS) -> ir.Program:
    """A host function that calls these support functions."""
    symbols = {name: ir.Symbol(name, t, SPAN, "param") for name, t in PARAMS.items()}
    body: list[ir.Stmt] = []
    for text in " ".join(calls.split()).replace(") ", ")|").split("|"):
        name, _, args = text.rstrip(")").partition("(")
        body.append(ir.Call(f"hetad_{name}", tuple(ir.Var(symbols[a], span=SPAN) for a in args.split()), span=SPAN))
    for name in ("hetad_host_malloc", "hetad_host_zeros"):
        call = ir.Call(name, (ir.Var(symbols["n"], span=SPAN),), ir.Var(symbols["f"], span=SPAN), span=SPAN)
        body.append(call)
    return ir.Program({"all": ir.Function("all", "host", tuple(symbols.values()), VOID, tuple(body), SPAN)})


def wrappers(calls: str = CALLS) -> str:
    lines = []
    for text in " ".join(calls.split()).replace(") ", ")|").split("|"):
        name, _, args = text.rstrip(")").partition("(")
        types = {"f": "float *", "g": "float *", "d": "double *", "e": "double *", "n": "size_t ", "kind": "int "}
        types |= dict.fromkeys("mwh", "size_t ")
        types |= {"out": "void **", "message": "const char *"}
        params = ", ".join(types.get(a, "void *") + a for a in args.split()) or "void"
        lines.append(f"int t_{name}({params}) {{ GUARD(hetad_{name}({', '.join(args.split())})); }}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    code = compiled(targets.cpu_source(everything(), "all") + HARNESS + OF_THE_TAPE + wrappers())
    for name in ("t_tape_used", "t_tape_room"):
        getattr(code, name).restype = ctypes.c_size_t
    return code


def compiled(source: str) -> ctypes.CDLL:
    code = ctypes.CDLL(str(compiler.shared_library(source)))
    process.connect(code)
    for name in ("t_host_malloc", "t_host_zeros"):
        getattr(code, name).restype = ctypes.c_void_p
    code.t_registered.restype = ctypes.c_size_t
    code.hetad_message.restype = ctypes.c_char_p
    return code


@pytest.fixture(scope="module")
def with_ledger() -> ctypes.CDLL:
    source = targets.cpu_source(everything(OF_ALLOCATIONS), "all")
    assert "hetad_find" not in source
    return compiled(source + HARNESS + wrappers(OF_ALLOCATIONS))


@pytest.fixture
def c(library: ctypes.CDLL) -> Iterator[ctypes.CDLL]:
    library.t_setup()
    library.t_begin()
    live = library.t_live()
    yield library
    library.t_end()
    assert library.t_live() == live, "device memory is left"
    assert library.t_registered() == 0


def at(array: np.ndarray, index: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + index * array.itemsize)


def size(n: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(n)


def on_device(c: ctypes.CDLL, array: np.ndarray) -> np.ndarray:
    """A registered 'device' copy of an array."""
    pointer = ctypes.c_void_p()
    assert c.t_device_malloc(ctypes.byref(pointer), size(array.nbytes)) == 0
    assert pointer.value is not None
    kind = ctypes.c_double if array.dtype == np.float64 else ctypes.c_float
    view = np.ctypeslib.as_array((kind * array.size).from_address(pointer.value))
    view[:] = array
    return view


def message(c: ctypes.CDLL) -> str:
    text: bytes = c.hetad_message()
    return text.decode()


def test_the_tape_gives_values_back_last_to_first(c: ctypes.CDLL) -> None:
    for i in range(5000):
        assert c.t_push(ctypes.byref(ctypes.c_long(i)), size(8)) == 0
    value = ctypes.c_long()
    for i in reversed(range(5000)):
        assert c.t_pop(ctypes.byref(value), size(8)) == 0
        assert value.value == i
    assert c.t_pop(ctypes.byref(value), size(8)) == 1
    assert message(c) == "internal error: the tape is empty"


def test_a_snapshot_is_of_the_whole_allocation_whatever_the_offset(c: ctypes.CDLL) -> None:
    host, device = np.arange(10.0), on_device(c, np.arange(7.0))
    c.t_argument(at(host), size(host.nbytes), 0)
    for array in (host, device):
        before = array.copy()
        assert c.t_save(at(array, 3)) == 0
        array[:] = -1
        assert c.t_restore(at(array, 5)) == 0
        np.testing.assert_array_equal(array, before)
    assert c.t_tape_used() == 0


def test_snapshots_nest(c: ctypes.CDLL) -> None:
    device = on_device(c, np.zeros(4))
    for k in range(4):
        device[:] = k
        c.t_save(at(device))
        c.t_push(ctypes.byref(ctypes.c_int(k)), size(4))
    value = ctypes.c_int()
    for k in reversed(range(4)):
        c.t_pop(ctypes.byref(value), size(4))
        c.t_restore(at(device))
        assert value.value == k
        np.testing.assert_array_equal(device, np.full(4, k))


def test_a_range_is_restored_to_the_byte(c: ctypes.CDLL) -> None:
    stack, device = np.arange(6.0), on_device(c, np.arange(6.0))
    for array in (stack, device):
        assert c.t_save_range(at(array, 1), size(24)) == 0
        array[:] = -1
        assert c.t_restore_range(at(array, 1), size(24)) == 0
        np.testing.assert_array_equal(array, [-1, 1, 2, 3, -1, -1])
        c.t_save_range(at(array, 1), size(24))
        assert c.t_restore_range(at(array, 1), size(16)) == 1
        assert message(c) == "internal error: a snapshot of another length"


def test_snapshots_of_null_and_of_unknown_memory(c: ctypes.CDLL) -> None:
    assert c.t_save(None) == 0
    assert c.t_restore(None) == 0
    assert c.t_save(at(np.zeros(3))) == 1
    assert message(c).startswith("a pointer into unknown memory")


def test_a_snapshot_cannot_go_into_another_allocation(c: ctypes.CDLL) -> None:
    a, b = on_device(c, np.zeros(3)), on_device(c, np.zeros(3))
    c.t_save(at(a))
    assert c.t_restore(at(b)) == 1
    assert message(c) == "internal error: a snapshot of another allocation"


def test_a_loop_of_snapshots_allocates_once(c: ctypes.CDLL) -> None:
    a, b = on_device(c, np.zeros(8)), on_device(c, np.zeros(5))
    before = c.t_mallocs()
    for _ in range(100):
        c.t_save(at(a))
        c.t_save(at(b))
        c.t_restore(at(b))
        c.t_restore(at(a))
    assert c.t_mallocs() == before + 2


def test_repeated_calls_do_not_grow(c: ctypes.CDLL) -> None:
    host, live, room = np.zeros(100), c.t_live(), 0
    for call in range(10_000):
        c.t_begin()
        c.t_argument(at(host), size(host.nbytes), 0)
        pointer = ctypes.c_void_p()
        c.t_device_zeros(ctypes.byref(pointer), size(64))
        c.t_host_zeros(size(64))
        c.t_save(at(host, 50))
        c.t_save(pointer)
        c.t_end()
        room = room or c.t_tape_room()
        assert c.t_live() == live and c.t_registered() == 0 and c.t_tape_used() == 0, call
    assert c.t_tape_room() == room


def test_many_allocations_are_told_apart(c: ctypes.CDLL) -> None:
    arrays = [on_device(c, np.full(1 + i % 5, i, np.float64)) for i in range(60)]
    for i in (*range(60), *reversed(range(60))):
        c.t_save(at(arrays[i], arrays[i].size - 1))
        arrays[i][:] = -1
        c.t_restore(at(arrays[i]))
        assert (arrays[i] == i).all()
    for i in range(0, 60, 2):
        assert c.t_release(at(arrays[i])) == 0
    assert c.t_registered() == 30


def test_only_what_was_allocated_is_released(c: ctypes.CDLL) -> None:
    host = np.zeros(4)
    c.t_argument(at(host), size(32), 0)
    assert c.t_release(None) == 0
    assert c.t_release(at(host)) == 1
    assert message(c) == "the program frees memory that it did not allocate"
    assert c.t_release(ctypes.c_void_p(c.t_host_malloc(size(0)))) == 0


def test_the_kind_of_a_copy_whose_ends_are_known_as_it_runs(c: ctypes.CDLL) -> None:
    host, device = np.zeros(4), on_device(c, np.zeros(4))
    ends = {False: host, True: device}
    found = {(to, of): c.t_known_kind(at(ends[to], 2), at(ends[of]), 4) for to in ends for of in ends}
    assert found == {(False, False): 0, (True, False): 1, (False, True): 2, (True, True): 3}


def test_the_ledger_holds_what_was_allocated(with_ledger: ctypes.CDLL) -> None:
    c = with_ledger
    c.t_setup()
    c.t_begin()
    live = c.t_live()
    rng = np.random.default_rng(5)
    arrays = [on_device(c, np.full(1 + i % 5, i, np.float64)) for i in range(300)]
    host = c.t_host_malloc(size(24))
    assert c.t_registered() == 301
    for i in rng.permutation(300)[:150]:
        assert c.t_release(at(arrays[i])) == 0
        assert c.t_release(at(arrays[i])) == 1  # it is not there any more
        assert message(c) == "the program frees memory that it did not allocate"
    inside = next(a for a in arrays if a.size > 1)
    assert (c.t_release(at(inside, 1)), c.t_release(at(np.zeros(3))), c.t_release(None)) == (1, 1, 0)
    assert c.t_live() == live + 150
    assert c.t_release(ctypes.c_void_p(host)) == 0
    assert c.t_registered() == 150
    c.t_end()
    assert (c.t_live(), c.t_registered()) == (live, 0)


def test_freed_memory_is_reused_and_found_again(c: ctypes.CDLL) -> None:
    a, b = on_device(c, np.full(8, 1.0)), on_device(c, np.full(4, 2.0))
    mallocs, live = c.t_mallocs(), c.t_live()
    assert (c.t_retire(at(a)), c.t_retire(at(b))) == (0, 0)
    smaller = on_device(c, np.full(6, 3.0))
    other = on_device(c, np.full(4, 4.0))
    assert (c.t_mallocs(), c.t_live()) == (mallocs, live)  # nothing new
    assert smaller.ctypes.data == a.ctypes.data
    assert other.ctypes.data == b.ctypes.data
    larger = on_device(c, np.full(50, 5.0))
    assert c.t_mallocs() == mallocs + 1
    assert c.t_retire(at(smaller)) == 0
    # and now back
    assert c.t_revive(at(smaller)) == 0
    assert c.t_save(at(smaller, 2)) == 0
    smaller[:] = 0
    assert c.t_restore(at(smaller)) == 0
    assert smaller.tolist() == [3] * 6
    for array in (larger, other, smaller):
        assert c.t_release(at(array)) == 0
    assert c.t_live() == live + 1  # the snapshot's buffer
    assert c.t_revive_zeros(at(b)) == 0
    assert c.t_revive_zeros(at(a)) == 0
    assert (a.tolist(), b.tolist()) == ([0] * 8, [0] * 4)
    assert (c.t_release(at(b)), c.t_release(at(a))) == (0, 0)
    assert c.t_live() == live - 1
    assert c.t_retire(at(a)) == 1
    assert message(c) == "the program frees memory that it did not allocate"
    assert (c.t_retire(None), c.t_revive(None), c.t_revive_zeros(None)) == (0, 0, 0)


def test_freed_memory_is_given_back_at_the_end(c: ctypes.CDLL) -> None:
    live = c.t_live()
    for n in (3, 4, 900):
        assert c.t_retire(at(on_device(c, np.zeros(n)))) == 0
    c.t_end()
    assert c.t_live() == live


def test_the_pullback_of_a_copy_of_rows(c: ctypes.CDLL) -> None:
    adj_src = np.zeros((4, 5))
    for kind in (0, 3):
        seeds = np.arange(12.0).reshape(3, 4)
        adj_src[:] = 1
        ends = [on_device(c, x.ravel()) if kind else x.ravel() for x in (seeds, adj_src)]
        pitches = [seeds.strides[0], adj_src.strides[0]]
        arguments = (at(ends[0], 1), size(pitches[0]), at(ends[1], 2), size(pitches[1]), size(16), size(3), kind)
        assert c.t_rows_pullback_double(*arguments) == 0
        assert ends[0].reshape(3, 4).tolist() == [[0, 0, 0, 3], [4, 0, 0, 7], [8, 0, 0, 11]]
        expected = np.ones((4, 5))
        expected[:3, 2:4] += seeds.reshape(3, 4)[:, 1:3] if kind else np.arange(12.0).reshape(3, 4)[:, 1:3]
        assert ends[1].reshape(4, 5).tolist() == expected.tolist()
    assert c.t_rows_pullback_double(*arguments[:4], size(12), size(1), 3) == 1
    assert message(c) == "a copy of part of a number has no derivative"


def test_arguments_that_overlap_are_one_allocation(c: ctypes.CDLL) -> None:
    host = np.arange(10.0)
    c.t_argument(at(host, 2), size(32), 0)
    c.t_argument(at(host, 4), size(48), 0)
    c.t_argument(at(host, 4), size(8), 0)
    assert c.t_registered() == 1
    c.t_save(at(host, 9))
    host[:] = -1
    c.t_restore(at(host, 2))
    np.testing.assert_array_equal(host, [-1, -1, *range(2, 10)])
    assert c.t_require_disjoint(at(host, 2), at(host, 9), b"p and q share memory") == 1
    assert message(c) == "p and q share memory"


def test_adjacent_arguments_are_two_allocations(c: ctypes.CDLL) -> None:
    host = np.zeros(10)
    c.t_argument(at(host, 5), size(40), 0)
    c.t_argument(at(host), size(40), 0)
    assert c.t_registered() == 2
    assert c.t_require_disjoint(at(host), at(host, 5), b"") == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", range(5))
def test_the_pullback_of_a_copy(c: ctypes.CDLL, kind: int, dtype: type) -> None:
    rng = np.random.default_rng(kind)
    dst, src = rng.standard_normal(1000).astype(dtype), rng.standard_normal(1000).astype(dtype)
    adj_dst = on_device(c, dst) if kind in (1, 3, 4) else dst.copy()
    adj_src = on_device(c, src) if kind in (2, 3, 4) else src.copy()
    pullback = c.t_copy_pullback_float if dtype is np.float32 else c.t_copy_pullback_double
    n = 600
    known = c.t_known_kind(at(adj_dst, 5), at(adj_src, 7), kind)
    assert known == (3 if kind == 4 else kind)
    assert pullback(at(adj_dst, 5), at(adj_src, 7), size(n * adj_dst.itemsize), known) == 0
    dst_after, src_after = dst.copy(), src.copy()
    src_after[7 : 7 + n] += dst[5 : 5 + n]
    dst_after[5 : 5 + n] = 0
    np.testing.assert_array_equal(adj_src, src_after)
    np.testing.assert_array_equal(adj_dst, dst_after)


def test_a_copy_without_an_adjoint_on_one_side(c: ctypes.CDLL) -> None:
    adj = np.ones(4)
    assert c.t_copy_pullback_double(at(adj), None, size(16), 0) == 0
    np.testing.assert_array_equal(adj, [0, 0, 1, 1])
    assert c.t_copy_pullback_double(None, at(adj), size(16), 0) == 0
    np.testing.assert_array_equal(adj, [0, 0, 1, 1])


def test_copies_that_have_no_derivative(c: ctypes.CDLL) -> None:
    adj = np.ones(8)
    assert c.t_copy_pullback_double(at(adj), at(adj, 1), size(16), 0) == 1
    assert "overlap" in message(c)
    assert c.t_copy_pullback_double(at(adj), at(adj, 4), size(12), 0) == 1
    assert message(c) == "a copy of part of a number has no derivative"


def test_scalars_and_clearing(c: ctypes.CDLL) -> None:
    cell, total = on_device(c, np.array([2.5])), np.array([1.0])
    assert c.t_read_scalar_double(at(total), at(cell)) == 0
    assert (total[0], cell[0]) == (3.5, 0.0)
    host = np.ones(4)
    cell[:] = 3
    c.t_clear(at(host, 1), size(16), 0)
    c.t_clear(at(cell), size(8), 1)
    c.t_clear(None, size(8), 0)
    np.testing.assert_array_equal(host, [1, 0, 0, 1])
    assert cell[0] == 0


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_nvcc_compiles_every_support_function(tmp_path: Path) -> None:
    file = tmp_path / "support.cu"
    file.write_text(targets.cuda_file(everything(), "all"))
    output = str(tmp_path / "support.o")
    subprocess.run(["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-c", str(file), "-o", output], check=True)


def test_what_schedules_answer_is_declared_in_front_of_the_text() -> None:
    """An enumeration is no function that could be declared: it stands there itself, and alone."""
    march = hetad.loads(
        "__global__ void step(double *u) { u[threadIdx.x] *= u[threadIdx.x]; }\n"
        "void march(double *u, int steps) { for (int t = 0; t < steps; ++t) step<<<1, 32>>>(u); }\n"
    )["march"]
    text = hetad.gradient(march, wrt="u", of="u", backend="cpu", memory_limit="1MB").source
    behind = text.index("static void hetad_next(int *what, size_t *at, size_t *until)\n{")
    assert text.index("enum hetad_what_next {") < text.index("march_grad(") < behind
