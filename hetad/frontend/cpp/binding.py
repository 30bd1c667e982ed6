"""Cursors and types of libclang, each one object: what was asked of one is not asked again.

The binding of the wheel makes an object whenever it is asked for one, and calls libclang for each comparison.  Lowering
asks hundreds of thousands of questions about a few thousand cursors, so here a translation unit knows its cursors and
types (`Unit`), and these keep the answers.  Names are those of `clang.cindex`, which has the enumerations.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_longlong, c_uint, c_ulonglong, c_void_p, py_object
from functools import cache, cached_property
from typing import Any, Generic, NamedTuple, TypeVar, overload

from clang import cindex
from clang.cindex import CursorKind, LinkageKind, StorageClass, TemplateArgumentKind, TypeKind

T = TypeVar("T")


class RawCursor(Structure):
    _fields_ = (("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3))


class RawType(Structure):
    _fields_ = (("kind", c_int), ("data", c_void_p * 2))


class _String(Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class _RawLocation(Structure):
    _fields_ = (("data", c_void_p * 2), ("at", c_uint))


class _RawRange(Structure):
    _fields_ = (("data", c_void_p * 2), ("start", c_uint), ("end", c_uint))


_GO_ON = 1  # CXChildVisit_Continue, CXVisit_Continue
_GO_IN = 2  # CXChildVisit_Recurse


def _met_child(child: RawCursor, _parent: RawCursor, found: list[bytes]) -> int:
    found.append(bytes(child))
    return _GO_ON


def _met_inside(inner: RawCursor, _parent: RawCursor, found: list[bytes]) -> int:
    found.append(bytes(inner))
    return _GO_IN


def _met_field(field: RawCursor, found: list[bytes]) -> int:
    found.append(bytes(field))
    return _GO_ON


_Visit = ctypes.CFUNCTYPE(c_int, RawCursor, RawCursor, py_object)
_VisitField = ctypes.CFUNCTYPE(c_int, RawCursor, py_object)
_found_child, _found_inside, _found_field = _Visit(_met_child), _Visit(_met_inside), _VisitField(_met_field)


_OF_CURSOR: dict[str, Any] = {
    "clang_getCursorSpelling": _String, "clang_getCursorUSR": _String, "clang_getCursorLocation": _RawLocation,
    "clang_getCursorExtent": _RawRange, "clang_getCursorType": RawType, "clang_getCursorResultType": RawType,
    "clang_getTypedefDeclUnderlyingType": RawType, "clang_getEnumDeclIntegerType": RawType,
    "clang_getCanonicalCursor": RawCursor, "clang_getCursorReferenced": RawCursor,
    "clang_getCursorSemanticParent": RawCursor, "clang_getCursorLexicalParent": RawCursor,
    "clang_getCursorDefinition": RawCursor, "clang_getSpecializedCursorTemplate": RawCursor,
    "clang_Cursor_getVarDeclInitializer": RawCursor, "clang_getEnumConstantDeclValue": c_longlong,
    "clang_getEnumConstantDeclUnsignedValue": c_ulonglong, "clang_getCursorLinkage": c_int, "clang_hashCursor": c_uint,
    "clang_Cursor_getStorageClass": c_int, "clang_Cursor_getNumArguments": c_int,
    "clang_Cursor_getNumTemplateArguments": c_int, "clang_Cursor_getOffsetOfField": c_longlong,
    "clang_Cursor_isBitField": c_uint, "clang_getFieldDeclBitWidth": c_int,
    "clang_isCursorDefinition": c_uint, "clang_CXXMethod_isConst": c_uint,
    "clang_CXXMethod_isStatic": c_uint, "clang_CXXMethod_isVirtual": c_uint, "clang_CXXMethod_isPureVirtual": c_uint,
    "clang_CXXMethod_isDefaulted": c_uint, "clang_CXXConstructor_isCopyConstructor": c_uint,
    "clang_CXXConstructor_isMoveConstructor": c_uint, "clang_CXXConstructor_isDefaultConstructor": c_uint,
    "clang_getCursorBinaryOperatorKind": c_int, "clang_getCursorUnaryOperatorKind": c_int,
    "clang_Cursor_Evaluate": c_void_p,
}  # fmt: skip
_OF_TYPE: dict[str, Any] = {
    "clang_getTypeSpelling": _String, "clang_getCanonicalType": RawType, "clang_getPointeeType": RawType,
    "clang_getElementType": RawType, "clang_Type_getNamedType": RawType, "clang_getTypeDeclaration": RawCursor,
    "clang_getNumElements": c_longlong, "clang_Type_getSizeOf": c_longlong, "clang_Type_getAlignOf": c_longlong,
    "clang_Type_getNumTemplateArguments": c_int, "clang_isConstQualifiedType": c_uint,
    "clang_isVolatileQualifiedType": c_uint, "clang_isRestrictQualifiedType": c_uint,
    "clang_isFunctionTypeVariadic": c_uint, "clang_getResultType": RawType,
}  # fmt: skip
_OF_CURSOR_AND_NUMBER: dict[str, Any] = {
    "clang_Cursor_getArgument": RawCursor, "clang_Cursor_getTemplateArgumentKind": c_int,
    "clang_Cursor_getTemplateArgumentType": RawType, "clang_Cursor_getTemplateArgumentValue": c_longlong,
}  # fmt: skip
_OF_RESULT: dict[str, Any] = {
    "clang_EvalResult_getKind": c_int, "clang_EvalResult_isUnsignedInt": c_uint,
    "clang_EvalResult_getAsUnsigned": c_ulonglong, "clang_EvalResult_getAsLongLong": c_longlong,
    "clang_EvalResult_getAsDouble": ctypes.c_double, "clang_EvalResult_dispose": None,
}  # fmt: skip


@cache
def library() -> ctypes.PyDLL:
    """The functions of libclang that take no time: other threads of Python wait.  Its types are hetad's own, so that
    whoever uses the wheel's binding in the same process has that as it was."""
    lib = ctypes.PyDLL(cindex.conf.lib._name)
    number = c_uint
    for names, given in (
        (_OF_CURSOR, (RawCursor,)), (_OF_TYPE, (RawType,)), (_OF_CURSOR_AND_NUMBER, (RawCursor, number)),
        (_OF_RESULT, (c_void_p,)),
    ):  # fmt: skip
        for name, returns in names.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = returns, given
    lib.clang_getCString.restype, lib.clang_getCString.argtypes = c_char_p, (_String,)
    lib.clang_disposeString.restype, lib.clang_disposeString.argtypes = None, (_String,)
    lib.clang_Type_getTemplateArgumentAsType.restype = RawType
    lib.clang_Type_getTemplateArgumentAsType.argtypes = (RawType, number)
    lib.clang_visitChildren.restype, lib.clang_visitChildren.argtypes = c_uint, (RawCursor, _Visit, py_object)
    lib.clang_Type_visitFields.restype, lib.clang_Type_visitFields.argtypes = c_uint, (RawType, _VisitField, py_object)
    lib.clang_getInstantiationLocation.restype = None
    lib.clang_getInstantiationLocation.argtypes = (_RawLocation, c_void_p, *[POINTER(c_uint)] * 3)
    return lib


