"""Objects of classes: members, bases, construction, lambdas."""

from __future__ import annotations

from pycparser.c_parser import Coord

from hetad.frontend.cpp import clang, closures, escapes, lifetimes, questions, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import bases, held, is_empty, members_of, whole
from hetad.frontend.cpp.lambdas import is_outside
from hetad.frontend.cpp.names import record_key
from hetad.frontend.cpp.special import is_implicit
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import BASE, is_reference
from hetad.frontend.cuda_syntax import DIM3
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.c_nodes import Copied
from hetad.frontend.lower.context import Qualified


def member(body: Body, cursor: Cursor, field: Cursor, at: Coord | None) -> Node:
    """`object.field`, `pointer->field`, or a member of the object whose method this is."""
    from hetad.frontend.cpp import dispatch
    from hetad.frontend.cpp.expressions import expression

    inner = clang.object_of(cursor)
    owner = field.semantic_parent.type
    if inner is None or inner.kind == CursorKind.CXX_THIS_EXPR:
        here = body.this_type()
        base = part(body.this(cursor), here, owner, at)
        node = tree.member(base, field.spelling, at)
    elif dispatch.family_of(body, inner) is not None:
        pointer_ = inner.type.get_canonical().kind == TypeKind.POINTER
        seen = inner.type.get_canonical().get_pointee() if pointer_ else inner.type
        object_ = expression(body, inner)
        node = dispatch.member(
            body, tree.unary("*", object_, at) if pointer_ else object_, seen, owner, field.spelling, at
        )
    elif inner.type.get_canonical().kind == TypeKind.POINTER:
        pointee = inner.type.get_canonical().get_pointee()
        pointer = expression(body, inner)
        if _is_same(whole(pointee), owner):
            node = tree.member(pointer, field.spelling, at, arrow=True)
        else:
            node = tree.member(part(tree.unary("*", pointer, at), pointee, owner, at), field.spelling, at)
    else:
        object_ = expression(body, inner)
        node = tree.member(part(object_, inner.type, owner, at), field.spelling, at)
    return tree.unary("*", node, at) if is_reference(field.type) else node


# --- bases ---------------------------------------------------------------------------------------


def as_base(body: Body, node: Node, given: Type | None, wanted: Type, at: Coord | None) -> Node:
    """An object, or a pointer to one, as that of a class that it derives from; other values as they are."""
    if given is None:
        return node
    given, wanted = _without_reference(given), _without_reference(wanted)
    if given.kind == TypeKind.RECORD and wanted.kind == TypeKind.RECORD:
        given, to = whole(given).get_canonical(), whole(wanted).get_canonical()
        if is_empty(to) and not _is_same(given, to) and derives(given, to):
            empty = Qualified(body.types.struct(to, body.function or to.get_declaration()))
            return Copied(tree.literal(empty, tree.braces((), at), at), at)
        wanted = to
    if given.kind == TypeKind.POINTER and wanted.kind == TypeKind.POINTER:
        inside = as_base(body, tree.unary("*", node, at), given.get_pointee(), wanted.get_pointee(), at)
        path = _path(whole(given.get_pointee()), whole(wanted.get_pointee()))
        return tree.unary("&", inside, at) if path else node
    for name in _path(given, wanted) or ():
        node = tree.member(node, name, at)
    return node


def this_as_base(body: Body, cursor: Cursor, at: Coord | None) -> Node:
    """`this`, converted to a pointer to a base: to that part of the whole object."""
    this, whole_ = body.this(cursor), whole(body.this_type())
    to = whole(cursor.type.get_canonical().get_pointee())
    if _path(whole_, to):
        return tree.unary("&", part(this, whole_, to, at), at)
    return as_base(body, tree.unary("&", this, at), clang.expressions(cursor)[0].type, cursor.type, at)


def part(node: Node, given: Type, owner: Type, at: Coord | None) -> Node:
    """The part of an object that has the members of a class."""
    for name in _path(whole(_without_reference(given)), owner) or ():
        node = tree.member(node, name, at)
    return node


def _without_reference(type_: Type) -> Type:
    canonical = type_.get_canonical()
    return canonical.get_pointee().get_canonical() if is_reference(canonical) else canonical


def _is_same(one: Type, other: Type) -> bool:
    return record_key(one) == record_key(other)


def _path(given: Type, wanted: Type) -> list[str] | None:
    """The members that lead from a class to its base; None if it is none."""
    given, wanted = given.get_canonical(), wanted.get_canonical()
    if given.kind != TypeKind.RECORD or wanted.kind != TypeKind.RECORD:
        return None
    if _is_same(given, wanted):
        return []
    for number, base in enumerate(held(given.get_declaration())):
        path = _path(base.type, wanted)
        if path is not None:
            return [f"{BASE}{number or ''}", *path]
    return None


