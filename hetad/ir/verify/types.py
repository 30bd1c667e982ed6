"""Types of expressions and of what statements do with them."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.types import (
    BOOL,
    DIM3,
    VOID,
    Array,
    Field,
    Float,
    Int,
    Opaque,
    Pointer,
    Struct,
    Type,
    element,
)
from hetad.ir.verify.rules import Rules, passable, rule

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_BITS = frozenset({"%", "&", "|", "^"})
_SHIFTS = frozenset({"<<", ">>"})
_LOGIC = frozenset({"&&", "||"})
Scalar = Int | Float | Pointer | Opaque


class Types(Rules):
    # --- expressions ---------------------------------------------------------------------------

    @rule(ir.Const)
    def literal(self, e: ir.Const) -> bool:
        """A literal is a number, a handle or an address by its name, or the null of pointers and handles."""
        named = isinstance(e.type, Pointer | Opaque) and e.text is not None
        return isinstance(e.type, Int | Float) or named or (isinstance(e.type, Pointer | Opaque) and e.value == 0)

    @rule(ir.Index)
    def index(self, e: ir.Index) -> bool:
        """What is indexed is an array or a pointer, by an integer, and what stands there has its element's type."""
        indexed = isinstance(e.base.type, Pointer | Array) and isinstance(e.index.type, Int)
        return indexed and element(e.base.type) == e.type

    @rule(ir.Member)
    def member(self, e: ir.Member) -> bool:
        """A member has the type that its struct gives it."""
        return isinstance(e.base.type, Struct) and Field(e.name, e.type) in e.base.type.fields

    @rule(ir.AddressOf)
    def address(self, e: ir.AddressOf) -> bool:
        """The address of a place points to its type."""
        return isinstance(e.type, Pointer) and e.type.to == e.place.type

    @rule(ir.Unary)
    def unary(self, e: ir.Unary) -> bool:
        """`!` makes a bool of a scalar, `~` keeps the type of an integer, `-` that of a number."""
        if e.op == "!":
            return e.type == BOOL and isinstance(e.operand.type, Scalar)
        return e.type == e.operand.type and isinstance(e.type, Int if e.op == "~" else Int | Float)

    @rule(ir.Binary)
    def binary(self, e: ir.Binary) -> bool:
        """Operands are of the operation's own type, and comparisons and logic make a bool; pointers move by integers
        and are compared with, and subtracted from, pointers to the same."""
        left, right = e.left.type, e.right.type
        if e.op in _LOGIC:
            return e.type == BOOL and isinstance(left, Scalar) and isinstance(right, Scalar)
        if e.op in _COMPARISONS:
            return e.type == BOOL and isinstance(left, Scalar) and _comparable(left, right)
        if isinstance(left, Pointer):
            if isinstance(right, Pointer):
                return e.op == "-" and left.to == right.to and isinstance(e.type, Int)
            return e.op in ("+", "-") and e.type == left and isinstance(right, Int)
        if e.op in _SHIFTS:
            return e.type == left and isinstance(left, Int) and isinstance(right, Int)
        return left == right == e.type and isinstance(left, Int if e.op in _BITS else Int | Float)

    @rule(ir.Select)
    def arms(self, e: ir.Select) -> bool:
        """A choice asks a scalar and has arms of its own type."""
        return isinstance(e.cond.type, Scalar) and e.then.type == e.orelse.type == e.type

    @rule(ir.Cast)
    def conversion(self, e: ir.Cast) -> bool:
        """A conversion is one of scalars, or of an array to a pointer, or drops a value."""
        return e.type == VOID or (isinstance(e.type, Scalar) and isinstance(e.operand.type, Scalar | Array))

    @rule(ir.Aggregate)
    def aggregate(self, e: ir.Aggregate) -> bool:
        """A list gives an array elements of its type, and a struct values for its first fields."""
        match e.type:
            case Struct(fields=fields):
                pairs = zip(e.elements, (f.type for f in fields), strict=False)
                return len(e.elements) <= len(fields) and all(passable(x, t) for x, t in pairs)
            case Array(of=of, length=length):
                return (length is None or len(e.elements) <= length) and all(passable(x, of) for x in e.elements)
        return False

    # --- statements ----------------------------------------------------------------------------

    @rule(ir.Declare)
    def initial_value(self, s: ir.Declare) -> bool:
        """A variable begins with a value of its type."""
        return s.init is None or passable(s.init, s.symbol.type)

    @rule(ir.Assign)
    def assignment(self, s: ir.Assign) -> bool:
        """A place is assigned a value of its type; arrays are not assigned."""
        return passable(s.value, s.target.type) and not isinstance(s.target.type, Array)

    @rule(ir.Update)
    def update(self, s: ir.Update) -> bool:
        """A number is updated by one of its type, a pointer or what is shifted by an integer."""
        if isinstance(s.target.type, Pointer) or s.op in _SHIFTS:
            return isinstance(s.value.type, Int)
        return s.value.type == s.target.type and isinstance(s.target.type, Int if s.op in _BITS else Int | Float)

    @rule(ir.Assign, ir.Update)
    def writable(self, s: ir.Assign | ir.Update) -> bool:
        """What is written is a place, no constant that has its value, and not behind a pointer to const."""
        target: ir.Expr = s.target
        while isinstance(target, ir.Member | ir.Index):
            if isinstance(target, ir.Index) and isinstance(target.base.type, Pointer):
                return not target.base.type.const
            target = target.base
        return isinstance(target, ir.Var) and target.symbol not in self.setting.fixed

    @rule(ir.If, ir.For, ir.While, ir.DoWhile)
    def condition(self, s: ir.If | ir.For | ir.While | ir.DoWhile) -> bool:
        """A condition is a scalar."""
        return s.cond is None or isinstance(s.cond.type, Scalar)

    @rule(ir.Switch)
    def cases(self, s: ir.Switch) -> bool:
        """A switch compares integers with constants of their type."""
        values = (v for case in s.cases for v in case.values)
        return isinstance(s.subject.type, Int) and all(isinstance(v.type, Int) for v in values)

    @rule(ir.Return)
    def returned(self, s: ir.Return) -> bool:
        """A function returns a value of its type."""
        if s.value is None:
            return self.setting.function.returns == VOID
        return passable(s.value, self.setting.function.returns)

    @rule(ir.Push, ir.Pop)
    def saved(self, s: ir.Push | ir.Pop) -> bool:
        """A slot holds the values of one type, saved and restored to the same extent; but for a value or a column, it
        is told by a pointer, and what the caller's memory holds on entry is saved whole."""
        first = self.setting.slots.setdefault(s.slot, s)
        if s.extent != first.extent or _held(s.slot.type) != _held(s.place.type):
            return False
        if s.slot.storage == "entry" and s.extent != "allocation":
            return False
        return s.extent in ("value", "column") or isinstance(s.place.type, Pointer | Array)

    @rule(ir.Push, ir.Pop)
    def extent(self, s: ir.Push | ir.Pop) -> bool:
        """A saved range counts its bytes, a saved part its elements, and nothing else does, in integers."""
        counts = (*(() if s.bytes is None else (s.bytes,)), *(s.cells if isinstance(s, ir.Push) else ()))
        whole = all(isinstance(c.type, Int) for c in counts)
        cells = len(s.cells) == 2 if isinstance(s, ir.Push) and s.extent == "part" else True
        return whole and cells and (s.bytes is not None) == (s.extent == "range")

    @rule(ir.Launch)
    def configuration(self, s: ir.Launch) -> bool:
        """A grid and a block have one, two or three extents; shared memory is a number of bytes."""
        extents = all(e.type == DIM3 or isinstance(e.type, Int) for e in (s.grid, s.block))
        return extents and (s.shared is None or isinstance(s.shared.type, Int))


def _comparable(left: Type, right: Type) -> bool:
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return left.to == right.to or VOID in (left.to, right.to)
    return left == right


def _held(type_: Type) -> Type:
    """A type without what pointers to it promise."""
    return Pointer(type_.to) if isinstance(type_, Pointer) else type_
