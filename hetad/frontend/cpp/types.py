"""Clang's types as those of the IR."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from hetad.frontend.cpp import bit_fields, clang, closures, lambdas, stub, targets
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.clang import Type as ClangType
from hetad.frontend.cpp.families import KIND, Family, family, root_of
from hetad.frontend.cpp.hierarchy import does_something, held, is_polymorphic, left_out, whole
from hetad.frontend.cpp.names import LAMBDA, apart, closure_name, record_key
from hetad.frontend.cpp.source import Source
from hetad.frontend.lower import packed
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.context import Qualified
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
    align_of,
    innermost,
    size_of,
)

PLAIN: dict[TypeKind, Type] = {
    TypeKind.VOID: VOID, TypeKind.BOOL: BOOL, TypeKind.CHAR_S: CHAR, TypeKind.SCHAR: CHAR, TypeKind.UCHAR: UCHAR,
    TypeKind.SHORT: SHORT, TypeKind.USHORT: USHORT, TypeKind.INT: INT, TypeKind.UINT: UINT, TypeKind.LONG: LONG,
    TypeKind.ULONG: ULONG, TypeKind.LONGLONG: LLONG, TypeKind.ULONGLONG: ULLONG, TypeKind.FLOAT: FLOAT,
    TypeKind.DOUBLE: DOUBLE, TypeKind.NULLPTR: Pointer(VOID),
}  # fmt: skip
_REFERENCES = (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
_ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY)
BASE = "base"
_NO_BASE = "write it without, or make what it derives from a member"


def is_reference(type_: ClangType) -> bool:
    return type_.get_canonical().kind in _REFERENCES


def is_record_reference(type_: ClangType) -> bool:
    """Whether a type is a reference to a class."""
    return is_reference(type_) and type_.get_canonical().get_pointee().get_canonical().kind == TypeKind.RECORD


class Types:
    """The types of one translation unit."""

    def __init__(
        self,
        source: Source,
        name_of: Callable[[str, Cursor, Sequence[Field]], str],
        opened: Collection[str],
        code: Callable[[], Iterable[Cursor]],
        taken: Callable[[], Iterable[Cursor]],
    ) -> None:
        """`opened`: the families whose objects lie in one struct; `code`: all that the text has; `taken`: the functions
        whose address it takes."""
        self.source = source
        self.opened = opened
        self._code = code
        self._taken = taken
        self._families: dict[str, Family] = {}
        self._shared: dict[str, Struct] = {}  # the structs of families
        self._name_of = name_of
        self._structs: dict[str, Struct] = {}
        self._open: set[str] = set()
        self._larger: set[Type] = set()  # structs that are larger than a compiler's, unions apart
        self._lambdas: dict[str, Cursor] = {}  # closure types by key, and the expressions that make them
        self._captures: dict[str, list[Cursor]] = {}

    def qualified(self, type_: ClangType, at: Cursor, alone: bool = False) -> Qualified:
        """The type, and whether what has it is const; a reference is the pointer that stands for it.  `alone`: of an
        object that nothing but its thread changes, for which `volatile` means nothing."""
        const = bool(type_.is_const_qualified())
        volatile = bool(type_.is_volatile_qualified())
        found = self._unqualified(type_, at)
        if volatile or (isinstance(found.type, Int | Float) and found.type.volatile):
            if alone and isinstance(found.type, Struct):
                return replace(found, const=const or found.const)
            if not isinstance(found.type, Int | Float):
                self.source.refuse(f"volatile '{found.type}'", at, "make its members volatile")
            found = replace(found, type=replace(found.type, volatile=True))
        return replace(found, const=const or found.const)

    def of(self, type_: ClangType, at: Cursor) -> Type:
        return self.qualified(type_, at).type

    def _unqualified(self, type_: ClangType, at: Cursor) -> Qualified:
        kind = type_.kind
        if kind in (TypeKind.TYPEDEF, TypeKind.ELABORATED):
            declaration = type_.get_declaration()
            if not self.source.is_users(declaration) and declaration.spelling in TYPES:
                return Qualified(TYPES[declaration.spelling])
            inner = declaration.underlying_typedef_type if kind == TypeKind.TYPEDEF else type_.get_named_type()
            return self.qualified(inner, at)
        if targets.is_function_pointer(type_):
            return Qualified(ULLONG)  # see pointers.py
        if kind in _REFERENCES:
            to = self._pointee(type_, at)
            return Qualified(Pointer(to.type, const=to.const), reference=True)
        if kind == TypeKind.POINTER:
            handle = type_.get_pointee().get_declaration().spelling.removeprefix(stub.HANDLE)
            if handle in TYPES and handle != type_.get_pointee().get_declaration().spelling:
                return Qualified(TYPES[handle])
            to = self._pointee(type_, at)
            return Qualified(Pointer(to.type, const=to.const, restrict=bool(type_.is_restrict_qualified())))
        if kind in _ARRAYS:
            of = self.qualified(type_.element_type, at)
            return Qualified(Array(of.type, type_.element_count if kind == TypeKind.CONSTANTARRAY else None), of.const)
        if kind == TypeKind.RECORD:
            declaration = type_.get_declaration()
            if not self.source.is_users(declaration) and declaration.spelling in TYPES:
                return Qualified(TYPES[declaration.spelling])
            return Qualified(self.struct(type_, at))
        if kind == TypeKind.ENUM:
            return Qualified(self._enumeration(type_, at))
        if kind in PLAIN:
            return Qualified(PLAIN[kind])
        return self._sugar(type_, at)

    def _pointee(self, type_: ClangType, at: Cursor) -> Qualified:
        """What a pointer or a reference leads to: of a base, perhaps the whole object."""
        pointee = type_.get_pointee()
        object_ = whole(pointee)
        if object_ is pointee:
            found = self.family(pointee)
            if found is not None:
                return Qualified(self._struct_of(found, at), bool(pointee.is_const_qualified()))
            return self.qualified(pointee, at)
        return Qualified(self.struct(object_, at), bool(pointee.is_const_qualified()))

    def _sugar(self, type_: ClangType, at: Cursor) -> Qualified:
        """`auto`, the argument of a template, and what is not supported."""
        canonical = type_.get_canonical()
        if canonical.kind != type_.kind:
            return self.qualified(canonical, at)
        if type_.kind in (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO):
            self.source.refuse("function pointers", at, "call the functions by name, chosen by an if or a switch")
        if type_.kind == TypeKind.LONGDOUBLE:
            self.source.refuse("long double", at, "use double")
        if type_.kind == TypeKind.MEMBERPOINTER:
            self.source.refuse("pointers to members", at, "name the member")
        return self.source.refuse(f"the type '{type_.spelling}'", at, "use another type")

    def _enumeration(self, type_: ClangType, at: Cursor) -> Type:
        """Enumerations are integers: int, or what is written behind the name."""
        declaration = type_.get_declaration()
        head = []
        for token in self.source.inside(declaration):
            if token.text in ("{", ";"):
                break
            head.append(token.text)
        values = [c.enum_value for c in declaration.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL]
        large = any(not -(2**31) <= value < 2**31 for value in values)
        return self.of(declaration.enum_type, at) if ":" in head or large else INT

    # --- families ----------------------------------------------------------------------------------

    def family(self, type_: ClangType) -> Family | None:
        """The opened family of a class."""
        root = root_of(type_) if self.opened else None
        if root is None or record_key(root) not in self.opened:
            return None
        key = record_key(root)
        if key not in self._families:
            self._families[key] = family(root, self._code())
        found = self._families[key]
        return found if found.classes else None

    def room(self, class_: ClangType) -> str:
        """The member of a family's struct that is an object of a class."""
        return f"as_{self.struct(class_, class_.get_declaration()).name}"

    def _struct_of(self, found: Family, at: Cursor) -> Struct:
        key = f"any {record_key(found.root)}"
        if key not in self._shared:
            if key in self._open:
                what = f"'{found.root.spelling}', whose objects have pointers to others of its family,"
                self.source.refuse(what, at, "use indices in place of pointers")
            self._open.add(key)
            try:
                rooms = [Field(self.room(c), self.struct(c, at)) for c in found.classes]
            finally:
                self._open.discard(key)
            fields = (Field(KIND, INT), *rooms)
            name = f"any_{self._name_of(_struct_name(found.root, at), found.root.get_declaration(), ())}"
            self._shared[key] = Struct(name, fields)
        return self._shared[key]

    # --- structs -----------------------------------------------------------------------------------

    def struct(self, type_: ClangType, at: Cursor) -> Struct:
        type_ = type_.get_canonical()
        key = record_key(type_)
        if key in self._structs:
            return self._structs[key]
        if key in self._open and closures.is_function(type_):
            what = f"a '{type_.spelling}' that holds what has captured one of its type"
            self.source.refuse(what, at, "write a function, or a class, that calls the other one")
        if key in self._open:
            self.source.refuse(f"'{type_.spelling}', which refers to itself,", at, "use indices in place of pointers")
        self._open.add(key)
        try:
            made = self._struct(type_, type_.get_declaration(), at)
        finally:
            self._open.discard(key)
        self._structs[key] = made
        return made

    def _struct(self, type_: ClangType, declaration: Cursor, at: Cursor) -> Struct:
        if declaration.kind == CursorKind.UNION_DECL:
            return self._union(type_, declaration, at)
        size = type_.get_size()
        if size < 0:
            self.source.refuse(f"'{type_.spelling}', which is not defined,", at, "define it")
        fields = [Field(f"{BASE}{n or ''}", self.of(b.type, b.at)) for n, b in enumerate(held(declaration))]
        bits = bit_fields.units(list(type_.get_fields()), size, self)
        fields += [
            bits.field(f) if f.is_bitfield() else self._field(f, n, type_)
            for n, f in enumerate(type_.get_fields())
            if not f.is_bitfield() or bits.begins(f)
        ]
        for base in left_out(declaration):
            if does_something(base) is not None:
                what = "a base without members whose constructor or destructor does something"
                self.source.refuse(what, base.at, "do it in the class itself")
        own = list(type_.get_fields())
        polymorphic = is_polymorphic(declaration)  # which the pointer to its table is no part of here
        if (
            own
            and not polymorphic
            and left_out(declaration)
            and not held(declaration)
            and own[0].get_field_offsetof() != 0
        ):
            self.source.refuse(f"'{type_.spelling}', with a base that a template tells,", declaration, _NO_BASE)
        beside = [*self._beside(type_), *closures.fields(self, self._taken, type_)]
        fields += beside
        if not fields and (size == 1 or polymorphic):
            fields = [Field("unused", CHAR)]
        name = self._name_of(_struct_name(type_, at), declaration, fields)
        made = Struct(name, tuple(fields), bits=bits.members)
        align = type_.get_align()
        if align > align_of(made) and not polymorphic:
            made = replace(made, align=align)
        if any(innermost(f.type) in self._larger for f in fields):
            self._larger.add(made)
        elif size_of(made) != size and not polymorphic and not beside and not closures.holds_function(type_):
            what = "bases of a template, or other members that hetad does not see"
            self.source.refuse(f"'{type_.spelling}', a class with {what},", declaration, _NO_BASE)
        return made

    def _union(self, type_: ClangType, declaration: Cursor, at: Cursor) -> Struct:
        members = tuple(self._field(f, n, type_) for n, f in enumerate(type_.get_fields()))
        if members and all(self._is_workspace(f.type) for f in type_.get_fields()):
            made = Struct(self._name_of(_struct_name(type_, at), declaration, members), members)
            self._larger.add(made)
            return made
        bad = next((m for m in members if not packed.is_number(m.type)), None)
        if bad is not None:
            self.source.refuse(f"a union with a member of type '{bad.type}'", declaration, packed.REMEDY)
        return packed.of_numbers(self._name_of(_struct_name(type_, at), declaration, members), members)

    def _is_workspace(self, type_: ClangType) -> bool:
        """Whether it is memory that a library works in: nobody reads there what went in by another member of a union,
        so that each may lie apart."""
        declaration = type_.get_canonical().get_declaration()
        return declaration.spelling == "TempStorage" and self.source.is_models(declaration)

    def _field(self, field: Cursor, number: int, of: ClangType) -> Field:
        if field.is_bitfield():
            self.source.refuse("bit-fields in a union", field, "use a plain integer member")
        name = field.spelling or self.captured(of, number)
        if not name and LAMBDA in of.spelling:
            self.source.refuse("what this lambda captures", field, "give it a variable of its own")
        if not name:
            self.source.refuse("an unnamed member", field, "give it a name")
        return Field(name, self.of(field.type, field))

    # --- lambdas -----------------------------------------------------------------------------------

    def expression_of(self, of: ClangType) -> Cursor | None:
        """The lambda that makes a closure; None for other types."""
        canonical = of.get_canonical()
        if LAMBDA not in canonical.spelling:
            return None
        key = record_key(canonical)
        if key not in self._lambdas:
            around = canonical.get_declaration().semantic_parent
            for inner in clang.walk(clang.definition(around) or around):
                if inner.kind == CursorKind.LAMBDA_EXPR:
                    self._lambdas[record_key(inner.type)] = inner
        return self._lambdas.get(key)

    def captures(self, of: ClangType) -> list[Cursor]:
        """The variables that a closure has, in the order of its members, the lambda itself in the place of `this`;
        none of other types."""
        key = record_key(of)
        if key not in self._captures:
            expression = self.expression_of(of)
            self._captures[key] = lambdas.captures(self.source, expression) if expression is not None else []
        return self._captures[key]

    def shared(self, of: ClangType) -> dict[Cursor, str]:
        """The variables in shared memory that a lambda names, and the members that lead to them."""
        expression = self.expression_of(of)
        found = lambdas.shared(expression) if expression is not None else []
        held = [capture.spelling or "object" for capture in self.captures(of)]
        return dict(zip(found, apart([*held, *(v.spelling for v in found)])[len(held) :], strict=True))

    def _beside(self, of: ClangType) -> list[Field]:
        """What a closure has beside its members."""
        return [Field(name, self.beside(variable)) for variable, name in self.shared(of).items()]

    def beside(self, variable: Cursor) -> Pointer:
        """What leads to a variable in shared memory: of an array without a length, to its first element."""
        type_ = self.of(variable.type, variable)
        return Pointer(type_.of if isinstance(type_, Array) and type_.length is None else type_)

    def captured_object(self, of: ClangType) -> Cursor | None:
        """What stands for `this` among the captures of a closure."""
        return self.expression_of(of)

    def object_field(self, of: ClangType) -> tuple[int, Cursor] | None:
        """The member of a closure that has `this`, or the object itself, and its number."""
        held, expression = self.captures(of), self.expression_of(of)
        if expression is None or expression not in held:
            return None
        number = held.index(expression)
        return number, list(of.get_canonical().get_fields())[number]

    def captured(self, of: ClangType, number: int) -> str | None:
        """What the member of a closure is called: as the variable that it has the value of."""
        names = apart([capture.spelling or "object" for capture in self.captures(of)])
        return names[number] if number < len(names) else None


def _struct_name(type_: ClangType, at: Cursor) -> str:
    """`Vector_float_3` for `ns::Vector<float, 3>`; one without a name is called after what is declared with it."""
    text = re.sub(r"\b(const|volatile|struct|class)\b", " ", type_.spelling)
    if LAMBDA in text:
        return closure_name(type_)
    if "(unnamed" in text or "(anonymous" in text:
        return _after(at)
    text = re.sub(r"\b\w+::|\(anonymous namespace\)::", "", text)
    return re.sub(r"\W+", "_", text.replace("*", " ptr ").replace("-", " minus ")).strip("_")


def _after(declared: Cursor) -> str:
    """As the front end of C calls it: `cells_t` for a variable `cells`, `Cell_at` for a member `at` of `Cell`."""
    if declared.kind == CursorKind.FIELD_DECL and declared.semantic_parent.spelling.isidentifier():
        return f"{declared.semantic_parent.spelling}_{declared.spelling}"
    return f"{declared.spelling}_t" if declared.spelling else "unnamed"
