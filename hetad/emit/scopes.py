"""Every variable that emitted code uses is declared where it is used.

Emission rearranges bodies: it moves, splits and computes again.  What it makes is checked before it is printed, always.
A compiler would find most mistakes, but in words of generated code, and none where another variable has the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hetad.diagnostics import InternalError
from hetad.ir import nodes as ir
from hetad.ir.visit import bodies, own_exprs, variables

_EVERYWHERE = ("global", "constant")


def require_declared(kernel: str, body: ir.Body, visible: Iterable[ir.Symbol]) -> None:
    """`body`, in which `visible` are declared already, as part of the function or kernel that is called `kernel`.

    Raises:
        InternalError: it uses a variable that is not declared there.
    """
    Scopes(kernel, visible).body(body)


class Scopes:
    """What is declared at a point of the text, `visible` to begin with."""

    def __init__(self, kernel: str, visible: Iterable[ir.Symbol]) -> None:
        self.kernel = kernel
        self.visible = set(visible)
        self.opened: list[ir.Symbol] = []  # in the scopes that are open, to be forgotten at their ends

    @contextmanager
    def scope(self) -> Iterator[None]:
        before = len(self.opened)
        yield
        self.visible.difference_update(self.opened[before:])
        del self.opened[before:]

    def declare(self, symbol: ir.Symbol) -> None:
        if symbol not in self.visible:
            self.visible.add(symbol)
            self.opened.append(symbol)

    def use(self, e: ir.Expr) -> None:
        for x in variables(e):
            if x not in self.visible and x.storage not in _EVERYWHERE:
                raise InternalError(
                    f"the code that hetad made of '{self.kernel}' uses '{x.name}' where it is not declared", e.span
                )

    def body(self, body: ir.Body) -> None:
        with self.scope():
            self.statements(body)

    def statements(self, body: ir.Body) -> None:
        for s in body:
            self.statement(s)

    def statement(self, s: ir.Stmt) -> None:
        match s:
            case ir.Declare(symbol=symbol):
                self.declare(symbol)  # C lets its initialiser name it
                self.expressions(s)
            case ir.For(init=init, step=step, body=body):
                with self.scope():
                    self.statements(init)
                    self.expressions(s)
                    self.statements(step)
                    self.body(body)
            case ir.Switch(cases=cases):
                self.expressions(s)
                for case in cases:
                    self.body(case.body)
            case ir.Opaque(declares=declares):
                for symbol in declares:
                    self.declare(symbol)
                self.expressions(s)
            case _:
                self.expressions(s)
                for nested in bodies(s):
                    self.body(nested)

    def expressions(self, s: ir.Stmt) -> None:
        for e in own_exprs(s):
            self.use(e)