# --- answers -------------------------------------------------------------------------------------


def _text(_about: _Known, raw: _String) -> str:
    lib = library()
    found = lib.clang_getCString(raw)
    lib.clang_disposeString(raw)
    return found.decode() if found is not None else ""


def _cursor(about: _Known, raw: RawCursor) -> Cursor | None:
    return about.unit.cursor_of(bytes(raw))


def _there(about: _Known, raw: RawCursor) -> Cursor:
    """Where there always is one, be it one that says that there is none."""
    found = about.unit.cursor_of(bytes(raw))
    assert found is not None
    return found


def _type(about: _Known, raw: RawType) -> Type:
    return about.unit.type_of(bytes(raw))


def _location(about: _Known, raw: _RawLocation) -> Location:
    return about.unit.location_of(raw)


def _range(about: _Known, raw: _RawRange) -> Range:
    start, end = (_RawLocation(raw.data, at) for at in (raw.start, raw.end))
    return Range(about.unit.location_of(start), about.unit.location_of(end))


def _plain(_about: _Known, raw: int) -> int:
    return raw


def _truth(_about: _Known, raw: int) -> bool:
    return bool(raw)


class _Asked(Generic[T]):
    """A question to libclang, whose answer the object keeps."""

    def __init__(self, function: str, answer: Callable[[Any, Any], T]) -> None:
        self._function = function
        self._answer = answer

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, about: None, _owner: type) -> _Asked[T]: ...
    @overload
    def __get__(self, about: _Known, _owner: type) -> T: ...
    def __get__(self, about: _Known | None, _owner: type) -> _Asked[T] | T:
        if about is None:
            return self
        answer = self._answer(about, getattr(library(), self._function)(about.raw))
        about.__dict__[self._name] = answer
        return answer


