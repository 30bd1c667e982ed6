"""Refuses pointers of which nothing is known: their memory would be taken for inactive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import null_only, null_variables, pointer_parts, pointers_within
from hetad.analysis.pointers import Location, PointsTo, Root, points_to
from hetad.diagnostics import Span, UnsupportedError, recoverable, report
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.facts import lasting
from hetad.ir.types import Pointer, Struct, holds_floating
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import program_pass


@program_pass("refuse-unknown-pointers")
def refuse_unknown_pointers(derivation: Derivation) -> Derivation:
    """Each floating cell that is read or written, and each argument of a launch, is in memory that is known."""
    with recoverable():
        refuse_unknown(derivation.function, points_to(derivation.function), derivation.kernels)
    return derivation


def refuse_unknown(function: ir.Function, pointers: PointsTo, kernels: Mapping[str, ir.Function]) -> None:
    """Raises UnsupportedError at the first floating cell, or argument of a launch, that no known memory holds."""
    for f in (function, *kernels.values()):
        for cell in (pointers if f is function else points_to(f)).unknown_cells(f):
            _refuse(cell.span)
    nulls = null_variables(function)
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Launch):
            for arg in _used(s, kernels[s.kernel]):
                if not pointers.targets(arg) and not null_only(arg, nulls):
                    _refuse(arg.span)
            for arg in _loaded(s, kernels[s.kernel]):
                held = pointers.storage(arg)
                if not held or not all(isinstance(x, Root) and x.table for x in held):
                    _refuse(s.span)


def _find_followed(kernel: ir.Function) -> tuple[PointsTo, frozenset[Location]]:
    pointers = points_to(kernel)
    effects = Effects(pointers, {})
    return pointers, frozenset(x for s in walk_stmts(kernel.body) for x in (*effects.reads(s), *effects.writes(s)))


_followed = lasting(_find_followed)  # what a kernel reads and writes, however often it is launched


def _used(launch: ir.Launch, kernel: ir.Function) -> Iterator[ir.Expr]:
    """The pointers to floating memory that the kernel follows, those inside struct arguments included."""
    known, followed = _followed(kernel)
    for param, arg in zip(kernel.params, launch.args, strict=True):
        if isinstance(param.type, Pointer):
            if known.parameter_roots[param] in followed and holds_floating(param.type):
                yield arg
        elif isinstance(param.type, Struct):
            inner = pointer_parts(var(param))
            for part, given in zip(inner, pointer_parts(arg), strict=True):
                if holds_floating(part.type) and not followed.isdisjoint(known.targets(part)):
                    yield given


def _loaded(launch: ir.Launch, kernel: ir.Function) -> Iterator[ir.Expr]:
    """The pointers that the kernel loads from memory and follows."""
    known, followed = _followed(kernel)
    for param, arg in zip(kernel.params, launch.args, strict=True):
        place = var(param)
        direct = pointer_parts(place) if isinstance(param.type, Struct) else []
        for part, given in zip(pointers_within(place), pointers_within(arg), strict=True):
            if part not in direct and not followed.isdisjoint(known.targets(part)):
                yield given


def _refuse(span: Span) -> None:
    what = "this pointer was loaded from memory that hetad does not follow"
    remedy = "pass the pointer to the kernel as a parameter of its own, or in a struct by value"
    report(UnsupportedError(what, span, remedy))
