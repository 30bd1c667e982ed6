"""The parameters of a gradient function for adjoints, and the shadows of its other parameters."""

from __future__ import annotations

from hetad.adjoint.shadows import writable
from hetad.adjoint.structs import floating_leaves
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.analysis.pointers import Location
from hetad.diagnostics import UnsupportedError
from hetad.host.derivative import Parameter
from hetad.host.engine import HostEngine
from hetad.host.memory import as_pointer, of_shadow
from hetad.host.setting import Setting
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, integer, zero
from hetad.ir.types import Float, Pointer, Struct, widened
from hetad.rules import operations

RETURN = "return"


class AdjointParameters:
    """`parameters`, in order of `of` + `wrt`; statements that open and close the function for them."""

    def __init__(self, setting: Setting, engine: HostEngine) -> None:
        self.setting = setting
        self.engine = engine
        self.parameters: list[Parameter] = []
        self.opening: list[ir.Stmt] = []
        self.closing: list[ir.Stmt] = []
        if setting.of is None and setting.returned is not None:
            seed = setting.names.adjoint("return", setting.returned.type, setting.span, "param")
            self.parameters.append(Parameter(seed, "seed", RETURN))
            engine.shadows[setting.returned] = seed
        for name in dict.fromkeys((*(setting.of or ()), *setting.wrt)):
            p = setting.by_name[name]
            if isinstance(p.type, Pointer):
                self._array(name, p, p.type)
            else:
                self._scalar(name, p)

    def _array(self, name: str, p: ir.Symbol, type_: Pointer) -> None:
        setting = self.setting
        shadow = setting.names.adjoint(name, writable(type_), setting.span, "param")
        root = setting.pointers.parameter_roots[p]
        space = setting.spaces.of_parameter(root)
        if name in (setting.of or ()) or root not in self.engine.active or root not in setting.written:
            self.engine.shadows[p] = shadow
        else:
            self.closing.append(self._add_work(p, root, shadow, space))
        self.parameters.append(Parameter(shadow, "adjoint", name, space or "host"))

    def _add_work(self, p: ir.Symbol, root: Location, result: ir.Symbol, space: str | None) -> ir.Stmt:
        """`p` is overwritten on the way: its adjoint is worked out in a buffer of its own, then added to the result."""
        span = self.setting.span
        held = self.setting.pointers.floating_types(root)
        assert isinstance(p.type, Pointer)
        if len(held) != 1 or holds_pointer(p.type.to):
            other = "pointers" if holds_pointer(p.type.to) else "floats of another size"
            raise UnsupportedError(
                f"'{p.name}' is in wrt and overwritten, and holds {other} beside its numbers", p.span,
                "keep them in arrays of their own",
            )  # fmt: skip
        work = self.setting.names.adjoint(f"{p.name}_work", result.type, span)
        self.engine.shadows[p] = work
        to = Pointer(widened(next(iter(held))))
        ends = (as_pointer(ir.Var(x, span=span), to) for x in (work, result))
        kind = integer(3 if space == "device" else 0, span)
        size = of_shadow(self.setting.pointers, ir.Var(p, span=span), self.setting.bytes_of(p))
        return operations.copy_pullback(*ends, size, kind, span=span)

    def _scalar(self, name: str, p: ir.Symbol) -> None:
        names, span = self.setting.names, self.setting.span
        type_ = writable(p.type)
        total = names.adjoint(name, Pointer(type_), span, "param")
        own = names.symbol(f"{name}_sum", type_, span)
        self.engine.shadows[p] = own
        self.opening.append(ir.Declare(own, zero(type_, span), span=span))
        cell = ir.Index(ir.Var(total, span=span), integer(0, span), type_, span=span)
        sums = zip(floating_leaves(cell), floating_leaves(ir.Var(own, span=span)), strict=True)
        self.closing += [ir.Update("+", into, leaf, span=span) for into, leaf in sums]
        self.parameters.append(Parameter(total, "adjoint", name, "host"))

    def work_shadows(self) -> list[ir.Stmt]:
        """Shadows of active pointer parameters that are neither seeds nor results: zeroed, as large as the buffer."""
        setting, span = self.setting, self.setting.span
        out: list[ir.Stmt] = []
        for p in setting.function.params:
            if isinstance(p.type, Float | Struct) and p in self.engine.active and p.name not in setting.wrt:
                shadow = self.engine.shadow(p)
                out.append(ir.Declare(shadow, zero(shadow.type, span), span=span))
        for p, root in setting.pointers.parameter_roots.items():
            if root in self.engine.active and self.engine.shadow(p).storage != "param":
                out += self._work_shadow(p, setting.spaces.of(root) == "device")
        return out

    def _work_shadow(self, p: ir.Symbol, on_device: bool) -> list[ir.Stmt]:
        span = self.setting.span
        shadow = self.engine.shadow(p)
        size = of_shadow(self.setting.pointers, ir.Var(p, span=span), self.setting.bytes_of(p))
        declared = ir.Declare(shadow, None, span=span)
        if not on_device:
            return [declared, operations.host_zeros(size, result=ir.Var(shadow, span=span), span=span)]
        return [declared, operations.device_zeros(address_of(ir.Var(shadow, span=span)), size, span=span)]