def _asked(function: str, answer: Callable[[Any, Any], T]) -> Callable[[Any], T]:
    """The same as a method."""

    def ask(about: _Known) -> T:
        kept: dict[str, Any] = about.__dict__
        if function not in kept:
            kept[function] = answer(about, getattr(library(), function)(about.raw))
        return kept[function]  # type: ignore[no-any-return]

    return ask


class Location(NamedTuple):
    """In the text that Clang was given, counted from 1; line 0 for what stands nowhere."""

    line: int
    column: int
    offset: int


class Range(NamedTuple):
    start: Location
    end: Location


class _Known:
    """What a translation unit knows: a cursor or a type."""

    unit: Unit
    raw: Any


class Cursor(_Known):
    """A declaration, a statement, an expression or a reference in a translation unit."""

    def __init__(self, unit: Unit, key: bytes) -> None:
        self.unit = unit
        self.raw = raw = RawCursor.from_buffer_copy(key)
        self.kind_number: int = raw.kind
        one, other, _ = raw.data
        # Where a declaration is met decides whether it knows to be the first of several, which makes it no other one.
        self._same = (raw.kind, one, None if _is_declaration(raw.kind) else other)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Cursor) and self._same == other._same and self.unit is other.unit)

    def __hash__(self) -> int:
        return hash(self._same)

    def __repr__(self) -> str:
        return f"<{self.kind_number} {self.spelling} {self.location}>"

    @cached_property
    def kind(self) -> Any:
        """Raises ValueError for kinds that are newer than the wheel's binding."""
        return CursorKind.from_id(self.kind_number)

    @cached_property
    def enum_value(self) -> int:
        """Of an enumerator."""
        type_ = self.type
        under = type_.get_declaration().enum_type if type_.kind == TypeKind.ENUM else type_
        return self._unsigned_value if under.kind in _UNSIGNED else self._value

    @cached_property
    def _children(self) -> Sequence[Cursor]:
        found: list[bytes] = []
        library().clang_visitChildren(self.raw, _found_child, found)
        return self.unit.cursors(found)

    def get_children(self) -> Iterator[Cursor]:
        return iter(self._children)

    def inside(self) -> list[bytes]:
        """All in it, however deep, as the bytes of libclang's own: to look for something, no objects are made."""
        found: list[bytes] = []
        library().clang_visitChildren(self.raw, _found_inside, found)
        return found

    def get_arguments(self) -> Iterator[Cursor]:
        """The parameters of a function, the arguments of a call."""
        return iter(self._arguments)

    @cached_property
    def _arguments(self) -> Sequence[Cursor]:
        lib = library()
        number = lib.clang_Cursor_getNumArguments(self.raw)
        return self.unit.cursors(bytes(lib.clang_Cursor_getArgument(self.raw, n)) for n in range(number))

    def get_template_argument_kind(self, number: int) -> Any:
        """Raises ValueError for kinds that the wheel's binding does not know, as packs."""
        return TemplateArgumentKind.from_id(library().clang_Cursor_getTemplateArgumentKind(self.raw, number))

    def get_template_argument_type(self, number: int) -> Type:
        return self.unit.type_of(bytes(library().clang_Cursor_getTemplateArgumentType(self.raw, number)))

    def get_template_argument_value(self, number: int) -> int:
        return int(library().clang_Cursor_getTemplateArgumentValue(self.raw, number))

    @cached_property
    def words(self) -> frozenset[str]:
        """The tokens between its ends."""
        asked = cindex.Cursor.from_buffer_copy(bytes(self.raw))
        asked._tu = self.unit.parsed
        return frozenset(t.spelling for t in asked.get_tokens())

    spelling = _Asked("clang_getCursorSpelling", _text)
    location = _Asked("clang_getCursorLocation", _location)
    extent = _Asked("clang_getCursorExtent", _range)
    hash = _Asked("clang_hashCursor", _plain)
    type = _Asked("clang_getCursorType", _type)
    result_type = _Asked("clang_getCursorResultType", _type)
    underlying_typedef_type = _Asked("clang_getTypedefDeclUnderlyingType", _type)
    enum_type = _Asked("clang_getEnumDeclIntegerType", _type)
    canonical = _Asked("clang_getCanonicalCursor", _there)
    referenced: Any = _Asked("clang_getCursorReferenced", _cursor)
    semantic_parent: Any = _Asked("clang_getCursorSemanticParent", _cursor)
    lexical_parent: Any = _Asked("clang_getCursorLexicalParent", _cursor)
    template = _Asked("clang_getSpecializedCursorTemplate", _cursor)
    initialiser = _Asked("clang_Cursor_getVarDeclInitializer", _cursor)
    linkage: Any = _Asked("clang_getCursorLinkage", lambda _, n: LinkageKind.from_id(n))
    storage_class: Any = _Asked("clang_Cursor_getStorageClass", lambda _, n: StorageClass.from_id(n))
    binary_operator = _Asked("clang_getCursorBinaryOperatorKind", _plain)
    unary_operator = _Asked("clang_getCursorUnaryOperatorKind", _plain)
    _value = _Asked("clang_getEnumConstantDeclValue", _plain)
    _unsigned_value = _Asked("clang_getEnumConstantDeclUnsignedValue", _plain)
    get_definition = _asked("clang_getCursorDefinition", _cursor)
    get_usr = _asked("clang_getCursorUSR", _text)
    get_num_template_arguments = _asked("clang_Cursor_getNumTemplateArguments", _plain)
    get_field_offsetof = _asked("clang_Cursor_getOffsetOfField", _plain)
    get_bitfield_width = _asked("clang_getFieldDeclBitWidth", _plain)
    is_bitfield = _asked("clang_Cursor_isBitField", _truth)
    is_definition = _asked("clang_isCursorDefinition", _truth)
    is_const_method = _asked("clang_CXXMethod_isConst", _truth)
    is_static_method = _asked("clang_CXXMethod_isStatic", _truth)
    is_virtual_method = _asked("clang_CXXMethod_isVirtual", _truth)
    is_pure_virtual_method = _asked("clang_CXXMethod_isPureVirtual", _truth)
    is_default_method = _asked("clang_CXXMethod_isDefaulted", _truth)
    is_copy_constructor = _asked("clang_CXXConstructor_isCopyConstructor", _truth)
    is_move_constructor = _asked("clang_CXXConstructor_isMoveConstructor", _truth)
    is_default_constructor = _asked("clang_CXXConstructor_isDefaultConstructor", _truth)