def derives(given: Type, wanted: Type) -> bool:
    """Whether a class is another one, or has it as a base."""
    if _path(given, wanted) is not None:
        return True
    return any(derives(b.type, wanted) for b in bases(given.get_canonical().get_declaration()))


# --- construction --------------------------------------------------------------------------------


def construct(body: Body, cursor: Cursor, constructor: Cursor) -> Node:
    """The object that a constructor makes, as the value of a function, or a list of its members."""
    from hetad.frontend.cpp.calls import arguments, given
    from hetad.frontend.cpp.expressions import expression

    at, args = body.coord(cursor), given(cursor)
    type_ = cursor.type.get_canonical()
    if type_.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        if type_.kind == TypeKind.INCOMPLETEARRAY:
            body.source.refuse("an array of objects that are constructed, of this length,", cursor, "use std::vector")
        return default_value(body, type_, None, cursor)
    if type_.kind != TypeKind.RECORD:
        body.source.refuse("this construction", cursor, "name the type")
    known = not body.source.is_users(constructor) and constructor.spelling in TYPES
    if known and constructor.spelling == "dim3":
        nodes = [expression(body, a) for a in args]
        return nodes[0] if clang.is_copy(constructor) else tree.call(DIM3, nodes, at)
    if known and len(args) == 1:
        return expression(body, args[0])
    if clang.is_copy(constructor) and (is_implicit(constructor) or lifetimes.is_bits(body, type_)):
        given_ = as_base(body, lifetimes.taken(expression(body, args[0])), args[0].type, cursor.type, at)
        return lifetimes.copy(body, given_, type_, cursor, bool(constructor.is_move_constructor()))
    if is_implicit(constructor):
        return tree.literal(Qualified(body.qualified(cursor).type), tree.braces(_defaults(body, type_, cursor), at), at)
    if _is_inherited(constructor):
        return _inherited(body, cursor, type_, constructor)
    if len(args) == 1 and (made := closures.stored(body, cursor, constructor, args[0])) is not None:
        return made
    passed, functions = arguments(body, constructor, args)
    return tree.call(body.called(constructor, functions), passed, at)


def _is_inherited(constructor: Cursor) -> bool:
    """Whether a constructor is one of a base: `using Base::Base;`."""
    own = (m for m in members_of(constructor.semantic_parent) if m.kind in _MAKERS)
    declared = {c.canonical for c in (constructor, clang.pattern(constructor)) if c is not None}
    return not any(m.location == constructor.location or m.canonical in declared for m in own)


_MAKERS = (CursorKind.CONSTRUCTOR, CursorKind.FUNCTION_TEMPLATE)


def _is_or_derives_from(type_: Type, name: str) -> bool:
    declaration = type_.get_canonical().get_declaration()
    return declaration.spelling == name or any(_is_or_derives_from(b.type, name) for b in bases(declaration))


def _inherited(body: Body, cursor: Cursor, type_: Type, constructor: Cursor) -> Node:
    """An object that a constructor of a base makes; what it does not know has default values."""
    from hetad.frontend.cpp.calls import arguments, given

    type_, at = type_.get_canonical(), body.coord(cursor)
    values, made = [], False
    for base in held(type_.get_declaration()):
        if made or not _is_or_derives_from(base.type, constructor.spelling):
            values.append(default_value(body, base.type, None, cursor))
            continue
        made, own = True, questions.constructor(base.type.get_canonical(), constructor)
        if _is_inherited(own):
            values.append(_inherited(body, cursor, base.type, own))
        else:
            passed, functions = arguments(body, own, given(cursor))
            values.append(tree.call(body.called(own, functions), passed, at))
    if not made:
        body.source.refuse("this inherited constructor", cursor, "declare a constructor of the class itself")
    values += [default_value(body, f.type, default(f), cursor) for f in type_.get_fields()]
    return tree.literal(Qualified(body.types.struct(type_, cursor)), tree.braces(values, at), at)


def is_trivial(cursor: Cursor) -> bool:
    """Whether an expression constructs something without giving it a value."""
    meant = cursor.referenced
    if cursor.kind != CursorKind.CALL_EXPR or meant is None or meant.kind != CursorKind.CONSTRUCTOR:
        return False
    return is_implicit(meant) and not clang.is_copy(meant) and not has_defaults(cursor.type)


