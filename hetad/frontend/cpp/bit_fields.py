"""The integers in which bit-fields lie, where Clang has placed them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hetad.frontend.cpp.clang import Cursor, TypeKind
from hetad.frontend.lower.packed import BITS, UNSIGNED
from hetad.ir.types import BOOL, INT, Bits, Field, Int

if TYPE_CHECKING:
    from hetad.frontend.cpp.types import Types


@dataclass(frozen=True)
class Units:
    """The integers of a struct, by the first bit-field in each; `members`: all bit-fields."""

    fields: dict[Cursor, Field]
    members: tuple[Bits, ...]

    def begins(self, field: Cursor) -> bool:
        """Whether a bit-field is the first one in an integer."""
        return field in self.fields

    def field(self, first: Cursor) -> Field:
        return self.fields[first]


def units(members: Sequence[Cursor], size: int, types: Types) -> Units:
    """The integers for the bit-fields among the members of a struct of `size` bytes."""
    fields: dict[Cursor, Field] = {}
    found: list[Bits] = []
    for row, free, end in _rows(members, 8 * size):
        while row:
            width = _width(row, free, end, types)
            first = row[0].get_field_offsetof() // width * width
            free = first + width
            name = f"{BITS}_{len(fields)}" if fields else BITS
            fields[row[0]] = Field(name, UNSIGNED[width // 8])
            while row and _begin(row[0]) < free:
                type_, signed = _member(row[0], types)
                place = _begin(row[0]) - first, row[0].get_bitfield_width()
                found.append(Bits(row[0].spelling, type_, name, *place, signed))
                row = row[1:]
    return Units(fields, tuple(found))


def _begin(field: Cursor) -> int:
    return int(field.get_field_offsetof())


def _rows(members: Sequence[Cursor], size: int) -> list[tuple[list[Cursor], int, int]]:
    """The bit-fields that stand together, and the bits that are theirs: behind the member before, to the next one."""
    found: list[tuple[list[Cursor], int, int]] = []
    row: list[Cursor] = []
    free = 0
    for member in members:
        if member.is_bitfield():
            row.append(member)
            continue
        begin = member.get_field_offsetof()
        if row:
            found.append((row, free, begin))
        row, free = [], begin + 8 * max(member.type.get_size(), 0)
    return [*found, (row, free, size)] if row else found


def _width(row: list[Cursor], free: int, end: int, types: Types) -> int:
    """How wide the integer is in which the first bit-field of a row lies, with all that begin in it, and nothing else:
    as it is declared, if possible."""
    for width in (8 * row[0].type.get_size(), 64, 32, 16, 8):
        first = _begin(row[0]) // width * width
        inside = (f for f in row if _begin(f) < first + width)
        whole = all(_begin(f) + f.get_bitfield_width() <= first + width for f in inside)
        if whole and free <= first and first + width <= end:
            return width
    return types.source.refuse("bit-fields that lie in this way", row[0], "use plain integer members")


def _member(field: Cursor, types: Types) -> tuple[Int, bool]:
    """The type of a bit-field where it is read, that of its promotion, and whether its highest bit is a sign."""
    if not field.spelling:
        types.source.refuse("bit-fields without a name", field, "give it a name")
    canonical, width = field.type.get_canonical(), field.get_bitfield_width()
    of_enum = canonical.kind == TypeKind.ENUM
    type_ = types.of(canonical.get_declaration().enum_type if of_enum else canonical, field)
    if not isinstance(type_, Int) or width < 1 or width > type_.bits or type_.volatile:
        types.source.refuse("this bit-field", field, "use a plain integer member")
    if type_ == BOOL:
        return BOOL, False
    return INT if width < 32 or (type_.signed and width == 32) else type_, type_.signed
