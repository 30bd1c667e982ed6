"""What is carried beside each number: its tangents, or the inputs that it depends on.

| algebra      | a shadow holds | `y = a * x;` is preceded by          |
|--------------|----------------|--------------------------------------|
| tangents     | numbers        | `dot_y = dot_a * x + a * dot_x;`     |
| dependences  | masks          | `mask_y` is `mask_a` or `mask_x`      |

A mask has a bit for each input, and as many bits as the number beside which it stands; so whatever is allocated, copied
or set as bytes is so for masks too.  A mask of a `double` that goes through a `float` keeps its lower half.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from hetad.adjoint.expressions import where_seeded
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import convert, times
from hetad.ir.types import UINT, ULLONG, USHORT, Array, Field, Float, Pointer, Struct, Type
from hetad.tangent.dependences import Dependences, joined
from hetad.tangent.duals import Dual, Duals, Places, Tangents, plus


class Algebra(ABC):
    """`prefix`: of the names of shadows; `what`: what a function of them is called; `linear`: what a linear function
    makes of shadows is what it makes of numbers."""

    prefix: str
    what: str
    linear: bool

    def type(self, type_: Type) -> Type:
        """Of the shadow of something that has this type."""
        return type_

    @abstractmethod
    def of(self, places: Places, span: Span, before: list[ir.Stmt] | None) -> Callable[[ir.Expr], Dual]:
        """What finds the value of an expression and what is carried beside it; see `duals.Duals`."""

    @abstractmethod
    def along(self, slope: ir.Expr, tangents: Sequence[ir.Expr], *, finite: bool = True) -> Tangents:
        """What a function with this slope makes of what its argument carries.  `finite`: whether the slope is, also
        where tangents are zero, and so is their product with it."""

    @abstractmethod
    def plus(self, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        """What a sum carries."""

    def update(self, op: str) -> str:
        """What `op=` does to a shadow."""
        return op

    def atomic(self, name: str) -> str:
        """The atomic that does to a shadow what an atomic sum does to the value."""
        return name


class Linear(Algebra):
    """Tangents: the product of the Jacobian with a direction."""

    prefix, what, linear = "dot", "tangent", True

    def of(self, places: Places, span: Span, before: list[ir.Stmt] | None) -> Callable[[ir.Expr], Dual]:
        return Duals(places, span, before)

    def along(self, slope: ir.Expr, tangents: Sequence[ir.Expr], *, finite: bool = True) -> Tangents:
        products = tuple(times(convert(slope, t.type), t) for t in tangents)
        return products if finite else tuple(map(where_seeded, tangents, products))

    def plus(self, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        return plus(a, b)


class Masks(Algebra):
    """The inputs on which a number depends: those of all that it is computed from, as long as the control flow, and
    what `?:` chooses, stay as they are.

    Source: U. Geitner, J. Utke, A. Griewank, Automatic computation of sparse Jacobians by applying the method of
    Newsam and Ramsdell, 1996 (propagation of bit patterns).
    """

    prefix, what, linear = "mask", "dependence", False

    def __init__(self, structs: Iterable[Type]) -> None:
        """`structs`: of the program."""
        self.bits = 64  # of a mask, wherever it goes
        self._full = {s.name: s for s in structs if isinstance(s, Struct)}
        self._made: dict[str, Struct] = {}

    @property
    def structs(self) -> tuple[Struct, ...]:
        """Those that hold masks, each behind those inside it."""
        return tuple(self._made.values())

    def type(self, type_: Type) -> Type:
        match type_:
            case Float(bits=bits, volatile=volatile):
                self.bits = min(self.bits, bits)
                return replace({16: USHORT, 32: UINT, 64: ULLONG}[bits], volatile=volatile)
            case Pointer(to=to):
                return replace(type_, to=self.type(to))
            case Array(of=of):
                return replace(type_, of=self.type(of))
            case Struct():
                return self._struct(type_, ()) or type_
        return type_

    def _struct(self, struct: Struct, around: tuple[str, ...]) -> Struct | None:
        """Of masks; None of one that holds no numbers, nor pointers to some."""
        name = f"{struct.name}_masks"
        if struct.name in around or name in self._made:
            return Struct(name, ()) if struct.name in around else self._made[name]
        if struct in self._made.values():
            return struct
        full = self._full.get(struct.name, struct)
        fields = tuple(Field(f.name, self._field(f.type, (*around, struct.name))) for f in full.fields)
        if all(a.type == b.type for a, b in zip(fields, full.fields, strict=True)):
            return None
        self._made[name] = Struct(name, fields, full.align)
        return self._made[name]

    def _field(self, type_: Type, around: tuple[str, ...]) -> Type:
        match type_:
            case Pointer(to=to):
                return Pointer(self._field(to, around))
            case Array(of=of, length=length):
                return Array(self._field(of, around), length)
            case Struct():
                return self._struct(type_, around) or type_
        return self.type(type_)

    def of(self, places: Places, span: Span, before: list[ir.Stmt] | None) -> Callable[[ir.Expr], Dual]:
        return Dependences(places, span, self.type)

    def along(self, slope: ir.Expr, tangents: Sequence[ir.Expr], *, finite: bool = True) -> Tangents:
        return tuple(convert(t, self.type(slope.type)) for t in tangents)

    def plus(self, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        return joined(a, b)

    def update(self, op: str) -> str:
        return "|"  # a difference depends on what a sum depends on

    def atomic(self, name: str) -> str:
        return f"atomicOr{name.removeprefix('atomicAdd').removeprefix('atomicSub')}"