def has_defaults(type_: Type) -> bool:
    """Whether an object of a class has values without being given any."""
    type_ = type_.get_canonical()
    while type_.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        type_ = type_.element_type.get_canonical()
    if type_.kind != TypeKind.RECORD:
        return False
    declaration = type_.get_declaration()
    if any(has_defaults(b.type) for b in bases(declaration)):
        return True
    own = [m for m in members_of(declaration) if m.kind == CursorKind.CONSTRUCTOR and m.is_default_constructor()]
    if any(not is_implicit(m) for m in own):
        return True
    return any(default(f) is not None or has_defaults(f.type) for f in type_.get_fields())


def default(field: Cursor) -> Cursor | None:
    """The default value of a member."""
    found = clang.expressions(field)
    return found[-1] if found and field.words & {"=", "{"} else None


def _defaults(body: Body, type_: Type, at: Cursor) -> list[Node]:
    """The values of the members of an object that is given none."""
    if not has_defaults(type_):
        return []
    return [default_value(body, b.type, None, at) for b in held(type_.get_declaration())] + [
        default_value(body, f.type, default(f), at) for f in type_.get_fields()
    ]


def default_value(body: Body, type_: Type, given: Cursor | None, at: Cursor) -> Node:
    """What a member is that the constructor does not mention."""
    from hetad.frontend.cpp.initialisers import initialiser

    where = body.coord(at)
    if given is not None and not _is_zero(given):
        if uses_object(given):
            body.source.refuse("a default value made of other members", given, "give it in a constructor")
        return initialiser(body, given, type_)
    canonical = type_.get_canonical()
    if canonical.kind == TypeKind.RECORD and has_defaults(canonical):
        chosen = body.entities.specials.of(canonical).default
        if chosen is None:
            return tree.braces(_defaults(body, canonical, at), where)
        return tree.call(body.called(chosen), (), where)
    if canonical.kind == TypeKind.CONSTANTARRAY and has_defaults(canonical):
        return tree.braces(default_elements(body, canonical, 0, at), where)
    if canonical.kind in (TypeKind.RECORD, TypeKind.CONSTANTARRAY):
        return tree.braces((), where)
    return tree.cast_to(Qualified(body.types.of(type_, at)), tree.constant("int", "0", where), where)


def default_elements(body: Body, array: Type, given: int, at: Cursor) -> list[Node]:
    """The objects of an array behind those that are given."""
    if array.element_count > lifetimes.MOST:
        what = f"an array of more than {lifetimes.MOST} objects that are constructed"
        body.source.refuse(what, at, "construct them in a loop")
    return [default_value(body, array.element_type, None, at) for _ in range(given, array.element_count)]


def _is_zero(given: Cursor) -> bool:
    """Whether a member is given `()`, which has no place in the text."""
    is_written = given.location.line > 0 or bool(clang.children(given))
    return given.kind == CursorKind.UNEXPOSED_EXPR and not is_written


def _refuse_own_address(body: Body, constructor: Cursor) -> None:
    """Refuses a constructor that keeps the address of the object: here it makes it in another place."""
    kept = escapes.of_object(body, constructor)
    if kept is not None:
        what = "a constructor that keeps the address of its object"
        body.source.refuse(what, kept, "set it in a method that is called when the object is made")


# --- lambdas -------------------------------------------------------------------------------------


def closure(body: Body, cursor: Cursor) -> Node:
    """A lambda as the struct of what it captures."""
    from hetad.frontend.cpp.expressions import expression

    at = body.coord(cursor)
    fields, held = list(cursor.type.get_fields()), body.types.captures(cursor.type)
    own_object = body.types.captured_object(cursor.type)
    owns = not lifetimes.is_bits(body, cursor.type)
    if len(fields) != len(held):
        body.source.refuse("what this lambda captures", cursor, "capture variables by name")
    values = []
    for field, variable in zip(fields, held, strict=True):
        if variable == own_object:  # `this`
            object_ = body.this(cursor)
            values.append(tree.unary("&", object_, at) if _is_pointer(field.type) else object_)
            continue
        own = None if is_outside(variable, cursor) else clang.initialiser(variable)  # [name = value]
        if own is not None and not is_reference(field.type):
            values.append(lifetimes.taken(expression(body, own)))
            continue
        place = expression(body, own) if own is not None else body.variable(variable, cursor)
        if is_reference(field.type):
            values.append(tree.unary("&", place, at))
        else:
            values.append(copied(body, place, field.type, cursor, owns))
    for variable in body.types.shared(cursor.type):
        place = body.variable(variable, cursor)
        has_length = variable.type.get_canonical().kind != TypeKind.INCOMPLETEARRAY
        values.append(tree.unary("&", place, at) if has_length else place)
    made = tree.literal(Qualified(body.qualified(cursor).type), tree.braces(values, at), at)
    return lifetimes.temporary(body, cursor, made)


