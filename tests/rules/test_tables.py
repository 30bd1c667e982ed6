"""Rows of the table of callees against the prototypes, the C library and CUDA that they speak of."""

from __future__ import annotations

import math

import pytest

from hetad.ir.types import DOUBLE, FLOAT, INT, UINT, Float, Pointer
from hetad.memops.table import TABLE
from hetad.rules import (
    callees,
    communication,
    expanded,
    inactive,
    operations,
    operators,
    records,
    refused,
    routines,
    row,
    streams,
)
from hetad.rules.callee import ALL, Adds, Means, Restored
from hetad.rules.math import refusal
from hetad.rules.operation import Act, Operation
from hetad.rules.signatures import signature
from hetad.rules.user import UserRule


@pytest.mark.parametrize("name", [name for name, x in vars(records).items() if isinstance(x, Act)])
def test_records_read_and_write_what_their_types_allow(name: str) -> None:
    """What is put aside or added to is both; what is const is read alone; what is recalled, written alone."""
    act = getattr(records, name)
    for found in act.rows.values():
        assert found.params is not None
        pointers = {i for i, t in enumerate(found.params) if isinstance(t, Pointer)}
        constant = {i for i in pointers if isinstance(found.params[i], Pointer) and found.params[i].const}
        both = pointers if name.startswith(("put_aside", "recall_sum")) else set()
        assert set(found.reads) == constant | both
        assert set(found.writes) == pointers - constant
        numbers = {t.to for t in found.params if isinstance(t, Pointer)} & {FLOAT, DOUBLE}
        assert bool(numbers) == name.startswith("recall_sum")
    assert set(act.rows) == ({FLOAT, DOUBLE} if name.startswith("recall_sum") else {FLOAT})


def test_a_record_is_kept_and_recalled_by_its_like() -> None:
    for kinds in (records.KEPT, records.RECALLED):
        for one, other in kinds.items():
            extent = one.name.removeprefix("hetad_").partition("_")[2]
            assert all(extent in r.name for r in other.rows.values())
            assert ("range" in extent) == any("range" in r.name for r in other.rows.values())


def test_operations_read_what_they_are_given_pointers_to_const() -> None:
    """And nothing that is no pointer."""
    for name, operation in vars(operations).items():
        for found in operation.rows.values() if isinstance(operation, Operation) else ():
            for at in (*found.reads, *found.writes) if found.params is not None else ():
                assert isinstance(found.params[at], Pointer), name
    assert set(operations.pointer_at.rows[FLOAT].reads) == {0}


def test_an_operation_that_means_another_takes_as_much() -> None:
    for name, found in callees.table().items():
        if isinstance(found.pullback, Means):
            meant = callees.find(found.pullback.function)
            assert meant.kind != "unknown", name
    assert operations.symbol_address.rows[FLOAT].pullback == Means("cudaGetSymbolAddress")
    assert operations.restore.rows[FLOAT].pullback == Means("hetad_recall")


def test_memory_operations_say_what_they_do() -> None:
    table = callees.table()
    assert [name for name, x in table.items() if x.operation is not None and x.stops] == [
        name for name, x in TABLE.items() if x.action == "exit"
    ]
    assert table["cudaMemset"].kind == table["cudaMemcpy"].kind == table["cudaMalloc"].kind == "memory"
    for name, found in TABLE.items():
        assert table[name].changes == found.positions("record")
        assert found.positions("src", "text", "updated") <= set(table[name].reads), name
        assert found.positions("dst", "updated") <= set(table[name].writes), name
    assert any(x.changes for x in table.values())


@pytest.mark.parametrize("name", inactive.CLASSIFICATION)
def test_classifications_are_mathematics(name: str) -> None:
    assert callees.kind(name) == "mathematics"


def test_what_is_sent_has_a_tangent() -> None:
    sends = {"MPI_Send", "MPI_Isend", "MPI_Issend", "MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init"}
    assert {name for name in communication.TANGENTS if "end" in name} >= sends
    assert set(communication.TANGENTS) <= set(TABLE)


