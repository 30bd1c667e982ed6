"""Expressions: Clang's cursors to the C syntax tree."""

from __future__ import annotations

from collections.abc import Callable

from hetad.frontend.cpp import (
    bindings,
    calls,
    clang,
    closures,
    dispatch,
    lifetimes,
    memory,
    objects,
    pointers,
    targets,
    tree,
    types,
    variable_length,
)
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.clang import Type as ClangType
from hetad.frontend.cpp.hierarchy import is_polymorphic, whole
from hetad.frontend.cpp.tree import Node
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.c_nodes import Temporary
from hetad.frontend.lower.context import Qualified
from hetad.ir import texts
from hetad.ir.types import BOOL, SIZE_T, Type, size_of
from hetad.ir.types import Pointer as PointerType

_TRANSPARENT = (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR)


def expression(body: Body, cursor: Cursor) -> Node:
    """The C expression that a cursor means."""
    handler = _HANDLERS.get(cursor.kind)
    if handler is None:
        what = _DESCRIPTIONS.get(clang.kind(cursor), f"this C++ ({clang.kind(cursor).lower()})")
        body.source.refuse(what, cursor, "write it in another way")
    return handler(body, cursor)


def plain(cursor: Cursor) -> Cursor:
    """What stands in parentheses and implicit conversions."""
    while cursor.kind in _TRANSPARENT and len(inner := clang.expressions(cursor)) == 1:
        cursor = inner[0]
    return cursor


def _transparent(body: Body, cursor: Cursor) -> Node:
    """Parentheses, and implicit conversions, which lowering finds out too."""
    token = body.source.token(cursor)
    if token is not None and token.text == "offsetof" and cursor.kind == CursorKind.UNEXPOSED_EXPR:
        return _evaluated(body, cursor)
    inner = clang.expressions(cursor)
    at = body.coord(cursor)
    if (null := pointers.null(body, cursor, cursor.type)) is not None:
        return null
    if len(inner) == 1 and cursor.type.get_canonical().spelling.startswith("std::initializer_list<"):
        from hetad.frontend.cpp.initialisers import listed

        return listed(body, cursor, inner[0])
    if len(inner) == 1 and inner[0].kind == CursorKind.CXX_THIS_EXPR:
        return objects.this_as_base(body, cursor, at)
    if len(inner) == 1 and dispatch.family_of(body, inner[0]) is not None:
        return expression(body, inner[0])
    if len(inner) == 1:
        return objects.as_base(body, expression(body, inner[0]), inner[0].type, cursor.type, at)
    value = clang.evaluate(cursor)
    if value is not None:
        return number(body, cursor, value)
    texts_ = [t.text for t in body.source.inside(cursor)]
    if inner or "".join(texts_[-2:]) not in ("()", "{}"):
        body.source.refuse("this C++", cursor, "write it in another way")
    return tree.literal(body.qualified(cursor), tree.braces((), at), at)


def number(body: Body, cursor: Cursor, value: float) -> Node:
    """A constant that Clang has computed."""
    type_ = body.types.of(cursor.type, cursor)
    if type_ == BOOL:
        value = bool(value)
    return tree.known(value, type_, body.coord(cursor))


# --- literals ------------------------------------------------------------------------------------


def _integer(body: Body, cursor: Cursor) -> Node:
    token = body.source.token(cursor)
    if token is not None and token.kind == "number":
        return tree.constant("int", token.text, body.coord(cursor))
    return _evaluated(body, cursor)


def _floating(body: Body, cursor: Cursor) -> Node:
    token = body.source.token(cursor)
    if token is not None and token.kind == "number":
        return tree.constant("double", token.text, body.coord(cursor))
    return _evaluated(body, cursor)


def _evaluated(body: Body, cursor: Cursor) -> Node:
    value = clang.evaluate(cursor)
    if value is None:
        body.source.refuse("a constant that Clang cannot compute", cursor, "write the number")
    return number(body, cursor, value)


def _character(body: Body, cursor: Cursor) -> Node:
    token = body.source.token(cursor)
    if token is None or token.kind != "char":
        return _evaluated(body, cursor)
    return tree.constant("char", token.text, body.coord(cursor))


def _string(body: Body, cursor: Cursor) -> Node:
    at = body.source.at(cursor)
    pieces = []
    while at is not None and at < len(body.source.tokens) and body.source.tokens[at].kind == "string":
        pieces.append(body.source.tokens[at].text)
        at += 1
    if not pieces or not all(p.startswith('"') for p in pieces):
        body.source.refuse("this string", cursor, "use a plain string")
    whole = pieces[0] if len(pieces) == 1 else texts.quoted(b"".join(texts.octets(p) for p in pieces))
    return tree.constant("string", whole, body.coord(cursor))


