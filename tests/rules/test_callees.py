"""The table of callees: one row for a function, and rows that agree with what they speak of."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import hetad
from hetad.diagnostics import Span
from hetad.emit import support
from hetad.emit.calls import c_name
from hetad.emit.dialect import C_PARALLEL, CUDA, C
from hetad.ir import nodes as ir
from hetad.ir.types import FLOAT, Pointer
from hetad.memops.library import IN_OWN_MEMORY, VARIABLES
from hetad.memops.table import TABLE
from hetad.rules import callees, operations, refused
from hetad.rules.callee import (
    ALL,
    Absorbed,
    Adds,
    Callee,
    Formula,
    Inactive,
    InSpace,
    Means,
    Mirrored,
    OfCopy,
    OfMemory,
    Passed,
    Recorded,
    Refused,
    Restored,
    Spelled,
    Transposed,
)  # fmt: skip
from hetad.rules.math.table import ROWS, is_inactive, prototypes

SPAN = Span("test", 1, 1)
ROW = sorted(callees.table().items())
TOGETHER = [row for _, row in ROW if row.scope or row.kind == "atomic"]


def defined(dialect):
    return {name for s in support.needed(list(callees.table()) + c_names(), dialect) for name in s.defines}


def c_names():
    return [c_name(name) for name, row in ROW if row.kind != "mathematics"]


@pytest.mark.parametrize(
    "names", [TABLE, prototypes(), VARIABLES.values()], ids=["operations", "mathematics", "variables"]
)
def test_every_name_of_a_table_has_a_row(names):
    assert [name for name in names if callees.kind(name) == "unknown"] == []


def test_a_function_has_one_row():
    rows = list(callees._rows())
    assert len({row.name for row in rows}) == len(rows)


def test_what_a_row_names_has_a_row():
    others = {row.alone for row in TABLE.values() if row.alone} | {name for name, _ in IN_OWN_MEMORY.values()}
    transposed = [row.pullback for _, row in ROW if isinstance(row.pullback, Transposed)]
    others |= {f"{t.by}_{real}" if t.typed else t.by for t in transposed for real in REALS}
    others |= {row.pullback.function for _, row in ROW if isinstance(row.pullback, Means)}
    others |= {row.pullback.behind for _, row in ROW if isinstance(row.pullback, Restored) and row.pullback.behind}
    assert [name for name in sorted(others) if callees.kind(name) == "unknown"] == []


REALS = ("float", "double")


def test_a_row_agrees_with_itself():
    for name, row in ROW:
        for touched in (row.reads, row.writes, row.changes):
            assert isinstance(touched, range) or not row.roles or set(touched) <= set(range(len(row.roles))), name
        assert row.defaults <= len(row.roles), name
        assert row.meets == (row.scope in ("warp", "block") and row.kind != "fence"), name
        assert isinstance(row.pullback, KINDS[row.kind]), name
        assert row.variadic <= (row.reads == ALL), name


KINDS = {
    "mathematics": Formula | Inactive | Refused,
    "atomic": Adds | Inactive,
    "barrier": Mirrored,
    "shuffle": Transposed,
    "vote": Restored,
    "reduction": Restored,
    **dict.fromkeys(("memory", "runtime", "library"), OfMemory),
    **dict.fromkeys(("fence", "output", "formatted"), Inactive),
    "shuffle adjoint": Transposed,
    "support": Inactive | Passed | Means | Spelled | InSpace | OfCopy | Recorded | Absorbed | Refused,
}


def test_mathematics_is_differentiable_inactive_or_refused():
    for name, (params, _) in prototypes().items():
        row = callees.find(name)
        assert isinstance(row.pullback, Formula) == (name in ROWS), name
        assert isinstance(row.pullback, Refused) == (name in refused.table()), name
        assert name not in ROWS or not is_inactive(name), name
        results = {i for i, p in enumerate(ROWS[name].params) if p.output} if name in ROWS else set()
        assert row.writes == results, name
        assert all(isinstance(params[i], Pointer) for i in (*row.writes, *row.reads)), name


@pytest.mark.parametrize("row", TOGETHER, ids=lambda row: row.name)
def test_the_oracle_and_the_loops_of_threads_have_what_rows_name(row: Callee):
    if row.kind == "atomic":
        assert {row.emit["c"]} <= defined(C) & defined(C_PARALLEL)
    if row.kind == "fence":
        assert {"c", "parallel c"} <= row.text.keys()
        return
    if row.meets:
        kinds = set(re.findall(r"\bHETAD_(\w+)", support.read("fibers.c")))
        assert row.emit["fibers"] in kinds
    if "lanes" in row.emit:
        ends = ("_int", "_unsigned") if row.kind == "reduction" else ("",)
        text = support.read("lanes.c")
        assert all(re.search(rf"\b{row.emit['lanes']}{end}\(", text) for end in ends)


def test_each_shuffle_adjoint_is_defined_for_cuda():
    names = {row.name for row in TOGETHER if row.kind == "shuffle adjoint"}
    found = {name for s in support.needed(names, CUDA) for name in s.defines}
    assert names <= found


def test_a_function_without_a_row_may_do_anything():
    row = callees.find("a_function_of_the_program")
    assert row is callees.UNKNOWN
    assert row.reads == row.writes == ALL


@pytest.mark.parametrize("sample", ["lbm_d2q9", "particles", "warp_reduction"])
def test_all_that_a_derivative_calls_has_a_row(sample):
    from hetad import pipeline, problem
    from hetad.host.derivation import Request
    from hetad.ir.names import called

    chosen = problem.read(Path(__file__).parents[2] / "samples" / f"{sample}.toml")
    of = None if chosen.of is None else tuple(chosen.of)
    unit = hetad.load(chosen.source, **chosen.loading).unit
    program = pipeline.differentiate(unit, Request(function=chosen.function, wrt=tuple(chosen.wrt), of=of)).program
    names = {name for f in program.functions.values() for name in called(f.body)} - program.functions.keys()
    assert sorted(name for name in names if callees.kind(name) == "unknown") == []


MARKS = {operations.undefined, operations.found, operations.lost, operations.replay}
OWN = [row for row in operations.rows() if row.name not in {m.name for m in MARKS}]


def test_an_operation_of_two_types_is_that_of_its_operands():
    cell = ir.Var(ir.Symbol("cell", Pointer(FLOAT), SPAN), span=SPAN)
    taken = operations.take(cell, span=SPAN)
    assert (taken.name, taken.type) == ("hetad_take_float", FLOAT)
    assert operations.gives(taken, operations.take)
    assert not operations.does(operations.hot_begin(of=FLOAT, span=SPAN), operations.hot_end)


@pytest.mark.parametrize("row", OWN, ids=lambda row: row.name)
def test_an_operation_is_declared_as_the_functions_that_do_it(row):
    found = set(declarations(row.name))
    assert found == {(row.params, row.returns)} or row.name in ("hetad_of_lane", "hetad_guarded")  # of any type


def declarations(name):
    """The types of parameters and of the result that a function of support has on each target."""
    for dialect in (CUDA, C):
        for text in (s.text for s in support.needed([name], dialect) if name in s.defines):
            for returns, listed in re.findall(rf"^static ([^\n;]*?)\b{name}\(([^)]*)\)", text, re.M):
                spelled = [re.sub(r"\w+$", "", each.strip()) for each in listed.split(",") if listed != "void"]
                yield (
                    tuple(map(operations.type_of, spelled)),
                    operations.type_of(re.sub(r"inline|__device__|__forceinline__", "", returns)),
                )


def test_all_but_tables_and_targets_speaks_of_operations_by_their_names():
    rooms = (Path(hetad.__file__).parent / room for room in ("adjoint", "analysis", "device", "host", "ir", "passes"))
    for path in (path for room in rooms for path in room.rglob("*.py")):
        code = ast.parse(path.read_text(encoding="utf-8"))
        documented = ast.Module | ast.ClassDef | ast.FunctionDef
        documents = {ast.get_docstring(n, clean=False) for n in ast.walk(code) if isinstance(n, documented)}
        texts = {n.value for n in ast.walk(code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        assert not any("hetad_" in text for text in texts - documents), path
