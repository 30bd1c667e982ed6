"""The tangent of a kernel: the kernel itself, with the tangents of its active parameters behind its own.

    __global__ void scale(float *y, const float *x, float a)
    ->  __global__ void scale_tangent(float *y, const float *x, float a, float *dot_y, float *dot_x, float dot_a)

A thread does the tangent of a statement just before the statement itself, so what orders the primal's accesses
(barriers, atomics, fences) orders those of the tangents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hetad.adjoint.options import Options
from hetad.analysis.activity import Activity
from hetad.analysis.effects import Effects, positions_of
from hetad.analysis.pointer_expressions import cell_at
from hetad.analysis.pointers import Location, points_to
from hetad.device.asked import Around
from hetad.device.shared import refuse_too_much
from hetad.diagnostics import UnsupportedError
from hetad.frontend.quote import Quote
from hetad.host.explanation import names_of
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, convert, integer
from hetad.ir.types import SIZE_T, Array, Float, Pointer
from hetad.ir.visit import declared, variables
from hetad.rules import callees, math
from hetad.rules.callee import Adds, Transposed
from hetad.tangent.algebra import Algebra
from hetad.tangent.engine import Engine, Statements


@dataclass(frozen=True, slots=True)
class KernelTangent:
    """A generated kernel.  Behind the primal's parameters it takes the tangents of those at `active`, each along all
    directions; and if `dynamic`, the bytes of the primal's dynamic shared memory."""

    function: ir.Function
    active: tuple[int, ...]
    dynamic: bool
    names: tuple[str, ...]  # of what is active in it


def kernel_tangent(
    kernel: ir.Function, name: str, active: frozenset[int], count: int, around: Around, taken: Iterable[str],
    algebra: Algebra,
) -> KernelTangent:  # fmt: skip
    """The tangent of an inlined kernel along `count` directions.

    active: the positions of the parameters that have tangents.

    Raises:
        UnsupportedError: the kernel has none that hetad can make.
    """
    names = Names({s.name for s in (*kernel.params, *declared(kernel.body))} | set(taken))
    pointers = points_to(kernel)
    effects = Effects(pointers, {})
    dynamic_bytes = names.symbol("shared_bytes", SIZE_T, kernel.span, "param")
    found = _active(kernel, effects, active, around.options)
    engine = KernelEngine(names, effects, found, count, algebra, around, dynamic_bytes)
    positions = tuple(sorted(active))
    params: list[ir.Symbol] = []
    for p in (kernel.params[i] for i in positions):
        for d in engine.directions:
            d.shadows[p] = d.named(p, d.shadow_type(p.type), "param")
            params.append(d.shadows[p])
    own = _set_by_kernel(engine, kernel, active)
    body = (*own, *engine.body(kernel.body))
    dynamic = dynamic_bytes in set(variables(body))
    params += [dynamic_bytes] if dynamic else []
    refuse_too_much(body)
    made = replace(
        kernel,
        name=name,
        params=(*kernel.params, *params),
        body=body,
        comment=f"{algebra.what} of {kernel.name} (line {kernel.span.line})",
    )
    return KernelTangent(made, positions, dynamic, names_of(found))


def _active(kernel: ir.Function, effects: Effects, active: frozenset[int], options: Options) -> set[Location]:
    """The locations of a kernel that have tangents: what depends on active parameters while active ones depend on it;
    without the option "activity", all but what nobody asks for."""
    pointers = effects.pointers
    given = positions_of(kernel, pointers)
    seeds: list[Location] = [root for root, at in given.items() if not at.isdisjoint(active)]
    seeds += [p for i, p in enumerate(kernel.params) if i in active and not isinstance(p.type, Pointer)]
    idle = {p for i, p in enumerate(kernel.params) if i not in active}.difference(effects.written(kernel.body))
    outside = {*idle, *given} - set(seeds)
    activity = Activity(kernel, pointers, {}, outside)
    found = activity.active(seeds, seeds) if options.activity else activity.everything() - outside
    return {*found, *seeds}


