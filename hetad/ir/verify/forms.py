"""Forms: restrictions that passes establish for others that need them."""

from __future__ import annotations

from collections.abc import Iterable

from hetad.ir import nodes as ir
from hetad.ir.types import VOID, Float, Pointer, Void, holds_floating
from hetad.ir.verify.rules import Rules, Setting, rule


class OneMeaning(Rules):
    """A name means one thing wherever it is in scope."""

    @rule(ir.Declare)
    def hides_nothing(self, s: ir.Declare) -> bool:
        """No variable hides another one of the function."""
        return s.symbol.name not in self.setting.meanings

    @rule(ir.Var)
    def not_hidden(self, e: ir.Var) -> bool:
        """A variable at file scope is used where no other has its name."""
        return self.setting.meanings.get(e.symbol.name, e.symbol) is e.symbol

    @rule(ir.Call, ir.CallExpr)
    def callee_not_hidden(self, s: ir.Call | ir.CallExpr) -> bool:
        """A function is called where no variable has its name."""
        return s.function not in self.setting.meanings


class UniqueNames(Rules):
    """One name, one variable in a function."""

    of_sweeps = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.names = {p.name for p in setting.function.params}

    @rule(ir.Declare)
    def unique(self, s: ir.Declare) -> bool:
        """A name is declared once in a function."""
        return self._first((s.symbol,))

    @rule(ir.Opaque)
    def unique_of_opaque(self, s: ir.Opaque) -> bool:
        """A name that text declares is that of no variable."""
        return self._first(s.declares)

    def _first(self, symbols: Iterable[ir.Symbol]) -> bool:
        names = {x.name for x in symbols}
        new = self.names.isdisjoint(names)
        self.names |= names
        return new


class Structured(Rules):
    """Control flow is `if`, `for` and `while`; a function returns at its end."""

    of_sweeps = False

    @rule(ir.DoWhile, ir.Switch, ir.Break, ir.Continue, ir.Block)
    def control(self, s: ir.Stmt) -> bool:
        """No other loops, choices, jumps or scopes are left."""
        return False

    @rule(ir.Return)
    def end(self, s: ir.Return) -> bool:
        """A return is the last statement of a function, and gives a value."""
        return s is self.setting.function.body[-1] and s.value is not None

    @rule(ir.Function)
    def returns(self, f: ir.Function) -> bool:
        """A function that returns a value does so at its end."""
        return f.returns == VOID or (bool(f.body) and isinstance(f.body[-1], ir.Return))

    @rule(ir.Update)
    def updates(self, s: ir.Update) -> bool:
        """Updates are sums and differences."""
        return s.op in ("+", "-")

    @rule(ir.For)
    def head(self, s: ir.For) -> bool:
        """The head of a loop declares and assigns."""
        return all(isinstance(x, ir.Declare | ir.Assign | ir.Update) for x in (*s.init, *s.step))


class ANormal(Rules):
    """What has a derivative of its own stands alone."""

    of_sweeps = False

    @rule(ir.CallExpr)
    def calls(self, e: ir.CallExpr) -> bool:
        """Calls are statements."""
        return False

    @rule(ir.Call)
    def results(self, s: ir.Call) -> bool:
        """What a function of the program returns goes to a variable."""
        return s.result is None or isinstance(s.result, ir.Var) or s.function not in self.setting.program.functions

    @rule(ir.Launch)
    def plain_arguments(self, s: ir.Launch) -> bool:
        """A kernel is given floating variables and literals, and no lists."""
        numbers = (a for a in s.args if isinstance(a.type, Float))
        return all(isinstance(a, ir.Var | ir.Const) for a in numbers) and not any(
            isinstance(a, ir.Aggregate) for a in s.args
        )

    @rule(ir.Select)
    def choices(self, e: ir.Select) -> bool:
        """A choice is one of integers or of pointers."""
        return isinstance(e.type, Pointer) or not holds_floating(e.type)

    @rule(ir.While)
    def while_condition(self, s: ir.While) -> bool:
        """The condition of a loop has a value."""
        return not isinstance(s.cond.type, Void)

    @rule(ir.Intrinsic)
    def alone(self, e: ir.Intrinsic) -> bool:
        """A floating intrinsic is all that is assigned to a variable."""
        return not isinstance(e.type, Float) or e is self.setting.whole


class Untaped(Rules):
    """Nothing is left to the tape."""

    @rule(ir.Push, ir.Pop)
    def tape(self, s: ir.Push | ir.Pop) -> bool:
        """Saving and restoring are calls."""
        return False
