"""A derivative for each set of a batch, in a loop of the host: `run_gradient_batch` around `run_gradient`; or for many
at a time, where that runs so many at once (`host/sets`).

Adjoints, seeds, and the arguments that differ between the sets, lie one set after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hetad.host.decisions import Explanation
from hetad.host.derivation import Derivation, Together, parameters_of
from hetad.host.derivative import Parameter
from hetad.host.parameters import RETURN
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.types import CHAR, SIZE_T, VOID, Pointer, Void, size_of
from hetad.passes.manager import program_pass
from hetad.rules import operations

_UNIT = {"size": "elements", "bytes": "bytes"}  # by role


@program_pass("loop-over-batch")
def over_batch(derivation: Derivation) -> Derivation:
    """The entry runs the derivative once for each set of a batch."""
    batched = derivation.request.batch
    assert batched is not None
    inner = derivation.functions[derivation.name]
    loop = _Loop(derivation, frozenset(batched))
    arguments = tuple(loop.argument(p) for p in parameters_of(derivation))
    together = derivation.at_once
    step: ir.Expr
    opening: ir.Body = ()
    if together is None:
        call = ir.Call(inner.name, arguments, loop.result(inner), span=inner.span)
        step = integer(1, inner.span, SIZE_T)
        how = "for each set of a batch"
    else:
        call = ir.Call(inner.name, (*arguments, *loop.together(together)), span=inner.span)
        step, how = var(loop.most), "for a batch"
        opening = (ir.Declare(loop.most, operations.sets_at_once(loop.bytes(), span=inner.span), span=inner.span),)
    span = inner.span
    body = (
        *opening,
        ir.For(
            (ir.Declare(loop.set, integer(0, span, SIZE_T), span=span),),
            binary("<", var(loop.set), var(loop.sets.symbol)),
            (ir.Update("+", var(loop.set), step, span=span),),
            (call,),
            span=span,
        ),
    )
    parameters = tuple(loop.parameters())
    symbols = tuple(p.symbol for p in parameters)
    name = derivation.setting.names.fresh(f"{inner.name}_batch")
    one = (inner.comment or "").partition(", for all")[0]
    comment = f"{one}, {how}\n{loop.comment()}{_reason(derivation)}"
    made = ir.Function(name, "host", symbols, VOID, body, span, comment=comment)
    functions = {**derivation.functions, name: made}
    return replace(derivation, name=name, outer=parameters, functions=functions, explanation=_explained(derivation))


def _reason(derivation: Derivation) -> str:
    return f"\nthe sets do not run at once: {derivation.one_by_one}" if derivation.one_by_one else ""


def _explained(derivation: Derivation) -> Explanation | None:
    """With how the sets run."""
    known, why = derivation.explanation, derivation.one_by_one
    how = "at once, along an axis of each grid" if derivation.at_once is not None else "one after the other"
    return known and replace(known, sets=f"{how}: {why}" if why else how)


class _Loop:
    """The entry's parameters, made as the arguments of a call for one set are."""

    def __init__(self, derivation: Derivation, batched: frozenset[str]) -> None:
        setting = derivation.setting
        self.at_once = derivation.at_once is not None
        self.names, self.span, self.batched = setting.names, setting.span, batched
        self.primal: Mapping[str, ir.Symbol] = setting.by_name
        self.set = self.names.symbol("set", SIZE_T, self.span)
        self.sets = self._made("sets", "sets")
        self.most = self.names.symbol("most", SIZE_T, self.span, const=True)  # sets at once
        self.own: list[Parameter] = []
        self.sizes: dict[tuple[str, bool], Parameter] = {}
        self.values: list[Parameter] = []

    def argument(self, p: Parameter) -> ir.Expr:
        """What one set has for a parameter of the derivative."""
        differs = self._differs(p)
        pointer = isinstance(p.symbol.type, Pointer)
        if not differs or pointer:
            own = replace(p, symbol=replace(p.symbol))
        else:
            values = replace(p.symbol, type=Pointer(p.symbol.type, const=True), const=False)
            own = replace(p, symbol=values, space="host")
        self.own.append(own)
        whole = var(own.symbol, self.span)
        if not differs:
            return whole
        if not pointer and self.at_once:
            return binary("+", whole, var(self.set))
        if not pointer:
            return ir.Index(whole, var(self.set), p.symbol.type, span=self.span)
        assert p.primal is not None
        if not isinstance(self.primal[p.primal].type, Pointer):
            return binary("+", whole, var(self.set))
        return self._part(p.primal, whole)

    def _part(self, name: str, whole: ir.Expr) -> ir.Expr:
        """Where the set begins in the memory of all; what points to anything is counted in bytes."""
        assert isinstance(whole.type, Pointer)
        in_bytes = isinstance(whole.type.to, Void)
        first = binary("*", var(self.set), self._size(name, in_bytes))
        if not in_bytes:
            return binary("+", whole, first)
        there = binary("+", ir.Cast(whole, Pointer(CHAR, whole.type.const), span=self.span), first)
        return ir.Cast(there, whole.type, span=self.span)

    def _size(self, name: str, in_bytes: bool) -> ir.Expr:
        """How many elements, or bytes, one set has."""
        if (name, in_bytes) not in self.sizes:
            wanted = f"{name}_size{'_in_bytes' if in_bytes else ''}"
            self.sizes[name, in_bytes] = self._made(wanted, "bytes" if in_bytes else "size", name)
        return var(self.sizes[name, in_bytes].symbol)

    def together(self, given: Together) -> Iterator[ir.Expr]:
        """What is passed beside to a derivative that runs many sets at once."""
        span = self.span
        if given.value is not None:
            assert isinstance(given.value.type, Pointer)
            self.values.append(self._made("value", "value", RETURN, given.value.type))
            yield binary("+", var(self.values[0].symbol), var(self.set))
        left = binary("-", var(self.sets.symbol), var(self.set))
        most = var(self.most)
        yield ir.Select(binary("<", left, most), left, most, SIZE_T, span=span)
        for name, in_bytes in given.sizes:
            yield self._size(name, in_bytes)

    def bytes(self) -> ir.Expr:
        """How many bytes one set has of what differs."""
        total: ir.Expr | None = None
        for p in self.own:
            to = p.symbol.type.to if isinstance(p.symbol.type, Pointer) else None
            if to is None or p.primal is None or not self._differs(p) or p.primal not in self.primal:
                continue
            if isinstance(self.primal[p.primal].type, Pointer):
                in_bytes = isinstance(to, Void)
                each = integer(1 if in_bytes else size_of(to), self.span, SIZE_T)
                term = binary("*", self._size(p.primal, in_bytes), each)
                total = term if total is None else binary("+", total, term)
        return total if total is not None else integer(0, self.span, SIZE_T)

    def result(self, inner: ir.Function) -> ir.Place | None:
        """Where what the function returns for one set goes."""
        if isinstance(inner.returns, Void):
            return None
        self.values.append(self._made("value", "value", RETURN, Pointer(inner.returns)))
        return ir.Index(var(self.values[0].symbol), var(self.set), inner.returns, span=self.span)

    def parameters(self) -> Iterator[Parameter]:
        """Those of the derivative, where the values go, how many sets there are, and how large each is."""
        yield from (*self.own, *self.values, self.sets, *self.sizes.values())

    def comment(self) -> str:
        """Which parameters hold a set after the other."""
        kept = [p.symbol.name for p in self.own if self._differs(p)]
        text = f"one set behind the other lies in {', '.join([*kept, *(p.symbol.name for p in self.values)])}"
        sized = [f"{p.symbol.name} {_UNIT[p.role]} of {p.primal}" for p in self.sizes.values()]
        return f"{text}\na set has {', '.join(sized)}" if sized else text

    def _differs(self, p: Parameter) -> bool:
        """Whether each set has its own."""
        return p.role in ("adjoint", "seed") or (p.role == "primal" and p.primal in self.batched)

    def _made(self, wanted: str, role: str, of: str | None = None, type_: object = SIZE_T) -> Parameter:
        symbol = self.names.symbol(wanted, type_, self.span, "param")  # type: ignore[arg-type]
        return Parameter(symbol, role, of, "host" if isinstance(type_, Pointer) else None)  # type: ignore[arg-type]
