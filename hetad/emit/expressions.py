"""Expressions as text: no parenthesis and no conversion that C does not need for the same value.

C converts by itself where types meet (operands of an operator, assignment, call, return).  `converted(e, T)` drops the
implicit casts of `e` that such a meeting with type `T` makes redundant; `text(e)` gives exactly the type of `e`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from hetad.emit import calls, halves
from hetad.emit.declarators import ENUMS, declaration
from hetad.emit.dialect import Dialect
from hetad.emit.literals import const, is_named, literal_type
from hetad.emit.names import Locals, Spellings, spelled
from hetad.ir import nodes as ir
from hetad.ir.types import (
    DEVICE_PROPERTIES,
    DIM3,
    DOUBLE,
    FLOAT,
    INT,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    Void,
    element,
    is_half,
    is_volatile,
    promote,
    promote_integer,
)  # fmt: skip

POSTFIX, UNARY, SELECT, COMMA = 15, 14, 3, 0
BINARY = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, ">": 10, "<=": 10, ">=": 10,
    "==": 9, "!=": 9, "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
LOGIC = frozenset({"&&", "||"})
SHIFTS = frozenset({"<<", ">>"})
_MIXED = {("&&", "||"), *((a, b) for a in "+-*/&|^" for b in ("&", "|", "^", "<<", ">>") if a != b)}
"""Operators that are easily misread side by side: the inner one (first) keeps its parentheses."""


def preserves(source: Type, target: Type) -> bool:
    """Whether every value of type `source` is a value of type `target`, and C converts it."""
    if is_half(source) or is_half(target):
        return source == target
    match source, target:
        case Int(), Int():
            if target.boolean or source.boolean:
                return source.boolean
            if source.signed == target.signed:
                return source.bits <= target.bits
            return target.signed and source.bits < target.bits
        case Int(), Float():
            return source.bits - source.signed <= (24 if target.bits == 32 else 53)
        case Float(), Float():
            return source.bits <= target.bits
    return False


def is_enum(type_: Type) -> bool:
    return isinstance(type_, Int) and type_.name in ENUMS


def is_bool(type_: Type) -> bool:
    return isinstance(type_, Int) and type_.boolean


def converted(expr: ir.Expr, target: Type, dialect: Dialect) -> ir.Expr:
    """An expression that gives the same value as `expr` once C has converted it to `target`."""
    if isinstance(expr, ir.Const):
        return _plain_const(expr)
    if not isinstance(expr, ir.Cast) or not expr.implicit:
        return expr
    source, middle = expr.operand.type, expr.type
    if isinstance(middle, Pointer):
        return _converted_pointer(expr, middle, dialect)
    if is_half(middle) or is_half(source):
        return expr
    if isinstance(middle, Int | Float) and isinstance(source, Int | Float):
        if dialect.cuda and is_enum(middle) and not is_enum(source):
            return expr
        kept = middle == target or preserves(source, middle)
        return converted(expr.operand, target, dialect) if kept else expr
    return expr.operand if source == middle else expr


def _converted_pointer(expr: ir.Cast, target: Pointer, dialect: Dialect) -> ir.Expr:
    operand, source = expr.operand, expr.operand.type
    if isinstance(operand, ir.Const) and isinstance(source, Int) and operand.value == 0:
        return ir.Const(0, target, span=expr.span)
    if not isinstance(source, Pointer | Array) or (isinstance(source, Pointer) and source.const and not target.const):
        return expr
    held = element(source)
    free = held == target.to or isinstance(target.to, Void) or (isinstance(held, Void) and not dialect.cuda)
    if not free:
        return expr
    if isinstance(operand, ir.Cast) and operand.implicit and isinstance(operand.operand.type, Array):
        return operand.operand  # an array decays to any of these pointers
    return operand


def _plain_const(expr: ir.Const) -> ir.Const:
    """A literal as a person writes it where its type follows from the context: `2` for a size or a long."""
    special = isinstance(expr.value, bool) or is_enum(expr.type) or is_half(expr.type)
    if not isinstance(expr.type, Int | Float) or special:
        return expr
    if expr.text is not None:
        spelling = literal_type(expr.text)
        if isinstance(spelling, Int) and spelling != expr.type and math.isfinite(expr.value) and expr.value >= 0:
            return replace(expr, value=int(expr.value), type=spelling)
        if spelling == FLOAT:
            return replace(expr, type=FLOAT)
        if spelling is not None or is_named(expr.text):
            return expr
    if isinstance(expr.type, Int) and -(2**31) < expr.value < 2**31:
        return replace(expr, value=int(expr.value), type=INT, text=None)
    return expr


def usual(left: Type, right: Type) -> Type | None:
    """The type of an arithmetic operation on operands of these types."""
    if isinstance(left, Int | Float) and isinstance(right, Int | Float):
        return promote(left, right)
    return None


class Expressions:
    """Prints the expressions of one function."""

    def __init__(self, names: Spellings, local: Locals, dialect: Dialect) -> None:
        self.names = names
        self.local = local
        self.dialect = dialect

    # --- entry points: text for a context ---

    def text(self, expr: ir.Expr, level: int = COMMA) -> str:
        """`expr` with exactly its own type, in parentheses if it binds less than `level`."""
        text, own = self._bound(expr)
        return text if own >= level else f"({text})"

    def place(self, expr: ir.Expr, level: int = COMMA) -> str:
        """`expr` where it stands for the memory, which is not read."""
        return self.text(expr, level)

    def converted(self, expr: ir.Expr, target: Type, level: int = COMMA) -> str:
        """`expr` where C converts it to `target`."""
        plain = converted(expr, target, self.dialect)
        if self.dialect.cuda and is_enum(target) and not is_enum(plain.type):
            return f"({target}){self.text(plain, UNARY)}"
        return self.text(plain, level)

    def truth(self, expr: ir.Expr, level: int = COMMA) -> str:
        """`expr` where only its being zero matters."""
        while isinstance(expr, ir.Cast) and expr.implicit and is_bool(expr.type):
            expr = expr.operand
        return self.text(expr, level)

    def before(self, loop: ir.For) -> Iterator[str]:
        """Lines in front of a loop, which is printed next."""
        return iter(())

    def behind(self, loop: ir.For) -> None:
        """The loop has been printed."""

    def index(self, expr: ir.Expr, level: int = COMMA) -> str:
        """`expr` as an array index: conversions to a 64-bit integer change no address."""
        while isinstance(expr, ir.Cast) and expr.implicit:
            source, target = expr.operand.type, expr.type
            wide = isinstance(source, Int) and isinstance(target, Int) and target.bits == 64
            if not wide and not preserves(source, target):
                break
            expr = expr.operand
        return self.text(_plain_const(expr) if isinstance(expr, ir.Const) else expr, level)

    def call(self, function: str, args: tuple[ir.Expr, ...]) -> str:
        """A call of a function of the program or of a table."""
        if function in self.names.functions:
            types = self.names.parameters[function]
            given = [self.converted(a, t) for a, t in zip(args, types, strict=True)]
            return f"{self.names.functions[function]}({', '.join([*self.names.hidden.get(function, ()), *given])})"
        if function == "__ldg" and not self.dialect.cuda:
            return f"(*{self._pointer(args[0], UNARY)})"
        if calls.is_overloaded(function, self.dialect):
            given = [self.text(a) for a in args]
        elif calls.is_variadic(function):
            given = [self._promoted(a) for a in args]
        else:
            exact = calls.exact_argument(function)
            given = [self.text(a) if i == exact else self.converted(a, a.type) for i, a in enumerate(args)]
        return calls.call(function, given, self.dialect)

    def _promoted(self, expr: ir.Expr) -> str:
        """An argument for `...`: C promotes it, no more."""
        plain = converted(expr, expr.type, self.dialect)
        type_ = plain.type
        passed = promote_integer(type_) if isinstance(type_, Int) else DOUBLE if isinstance(type_, Float) else type_
        return self.text(plain if passed == expr.type else expr)

    def aggregate(self, expr: ir.Aggregate) -> str:
        """`{a, b}`: exact types, since C++ refuses to narrow inside braces."""
        parts = [self.aggregate(e) if isinstance(e, ir.Aggregate) and e.type != DIM3 else self._element(e)
                 for e in expr.elements]  # fmt: skip
        return "{" + ", ".join(parts) + "}"

    def _element(self, expr: ir.Expr) -> str:
        plain = converted(expr, expr.type, self.dialect)
        keeps = isinstance(plain, ir.Const) or preserves(plain.type, expr.type) or not isinstance(expr, ir.Cast)
        return self.text(plain if keeps else expr)

    # --- one node ---

    def _bound(self, expr: ir.Expr) -> tuple[str, int]:
        """Text and binding strength."""
        match expr:
            case ir.Const():
                text = const(expr, self.dialect)
                return text, UNARY if text.startswith(("-", "(")) else POSTFIX
            case ir.String(text=text):
                return text, POSTFIX
            case ir.Var(symbol=symbol):
                return self.local[symbol], POSTFIX
            case ir.Index(base=base, index=index):
                if is_volatile(expr.type) and not is_volatile(element(base.type)):
                    # So said a parameter of a function that is inlined here.
                    base = ir.Cast(base, Pointer(expr.type), span=expr.span)
                    return f"{self.text(base, POSTFIX)}[{self.index(index)}]", POSTFIX
                if _is_dereference(expr):
                    moved = _moved_pointer(base)
                    if moved is not None:
                        return f"{self._pointer(moved.left, POSTFIX)}[{self.index(moved.right)}]", POSTFIX
                    return f"*{self._pointer(base, UNARY)}", UNARY
                if not self.dialect.cuda and _may_leave_row(expr):
                    # C compilers take it to stay in the row, where programs count through all of them.
                    return (
                        f"(({declaration(Pointer(expr.type))}){self.text(base, UNARY)})[{self.index(index)}]",
                        POSTFIX,
                    )
                return f"{self._pointer(base, POSTFIX)}[{self.index(index)}]", POSTFIX
            case ir.Member(base=base, name=name):
                return self._member(base, name)
            case ir.AddressOf(place=place):
                return self._address(place)
            case ir.ThreadIndex(name=name, axis=axis):
                if not axis:
                    return (name, POSTFIX) if self.dialect.cuda else ("32", POSTFIX)
                return f"{name}.{axis}", POSTFIX
            case ir.Unary():
                return self._unary(expr)
            case ir.Binary():
                return self._binary(expr)
            case ir.Select():
                return self._select(expr)
            case ir.Cast():
                return self._cast(expr)
            case ir.Intrinsic(name=function, args=args) | ir.CallExpr(function=function, args=args):
                return self.call(function, args), POSTFIX
            case ir.Aggregate():
                return self._aggregate(expr)

    def _member(self, base: ir.Expr, name: str) -> tuple[str, int]:
        if isinstance(base, ir.Index) and isinstance(base.index, ir.Const) and isinstance(base.base.type, Pointer):
            if base.index.value == 0:
                return f"{self._pointer(base.base, POSTFIX)}->{member_name(base, name)}", POSTFIX
        return f"{self.place(base, POSTFIX)}.{member_name(base, name)}", POSTFIX

    def _address(self, place: ir.Expr) -> tuple[str, int]:
        match place:
            case ir.Index(base=base, index=ir.Const(value=0, text=None)) if isinstance(base.type, Pointer):
                return self._bound(base)
        return f"&{self.place(place, UNARY)}", UNARY

    def _unary(self, expr: ir.Unary) -> tuple[str, int]:
        if expr.op == "!":
            return f"!{self.truth(expr.operand, UNARY)}", UNARY
        operand = expr.operand
        plain = converted(operand, expr.type, self.dialect)
        if plain.type == expr.type or (isinstance(plain.type, Int) and promote_integer(plain.type) == expr.type):
            operand = plain
        text = self.text(operand, UNARY)
        return f"{expr.op}({text})" if text.startswith(expr.op) else f"{expr.op}{text}", UNARY

    def _binary(self, expr: ir.Binary) -> tuple[str, int]:
        op, level = expr.op, BINARY[expr.op]
        if op in LOGIC:
            left, right = self._side(expr.left, op, level, self.truth), self._side(expr.right, op, level, self.truth)
        elif not isinstance(expr.left.type, Int | Float) or not isinstance(expr.right.type, Int | Float):
            left, right = self._pointer(expr.left, level), self._pointer(expr.right, level + 1)
        else:
            a, b = self.operands(expr)
            left, right = self._side(a, op, level, self.text), self._side(b, op, level + 1, self.text)
        return f"{left} {op} {right}", level

    def _side(self, expr: ir.Expr, op: str, level: int, print_: Callable[[ir.Expr, int], str]) -> str:
        if isinstance(expr, ir.Binary) and (expr.op, op) in _MIXED:
            level = POSTFIX
        return print_(expr, level)

    def _pointer(self, expr: ir.Expr, level: int) -> str:
        """An operand of pointer arithmetic, whose element size counts."""
        if isinstance(expr.type, Int):
            return self.index(expr, level)
        if isinstance(expr, ir.Cast) and expr.implicit and isinstance(expr.type, Pointer):
            source = expr.operand.type
            if isinstance(source, Pointer | Array) and element(source) == expr.type.to:
                expr = expr.operand
        return self.text(expr, level)

    def operands(self, expr: ir.Binary) -> tuple[ir.Expr, ir.Expr]:
        """The operands with as few conversions as leave the operation its type."""
        left, right = expr.left, expr.right
        a, b = converted(left, left.type, self.dialect), converted(right, right.type, self.dialect)
        if expr.op in SHIFTS:
            same = isinstance(a.type, Int) and promote_integer(a.type) == left.type
            return a if same else left, b if isinstance(b.type, Int) and preserves(b.type, right.type) else right
        kind = usual(left.type, right.type)
        for x, y in ((a, b), (left, b), (a, right)):
            if usual(x.type, y.type) == kind:
                return x, y
        return left, right

    def _select(self, expr: ir.Select) -> tuple[str, int]:
        then, orelse = (converted(e, expr.type, self.dialect) for e in (expr.then, expr.orelse))
        if isinstance(expr.type, Int | Float) and usual(then.type, orelse.type) != expr.type:
            then, orelse = expr.then, expr.orelse
        cond = self.truth(expr.cond, SELECT + 1)
        return f"{cond} ? {self.text(then, SELECT + 1)} : {self.text(orelse, SELECT)}", SELECT

    def _cast(self, expr: ir.Cast) -> tuple[str, int]:
        operand = expr.operand
        if isinstance(expr.type, Struct):
            if expr.type == DIM3 and isinstance(operand.type, Int):
                return self._aggregate(ir.Aggregate((operand,), DIM3, span=expr.span))
            return self._bound(operand)
        if is_half(expr.type) or is_half(operand.type):
            return self._of_half(expr), POSTFIX
        exact = _exact_const(expr)
        if exact is not None:
            return self._bound(exact)
        plain = converted(operand, expr.type, self.dialect)
        return f"({declaration(expr.type)}){self.text(plain, UNARY)}", UNARY

    def _of_half(self, expr: ir.Cast) -> str:
        """A conversion from or to a type of 16 bits, which C knows as a struct."""
        function = halves.conversion(expr.operand.type, expr.type)
        if not is_half(expr.type):
            return f"{function}({self.text(expr.operand, POSTFIX)}.{halves.BITS})"
        name = declaration(expr.type)
        return f"{name if self.dialect.cuda else f'({name})'}{{{function}({self.text(expr.operand)})}}"

    def _aggregate(self, expr: ir.Aggregate) -> tuple[str, int]:
        if expr.type == DIM3:
            return f"{self._dim3()}{self.dim3_elements(expr)}{'' if self.dialect.cuda else '}'}", POSTFIX
        name = self.names.structs.get(str(expr.type), declaration(expr.type))
        return (name if self.dialect.cuda else f"({name})") + self.aggregate(expr), POSTFIX

    def _dim3(self) -> str:
        return "dim3" if self.dialect.cuda else "(dim3){"

    def dim3_elements(self, expr: ir.Aggregate) -> str:
        """`(x, y)` in CUDA, whose other axes are one; C has no constructors: `x, y, 1`."""
        elements = list(expr.elements)
        if self.dialect.cuda:
            while len(elements) > 1 and isinstance(elements[-1], ir.Const) and elements[-1].value == 1:
                elements.pop()
        parts = [self.converted(e, e.type) for e in elements]
        if self.dialect.cuda:
            return "(" + ", ".join(parts) + ")"
        return ", ".join(parts + ["1"] * (3 - len(parts)))


def _is_dereference(expr: ir.Index) -> bool:
    """Whether `*p` reads better than `p[0]`: it is what was written, of what is no array."""
    base, index = expr.base, expr.index
    while isinstance(base, ir.Cast) and base.implicit:
        base = base.operand
    return isinstance(index, ir.Const) and index.value == 0 and index.text is None and not isinstance(base.type, Array)


def _moved_pointer(pointer: ir.Expr) -> ir.Binary | None:
    """`p + i`, of which `p[i]` reads better than `*(p + i)`."""
    forward = isinstance(pointer, ir.Binary) and pointer.op == "+" and isinstance(pointer.left.type, Pointer)
    return pointer if forward and isinstance(pointer, ir.Binary) and isinstance(pointer.right.type, Int) else None


def _may_leave_row(expr: ir.Index) -> bool:
    """Whether an element of a row of an array may be behind the row, in the next ones."""
    base, index = expr.base, expr.index
    if not isinstance(base, ir.Index) or not isinstance(base.type, Array) or isinstance(expr.type, Array):
        return False
    length = base.type.length
    return not (isinstance(index, ir.Const) and length is not None and 0 <= index.value < length)


def _exact_const(expr: ir.Cast) -> ir.Const | None:
    """The literal that an implicitly converted literal stands for."""
    operand = expr.operand
    if not expr.implicit or not isinstance(operand, ir.Const) or not isinstance(expr.type, Int | Float):
        return None
    if not isinstance(operand.type, Int | Float) or is_enum(expr.type):
        return None
    if isinstance(expr.type, Float):
        return ir.Const(float(operand.value), expr.type, span=expr.span)
    if isinstance(operand.type, Int) and preserves(INT if operand.value >= 0 else operand.type, expr.type):
        return ir.Const(int(operand.value), expr.type, span=expr.span)
    return None


def member_name(base: ir.Expr, name: str) -> str:
    """The name of a member, as the struct's own definition has it."""
    return name if base.type == DEVICE_PROPERTIES else spelled(name)
