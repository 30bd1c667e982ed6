"""Operations that are several of the table's in one: `cudaMallocPitch` and `realloc`."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.frontend.quote import Quote
from hetad.host.whole_structs import is_mixed
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, binary, integer
from hetad.ir.types import SIZE_T, Pointer, size_of
from hetad.ir.visit import declared, map_body
from hetad.passes.task import entry_pass
from hetad.rules import operations


@entry_pass("plain-operations")
def in_plain_operations(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined, with these operations taken apart."""
    names = Names({s.name for s in (*function.params, *declared(function.body))})

    def plain(s: ir.Stmt) -> ir.Stmt | ir.Body:
        match s:
            case ir.Call(function="cudaMallocPitch"):
                return _pitched(s, names)
            case ir.Call(function="realloc"):
                return _resized(s, names)
        return s

    return replace(function, body=map_body(plain, function.body))


_ROUNDED = Quote("pitch = (width + 511) / 512 * 512;")  # as CUDA aligns rows on every device


def _pitched(s: ir.Call, names: Names) -> ir.Body:
    """`pitch = width, rounded up; cudaMalloc(&p, pitch * height)`."""
    out, pitch, width, height = s.args
    place = out_place(pitch)
    if place is None:
        place = ir.Index(pitch, integer(0, s.span), SIZE_T, span=s.span)
    rounded = _ROUNDED(names, s.span, pitch=place, width=width)
    size = binary("*", place, height)
    return *rounded, replace(s, function="cudaMalloc", args=(out, size))


# A null pointer is nothing to copy from.
_RESIZED = Quote("""
    pointer old_memory = given;
    size_t kept_bytes = kept(old_memory, bytes);
    allocate;
    if (kept_bytes > 0)
        memcpy(result, old_memory, kept_bytes / part * part);
    free(old_memory);
""")


def _resized(s: ir.Call, names: Names) -> ir.Body:
    if s.result is None or not isinstance(s.result.type, Pointer):
        raise UnsupportedError("the result of this realloc is not kept", s.span, "assign it to a variable")
    given, size = s.args
    given = bare(given)
    allocate = replace(s, function="malloc", args=(size,))
    if not isinstance(given.type, Pointer):  # realloc(NULL, bytes)
        return (allocate,)
    of = given.type.to
    part = size_of(of) if is_mixed(of) else 1  # whole structs, which go field by field
    return _RESIZED(
        names, s.span, pointer=given.type, given=given, kept=operations.kept_bytes, bytes=size, allocate=(allocate,),
        result=s.result, part=part,
    )  # fmt: skip
