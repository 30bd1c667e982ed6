"""Kernels for the oracle: each thread of a block runs the kernel's own text on a stack of its own (fibers.c)."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.expressions import Expressions
from hetad.emit.layout import INDENT
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.build import integer
from hetad.ir.names import fresh
from hetad.ir.places import is_dynamic
from hetad.ir.types import INT, Int, Pointer, Type, size_of
from hetad.ir.visit import declared, walk_stmts
from hetad.rules import callees, operations

_STACK = 128 * 1024  # bytes for what is called, beside the kernel's own variables


class FiberKernel:
    """The text of one kernel."""

    def __init__(self, parts: Assembly, kernel: ir.Function, printer: FiberStatements, watched: bool = False) -> None:
        """`watched`: by the race detector."""
        self.parts = parts
        self.kernel = kernel
        self.printer = printer
        self.watched = watched

    def names(self) -> set[str]:
        return {"hetad_run_fibers"}

    def texts(self) -> Iterator[str]:
        kernel, name = self.kernel, self.parts.names.functions[self.kernel.name]
        local = self.parts.names.of(kernel)
        indices = [f"const dim3 {i}" for i in ("gridDim", "blockDim", "blockIdx", "threadIdx")]
        params = [*indices, *(declaration(p.type, local[p], restrict=False) for p in kernel.params)]
        require_declared(kernel.name, kernel.body, kernel.params)
        yield from shared_struct(self.parts, kernel)
        head = f"static inline void hetad_thread_{name}({', '.join(params)})"
        yield "\n".join([head, "{", *self.printer.lines(kernel.body), "}"])
        args = ["gridDim", "blockDim", "blockIdx", "threadIdx"]
        args += [f"*({declaration(Pointer(p.type))})hetad_args[{i}]" for i, p in enumerate(kernel.params)]
        taken = f"{', '.join(indices)}, char *hetad_dynamic, void **hetad_args"
        yield f"static void hetad_body_{name}({taken})\n{{\n    hetad_thread_{name}({', '.join(args)});\n}}"
        yield self._launcher(name)

    def _launcher(self, name: str) -> str:
        functions = self.parts.program.functions.values()
        own = [self.parts.names.functions[f.name] for f in functions if f.name == self.kernel.name and has_shared(f)]
        own += [self.parts.names.functions[f.name] for f in functions if f.kind != "kernel" and has_shared(f)]
        stack = _STACK + sum(size_of(s.type) for f in functions for s in declared(f.body) if s.storage == "local")
        reverse = int(self.kernel.reverse_threads)
        poison = [f"memset(&hetad_shared_{each}, 0xff, sizeof hetad_shared_{each});" for each in own]
        if self.watched:
            poison += [f"hetad_race_private(&hetad_shared_{each}, sizeof hetad_shared_{each});" for each in own]
        lines = [
            f"static void hetad_poison_{name}(void)",
            "{",
            *(INDENT + line for line in poison),
            "}",
            "",
            f"static void {name}(",
            "    const dim3 gridDim, const dim3 blockDim, char *hetad_dynamic, size_t hetad_dynamic_bytes,",
            "    void **hetad_args)",
            "{",
            f'    hetad_run_fibers(hetad_body_{name}, "{self.kernel.name}", gridDim, blockDim, hetad_dynamic,',
            f"        hetad_dynamic_bytes, hetad_poison_{name}, {stack}, {reverse}, hetad_args);",
            "}",
        ]
        return "\n".join(lines)


def has_shared(function: ir.Function) -> bool:
    return any(s.storage == "shared" and not is_dynamic(s) for s in declared(function.body))


def shared_struct(parts: Assembly, function: ir.Function) -> Iterator[str]:
    """The static shared memory of a function, which every block finds in the same place."""
    names = _shared_names(parts, function)
    if names:
        aligned = "__attribute__((aligned(16)))"
        fields = "\n".join(f"    {declaration(s.type, name)} {aligned};" for s, name in names.items())
        yield f"static struct {{\n{fields}\n}} hetad_shared_{parts.names.functions[function.name]};"


def _shared_names(parts: Assembly, function: ir.Function) -> dict[ir.Symbol, str]:
    local = parts.names.of(function)
    found: dict[ir.Symbol, str] = {}
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Declare) and s.symbol.storage == "shared" and not is_dynamic(s.symbol):
            found[s.symbol] = fresh(local[s.symbol], found.values())
    return found


class FiberStatements(Statements):
    """Where threads wait for each other they switch to another stack."""

    def __init__(self, parts: Assembly, function: ir.Function, expressions: Expressions | None = None) -> None:
        super().__init__(expressions or parts.expressions(function), function)
        struct = f"hetad_shared_{parts.names.functions[function.name]}"
        for symbol, name in _shared_names(parts, function).items():
            self.expressions.local.table[symbol] = f"{struct}.{name}"

    def statement(self, statement: object) -> Iterator[str]:
        match statement:
            case ir.Declare(symbol=symbol, init=init) if symbol.storage == "shared":
                if is_dynamic(symbol):
                    pointer = Pointer(symbol.type.of)  # type: ignore[union-attr]
                    name = self.expressions.local[symbol]
                    yield f"{declaration(pointer, name)} = ({declaration(pointer)})hetad_block.dynamic;"
                if init is not None:
                    yield self.assign(ir.Var(symbol, span=statement.span), init) + ";"
            case _:
                yield from super().statement(statement)  # type: ignore[arg-type]

    def simple(self, statement: object) -> str:
        if isinstance(statement, ir.Call) and callees.meets(statement) and statement.result is None:
            return self._wait(statement)
        if isinstance(statement, ir.Call) and operations.does(statement, operations.block_add, operations.block_sum):
            all_come = f"hetad_fiber_wait(HETAD_WHOLE, {_place(statement)}, 0xffffffff, NULL, 0, 0, 32)"
            return f"{all_come}, {super().simple(statement)}"
        return super().simple(statement)  # type: ignore[arg-type]

    def result_of(self, call: ir.Call, target: Type) -> str:
        if not callees.meets(call):
            return super().result_of(call, target)
        value = self._value(call)
        type_ = value.type if value is not None and not callees.calls(call, "vote") else INT
        return f"*({declaration(Pointer(type_))}){self._wait(call)}"

    def _value(self, call: ir.Call) -> ir.Expr | None:
        """What a thread hands to the others."""
        callee = callees.find(call.function)
        at = next((i for i, role in enumerate(callee.roles) if role in ("value", "predicate")), None)
        return call.args[at] if at is not None else None

    def _wait(self, call: ir.Call) -> str:
        span, value = call.span, self._value(call)
        kind = _kind(call, value)
        of_block = callees.find(call.function).scope == "block"
        full = ir.Const(0xFFFFFFFF, INT, "0xffffffff", span=span)
        mask = call.args[0] if call.args and not of_block else full
        lane = call.args[2] if len(call.args) > 2 else integer(0, span)
        width = call.args[3] if len(call.args) > 3 else integer(32, span)
        given = "NULL, 0"
        if value is not None:
            type_: Type = INT if callees.calls(call, "vote") else value.type
            text = self.expressions.converted(value, type_)
            given = f"&({declaration(type_)}){{{text}}}, sizeof({declaration(type_)})"
        rest = ", ".join([given, *(self.expressions.converted(e, e.type) for e in (lane, width))])
        return f"hetad_fiber_wait({kind}, {_place(call)}, {self.expressions.converted(mask, mask.type)}, {rest})"


def _place(call: ir.Call) -> str:
    """What messages call this operation."""
    return texts.quoted(f"{call.span}: {call.function}")


def _kind(call: ir.Call, value: ir.Expr | None) -> str:
    callee = callees.find(call.function)
    unsigned = value is not None and isinstance(value.type, Int) and not value.type.signed
    return f"HETAD_{callee.emit['fibers']}" + "_UNSIGNED" * (unsigned and callee.kind == "reduction")
