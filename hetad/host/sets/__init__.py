"""All sets of a batch at once: a derivative becomes one for so many sets of arguments, each launch one for all of them.

The sets lie along an axis of the grid (`kernels.py`), the statements of the host do for all what they did for one
(`statements.py`).  Where that cannot be, the derivative stays as it is, and the sets run one after the other
(`host/batch.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from hetad.host.derivation import Derivation, Together, parameters_of
from hetad.host.derivative import Parameter
from hetad.host.sets.kernels import Widened, widened
from hetad.host.sets.refusal import OneByOne
from hetad.host.sets.runs import loop_over_sets
from hetad.host.sets.statements import Text
from hetad.host.sets.variables import Differing
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.places import exposed, written
from hetad.ir.types import INT, SIZE_T, VOID, Pointer, Void, size_of
from hetad.ir.visit import substitute, variables, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import operations


@program_pass("sets-at-once")
def sets_at_once(derivation: Derivation) -> Derivation:
    """The derivative is one for all sets of a batch at once, where what the host decides, launches and copies allow."""
    try:
        return _AtOnce(derivation).derivation()
    except OneByOne as found:
        return replace(derivation, one_by_one=f"{found.reason} (line {found.span.line})")


class _AtOnce:
    def __init__(self, derivation: Derivation) -> None:
        if derivation.request.memory_limit is not None:
            raise OneByOne("a memory limit is for one set", derivation.span)
        if derivation.request.graph:
            raise OneByOne("it runs as CUDA graphs", derivation.span)
        if derivation.request.measured:
            raise OneByOne("what each statement saves is counted", derivation.span)
        self.all = derivation
        self.function = derivation.functions[derivation.name]
        self.names, self.span = derivation.setting.names.copy(), derivation.span
        batched = frozenset(derivation.request.batch or ())
        self.params = parameters_of(derivation)
        self.differ = {
            p.symbol for p in self.params
            if p.role in ("adjoint", "seed") or (p.role == "primal" and p.primal in batched)
        }  # fmt: skip
        self.sets = self.names.symbol("sets", SIZE_T, self.span, "param")
        self.sizes: dict[tuple[str, bool], ir.Symbol] = {}

    def derivation(self) -> Derivation:
        frame = (operations.begin, operations.argument, operations.end)
        body = tuple(s for s in self.function.body if not operations.does(s, *frame))
        mentioned = set(variables(body))
        pointers = [p for p in self.params if isinstance(p.symbol.type, Pointer) and p.symbol in mentioned]
        mine = self._written_shared(pointers)
        shared = {p.symbol for p in pointers if p.symbol not in self.differ and p.symbol not in mine}
        self._check_pointers(pointers)
        values = [p for p in self.params if p.symbol in self.differ and not isinstance(p.symbol.type, Pointer)]
        given = {p.symbol: self._given(p.symbol) for p in values}
        body = substitute(mine, body)
        differing = Differing(body, given, shared)
        changed = (written(body) | exposed(body)) & set(given)
        kept = {x: pointer for x, pointer in given.items() if x not in changed}
        text = Text(self.names, self.span, differing, self.sets, kept, shared, self._kernels(body, differing))
        if not isinstance(self.function.returns, Void):
            text.values = self.names.symbol("value", Pointer(self.function.returns), self.span, "param")
        copies = [self._own_copy(p, mine[p.symbol]) for p in pointers if p.symbol in mine]
        opening, main = text.body(body)
        first = self._changed_values(text, given, kept)
        begun = (
            operations.begin(span=self.span),
            operations.open_sets(var(self.sets), span=self.span),
            *self._arguments(pointers, shared | set(mine), given, text.values),
            *(s for made in copies for s in made),
            *opening, *first,
        )  # fmt: skip
        return self._with((*begun, *main, operations.end(span=self.span)), given, text)

    def _with(self, body: ir.Body, given: dict[ir.Symbol, ir.Symbol], text: Text) -> Derivation:
        params = tuple(given.get(p.symbol, p.symbol) for p in self.params)
        more = (*((text.values,) if text.values is not None else ()), self.sets, *self.sizes.values())
        made = replace(
            self.function, params=(*params, *more), returns=VOID, body=body,
            comment=f"{self.function.comment}, for all sets of a batch at once",
        )  # fmt: skip
        kernels = {name: made.function for name, made in text.kernels.items()}
        others = {name: f for name, f in self.all.functions.items() if f.kind != "host"}
        functions = {**others, **kernels, made.name: made}  # without the primal, which launches other kernels
        together = Together(params, text.values, self.sets, self.sizes)
        return replace(self.all, functions=functions, at_once=together)

    # --- parameters --------------------------------------------------------------------------------

    def _given(self, symbol: ir.Symbol) -> ir.Symbol:
        """In the place of a value, the pointer to that of each set."""
        return replace(symbol, type=Pointer(symbol.type, const=True), const=False)

    def _written_shared(self, pointers: list[Parameter]) -> dict[ir.Symbol, ir.Symbol]:
        """For what all sets share and the program overwrites: the variable for what each set has instead."""
        setting = self.all.setting
        found = {}
        for p in pointers:
            root = setting.pointers.parameter_roots.get(p.symbol)
            if p.symbol not in self.differ and root in setting.written:
                found[p.symbol] = replace(p.symbol, name=self.names.fresh(f"{p.symbol.name}_own"), storage="local")
        return found

    def _check_pointers(self, pointers: list[Parameter]) -> None:
        for p in pointers:
            assert isinstance(p.symbol.type, Pointer)
            if isinstance(p.symbol.type.to, Pointer):
                raise OneByOne(f"'{p.symbol.name}' points to pointers", p.symbol.span)

    def _bytes(self, p: Parameter) -> ir.Expr:
        """How many bytes a set has of a parameter."""
        assert isinstance(p.symbol.type, Pointer) and p.primal is not None
        to = p.symbol.type.to
        in_bytes = isinstance(to, Void)
        size = integer(1 if in_bytes else size_of(to), self.span, SIZE_T)
        primal = self.all.setting.by_name[p.primal]
        if not isinstance(primal.type, Pointer):
            return size
        if (p.primal, in_bytes) not in self.sizes:
            name = f"{p.primal}_size{'_in_bytes' if in_bytes else ''}"
            self.sizes[p.primal, in_bytes] = self.names.symbol(name, SIZE_T, self.span, "param")
        count = var(self.sizes[p.primal, in_bytes])
        return count if in_bytes else binary("*", count, size)

    def _arguments(
        self, pointers: list[Parameter], shared: set[ir.Symbol], given: dict[ir.Symbol, ir.Symbol],
        value: ir.Symbol | None,
    ) -> Iterator[ir.Stmt]:  # fmt: skip
        """What the run-time support is told of them."""
        for p in pointers:
            tell = operations.argument if p.symbol in shared else operations.argument_sets
            yield tell(var(p.symbol), self._bytes(p), self._on_device(p), span=self.span)
        for pointer in (*given.values(), *((value,) if value is not None else ())):
            assert isinstance(pointer.type, Pointer)
            size = integer(size_of(pointer.type.to), self.span, SIZE_T)
            yield operations.argument_sets(var(pointer), size, integer(0, self.span, INT), span=self.span)

    def _on_device(self, p: Parameter) -> ir.Expr:
        return integer(1 if p.space == "device" else 0, self.span, INT)

    def _own_copy(self, p: Parameter, own: ir.Symbol) -> tuple[ir.Stmt, ...]:
        """Of what all sets share, one for each."""
        span, device = self.span, p.space == "device"
        size = self._bytes(p)
        every = operations.of_sets(size, span=span)
        made = (
            operations.device_malloc(ir.AddressOf(var(own), Pointer(own.type), span=span), every, span=span)
            if device
            else operations.host_malloc(every, result=var(own), span=span)
        )
        ends = (var(own), operations.set_bytes(var(own), span=span), var(p.symbol), integer(0, span, SIZE_T))
        kind = integer(3 if device else 0, span, INT)
        return (ir.Declare(own, None, span=span), made, operations.copy_sets(*ends, size, kind, span=span))

    def _changed_values(
        self, text: Text, given: Mapping[ir.Symbol, ir.Symbol], kept: Collection[ir.Symbol]
    ) -> Iterator[ir.Stmt]:
        """Parameters that the program changes: variables of the sets, which begin with what is given."""
        for p in (p.symbol for p in self.params if p.symbol in text.own and p.symbol not in kept):
            own, first = replace(p, storage="local", const=False), replace(p, storage="local", const=False)
            pointers = {own: text.own[p], **({first: given[p]} if p in given else {})}
            value = var(first if p in given else p)
            body = (ir.Assign(var(own), value, span=self.span),)
            yield loop_over_sets(body, self.sets, pointers, (), self.names)

    # --- kernels -------------------------------------------------------------------------------------

    def _kernels(self, body: ir.Body, differing: Differing) -> dict[str, Widened]:
        """Those that are launched."""
        launches: dict[str, list[ir.Launch]] = {}
        for s in walk_stmts(body):
            if isinstance(s, ir.Launch):
                launches.setdefault(s.kernel, []).append(s)
        made = {}
        for name, found in launches.items():
            kernel = self._function(name)
            differ = {
                i for s in found for i, a in enumerate(s.args)
                if not isinstance(kernel.params[i].type, Pointer) and differing.expr(a)
            }  # fmt: skip
            made[name] = widened(kernel, self.all.functions, found, differ)
        return made

    def _function(self, name: str) -> ir.Function:
        return self.all.functions.get(name) or self.all.written[name]