def test_started_operations_have_something_before_and_behind() -> None:
    for name, at_once in communication.STARTED.items():
        rule, plain = communication.RULES[name], communication.RULES[at_once]
        assert (rule.extent, rule.of) == (plain.extent, plain.of)
        assert rule.before is not None, name
        assert rule.behind is not None, name
        assert rule.adjoint.startswith("hetad_mpi_"), name
        assert rule.adjoint.endswith("_adjoint"), name


def test_what_is_noted_of_a_persistent_request_adds_nothing() -> None:
    for name in ("MPI_Send_init", "MPI_Recv_init"):
        (found,) = communication.RULES[name].behind.rows.values()
        assert {"adds nothing", "may fail for want of memory", "remembers addresses"} == found.traits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("real floor(real x)", [("floor", (DOUBLE,), DOUBLE), ("floorf", (FLOAT,), FLOAT)]),
        ("int ilogb(real x)", [("ilogb", (DOUBLE,), INT), ("ilogbf", (FLOAT,), INT)]),
        ("int f(int n, real x)", [("f", (INT, DOUBLE), INT), ("ff", (INT, FLOAT), INT)]),
        ("double f(int n)", [("f", (INT,), DOUBLE)]),
        ("float f(int n, const float *p)", [("f", (INT, Pointer(FLOAT, const=True)), FLOAT)]),
    ],
)
def test_prototypes_of_real_have_a_float_twin(text: str, expected: list[tuple[object, ...]]) -> None:
    assert [(p.name, p.params, p.returns) for p in inactive.prototypes(text)] == expected


def test_inactive_functions_and_norms_are_known_by_their_types() -> None:
    known = inactive.table()
    assert known["floorf"].params == (FLOAT,)
    assert known["__float2int_rn"].returns == INT
    assert set(expanded.table()) == {"norm", "normf", "rnorm", "rnormf"}
    assert expanded.table()["normf"].params == (INT, Pointer(FLOAT, const=True))


def test_pointers_to_const_are_no_outputs() -> None:
    whole, given, out = row.parse_params("int n, const double *p, real *out", FLOAT)
    assert [whole.output, given.output, out.output] == [False, False, True]
    assert (given.type, out.type) == (Pointer(DOUBLE, const=True), FLOAT)


def test_constants_are_the_headers() -> None:
    assert row.CONSTANTS["M_LOG2E"] == pytest.approx(math.log2(math.e))
    assert row.CONSTANTS["M_LOG10E"] == pytest.approx(math.log10(math.e))


def test_refused_functions_say_why_and_unless() -> None:
    for name, found in refused.table().items():
        assert found.prototype.name == name
        assert found.reason
        given = {type_ for type_ in found.prototype.params if isinstance(type_, Float)}
        assert (found.unless == "inactive") == bool(given), name  # what is an integer may be bits
        assert found.unless in ("inactive", "constant")
        assert refusal(name) is not None


def test_signatures_of_what_threads_do_together() -> None:
    for name, kinds in {
        "__shfl_sync": (UINT, None, INT, INT), "__reduce_add_sync": (UINT, None), "__all_sync": (UINT, None),
    }.items():  # fmt: skip
        found = signature(name)
        assert found is not None
        assert (found.params[0], found.params[-1] if name == "__shfl_sync" else None) == (UINT, kinds[-1]), name
    known = signature("atomicAdd")
    assert known is not None
    assert known.params == (None, None)


def test_atomics_have_three_scopes_and_reductions_are_restored() -> None:
    table = callees.table()
    atomics = {name for name, found in table.items() if found.kind == "atomic" and found.operation is None}
    plain = {name for name in atomics if "_" not in name}
    assert len(plain) == 11
    assert atomics == {f"{name}{scope}" for name in plain for scope in ("", "_block", "_system")}
    assert table["atomicSub_block"].pullback == Adds(-1)
    for name in ("add", "min", "max"):
        found = table[f"__reduce_{name}_sync"]
        assert (found.kind, found.name, found.pullback) == ("reduction", f"__reduce_{name}_sync", Restored())