def _boolean(body: Body, cursor: Cursor) -> Node:
    token = body.source.token(cursor)
    if token is None or token.text not in ("true", "false"):
        return _evaluated(body, cursor)
    return tree.constant("bool", token.text, body.coord(cursor))


def _null(body: Body, cursor: Cursor) -> Node:
    return tree.constant("nullptr_t", "nullptr", body.coord(cursor))


# --- operators -----------------------------------------------------------------------------------


def _binary(body: Body, cursor: Cursor) -> Node:
    op, at = clang.binary(cursor), body.coord(cursor)
    left, right = clang.expressions(cursor)[:2]
    if variable_length.leads(left.type) or variable_length.leads(right.type):
        variable_length.refuse(body, cursor)
    nodes = expression(body, left), expression(body, right)
    if op == ",":
        return tree.sequence(nodes, at)
    if op == "=":
        return tree.assignment("=", lifetimes.chosen_place(nodes[0]), nodes[1], at)
    if op not in clang.BINARY[3:] or op == "<=>":
        body.source.refuse(f"the operator '{op}'", cursor, "write it in another way")
    return tree.binary(op, *nodes, at)


def _compound(body: Body, cursor: Cursor) -> Node:
    left, right = clang.expressions(cursor)[:2]
    place, value = lifetimes.chosen_place(expression(body, left)), expression(body, right)
    return tree.assignment(clang.binary(cursor), place, value, body.coord(cursor))


def _unary(body: Body, cursor: Cursor) -> Node:
    op = clang.unary(cursor)
    if not op:
        body.source.refuse("this operator", cursor, "write it in another way")
    if op in ("&", "+") and (function := targets.target(cursor, {})) is not None:
        return pointers.value(body, function, cursor)
    if variable_length.leads(clang.expressions(cursor)[0].type):
        variable_length.refuse(body, cursor)
    return tree.unary(op, expression(body, clang.expressions(cursor)[0]), body.coord(cursor))


def _conditional(body: Body, cursor: Cursor) -> Node:
    parts = clang.expressions(cursor)
    known = clang.evaluate(parts[0]) if body.source.is_models(cursor) else None
    if known is not None:  # as arguments of the template tell
        return expression(body, parts[1 if known else 2])
    test, then, orelse = (expression(body, c) for c in parts)
    node = tree.choice(test, then, orelse, body.coord(cursor))
    if not (isinstance(then, Temporary) and isinstance(orelse, Temporary) and lifetimes.has_end(body, cursor.type)):
        return node
    return lifetimes.temporary(body, cursor, lifetimes.taken(node))  # the object that either makes is one


def _subscript(body: Body, cursor: Cursor) -> Node:
    if (element := variable_length.subscript(body, cursor)) is not None:
        return element
    base, subscript = (expression(body, c) for c in clang.expressions(cursor))
    return tree.index(base, subscript, body.coord(cursor))


def _cast(body: Body, cursor: Cursor) -> Node:
    inner = clang.expressions(cursor)
    to = body.qualified(cursor)
    if not inner:  # T()
        return tree.literal(to, tree.braces((), body.coord(cursor)), body.coord(cursor))
    if dispatch.family_of(body, inner[-1]) is not None and body.types.family(_behind(cursor.type)) is not None:
        return expression(body, inner[-1])
    _refuse_reference(body, cursor, inner[-1])
    node = expression(body, inner[-1])
    if cursor.type.get_canonical().kind == TypeKind.RECORD:  # a reference, or what is constructed inside
        return objects.as_base(body, node, inner[-1].type, cursor.type, body.coord(cursor))
    if _is_down(inner[-1].type, cursor.type):
        behind = _behind(inner[-1].type)
        dispatch.unknown(body, _DOWN, cursor, behind, "pass the derived object")
    return tree.cast_to(Qualified(to.type), node, body.coord(cursor))


_DOWN = "a cast to a class that derives from the object's"


def _behind(type_: ClangType) -> ClangType:
    """What a pointer leads to; other types as they are."""
    canonical = type_.get_canonical()
    return canonical.get_pointee() if canonical.kind == TypeKind.POINTER else canonical


def _is_down(given: ClangType, to: ClangType) -> bool:
    """Whether a pointer is cast to a class that derives from what it points to, and may be no part of that."""
    given, to = given.get_canonical(), to.get_canonical()
    if given.kind != TypeKind.POINTER or to.kind != TypeKind.POINTER:
        return False
    from_, into = given.get_pointee().get_canonical(), to.get_pointee().get_canonical()
    if from_.kind != TypeKind.RECORD or into.kind != TypeKind.RECORD or objects.derives(whole(from_), into):
        return False
    return objects.derives(into, from_)


