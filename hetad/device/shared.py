"""Shared memory and its adjoint.

The adjoint of a shared array is a shared array, zeroed before the reverse sweep: each cell where the kernel stores to
it (what nobody has stored to, nobody reads), else all of them by the whole block.  That of a dynamic one
(`extern __shared__`) lies behind it in the dynamic memory, which the launch makes twice as large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.liveness import Liveness
from hetad.adjoint.structs import floating_leaves
from hetad.device.draft import Draft
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import binary, convert, integer, var, zero
from hetad.ir.places import is_dynamic, root_symbol
from hetad.ir.types import (
    UINT,
    Array,
    Float,
    Pointer,
    Struct,
    element,
    holds_numbers,
    innermost,
    is_half,
    is_volatile,
    of_value,
    one_number,
    size_of,
)
from hetad.ir.visit import bodies, map_body, own_nodes, variables, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees

if TYPE_CHECKING:
    from hetad.device.engine import KernelEngine


FEW = 4  # stores, each of which clears an adjoint
STATIC_LIMIT = 48 * 1024  # bytes of static shared memory that a kernel may declare, on every device


@program_pass("refuse-too-much-shared-memory")
def enough_shared_memory(draft: Draft) -> Draft:
    """The shared memory of a block fits on a multiprocessor."""
    refuse_too_much(draft.body)
    return draft


def refuse_too_much(body: ir.Body) -> None:
    """Raises UnsupportedError if a derivative declares more static shared memory than there is."""
    arrays = [s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare) and s.symbol.storage == "shared"]
    sizes = {x: size_of(x.type) for x in arrays if not (isinstance(x.type, Array) and x.type.length is None)}
    total = sum(sizes.values())
    if total > STATIC_LIMIT:
        largest = max(sizes, key=lambda x: sizes[x])
        raise UnsupportedError(
            f"with the derivatives of its shared arrays, a kernel needs {total} bytes of static shared memory; "
            f"{STATIC_LIMIT} are possible",
            largest.span,
            "make the array dynamic (extern __shared__), or smaller",
        )


def cleared_where_stored(body: ir.Body) -> set[ir.Symbol]:
    """Shared arrays of numbers that have no other name, and get all their first values outside loops."""
    stores: dict[ir.Symbol, int] = {}
    elsewhere: set[ir.Symbol] = set()

    def visit(inner: ir.Body, once: bool) -> None:
        for s in inner:
            own = list(own_nodes(s))
            mentioned: Counter[ir.Symbol | None] = Counter(
                e.symbol for e in own if isinstance(e, ir.Var) and e.symbol.storage == "shared"
            )
            if callees.calls(s, "atomic"):
                mentioned -= Counter([_base(s.args[0])])  # it adds to what has been stored
            else:
                elsewhere.update(x for e in own if isinstance(e, ir.AddressOf) for x in variables(e.place))
            elements = Counter(root_symbol(e) for e in own if isinstance(e, ir.Index) and isinstance(e.type, Float))
            elsewhere.update(x for x, n in mentioned.items() if x is not None and elements[x] < n)
            target = s.target if isinstance(s, ir.Assign) else s.result if isinstance(s, ir.Call) else None
            stored = root_symbol(target) if target is not None else None
            if stored is not None and stored.storage == "shared":
                stores[stored] = stores.get(stored, 0) + 1
                elsewhere.update(() if once and isinstance(s, ir.Assign) else (stored,))
            for part in bodies(s):
                visit(part, once and isinstance(s, ir.If | ir.Block))

    visit(body, True)
    return {x for x, n in stores.items() if n <= FEW and x not in elsewhere}


def _base(pointer: ir.Expr) -> ir.Symbol | None:
    """The array `a` of a pointer `a + i`."""
    base = pointer.left if isinstance(pointer, ir.Binary) else pointer
    base = base.operand if isinstance(base, ir.Cast) else base
    return base.symbol if isinstance(base, ir.Var) else None


_BEHIND = Quote("real *shadow = (real *)((char *)memory + bytes);")
_CLEAR = Quote("""
    for (unsigned int k = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); k < cells;
         k += blockDim.x * blockDim.y * blockDim.z) {
        cell = 0;
    }
