"""What stands against running a gradient as CUDA graphs: launches that depend on what the host reads back.

A graph does what was done when it was made.  So the launches of the next call must follow from its arguments, not from
numbers that the device computes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis import messages
from hetad.analysis.dataflow import settle
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import does, operands
from hetad.analysis.pointers import Location
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import bodies, own_exprs, walk_stmts
from hetad.memops.table import TABLE
from hetad.passes.manager import program_pass

_REMEDY = "run it without graph=True, or take a fixed number of steps"


@program_pass("refuse-data-dependence")
def refuse_data_dependence(derivation: Derivation) -> Derivation:
    """Raises UnsupportedError where numbers from the device decide what an inlined host function does on the device."""
    setting = derivation.setting
    _Check(setting.function, setting.effects, setting.spaces).run()
    return derivation


class _Check:
    """`read_back`: locations on the host whose values come from the device, with where they were copied."""

    def __init__(self, function: ir.Function, effects: Effects, spaces: Spaces) -> None:
        self.function = function
        self.effects = effects
        self.spaces = spaces
        self.read_back: dict[Location, Span] = {}

    def run(self) -> None:
        settle(self.read_back, lambda: self._follow(self.function.body, None))
        for s in walk_stmts(self.function.body):
            if messages.meets(s):
                raise UnsupportedError(
                    "graph=True: other ranks wait here, which a graph does not", s.span, "run it without graph=True"
                )
            if isinstance(s, ir.Call) and s.function in TABLE and TABLE[s.function].switches:
                raise UnsupportedError(
                    "graph=True: a graph is of one device, and here another one becomes current", s.span,
                    "run it without graph=True",
                )  # fmt: skip
            self._refuse(s)

    def _follow(self, body: ir.Body, decided: Span | None) -> None:
        """Values spread; `decided`: such a value decides whether the body runs."""
        for s in body:
            origin = decided or self._origin_of_reads(s)
            if isinstance(s, ir.Call) and s.function in TABLE:
                self._call(s, origin)
            elif isinstance(s, ir.Launch):
                shared = (x for x in self.effects.writes(s) if self.spaces.of(x) == "managed")
                self._spread(shared, s.span)
            elif origin is not None:
                self._spread(self.effects.writes(s), origin)
            inner = decided or next((o for e in _conditions(s) if (o := self._origin(e)) is not None), None)
            for part in bodies(s):
                self._follow(part, inner)

    def _call(self, s: ir.Call, origin: Span | None) -> None:
        if does(s, "copy"):
            given = operands(s)
            if self.spaces.behind(given["dst"]) == "device":
                return
            origin = s.span if self.spaces.behind(given["src"]) == "device" else origin
            if origin is not None:
                self._spread(self.effects.behind(given["dst"]), origin)
        elif origin is not None and does(s, "inert", "text"):
            self._spread(self.effects.writes(s), origin)

    def _spread(self, locations: Iterable[Location], origin: Span) -> None:
        for location in locations:
            self.read_back.setdefault(location, origin)

    def _origin(self, expr: ir.Expr) -> Span | None:
        return next((self.read_back[x] for x in self.effects.loads(expr) if x in self.read_back), None)

    def _origin_of_reads(self, s: ir.Stmt) -> Span | None:
        if isinstance(s, ir.Declare):
            return self._origin(s.init) if s.init is not None else None
        return next((self.read_back[x] for x in self.effects.reads(s) if x in self.read_back), None)

    def _refuse(self, s: ir.Stmt) -> None:
        for condition in _conditions(s):
            origin = self._origin(condition)
            if origin is not None and any(_on_device(inner) for part in bodies(s) for inner in walk_stmts(part)):
                raise _refusal("what runs on the device here depends on data", condition.span, origin)
        if isinstance(s, ir.Launch) or (_on_device(s) and isinstance(s, ir.Call)):
            for e in own_exprs(s):
                if not self._is_on_host(e) and (origin := self._origin(e)) is not None:
                    raise _refusal("an argument of this operation depends on data", s.span, origin)

    def _is_on_host(self, e: ir.Expr) -> bool:
        """Whether it is a pointer to host memory, where copies of data may be as they like."""
        return isinstance(e.type, Pointer | Array) and self.spaces.behind(e) == "host"


def _refusal(what: str, span: Span, origin: Span) -> UnsupportedError:
    return UnsupportedError(
        f"graph=True: {what} that was read back from the device (line {origin.line})", span, _REMEDY
    )


def _conditions(s: ir.Stmt) -> tuple[ir.Expr, ...]:
    """What decides whether, or how often, the bodies of a statement run."""
    match s:
        case ir.If(cond=cond) | ir.While(cond=cond) | ir.DoWhile(cond=cond):
            return (cond,)
        case ir.For(cond=cond):
            return (cond,) if cond is not None else ()
        case ir.Switch(subject=subject):
            return (subject,)
    return ()


def _on_device(s: ir.Stmt) -> bool:
    """A launch, or an operation on device memory."""
    if isinstance(s, ir.Launch):
        return True
    if not isinstance(s, ir.Call) or s.function not in TABLE:
        return False
    row = TABLE[s.function]
    return row.space == "device" and row.action in ("allocate", "copy", "fill", "free")
