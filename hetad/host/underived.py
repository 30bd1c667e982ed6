"""What a derivative does beside the program: some of it cannot be differentiated once more."""

from __future__ import annotations

from typing import TypeVar

from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees
from hetad.rules.callee import Refused

P = TypeVar("P", bound=ir.Program)


@program_pass("refuse-underived")
def refuse_underived(program: P) -> P:
    """No operation of hetad's own is there that has no derivative; the program may be a derivative itself."""
    for function in program.functions.values():
        for s in walk_stmts(function.body):
            calls = (e.name for own in own_exprs(s) for e in walk_expr(own) if isinstance(e, ir.Intrinsic))
            for name in (s.function, *calls) if isinstance(s, ir.Call) else calls:
                row = callees.find(name)
                if row.kind in ("support", "shuffle adjoint") and isinstance(row.pullback, Refused):
                    raise UnsupportedError(
                        f"a derivative is differentiated once more, and '{name}' in it has no derivative", s.span,
                        "take differences of gradients for second derivatives",
                    )  # fmt: skip
    return program