""")
_CELL = Quote("array[k]")
_PART = Quote("((word *)array)[k]")


class SharedAdjoints:
    """What a pullback declares and clears for the shared arrays its engine has met."""

    def __init__(self, engine: KernelEngine, span: Span) -> None:
        self.arrays = list(engine.shared)
        self.declarations: list[ir.Stmt] = [ir.Declare(s, None, span=s.span) for s in self.arrays]
        self.zeros: list[ir.Stmt] = []
        self.shadows: list[ir.Symbol] = []
        self.leading: list[ir.Symbol] = []  # of what holds pointers
        for symbol in self.arrays:
            if engine.carries_pointers(symbol):
                self._pointers(engine, symbol)
                continue
            if symbol not in engine.active:
                continue
            shadow = engine.shadow(symbol)
            self.shadows.append(shadow)
            zeros = (
                self._dynamic(engine, symbol, shadow)
                if isinstance(shadow.type, Pointer)
                else self._static(engine, shadow)
            )
            self.zeros += zeros if symbol not in engine.cleared else []
        if self.shadows or self.zeros:
            self.zeros.append(ir.Call("__syncthreads", (), span=span))

    @property
    def behind(self) -> ir.Symbol | None:
        """The pointer to the adjoints of dynamic shared memory, if there is one: all such arrays are one memory."""
        found = [x for x in self.shadows if isinstance(x.type, Pointer)]
        return found[0] if len(found) == 1 else None

    def _pointers(self, engine: KernelEngine, symbol: ir.Symbol) -> None:
        """To adjoints, each of which is set by the thread that sets the pointer beside it."""
        if is_dynamic(symbol) or (isinstance(symbol.type, Array) and holds_numbers(symbol.type)):
            what = f"'{symbol.name}', shared memory that holds pointers to active data beside other data,"
            raise UnsupportedError(what, symbol.span, "keep the pointers in a shared variable of their own")
        shadow = engine.shadow(symbol)
        self.declarations.append(ir.Declare(shadow, None, span=shadow.span))
        numbers = floating_leaves(var(shadow)) if symbol in engine.active and isinstance(shadow.type, Struct) else ()
        self.zeros += [ir.Assign(x, zero(x.type, shadow.span), span=shadow.span) for x in numbers]
        self.leading.append(shadow)

    def _static(self, engine: KernelEngine, shadow: ir.Symbol) -> list[ir.Stmt]:
        self.declarations.append(ir.Declare(shadow, None, span=shadow.span))
        span = shadow.span
        if not isinstance(shadow.type, Array):
            return [ir.Assign(ir.Var(shadow, span=span), zero(shadow.type, span), span=span)]
        return [self._clear(engine, shadow, integer(size_of(shadow.type), span, UINT), span)]

    def _dynamic(self, engine: KernelEngine, symbol: ir.Symbol, shadow: ir.Symbol) -> list[ir.Stmt]:
        span, total = symbol.span, engine.dynamic_bytes
        assert isinstance(shadow.type, Pointer)
        if any(map(is_half, engine.pointers.floating_types(symbol))):
            what = f"the dynamic shared memory '{symbol.name}' holds active numbers of 16 bits"
            raise UnsupportedError(what, span, "give it a length that is a constant")
        holes = {"memory": symbol, "bytes": total, "real": shadow.type.to, "shadow": shadow}
        self.declarations += _BEHIND(engine.names, span, **holes)
        return [self._clear(engine, shadow, ir.Var(total, span=span), span)]

    def _clear(self, engine: KernelEngine, array: ir.Symbol, size: ir.Expr, span: Span) -> ir.Stmt:
        """All threads of the block clear so many bytes: numbers, or words where there is more beside them."""
        held = innermost(element(array.type))
        word = of_value(one_number(held) or UINT)
        cells = convert(binary("/", size, integer(size_of(word), span, size.type)), UINT)
        number = ir.Symbol(engine.names.fresh("k"), UINT, span)
        where = {"array": array, "k": number}
        plain = held == element(array.type) == word and not is_volatile(held)
        cell = _CELL.value(span, **where) if plain else _PART.value(span, word=word, **where)
        (clear,) = _CLEAR(engine.names, span, k=number, cells=cells, cell=cell)
        assert isinstance(clear, ir.For)
        return replace(clear, lanes=True)

    def pruned(self, body: ir.Body, liveness: Liveness, adjoints: Collection[ir.Symbol]) -> ir.Body:
        """Without barriers before the first use of memory that threads share: shared arrays, and the `adjoints` of
        global ones.  (Primal global memory is only read.)"""
        shared = {*self.arrays, *self.shadows, *self.leading, *adjoints}
        uses = (i for i, s in enumerate(body) if not _declares(s, shared) and any(x in shared for x in variables((s,))))
        first = next(uses, len(body))
        early = map_body(lambda s: None if _waits(s) else s, body[:first])
        return body if early is body[:first] else liveness.prune((*early, *body[first:]))


def _declares(s: ir.Stmt, symbols: set[ir.Symbol]) -> bool:
    return isinstance(s, ir.Declare) and s.symbol in symbols


def _waits(s: ir.Stmt) -> bool:
    return callees.calls(s, "barrier")
