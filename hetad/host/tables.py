"""Tables: device memory that holds pointers, such as `double **rows` or an array of structs of pointers.

The derivative keeps a table in host memory, where pointers and their shadows are followed like any others, and gives
each launch a copy of it on the device: a kernel reads `g->u[i]` through the copy, and its pullback `adj_g->u[i]`
through the copy of the table's shadow.  So an allocation becomes one of host memory, and a copy of bytes to or from a
table becomes assignments, element by element.  What launches change in a table, numbers beside the pointers, is read
back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from hetad.adjoint.shadows import writable
from hetad.adjoint.structs import split_structs
from hetad.analysis.effects import Effects, kernel_effects
from hetad.analysis.memory_calls import operands
from hetad.analysis.pointer_expressions import holds_pointer, pointer_parts, pointers_within
from hetad.analysis.pointers import PointsTo, Root, points_to
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import UnsupportedError
from hetad.frontend.quote import Quote
from hetad.host.derivation import Derivation, on_derivative
from hetad.host.own_structs import zeroed
from hetad.host.saves.tape import column
from hetad.host.symbols import SYMBOL_ADDRESS
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import Names, integer, succeeded
from hetad.ir.types import CHAR, SIZE_T, UCHAR, Array, Pointer, Struct, Type, Void, size_of
from hetad.ir.visit import declared, map_body, own_nodes, own_variables, variables, walk_expr, walk_stmts
from hetad.memops.table import HOST_TABLE, TABLE
from hetad.passes.manager import program_pass
from hetad.passes.task import with_function
from hetad.rules import operations


@program_pass("tables-on-host")
def tables_on_host(derivation: Derivation) -> Derivation:
    """Device memory that holds pointers is host memory; see above."""
    known = {g.symbol for g in derivation.globals if g.init is not None}
    return with_function(derivation, with_tables(derivation.function, derivation.kernels, known))


def with_tables(
    function: ir.Function, kernels: Mapping[str, ir.Function], set_before: AbstractSet[ir.Symbol]
) -> ir.Function:
    """The host function, all calls inlined, with its tables in host memory.  `set_before`: the device variables that
    have a value before the function runs.  Tables whose pointers a kernel sets stay where they are.

    Raises UnsupportedError where a table is used in a way that host memory does not allow.
    """
    pointers = points_to(function)
    tables = _tables(function, pointers, set_before) - _set_by_kernels(function, pointers, kernels)
    if not tables:
        return function
    Spaces(
        function, pointers, {n: kernel_effects(k) for n, k in kernels.items()}
    )  # refuses host code that follows them
    pass_ = _OnHost(
        Names({s.name for s in (*function.params, *declared(function.body))} | set(kernels)), pointers, tables
    )
    return split_structs(replace(function, body=map_body(pass_.statement, function.body)))


def _tables(function: ir.Function, pointers: PointsTo, set_before: AbstractSet[ir.Symbol]) -> set[Root]:
    """The allocations of device memory that are seen as pointers, or structs of them, and as nothing else."""
    device: set[Root] = set()
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Call) and s in pointers.heap_roots and TABLE[s.function].space == "device":
            known = s.function != SYMBOL_ADDRESS or set_before.isdisjoint(variables(s.args[1]))
            device |= {pointers.heap_roots[s]} if known else set()
    seen: dict[Root, bool] = {}
    for s in walk_stmts(function.body):
        for e in own_nodes(s):
            part = isinstance(e, ir.AddressOf) and isinstance(e.place, ir.Member)
            if isinstance(e.type, Pointer) and not _untyped(e.type.to) and not part:
                for root in device.intersection(pointers.targets(e)):
                    seen[root] = seen.get(root, True) and holds_pointer(e.type.to)
    return {root for root, only in seen.items() if only}


def _set_by_kernels(function: ir.Function, pointers: PointsTo, kernels: Mapping[str, ir.Function]) -> set[Root]:
    """The memory in which some launch stores pointers."""
    found: set[Root] = set()
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Launch):
            kernel = kernels[s.kernel]
            inner = points_to(kernel)
            stored = {
                x
                for inside in walk_stmts(kernel.body)
                if isinstance(inside, ir.Assign | ir.Update) and holds_pointer(inside.target.type)
                for x in inner.storage(inside.target)
            }
            for param, arg in zip(kernel.params, s.args, strict=True):
                if param in inner.parameter_roots and inner.parameter_roots[param] in stored:
                    found.update(t for t in pointers.targets(arg) if isinstance(t, Root))
    return found


_EACH = Quote("""
    size_t elements = count(bytes, each);
    for (size_t k = 0; k < elements; ++k) {
        body;
    }
