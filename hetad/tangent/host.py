"""The tangent of a host function: value and tangents in one sweep, as a program of CUDA's own operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.analysis.memory_calls import freed
from hetad.analysis.pointer_expressions import out_place, pointer_parts
from hetad.analysis.pointers import Location
from hetad.diagnostics import UnsupportedError
from hetad.host.again.records import is_record
from hetad.host.communication import communicates
from hetad.host.decisions import Explanation
from hetad.host.derivation import Derivation, with_body
from hetad.host.derivative import Parameter
from hetad.host.explanation import names_of
from hetad.host.kernels.launches import aligned
from hetad.host.kernels.routines import put_in_place
from hetad.host.parameters import RETURN
from hetad.host.registration import argument_buffers
from hetad.host.setting import Setting
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, binary, integer, var, zero
from hetad.ir.types import SIZE_T, VOID, Float, Pointer, Struct, element, holds_numbers, innermost
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees, math, operations
from hetad.rules.callee import Inactive
from hetad.tangent.algebra import Algebra, Linear, Masks
from hetad.tangent.communication import CommunicationTangents
from hetad.tangent.engine import Engine, Statements
from hetad.tangent.kernels import KernelTangent, kernel_tangent
from hetad.tangent.memory import MemoryTangents
from hetad.tangent.records import tangent_record


@program_pass("tangent")
def tangent(derivation: Derivation) -> Derivation:
    """Adds the derivative, a function of its own: the primal, each statement with its tangents in front of it.

    y = a * x;   ->   dot_y = dot_a * x + a * dot_x;  y = a * x;
    """
    setting = derivation.setting
    masks = Masks(derivation.structs) if derivation.request.dependence else None
    kernels = Kernels(derivation, masks or Linear())
    engine = HostEngine(setting, derivation, kernels)
    frame = Frame(setting, engine)
    body = setting.function.body
    last = body[-1] if body and isinstance(body[-1], ir.Return) else None
    text = engine.body(body[:-1] if last is not None else body)
    tail = (last,) if last is not None and setting.returned is not None else ()
    whole = (*frame.opening, *engine.memory.opening, *text, *engine.memory.closing, *frame.closing, *tail)
    found = {derivation.name: names_of(derivation.active)}
    found |= {made.function.name: made.names for made in kernels.made.values()}
    of_kernels = {k.function.name: k.function for k in kernels.made.values()}
    functions = {**kernels.around.called(), **derivation.functions, **of_kernels}
    made = replace(
        derivation,
        functions=functions,
        added=tuple(frame.parameters),
        explanation=Explanation(found, (), ()),
        arguments=tuple(_known_arguments(setting, engine, whole)),
    )
    if masks is not None:
        made = replace(made, structs=(*derivation.structs, *masks.structs), bits=masks.bits)
    return with_body(made, whole)


def _known_arguments(setting: Setting, engine: HostEngine, body: ir.Body) -> Statements:
    """The buffers of the caller's, and those of their tangents, of which the run time must know the extent."""
    if not engine.asks_sizes:
        return []
    told = [argument_buffers(setting, d.shadows, body) for d in engine.directions]
    return list(dict.fromkeys(s for found in told for s in found))


