"""Adjoints of what kernels receive by value: one block of device memory a gradient call.

Each active scalar or struct variable has a cell; pullbacks accumulate there, and the host reads it back where it needs
the adjoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hetad.adjoint.shadows import writable
from hetad.adjoint.structs import floating_leaves
from hetad.diagnostics import Span
from hetad.host.kernels.launches import zeros
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, binary, integer
from hetad.ir.types import INT, SIZE_T, Pointer, Type, size_of
from hetad.rules import operations


class Cells:
    def __init__(self, names: Names, symbols: Iterable[ir.Symbol], several: bool) -> None:
        """`several`: kernels run on several devices, each of which has cells of its own."""
        self._several = several
        self._blocks: dict[Type, ir.Symbol] = {}
        self._index: dict[ir.Symbol, int] = {}
        self._sizes: dict[Type, int] = {}
        for symbol in symbols:
            type_ = writable(symbol.type)
            if type_ not in self._blocks:
                name = "scalars" if not self._blocks else f"scalars_{len(self._blocks) + 1}"
                self._blocks[type_] = names.adjoint(name, Pointer(type_), symbol.span)
            self._index[symbol] = self._sizes.get(type_, 0)
            self._sizes[type_] = self._index[symbol] + 1

    def __contains__(self, symbol: ir.Symbol) -> bool:
        return symbol in self._index

    def pointer(self, symbol: ir.Symbol, span: Span) -> ir.Expr:
        """The address of a variable's cell."""
        block = self._blocks[writable(symbol.type)]
        base: ir.Expr = ir.Var(block, span=span)
        k = self._index[symbol]
        return base if k == 0 else binary("+", base, ir.Const(k, INT, span=span))

    def given(self, symbol: ir.Symbol, span: Span) -> ir.Expr:
        """The address of the cell that a pullback is given."""
        cell, type_ = self.pointer(symbol, span), writable(symbol.type)
        if not self._several:
            return cell
        here = operations.cell_here(cell, integer(size_of(type_), span, SIZE_T), span=span)
        return ir.Cast(here, Pointer(type_), span=span)

    def leaves(self, symbol: ir.Symbol, span: Span) -> list[ir.Expr]:
        """The addresses of the floating scalars in a variable's cell."""
        pointer = self.pointer(symbol, span)
        cell = ir.Index(pointer, integer(0, span), writable(symbol.type), span=span)
        return [pointer if leaf is cell else address_of(leaf) for leaf in floating_leaves(cell)]

    def opening(self, span: Span) -> Iterator[ir.Stmt]:
        for type_, block in self._blocks.items():
            yield ir.Declare(block, None, span=span)
            yield zeros(block, integer(self._sizes[type_] * size_of(type_), span, SIZE_T), span)

    def closing(self, span: Span) -> Iterator[ir.Stmt]:
        for block in self._blocks.values():
            yield operations.release(ir.Var(block, span=span), span=span)
