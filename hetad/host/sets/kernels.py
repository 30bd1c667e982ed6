"""Kernels that work for all sets of a batch in one launch: along an axis of the grid, or a part of one, the blocks
belong to one set after the other.

A block belongs to one set, so that what threads do together in a block or a warp stays within the set.  How far apart
two sets lie in memory is counted in bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hetad.analysis.callgraph import call_sites
from hetad.analysis.coordinates import AXES
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.device.accumulation.axes import extent_along
from hetad.host.sets.refusal import OneByOne
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, binary, convert, var
from hetad.ir.types import CHAR, DIM3, SIZE_T, UINT, Pointer
from hetad.ir.visit import map_exprs, substitute, variables, walk_exprs, walk_stmts
from hetad.rules import callees


@dataclass(frozen=True, slots=True)
class Widened:
    """A kernel for all sets.  `axis`: that of the grid along which they lie; `folded`: behind the blocks of one set.
    `pointers`, `values`: the parameters that have a part for each set, and those that are a value for each."""

    function: ir.Function
    axis: str
    folded: bool
    pointers: tuple[int, ...]
    values: tuple[int, ...]


def widened(
    kernel: ir.Function, functions: Mapping[str, ir.Function], launches: Collection[ir.Launch], differ: Collection[int]
) -> Widened:
    """`differ`: the parameters passed by value that are not the same for all sets.

    Raises:
        OneByOne: it cannot work for several sets.
    """
    called = _called(kernel, functions)
    _check(kernel, called)
    axis, folded = _axis(kernel, called, launches)
    names = Names({p.name for p in kernel.params} | {s.name for s in _declared(kernel.body)})
    span, set_ = kernel.span, names.symbol("set", SIZE_T, kernel.span)
    pointers = tuple(i for i, p in enumerate(kernel.params) if isinstance(p.type, Pointer))
    values = tuple(sorted(differ))
    params, body = list(kernel.params), kernel.body
    opening: list[ir.Stmt] = []
    number: ir.Expr = ir.ThreadIndex("blockIdx", axis, UINT, span=span)
    if folded:
        blocks = names.symbol(f"grid_{axis}", UINT, span, "param")
        block = names.symbol(f"block_{axis}", UINT, span)
        params.append(blocks)
        opening.append(ir.Declare(block, binary("%", number, var(blocks)), span=span))
        number = binary("/", number, var(blocks))
        body = _of_one_set(body, axis, block, blocks)
    opening.insert(0, ir.Declare(set_, convert(number, SIZE_T), span=span))
    for i in pointers:
        own = replace(kernel.params[i], const=False)
        stride = names.symbol(f"{own.name}_stride", SIZE_T, span, "param")
        params[i] = own
        params.append(stride)
        body = substitute({kernel.params[i]: own}, body)
        opening.append(ir.Assign(var(own), _further(var(own), binary("*", var(set_), var(stride))), span=span))
    for i in values:
        p = kernel.params[i]
        every = names.symbol(f"{p.name}_sets", Pointer(p.type, const=True), span, "param")
        own = replace(p, storage="local")
        params[i] = every
        body = substitute({p: own}, body)
        opening.append(ir.Declare(own, ir.Index(var(every), var(set_), p.type, span=span), span=span))
    comment = f"{kernel.comment}, for each set of a batch" if kernel.comment else None
    made = replace(kernel, params=tuple(params), body=(*opening, *body), comment=comment, sweep=None)
    return Widened(made, axis, folded, pointers, values)


def grid_of_sets(grid: ir.Expr, made: Widened, sets: ir.Expr) -> ir.Expr:
    """The grid of one set, so many times."""
    parts = [extent_along(grid, axis) for axis in AXES]
    at = AXES.index(made.axis)
    parts[at] = binary("*", parts[at], sets) if made.folded else sets
    return ir.Aggregate(tuple(parts), DIM3, span=grid.span)


def _called(kernel: ir.Function, functions: Mapping[str, ir.Function]) -> list[ir.Function]:
    """The functions of the program that a kernel calls."""
    found: dict[str, ir.Function] = {}
    waiting = [kernel.body]
    while waiting:
        for s in walk_stmts(waiting.pop()):
            for name, _, _ in call_sites(s):
                if name in functions and name not in found:
                    found[name] = functions[name]
                    waiting.append(functions[name].body)
    return list(found.values())


def _check(kernel: ir.Function, called: Collection[ir.Function]) -> None:
    for p in kernel.params:
        if isinstance(p.type, Pointer):
            if holds_pointer(p.type.to):
                raise OneByOne(f"'{kernel.name}' reaches memory through what '{p.name}' points to", p.span)
        elif holds_pointer(p.type):
            raise OneByOne(f"'{kernel.name}' reaches memory through the struct '{p.name}'", p.span)
    for f in (kernel, *called):
        for symbol in variables(f.body):
            if symbol.storage in ("global", "static"):
                raise OneByOne(f"'{kernel.name}' uses '{symbol.name}', which lies at file scope", f.span)
        for s in walk_stmts(f.body):
            if callees.meets(s) and callees.find(s.function).scope not in ("warp", "block"):
                raise OneByOne(f"blocks of '{kernel.name}' wait for each other", s.span)


def _axis(kernel: ir.Function, called: Collection[ir.Function], launches: Collection[ir.Launch]) -> tuple[str, bool]:
    """The axis for the sets: a free one, or x behind the blocks of a set."""
    said = {a for f in (kernel, *called) for a in _mentioned(f.body)}
    for axis in ("z", "y"):
        if axis not in said and all(_is_one(extent_along(s.grid, axis)) for s in launches):
            return axis, False
    in_callees = {a for f in called for a in _mentioned(f.body)}
    for axis in AXES:
        if axis not in in_callees:
            return axis, True
    raise OneByOne(f"functions that '{kernel.name}' calls ask for all axes of the grid", kernel.span)


def _mentioned(body: ir.Body) -> set[str]:
    return {
        e.axis for e in walk_exprs(body) if isinstance(e, ir.ThreadIndex) and e.name in ("blockIdx", "gridDim")
    }  # fmt: skip


def _is_one(extent: ir.Expr) -> bool:
    number = bare(extent)
    return isinstance(number, ir.Const) and number.value == 1


def _of_one_set(body: ir.Body, axis: str, block: ir.Symbol, blocks: ir.Symbol) -> ir.Body:
    of = {"blockIdx": block, "gridDim": blocks}

    def own(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.ThreadIndex) and e.axis == axis and e.name in of:
            return convert(ir.Var(of[e.name], span=e.span), e.type)
        return e

    return map_exprs(own, body)


def _further(pointer: ir.Expr, count: ir.Expr) -> ir.Expr:
    """So many bytes behind what it points to."""
    assert isinstance(pointer.type, Pointer)
    there = binary("+", ir.Cast(pointer, Pointer(CHAR, pointer.type.const), span=pointer.span), count)
    return ir.Cast(there, replace(pointer.type, restrict=False), span=pointer.span)


def _declared(body: ir.Body) -> list[ir.Symbol]:
    return [s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare)]
