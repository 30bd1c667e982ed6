"""Where objects end, and how they are copied, moved and assigned whole.

The end of an object is a call of its destructor, which lowering puts wherever its scope is left (`AtEnd`), or where
the full expression ends in which it is made (`Temporary`).  What takes an object over, as a variable or a result does,
is that object: nothing is copied.  A parameter by value is a reference to an object of the caller, as on Linux.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast
from pycparser.c_parser import Coord

from hetad.frontend.cpp import clang, special, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import held as bases
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import BASE, is_reference
from hetad.frontend.lower.c_nodes import AtEnd, Copied, Given, Known, Named, Temporary
from hetad.frontend.lower.context import Qualified
from hetad.ir.types import INT

MOST = 64  # elements of an array of objects that are treated one by one


def _holds_bits(body: Body) -> bool:
    return body.passes_bits or body.on_device


def has_end(body: Body, type_: Type) -> bool:
    """Whether the end of an object does something."""
    return not is_reference(type_) and special.has_end(body.entities.specials, type_, _holds_bits(body))


def copies_itself(body: Body, type_: Type) -> bool:
    """Whether to copy an object is more than to copy its bytes."""
    return special.copies_itself(body.entities.specials, type_, _holds_bits(body))


def is_bits(body: Body, type_: Type) -> bool:
    """Whether an object that counts owners is its bits here, whatever its class says."""
    return body.entities.specials.counts and special.is_bits(type_.get_canonical(), _holds_bits(body))


# --- ends ----------------------------------------------------------------------------------------


def at_end(body: Body, name: str, type_: Type, cursor: Cursor) -> list[Node]:
    """What follows the declaration of a variable: what is done when its scope is left."""
    if not has_end(body, type_):
        return []
    at = body.coord(cursor)
    alias = f"{name}${next(body.entities.numbers)}"
    return [AtEnd(name, alias, node, at) for node in reversed(_ends(body, tree.name(alias, at), type_, at))]


def of_members(body: Body, type_: Type, cursor: Cursor) -> list[Node]:
    """What a destructor does after its body: the ends of members and bases."""
    at = body.coord(cursor)
    alias = f"{body.self_name}${next(body.entities.numbers)}"
    ends = _ends_of_parts(body, tree.name(alias, at), type_, at)
    return [AtEnd(body.self_name, alias, node, at) for node in reversed(ends)]


def ends(body: Body, place: Node, type_: Type, at: Coord | None) -> Node:
    """A statement that ends an object."""
    return tree.block(_ends(body, place, type_, at), at)


def _ends(body: Body, place: Node, type_: Type, at: Coord | None) -> list[Node]:
    """The statements that end an object, in order."""
    type_ = type_.get_canonical()
    if not has_end(body, type_):
        return []
    if type_.kind == TypeKind.CONSTANTARRAY:
        counter = body.unused("element")
        element = tree.index(place, tree.name(counter, at), at)
        return [_counted_down(counter, type_.element_count, _ends(body, element, type_.element_type, at), at)]
    own = body.entities.specials.of(type_).end
    if own is not None:
        return [tree.call(body.called(own), (place,), at)]
    return _ends_of_parts(body, place, type_, at)


def _ends_of_parts(body: Body, place: Node, type_: Type, at: Coord | None) -> list[Node]:
    found = list(_parts(body, place, type_, at))
    return [end for part, of in reversed(found) for end in _ends(body, part, of, at)]


def _parts(body: Body, place: Node, type_: Type, at: Coord | None) -> Iterator[tuple[Node, Type]]:
    """The bases and members of an object, in order."""
    type_ = type_.get_canonical()
    for number, base in enumerate(bases(type_.get_declaration())):
        yield tree.member(place, f"{BASE}{number or ''}", at), base.type
    for number, field in enumerate(type_.get_fields()):
        name = field.spelling or body.types.captured(type_, number)
        assert name is not None
        yield tree.member(place, name, at), field.type


def _counted_down(counter: str, count: int, inner: list[Node], at: Coord | None) -> Node:
    def number(value: int) -> Node:
        return tree.constant("int", str(value), at)

    start = tree.binary("-", number(count), number(1), at)
    declared = tree.declaration(counter, tree.declarator(counter, Qualified(INT), at), start, at)
    test = tree.binary(">=", tree.name(counter, at), number(0), at)
    step = tree.unary("--", tree.name(counter, at), at)
    return tree.loop(tree.declarations([declared], at), test, step, tree.block(inner, at), at)


# --- objects without a name ----------------------------------------------------------------------


def temporary(body: Body, cursor: Cursor, node: Node) -> Node:
    """An object that an expression makes: it ends behind the full expression, unless something takes it over."""
    if cursor.type.get_canonical().kind != TypeKind.RECORD or not has_end(body, cursor.type):
        return node
    return _ending(body, node, cursor.type, body.coord(cursor))


def _ending(body: Body, node: Node, type_: Type, at: Coord | None) -> Node:
    alias = f"temporary${next(body.entities.numbers)}"
    return Temporary(node, alias, ends(body, tree.name(alias, at), type_, at), at, _only_frees(body, type_))


def listed(body: Body, array: Node, of: Type, count: int, at: Coord | None) -> Node:
    """The array of a list in braces, whose objects end behind the full expression."""
    if count == 0 or not has_end(body, of):
        return array
    alias, counter = f"temporary${next(body.entities.numbers)}", body.unused("element")
    element = tree.index(tree.name(alias, at), tree.name(counter, at), at)
    last = _counted_down(counter, count, _ends(body, element, of, at), at)
    return Temporary(array, alias, tree.block([last], at), at)


def _only_frees(body: Body, type_: Type) -> bool:
    """Whether the end of an object does nothing but to give memory back: it is a text."""
    canonical = type_.get_canonical()
    return canonical.spelling in ("std::string", "const std::string") and body.source.is_models(
        canonical.get_declaration()
    )


def kept(body: Body, node: Node, parameter: Type) -> Node:
    """An argument; a number, or another value without a destructor, for `T &&` lives as long as the full expression."""
    return held(body, node) if parameter.get_canonical().kind == TypeKind.RVALUEREFERENCE else node


def held(body: Body, node: Node) -> Node:
    """A place, or a value without a destructor in a variable for the full expression."""
    return _in_variable(body, node) if _is_value(node) else node


def _is_value(node: Node) -> bool:
    """Whether an expression is no place."""
    if isinstance(node, c_ast.TernaryOp):
        return _is_value(node.iftrue) or _is_value(node.iffalse)
    if isinstance(node, c_ast.ExprList) and node.exprs:
        return _is_value(node.exprs[-1])
    return isinstance(node, _VALUES) or (isinstance(node, c_ast.UnaryOp) and node.op != "*")


def place_of(node: Node, reference: Type, acts: bool = False) -> Node:
    """What a reference is to: of `c ? a : b`, if it may change that, or the arms act, what a pointer leads to."""
    to = reference.get_canonical()
    if to.kind != TypeKind.LVALUEREFERENCE or (to.get_pointee().is_const_qualified() and not acts):
        return node
    return chosen_place(node)


def chosen_place(node: Node) -> Node:
    """The place that is `c ? a : b`, as one behind a pointer that is chosen; other expressions as they are."""
    if not isinstance(node, c_ast.TernaryOp) or _is_value(node):
        return node
    return tree.unary("*", tree.unary("&", node, node.coord), node.coord)


def _in_variable(body: Body, node: Node) -> Node:
    name = f"temporary${next(body.entities.numbers)}"
    return Temporary(node, name, tree.block((), node.coord), node.coord, anywhere=True)


_VALUES = (c_ast.BinaryOp, c_ast.Constant, Known, Copied, c_ast.Cast, c_ast.CompoundLiteral, c_ast.FuncCall)


def taken(node: Node) -> Node:
    """The value of an object that is taken over."""
    if isinstance(node, Temporary):
        return node.expr
    if isinstance(node, c_ast.TernaryOp):
        return tree.choice(node.cond, taken(node.iftrue), taken(node.iffalse), node.coord)
    if isinstance(node, c_ast.ExprList) and node.exprs:
        return tree.sequence([*node.exprs[:-1], taken(node.exprs[-1])], node.coord)
    return node


def element(body: Body, node: Node, wanted: Type | None, cursor: Cursor) -> Node:
    """The value of a variable or of a part of an object.  Of lists libclang does not show that elements are copied."""
    meant = cursor.referenced if cursor.kind == CursorKind.CALL_EXPR else None
    constructs = meant is not None and meant.kind == CursorKind.CONSTRUCTOR
    is_place = isinstance(node, _PLACES) and not (isinstance(node, c_ast.UnaryOp) and node.op != "*")
    if wanted is None or constructs or not is_place or is_reference(wanted) or not copies_itself(body, wanted):
        return taken(node)
    return _copied(body, node, wanted, cursor, moved=meant is not None and meant.spelling == "move")


_PLACES = (c_ast.ID, c_ast.StructRef, c_ast.ArrayRef, c_ast.UnaryOp)


def result(body: Body, returned: Cursor) -> Node | None:
    """`return x;` of a local object, which becomes the result and does not end; None for anything else."""
    from hetad.frontend.cpp.expressions import plain

    made = plain(returned)
    meant = made.referenced if made.kind == CursorKind.CALL_EXPR else None
    if meant is None or meant.kind != CursorKind.CONSTRUCTOR or not clang.is_copy(meant):
        return None
    args = list(made.get_arguments())
    named = plain(args[0]) if len(args) == 1 else made
    variable = named.referenced if named.kind == CursorKind.DECL_REF_EXPR else None
    if variable is None or variable.kind != CursorKind.VAR_DECL or is_reference(variable.type):
        return None
    function = body.function
    assert function is not None
    local = variable.semantic_parent is not None and variable.semantic_parent.canonical == function.canonical
    same = variable.type.get_canonical().get_declaration() == function.result_type.get_canonical().get_declaration()
    if not local or not same or variable.storage_class.name == "STATIC" or not has_end(body, variable.type):
        return None
    node = body.variable(variable, named)
    return Given(node, node.coord) if isinstance(node, c_ast.ID) else None


def refuse(body: Body, type_: Type, at: Cursor, where: str, remedy: str) -> None:
    """Refuses an object with a destructor where nothing would call it."""
    if has_end(body, type_):
        body.source.refuse(f"an object with a destructor {where}", at, remedy)


def refuse_kept_lambda(body: Body, type_: Type, at: Cursor) -> None:
    """Refuses a variable that holds a lambda for the device which has captured what counts its owners: the lambda is
    none of them, and may outlive them."""
    type_ = type_.get_canonical()
    if is_bits(body, type_) and any(has_end(body, f.type) for f in type_.get_fields()):
        what = "a variable that holds a lambda with views of Kokkos"
        body.source.refuse(what, at, "write the lambda where it is run, or make a functor of it")


# --- copies --------------------------------------------------------------------------------------


def copy(body: Body, place: Node, type_: Type, at: Cursor, moved: bool) -> Node:
    """The value of a copy, member by member, that the compiler writes: of an object, or what it is moved to."""
    if not copies_itself(body, type_):
        return place
    where = body.coord(at)
    place, before = named(body, place)
    members = [_copied(body, p, t, at, moved) for p, t in _parts(body, place, type_, where)]
    made = tree.literal(Qualified(body.types.of(type_, at)), tree.braces(members, where), where)
    return tree.sequence([*before, made], where) if before else made


def named(body: Body, place: Node) -> tuple[Node, list[Node]]:
    """A place that may be named again, and what is evaluated before."""
    if is_pure(place):
        return place, []
    if isinstance(place, Temporary):
        return tree.name(place.alias, place.coord), [place]
    alias = f"place${next(body.entities.numbers)}"
    return tree.name(alias, place.coord), [Named(alias, place, place.coord)]


def copy_of(body: Body, place: Node, type_: Type, at: Cursor) -> Node:
    """The value of a copy of an object, by its copy constructor or member by member."""
    return _copied(body, place, type_, at, moved=False)


def _copied(body: Body, place: Node, type_: Type, at: Cursor, moved: bool) -> Node:
    type_, where = type_.get_canonical(), body.coord(at)
    if is_reference(type_):
        return place
    if type_.kind == TypeKind.CONSTANTARRAY:
        return tree.braces(
            [_copied(body, e, type_.element_type, at, moved) for e in _each(body, place, type_, at)], where
        )
    if type_.kind != TypeKind.RECORD or not copies_itself(body, type_):
        return place
    own = body.entities.specials.of(type_)
    chosen = (own.move or own.copy) if moved else own.copy
    if chosen is not None:
        return tree.call(body.called(chosen), (place,), where)
    if own.move is not None:
        body.source.refuse(f"a copy of a '{type_.spelling}', which is only moved,", at, _BY_HAND)
    return copy(body, place, type_, at, moved)


def assign(body: Body, place: Node, value: Node, type_: Type, at: Cursor, moved: bool) -> Node:
    """`place = value`, an assignment that the compiler writes."""
    where = body.coord(at)
    if not copies_itself(body, type_):
        return tree.assignment("=", place, value, where)
    value, first = named(body, value)  # the right side first, as C++ has it
    place, then = named(body, place)
    pairs = zip(_parts(body, place, type_, where), _parts(body, value, type_, where), strict=True)
    found = [_assigned(body, p, v, t, at, moved) for (p, t), (v, _) in pairs]
    return tree.sequence([*first, *then, *found, place], where)


def _assigned(body: Body, place: Node, value: Node, type_: Type, at: Cursor, moved: bool) -> Node:
    type_, where = type_.get_canonical(), body.coord(at)
    if type_.kind == TypeKind.CONSTANTARRAY:
        of, places, values = type_.element_type, _each(body, place, type_, at), _each(body, value, type_, at)
        each = [_assigned(body, p, v, of, at, moved) for p, v in zip(places, values, strict=True)]
        return tree.sequence(each, where)
    if not copies_itself(body, type_):
        return tree.assignment("=", place, value, where)
    own = body.entities.specials.of(type_)
    chosen = (own.replace or own.assign) if moved else own.assign
    if chosen is not None:
        given = value
        if not is_reference(next(iter(chosen.get_arguments())).type):
            given = _ending(body, _copied(body, value, type_, at, moved), type_, where)
        return tree.for_effect(tree.call(body.called(chosen), (place, given), where))
    if own.replace is not None or own.copy is not None or own.move is not None:
        body.source.refuse(f"an assignment of a '{type_.spelling}', which is only constructed so,", at, _BY_HAND)
    return assign(body, place, value, type_, at, moved)


def _each(body: Body, place: Node, type_: Type, at: Cursor) -> list[Node]:
    """The elements of an array in an object that is copied."""
    if type_.element_count > MOST:
        body.source.refuse(f"a copy of an array of more than {MOST} elements in an object", at, _BY_HAND)
    where = body.coord(at)
    return [tree.index(place, tree.constant("int", str(i), where), where) for i in range(type_.element_count)]


_BY_HAND = "write the copy of the class by hand"
_PLAIN = (c_ast.ID, c_ast.Constant, Known, c_ast.StructRef, c_ast.ArrayRef)


def is_pure(node: Node) -> bool:
    """Whether a place may be named again."""
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("*", "&") and is_pure(node.expr)
    if isinstance(node, c_ast.StructRef):
        return is_pure(node.name)
    return isinstance(node, _PLAIN) and all(is_pure(child) for _, child in node.children())
