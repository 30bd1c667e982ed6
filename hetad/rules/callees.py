"""The table of callees: a row for each function that programs and generated code call and that is not their own.

The rows stand where their kind is at home, and are joined here:

| rows | where |
|---|---|
| mathematics | `rules/math`, `rules/inactive.py`, `rules/refused.py`, `rules/expanded.py` |
| atomics, barriers, fences, shuffles, votes, reductions | `rules/threads.py` |
| memory operations, the runtime, the C library | `memops/table.py`, `memops/library.py` |
| texts for readers, formatted texts | `rules/streams.py` |
| communication | `memops/communication.py`, `rules/communication.py` |
| hetad's own operations | `rules/operations.py`, `rules/records.py` |

Whoever wants to know something of a call asks for its row; a function without one may do anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeGuard

from hetad.ir import nodes as ir
from hetad.ir.types import Pointer
from hetad.memops.communication import ACTIONS as COMMUNICATES
from hetad.memops.communication import READ as _READ
from hetad.memops.communication import WRITTEN as _WRITTEN
from hetad.memops.library import VARIABLES
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import communication, expanded, inactive, operations, records, refused, streams, threads  # noqa: F401
from hetad.rules.callee import ALL, Callee, Formula, Kind, OfMemory, Refused, Target, Trait
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math.table import ROWS

_VARIABLES = {row: name for name, row in VARIABLES.items()}
UNKNOWN = Callee("", "unknown", reads=ALL, writes=ALL, kept=True)


@cache
def table() -> Mapping[str, Callee]:
    """Every row by name.

    Raises:
        ValueError: a function has two rows.
    """
    found: dict[str, Callee] = {}
    for row in _rows():
        if row.name in found:
            raise ValueError(f"'{row.name}' has two rows in the table of callees")
        found[row.name] = row
    return found


def find(name: str) -> Callee:
    """The row of a function; UNKNOWN where it has none."""
    return table().get(name, UNKNOWN)


def kind(name: str) -> Kind:
    return table().get(name, UNKNOWN).kind


def calls(s: ir.Stmt, *kinds: Kind) -> TypeGuard[ir.Call]:
    """Whether the statement is a call of such a function."""
    return isinstance(s, ir.Call) and kind(s.function) in kinds


def meets(s: ir.Stmt) -> TypeGuard[ir.Call]:
    """Whether the statement is a call in which threads wait for each other."""
    return isinstance(s, ir.Call) and find(s.function).meets


def has(s: ir.Stmt, trait: Trait) -> TypeGuard[ir.Call]:
    """Whether the statement is a call of an operation of hetad's own that has the trait."""
    return isinstance(s, ir.Call) and trait in find(s.function).traits


def allocates(s: ir.Stmt) -> TypeGuard[ir.Call]:
    """Whether the statement is a call that gives memory, the program's or hetad's own."""
    operation = find(s.function).operation if isinstance(s, ir.Call) else None
    return operations.does(s, *operations.ALLOCATIONS) or (operation is not None and operation.action == "allocate")


def is_block_barrier(s: ir.Stmt) -> TypeGuard[ir.Call]:
    """Whether the statement is a barrier of the whole block."""
    return calls(s, "barrier") and find(s.function).scope == "block"


def _rows() -> Iterator[Callee]:
    yield from _mathematics()
    yield from threads.ROWS
    yield from streams.ROWS
    yield from map(_of_operation, TABLE.values())
    yield from communication.CONSTANTS
    yield from operations.rows()  # those of `communication` and `records` too


def _mathematics() -> Iterator[Callee]:
    for row in ROWS.values():
        results = frozenset(i for i, p in enumerate(row.params) if p.output)
        roles = tuple(p.name for p in row.params)
        params = tuple(p.passed for p in row.params)
        yield Callee(
            row.name, "mathematics", roles, returns=row.returns, params=params, writes=results, pullback=Formula()
        )  # fmt: skip
    for name in CLASSIFICATION:
        said = {"c": f"({name}({{0}}) != 0)"}  # a bool in C++; in C any number but zero means yes
        yield Callee(name, "mathematics", ("x",), emit={"c": name}, text=said)  # type: ignore[arg-type]
    for each in inactive.table().values():
        yield Callee(each.name, "mathematics", returns=each.returns, params=each.params)
    for each in expanded.table().values():
        pointers = frozenset(i for i, type_ in enumerate(each.params) if isinstance(type_, Pointer))
        yield Callee(each.name, "mathematics", returns=each.returns, params=each.params, reads=pointers)
    for refusal in refused.table().values():
        given = refusal.prototype
        pullback = Refused(refusal.reason, refusal.unless)
        yield Callee(given.name, "mathematics", returns=given.returns, params=given.params, pullback=pullback)


def _of_operation(row: MemoryOperation) -> Callee:
    moves = row.action in ("allocate", "symbol", "free", "copy", "fill")
    return Callee(
        row.name,
        "memory" if moves else "library" if row.header else "runtime",
        row.roles,
        row.defaults,
        row.returns,
        reads=row.positions("src", "text", "updated", *_READ),
        writes=row.positions("dst", "out", "store", "updated", *_WRITTEN),
        changes=row.positions("record"),
        kept=row.once or row.together or row.switches or row.action in ("exit", *COMMUNICATES),
        once=row.once,
        stops=row.action == "exit",
        pullback=OfMemory(),
        emit={"c": row.c_name} if row.c_name else {},
        text=_texts(row),
        header=row.header,
        operation=row,
    )


def _texts(row: MemoryOperation) -> dict[Target, str]:
    """The text of a call, where that is not just its name and its arguments."""
    if row.name in _VARIABLES:
        return {"cuda": _VARIABLES[row.name], "c": _VARIABLES[row.name]}
    args = ", ".join(f"{{{i}}}" for i in range(len(row.roles)))
    given: tuple[tuple[Target, str], ...] = (("cuda", row.text), ("c", row.c_text or row.text))
    return {target: text.replace("{}", args) for target, text in given if text}
