"""Casts between pointer types: which of them hetad can follow.

* The same floating type on both sides (`float *` as `float4 *`, `double *` as `double (*)[16]`): the shadow is viewed
  in the same way.
* Integers out of floating memory, only read (`*(unsigned char *)&grid[i] & FLAG`): they carry no derivative.
* Steps in bytes from one element to another: `(double *)((char *)p + row * pitch)`.
* Bytes that are only copied, set or freed: `cudaMemcpy((char *)p + first, q, bytes, kind)`; a derivative follows these
  by what lies in the memory.
* Parts of `extern __shared__` memory, which has no type of its own.
* Structs in the adjoint of a copy of hetad's own, where a derivative is differentiated once more.

Everything else could move floating values where no derivative follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.frontend.lower.convert import unqualified
from hetad.ir.arithmetic import bare, literal
from hetad.ir.identity import IdentitySet
from hetad.ir.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    CallExpr,
    Cast,
    Declare,
    Expr,
    Function,
    Index,
    Intrinsic,
    Member,
    Select,
    Stmt,
    Symbol,
    Update,
    Var,
)
from hetad.ir.types import (
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    Void,
    holds_floating,
    is_half,
    leaves,
    one_number,
    scalar_base,
    size_of,
)
from hetad.ir.visit import children, own_exprs, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import operations


def refused(function: Function) -> Iterator[Cast]:
    """The casts of a function that cannot be followed."""
    uses: _Uses | None = None
    for stmt in walk_stmts(function.body):
        for root in own_exprs(stmt):
            if isinstance(stmt, Call) and any(root is arg for arg in stmt.args) and structs_copied(stmt) is not None:
                continue
            stepping = IdentitySet(c for cast in _casts(root) for c in _byte_step(cast))
            for cast in _casts(root):
                if (
                    cast in stepping
                    or not reinterprets(cast.operand.type, cast.type)
                    or _same_numbers(cast.operand.type, cast.type)
                    or literal(cast.operand) == 0  # a null pointer
                ):
                    continue
                uses = uses or _Uses(function)
                if not uses.allows(cast):
                    yield cast


def structs_copied(stmt: Call) -> Struct | None:
    """What both ends of a copy's adjoint are: structs with numbers of one floating type and other things beside them,
    but no pointers."""
    if not operations.does(stmt, operations.copy_pullback, operations.move_pullback):
        return None
    found = {unqualified(p.to) for end in stmt.args[:2] if isinstance(p := bare(end).type, Pointer)}
    struct = found.pop() if len(found) == 1 else None
    if not isinstance(struct, Struct):
        return None
    held = set(leaves(struct))
    floats = {x for x in held if isinstance(x, Float)}
    return struct if len(floats) == 1 and held > floats and all(isinstance(x, Int | Float) for x in held) else None


def reinterprets(given: Type, wanted: Type) -> bool:
    """Whether floating data could be reached under another type than its own."""
    if isinstance(given, Pointer) and isinstance(wanted, Pointer):
        a, b = unqualified(given.to), unqualified(wanted.to)
        if a == b or isinstance(a, Void) or isinstance(b, Void):
            return False
        if isinstance(a, Pointer) and b == Pointer(Void()):  # (void **)&p, as cudaMalloc wants it
            return False
        return holds_floating(a) or holds_floating(b) or is_half(scalar_base(a)) or is_half(scalar_base(b))
    if isinstance(given, Pointer) and isinstance(wanted, Int) and wanted.bits > 8:
        return holds_floating(given)
    return isinstance(given, Int) and isinstance(wanted, Pointer) and holds_floating(wanted)


def _same_numbers(given: Type, wanted: Type) -> bool:
    """Whether both sides consist of numbers of one floating type and nothing else."""
    if not (isinstance(given, Pointer) and isinstance(wanted, Pointer)):
        return False
    return one_number(given.to) is not None and one_number(given.to) == one_number(wanted.to)


def _byte_step(cast: Cast) -> list[Cast]:
    """The casts of `(T *)((char *)p + bytes)` where p is a `T *`, or a `void *` that may be cast to one; none if the
    cast is no such thing."""
    found = [cast]
    inner = cast.operand
    while isinstance(inner, Cast | Binary) and isinstance(inner.type, Pointer):
        if isinstance(inner, Cast):
            found.append(inner)
            inner = inner.operand
        elif isinstance(inner.left.type, Pointer):
            inner = inner.left
        else:
            inner = inner.right
    bytewise = all(
        isinstance(c.type, Pointer) and (isinstance(c.type.to, Void) or size_of(c.type.to) == 1) for c in found[1:]
    )
    untyped = isinstance(inner.type, Pointer) and isinstance(inner.type.to, Void)
    return found if len(found) > 1 and bytewise and (untyped or _same_numbers(inner.type, cast.type)) else []


def _casts(expr: Expr) -> Iterator[Cast]:
    if isinstance(expr, Cast) and isinstance(expr.type, Pointer | Int):
        yield expr
    for child in children(expr):
        yield from _casts(child)


def _moved_as_bytes(function: str) -> frozenset[int]:
    """The positions of the pointers behind which a call copies, sets or frees bytes, whatever they are."""
    row = TABLE.get(function)
    if row is None or row.action not in ("copy", "fill", "free", "communicate", "start"):
        return frozenset()
    return row.positions("dst", "src", "updated", "pointer")


class _Uses:
    """Where the pointers of a function come from, and whether anything is written through them."""

    def __init__(self, function: Function) -> None:
        self._sources: dict[Symbol, list[Expr]] = {}
        self._escaped: set[Symbol] = set()
        self._escaped_casts = IdentitySet[Cast]()
        for stmt in walk_stmts(function.body):
            self._collect(stmt)
        self._close()

    def allows(self, cast: Cast) -> bool:
        if isinstance(cast.operand.type, Pointer) and isinstance(cast.type, Pointer):
            if self._is_dynamic(cast.operand, set()):
                return True
            integers = isinstance(scalar_base(cast.type.to), Int)
            return integers and not isinstance(cast.type.to, Pointer) and cast not in self._escaped_casts
        return False

    # --- collection ----------------------------------------------------------------------------

    def _collect(self, stmt: Stmt) -> None:
        match stmt:
            case Declare(symbol=symbol, init=init) if init is not None:
                self._assigned(symbol, init)
            case Assign(target=Var(symbol=symbol), value=value):
                self._assigned(symbol, value)
            case Update(target=Var(), value=value):
                self._reads(value)
            case Assign(target=target, value=value) | Update(target=target, value=value):
                self._written(target)
                self._reads(value)
                self._escapes(value)
            case Call(function=name, args=args, result=result):
                for i, arg in enumerate(args):
                    self._reads(arg)
                    if i not in _moved_as_bytes(name):
                        self._escapes(arg)
                if result is not None and not isinstance(result, Var):
                    self._written(result)
            case _:
                for root in own_exprs(stmt):
                    self._reads(root)
                    self._escapes(root)

    def _assigned(self, symbol: Symbol, value: Expr) -> None:
        self._reads(value)
        if isinstance(symbol.type, Pointer):
            self._sources.setdefault(symbol, []).append(value)
        else:
            self._escapes(value)

    def _reads(self, expr: Expr) -> None:
        """Pointers handed to functions of the program inside an expression, and addresses taken of what they reach."""
        if isinstance(expr, CallExpr | Intrinsic):
            for arg in expr.args:
                self._escapes(arg)
        for child in children(expr):
            self._reads(child)

    def _written(self, place: Expr) -> None:
        """The pointers behind a place that is written to."""
        match place:
            case Member(base=base):
                self._written(base)
            case Index(base=base, index=index):
                self._reads(index)
                if isinstance(base.type, Pointer):
                    self._escapes(base)
                else:
                    self._written(base)

    def _escapes(self, pointer: Expr) -> None:
        """A pointer value goes where its uses are not followed, or is written through."""
        match pointer:
            case Var(symbol=symbol) if isinstance(symbol.type, Pointer):
                self._escaped.add(symbol)
            case Cast(operand=operand):
                self._escaped_casts.add(pointer)
                self._escapes(operand)
            case Binary(left=left) if isinstance(pointer.type, Pointer):
                self._escapes(left)
            case Select(then=then, orelse=orelse):
                self._escapes(then)
                self._escapes(orelse)
            case AddressOf(place=place):
                self._written(place)

    def _close(self) -> None:
        """What a variable is given escapes when the variable does."""
        done: set[Symbol] = set()
        while todo := self._escaped - done:
            for symbol in todo:
                done.add(symbol)
                for source in self._sources.get(symbol, []):
                    self._escapes(source)

    # --- dynamic shared memory -----------------------------------------------------------------

    def _is_dynamic(self, pointer: Expr, seen: set[Symbol]) -> bool:
        """Whether the pointer certainly leads into `extern __shared__` memory."""
        match pointer:
            case Var(symbol=symbol) if isinstance(symbol.type, Array):
                return symbol.storage == "shared" and symbol.type.length is None
            case Var(symbol=symbol):
                if symbol in seen:
                    return True
                sources = self._sources.get(symbol, [])
                seen = {*seen, symbol}
                return symbol.storage == "local" and bool(sources) and all(self._is_dynamic(s, seen) for s in sources)
            case Cast(operand=operand):
                return self._is_dynamic(operand, seen)
            case Binary(left=left) if isinstance(pointer.type, Pointer):
                return self._is_dynamic(left, seen)
            case AddressOf(place=Index(base=base)):
                return self._is_dynamic(base, seen)
        return False
