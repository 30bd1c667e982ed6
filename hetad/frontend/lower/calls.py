"""Calls: the program's own functions, CUDA's runtime and device functions, mathematics, launches.

Own functions in expressions become CallExpr; known mathematics Intrinsic; everything else with an effect (memory
operations, atomics, barriers, warp functions, printf) becomes a Call statement whose result, when used, goes
into a variable.  `__ldg(p)` is `p[0]`, `__stcs(p, x)` is `p[0] = x`.
"""

from __future__ import annotations

import difflib

from pycparser import c_ast

from hetad.diagnostics import SourceError, Span, SyntaxProblem, UnsupportedError
from hetad.frontend.cuda_syntax import DIM3 as DIM3_CALL
from hetad.frontend.cuda_syntax import LAUNCH
from hetad.frontend.lower import (
    convert,
    expressions,
    half,
    kernel_values,
    passed_over,
    references,
    symbols,
)
from hetad.frontend.lower.builtins import LOADS, STORES, VECTORS
from hetad.frontend.lower.c_nodes import arguments, called
from hetad.frontend.lower.call_arguments import (
    atomic_arguments,
    operation_arguments,
    promoted_argument,
    reduced,
    reduction_arguments,
    shuffle_arguments,
)
from hetad.frontend.lower.context import Context, Qualified, Signature
from hetad.frontend.lower.packed import is_part
from hetad.frontend.normalize.launch_arguments import is_list, packed
from hetad.frontend.opaque import OPAQUE
from hetad.ir.nodes import (
    Aggregate,
    Assign,
    Call,
    CallExpr,
    Const,
    Declare,
    Expr,
    Intrinsic,
    Launch,
    Place,
    Var,
)
from hetad.ir.types import (
    CUDA_ERROR,
    DIM3,
    DOUBLE,
    FLOAT,
    INT,
    SIZE_T,
    STREAM,
    UINT,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Type,
    is_half,
)
from hetad.memops.library import IN_OWN_MEMORY
from hetad.memops.table import TABLE
from hetad.rules import callees
from hetad.rules.operations import Act, Operation, Value


def call(ctx: Context, node: c_ast.FuncCall, used: bool) -> Expr | None:
    """The value of a call; None for a call of a void function, or one whose value is not used."""
    if not isinstance(node.name, c_ast.ID):
        ctx.refuse("a call through an expression", node, "call the function by name")
    name = node.name.name
    if name.startswith(LAUNCH):
        if used:
            raise SyntaxProblem("a launch has no value", ctx.span(node))
        _launch(ctx, node, int(name.removeprefix(LAUNCH)))
        return None
    if name == OPAQUE:
        passed_over.statement(ctx, node)
        return None
    operation = _operation_named(ctx, name)
    if operation is not None:
        return _operation(ctx, node, operation)
    own = _own(ctx, node)
    if own is not None:
        return _own_call(ctx, node, own, used)
    if name in kernel_values.CALLS:
        return kernel_values.call(ctx, node)
    if name == kernel_values.LAUNCH:
        return _launch_in_c(ctx, node)
    if name in symbols.CALLS:
        return symbols.call(ctx, node, used)
    if name in IN_OWN_MEMORY:
        return _in_given_memory(ctx, node, name)
    if name in STORES and len(arguments(node)) == 2:
        _store(ctx, node)
        return None
    target = _result_type(ctx, node, name)
    if target is None:
        return _pure(ctx, node, name)
    return _statement(ctx, node, target, used)


def into(ctx: Context, node: c_ast.Node, target: Place) -> bool:
    """Emit `target = f(...)` as one Call when the expression is such a call, behind casts or not."""
    while isinstance(node, c_ast.Cast) and isinstance(target.type, Pointer):
        node = node.expr
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID) or is_part(target):
        return False
    name = node.name.name
    operation = _operation_named(ctx, name)
    if isinstance(operation, Act):
        _operation(ctx, node, operation, target)
        return True
    if name.startswith("hetad$") or operation is not None or _own(ctx, node) is not None:
        return False
    returned = _result_type(ctx, node, name)
    if returned is None or returned == VOID or (name in TABLE and TABLE[name].same):
        return False
    if returned != target.type and not (isinstance(returned, Pointer) and isinstance(target.type, Pointer)):
        return False
    args = _known_arguments(ctx, node, name)
    ctx.emit(Call(name, args, target, span=ctx.span(node)))
    return True


# --- operations, in quotes and in what hetad emitted ---------------------------------------------


def _operation_named(ctx: Context, name: str) -> Operation | None:
    entry = ctx.local(name)
    return ctx.outer.operation(name) if entry is None else entry if isinstance(entry, Operation) else None