def _set_by_kernel(engine: KernelEngine, kernel: ir.Function, active: frozenset[int]) -> Statements:
    """Parameters by value that have no tangent from outside, and are set to something that has one."""
    out: Statements = []
    for i, p in enumerate(kernel.params):
        if i not in active and p in engine.one.active and not isinstance(p.type, Pointer):
            zeros = engine.zeros(p.type, p.span)
            out += [ir.Declare(d.shadow(p), z, span=p.span) for d, z in zip(engine.directions, zeros, strict=True)]
    return out


_BEHIND = Quote("real *tangent = (real *)((char *)memory + behind * bytes);")


class KernelEngine(Engine):
    def __init__(
        self, names: Names, effects: Effects, active: Iterable[Location], count: int, algebra: Algebra, around: Around,
        dynamic_bytes: ir.Symbol,
    ) -> None:  # fmt: skip
        super().__init__(names, effects, active, count, algebra, around)
        self.dynamic_bytes = dynamic_bytes

    def declare(self, s: ir.Declare) -> Statements:
        symbol = s.symbol
        if symbol.storage != "shared":
            return super().declare(s)
        if not self.has_shadow(symbol):
            return [s]
        found: Statements = [s]
        for number, d in enumerate(self.directions):
            shadow = d.shadow(symbol)
            if isinstance(symbol.type, Array) and symbol.type.length is None:
                assert isinstance(shadow.type, Pointer)
                found += _BEHIND(
                    self.names, s.span, memory=symbol, bytes=self.dynamic_bytes, real=shadow.type.to, tangent=shadow,
                    behind=integer(number + 1, s.span, SIZE_T),
                )  # fmt: skip
            else:
                found.append(ir.Declare(shadow, None, span=s.span))
        return found

    def call(self, s: ir.Call) -> Statements:
        if s.function in math.ROWS:
            return self.mathematics(s)
        callee = callees.find(s.function)
        if callee.kind == "atomic":
            return self._atomic(s)
        if isinstance(callee.pullback, Transposed):
            return self._shuffle(s)
        if callee.kind in ("barrier", "fence", "vote", "reduction", "output"):
            return [s]
        raise UnsupportedError(f"'{s.function}' in a kernel has no tangent", s.span, "see the table of supported calls")

    def _atomic(self, s: ir.Call) -> Statements:
        """`p += v`: ṗ += v̇.  Others leave derivatives alone, and must not touch active memory."""
        place = cell_at(s.args[0])
        if not self.one.is_active(place) or not isinstance(place.type, Float):
            return [s]
        if not isinstance(callees.find(s.function).pullback, Adds) or s.result is not None:
            what = "its old value is used" if s.result is not None else "it has no derivative here"
            raise UnsupportedError(
                f"{s.function} on active memory: {what}",
                s.span,
                "use atomicAdd without its result, or reduce in two steps",
            )
        before: Statements = []
        value, tangents = self.dual(s.args[1], before, s.span)
        if tangents is None:
            return [s]
        cells = [d.shadow_place(place) for d in self.directions]
        by = self.algebra.atomic(s.function)
        pairs = zip(cells, tangents, strict=True)
        added = [replace(s, function=by, args=(address_of(c), convert(t, c.type))) for c, t in pairs]
        return [*before, *added, replace(s, args=(s.args[0], value))]

    def _shuffle(self, s: ir.Call) -> Statements:
        """`r = shuffle(mask, v, lane)`: ṙ = shuffle(mask, v̇, lane)."""
        assert s.result is not None
        if not isinstance(s.result.type, Float) or not self.one.is_active(s.result):
            return [s]
        mask, value, *rest = s.args
        before: Statements = []
        _, tangents = self.dual(value, before, s.span)
        if tangents is None:
            return [*self.constant(s.result), s]
        given = [(d, self.held(t, before)) for d, t in zip(self.directions, tangents, strict=True)]
        moved = [replace(s, args=(mask, t, *rest), result=d.shadow_place(s.result)) for d, t in given]
        return [*before, *moved, s]

    def launch(self, s: ir.Launch) -> Statements:
        raise UnsupportedError("a kernel that launches a kernel", s.span, "launch it from the host")