""")


class _OnHost:
    def __init__(self, names: Names, pointers: PointsTo, tables: set[Root]) -> None:
        self.names = names
        self.pointers = pointers
        self.tables = tables

    def statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body:
        match s:
            case ir.Call(function=name) if name in TABLE:
                return self._operation(s)
        return s

    def _operation(self, s: ir.Call) -> ir.Stmt | ir.Body:
        row = TABLE[s.function]
        if s in self.pointers.heap_roots:
            return self._allocation(s) if self.pointers.heap_roots[s] in self.tables else s
        given = operands(s)
        ends = [given[role] for role in ("pointer", "dst", "src") if role in given]
        reached = [set(self.pointers.targets(bare(e))) for e in ends]
        if not any(self.tables & r for r in reached):
            return s
        if "height" in given:
            raise UnsupportedError("rows of device memory that holds pointers are copied", s.span, "use cudaMemcpy")
        match row.action:
            case "free":
                if not reached[0] <= self.tables:
                    raise UnsupportedError(
                        "this pointer may reach memory that holds pointers, or other memory",
                        s.span,
                        "use two pointers",
                    )
                return (replace(s, function="cudaFreeHost", result=None), *succeeded(s))
            case "fill":
                return self._fill(s, given["dst"], given["value"], given["bytes"])
            case "copy":
                return self._copy(s, given["dst"], given["src"], given["bytes"])
        return s

    def _allocation(self, s: ir.Call) -> ir.Stmt:
        if s.function != SYMBOL_ADDRESS:
            return replace(s, function=HOST_TABLE, args=s.args[:2])
        size = integer(size_of(next(variables(s.args[1])).type), s.span, SIZE_T)
        return replace(s, function=HOST_TABLE, args=(s.args[0], size))

    def _copy(self, s: ir.Call, dst: ir.Expr, src: ir.Expr, size: ir.Expr) -> ir.Body:
        """`for (size_t k = 0; k < elements; ++k) dst[k] = src[k];`"""
        to, from_ = bare(dst), bare(src)
        held = _element(to)
        one = literal(size) == size_of(held)
        if held != _element(from_) or not (holds_pointer(held) or one):
            raise UnsupportedError(
                "device memory that holds pointers is copied from or to memory of another type",
                s.span,
                "copy whole elements of the type that the kernel reads",
            )
        return self._each(s, held, size, lambda k: (ir.Assign(_cell(to, k, held), _cell(from_, k, held), span=s.span),))

    def _fill(self, s: ir.Call, dst: ir.Expr, value: ir.Expr, size: ir.Expr) -> ir.Body:
        """All zeros: null pointers, and numbers that are zero."""
        to = bare(dst)
        held = _element(to)
        if literal(value) != 0 or not holds_pointer(held):
            raise UnsupportedError("device memory that holds pointers is filled with bytes", s.span, "fill it with 0")
        return self._each(s, held, size, lambda k: tuple(zeroed(_cell(to, k, held))))

    def _each(self, s: ir.Call, held: Type, size: ir.Expr, body: Callable[[ir.Expr], ir.Body]) -> ir.Body:
        """The statements for each of the elements in so many bytes."""
        if literal(size) == size_of(held):
            return (*body(integer(0, s.span)), *succeeded(s))
        k = self.names.symbol("k", SIZE_T, s.span)
        each, inner = size_of(held), body(ir.Var(k, span=s.span))
        loop = _EACH(self.names, s.span, count=operations.elements, bytes=size, each=each, k=k, body=inner)
        return (*loop, *succeeded(s))


def _cell(pointer: ir.Expr, k: ir.Expr, held: Type) -> ir.Place:
    if isinstance(pointer, ir.AddressOf) and isinstance(k, ir.Const):
        return pointer.place
    return ir.Index(pointer, k, held, span=pointer.span)


@on_derivative("copy-tables")
def copy_tables(derivation: Derivation) -> ir.Body:
    """Launches are given copies of tables on the device."""
    return with_copies(derivation.body, derivation.kernels)


def with_copies(body: ir.Body, kernels: Mapping[str, ir.Function]) -> ir.Body:
    """The launches of a derivative, given a table's copy on the device in its place, read back if the kernel writes it.

    Raises UnsupportedError for tables of tables of tables.
    """
    used = {x.name for s in walk_stmts(body) for x in own_variables(s)}
    names = Names(used | {x.name for x in declared(body)} | set(kernels))

    def launch(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Launch):
            return s
        before: list[ir.Stmt] = []
        back: list[ir.Stmt] = []
        args: list[ir.Expr] = []
        kernel = kernels[s.kernel]
        for param, arg in zip(kernel.params, s.args, strict=True):
            given = [p for p in pointers_within(arg) if _leads_on(p)]
            before += [n for p in given for n in _nested(arg, p)]
            if isinstance(arg.type, Pointer) and holds_pointer(arg.type.to):
                args.append(_copied(arg))
                back += [operations.read_back(arg, span=s.span)] if _writes(kernel, param) else []
            elif isinstance(arg.type, Struct) and given:
                args.append(_with_copied_parts(names, arg, before))
            else:
                args.append(arg)
        before = [replace(b, span=s.span) for b in before]
        return (*before, replace(s, args=tuple(args)), *back) if before or args != list(s.args) else s

    return map_body(launch, body)


def _leads_on(pointer: ir.Expr) -> bool:
    return isinstance(pointer.type, Pointer) and holds_pointer(pointer.type.to)


def _nested(arg: ir.Expr, pointer: ir.Expr) -> list[ir.Stmt]:
    """Tells the support of a column of pointers to tables in a table."""
    depth = sum(isinstance(e, ir.Index) and isinstance(e.base.type, Pointer) for e in walk_expr(pointer))
    depth -= sum(isinstance(e, ir.Index) and isinstance(e.base.type, Pointer) for e in walk_expr(arg))
    if depth == 0:
        return []
    if depth > 1 or isinstance(arg.type, Struct):
        raise UnsupportedError(
            "device memory that holds pointers, behind pointers in device memory that are in such memory themselves",
            arg.span,
            "pass the inner pointers to the kernel as parameters of their own",
        )
    return [operations.nested(*column(pointer), span=arg.span)]


def _with_copied_parts(names: Names, arg: ir.Expr, before: list[ir.Stmt]) -> ir.Expr:
    """A struct by value whose pointers to tables lead to their copies."""
    given = names.symbol("given", arg.type, arg.span)
    before.append(ir.Declare(given, arg, span=arg.span))
    place = ir.Var(given, span=arg.span)
    for part in pointer_parts(place):
        if _leads_on(part):
            assert isinstance(part, ir.Index | ir.Member)
            before.append(ir.Assign(part, _copied(part), span=arg.span))
    return place


def _copied(arg: ir.Expr) -> ir.Expr:
    copy = operations.table_on_device(arg, span=arg.span)
    return ir.Cast(copy, arg.type, span=arg.span)


def _writes(kernel: ir.Function, param: ir.Symbol) -> bool:
    """Whether the kernel itself stores something behind a parameter."""
    pointers = points_to(kernel)
    return pointers.parameter_roots[param] in Effects(pointers, {}).written(kernel.body)


def _element(pointer: ir.Expr) -> Type:
    held = pointer.type.to if isinstance(pointer.type, Pointer) else pointer.type
    return writable(held.of if isinstance(held, Array) else held)


def _untyped(type_: Type) -> bool:
    return isinstance(type_, Void) or type_ in (CHAR, UCHAR)