class Type(_Known):
    """A type in a translation unit."""

    def __init__(self, unit: Unit, key: bytes) -> None:
        self.unit = unit
        self.raw = raw = RawType.from_buffer_copy(key)
        self._same = raw.data[0]
        self.kind_number: int = raw.kind

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Type) and self._same == other._same and self.unit is other.unit)

    def __hash__(self) -> int:
        return hash(self._same)

    def __repr__(self) -> str:
        return f"<{self.kind_number} {self.spelling}>"

    @cached_property
    def kind(self) -> Any:
        """Raises ValueError for kinds that are newer than the wheel's binding."""
        return TypeKind.from_id(self.kind_number)

    @property
    def element_count(self) -> int:
        """Of an array."""
        found = self._element_count
        if found < 0:
            raise ValueError(f"'{self.spelling}' has no number of elements")
        return found

    @cached_property
    def _fields(self) -> Sequence[Cursor]:
        found: list[bytes] = []
        library().clang_Type_visitFields(self.raw, _found_field, found)
        return self.unit.cursors(found)

    def get_fields(self) -> Iterator[Cursor]:
        """The members of a class, without those of its bases."""
        return iter(self._fields)

    def get_template_argument_type(self, number: int) -> Type:
        return self.unit.type_of(bytes(library().clang_Type_getTemplateArgumentAsType(self.raw, number)))

    spelling = _Asked("clang_getTypeSpelling", _text)
    element_type = _Asked("clang_getElementType", _type)
    _element_count = _Asked("clang_getNumElements", _plain)
    get_canonical = _asked("clang_getCanonicalType", _type)
    get_pointee = _asked("clang_getPointeeType", _type)
    get_named_type = _asked("clang_Type_getNamedType", _type)
    get_result = _asked("clang_getResultType", _type)
    get_declaration = _asked("clang_getTypeDeclaration", _there)
    get_size = _asked("clang_Type_getSizeOf", _plain)
    get_align = _asked("clang_Type_getAlignOf", _plain)
    get_num_template_arguments = _asked("clang_Type_getNumTemplateArguments", _plain)
    is_const_qualified = _asked("clang_isConstQualifiedType", _truth)
    is_volatile_qualified = _asked("clang_isVolatileQualifiedType", _truth)
    is_restrict_qualified = _asked("clang_isRestrictQualifiedType", _truth)
    is_function_variadic = _asked("clang_isFunctionTypeVariadic", _truth)