def _operation(ctx: Context, node: c_ast.FuncCall, operation: Operation, result: Place | None = None) -> Expr | None:
    span, of = ctx.span(node), operation.of(called(node))
    given = tuple(expressions.value(ctx, n) for n in arguments(node))
    params = operation.row(given, of).params or (None,) * len(given)
    args = tuple(
        convert.arithmetic(a, p) if isinstance(p, Int | Float) else a for a, p in zip(given, params, strict=True)
    )
    if isinstance(operation, Value):
        return operation(*args, of=of, span=span)
    assert isinstance(operation, Act)
    ctx.emit(operation(*args, result=result, of=of, span=span))
    return None


# --- functions of the program --------------------------------------------------------------------


def _own(ctx: Context, node: c_ast.FuncCall) -> Signature | None:
    name = called(node)
    entry = ctx.local(name)
    if entry is not None and not isinstance(entry, Qualified):
        ctx.refuse(f"a call of the variable '{name}'", node, "call a function by name")
    return ctx.outer.signature(name)


def _own_call(ctx: Context, node: c_ast.FuncCall, own: Signature, used: bool) -> Expr | None:
    span = ctx.span(node)
    if own.kind == "kernel":
        raise SyntaxProblem(f"'{own.name}' is a kernel", span, "launch it: kernel<<<grid, block>>>(...)")
    caller = ctx.function.kind if ctx.function is not None else "host"
    if caller == "host" and own.kind == "device":
        message = f"host code cannot call the __device__ function '{own.name}'"
        raise SyntaxProblem(message, span, "declare it __host__ __device__")
    if caller in ("kernel", "device") and own.kind == "host":
        raise SyntaxProblem(f"device code cannot call the host function '{own.name}'", span, "declare it __device__")
    args = own_arguments(ctx, own, arguments(node), span)
    if own.returns == VOID or not used:
        ctx.emit(Call(own.name, args, span=span))
        return None
    return CallExpr(own.name, args, own.returns, span=span)


def own_arguments(ctx: Context, own: Signature, given: list[c_ast.Node], span: Span) -> tuple[Expr, ...]:
    """Arguments converted to the parameters' types, defaults filled in."""
    required = sum(1 for d in own.defaults if d is None)
    if not required <= len(given) <= len(own.params):
        expected = str(len(own.params)) if required == len(own.params) else f"{required} to {len(own.params)}"
        plural = "" if expected == "1" else "s"
        raise SyntaxProblem(f"'{own.name}' takes {expected} argument{plural}, not {len(given)}", span)
    nodes = given + [d for d in own.defaults[len(given) :] if d is not None]
    args: list[Expr] = []
    for node, type_, reference in zip(nodes, own.params, own.references, strict=True):
        if reference and isinstance(type_, Pointer):
            arg = references.argument(ctx, node, type_)
        else:
            arg = _argument(ctx, node, type_)
        if not args and ctx.out is not None and _is_object_before(arg, nodes[1:]):
            arg = ctx.hold(arg, "object", span)
        args.append(arg)
    return tuple(args)


def _is_object_before(first: Expr, others: list[c_ast.Node]) -> bool:
    """Of `s.put(a).put(s.size())`, `s << a << s.size()`: whether the object comes of a call, which comes first."""
    is_called = isinstance(first.type, Pointer) and expressions.contains_call(first)
    return is_called and not all(isinstance(n, c_ast.Constant) for n in others)


def _argument(ctx: Context, node: c_ast.Node, type_: Type) -> Expr:
    return expressions.value_as(ctx, node, type_)


# --- launches ------------------------------------------------------------------------------------


def _launch(ctx: Context, node: c_ast.FuncCall, configured: int) -> None:
    span = ctx.span(node)
    kernel, *rest = arguments(node)
    if not isinstance(kernel, c_ast.ID):
        ctx.refuse("a launch through an expression", node, "launch the kernel by name")
    own = ctx.outer.signature(kernel.name)
    if own is None:
        raise expressions.unknown(ctx, kernel.name, kernel, "kernel")
    if own.kind != "kernel":
        raise SyntaxProblem(f"'{own.name}' is not a __global__ function", span)
    if ctx.function is not None and ctx.function.kind != "host":
        ctx.refuse("a launch from device code", node, "launch from a host function")
    grid, block = (_extent(ctx, n) for n in rest[:2])
    shared = _argument(ctx, rest[2], SIZE_T) if configured > 2 else None
    stream = _argument(ctx, rest[3], STREAM) if configured > 3 else None
    given = own_arguments(ctx, own, rest[configured:], span)
    # What a list holds, pointers and active numbers, is followed where a variable has it.
    args = tuple(ctx.hold(a, "argument", a.span) if isinstance(a, Aggregate) else a for a in given)
    ctx.emit(Launch(own.name, grid, block, shared, stream, args, span=span))


