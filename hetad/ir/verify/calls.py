"""Callees: the program's own functions, and those of the tables of hetad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hetad.ir import nodes as ir
from hetad.ir.types import VOID, Array, Int, Pointer, Type
from hetad.ir.verify.rules import Rules, Setting, assignable, passable, rule


@dataclass(frozen=True, slots=True)
class Signature:
    """What a table knows of a function: `returns` and each of `params` may be None, where any type will do; so may
    `params` themselves, where there is any number of them.  The last `defaults` may be left out.  `converts`: integers
    and pointers to memory are given as they are, and become the parameter's type as in C."""

    returns: Type | None
    params: tuple[Type | None, ...] | None = None
    defaults: int = 0
    converts: bool = False


Callees = Callable[[str], Signature | None]


def unknown(_name: str) -> Signature | None:
    """The table that knows every function, but nothing of it."""
    return Signature(None)


class Calls(Rules):
    def __init__(self, setting: Setting, callees: Callees) -> None:
        super().__init__(setting)
        self.callees = callees

    @rule(ir.CallExpr)
    def called_value(self, e: ir.CallExpr) -> bool:
        """A call in an expression is one of a function of the program, which returns a value of its type."""
        callee = self.setting.program.functions.get(e.function)
        return callee is not None and callee.returns == e.type != VOID and _given(e.args, callee)

    @rule(ir.Call)
    def called(self, s: ir.Call) -> bool:
        """A function of the program is called with an argument for each parameter, and what it returns is stored in a
        place of that type."""
        callee = self.setting.program.functions.get(s.function)
        if callee is None:
            return True
        return _given(s.args, callee) and (s.result is None or assignable(callee.returns, s.result.type))

    @rule(ir.Call, ir.CallExpr)
    def side(self, s: ir.Call | ir.CallExpr) -> bool:
        """Host functions call host functions, kernels and device functions call device functions; kernels are
        launched."""
        callee = self.setting.program.functions.get(s.function)
        if callee is None:
            return True
        caller = self.setting.function.kind
        sides = {"device"} if caller in ("kernel", "device") else {"host"} if caller == "host" else set()
        return callee.kind != "kernel" and sides <= set(callee.kind.split())

    @rule(ir.Call, ir.Intrinsic)
    def in_a_table(self, s: ir.Call | ir.Intrinsic) -> bool:
        """What is no function of the program has a row in a table of hetad."""
        name = s.function if isinstance(s, ir.Call) else s.name
        return name in self.setting.program.functions or self.callees(name) is not None

    @rule(ir.Call, ir.Intrinsic)
    def of_a_table(self, s: ir.Call | ir.Intrinsic) -> bool:
        """A function of a table is called with the arguments that its row has, and its result has the row's type."""
        name = s.function if isinstance(s, ir.Call) else s.name
        row = None if name in self.setting.program.functions else self.callees(name)
        if row is None:
            return True
        result = s.type if isinstance(s, ir.Intrinsic) else None if s.result is None else s.result.type
        if result is not None and row.returns is not None and not _receives(result, row.returns):
            return False
        if row.params is None:
            return True
        enough = len(row.params) - row.defaults <= len(s.args) <= len(row.params)
        pairs = zip(s.args, row.params, strict=False)
        fits = (t is None or passable(a, t) or (row.converts and _becomes(a.type, t)) for a, t in pairs)
        return enough and all(fits)

    @rule(ir.Launch)
    def launched(self, s: ir.Launch) -> bool:
        """A kernel of the program is launched with an argument for each parameter."""
        callee = self.setting.program.functions.get(s.kernel)
        return callee is not None and callee.kind == "kernel" and _given(s.args, callee)

    @rule(ir.Launch)
    def launches(self, s: ir.Launch) -> bool:
        """Kernels are launched by the host."""
        return self.setting.function.kind == "host"


def _receives(result: Type, returned: Type) -> bool:
    """Whether a place of one type may take what a table's function returns: memory has no type."""
    memory = returned == Pointer(VOID) and isinstance(result, Pointer)
    return memory or assignable(returned, result)


def _becomes(given: Type, wanted: Type) -> bool:
    """Whether C converts a value of one type to the other, with no loss but of a pointer's type."""
    memory = isinstance(wanted, Pointer) and wanted.to == VOID and isinstance(given, Pointer | Array)
    return memory or (isinstance(given, Int) and isinstance(wanted, Int))


def _given(args: tuple[ir.Expr, ...], callee: ir.Function) -> bool:
    return len(args) == len(callee.params) and all(
        passable(a, p.type) for a, p in zip(args, callee.params, strict=True)
    )
