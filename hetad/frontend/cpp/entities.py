"""The functions, variables and types of one translation unit, lowered when something reaches them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count

from hetad.diagnostics import Span, UnknownNameError, UnsupportedError, problems_so_far
from hetad.frontend.cpp import clang, declarations, functions, tree
from hetad.frontend.cpp.body import BITS, FUNCTIONS, THIS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.first_values import FirstValues
from hetad.frontend.cpp.linkage import Linkage, is_external, stem, used
from hetad.frontend.cpp.names import GROUPS, function_name, is_record, parameters
from hetad.frontend.cpp.objections import Objections
from hetad.frontend.cpp.pointers import Taken
from hetad.frontend.cpp.source import Source
from hetad.frontend.cpp.special import Specials
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import Types, is_record_reference
from hetad.frontend.definitions import fits, undefined
from hetad.frontend.items import Item
from hetad.frontend.lower import program
from hetad.frontend.lower.builtins import VECTORS
from hetad.frontend.lower.context import Context, Qualified, Signature
from hetad.frontend.lower.known import functions as known_functions
from hetad.ir import nodes as ir
from hetad.ir.types import INT, VOID, Array, Field, Float, Int, Type
from hetad.rules import operations

_MARK = "::"  # before the names of the program's own entities, which nothing local hides
_METHODS = tuple(k for k in FUNCTIONS if k != CursorKind.FUNCTION_TEMPLATE)
_TEMPLATES = (CursorKind.CLASS_TEMPLATE, CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)
_SPACES = {
    CursorKind.CUDAGLOBAL_ATTR: "__global__", CursorKind.CUDADEVICE_ATTR: "__device__",
    CursorKind.CUDAHOST_ATTR: "__host__", CursorKind.CUDASHARED_ATTR: "__shared__",
    CursorKind.CUDACONSTANT_ATTR: "__constant__",
}  # fmt: skip


class Entities:
    """What lowering asks for names that are not local (`lower.context.Outer`)."""

    def __init__(
        self,
        source: Source,
        linkage: Linkage,
        file: int = 0,
        twin: Entities | None = None,
        opened: Collection[str] = (),
    ) -> None:
        """`file`: the number of the file; `twin`: of a host's text, the one that the device sees, if that is another.
        What it defines is named when all texts are there: see `find`."""
        self.source = source
        self.name = source.name
        self.file = file
        self.twin = twin
        self.device = False
        if twin is not None:
            twin.device = True
        self._linkage = linkage
        self._number = len(linkage.texts)
        linkage.add(self)
        self.types = Types(source, self._record_name, opened, self._code, lambda: self._taken.functions)
        self.specials = Specials(source.counts)
        self.numbers = count()
        self._cursors: dict[str, Cursor] = {}
        self._targets: dict[str, dict[int, Cursor]] = {}  # of functions: the functions that parameters are
        self._signatures: dict[str, Signature] = {}
        self._prototypes: dict[str, Cursor] = {}  # of functions that other texts define
        self._functions: dict[str, ir.Function] = {}
        self._variables: dict[str, ir.Global | ir.Const] = {}
        self.first_values = FirstValues(self)
        self._kept: list[ir.Global] = []
        self._constants: dict[str, Cursor] = {}  # at file scope, by the names that the text has
        self._order: dict[str, tuple[int, int]] = {}
        self.objections = Objections(source)
        self.own: set[str] = set()
        self.public: dict[str, tuple[tuple[int, int], ir.Kind]] = {}  # by name: where it stands, and its kind
        self.templates: dict[str, Cursor] = {}  # of functions, by name
        self.writable = False

    def find(self) -> None:
        """Names what is defined at file scope."""
        self._find(self.source.unit.cursor)

    def _find(self, around: Cursor) -> None:
        """The names of functions at file scope, in order."""
        for cursor in around.get_children():
            if cursor.kind in GROUPS:
                self._find(cursor)
                continue
            if not self.source.is_users(cursor):
                continue
            models = self.source.is_models(cursor)
            if not models:
                self.own.add(cursor.spelling)
            if not models and cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition():
                if not (self.device and self.kind(cursor) == "host"):
                    name = self.named(cursor)
                    self.public[name] = (self.order(name), self.kind(cursor))
            elif not models and cursor.kind == CursorKind.FUNCTION_TEMPLATE:
                self.templates.setdefault(cursor.spelling, cursor)
            elif cursor.kind == CursorKind.VAR_DECL:
                self.first_values.variables.append(cursor)
                constant = cursor.type.is_const_qualified() or CursorKind.CUDACONSTANT_ATTR in self._attributes(cursor)
                self.writable |= not constant
                if constant:
                    self._constants[cursor.spelling] = cursor

    @staticmethod
    def _attributes(cursor: Cursor) -> set[CursorKind]:
        return {c.kind for c in cursor.get_children()}

    # --- what other texts ask ----------------------------------------------------------------------

    def definitions(self, around: Cursor | None = None) -> Iterator[Cursor]:
        """The functions, methods and variables that the text defines, those of templates left out."""
        for cursor in (around or self.source.unit.cursor).get_children():
            if around is None and not self.source.is_users(cursor):
                continue
            if cursor.kind in GROUPS or (is_record(cursor) and cursor.kind not in _TEMPLATES):
                yield from self.definitions(cursor)
            elif cursor.is_definition() and (cursor.kind in _METHODS or cursor.kind == CursorKind.VAR_DECL):
                yield cursor

    def kind(self, function: Cursor) -> ir.Kind:
        """For whose code a function is, as it is written."""
        return self._item(function).kind

    @cached_property
    def used(self) -> list[Cursor]:
        return used(self.source.unit.cursor)

    def _code(self) -> list[Cursor]:
        """All that the text has."""
        return [self.source.unit.cursor, *self.used]

    def taken(self, at: Cursor) -> Taken:
        """The functions whose address the program takes."""
        if len(self._linkage.texts) > 1:
            what = "function pointers in a program of several texts"
            self.source.refuse(what, at, "call the functions by name, chosen by an if or a switch")
        return self._taken

    @cached_property
    def _taken(self) -> Taken:
        return Taken(self._code())

    def mentions_known(self, spelling: str) -> bool:
        """Whether a name here is that of a function that hetad knows."""
        return spelling not in self.own and any(t.text == spelling for t in self.source.tokens)

    # --- names, as expressions have them -----------------------------------------------------------

    def is_known(self, function: Cursor) -> bool:
        """Whether a function is one that hetad knows, and not the program's own."""
        if clang.definition(function) is not None:
            return self.operation(function.spelling) is not None
        known = not self.source.is_users(function) or function.spelling in known_functions()
        if known:
            for at, error in self.source.errors:
                if self.source.tokens[at].text == function.spelling:  # a declaration that does not go with CUDA's
                    raise error
        return known

    def function(self, cursor: Cursor, given: Mapping[int, Cursor] | None = None) -> str:
        """`given`: functions that are passed, by the place of the argument: there is one function for each."""
        home, found = self._linkage.home(self, clang.definition(cursor) or cursor)
        given = given or {}
        if home is not self:
            if given:
                self.source.refuse("a function that is passed to one of another file", cursor, "call it by name")
            name = home.function(found)
            if found.kind == CursorKind.FUNCTION_DECL:
                self._prototypes[name] = cursor
            return name
        parent = found.semantic_parent
        owner = self.types.struct(parent.type, found).name if is_record(parent) else ""
        wanted = function_name(found, owner)
        if not owner and self._joins_known(found):
            wanted = f"{wanted}_{parameters(found)}"
        apart = (g for n, g in given.items() if n != BITS and (n != THIS or g != parent))
        wanted = self._linkage.function_name(self, "_".join((wanted, *(function_name(g, "") for g in apart))), found)
        name = self._linkage.names.of(wanted, found, parameters(found), list(given.values()), self._number)
        if name not in self._cursors:
            self._linkage.owners[name] = self
            self._cursors[name] = found
            self._order[name] = (self.source.start(found) or 0, len(self._order))
            own = list(found.get_arguments())
            self._targets[name] = {own[n].hash if n >= 0 else n: g for n, g in given.items()}
        return _MARK + name

    def named(self, cursor: Cursor) -> str:
        """What a function is called in the program."""
        return self.function(cursor).removeprefix(_MARK)

    @staticmethod
    def _joins_known(function: Cursor) -> bool:
        """Whether a function of the program stands beside one that hetad knows, as `min(float4, float4)` does."""
        if function.spelling not in known_functions():
            return False
        given = [a.type.get_canonical() for a in function.get_arguments()]
        of_objects = any(t.kind == TypeKind.RECORD or is_record_reference(t) for t in given)
        return of_objects or function.spelling.removeprefix("make_") in VECTORS

    def variable(self, cursor: Cursor) -> str:
        if not self.source.is_users(cursor) and clang.definition(cursor) is None:
            return str(cursor.spelling)
        if not self.source.is_users(cursor) and not is_record(cursor.semantic_parent):
            return str(cursor.spelling)
        found = clang.definition(cursor) or cursor
        home, found = (self, found) if self.device else self._linkage.home(self, found)
        if home is not self:
            return home.variable(found)
        parent = found.semantic_parent
        wanted = found.spelling
        if is_record(parent):
            wanted = f"{self.types.struct(parent.type, found).name}_{wanted}"
        name = self._linkage.names.of(self._linkage.variable_name(self, wanted, found), found, text=self._number)
        self._linkage.owners[name] = self
        self._cursors[name] = found
        return _MARK + name

    def enumerator(self, cursor: Cursor) -> str:
        name = self._linkage.names.of(cursor.spelling, cursor, text=self._number)
        self._linkage.owners[name] = self
        span = self.source.span(cursor)
        type_ = self.types.of(cursor.semantic_parent.type, cursor)
        small = -(2**31) <= cursor.enum_value < 2**31
        self._variables[name] = ir.Const(cursor.enum_value, INT if small else type_, str(cursor.enum_value), span=span)
        return _MARK + name

    def _record_name(self, wanted: str, record: Cursor, fields: Sequence[Field]) -> str:
        names = self._linkage.names
        if not self._linkage.several:
            return names.of(wanted, record)
        file = None if is_external(record) else self.file
        own = (file, record.get_usr(), tuple((f.name, str(f.type)) for f in fields))
        return names.by_key(wanted, own, stem(self.name))

    # --- what lowering asks ------------------------------------------------------------------------

    def type_named(self, name: str) -> Qualified | None:
        return None

    def tag(self, name: str) -> Type | None:
        return None

    def operation(self, name: str) -> operations.Operation | None:
        """The operation of hetad's own that the text declares, as derivatives do that hetad emitted."""
        return self._operations.get(name)

    @cached_property
    def _operations(self) -> Mapping[str, operations.Operation]:
        found: dict[str, operations.Operation] = {}
        for cursor in self.source.unit.cursor.get_children():
            name = cursor.spelling
            meant = operations.named(name) if cursor.kind == CursorKind.FUNCTION_DECL else None
            if meant is None or cursor.is_definition() or name in found:
                continue
            params = tuple(self.types.of(a.type, a) for a in cursor.get_arguments())
            if meant.is_declared(name, self.types.of(cursor.result_type, cursor), params):
                found[name] = meant
        return found

    def keep(self, variable: ir.Global) -> None:
        self._kept.append(variable)

    def program_name(self, name: str) -> str:
        return name

    def has_writable_variables(self) -> bool:
        return any(text.writable for text in self._linkage.texts)

    def callable_names(self) -> list[str]:
        return sorted({*self._linkage.public(), *known_functions()})

    def value(self, name: str) -> ir.Symbol | ir.Const | None:
        if not name.startswith(_MARK):  # in the text of a pragma
            cursor = self._constants.get(name)
            number = clang.evaluate(cursor) if cursor is not None else None
            return ir.Const(number, INT, span=self.source.span(cursor)) if isinstance(number, int) and cursor else None
        found = self.global_variable(name)
        return found.symbol if isinstance(found, ir.Global) else found

    def global_variable(self, name: str) -> ir.Global | ir.Const | None:
        """A variable, or an enumerator, of this text or another."""
        name = name.removeprefix(_MARK)
        owner = self._linkage.owners.get(name, self)
        if owner is not self:
            return owner.global_variable(name)
        if name not in self._variables:
            cursor = self._cursors.get(name)
            if cursor is None or cursor.kind != CursorKind.VAR_DECL:
                return None
            made = self._variable(name, cursor)
            if self.device:
                made = self._linkage.variable(self, cursor, made)
            self._variables[name] = made
        return self._variables[name]

    def _variable(self, name: str, cursor: Cursor) -> ir.Global | ir.Const:
        self.objections.check(cursor)
        if not cursor.is_definition() and "[" not in {t.text for t in self.source.inside(cursor)}:
            value = clang.evaluate(cursor)
            type_ = self.types.of(cursor.type, cursor)
            if value is not None and isinstance(type_, Int | Float):
                return ir.Const(value, type_, span=self.source.span(cursor))
            message = f"'{name}' is declared but not defined in this program"
            raise UnknownNameError(message, self.source.span(cursor), "load its source too: hetad.load([...])")
        node = declarations.variable(Body(self, None), cursor, space="")
        node.name = name  # type: ignore[attr-defined]
        item = self.item(cursor)
        node = self.first_values.without(node, cursor, item)
        return program.variable(self._context(None, cursor), node, item)  # type: ignore[arg-type]

    def is_variable(self, name: str) -> bool:
        """Whether a name is that of a variable at file scope, other than of an array, whose value is no constant."""
        found = self.global_variable(name) if name.startswith(_MARK) else None
        return isinstance(found, ir.Global) and not isinstance(found.symbol.type, Array)

    def add(self, wanted: str, statements_: Node, about: Cursor) -> ir.Function:
        """A function without parameters that has these statements, for a variable; it may be called by its name."""
        name = self._linkage.names.by_key(wanted, (self._number, "added", wanted))
        if name not in self._functions:
            at = statements_.coord
            own = Signature(name, "host", VOID, (), (), (), self.source.span(about))
            node = tree.definition(tree.function(name, [], Qualified(VOID), at), statements_, at)
            self._linkage.owners[name] = self
            self._order[name] = (self.source.start(about) or 0, len(self._order))
            item = Item((), {name: "function"}, span=own.span)
            self._functions[name] = program.function(self._context(own, about), node, item)  # type: ignore[arg-type]
        return self._functions[name]

    def signature(self, name: str) -> Signature | None:
        """Of a function of the program, as expressions name it."""
        found = self._signature(name.removeprefix(_MARK)) if name.startswith(_MARK) else None
        prototype = self._prototypes.get(name)
        return found if found is None or prototype is None else self._as_declared(found, prototype)

    def _as_declared(self, definition: Signature, prototype: Cursor) -> Signature:
        """The signature of the definition in another text, which the prototype must fit; its default arguments."""
        own = self._signature_of(prototype, definition.name, Body(self, prototype))
        if not fits(own, definition):
            message = f"'{prototype.spelling}' is declared here in another way than it is defined at {definition.span}"
            remedy = "declare it in a header that both files include"
            raise UnsupportedError(message, self.source.span(prototype), remedy)
        defaults = own.defaults if any(d is not None for d in own.defaults) else definition.defaults
        return replace(definition, defaults=defaults)

    def _signature(self, name: str) -> Signature | None:
        owner = self._linkage.owners.get(name, self)
        if owner is not self:
            return owner._signature(name)
        if name not in self._signatures:
            cursor = self._cursors.get(name)
            if cursor is None or cursor.kind not in FUNCTIONS:
                return None
            body = Body(self, cursor, targets=self._targets.get(name, {}))
            self._signatures[name] = self._signature_of(cursor, name, body)
        return self._signatures[name]

    def _signature_of(self, cursor: Cursor, name: str, body: Body) -> Signature:
        declared = functions.declaration(body, name, cursor)
        defaults = functions.defaults(body, cursor)
        return program.signature(self._context(None, cursor), declared, self._own_item(name, cursor), defaults)  # type: ignore[arg-type]

    # --- the program -------------------------------------------------------------------------------

    def lowered(self, name: str, caller: Span | None) -> ir.Function:
        """A function of the program."""
        if name in self._functions:
            return self._functions[name]
        cursor = self._cursors[name]
        own = self._signature(name)
        assert own is not None
        if not cursor.is_definition():
            self.objections.check_template(cursor, caller)
            raise undefined(cursor.spelling, caller or own.span)
        self.objections.check(cursor, caller)
        before = problems_so_far()
        node = functions.definition(Body(self, cursor, targets=self._targets[name]), name, cursor)
        made = program.function(self._context(own, cursor), node, self._own_item(name, cursor))  # type: ignore[arg-type]
        if problems_so_far() == before:
            self._functions[name] = made
        return made

    def order(self, name: str) -> tuple[int, int]:
        owner = self._linkage.owners.get(name, self)
        return owner._order[name]

    def cursor(self, name: str) -> Cursor | None:
        return self._cursors.get(name)

    def globals(self) -> Iterator[ir.Global]:
        yield from (g for g in self._variables.values() if isinstance(g, ir.Global))
        yield from self._kept

    def _context(self, own: Signature | None, cursor: Cursor) -> Context:
        return Context(self, self.source.lengths, own, self.source.span(cursor))

    def _own_item(self, name: str, cursor: Cursor) -> Item:
        """Of a function of both sides that the device has for itself, what it is there."""
        item = self.item(cursor)
        return replace(item, spaces=frozenset({"__device__"})) if BITS in self._targets.get(name, {}) else item

    def item(self, cursor: Cursor) -> Item:
        """What its attributes say; of a function that is another one on the device, for whose code it is here."""
        found = self._item(cursor)
        if found.kind == "host device" and (self.device or self.twin is not None):
            return replace(found, spaces=frozenset({"__device__"} if self.device else ()))
        return found

    def _item(self, cursor: Cursor) -> Item:
        """What its attributes say, as the C front end has it of an item; a lambda is for where it stands."""
        spaces = {_SPACES[k] for k in self._attributes(cursor) if k in _SPACES}
        if cursor.kind == CursorKind.VAR_DECL and _is_managed(cursor):
            spaces.add("__managed__")
        parent = cursor.semantic_parent
        of_lambda = not spaces and is_record(parent) and self.types.expression_of(parent.type) is not None
        if of_lambda and parent.semantic_parent.kind in FUNCTIONS:
            around = self._item(parent.semantic_parent).spaces
            spaces = {"__device__"} if "__global__" in around else set(around)
        return functions.item(self.source, cursor, spaces)


def _is_managed(variable: Cursor) -> bool:
    return any(c.kind == CursorKind.ANNOTATE_ATTR and c.spelling == "managed" for c in variable.get_children())
