"""The floating return value of the function that is differentiated."""

from __future__ import annotations

from dataclasses import replace

from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.types import Float
from hetad.ir.visit import declared
from hetad.passes.manager import program_pass


@program_pass("name-result")
def named_result(derivation: Derivation) -> Derivation:
    """A floating value is returned in a variable: `return 2 * x;` becomes `double result = 2 * x; return result;`."""
    function = derivation.function
    last = function.body[-1] if function.body else None
    if not isinstance(last, ir.Return) or last.value is None or not isinstance(function.returns, Float):
        return derivation
    names = Names({s.name for s in (*function.params, *declared(function.body))})
    result = names.symbol("result", function.returns, last.span)
    tail = (
        ir.Declare(result, last.value, span=last.span),
        ir.Return(ir.Var(result, span=last.span), span=last.span),
    )
    named = replace(function, body=(*function.body[:-1], *tail))
    return replace(derivation, functions={**derivation.functions, function.name: named}, returned=result)