def _is_pointer(type_: Type) -> bool:
    return bool(type_.get_canonical().kind == TypeKind.POINTER)


_MOST = 64  # elements of an array that a lambda captures


def copied(body: Body, place: Node, type_: Type, at: Cursor, owns: bool = True) -> Node:
    """The value of a variable that is copied; of an array, all its elements.  `owns`: as classes copy their objects,
    and not bit by bit."""
    type_ = type_.get_canonical()
    if type_.kind != TypeKind.CONSTANTARRAY:
        return lifetimes.copy_of(body, place, type_, at) if owns else place
    if type_.element_count > _MOST:
        body.source.refuse("a copy of a large array", at, "take a reference or a pointer to it")
    where = body.coord(at)
    numbers = (tree.constant("int", str(i), where) for i in range(type_.element_count))
    elements = (tree.index(place, number, where) for number in numbers)
    return tree.braces([copied(body, e, type_.element_type, at, owns) for e in elements], where)


def constructed(body: Body, constructor: Cursor, at: Coord | None) -> list[Node]:
    """The statements of a constructor before its body: `Self self; self.x = ...;`."""
    from hetad.frontend.cpp.initialisers import initialiser

    class_ = constructor.semantic_parent.type
    given = dict(_pairs(constructor))
    of = Qualified(body.types.struct(class_, constructor))
    declared = tree.declarator(body.self_name, of, at)
    if (key := record_key(class_)) in given:  # another constructor makes it
        return [tree.declaration(body.self_name, declared, initialiser(body, given[key]), at)]
    _refuse_own_address(body, constructor)
    own = [d for f in class_.get_fields() if f.spelling not in given and (d := default(f)) is not None]
    if any(uses_object(value) for value in (*given.values(), *own)):
        return _one_by_one(body, constructor, given, of, at)
    values = [
        default_value(body, b.type, given.get(record_key(b.type)), constructor) for b in held(class_.get_declaration())
    ]
    for field in class_.get_fields():
        value = given.get(field.spelling) or default(field)
        if value is not None and is_reference(field.type):
            values.append(tree.unary("&", initialiser(body, value), at))
        else:
            values.append(default_value(body, field.type, value, constructor))
    init = tree.braces(values, at) if given or _any_default(class_) else None
    return [tree.declaration(body.self_name, declared, init, at)]


def _any_default(class_: Type) -> bool:
    fields = any(default(f) is not None or has_defaults(f.type) for f in class_.get_fields())
    return fields or any(has_defaults(b.type) for b in bases(class_.get_declaration()))


def _pairs(constructor: Cursor) -> list[tuple[str, Cursor]]:
    """Members, or bases by their keys, and what they are initialised with."""
    found: list[tuple[str, Cursor]] = []
    name: str | None = None
    for child in constructor.get_children():
        if child.kind == CursorKind.MEMBER_REF:
            name = child.spelling
        elif child.kind in (CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF):
            name = ""  # of a template only its arguments may have a type
        elif child.kind.is_expression() and name is not None:
            key = name or record_key(child.type)
            found.append((key, child))
            name = None
    return found


def uses_object(cursor: Cursor) -> bool:
    """Whether an expression reads members of the object itself."""
    for inner in clang.walk(cursor):
        if inner.kind == CursorKind.CXX_THIS_EXPR:
            return True
        if inner.kind == CursorKind.MEMBER_REF_EXPR and clang.object_of(inner) is None:
            return True
    return False


def _one_by_one(
    body: Body, constructor: Cursor, given: dict[str, Cursor], of: Qualified, at: Coord | None
) -> list[Node]:
    """Where a member is made of another, each is assigned."""
    from hetad.frontend.cpp.initialisers import initialiser

    class_ = constructor.semantic_parent.type
    if held(class_.get_declaration()):
        body.source.refuse("members made of each other beside a base", constructor, "assign them in the body")
    out = [tree.declaration(body.self_name, tree.declarator(body.self_name, of, at), tree.braces((), at), at)]
    for field in class_.get_fields():
        value = given.get(field.spelling) or default(field)
        if value is None and not has_defaults(field.type):
            continue
        if field.type.get_canonical().kind == TypeKind.CONSTANTARRAY:
            body.source.refuse("an array made of other members", constructor, "assign its elements in the body")
        node = default_value(body, field.type, None, constructor) if value is None else initialiser(body, value)
        place = tree.member(tree.name(body.self_name, at), field.spelling, at)
        out.append(tree.assignment("=", place, tree.unary("&", node, at) if is_reference(field.type) else node, at))
    return out
