"""Methods of one expression are written out where they are called: `view(i, j)` is `view.data[j * view.nx + i]`.

So what the analyses know of arrays holds behind accessors too.  Functions that are no methods stay: the user may give
rules for them by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast

from hetad.frontend.cpp import clang, objects, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.lower.c_nodes import Copied, Known
from hetad.frontend.lower.context import Qualified
from hetad.ir.types import Float, Int, Pointer, Struct

_DEPTH = 6  # of accessors that call each other
_SIZE = 80  # nodes of what is written out
_PLAIN = (c_ast.ID, c_ast.Constant, Known, Copied, c_ast.StructRef, c_ast.ArrayRef, c_ast.BinaryOp, c_ast.Cast)


def written_out(body: Body, method: Cursor, this: Node | None, args: Sequence[Node]) -> Node | None:
    """What a call of a method denotes; None where it must stay a call."""
    found = clang.definition(method)
    if found is None or found.kind != CursorKind.CXX_METHOD or body.depth >= _DEPTH or not _same_side(body, found):
        return None
    value, params = _returned(found), list(found.get_arguments())
    if value is None or this is None or len(params) != len(args) or not all(map(is_pure, (this, *args))):
        return None
    inner = Body(body.entities, found, body.depth + 1, device=body.on_device)
    given = {p.hash: _argument(inner, p, a) for p, a in zip(params, args, strict=True)}
    if None in given.values() or len(given) != len(params):
        return None
    inner = replace(inner, given=given, this_node=this)
    node = _translated(inner, found, value)
    return node if node is not None and is_pure(node) and _size(node) <= _SIZE else None


def _returned(method: Cursor) -> Cursor | None:
    """What a method returns whose body is nothing else."""
    inside = clang.body(method)
    only = clang.only(inside) if inside is not None else None
    value = clang.only(only) if only is not None and only.kind == CursorKind.RETURN_STMT else None
    return value if value is not None and value.kind.is_expression() else None


def _translated(inner: Body, method: Cursor, value: Cursor) -> Node | None:
    from hetad.frontend.cpp.expressions import expression

    node = expression(inner, value)
    if is_reference(method.result_type):
        node = objects.as_base(inner, node, value.type, method.result_type, node.coord)
        return node if isinstance(node, c_ast.ArrayRef | c_ast.StructRef) else None
    returns = inner.types.of(method.result_type, method)
    if not isinstance(returns, Int | Float):
        return None
    return Copied(tree.cast_to(Qualified(returns), node, node.coord), node.coord)


def _argument(inner: Body, parameter: Cursor, node: Node) -> Node | None:
    """An argument in the place of a parameter that nothing changes."""
    of = inner.qualified(parameter)
    if of.reference:
        behind = of.type.to if isinstance(of.type, Pointer) and of.type.const else None
        named = isinstance(behind, Struct) and isinstance(node, _PLACES)
        return node if isinstance(behind, Int) or named else None
    named = isinstance(of.type, Float | Pointer) and isinstance(node, c_ast.ID | c_ast.Constant | Known)
    return tree.cast_to(Qualified(of.type), node, node.coord) if isinstance(of.type, Int) or named else None


_PLACES = (c_ast.ID, c_ast.StructRef, c_ast.ArrayRef)


def _same_side(body: Body, method: Cursor) -> bool:
    """Whether host or device may call the method that is written out there."""
    if body.function is None:
        return False
    caller, callee = (body.entities.item(f).kind for f in (body.function, method))
    if caller == "host device":
        return callee == "host device"
    return callee in ("host device", "host" if caller == "host" else "device")


def is_pure(node: Node) -> bool:
    """Whether an expression may be evaluated again, and does nothing."""
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("*", "&", "-", "+", "!", "~") and is_pure(node.expr)
    if isinstance(node, c_ast.Cast):
        return is_pure(node.expr)
    if isinstance(node, c_ast.StructRef):
        return is_pure(node.name)
    return isinstance(node, _PLAIN) and all(is_pure(child) for _, child in node.children())


def _size(node: Node) -> int:
    return 1 + sum(_size(child) for _, child in node.children())
