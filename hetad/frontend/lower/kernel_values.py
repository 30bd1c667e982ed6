"""Calls of the runtime that take a kernel as a value: settings, occupancy, launches by `cudaLaunchKernel`."""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.lower import convert, expressions
from hetad.frontend.lower.c_nodes import arguments, called
from hetad.frontend.lower.context import Context
from hetad.ir.nodes import Assign, Binary, Const, Expr, Index, Place, Select
from hetad.ir.types import BOOL, CUDA_ERROR, INT, Int, Pointer

# Settings that change no value: hetad gives each kernel the dynamic shared memory that its launch asks for.
SETTINGS = frozenset({"cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig"})
LAUNCH = "cudaLaunchKernel"
_BLOCK_SIZE = "cudaOccupancyMaxPotentialBlockSize"
_ACTIVE_BLOCKS = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
_OCCUPANCY = {
    _BLOCK_SIZE: (3, 5),
    _BLOCK_SIZE + "WithFlags": (3, 6),
    _ACTIVE_BLOCKS: (4, 4),
    _ACTIVE_BLOCKS + "WithFlags": (5, 5),
}
CALLS = SETTINGS | set(_OCCUPANCY)

_BLOCK = 128  # threads that every kernel may have, pullbacks included
_GRID = 256  # blocks that fill most devices
_THREADS = 1024  # of a multiprocessor, at least


def call(ctx: Context, node: c_ast.FuncCall) -> Expr:
    """The status of the call: what it sets or asks for is found here."""
    name, span, given = called(node), ctx.span(node), arguments(node)
    if name in SETTINGS:
        for argument in given[1:]:
            expressions.value(ctx, argument)
        return _success(span)
    least, most = _OCCUPANCY[name]
    if not least <= len(given) <= most:
        raise SyntaxProblem(f"'{name}' takes {least} to {most} arguments, not {len(given)}", span)
    if name.startswith(_BLOCK_SIZE):
        limit = expressions.value(ctx, given[4]) if len(given) > 4 else None
        _store(ctx, given[0], Const(_GRID, INT, span=span), name)
        _store(ctx, given[1], _limited(limit, span), name)
    else:
        size = convert.convert(expressions.value(ctx, given[2]), INT)
        each = Binary("/", Const(_THREADS, INT, span=span), size, INT, span=span)
        _store(ctx, given[0], each, name)
    return _success(span)


def kernel_name(node: c_ast.Node) -> c_ast.Node:
    """What names the kernel in `(const void *)kernel` or `&kernel`."""
    while isinstance(node, c_ast.Cast) or (isinstance(node, c_ast.UnaryOp) and node.op == "&"):
        node = node.expr
    return node


def _limited(limit: Expr | None, span: Span) -> Expr:
    """The block size: less where the program says so; a limit of 0 is none."""
    best = Const(_BLOCK, INT, span=span)
    if limit is None or (isinstance(limit, Const) and limit.value == 0):
        return best
    limit = convert.convert(limit, INT)
    some = Binary(">", limit, Const(0, INT, span=span), BOOL, span=span)
    less = Binary("<", limit, best, BOOL, span=span)
    return Select(Binary("&&", some, less, BOOL, span=span), limit, best, INT, span=span)


def _store(ctx: Context, node: c_ast.Node, value: Expr, name: str) -> None:
    out = expressions.value(ctx, node)
    if not (isinstance(out.type, Pointer) and isinstance(out.type.to, Int)):
        raise SyntaxProblem(f"'{name}' needs the address of an int, not '{out.type}'", out.span)
    place: Place = Index(out, Const(0, INT, span=out.span), out.type.to, span=out.span)
    ctx.emit(Assign(place, convert.convert(value, out.type.to), span=out.span))


def _success(span: Span) -> Expr:
    return Const(0, CUDA_ERROR, "cudaSuccess", span=span)
