"""What is known while the body of a function, or an initialiser at file scope, is translated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pycparser.c_parser import Coord

from hetad.diagnostics import UnsupportedError
from hetad.frontend import opaque
from hetad.frontend.cpp import clang, tree
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import whole
from hetad.frontend.cpp.names import apart, is_record
from hetad.frontend.cpp.source import Source
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import Types, is_reference
from hetad.frontend.lower.context import Qualified
from hetad.frontend.models import MODELLED, RATHER_PASSED_OVER, STREAMS

if TYPE_CHECKING:
    from hetad.frontend.cpp.entities import Entities

FUNCTIONS = (
    CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION, CursorKind.FUNCTION_TEMPLATE,
)  # fmt: skip


THIS = -1  # in the place of a parameter
BITS = -2  # likewise: the function is called by the device, where objects that are counted are their bits


@dataclass(frozen=True)
class Body:
    """`function`: the one whose body it is; None at file scope."""

    entities: Entities
    function: Cursor | None
    depth: int = 0  # of methods that are written out where they are called
    given: Mapping[int, Node | None] = field(default_factory=dict)  # what stands for their parameters
    this_node: Node | None = None  # and for their object
    targets: Mapping[int, Cursor] = field(default_factory=dict)  # the functions that parameters are, or their classes
    bound: dict[int, tuple[str, Cursor, int]] = field(default_factory=dict)  # names of structured bindings
    lengths: dict[int, list[Node]] = field(default_factory=dict)  # of inner arrays of arrays of variable length
    passes_bits: bool = False  # what a kernel is given
    device: bool = False  # written out where the device calls it

    @property
    def source(self) -> Source:
        return self.entities.source

    @property
    def types(self) -> Types:
        return self.entities.types

    def coord(self, cursor: Cursor) -> Coord | None:
        return self.source.coord(cursor) or (self.source.coord(self.function) if self.function is not None else None)

    def qualified(self, cursor: Cursor, alone: bool = False) -> Qualified:
        """The type of an expression or a declaration, see `Types.qualified`."""
        return self.types.qualified(cursor.type, cursor, alone)

    def unused(self, wanted: str) -> str:
        """A name that nothing in the function bears."""
        taken = {t.text for t in self.source.inside(self.function)} if self.function is not None else set()
        while wanted in taken:
            wanted += "_"
        return wanted

    @cached_property
    def self_name(self) -> str:
        """What the object of a method is called."""
        return self.unused("self")

    @cached_property
    def passing(self) -> opaque.Function | None:
        """What is known of names in a host function, in which statements may be passed over: those about clocks and
        texts if nothing in it depends on them."""
        if self.function is None or self.entities.item(self.function).kind != "host":
            return None
        own = self.entities.own
        if self.source.reads_streams:
            return opaque.Function(own, MODELLED | RATHER_PASSED_OVER | STREAMS)
        try:
            opaque.check(self.source.inside(self.function), own, MODELLED)
        except UnsupportedError:
            return opaque.Function(own, MODELLED | RATHER_PASSED_OVER)
        return opaque.Function(own, MODELLED)

    @cached_property
    def on_device(self) -> bool:
        """Whether this is code of the device alone, where objects that are counted are their bits."""
        if self.device or BITS in self.targets:
            return True
        return self.function is not None and self.entities.item(self.function).kind in ("kernel", "device")

    def called(self, meant: Cursor, given: Mapping[int, Cursor] | None = None) -> str:
        """The name of a function that is called here; where objects are counted, those of both sides are two."""
        given = dict(given or {})
        if self.entities.specials.counts and self.on_device and self.entities.item(meant).kind == "host device":
            given[BITS] = meant
        return self.entities.function(meant, given)

    # --- names -------------------------------------------------------------------------------------

    def variable(self, meant: Cursor, at: Cursor) -> Node:
        """A variable that an expression names: a local one, one that the lambda has captured, one at file scope."""
        where = self.coord(at)
        held = self._captures()
        if meant in held:
            assert self.function is not None
            closure, number = self.function.semantic_parent.type, held.index(meant)
            name = self.types.captured(closure, number) or meant.spelling
            place = tree.member(self.this_node or tree.name(self.self_name, where), name, where)
            by_reference = is_reference(list(closure.get_fields())[number].type)
            return tree.unary("*", place, where) if by_reference else place
        beside = self._shared().get(meant)
        if beside is not None:
            place = tree.member(self.this_node or tree.name(self.self_name, where), beside, where)
            has_length = meant.type.get_canonical().kind != TypeKind.INCOMPLETEARRAY
            return tree.unary("*", place, where) if has_length else place
        if meant.kind == CursorKind.VAR_DECL and _is_extern_inside(meant):
            return tree.name(meant.spelling, where)
        parent = meant.semantic_parent
        if parent is None or parent.kind not in FUNCTIONS:
            return tree.name(self.entities.variable(meant), where)
        if self.function is None or parent.canonical == self.function.canonical:
            if meant.hash in self.given:
                return self.given[meant.hash]  # type: ignore[return-value]
            return self._seen_as(meant, tree.name(self.parameter_name(meant), where), where)
        value = clang.evaluate(at)
        if value is None:
            self.source.refuse(f"'{meant.spelling}', a variable of another function,", at, "capture it by name")
        return tree.known(value, self.types.of(at.type, at), where)

    def _seen_as(self, meant: Cursor, node: Node, at: Coord | None) -> Node:
        """A parameter as the base that it is declared to be, where the class of the object is known."""
        known = self.targets.get(meant.hash)
        if known is None or not is_record(known):
            return node
        from hetad.frontend.cpp import objects

        by_reference = is_reference(meant.type)
        object_ = node if by_reference else tree.unary("*", node, at)
        part = objects.part(object_, known.type, meant.type.get_canonical().get_pointee(), at)
        return part if by_reference else tree.unary("&", part, at)

    def parameter_name(self, meant: Cursor) -> str:
        return str(self._parameters.get(meant.hash, meant.spelling))

    @cached_property
    def _parameters(self) -> dict[int, str]:
        """The names of parameters that a pack has made equal."""
        return dict(zip((p.hash for p in self.parameters()), self.parameter_names(), strict=True))

    def parameters(self) -> list[Cursor]:
        return list(self.function.get_arguments()) if self.function is not None else []

    def parameter_names(self) -> list[str]:
        return apart([p.spelling for p in self.parameters()])

    def _captures(self) -> list[Cursor]:
        """What the lambda has captured whose call this body is."""
        parent = self.function.semantic_parent if self.function is not None else None
        return self.types.captures(parent.type) if parent is not None and is_record(parent) else []

    def _shared(self) -> Mapping[Cursor, str]:
        """What it names in shared memory."""
        closure = self.closure()
        return self.types.shared(closure.type) if closure is not None else {}

    def closure(self) -> Cursor | None:
        """The lambda whose call this body is."""
        parent = self.function.semantic_parent if self.function is not None else None
        return self.types.expression_of(parent.type) if parent is not None and is_record(parent) else None

    def this(self, at: Cursor) -> Node:
        """The object of a method; in a lambda, the one that it has captured."""
        where = self.coord(at)
        held = self.this_node if self.this_node is not None else tree.name(self.self_name, where)
        if self.closure() is None:
            return held
        assert self.function is not None
        closure = self.function.semantic_parent.type
        field = self.types.object_field(closure)
        if field is None:
            self.source.refuse("'this' in this lambda", at, "capture it by name: [this]")
        number, captured = field
        object_ = tree.member(held, self.types.captured(closure, number) or "", where)
        return tree.unary("*", object_, where) if captured.type.get_canonical().kind == TypeKind.POINTER else object_

    def this_type(self) -> Type:
        """The class of that object."""
        assert self.function is not None
        closure = self.function.semantic_parent.type
        field = self.types.object_field(closure) if self.closure() is not None else None
        if THIS in self.targets and field is None:
            return self.targets[THIS].type
        if field is None:
            return closure if self.function.kind == CursorKind.CONSTRUCTOR else whole(closure)
        type_ = field[1].type.get_canonical()
        return type_.get_pointee() if type_.kind == TypeKind.POINTER else type_


def _is_extern_inside(variable: Cursor) -> bool:
    """Whether `extern __shared__ T x[];` stands in a function, which is not where it belongs to."""
    around = variable.lexical_parent if variable.storage_class.name == "EXTERN" else None
    return around is not None and around.kind in FUNCTIONS
