"""Calls: launches, functions, methods, operators, constructors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetad.frontend.cpp import (
    accessors,
    clang,
    closures,
    dispatch,
    lifetimes,
    objects,
    pointers,
    polymorphic,
    targets,
    tree,
)
from hetad.frontend.cpp.body import THIS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind
from hetad.frontend.cpp.hierarchy import is_polymorphic
from hetad.frontend.cpp.special import is_implicit
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import PLAIN, is_reference
from hetad.frontend.cuda_syntax import LAUNCH
from hetad.frontend.lower.context import Qualified

_CONFIGURATION = "__cudaPushCallConfiguration"
_IDENTITIES = ("move", "forward")


def call(body: Body, cursor: Cursor) -> Node:
    """The call that a cursor means, as one of a C function; an object that it makes ends, unless it is taken over."""
    node, meant = _call(body, cursor), cursor.referenced
    constructs = meant is not None and meant.kind == CursorKind.CONSTRUCTOR
    makes = constructs or meant is None or not is_reference(targets.returned(meant))
    return lifetimes.temporary(body, cursor, node) if makes else node


def _call(body: Body, cursor: Cursor) -> Node:
    several = _one_of_several(body, cursor)
    if several is not None:
        return several
    if (operator := targets.of_lambda(cursor)) is not None:
        return pointers.value(body, operator, cursor)
    meant = _meant(body, cursor)
    configuration = _configuration(cursor)
    if configuration is not None:
        return _launch(body, cursor, meant, configuration)
    if body.source.is_models(meant) and meant.spelling in _NOT_MODELLED and clang.definition(meant) is None:
        _refuse_model(body, cursor, meant)
    if meant.spelling == "operator<<" and not body.source.is_models(meant) and not body.source.is_users(meant):
        body.source.refuse("writing to a stream inside an expression", cursor, "make it a statement of its own")
    if body.source.is_models(meant) or not body.source.is_users(meant):
        value = clang.evaluate(cursor)
        if value is not None:
            return tree.known(value, body.types.of(cursor.type, cursor), body.coord(cursor))
    if meant.kind == CursorKind.CONSTRUCTOR:
        return objects.construct(body, cursor, meant)
    if meant.kind == CursorKind.DESTRUCTOR:
        body.source.refuse("a call of a destructor inside an expression", cursor, "make it a statement of its own")
    behind_pointer = targets.is_lambdas(meant) and meant != cursor.referenced
    if meant.kind in (CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION) and not behind_pointer:
        return _method(body, cursor, meant)
    if meant.kind != CursorKind.FUNCTION_DECL and not behind_pointer:
        body.source.refuse("a call through an expression", cursor, "call the function by name")
    value = clang.evaluate(cursor) if body.function is None else None
    if value is not None:
        return tree.known(value, body.types.of(cursor.type, cursor), body.coord(cursor))
    return _function(body, cursor, meant, *arguments(body, meant, given(cursor)))


def _one_of_several(body: Body, cursor: Cursor) -> Node | None:
    """A call of a function that a condition, or an index of a table, chooses: `c ? f(x) : g(x)`."""
    from hetad.frontend.cpp.expressions import expression

    held, configuration = cursor.referenced, _configuration(cursor)
    is_named = held is None or held.kind in targets.VARIABLES or held.hash in body.bound
    if not is_named and not pointers.is_returned(cursor):
        return None
    found = targets.chosen(cursor, body.targets) if configuration is None else None
    if found is None and targets.called(cursor, body.targets) is None:
        found = pointers.among(body, cursor)
    if found is None:
        return None
    at, number = body.coord(cursor), expression(body, found.by)
    before: list[Node] = []
    if len(found.functions) > 2 and not accessors.is_pure(number):
        number, before = lifetimes.named(body, lifetimes.held(body, number))

    def called(function: Cursor) -> Node:
        if configuration is not None:
            return _launch(body, cursor, function, configuration)
        return _function(body, cursor, function, *arguments(body, function, given(cursor)))

    calls = [called(f) for f in found.functions]
    if found.numbers is None:
        return tree.choice(number, calls[0], calls[1], at)
    node = calls[-1]
    for k, one in reversed(list(zip(found.numbers[:-1], calls[:-1], strict=True))):
        node = tree.choice(tree.binary("==", number, tree.constant("int", str(k), at), at), one, node, at)
    return tree.sequence([*before, node], at) if before else node


def arguments(body: Body, meant: Cursor, args: Sequence[Cursor]) -> tuple[list[Node], dict[int, Cursor]]:
    """What is passed to a function, and the functions among it, which get no parameter, by their places."""
    functions = targets.passed(meant, args, body.targets)
    whole = polymorphic.passed(body, meant, list(args))
    wanted = [p.type for number, p in enumerate(meant.get_arguments()) if number not in functions]
    nodes = []
    for number, (given_, type_) in enumerate(zip(args, _padded(meant, args), strict=True)):
        if number in whole:
            node = whole[number][1]
            nodes.append(node if type_ is None or is_reference(type_) else tree.unary("&", node, node.coord))
        elif number not in functions:
            nodes.append(_named_function(body, meant, given_) or _argument(body, meant, given_, type_))
    for number, (node, type_) in enumerate(zip(nodes, wanted, strict=False)):
        nodes[number] = lifetimes.place_of(lifetimes.kept(body, node, type_), type_)
    return nodes, functions | {number: type_.get_declaration() for number, (type_, _) in whole.items()}


def _named_function(body: Body, meant: Cursor, given: Cursor) -> Node | None:
    """A function that one is given that hetad knows, as `cudaFuncSetAttribute`: its name."""
    found = targets.target(given, {}) if body.entities.is_known(meant) else None
    return tree.name(body.entities.function(found), body.coord(given)) if found is not None else None


def _argument(body: Body, meant: Cursor, given: Cursor, type_: clang.Type | None) -> Node:
    """An argument; a number that is converted for a `T &&`, or as in `std::max<float>(x, 1)`, as what it becomes."""
    from hetad.frontend.cpp.expressions import expression

    node = expression(body, given)
    if type_ is None:
        return node
    to = type_.get_canonical()
    wanted = to.get_pointee().get_canonical() if is_reference(type_) else to
    inner = given
    while inner.kind == CursorKind.UNEXPOSED_EXPR and (below := clang.only(inner)) is not None:
        inner = below
    if to.kind == clang.TypeKind.RVALUEREFERENCE and _is_scalar(wanted):
        same = inner.type.get_canonical().spelling == wanted.spelling and _is_moved(body, inner)
    elif meant.spelling in ("min", "max") and body.entities.is_known(meant):
        same = body.types.of(inner.type, inner) == body.types.of(wanted, inner)
    else:
        same = True
    return node if same else tree.cast_to(Qualified(body.types.of(wanted, inner)), node, node.coord)


def _is_scalar(type_: clang.Type) -> bool:
    kinds = (*PLAIN, clang.TypeKind.ENUM, clang.TypeKind.POINTER)
    return type_.kind in kinds and not targets.is_function_pointer(type_)


def _is_moved(body: Body, cursor: Cursor) -> bool:
    """Whether what `T &&` refers to is a variable, or a part of one, and no value: `std::move(x)`, `std::move(x).y`."""
    while cursor.kind in (CursorKind.MEMBER_REF_EXPR, CursorKind.PAREN_EXPR) and clang.expressions(cursor):
        cursor = clang.expressions(cursor)[0]
    if cursor.kind == CursorKind.CXX_STATIC_CAST_EXPR:
        return any(token.text == "&&" for token in body.source.inside(cursor))
    meant = cursor.referenced if cursor.kind == CursorKind.CALL_EXPR else None
    returns = meant.result_type.get_canonical().kind if meant is not None else None
    return bool(returns == clang.TypeKind.RVALUEREFERENCE)


def _padded(meant: Cursor, args: Sequence[Cursor]) -> list[clang.Type | None]:
    """The types of the parameters, as many as there are arguments."""
    types: list[clang.Type | None] = [p.type for p in meant.get_arguments()]
    return [*types, *[None] * len(args)][: len(args)]


def ended(body: Body, cursor: Cursor) -> Node | None:
    """The statement `x.~T();`; None for other expressions."""
    parts = clang.children(cursor) if cursor.kind == CursorKind.CALL_EXPR else []
    meant = cursor.referenced if parts else None
    if meant is None or meant.kind != CursorKind.DESTRUCTOR:
        return None
    this = objects.as_base(
        body, _object(body, parts[0]), _object_type(body, parts[0]), meant.semantic_parent.type, body.coord(cursor)
    )
    return lifetimes.ends(body, this, meant.semantic_parent.type, body.coord(cursor))


_NOT_MODELLED = {
    "coalesced_threads": ("groups of the threads that come to a place", "take a tile: tiled_partition<32>(block)"),
    "this_multi_grid": ("groups of several grids", "launch on one device"),
    "tiled_partition": ("tiles whose size the run tells", "give it as a template argument: tiled_partition<32>(block)"),
    "rdbuf": ("the buffer of a stream", "hand on the stream itself, by a reference or a pointer"),
    "seekp": ("going back in what a stream has written", "write it in its order, or to a std::vector first"),
    "operator<<": ("writing the address in a pointer", "write what it points to"),
    "sync": ("a barrier of the whole grid", "end the kernel there, and launch another one"),
}


def _refuse_model(body: Body, cursor: Cursor, meant: Cursor) -> None:
    what, remedy = _NOT_MODELLED[meant.spelling]
    body.source.refuse(what, cursor, remedy)


_NO_TARGET = "call it by name, choose by 'if' or 'switch', or make it a template parameter"


def _meant(body: Body, cursor: Cursor) -> Cursor:
    """The function that is called, or the variable that holds it."""
    meant: Cursor | None = cursor.referenced
    if meant is not None and meant.kind not in targets.VARIABLES:
        return meant
    found = targets.called(cursor, body.targets)
    if found is None:
        body.source.refuse("a call of a function that only the run tells", cursor, _NO_TARGET)
    return found


def given(cursor: Cursor) -> list[Cursor]:
    """The arguments that are written: defaults have no place."""
    found = list(cursor.get_arguments())
    while found and found[-1].location.line == 0 and not clang.children(found[-1]):
        found.pop()
    return found


def _function(body: Body, cursor: Cursor, meant: Cursor, args: Sequence[Node], known: dict[int, Cursor]) -> Node:
    at = body.coord(cursor)
    if body.entities.is_known(meant):
        if meant.spelling in _IDENTITIES and len(args) == 1:
            return args[0]
        if meant.spelling == "swap":
            body.source.refuse("std::swap inside an expression", cursor, "make it a statement of its own")
        return tree.call(meant.spelling, args, at)
    if targets.is_lambdas(meant):  # behind a pointer: it has captured nothing
        closure = tree.literal(Qualified(body.types.of(meant.semantic_parent.type, meant)), tree.braces((), at), at)
        args = [lifetimes.held(body, closure), *args]
    return result(meant, tree.call(body.called(meant, known), args, at))


def result(meant: Cursor, node: Node) -> Node:
    """What a call denotes: where a reference is returned, the place behind the pointer that stands for it."""
    return tree.unary("*", node, node.coord) if is_reference(meant.result_type) else node


# --- methods -------------------------------------------------------------------------------------


def _method(body: Body, cursor: Cursor, meant: Cursor) -> Node:
    from hetad.frontend.cpp.expressions import expression

    parts, args = clang.children(cursor), given(cursor)
    if not body.source.is_users(meant) and meant.kind == CursorKind.CONVERSION_FUNCTION:
        return _object(body, parts[0])  # of half precision, which lowering converts
    if parts and parts[0].kind == CursorKind.MEMBER_REF_EXPR and parts[0].spelling == meant.spelling:
        this = None if meant.is_static_method() else _object(body, parts[0])
        owner = _object_type(body, parts[0])
    elif meant.is_static_method():
        this, owner = None, None
    else:
        this, owner = expression(body, args[0]), args[0].type
        args = args[1:]
    if this is not None and closures.is_room(meant):
        return closures.room(body, this, meant)
    assigns = meant.spelling == "operator=" and _is_memberwise(body, meant)
    nodes, functions = ([expression(body, a) for a in args], {}) if assigns else arguments(body, meant, args)
    if meant.spelling in ("operator++", "operator--") and len(nodes) < len(list(meant.get_arguments())):
        nodes.append(tree.constant("int", "0", body.coord(cursor)))  # tells the one that follows from the other
    if assigns and this is not None:
        moved = next(iter(meant.get_arguments())).type.kind == clang.TypeKind.RVALUEREFERENCE
        return lifetimes.assign(body, this, nodes[0], meant.semantic_parent.type, cursor, moved)
    object_ = _whole(body, cursor, parts, meant) if this is not None else None
    named = _named_object(cursor, parts) if this is not None and object_ is None else None
    if named is not None and this is not None and owner is not None and dispatch.family_of(body, named) is not None:
        virtual = meant.is_virtual_method() and not _is_qualified(parts)
        own = owner.get_pointee() if is_reference(owner) else owner

        def others() -> list[Node]:
            return arguments(body, meant, args)[0]

        return dispatch.call(body, cursor, this, own, meant, virtual, others)
    if object_ is not None:
        meant = _chosen(body, cursor, meant, parts, object_)
        if is_polymorphic(meant.semantic_parent):
            called = body.called(meant, {THIS: object_[0].get_declaration(), **functions})
            return result(meant, tree.call(called, [object_[1], *nodes], body.coord(cursor)))
        this, owner = object_[1], object_[0]
    elif meant.is_virtual_method() and not _is_qualified(parts):
        what = f"a call of the virtual function '{meant.spelling}' for an object whose class only the run tells"
        dispatch.unknown(body, what, cursor, meant.semantic_parent.type)
    if this is not None:
        this = objects.as_base(body, this, owner, meant.semantic_parent.type, body.coord(cursor))
        accessed = accessors.written_out(body, meant, this, nodes)
        if accessed is not None:
            return accessed
        nodes.insert(0, lifetimes.held(body, this))
    return result(meant, tree.call(body.called(meant, functions), nodes, body.coord(cursor)))


def _is_memberwise(body: Body, assignment: Cursor) -> bool:
    """Whether an assignment is that of the members, or of an object's bits."""
    return is_implicit(assignment) or lifetimes.is_bits(body, assignment.semantic_parent.type)


