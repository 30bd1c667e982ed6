"""Arguments as the callee's row wants them: converted, promoted, with what C leaves out."""

from __future__ import annotations

from dataclasses import replace

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.frontend.lower import (
    convert,
    half,
)
from hetad.ir.nodes import (
    Cast,
    Const,
    Expr,
)
from hetad.ir.types import (
    BLAS_HANDLE,
    COMMUNICATOR,
    DATATYPE,
    DEVICE_ATTRIBUTE,
    DOUBLE,
    EVENT,
    INT,
    LONG,
    MESSAGE_STATUS,
    MPI_ADDRESS,
    MPI_INFO,
    NCCL_COMMUNICATOR,
    NCCL_NUMBER,
    NCCL_REDUCTION,
    NCCL_RESULT,
    NCCL_UNIQUE_ID,
    REDUCTION,
    REQUEST,
    SIZE_T,
    STREAM,
    STRING,
    UINT,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Type,
    Void,
    element,
    is_half,
    promote_integer,
)
from hetad.memops.operation import MemoryOperation
from hetad.rules.callee import Callee


def operation_arguments(row: MemoryOperation, args: tuple[Expr, ...], span: Span) -> tuple[Expr, ...]:
    most = len(row.roles)
    if not most - row.defaults <= len(args) <= most:
        expected = f"{most - row.defaults} to {most}" if row.defaults else str(most)
        raise SyntaxProblem(f"'{row.name}' takes {expected} argument{'s' * (expected != '1')}, not {len(args)}", span)
    args += (Const(0, INT, "0", span=span),) * (most - len(args))
    return tuple(_operation_argument(row, role, a) for role, a in zip(row.roles, args, strict=True))


_OPERAND: dict[str, Type] = {
    "bytes": SIZE_T, "height": SIZE_T, "to_pitch": SIZE_T, "from_pitch": SIZE_T, "count": SIZE_T, "size": SIZE_T,
    "value": INT, "flags": UINT, "long": LONG, "attribute": DEVICE_ATTRIBUTE,
    **dict.fromkeys(("elements", "block", "peer", "tag", "from_peer", "from_tag", "root"), INT),
    "result": NCCL_RESULT, "kind_of_number": NCCL_NUMBER, "reduction": NCCL_REDUCTION, "nccl": NCCL_COMMUNICATOR,
    "unique_id": NCCL_UNIQUE_ID,
    "info": MPI_INFO, "displacement": MPI_ADDRESS,
    "type": DATATYPE, "block_type": DATATYPE, "operator": REDUCTION, "communicator": COMMUNICATOR,
    "stream": STREAM, "handle": BLAS_HANDLE, "event": EVENT, "record": EVENT,
}  # fmt: skip

# What is behind a pointer.
_HELD: dict[str, Type] = {
    "request": REQUEST, "request_held": REQUEST, "requests": REQUEST, "status": MESSAGE_STATUS,
    "displacements": MPI_ADDRESS, "types": DATATYPE,
    **dict.fromkeys(("number", "found", "numbers", "counts", "places", "sent_counts", "sent_places"), INT),
}  # fmt: skip


def _operation_argument(row: MemoryOperation, role: str, arg: Expr) -> Expr:
    if role in _OPERAND:
        return convert.convert(arg, _OPERAND[role])
    if role == "store" and convert.is_null(arg):
        assert row.stores is not None
        return convert.convert(arg, Pointer(row.stores))
    if role == "store" and not (isinstance(arg.type, Pointer) and arg.type.to == row.stores):
        raise SyntaxProblem(f"'{row.name}' needs the address of a '{row.stores}', not '{arg.type}'", arg.span)
    if role in _HELD and not (isinstance(arg.type, Pointer | Array) and element(arg.type) == _HELD[role]):
        raise SyntaxProblem(f"'{row.name}' needs the address of a '{_HELD[role]}', not '{arg.type}'", arg.span)
    if role == "out" and not (isinstance(arg.type, Pointer) and isinstance(arg.type.to, Pointer)):
        raise SyntaxProblem(f"'{row.name}' needs the address of a pointer, not '{arg.type}'", arg.span)
    if role == "text":
        return convert.convert(arg, STRING)
    if role in ("dst", "src", "pointer", "updated") and not isinstance(arg.type, Pointer | Array):
        if convert.is_null(arg):
            return convert.convert(arg, Pointer(VOID))
        raise SyntaxProblem(f"'{row.name}' needs a pointer, not '{arg.type}'", arg.span)
    return _as_it_is(arg) if role in ("dst", "src", "pointer") else arg


def _as_it_is(arg: Expr) -> Expr:
    """The address of numbers that is cast to `void **`, as in `cudaFree((void **)p)`, without the cast."""
    if not isinstance(arg, Cast) or not isinstance(arg.operand.type, Pointer) or not isinstance(arg.type, Pointer):
        return arg
    given, inner = arg.operand.type, _as_it_is(arg.operand)
    if arg.type.to == Pointer(VOID) and not isinstance(given.to, Pointer | Void):
        return inner
    return arg if inner is arg.operand else replace(arg, operand=inner)


def atomic_arguments(callee: Callee, args: tuple[Expr, ...], span: Span) -> tuple[Expr, ...]:
    name, expected = callee.name, len(callee.roles)
    if len(args) != expected or not isinstance(args[0].type, Pointer):
        raise SyntaxProblem(f"'{name}' takes a pointer and {expected - 1} more", span)
    _refuse_compound(name, args[0].type.to, span)
    return (args[0], *(convert.convert(a, args[0].type.to) for a in args[1:]))


def shuffle_arguments(callee: Callee, args: tuple[Expr, ...], span: Span) -> tuple[Expr, ...]:
    name = callee.name
    if not 3 <= len(args) <= 4:
        raise SyntaxProblem(f"'{name}' takes 3 or 4 arguments, not {len(args)}", span)
    _refuse_compound(name, args[1].type, span)
    lane = INT if "lane" in callee.roles else UINT
    rest = (convert.convert(args[2], lane), *(convert.convert(a, INT) for a in args[3:]))
    return (convert.convert(args[0], UINT), args[1], *rest)


def reduced(type_: Type) -> Type:
    """The type in which the lanes' values are reduced: `int`, also for what C++ promotes to it, or `unsigned`."""
    return promote_integer(type_) if isinstance(type_, Int) else INT


def reduction_arguments(name: str, args: tuple[Expr, ...], span: Span) -> tuple[Expr, ...]:
    if len(args) != 2:
        raise SyntaxProblem(f"'{name}' takes 2 arguments, not {len(args)}", span)
    given = args[1].type
    if not isinstance(given, Int) or given.bits > 32:
        what = f"'{name}' of a '{given}' is ambiguous: it takes an int or an unsigned"
        raise SyntaxProblem(what, args[1].span, "cast the value")
    return convert.convert(args[0], UINT), convert.promoted(args[1])


def _refuse_compound(name: str, type_: Type, span: Span) -> None:
    if is_half(type_):
        half.refuse(f"'{name}'", span)
    if not isinstance(type_, Int | Float):
        raise UnsupportedError(f"'{name}' of a '{type_}'", span, "treat its members one by one")


def promoted_argument(arg: Expr) -> Expr:
    """Arguments of variadic functions: float becomes double, small integers int."""
    return convert.arithmetic(arg, DOUBLE) if isinstance(arg.type, Float) else convert.promoted(arg)