class Frame:
    """The parameters of a tangent beside the primal's, by name and then by direction: of `wrt`, then of `of`; and what
    opens and closes the function for them."""

    def __init__(self, setting: Setting, engine: HostEngine) -> None:
        self.setting, self.engine = setting, engine
        self.parameters: list[Parameter] = []
        self.opening: list[ir.Stmt] = []
        self.closing: list[ir.Stmt] = []
        for name in dict.fromkeys((*setting.wrt, *(setting.of or ()))):
            self._parameter(name, setting.by_name[name])
        if setting.of is None and setting.returned is not None:
            self._result(setting.returned)
        for p in setting.function.params:
            if p.name not in (*setting.wrt, *(setting.of or ())):
                self._beside(p)

    def _parameter(self, name: str, p: ir.Symbol) -> None:
        root = self.setting.pointers.parameter_roots.get(p)
        pointer = root is not None and isinstance(p.type, Pointer)
        space = (self.setting.spaces.of_parameter(root) or "host") if pointer and root is not None else None
        for d in self.engine.directions:
            shadow = d.shadows[p] = d.named(p, d.shadow_type(p.type), "param")
            self.parameters.append(Parameter(shadow, "tangent", name, space))
            if pointer and name not in self.setting.wrt and not self.engine.one.is_active_pointer(var(p)):
                self._cleared(var(shadow, self.setting.span), p, on_device=space == "device")

    def _cleared(self, shadow: ir.Expr, p: ir.Symbol, *, on_device: bool) -> None:
        """The tangents of an output that does not depend on `wrt`, which nothing else writes."""
        args = (shadow, integer(0, self.setting.span), self.setting.bytes_of(p))
        self.opening.append(ir.Call("cudaMemset" if on_device else "memset", args, span=self.setting.span))

    def _result(self, returned: ir.Symbol) -> None:
        span = self.setting.span
        active = returned in self.engine.one.active
        for d in self.engine.directions:
            out = d.variable(RETURN, Pointer(returned.type), span, "param")
            cell = ir.Index(var(out, span), integer(0, span), element(out.type), span=span)
            value = var(d.shadow(returned), span) if active else zero(cell.type, span)
            self.closing.append(ir.Assign(cell, value, span=span))
            self.parameters.append(Parameter(out, "tangent", RETURN, "host"))

    def _beside(self, p: ir.Symbol) -> None:
        """The tangent of another parameter, which is zero when the function begins."""
        setting, span = self.setting, self.setting.span
        if isinstance(p.type, Float | Struct) and p in self.engine.one.active:
            shadows = (d.shadow(p) for d in self.engine.directions)
            self.opening += [ir.Declare(x, zero(x.type, span), span=span) for x in shadows]
        root = setting.pointers.parameter_roots.get(p)
        if root is None or root not in self.engine.one.active or not isinstance(p.type, Pointer):
            return
        on_device = setting.spaces.of(root) == "device"
        moves, freed = p in setting.written, root in freed_by(setting)
        for d in self.engine.directions:
            shadow, size = var(d.shadow(p), span), setting.bytes_of(p)
            if moves:  # the variable may lead elsewhere in the end
                moving, shadow = shadow, var(d.named(p, shadow.type), span)
            self.opening.append(ir.Declare(shadow.symbol, None, span=span))
            if self.engine.asks_sizes:
                made = operations.ALLOCATION["device" if on_device else "host", True]
                args, result = ((address_of(shadow), size), None) if on_device else ((size,), shadow)
                self.opening.append(made(*args, result=result, span=span))
                self.opening += [ir.Declare(moving.symbol, shadow, span=span)] if moves else []
                self.closing += [] if freed else [operations.release(shadow, span=span)]
                continue
            if on_device:
                out = ir.Cast(address_of(shadow), Pointer(Pointer(VOID)), implicit=True, span=span)
                self.opening.append(ir.Call("cudaMalloc", (out, size), span=span))
                self.opening.append(ir.Call("cudaMemset", (shadow, integer(0, span), size), span=span))
            else:
                self.opening.append(ir.Call("calloc", (integer(1, span, SIZE_T), size), shadow, span=span))
            self.opening += [ir.Declare(moving.symbol, shadow, span=span)] if moves else []
            self.closing += [] if freed else [ir.Call("cudaFree" if on_device else "free", (shadow,), span=span)]


def freed_by(setting: Setting) -> set[Location]:
    """The memory that a function frees."""
    found: set[Location] = set()
    for s in walk_stmts(setting.function.body):
        pointer = freed(s)
        found.update(setting.pointers.targets(pointer) if pointer is not None else ())
    return found


class Kernels:
    """The tangents of the kernels that a function launches, each made once: `made`, by kernel and active parameters."""

    def __init__(self, derivation: Derivation, algebra: Algebra) -> None:
        self.derivation, self.algebra = derivation, algebra
        self.around = derivation.around_kernels
        self.made: dict[tuple[str, frozenset[int]], KernelTangent] = {}

    def __call__(self, kernel: str, active: frozenset[int]) -> KernelTangent:
        key = kernel, active
        if key not in self.made:
            names, count = self.derivation.setting.names, self.derivation.request.directions
            function = self.derivation.functions[kernel]
            name = names.fresh(f"{kernel}_{self.algebra.what}")
            taken = (*self.derivation.functions, name)
            self.made[key] = kernel_tangent(function, name, active, count, self.around, taken, self.algebra)
        return self.made[key]