def _refuse_reference(body: Body, cursor: Cursor, operand: Cursor) -> None:
    """Refuses a cast to a reference, a view of memory as another type, unless it changes nothing or names a base."""
    named = any(types.is_reference(c.type) for c in cursor.get_children() if c.kind == CursorKind.TYPE_REF)
    start, end = body.source.start(cursor), body.source.start(operand)
    head = body.source.tokens[start:end] if start is not None and end is not None else ()
    if head and not named and not any(t.text in ("&", "&&") for t in head):
        return
    given, to = operand.type.get_canonical(), cursor.type.get_canonical()
    if given.kind == to.kind == TypeKind.RECORD:
        if objects.derives(given, to) or objects.derives(whole(given), to):
            return
        if objects.derives(to, given):
            dispatch.unknown(body, _DOWN, cursor, given, "pass the derived object")
    elif given.kind == to.kind and given.spelling.removeprefix("const ") == to.spelling.removeprefix("const "):
        return
    body.source.refuse("a cast to a reference", cursor, "cast the value, or a pointer")


def _braces(body: Body, cursor: Cursor) -> Node:
    """`T{...}`, or a list whose type is told by where it stands."""
    type_ = cursor.type.get_canonical()
    elements = clang.expressions(cursor)
    if type_.kind not in (TypeKind.RECORD, TypeKind.CONSTANTARRAY) and len(elements) == 1:
        return expression(body, elements[0])
    from hetad.frontend.cpp.initialisers import initialiser

    made = tree.literal(Qualified(body.qualified(cursor).type), initialiser(body, cursor), body.coord(cursor))
    return lifetimes.temporary(body, cursor, made)


_TYPES = (CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF, CursorKind.NAMESPACE_REF)


def _size(body: Body, cursor: Cursor) -> Node:
    """`sizeof`, of a type or an expression."""
    at, bytes_ = body.coord(cursor), clang.evaluate(cursor)
    tokens = body.source.inside(cursor)
    of_type = any(c.kind in _TYPES for c in cursor.get_children())  # whose arguments are expressions too
    measured = [c.type for c in cursor.get_children() if c.kind == CursorKind.TYPE_REF or c.kind.is_expression()]
    if any(is_polymorphic(t.get_canonical().get_declaration()) for t in measured):
        body.source.refuse("the size of a class with virtual functions", cursor, "make it a variable")
    operand = [] if of_type else clang.expressions(cursor)
    written = bool(tokens) and tokens[0].text == "sizeof"
    if operand and variable_length.is_row(operand[-1]):
        variable_length.refuse(body, cursor)
    if written and operand:
        return tree.size_of(expression(body, operand[-1]), at)
    if bytes_ is None:
        body.source.refuse("this size", cursor, "write the number")
    larger = _with_functions(body, measured, cursor)
    if larger is not None:
        return tree.size_of(tree.typename(Qualified(larger), at), at)
    if not written:
        return tree.known(bytes_, SIZE_T, at)
    type_ = _written_type(
        body, cursor, [t.text for t in tokens if t.text not in ("sizeof", "(", ")", "const", "struct")]
    )
    if type_ is None or size_of(type_) != bytes_:
        return tree.known(bytes_, SIZE_T, at)
    return tree.size_of(tree.typename(Qualified(type_), at), at)


def _with_functions(body: Body, measured: list[ClangType], at: Cursor) -> Type | None:
    """The type that is measured, if it holds a `std::function`, which libclang does not tell in a template."""
    if not body.source.has_functions:
        return None
    words = [t.text for t in body.source.inside(at) if t.text not in ("sizeof", "(", ")", "const")]
    given = [t for w in words if (t := closures.argument(body.function, w)) is not None] if not measured else []
    found = next((t for t in (*measured, *given) if closures.holds_function(t)), None)
    if found is None or "*" in words:
        return None
    if found in given and len(words) > 1:
        body.source.refuse("the size of what a std::function is a part of, in a template", at, "give the type a name")
    return body.types.of(found, at)


def _written_type(body: Body, cursor: Cursor, words: list[str]) -> Type | None:
    """The type whose name is written there, which libclang does not tell."""
    stars = words.count("*")
    words = [w for w in words if w != "*"]
    type_: Type | None = None
    named = [c for c in cursor.get_children() if c.kind == CursorKind.TYPE_REF]
    if len(named) == 1 and len(words) == 1:
        if named[0].type.get_canonical().kind != TypeKind.UNEXPOSED:
            type_ = body.types.of(named[0].type, cursor)
    elif not named:
        type_ = _BUILT_IN.get(" ".join(words)) or TYPES.get(" ".join(words))
    for _ in range(stars if type_ is not None else 0):
        assert type_ is not None
        type_ = PointerType(type_)
    return type_


def _built_in() -> dict[str, Type]:
    from hetad.frontend.cpp.types import PLAIN

    found = {str(t): t for t in PLAIN.values()}
    return found | {"unsigned": found["unsigned int"], "long long int": found["long long"]}


_BUILT_IN = _built_in()

