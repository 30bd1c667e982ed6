"""The C syntax tree, built: pycparser's nodes, with what Clang knows of types and constants in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pycparser import c_ast
from pycparser.c_parser import Coord

from hetad.frontend.lower.c_nodes import REFERENCE, Known, Resolved
from hetad.frontend.lower.context import Qualified
from hetad.frontend.tokens import Token
from hetad.ir.types import Array, Pointer, Type

Node = c_ast.Node
_c = cast("Any", c_ast)  # its nodes' constructors are not in our stubs


def coord(token: Token) -> Coord:
    return cast("Any", Coord)(token.file, token.line, token.column)  # type: ignore[no-any-return]


def name(text: str, at: Coord | None) -> Node:
    return _c.ID(text, at)  # type: ignore[no-any-return]


def constant(kind: str, text: str, at: Coord | None) -> Node:
    return _c.Constant(kind, text, at)  # type: ignore[no-any-return]


def known(value: float, type_: Type, at: Coord | None) -> Node:
    return Known(value, type_, at)


def call(function: str, args: Sequence[Node], at: Coord | None) -> Node:
    return _c.FuncCall(name(function, at), _c.ExprList(list(args), at), at)  # type: ignore[no-any-return]


def unary(op: str, operand: Node, at: Coord | None) -> Node:
    """`*&x` is `x`, and `&*x` is."""
    inner = {"*": "&", "&": "*"}.get(op)
    if isinstance(operand, c_ast.UnaryOp) and operand.op == inner:
        return operand.expr
    if op == "&" and isinstance(operand, c_ast.TernaryOp):  # of a place that is chosen
        arms = unary("&", operand.iftrue, at), unary("&", operand.iffalse, at)
        return choice(operand.cond, *arms, at)
    if op == "&" and isinstance(operand, c_ast.ExprList):  # of a place behind what is done before
        return sequence([*operand.exprs[:-1], unary("&", operand.exprs[-1], at)], at)
    return _c.UnaryOp(op, operand, at)  # type: ignore[no-any-return]


def is_fixed(node: Node) -> bool:
    """Whether a place stays the same, whatever changes: a variable, or a member of one."""
    if isinstance(node, c_ast.StructRef):
        return node.type == "." and is_fixed(node.name)
    return isinstance(node, c_ast.ID)


def for_effect(node: Node) -> Node:
    """An expression whose value nobody uses: the reference that a call returns is not followed."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.FuncCall):
        return node.expr
    return node


def binary(op: str, left: Node, right: Node, at: Coord | None) -> Node:
    return _c.BinaryOp(op, left, right, at)  # type: ignore[no-any-return]


def assignment(op: str, left: Node, right: Node, at: Coord | None) -> Node:
    return _c.Assignment(op, left, right, at)  # type: ignore[no-any-return]


def choice(test: Node, then: Node, orelse: Node, at: Coord | None) -> Node:
    return _c.TernaryOp(test, then, orelse, at)  # type: ignore[no-any-return]


def index(base: Node, subscript: Node, at: Coord | None) -> Node:
    return _c.ArrayRef(base, subscript, at)  # type: ignore[no-any-return]


def member(base: Node, field: str, at: Coord | None, arrow: bool = False) -> Node:
    return _c.StructRef(base, "->" if arrow else ".", name(field, at), at)  # type: ignore[no-any-return]


def sequence(nodes: Sequence[Node], at: Coord | None) -> Node:
    return _c.ExprList(list(nodes), at)  # type: ignore[no-any-return]


def braces(nodes: Sequence[Node], at: Coord | None) -> Node:
    return _c.InitList(list(nodes), at)  # type: ignore[no-any-return]


def designated(member: str, value: Node, at: Coord | None) -> Node:
    """`.member = value` in a list."""
    return _c.NamedInitializer([name(member, at)], value, at)  # type: ignore[no-any-return]


# --- types ---------------------------------------------------------------------------------------


def declarator(text: str | None, of: Qualified, at: Coord | None, reference: bool | None = None) -> Node:
    """The type in the declaration of a name; arrays are seen, for what is said of their lengths."""
    reference = of.reference if reference is None else reference
    if reference:
        assert isinstance(of.type, Pointer)
        inner = declarator(text, Qualified(of.type.to, of.type.const), at)
        return _c.PtrDecl([REFERENCE], inner, at)  # type: ignore[no-any-return]
    quals = ["const"] if of.const else []
    return _c.TypeDecl(text, quals, None, Resolved(Qualified(of.type, of.const), at), at)  # type: ignore[no-any-return]


def typename(of: Qualified, at: Coord | None) -> Node:
    return _c.Typename(None, [], None, declarator(None, of, at, reference=False), at)  # type: ignore[no-any-return]


def cast_to(of: Qualified, operand: Node, at: Coord | None) -> Node:
    return _c.Cast(typename(of, at), operand, at)  # type: ignore[no-any-return]


def literal(of: Qualified, init: Node, at: Coord | None) -> Node:
    """`T{...}`"""
    return _c.CompoundLiteral(typename(of, at), init, None, at)  # type: ignore[no-any-return]


def size_of(what: Node, at: Coord | None) -> Node:
    return _c.UnaryOp("sizeof", what, at)  # type: ignore[no-any-return]


# --- declarations --------------------------------------------------------------------------------


def declaration(
    text: str | None, type_: Node, init: Node | None, at: Coord | None, storage: Sequence[str] = (), space: str = ""
) -> Node:
    attributes = [_c.AttributeSpecifier([_c.Attribute(space, "hetad", None)])] if space else []
    return _c.Decl(text, [], [], list(storage), [], type_, init, None, at, attributes=attributes)  # type: ignore[no-any-return]


def variable_length(text: str, of: Qualified, length: Node, at: Coord | None) -> Node:
    assert isinstance(of.type, Array)
    return _c.ArrayDecl(declarator(text, Qualified(of.type.of, of.const), at), length, [], at)  # type: ignore[no-any-return]


def function(text: str, params: Sequence[Node], returns: Qualified, at: Coord | None) -> Node:
    inner = declarator(text, returns, at, reference=False)
    return declaration(text, _c.FuncDecl(_c.ParamList(list(params), at), inner, at), None, at)


def definition(declared: Node, body: Node, at: Coord | None) -> Node:
    return _c.FuncDef(declared, None, body, at)  # type: ignore[no-any-return]


# --- statements ----------------------------------------------------------------------------------


def block(items: Sequence[Node], at: Coord | None) -> Node:
    return _c.Compound(list(items), at)  # type: ignore[no-any-return]


def branch(test: Node, then: Node, orelse: Node | None, at: Coord | None) -> Node:
    return _c.If(test, then, orelse, at)  # type: ignore[no-any-return]


def loop(init: Node | None, test: Node | None, step: Node | None, body: Node, at: Coord | None) -> Node:
    return _c.For(init, test, step, body, at)  # type: ignore[no-any-return]


def declarations(decls: Sequence[Node], at: Coord | None) -> Node:
    return _c.DeclList(list(decls), at)  # type: ignore[no-any-return]


def statement(kind: str, *parts: object, at: Coord | None) -> Node:
    """A node of a kind that has nothing special: `While`, `Return`, ..."""
    return getattr(_c, kind)(*parts, coord=at)  # type: ignore[no-any-return]
