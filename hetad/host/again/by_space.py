"""Operations that serve memory of the host and of the device: which of the two it is, once all calls are inlined."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from hetad.analysis.pointers import points_to
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import UnsupportedError
from hetad.host.again.meanings import quoted
from hetad.host.derivation import Derivation, summaries
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import Names
from hetad.ir.visit import declared, map_body, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import with_function
from hetad.rules import callees
from hetad.rules.callee import InSpace


@program_pass("spaces-of-operations")
def by_space(derivation: Derivation) -> Derivation:
    """Operations of hetad's own on memory of either space are those of the space.

    hetad_release(adj_t);   ->   cudaFree(adj_t);
    """
    function = derivation.function
    if not any(map(_is_of_either, walk_stmts(function.body))):
        return derivation
    pointers = points_to(function)
    spaces = Spaces(function, pointers, summaries(derivation))
    names = Names({s.name for s in (*function.params, *declared(function.body))} | set(derivation.written))

    def told(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not _is_of_either(s):
            return s
        row = callees.find(s.function)
        assert isinstance(row.pullback, InSpace)
        roles = dict(zip(row.roles, s.args, strict=True))
        on_device = spaces.behind(bare(s.args[0])) in ("device", "managed")
        if "on_device" in roles:
            on_device = _said(roles["on_device"])
        quote = quoted(row.pullback.device if on_device else row.pullback.host)
        return quote(names, s.span, **{n: x for n, x in roles.items() if n in quote.words})

    return with_function(derivation, replace(function, body=map_body(told, function.body)))


def _said(on_device: ir.Expr) -> bool:
    known = literal(on_device)
    if known is None:
        what = "memory that is set lies on the device or the host, in a derivative that is differentiated once more"
        raise UnsupportedError(what, on_device.span, "set each in a branch of its own, through a pointer of its own")
    return bool(known)


def _is_of_either(s: ir.Stmt) -> TypeGuard[ir.Call]:
    return isinstance(s, ir.Call) and isinstance(callees.find(s.function).pullback, InSpace)
