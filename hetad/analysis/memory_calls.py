"""Calls of memory operations (`memops/table.py`), by what they do and what their arguments are for."""

from __future__ import annotations

from typing import NamedTuple, TypeGuard

from hetad.analysis.pointer_expressions import out_place
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import binary, convert
from hetad.ir.types import SIZE_T
from hetad.memops.operation import Action
from hetad.memops.table import TABLE


class Bytes(NamedTuple):
    """What a copy or a fill does to so many bytes, one behind the other; `src` is None for a fill."""

    dst: ir.Expr
    src: ir.Expr | None
    size: ir.Expr


def does(s: ir.Stmt, *actions: Action) -> TypeGuard[ir.Call]:
    """Whether a statement is a call of a memory operation with one of these actions."""
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    return row is not None and row.action in actions


def operands(s: ir.Call) -> dict[str, ir.Expr]:
    """The arguments by their roles; of several with one role, the last."""
    return dict(zip(TABLE[s.function].roles, s.args, strict=False))


def allocated(s: ir.Stmt) -> ir.Place | None:
    """Where an allocation puts its pointer, or what finds the address of a device variable; None for all else, and
    where the pointer is dropped."""
    if not does(s, "allocate", "symbol"):
        return None
    return stored_at(s) if "out" in TABLE[s.function].roles else s.result


def stored_at(s: ir.Stmt) -> ir.Place | None:
    """The same, of those that store it through an argument."""
    out = operands(s).get("out") if does(s, "allocate", "symbol") else None
    return out_place(out) if out is not None else None


def freed(s: ir.Stmt) -> ir.Expr | None:
    """The pointer that a statement frees."""
    return bare(operands(s)["pointer"]) if does(s, "free") else None


def bytes_of(s: ir.Stmt) -> Bytes | None:
    """Of a copy or a fill; None where it goes by rows, or the size is that of what a file has."""
    if not does(s, "copy", "fill"):
        return None
    given = operands(s)
    plain = "bytes" in given and "height" not in given
    return Bytes(given["dst"], given.get("src"), given["bytes"]) if plain else None


def size_of_call(s: ir.Call) -> ir.Expr:
    """How many bytes are allocated, copied or filled; of rows, those of one."""
    given = operands(s)
    if "bytes" in given:
        return given["bytes"]
    return binary("*", convert(given["count"], SIZE_T), convert(given["size"], SIZE_T))
