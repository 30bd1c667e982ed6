"""`__managed__` variables, which host and kernels both use, as managed memory behind pointers.

    __managed__ double sum;                     double run(...)
                                                {
    __global__ void add(const double *x)            double *sum;
    {                                               cudaMallocManaged(&sum, sizeof(double));
        atomicAdd(&sum, x[threadIdx.x]);            *sum = 0;
    }                                               add<<<1, n>>>(x, sum);
                                                    ...
The function that Python calls allocates the memory, gives it its first value, and frees it; all functions that use the
variable are given its address.  So it begins with its first value in each call.  What no host function uses but by
cudaMemcpyToSymbol and its like is a variable of the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.behind import behind, pointer_to
from hetad.ir.build import Names, address_of, integer, var
from hetad.ir.types import INT, SIZE_T, UINT, VOID, Array, Pointer, size_of
from hetad.ir.visit import declared, map_body, map_exprs, own_exprs, variables, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

T = TypeVar("T", bound=Task)
_ADDRESS = "cudaGetSymbolAddress"
_Addresses = Mapping[ir.Symbol, ir.Symbol]


@program_pass("managed-variables")
def managed_variables(task: T) -> T:
    """No variable is used by host and kernels both."""
    managed = [g for g in task.globals if g.managed]
    if not managed:
        return task
    on_host = {x for f in task.functions.values() if f.kind == "host" for x in _used_directly(f.body)}
    shared = [g for g in managed if g.symbol in on_host] if task.function.kind == "host" else []
    kept = tuple(
        replace(g, device=g.device or g.managed, managed=False) for g in task.globals if all(g is not x for x in shared)
    )
    needs = _needs(task, [g.symbol for g in shared])
    made, values = {}, list[ir.Global]()
    for name, f in task.functions.items():
        if name == task.entry and shared:
            made[name] = _allocating(f, shared, needs, values)
        else:
            made[name] = _given(f, needs) if needs[name] else f
    return replace(task, functions=made, globals=(*kept, *values))


def _used_directly(body: ir.Body) -> Iterator[ir.Symbol]:
    for s in walk_stmts(body):
        if not (isinstance(s, ir.Call) and s.function == _ADDRESS):
            yield from (x for e in own_exprs(s) for x in variables(e))


def _needs(program: ir.Program, symbols: Sequence[ir.Symbol]) -> dict[str, list[ir.Symbol]]:
    """What each function uses, and what it calls."""
    called = {name: set(_called(f)) for name, f in program.functions.items()}
    found = {name: set(symbols).intersection(variables(f.body)) for name, f in program.functions.items()}
    grows = True
    while grows:
        wider = {name: x.union(*(found.get(c, ()) for c in called[name])) for name, x in found.items()}
        grows, found = wider != found, wider
    return {name: [x for x in symbols if x in own] for name, own in found.items()}


def _called(function: ir.Function) -> Iterator[str]:
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Call | ir.Launch):
            yield s.function if isinstance(s, ir.Call) else s.kernel
    yield from (e.function for e in walk_exprs(function.body) if isinstance(e, ir.CallExpr))


def _given(function: ir.Function, needs: Mapping[str, list[ir.Symbol]]) -> ir.Function:
    """A function that is given the addresses of what it needs."""
    names = Names(s.name for s in (*function.params, *declared(function.body)))
    addresses = {x: names.symbol(x.name, pointer_to(x), function.span, "param") for x in needs[function.name]}
    body = _through(function.body, addresses, needs)
    return replace(function, params=(*function.params, *addresses.values()), body=body)


def _allocating(
    function: ir.Function, shared: Sequence[ir.Global], needs: Mapping[str, list[ir.Symbol]], values: list[ir.Global]
) -> ir.Function:
    """The function that the others serve: it has the memory."""
    span = function.span
    names = Names(s.name for s in (*function.params, *declared(function.body)))
    addresses = {g.symbol: names.symbol(g.symbol.name, pointer_to(g.symbol), span) for g in shared}
    opening = [s for g in shared for s in _allocated(g, addresses[g.symbol], function, values)]
    closing = tuple(
        ir.Call("cudaFree", (ir.Cast(var(p, span), Pointer(VOID), implicit=True, span=span),), span=span)
        for p in addresses.values()
    )

    def returning(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Return):
            return s
        if s.value is None or isinstance(s.value, ir.Const):
            return *closing, s
        held = names.symbol("returned", function.returns, s.span)
        return ir.Declare(held, s.value, span=s.span), *closing, replace(s, value=var(held, s.span))

    body = map_body(returning, _through(function.body, addresses, needs))
    ends = () if body and isinstance(body[-1], ir.Return) else closing
    return replace(function, body=(*opening, *body, *ends))


def _allocated(g: ir.Global, pointer: ir.Symbol, function: ir.Function, values: list[ir.Global]) -> Iterator[ir.Stmt]:
    """The memory of a variable, with its first value: of an array or a struct, that of a constant."""
    span, type_, place = function.span, g.symbol.type, var(pointer, function.span)
    size = ir.Const(size_of(type_), SIZE_T, span=span)
    out = ir.Cast(address_of(place), Pointer(Pointer(VOID)), span=span)
    yield ir.Declare(pointer, None, span=span)
    yield ir.Call("cudaMallocManaged", (out, size, integer(1, span, UINT)), span=span)
    into = ir.Cast(place, Pointer(VOID), implicit=True, span=span)
    if g.init is None:
        yield ir.Call("memset", (into, integer(0, span, INT), size), span=span)
    elif not isinstance(type_, Array):
        yield ir.Assign(ir.Index(place, integer(0, span), type_, span=span), g.init, span=span)
    else:
        first = ir.Symbol(f"{g.symbol.name}_at_start", type_, g.symbol.span, "global", const=True)
        values.append(ir.Global(first, g.init, False, g.symbol.span))
        from_ = ir.Cast(var(first, span), Pointer(VOID, const=True), implicit=True, span=span)
        yield ir.Call("memcpy", (into, from_, size), span=span)


def _through(body: ir.Body, addresses: _Addresses, needs: Mapping[str, list[ir.Symbol]]) -> ir.Body:
    """The body with the variables behind their addresses, which functions that need them are given."""

    def more(name: str, span: Span) -> tuple[ir.Expr, ...]:
        return tuple(var(addresses[x], span) for x in needs.get(name, ()))

    def asked(s: ir.Stmt) -> ir.Stmt:
        match s:
            case ir.Call(function=name, args=(out, named, *_)) if name == _ADDRESS:
                found = next((x for x in variables(named) if x in addresses), None)
                place = bare(out)
                if found is None or not isinstance(place, ir.AddressOf):
                    return s
                address = ir.Cast(var(addresses[found], s.span), place.place.type, implicit=True, span=s.span)
                return ir.Assign(place.place, address, span=s.span)
            case ir.Call(function=name, args=args):
                return replace(s, args=(*args, *more(name, s.span)))
            case ir.Launch(kernel=name, args=args):
                return replace(s, args=(*args, *more(name, s.span)))
        return s

    def called(e: ir.Expr) -> ir.Expr:
        return replace(e, args=(*e.args, *more(e.function, e.span))) if isinstance(e, ir.CallExpr) else e

    body = map_exprs(called, map_body(asked, body))
    for symbol, pointer in addresses.items():
        body = behind(symbol, pointer, body)
    return body
