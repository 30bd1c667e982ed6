"""One walk over a program that asks each node the rules for its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hetad.ir import nodes as ir
from hetad.ir.verify.rules import InvalidIR, Node, Rule, Rules, Setting, broken
from hetad.ir.visit import bodies, own_exprs, walk_expr

Hidden = list[tuple[ir.Symbol, ir.Symbol | None]]  # what a scope declares, and what the name meant before
Group = Callable[[Setting], Rules]
Table = dict[type, list[tuple[Rule, int]]]  # by type of node: its rules, and which of the groups each is of


def walk(
    program: ir.Program,
    functions: Iterable[ir.Function],
    groups: Sequence[tuple[type[Rules], Group]],
    found: Callable[[InvalidIR], None],
) -> None:
    """Gives `found` every rule that is broken in these functions of the program."""
    table: Table = {}
    for i, (rules, _) in enumerate(groups):
        for rule in rules.all():
            for node in rule.nodes:
                table.setdefault(node, []).append((rule, i))
    known = {g.symbol for g in program.globals}
    for function in functions:
        params = function.params
        constant = {p for p in params if p.const}
        setting = Setting(program, function, known | set(params), constant, {p.name: p for p in params})
        _Walk(setting, table, [group(setting) for _, group in groups], found).function()


class _Walk:
    def __init__(
        self, setting: Setting, table: Table, groups: Sequence[Rules], found: Callable[[InvalidIR], None]
    ) -> None:
        self.setting = setting
        self.table = table
        self.groups = groups
        self.found = found
        self.declared = setting.declared
        self.fixed = setting.fixed
        self.meanings = setting.meanings

    def ask(self, node: Node) -> None:
        for rule, group in self.table.get(type(node), ()):
            if not rule.holds(self.groups[group], node):
                self.found(broken(self.setting, rule, node))

    def function(self) -> None:
        function, sweep = self.setting.function, self.setting.function.sweep
        self.ask(function)
        self.scope(function.body)
        if sweep is not None:
            self.table = {t: [(r, i) for r, i in rules if self.groups[i].of_sweeps] for t, rules in self.table.items()}
            self.scope(sweep.body)
            self.scope(sweep.alone)

    def scope(self, *parts: ir.Body | ir.Expr | None) -> None:
        """Bodies, and expressions between them, one after the other in a scope of their own."""
        hidden: Hidden = []
        for part in parts:
            if isinstance(part, tuple):
                for stmt in part:
                    self.statement(stmt, hidden)
            elif part is not None:
                self.expression(part)
        for symbol, before in reversed(hidden):
            self.declared.discard(symbol)
            self.fixed.discard(symbol)
            if before is None:
                del self.meanings[symbol.name]
            else:
                self.meanings[symbol.name] = before

    def statement(self, stmt: ir.Stmt, hidden: Hidden) -> None:
        self.ask(stmt)
        if isinstance(stmt, ir.For):
            self.setting.whole = None
            self.scope(stmt.init, stmt.cond, stmt.step, stmt.body)
            return
        given: Any = None
        if isinstance(stmt, ir.Declare):
            given = stmt.init
        elif isinstance(stmt, ir.Assign) and isinstance(stmt.target, ir.Var):
            given = stmt.value
        self.setting.whole = given
        if isinstance(stmt, ir.Declare):
            self.declare((stmt.symbol,), hidden)
            if stmt.symbol.const and stmt.init is not None:
                self.fixed.add(stmt.symbol)
        elif isinstance(stmt, ir.Opaque):
            self.declare(stmt.declares, hidden)
        for root in own_exprs(stmt):
            self.expression(root)
        if isinstance(stmt, ir.Switch):
            for case in stmt.cases:
                for value in case.values:
                    self.expression(value)
        for nested in bodies(stmt):
            self.scope(nested)

    def declare(self, symbols: Iterable[ir.Symbol], hidden: Hidden) -> None:
        for symbol in symbols:
            hidden.append((symbol, self.meanings.get(symbol.name)))
            self.declared.add(symbol)
            self.meanings[symbol.name] = symbol

    def expression(self, root: ir.Expr) -> None:
        for e in walk_expr(root):
            self.ask(e)