_UNSIGNED = (
    TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.CHAR16, TypeKind.CHAR32, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG,
    TypeKind.ULONGLONG, TypeKind.UINT128,
)  # fmt: skip


def _is_declaration(kind: int) -> bool:
    return 1 <= kind <= 39 or 600 <= kind <= 603  # CXCursor_FirstDecl to LastDecl, FirstExtraDecl to LastExtraDecl


class Unit:
    """A text that Clang has read; its cursors and types are one object each."""

    def __init__(self, parsed: Any) -> None:
        """`parsed`: as the wheel's binding has it."""
        self.parsed = parsed
        self._cursors: dict[bytes, Cursor] = {}
        self._types: dict[bytes, Type] = {}
        self._locations: dict[int, Location] = {}
        self._nothing = bytes(cindex.conf.lib.clang_getNullCursor())
        top = self.cursor_of(bytes(parsed.cursor))
        assert top is not None
        self.cursor = top

    def cursor_of(self, key: bytes) -> Cursor | None:
        """`key`: the bytes of libclang's own."""
        found = self._cursors.get(key)
        if found is None and key != self._nothing:
            found = self._cursors[key] = Cursor(self, key)
        return found

    def cursors(self, keys: Iterable[bytes]) -> Sequence[Cursor]:
        return tuple(found for key in keys if (found := self.cursor_of(key)) is not None)

    def type_of(self, key: bytes) -> Type:
        found = self._types.get(key)
        if found is None:
            found = self._types[key] = Type(self, key)
        return found

    def location_of(self, raw: _RawLocation) -> Location:
        found = self._locations.get(raw.at)
        if found is None:
            line, column, offset = c_uint(), c_uint(), c_uint()
            library().clang_getInstantiationLocation(raw, None, byref(line), byref(column), byref(offset))
            found = self._locations[raw.at] = Location(line.value, column.value, offset.value)
        return found
