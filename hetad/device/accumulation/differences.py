"""Which values differ between threads that are at the same place of a pullback."""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis.dataflow import closed
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import exposed, root_symbol, written
from hetad.ir.visit import collected, mentions, walk_expr


class Differences:
    """The variables of a body that may differ between threads of a block in the same iteration of all loops around;
    `of_warp`: between lanes of a warp, as far as one can tell without looking into memory."""

    def __init__(self, body: ir.Body, of_warp: bool = False) -> None:
        self._differs = _in_warp if of_warp else _in_block
        self._of_warp = of_warp
        self._different = set() if of_warp else exposed(body)
        closed(self._different, body, self._made_different)

    def differ_in(self, expr: ir.Expr) -> bool:
        """Whether the expression may have another value in another thread."""
        return self._differs(expr) or not self._different.isdisjoint(mentions(expr))

    def _made_different(self, s: ir.Stmt) -> set[ir.Symbol]:
        found = self._set_by(s)
        return {x for x in found if x.storage != "shared"} if self._of_warp else found

    def _set_by(self, s: ir.Stmt) -> set[ir.Symbol]:
        """The variables to which the statement may give other values in other threads."""
        match s:
            case ir.If(cond=cond) if self.differ_in(cond):
                return written((s,)) - set(_declared(s))
            case ir.For(cond=cond) | ir.While(cond=cond) if cond is not None and self.differ_in(cond):
                return written((s,)) - set(_declared(s))
            case ir.Declare(init=init) if init is not None and self.differ_in(init):
                return {s.symbol}
            case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                return written((s,)) if self.differ_in(target) or self.differ_in(value) else set()
            case ir.Call():
                return written((s,)) | exposed((s,))
        return set()


def _by_itself(e: ir.Expr, axes: tuple[str, ...], memory: bool) -> bool:
    """`memory`: whether loads count as different."""
    match e:
        case ir.ThreadIndex(name="threadIdx", axis=axis):
            return axis in axes
        case ir.CallExpr() | ir.Intrinsic():
            return memory
        case ir.Index() | ir.Member() | ir.Var():
            root = root_symbol(e)
            return memory and (root is None or root.storage not in ("local", "param"))
    return False


_in_warp: Fact[ir.Expr, bool] = lasting(lambda expr: any(_by_itself(e, ("x",), False) for e in walk_expr(expr)))
_in_block: Fact[ir.Expr, bool] = lasting(lambda expr: any(_by_itself(e, tuple("xyz"), True) for e in walk_expr(expr)))


def _declares(s: ir.Stmt) -> Iterable[ir.Symbol]:
    match s:
        case ir.Declare(symbol=symbol):
            return (symbol,)
        case ir.Opaque(declares=symbols):
            return symbols
    return ()


_declared = collected(_declares)
