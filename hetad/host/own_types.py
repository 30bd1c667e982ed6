"""Refuses arrays that are declared to hold numbers of one type, and are seen as others by way of pointers without one.

Users give and get arrays of what a parameter is declared to hold; the numbers of another type in the same bytes have
derivatives, and their bits have none.
"""

from __future__ import annotations

from collections.abc import Mapping

from hetad.analysis.pointer_expressions import floating_leaves_of, pointer_parts
from hetad.analysis.pointers import Location, points_to
from hetad.diagnostics import UnsupportedError, report
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.types import Float, Pointer
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import program_pass


@program_pass("refuse-other-types")
def refuse_other_types(derivation: Derivation) -> Derivation:
    """What stands in `wrt` and `of` is seen as what it is declared to hold, by the host and in kernels."""
    function, request = derivation.function, derivation.request
    pointers = points_to(function)
    seen = _seen_in_kernels(function, derivation.kernels)
    for p in function.params:
        if p.name not in (*request.wrt, *(request.of or ())) or not isinstance(p.type, Pointer):
            continue
        root, own = pointers.parameter_roots[p], floating_leaves_of(p.type.to)
        others = (pointers.floating_types(root) | seen.get(root, set())) - own
        if own and others:
            report(
                UnsupportedError(
                    f"'{p.name}' is an array of '{p.type.to}', and is seen as one of '{min(map(str, others))}' too",
                    p.span,
                    "declare it as what it holds",
                )
            )
    return derivation


def _seen_in_kernels(function: ir.Function, kernels: Mapping[str, ir.Function]) -> dict[Location, set[Float]]:
    """As what the kernels that the host launches see what they are given."""
    pointers = points_to(function)
    found: dict[Location, set[Float]] = {}
    for s in walk_stmts(function.body):
        if not isinstance(s, ir.Launch):
            continue
        inner = points_to(kernels[s.kernel])
        for param, arg in zip(kernels[s.kernel].params, s.args, strict=True):
            for part, given in zip(pointer_parts(var(param)), pointer_parts(arg), strict=True):
                types = {x for t in inner.targets(part) for x in inner.floating_types(t)}
                for t in pointers.targets(given):
                    found.setdefault(t, set()).update(types)
    return found