def _whole(body: Body, cursor: Cursor, parts: list[Cursor], meant: Cursor) -> polymorphic.Object | None:
    """The object of a method, where its class is known and has virtual functions."""
    if not is_polymorphic(meant.semantic_parent):
        return None
    if not parts or parts[0].kind != CursorKind.MEMBER_REF_EXPR:
        return polymorphic.object_of(body, given(cursor)[0])
    inner = clang.object_of(parts[0])
    return polymorphic.object_of(body, inner) if inner is not None else polymorphic.own_object(body, parts[0])


def _named_object(cursor: Cursor, parts: list[Cursor]) -> Cursor | None:
    """The expression that names the object of a method, or points to it; None for that of the method around."""
    if not parts or parts[0].kind != CursorKind.MEMBER_REF_EXPR:
        return given(cursor)[0]
    return clang.object_of(parts[0])


def _chosen(body: Body, cursor: Cursor, meant: Cursor, parts: list[Cursor], object_: polymorphic.Object) -> Cursor:
    """The function that is called for an object."""
    if not meant.is_virtual_method() or _is_qualified(parts):
        return meant
    found = polymorphic.overrider(object_[0], meant)
    if found is None:
        body.source.refuse(f"this call of the virtual function '{meant.spelling}'", cursor, polymorphic.REMEDY)
    return found