class HostEngine(Engine):
    def __init__(self, setting: Setting, derivation: Derivation, kernels: Kernels) -> None:
        directions = derivation.request.directions
        super().__init__(
            setting.names, setting.effects, derivation.active, directions, kernels.algebra, kernels.around
        )  # fmt: skip
        self.spaces = setting.spaces
        self.kernels, self.routines = kernels, derivation.routines
        self.again = derivation.request.again
        self.memory = MemoryTangents(self)
        self.communication = CommunicationTangents(self, setting.function.body)
        # Whether the size of an allocation is asked for, so that the run time must know of it.
        asked = any(
            operations.does(s, operations.kept_bytes) or callees.has(s, "asks extents")
            for s in walk_stmts(setting.function.body)
        )
        self.asks_sizes = asked and not self.again

    def declare(self, s: ir.Declare) -> Statements:
        """A struct may come to a kernel for its pointers to active memory: its numbers, constant here, have zeros."""
        found = super().declare(s)
        constant = isinstance(innermost(s.symbol.type), Struct) and s.symbol not in self.one.active
        if not constant or s.init is not None or not holds_numbers(innermost(s.symbol.type)):
            return found
        *shadows, own = found
        assert all(isinstance(x, ir.Declare) for x in shadows)
        return [*(replace(x, init=zero(x.symbol.type, s.span)) for x in shadows if isinstance(x, ir.Declare)), own]

    def holds_numbers(self, pointer: ir.Expr) -> bool:
        """Whether floating numbers are known to lie there."""
        return any(self.pointers.floating_types(t) for t in self.pointers.targets(pointer))

    def call(self, s: ir.Call) -> Statements:
        if s.function in math.ROWS:
            return self.mathematics(s)
        if is_record(s):
            return tangent_record(self, s)
        callee = callees.find(s.function)
        if callee.operation is not None:
            tangents = self.communication if communicates(callee.operation) else self.memory
            return tangents.operation(s, callee.operation)
        if callee.kind == "formatted":
            places = (out_place(a) for i, a in enumerate(s.args) if i in callee.writes)
            return [s, *(z for place in places for z in self.constant(place))]
        if isinstance(callee.pullback, Inactive) and callee.kind in ("output", "support"):
            return [s, *self.constant(s.result)]
        raise UnsupportedError(f"'{s.function}' has no tangent", s.span, "see the table of supported calls")

    # -- launches

    def launch(self, s: ir.Launch) -> Statements:
        before: Statements = []
        values: list[ir.Expr] = []
        along: dict[int, tuple[ir.Expr, ...]] = {}
        for i, arg in enumerate(s.args):
            value, tangents = self._argument(arg, before)
            values.append(value)
            if tangents is not None:
                along[i] = tangents
        if not along:
            return [s]
        if self.algebra.linear and s.kernel in self.routines:
            return [*before, *self._by_routines(replace(s, args=tuple(values)), along), replace(s, args=tuple(values))]
        made = self.kernels(s.kernel, frozenset(along))
        extra = [t for i in made.active for t in along[i]]
        shared = s.shared
        if made.dynamic:
            size = aligned(s.shared if s.shared is not None else ir.Const(0, SIZE_T, span=s.span))
            extra.append(size)
            shared = binary("*", integer(self.count + 1, s.span, SIZE_T), size)
        return [*before, replace(s, kernel=made.function.name, args=(*values, *extra), shared=shared)]

    def _by_routines(self, s: ir.Launch, along: Mapping[int, tuple[ir.Expr, ...]]) -> Statements:
        """The tangents of a routine of a library, as the library text gives them."""
        kernel, text = self.kernels.derivation.functions[s.kernel], self.routines[s.kernel]
        each = ({i: t[k] for i, t in along.items()} for k in range(self.count))
        return [x for given in each for x in put_in_place(text, s, kernel, "dot_", given, self.names)]

    def _argument(self, arg: ir.Expr, before: Statements) -> tuple[ir.Expr, tuple[ir.Expr, ...] | None]:
        """The value of an argument, and its tangents where it has some."""
        if isinstance(arg.type, Pointer):
            active = self.one.is_active_pointer(arg)
            return arg, tuple(d.shadow_pointer(arg) for d in self.directions) if active else None
        if not isinstance(arg.type, Struct):
            return self.dual(arg, before)
        pointers = any(self.one.is_active_pointer(part) for part in pointer_parts(arg))
        if not pointers and not (holds_numbers(arg.type) and self.one.is_active(arg)):
            return arg, None
        if not isinstance(arg, ir.Var | ir.Index | ir.Member):
            raise UnsupportedError(
                "an active struct that is no variable is passed to a kernel by value", arg.span,
                "assign it to a variable first",
            )  # fmt: skip
        return arg, tuple(d.shadow_place(arg) for d in self.directions)
