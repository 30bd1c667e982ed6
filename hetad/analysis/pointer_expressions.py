"""What expressions of pointers, and places that hold some, say by themselves."""

from __future__ import annotations

from collections.abc import Callable

from hetad.analysis.dataflow import settle
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.types import (
    CHAR,
    INT,
    UCHAR,
    Array,
    Float,
    Pointer,
    Struct,
    Type,
    Void,
    element,
    element_or_none,
    scalar_base,
)
from hetad.ir.visit import walk_stmts


def pointee(pointer: ir.Expr) -> ir.Place | None:
    """The first of the elements behind a pointer."""
    if isinstance(pointer, ir.AddressOf):
        return pointer.place
    if not isinstance(pointer.type, Pointer):
        return None
    return ir.Index(pointer, ir.Const(0, INT, span=pointer.span), pointer.type.to, span=pointer.span)


def first_struct(pointer: ir.Expr) -> ir.Place | None:
    """The first of the structs behind a pointer, or in an array, where these are what lies there."""
    place = pointer if isinstance(pointer.type, Array) else pointee(pointer)
    while place is not None and isinstance(place.type, Array):
        place = ir.Index(place, ir.Const(0, INT, span=pointer.span), place.type.of, span=pointer.span)
    return place if isinstance(place, ir.Var | ir.Index | ir.Member) and isinstance(place.type, Struct) else None


def cell_at(pointer: ir.Expr) -> ir.Place:
    """The cell that a pointer argument points to; an array stands for its first."""
    held = element(pointer.type)
    while isinstance(pointer, ir.Cast) and element_or_none(pointer.operand.type) == held:
        pointer = pointer.operand
    if isinstance(pointer, ir.AddressOf):
        return pointer.place
    return ir.Index(pointer, ir.Const(0, INT, span=pointer.span), held, span=pointer.span)


def out_place(arg: ir.Expr) -> ir.Place | None:
    """The place whose address is passed, as `p` in `cudaMalloc((void **)&p, n)`."""
    arg = bare(arg)
    if isinstance(arg, ir.AddressOf):
        return arg.place
    if isinstance(arg, ir.Binary) and arg.op == "+" and isinstance(arg.left.type, Pointer | Array):
        held = arg.left.type.to if isinstance(arg.left.type, Pointer) else arg.left.type.of
        return ir.Index(undecayed(arg.left), arg.right, held, span=arg.span)
    if isinstance(arg, ir.Var | ir.Index | ir.Member) and isinstance(arg.type, Array):
        return ir.Index(arg, ir.Const(0, INT, span=arg.span), arg.type.of, span=arg.span)
    if isinstance(arg.type, Pointer) and isinstance(arg, ir.Var | ir.Index | ir.Member):
        return ir.Index(arg, ir.Const(0, INT, span=arg.span), arg.type.to, span=arg.span)
    return None


def _is_never(_: ir.Expr) -> bool:
    return False


def null_only(expr: ir.Expr, nulls: set[ir.Symbol], unset: Callable[[ir.Expr], bool] = _is_never) -> bool:
    """Whether a pointer, or the place it points to, can only be null; `unset` says that a place holds no other."""
    if isinstance(expr, ir.Index | ir.Member) and isinstance(expr.type, Pointer) and unset(expr):
        return True
    match expr:
        case ir.Const(value=0):
            return True
        case ir.Var(symbol=symbol):
            return symbol in nulls
        case ir.Cast(operand=inner) | ir.Index(base=inner) | ir.Member(base=inner) | ir.Binary(left=inner):
            return null_only(inner, nulls, unset)
        case ir.Select(then=then, orelse=orelse):
            return null_only(then, nulls, unset) and null_only(orelse, nulls, unset)
    return False


def null_variables(function: ir.Function, unset: Callable[[ir.Expr], bool] = _is_never) -> set[ir.Symbol]:
    """Pointer variables that are never given anything but null, or what `unset` says holds nothing else."""
    values: dict[ir.Symbol, list[ir.Expr]] = {}
    for s in walk_stmts(function.body):
        match s:
            case ir.Declare(symbol=symbol, init=init) if isinstance(symbol.type, Pointer):
                values.setdefault(symbol, []).extend([init] if init is not None else [])
            case ir.Assign(target=ir.Var(symbol=symbol), value=value) if isinstance(symbol.type, Pointer):
                values.setdefault(symbol, []).append(value)
    nulls: set[ir.Symbol] = set()

    def more() -> None:
        nulls.update([x for x, given in values.items() if given and all(null_only(v, nulls, unset) for v in given)])

    settle(nulls, more)
    return nulls