def _is_qualified(parts: list[Cursor]) -> bool:
    """Whether a call names the class whose function it means: `Base::area()`."""
    return bool(parts) and any(c.kind in _QUALIFIERS for c in parts[0].get_children())


_QUALIFIERS = (CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF)


def _object(body: Body, reference: Cursor) -> Node:
    """The object before the dot; that of the method itself where nothing stands there."""
    from hetad.frontend.cpp.expressions import expression

    inner = clang.object_of(reference)
    if inner is None:
        return body.this(reference)
    node = expression(body, inner)
    pointer = inner.type.get_canonical().kind == clang.TypeKind.POINTER
    return tree.unary("*", node, node.coord) if pointer else node


def _object_type(body: Body, reference: Cursor) -> clang.Type:
    inner = clang.object_of(reference)
    if inner is None:
        return body.this_type()
    type_ = inner.type.get_canonical()
    return type_.get_pointee() if type_.kind == clang.TypeKind.POINTER else type_


# --- launches ------------------------------------------------------------------------------------


def _configuration(cursor: Cursor) -> Cursor | None:
    for child in cursor.get_children():
        if child.kind == CursorKind.CALL_EXPR and child.spelling == _CONFIGURATION:
            return child
    return None


def _launch(body: Body, cursor: Cursor, kernel: Cursor, configuration: Cursor) -> Node:
    from hetad.frontend.cpp.expressions import expression

    at = body.coord(cursor)
    settings = [_extent(body, c) if n < 2 else expression(body, c) for n, c in enumerate(given(configuration))]
    body = replace(body, passes_bits=True)
    for argument in given(cursor):
        lifetimes.refuse(body, argument.type, argument, "as an argument of a kernel", "pass its pointer")
    args, functions = arguments(body, kernel, given(cursor))
    name = tree.name(body.called(kernel, functions), at)
    return tree.call(f"{LAUNCH}{len(settings)}", [name, *settings, *args], at)


def _extent(body: Body, cursor: Cursor) -> Node:
    """The grid or the block: a number as it is written, without the dim3 that C++ makes of it."""
    from hetad.frontend.cpp.expressions import expression, plain

    inner = plain(cursor)
    if inner.kind == CursorKind.CALL_EXPR and inner.spelling == "dim3" and not _is_written(body, inner):
        args = given(inner)
        if len(args) == 1:
            return expression(body, args[0])
    return expression(body, cursor)


def _is_written(body: Body, cursor: Cursor) -> bool:
    start = body.source.start(cursor)
    return start is not None and body.source.tokens[start].text == "dim3"