def test_formatted_input_is_written_through_all_that_is_behind_the_format() -> None:
    rows = {found.name: found for found in streams.ROWS}
    for name, first in {"scanf": 1, "fscanf": 2, "sscanf": 2}.items():
        assert 0 not in rows[name].writes
        assert all((at in rows[name].writes) == (at >= first) for at in range(30))
        assert rows[name].once == (name != "sscanf")
    assert set(rows["sprintf"].writes) == {0}
    for name, found in rows.items():
        assert found.variadic == (name.endswith(("printf", "scanf"))), name
        assert found.reads == ALL


def test_operators_speak_of_their_own_operands() -> None:
    for form, found in operators.ROWS.items():
        assert all(name in form for name in found.operands), form
        assert {x.lstrip("-") for x in found.numerators} <= {"1", "r", *found.operands}
        assert found.divisor in ("", *found.operands)


BLAS = {
    "axpy": "n alpha x incx y incy", "scal": "n alpha x incx", "copy": "n x incx y incy", "swap": "n x incx y incy",
    "dot": "n x incx y incy result", "nrm2": "n x incx result", "asum": "n x incx result",
    "gemv": "trans m n alpha A lda x incx beta y incy", "ger": "m n alpha x incx y incy A lda",
    "gemm": "transa transb m n k alpha A lda B ldb beta C ldc",
    "gemm_batch": "transa transb m n k alpha A lda strideA B ldb strideB beta C ldc strideC batchCount",
}  # fmt: skip


@pytest.mark.parametrize("name", BLAS)
@pytest.mark.parametrize(("real", "letter"), [("float", "S"), ("double", "D")])
def test_routines_are_called_with_what_cublas_declares(name: str, real: str, letter: str) -> None:
    kinds = {"trans": "o", "transa": "o", "transb": "o", "alpha": "b", "beta": "b"}
    found = routines.ROUTINES[f"blas_{real}_{name}"]
    # A handle comes first; a routine is given its arguments as values, operations, or numbers that lie on either side.
    assert found.arguments == "v" + "".join(kinds.get(x, "v") for x in BLAS[name].split())
    assert found.name.startswith(f"cublas{letter}")
    assert found.on_device == name.endswith(("dot", "nrm2", "asum"))
    beside = routines.ROUTINES.get(f"blas_{real}_{name}_at")
    assert (beside is not None) == ("b" in found.arguments)
    if beside is not None:
        assert beside.on_device
        assert "b" not in beside.arguments


def test_fourier_transforms_have_a_routine_for_each_pair_of_types() -> None:
    found = {name: r for name, r in routines.ROUTINES.items() if name.startswith("fft")}
    assert {name: (r.name, r.form, r.plan) for name, r in found.items()} == {
        f"fft_{real}_{long}": (f"cufftExec{long}", form, f"CUFFT_{long}")
        for real, names in {"float": ("C2C", "R2C", "C2R"), "double": ("Z2Z", "D2Z", "Z2D")}.items()
        for long, form in zip(names, ("c2c", "r2c", "c2r"), strict=True)
    }
    assert not any(r.on_device for r in found.values())


def test_rules_of_users_are_told_apart_by_all_that_they_say() -> None:
    keys = {
        rule.key for rule in (
            UserRule("f"), UserRule("g"), UserRule("f", {"x": "1"}), UserRule("f", {"x": "2"}),
            UserRule("f", {"y": "1"}), UserRule("f", pullback="p"),
        )
    }  # fmt: skip
    assert len(keys) == 6
    assert UserRule("f", {"x": "1", "y": "2"}).key == UserRule("f", {"y": "2", "x": "1"}).key