def _launch_in_c(ctx: Context, node: c_ast.FuncCall) -> Expr:
    """`cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream)`; its status is that of the device."""
    span, given = ctx.span(node), arguments(node)
    if not 4 <= len(given) <= 6:
        raise SyntaxProblem(f"'cudaLaunchKernel' takes 4 to 6 arguments, not {len(given)}", span)
    name = kernel_values.kernel_name(given[0])
    own = ctx.outer.signature(name.name) if isinstance(name, c_ast.ID) else None
    if own is None or own.kind != "kernel":
        ctx.refuse("a launch of what is no kernel's name", given[0], "launch the kernel by name")
    if ctx.function is not None and ctx.function.kind != "host":
        ctx.refuse("a launch from device code", node, "launch from a host function")
    grid, block = (_extent(ctx, n) for n in given[1:3])
    array = convert.undecayed(expressions.value(ctx, given[3]))
    if own.params and not (isinstance(array, Var) and is_list(array.type)):
        ctx.refuse("arguments of a launch that are not in a local array", given[3], "launch with <<<...>>>")
    shared = _argument(ctx, given[4], SIZE_T) if len(given) > 4 else None
    stream = _argument(ctx, given[5], STREAM) if len(given) > 5 else None
    args = tuple(packed(array, i, type_, span) for i, type_ in enumerate(own.params))
    ctx.emit(Launch(own.name, grid, block, shared, stream, args, span=span))
    status = ctx.fresh("status", CUDA_ERROR, span)
    ctx.emit(Declare(status, None, span=span))
    ctx.emit(Call("cudaPeekAtLastError", (), Var(status, span=span), span=span))
    return Var(status, span=span)


def _extent(ctx: Context, node: c_ast.Node) -> Expr:
    extent = expressions.value(ctx, node)
    if extent.type == DIM3 or isinstance(extent.type, Int):
        return extent
    if isinstance(extent.type, Float):
        return convert.arithmetic(extent, UINT)
    return convert.convert(extent, DIM3, ctx.span(node))


# --- functions that CUDA provides ----------------------------------------------------------------


def _result_type(ctx: Context, node: c_ast.FuncCall, name: str) -> Type | None:
    """The type that a call statement returns; None when the function is not one of those."""
    callee = callees.find(name)
    if callee.kind in ("unknown", "mathematics", "support"):
        return None
    if callee.returns is not None:
        return callee.returns
    given = arguments(node)
    if callee.kind == "atomic" and given:
        pointer = _peek(ctx, given[0])
        return pointer.to if isinstance(pointer, Pointer) else INT
    value = callee.position("value")
    if value is None or len(given) <= value:
        return None
    type_ = _peek(ctx, given[value])
    return reduced(type_) if callee.kind == "reduction" else type_


def _peek(ctx: Context, node: c_ast.Node) -> Type:
    """The type of an expression, without evaluating it."""
    with ctx.peek():
        return expressions.value(ctx, node).type


def _statement(ctx: Context, node: c_ast.FuncCall, returned: Type, used: bool) -> Expr | None:
    name, span = called(node), ctx.span(node)
    args = _known_arguments(ctx, node, name)
    if (not used and not callees.find(name).meets) or returned == VOID:
        ctx.emit(Call(name, args, span=span))
        return None
    if name in TABLE and TABLE[name].same:
        ctx.emit(Call(name, args, span=span))
        within = TABLE[name].within
        assert within is not None
        return convert.convert(args[within], returned)
    return result(ctx, name, returned, span, args)


def _store(ctx: Context, node: c_ast.FuncCall) -> None:
    """`__stcs(p, x)` and its like, which say how caches keep what is stored."""
    pointer, given = arguments(node)
    place = convert.dereference(convert.undecayed(expressions.value(ctx, pointer)), ctx.span(node))
    assert isinstance(place, Place)
    ctx.emit(Assign(place, expressions.value_as(ctx, given, place.type), span=ctx.span(node)))


def _in_given_memory(ctx: Context, node: c_ast.FuncCall, name: str) -> Expr:
    """A call whose result lies in the library's memory, as one that is given a variable for it."""
    other, type_ = IN_OWN_MEMORY[name]
    span = ctx.span(node)
    held = ctx.fresh("text" if isinstance(type_, Array) else "date", type_, span)
    ctx.lasting.append(held)
    place = Var(held, span=span)
    pointer = convert.decay(place) if isinstance(type_, Array) else expressions.address_of(place, span)
    given = tuple(expressions.value(ctx, n) for n in arguments(node))
    ctx.emit(Call(other, operation_arguments(TABLE[other], (*given, pointer), span), span=span))
    return pointer


