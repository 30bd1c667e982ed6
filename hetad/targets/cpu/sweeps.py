"""Kernels of which one run does the work of all threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.layout import INDENT
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir.build import binary
from hetad.ir.types import LONG, SIZE_T, UINT, Int, Pointer
from hetad.targets.cpu.block_ir import FIRST, LAST


def swept(kernel: ir.Function, parallel: bool) -> ir.Function:
    """The kernel with its sweep for a body; `parallel`: the part of some blocks."""
    assert kernel.sweep is not None
    body = _divided(kernel.sweep.body) if parallel else kernel.sweep.alone or kernel.sweep.body
    return replace(kernel, body=body)


def _divided(body: ir.Body) -> ir.Body:
    """With a part of the first loop, in whichever branch it is."""
    at = next(i for i, s in enumerate(body) if isinstance(s, ir.For | ir.If))
    s = body[at]
    if isinstance(s, ir.If):
        return (*body[:at], replace(s, then=_divided(s.then), orelse=_divided(s.orelse)), *body[at + 1 :])
    assert isinstance(s, ir.For)
    return (*body[:at], *_part(s), *body[at + 1 :])


def _part(loop: ir.For) -> ir.Body:
    """The iterations that fall to the blocks from `hetad_first` to `hetad_last`."""
    (start,), cond, span = loop.init, loop.cond, loop.span
    assert isinstance(start, ir.Declare) and start.init is not None and isinstance(cond, ir.Binary)
    begin, end_, type_ = start.init, cond.right, start.symbol.type
    assert isinstance(type_, Int)
    grid = [ir.Cast(ir.ThreadIndex("gridDim", a, UINT, span=span), SIZE_T, span=span) for a in ("x", "y", "z")]
    blocks: ir.Expr = grid[0]
    for g in grid[1:]:
        blocks = binary("*", blocks, g)

    def limit(block: ir.Symbol) -> ir.Expr:
        part = ir.Intrinsic("hetad_part", (begin, end_, ir.Var(block, span=span), blocks), LONG, span=span)
        return ir.Cast(part, type_, True, span=span)

    first, end = (ir.Symbol(f"part_{which}", type_, span, const=True) for which in ("first", "end"))
    mine = replace(
        loop,
        init=(replace(start, init=ir.Var(first, span=span)),),
        cond=binary("<", cond.left, ir.Var(end, span=span)),
    )
    return ir.Declare(first, limit(FIRST), span=span), ir.Declare(end, limit(LAST), span=span), mine


class SweepKernel:
    """The text of such a kernel; `otherwise` is what runs it where there are too many threads."""

    def __init__(self, parts: Assembly, kernel: ir.Function) -> None:
        self.parts = parts
        self.kernel = kernel

    def texts(self, otherwise: str | None = None) -> Iterator[str]:
        kernel, name = self.kernel, self.parts.names.functions[self.kernel.name]
        local = self.parts.names.of(kernel)
        bounds = (FIRST, LAST) if self.parts.dialect.parallel else ()
        require_declared(kernel.name, kernel.body, (*kernel.params, *bounds))
        part = [x.name for x in bounds]
        params = ["const dim3 gridDim", "const dim3 blockDim", *(f"const size_t {p}" for p in part)]
        params += [declaration(p.type, local[p]) for p in kernel.params]
        values = [f"*({declaration(Pointer(p.type))})hetad_args[{i}]" for i, p in enumerate(kernel.params)]
        printer = Statements(self.parts.expressions(kernel), kernel)
        head = f"static void hetad_sweep_{name}({', '.join(params)})"
        unused = f"{INDENT}(void){', (void)'.join(['gridDim', 'blockDim', *part])};"
        yield "\n".join([head, "{", unused, *printer.lines(kernel.body), "}"])
        taken = ["const dim3 gridDim", "const dim3 blockDim", "char *hetad_dynamic", "size_t hetad_dynamic_bytes"]
        taken += ["void **hetad_args", *(f"size_t {p}" for p in part)]
        call = f"hetad_sweep_{name}({', '.join(['gridDim', 'blockDim', *part, *values])});"
        lines = ["(void)hetad_dynamic, (void)hetad_dynamic_bytes;", call]
        if otherwise is not None:
            too_many = "(size_t)gridDim.x * blockDim.x > INT_MAX"
            lines = [f"if ({too_many}) {{", INDENT + otherwise, INDENT + "return;", "}", *lines]
        yield "\n".join([f"static void {name}({', '.join(taken)})", "{", *(INDENT + line for line in lines), "}"])
