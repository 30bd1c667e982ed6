"""Declared types: pycparser's declarators and specifiers to types of the IR."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from hetad.diagnostics import SyntaxProblem, UnknownTypeProblem
from hetad.frontend.lower import packed
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.c_nodes import REFERENCE, Resolved
from hetad.frontend.lower.constants import known_integer
from hetad.frontend.lower.context import Context, Qualified
from hetad.ir.nodes import Const
from hetad.ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    ULONG,
    USHORT,
    VOID,
    Array,
    Field,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    size_of,
)

# By the words without `signed` and `int`, sorted; `int` stands for what is left when nothing is.
_ARITHMETIC: dict[str, tuple[Type, Type]] = {
    "": (INT, UINT),
    "char": (CHAR, UCHAR),
    "short": (SHORT, USHORT),
    "long": (LONG, ULONG),
    "long long": (LLONG, ULLONG),
}
_SIMPLE: dict[str, Type] = {"void": VOID, "bool": BOOL, "_Bool": BOOL, "float": FLOAT, "double": DOUBLE}
_BEYOND = {
    "half": "half without <cuda_fp16.h>", "half2": "half2", "__half2": "half2",
    "va_list": "functions with variable arguments",
}  # fmt: skip


def declared(ctx: Context, node: c_ast.Node, hint: str | None = None) -> Qualified:
    """The type of a declarator or type name; `hint` names an anonymous struct after what it declares."""
    match node:
        case c_ast.TypeDecl():
            inner = _specified(ctx, node.type, hint)
            qualifiers = node.quals or []
            type_ = _volatile(ctx, inner.type, node) if "volatile" in qualifiers else inner.type
            return Qualified(type_, inner.const or "const" in qualifiers)
        case c_ast.PtrDecl():
            if "volatile" in (node.quals or []):
                ctx.refuse("a pointer that is volatile itself", node, "let it point to volatile data, if that is meant")
            if isinstance(node.type, c_ast.FuncDecl):
                ctx.refuse("function pointers", node, "call the functions by name, chosen by an if or a switch")
            to = declared(ctx, node.type, hint)
            restrict = "restrict" in (node.quals or [])
            pointer = Pointer(to.type, const=to.const, restrict=restrict)
            return Qualified(pointer, "const" in (node.quals or []), REFERENCE in (node.quals or []))
        case c_ast.ArrayDecl():
            of = declared(ctx, node.type, hint)
            return Qualified(Array(of.type, _length(ctx, node)), of.const)
        case c_ast.Typename() | c_ast.Decl() | c_ast.Typedef():
            return declared(ctx, node.type, hint)
        case c_ast.FuncDecl():
            ctx.refuse("a function type", node, "call the functions by name")
    return _specified(ctx, node, hint)


def _volatile(ctx: Context, type_: Type, node: c_ast.Node) -> Type:
    if not isinstance(type_, Int | Float):
        ctx.refuse(f"volatile '{type_}'", node, "make its members volatile")
    return replace(type_, volatile=True)


def _length(ctx: Context, node: c_ast.ArrayDecl) -> int | None:
    from hetad.frontend.lower.expressions import value

    if node.dim is None:
        return None
    length = known_integer(ctx, value(ctx, node.dim))
    if length is None:
        on_host = ctx.function is None or ctx.function.kind == "host"
        remedy = "allocate it with malloc, or fix its length"
        if not on_host:
            remedy = "give it the largest length that occurs, or let the caller pass memory for it"
        ctx.refuse("an array whose length is not a constant", node.dim, remedy)
    if length <= 0:
        raise SyntaxProblem(f"an array of length {length}", ctx.span(node.dim))
    return length


def _specified(ctx: Context, node: c_ast.Node | None, hint: str | None) -> Qualified:
    match node:
        case Resolved():
            return node.qualified
        case c_ast.IdentifierType():
            return _named(ctx, node)
        case c_ast.Struct() | c_ast.Union():
            return Qualified(struct_type(ctx, node, hint))
        case c_ast.Enum():
            return Qualified(enum_type(ctx, node))
        case c_ast.AttributedType():
            ctx.refuse("an attribute on a type", node, "remove it")
        case None:
            raise SyntaxProblem("a declaration without a type", ctx.span(node))
    return ctx.refuse(f"the type specifier {type(node).__name__}", node, "write the type's name")


def _named(ctx: Context, node: c_ast.IdentifierType) -> Qualified:
    names = list(node.names)
    if len(names) == 1:
        name = names[0]
        if name in _SIMPLE:
            return Qualified(_SIMPLE[name])
        entry = ctx.local(name)
        if isinstance(entry, Qualified):
            return entry
        tag = ctx.local_tag(name)
        if tag is not None:
            return Qualified(tag)
        found = ctx.outer.type_named(name)
        if found is not None:
            return found
        if name in TYPES:
            return Qualified(TYPES[name])
        if name in _BEYOND:
            ctx.refuse(_BEYOND[name], node, "use float or double")
    words = sorted(n for n in names if n not in ("signed", "unsigned", "int"))
    pair = _ARITHMETIC.get(" ".join(words))
    if pair is not None:
        return Qualified(pair["unsigned" in names])
    if words == ["double", "long"]:
        ctx.refuse("long double", node, "use double")
    raise UnknownTypeProblem(f"unknown type '{' '.join(names)}'", ctx.span(node))


# --- structs and enumerations --------------------------------------------------------------------


def struct_type(ctx: Context, node: c_ast.Struct | c_ast.Union, hint: str | None) -> Type:
    """The struct that a specifier names or defines."""
    align = _alignment(ctx, node)
    if node.decls is None:
        found = _tagged(ctx, node)
        if found is None and node.name in TYPES:
            found = TYPES[node.name]
        if found is None:
            raise SyntaxProblem(f"struct '{node.name}' is not defined", ctx.span(node))
        return found
    name = node.name or hint
    if name is None:
        ctx.refuse("a struct without a name", node, "give it one")
    name = ctx.outer.program_name(name)
    fields = tuple(_field(ctx, decl, name) for decl in node.decls if not isinstance(decl, c_ast.Pragma))
    if not fields:
        ctx.refuse("a struct without members", node)
    result = (
        packed.union_type(ctx, node, name, fields) if isinstance(node, c_ast.Union) else Struct(name, fields, align)
    )
    if node.name:
        ctx.tags[-1][node.name] = result
    return result


def _tagged(ctx: Context, node: c_ast.Struct | c_ast.Union | c_ast.Enum) -> Type | None:
    """What was declared with the tag."""
    assert node.name is not None
    return ctx.local_tag(node.name) or ctx.outer.tag(node.name)


def _alignment(ctx: Context, node: c_ast.Struct | c_ast.Union) -> int:
    """The number in `struct __align__(16)`, 1 without."""
    names = [a.name for group in node.attributes or [] for a in group.attributes]
    if any(not name.startswith("align") for name in names):
        ctx.refuse("an attribute on a struct", node, "remove it")
    return max((int(name.removeprefix("align")) for name in names), default=1)


def _field(ctx: Context, decl: c_ast.Node, struct: str) -> Field:
    if not isinstance(decl, c_ast.Decl) or decl.name is None:
        ctx.refuse("an unnamed member", decl, "give it a name")
    if decl.bitsize is not None:
        ctx.refuse("bit-fields", decl, "use a plain integer member")
    if decl.init is not None:
        ctx.refuse("a default value of a member", decl, "initialise it where the struct is made")
    qualified = declared(ctx, decl.type, f"{struct}_{decl.name}")
    if qualified.reference:
        ctx.refuse("a member that is a reference", decl, "make it a pointer")
    return Field(decl.name, qualified.type)


def enum_type(ctx: Context, node: c_ast.Enum) -> Type:
    """Enumerations are integers; the enumerators become constants of the current scope."""
    from hetad.frontend.lower.expressions import value

    type_: Type = INT
    if node.underlying_type is not None:
        type_ = declared(ctx, node.underlying_type).type
        if not isinstance(type_, Int):
            raise SyntaxProblem(f"an enumeration of '{type_}'", ctx.span(node))
    elif node.values is None:
        return _tagged(ctx, node) or INT
    if node.name:
        ctx.tags[-1][node.name] = type_
    if node.values is not None:
        number = 0
        for enumerator in node.values.enumerators:
            if isinstance(enumerator, c_ast.Pragma):
                continue
            if enumerator.value is not None:
                constant = known_integer(ctx, value(ctx, enumerator.value))
                if constant is None:
                    raise SyntaxProblem("an enumerator needs a constant", ctx.span(enumerator.value))
                number = constant
            ctx.define(enumerator.name, Const(number, INT, str(number), span=ctx.span(enumerator)))
            number += 1
    return type_


def parameter(qualified: Qualified) -> Qualified:
    """Arrays as parameters are pointers."""
    if isinstance(qualified.type, Array):
        return Qualified(Pointer(qualified.type.of, const=qualified.const))
    return qualified


def complete_size(ctx: Context, type_: Type, node: c_ast.Node) -> int:
    try:
        return size_of(type_)
    except TypeError:
        raise SyntaxProblem(f"'{type_}' has no size", ctx.span(node)) from None
