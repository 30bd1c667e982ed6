"""What a copy's adjoint adds, number by number, and kernels that do, in derivatives that say it in CUDA."""

from __future__ import annotations

from collections.abc import Mapping

from hetad.diagnostics import Span
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, convert, integer
from hetad.ir.types import SIZE_T, UINT, VOID, Array, Float, Pointer, Struct, Type, holds_floating, of_value, size_of
from hetad.rules import operations

_NOWHERE = Span("hetad", 1, 1, 1)
_ADD = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        add_numbers;
    }
""")
_ADD_ROWS = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i / row * pitch + i % row] += term[i / row * term_pitch + i % row];
    }
""")
_EACH = Quote("""
    for (int at = 0; at < length; ++at) {
        add_numbers;
    }
""")
_THREADS = 256


def add_numbers(names: Names, to: ir.Place, from_: ir.Place) -> ir.Body:
    """`to += from_` of each floating number in them: adjoints of all else are zero."""
    span, type_ = to.span, of_value(to.type)
    if isinstance(type_, Float):
        return (ir.Update("+", to, from_, span=span),)
    if isinstance(type_, Struct):
        pairs = ([ir.Member(x, f.name, f.type, span=span) for x in (to, from_)] for f in type_.fields)
        return tuple(s for one, other in pairs for s in add_numbers(names, one, other))
    if not isinstance(type_, Array) or type_.length is None or not holds_floating(type_):
        return ()
    of, text = type_.of, Scope(names, span, length=type_.length)
    return text(_EACH, add_numbers=lambda: add_numbers(names, *(_at(x, text["at"], of) for x in (to, from_))))


def _at(base: ir.Expr, index: ir.Expr, of: Type) -> ir.Place:
    return ir.Index(base, index, of, span=base.span)


def _kernel(element: Type) -> ir.Function:
    """Adds n elements to n others."""
    params = _params(element, ("n",))
    names = Names(params)
    text = Scope(names, _NOWHERE, n=params["n"])

    def added() -> ir.Body:
        ends = (ir.Var(params[name], span=_NOWHERE) for name in ("sum", "term"))
        return add_numbers(names, *(_at(x, text["i"], element) for x in ends))

    return _function(f"{operations.ADDITION}_{element}", params, text(_ADD, add_numbers=added))


def _kernel_of_rows(real: Type) -> ir.Function:
    params = _params(real, ("n", "row", "pitch", "term_pitch"))
    return _function(f"{operations.ADDITION}_rows_{real}", params, _ADD_ROWS(Names(params), _NOWHERE, **params))


def _params(element: Type, sizes: tuple[str, ...]) -> Mapping[str, ir.Symbol]:
    ends: dict[str, Type] = {"sum": Pointer(element), "term": Pointer(element, const=True)}
    given = ends | dict.fromkeys(sizes, SIZE_T)
    return {p: ir.Symbol(p, type_, _NOWHERE, "param") for p, type_ in given.items()}


def _function(name: str, params: Mapping[str, ir.Symbol], body: ir.Body) -> ir.Function:
    return ir.Function(name, "kernel", tuple(params.values()), VOID, body, _NOWHERE)


def launched(
    roles: Mapping[str, ir.Expr], term: ir.Symbol | None, element: Type, span: Span
) -> tuple[ir.Function, ir.Stmt]:
    """A kernel that adds what a copy's adjoint takes, at `term` or else where it lies, to the adjoint of the source;
    and its launch."""
    from_ = ir.Var(term, span=span) if term is not None else roles["adj_dst"]
    ends = roles["adj_src"], from_
    if "height" not in roles:
        return _launch(_kernel(element), ends, _elements(roles["bytes"], element), ())
    width, pitch, own = (_elements(roles[role], element) for role in ("width", "from_pitch", "to_pitch"))
    n = binary("*", width, convert(roles["height"], SIZE_T))
    return _launch(_kernel_of_rows(element), ends, n, (width, pitch, own if term is None else width))


def _elements(size: ir.Expr, element: Type) -> ir.Expr:
    return binary("/", convert(size, SIZE_T), integer(size_of(element), size.span, SIZE_T))


def _launch(
    kernel: ir.Function, ends: tuple[ir.Expr, ...], n: ir.Expr, more: tuple[ir.Expr, ...]
) -> tuple[ir.Function, ir.Stmt]:
    span = n.span
    padded = binary("+", n, integer(_THREADS - 1, span, SIZE_T))
    blocks = convert(binary("/", padded, integer(_THREADS, span, SIZE_T)), UINT)
    block = integer(_THREADS, span, UINT)
    return kernel, ir.Launch(kernel.name, blocks, block, None, None, (*ends, n, *more), span=span)