# --- names ---------------------------------------------------------------------------------------


def _name(body: Body, cursor: Cursor) -> Node:
    at, meant = body.coord(cursor), cursor.referenced
    if meant is None or meant.kind == CursorKind.TEMPLATE_NON_TYPE_PARAMETER:
        return _evaluated(body, cursor)
    if targets.is_function_pointer(meant.type) and (held := targets.target(cursor, body.targets)) is not None:
        return pointers.value(body, held, cursor)
    if meant.kind in (CursorKind.PARM_DECL, CursorKind.VAR_DECL):
        return body.variable(meant, cursor)
    if meant.kind == CursorKind.ENUM_CONSTANT_DECL:
        return tree.name(body.entities.enumerator(meant), at)
    if meant.kind in targets.FUNCTIONS:
        return pointers.value(body, meant, cursor)
    if meant.kind == CursorKind.FIELD_DECL:
        body.source.refuse("pointers to members", cursor, "name the member")
    bound = bindings.place(body, meant, cursor)
    if bound is not None:
        return bound
    value = clang.evaluate(cursor)  # of a variable template
    if value is None:
        body.source.refuse(f"'{cursor.spelling}' here", cursor, "use a plain variable")
    return tree.known(value, body.types.of(cursor.type, cursor), at)


def _member(body: Body, cursor: Cursor) -> Node:
    meant, at = cursor.referenced, body.coord(cursor)
    if meant is not None and meant.kind == CursorKind.VAR_DECL:
        return body.variable(meant, cursor)
    if meant is None or meant.kind != CursorKind.FIELD_DECL:
        body.source.refuse(f"'{cursor.spelling}' here", cursor, "name a member that is data")
    return objects.member(body, cursor, meant, at)


def _this(body: Body, cursor: Cursor) -> Node:
    return tree.unary("&", body.this(cursor), body.coord(cursor))


def _lambda(body: Body, cursor: Cursor) -> Node:
    return objects.closure(body, cursor)


def _call(body: Body, cursor: Cursor) -> Node:
    return calls.call(body, cursor)


_HANDLERS: dict[CursorKind, Callable[[Body, Cursor], Node]] = {
    CursorKind.UNEXPOSED_EXPR: _transparent,
    CursorKind.PAREN_EXPR: _transparent,
    CursorKind.INTEGER_LITERAL: _integer,
    CursorKind.FLOATING_LITERAL: _floating,
    CursorKind.CHARACTER_LITERAL: _character,
    CursorKind.STRING_LITERAL: _string,
    CursorKind.CXX_BOOL_LITERAL_EXPR: _boolean,
    CursorKind.CXX_NULL_PTR_LITERAL_EXPR: _null,
    CursorKind.GNU_NULL_EXPR: _null,
    CursorKind.BINARY_OPERATOR: _binary,
    CursorKind.COMPOUND_ASSIGNMENT_OPERATOR: _compound,
    CursorKind.UNARY_OPERATOR: _unary,
    CursorKind.CONDITIONAL_OPERATOR: _conditional,
    CursorKind.ARRAY_SUBSCRIPT_EXPR: _subscript,
    CursorKind.CSTYLE_CAST_EXPR: _cast,
    CursorKind.CXX_STATIC_CAST_EXPR: _cast,
    CursorKind.CXX_REINTERPRET_CAST_EXPR: _cast,
    CursorKind.CXX_CONST_CAST_EXPR: _cast,
    CursorKind.CXX_FUNCTIONAL_CAST_EXPR: _cast,
    CursorKind.COMPOUND_LITERAL_EXPR: _cast,
    CursorKind.INIT_LIST_EXPR: _braces,
    CursorKind.CXX_UNARY_EXPR: _size,
    CursorKind.SIZE_OF_PACK_EXPR: _evaluated,
    CursorKind.REQUIRES_EXPR: _evaluated,
    CursorKind.CONCEPT_SPECIALIZATION_EXPR: _evaluated,
    CursorKind.CXX_NEW_EXPR: memory.new,
    CursorKind.CXX_DELETE_EXPR: memory.delete,
    CursorKind.DECL_REF_EXPR: _name,
    CursorKind.MEMBER_REF_EXPR: _member,
    CursorKind.CXX_THIS_EXPR: _this,
    CursorKind.LAMBDA_EXPR: _lambda,
    CursorKind.CALL_EXPR: _call,
}
_DESCRIPTIONS = {
    "CXX_DYNAMIC_CAST_EXPR": "dynamic_cast", "CXX_TYPEID_EXPR": "typeid", "CXX_THROW_EXPR": "exceptions",
    "StmtExpr": "a statement inside an expression", "GENERIC_SELECTION_EXPR": "_Generic",
    "OVERLOADED_DECL_REF": "a name that Clang does not resolve",
}  # fmt: skip