def result(ctx: Context, name: str, returned: Type, span: Span, args: tuple[Expr, ...] = ()) -> Var:
    """What a call gives, in a fresh variable."""
    readable = "status" if returned == CUDA_ERROR else "old" if callees.kind(name) == "atomic" else "result"
    symbol = ctx.fresh(readable, returned, span)
    ctx.emit(Declare(symbol, None, span=span))
    ctx.emit(Call(name, args, Var(symbol, span=span), span=span))
    return Var(symbol, span=span)


def _known_arguments(ctx: Context, node: c_ast.FuncCall, name: str) -> tuple[Expr, ...]:
    nodes, span = arguments(node), ctx.span(node)
    args = tuple(expressions.value(ctx, n) for n in nodes)
    callee = callees.find(name)
    if callee.operation is not None:
        return operation_arguments(callee.operation, args, span)
    match callee.kind:
        case "atomic":
            return atomic_arguments(callee, args, span)
        case "output" | "formatted":
            return tuple(promoted_argument(a) for a in args)
        case "shuffle" | "shuffle adjoint":
            return shuffle_arguments(callee, args, span)
        case "reduction":
            return reduction_arguments(name, args, span)
        case "barrier" | "vote":
            masked = callee.position("mask")
            return tuple(convert.convert(a, UINT) if i == masked else a for i, a in enumerate(args))
    return args


# --- functions without effects -------------------------------------------------------------------


def _pure(ctx: Context, node: c_ast.FuncCall, name: str) -> Expr | None:
    span = ctx.span(node)
    args = tuple(expressions.value(ctx, n) for n in arguments(node))
    if name == DIM3_CALL:
        return dim3(args, span)
    if name.startswith("make_") and name.removeprefix("make_") in VECTORS:
        return _vector(name.removeprefix("make_"), args, span)
    if name in LOADS and len(args) == 1:
        return convert.dereference(convert.undecayed(args[0]), span)
    if name in half.TO_FLOAT and len(args) == 1 and args[0].type == half.TO_FLOAT[name]:
        return half.to_float(args[0], span)
    if name in half.FROM_FLOAT and len(args) == 1:
        given = DOUBLE if name.startswith("__double") else FLOAT
        return half.from_number(convert.convert(args[0], given), half.FROM_FLOAT[name], span)
    if any(is_half(a.type) for a in args):
        half.refuse(f"'{name}'", span)
    from hetad.rules.math import signature

    found = signature(name, [a.type for a in args])
    if found is None:
        raise _unknown(ctx, node, name, args)
    converted = tuple(convert.convert(a, p) for a, p in zip(args, found.params, strict=True))
    if any(isinstance(p, Pointer) and not p.const for p in found.params):  # sincos, modf: a result through a pointer
        if found.returns == VOID:
            ctx.emit(Call(found.name, converted, span=span))
            return None
        symbol = ctx.fresh("result", found.returns, span)
        ctx.emit(Declare(symbol, None, span=span))
        ctx.emit(Call(found.name, converted, Var(symbol, span=span), span=span))
        return Var(symbol, span=span)
    return Intrinsic(found.name, converted, found.returns, span=span)


def dim3(args: tuple[Expr, ...], span: Span) -> Expr:
    """`dim3(x, y)`: what is missing is 1."""
    if len(args) > 3:
        raise SyntaxProblem(f"dim3 takes at most 3 numbers, not {len(args)}", span)
    if len(args) == 1 and args[0].type == DIM3:
        return args[0]
    extents = [convert.convert(a, UINT) for a in args]
    extents += [Const(1, UINT, "1", span=span)] * (3 - len(extents))
    return Aggregate(tuple(extents), DIM3, span=span)


def _vector(name: str, args: tuple[Expr, ...], span: Span) -> Expr:
    fields = VECTORS[name].fields
    if len(args) != len(fields):
        raise SyntaxProblem(f"make_{name} takes {len(fields)} numbers, not {len(args)}", span)
    elements = tuple(convert.convert(a, f.type) for a, f in zip(args, fields, strict=True))
    return Aggregate(elements, VECTORS[name], span=span)


def _unknown(ctx: Context, node: c_ast.FuncCall, name: str, args: tuple[Expr, ...]) -> SourceError:
    from hetad.frontend.lower.known import mathematics

    span = ctx.span(node)
    if name in mathematics():
        given = ", ".join(str(a.type) for a in args)
        return UnsupportedError(f"no '{name}' for arguments of type ({given})", span, "cast the arguments")
    if name.startswith(("cuda", "cublas", "cufft", "curand", "cusparse", "nvtx", "MPI_", "nccl")):
        near = difflib.get_close_matches(name, sorted(TABLE), n=3, cutoff=0.75)
        remedy = f"did you mean {' or '.join(near)}?" if near else "keep it out of differentiated functions"
        return UnsupportedError(f"hetad does not know '{name}'", span, remedy)
    return expressions.unknown(ctx, name, node, "function")