def floating_leaves_of(type_: Type) -> frozenset[Float]:
    """The floating types of the numbers in a value, or behind a pointer."""
    base = scalar_base(type_)
    if isinstance(base, Struct):
        return frozenset().union(*(floating_leaves_of(f.type) for f in base.fields if not isinstance(f.type, Pointer)))
    return frozenset({base}) if isinstance(base, Float) else frozenset()


def is_untyped(type_: Type) -> bool:
    """Whether only bytes are known of what a pointer of this type leads to."""
    return isinstance(scalar_base(type_), Void) or scalar_base(type_) in (CHAR, UCHAR)


def pointer_parts(place: ir.Expr) -> list[ir.Expr]:
    """The pointer-valued members of a struct-valued place, nested structs and elements of arrays included."""
    if isinstance(place.type, Pointer):
        return [place]
    if not isinstance(place.type, Struct):
        return []
    members = [ir.Member(place, f.name, f.type, span=place.span) for f in place.type.fields]
    return [part for m in members for element in elements(m) for part in pointer_parts(element)]


def pointers_within(place: ir.Expr) -> list[ir.Expr]:
    """The pointers in a place, and those in the memory behind it and behind them; of memory the first element stands
    for all.  A type that leads to itself is followed once."""
    return _behind(place, ()) if isinstance(place.type, Pointer) else _within(place, ())


def _within(place: ir.Expr, seen: tuple[str, ...]) -> list[ir.Expr]:
    return [p for part in pointer_parts(place) for p in (part, *_behind(part, seen))]


def _behind(pointer: ir.Expr, seen: tuple[str, ...]) -> list[ir.Expr]:
    assert isinstance(pointer.type, Pointer)
    held = pointer.type.to
    if not holds_pointer(held) or (isinstance(held, Struct) and held.name in seen):
        return []
    first = ir.Index(pointer, ir.Const(0, INT, span=pointer.span), held, span=pointer.span)
    return _within(first, (*seen, held.name) if isinstance(held, Struct) else seen)


def spelled(place: ir.Expr) -> str:
    """A pointer of `pointers_within` by name, the elements of an array together: `grid.u`, `grids[].u`, `rows[]`."""
    if isinstance(place, ir.Index):
        return spelled(place.base) + ("[]" if isinstance(place.base.type, Pointer) else "")
    if isinstance(place, ir.Member):
        return f"{spelled(place.base)}.{place.name}"
    if isinstance(place, ir.Cast):
        return spelled(place.operand)
    assert isinstance(place, ir.Var)
    return place.symbol.name


def elements(place: ir.Expr) -> list[ir.Expr]:
    """The place, or the elements of an array whose elements are or hold pointers."""
    type_ = place.type
    if not isinstance(type_, Array) or not holds_pointer(type_):
        return [place]
    assert type_.length is not None
    cells = [ir.Index(place, ir.Const(k, INT, span=place.span), type_.of, span=place.span) for k in range(type_.length)]
    return [element for cell in cells for element in elements(cell)]


def undecayed(base: ir.Expr) -> ir.Expr:
    return base.operand if isinstance(base, ir.Cast) and isinstance(base.operand.type, Array) else base


def path_of(place: ir.Expr) -> tuple[ir.Symbol | None, str]:
    """The struct variable that a place is part of, and the fields that lead there; None behind a pointer."""
    path: list[str] = []
    while True:
        match place:
            case ir.Member(base=base, name=name):
                path.append(name)
                place = base
            case ir.Index(base=base) if isinstance(undecayed(base).type, Array):
                place = undecayed(base)
            case ir.Var(symbol=symbol) if isinstance(symbol.type, Struct):
                return symbol, ".".join(reversed(path))
            case _:
                return None, ""


def component_of(place: ir.Expr, i: int) -> ir.Expr:
    """An element of an array, or a field of a struct."""
    if isinstance(place.type, Struct):
        field = place.type.fields[i]
        return ir.Member(place, field.name, field.type, span=place.span)
    assert isinstance(place.type, Array)
    return ir.Index(place, ir.Const(i, INT, span=place.span), place.type.of, span=place.span)


def plain_type(type_: Type) -> Type:
    """Without const."""
    match type_:
        case Pointer(to=to):
            return Pointer(plain_type(to))
        case Array(of=of):
            return plain_type(of)
    return type_


def holds_pointer(type_: Type) -> bool:
    """Whether a value of this type is a pointer or holds one."""
    if isinstance(type_, Array):
        return holds_pointer(type_.of)
    if isinstance(type_, Struct):
        return any(holds_pointer(f.type) for f in type_.fields)
    return isinstance(type_, Pointer)


def spelling_of(place: ir.Expr) -> str:
    match place:
        case ir.Var(symbol=symbol):
            return symbol.name
        case ir.Index(base=base) | ir.Member(base=base):
            return spelling_of(base)
    return "memory"
