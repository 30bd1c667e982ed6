"""What every emitted file is put together from: functions, structs, file-scope variables, and who needs whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hetad.emit import halves, support
from hetad.emit.calls import c_name, mathematics, text_of
from hetad.emit.declarators import declaration
from hetad.emit.dialect import Dialect
from hetad.emit.expressions import Expressions
from hetad.emit.layout import INDENT, WIDTH, filled, wrapped
from hetad.emit.names import Locals, Spellings, spelled
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.names import called
from hetad.ir.types import DIM3, VOID, Float, Struct, Type, scalar_base
from hetad.ir.visit import declared, variables, walk_exprs, walk_stmts

_QUALIFIERS = {"kernel": "__global__", "device": "__device__", "host device": "__host__ __device__", "host": ""}
_SYMBOL_ADDRESS = frozenset({"cudaGetSymbolAddress", "hetad_symbol_address"})
_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]")  # CUDA's own structs


class Assembly:
    """A program, its support code and its names in one dialect."""

    def __init__(self, program: ir.Program, dialect: Dialect) -> None:
        self.dialect = dialect
        self.program = program
        self.names = Spellings(self.program)
        self.kernels = tuple(f.name for f in self.program.functions.values() if f.kind == "kernel")
        self.numbers = {name: (self.names.functions[name], i) for i, name in enumerate(self.kernels)}

    # --- parts of the program ---

    def functions(self, *kinds: str) -> list[ir.Function]:
        """The functions of these kinds, callees before callers, else in the order of the source."""
        chosen = {f.name: f for f in self.program.functions.values() if f.kind in kinds}
        ordered: dict[str, ir.Function] = {}
        entered: set[str] = set()

        def visit(name: str) -> None:
            if name in chosen and name not in entered:
                entered.add(name)
                for callee in called(chosen[name].body):
                    visit(callee)
                ordered[name] = chosen[name]

        for name in chosen:
            visit(name)
        return list(ordered.values())

    def called_by(self, functions: Iterable[ir.Function]) -> dict[str, None]:
        """The names of what functions call that is not the program's own."""
        names: dict[str, None] = {}
        for function in functions:
            names.update((n, None) for n in called(function.body) if n not in self.program.functions)
            names.update((n, None) for n in halves.conversions(function.body))
        return names

    def support_for(self, functions: Iterable[ir.Function], more: Iterable[str] = ()) -> tuple[support.Snippet, ...]:
        names = self.called_by(functions)
        within = [part for name in names for part in support.names(text_of(name, self.dialect) or "")]
        own = names if self.dialect.cuda else map(c_name, names)
        return support.needed([*own, *within, *more], self.dialect)

    def mathematics(self, functions: Iterable[ir.Function]) -> list[str]:
        return mathematics(self.called_by(functions), self.dialect)

    def expressions(self, function: ir.Function) -> Expressions:
        return Expressions(self.names, self.names.of(function), self.dialect)

    # --- text ---

    def structs(self, functions: Iterable[ir.Function] | None = None) -> list[str]:
        """The definitions of the structs, or of those that some functions mention, and the variables that these do."""
        known = self.program.globals
        if functions is not None:
            functions = list(functions)
            mentioned = {s for f in functions for s in variables(f.body)}.union(self.symbols())
            known = tuple(v for v in known if v.symbol in mentioned)
        of = self.program.functions.values() if functions is None else functions
        wanted = _structs(of, self.program, [v.symbol.type for v in known])
        own = {s.name: s for s in halves.STRUCTS.values() if s.name in wanted}
        own |= {s.name: s for s in self.program.structs if isinstance(s, Struct) and s.name in wanted}
        if self.dialect.cuda:
            return [self._struct(s) for s in own.values() if not _VECTOR.fullmatch(s.name)]
        vectors = {name: s for name, s in sorted(wanted.items()) if _VECTOR.fullmatch(name)}
        return [self._struct(s) for s in (vectors | own).values()]

    def _struct(self, struct: Struct) -> str:
        name = self.names.structs.get(struct.name, declaration(struct))
        fields = "\n".join(f"    {declaration(f.type, spelled(f.name))};" for f in struct.fields)
        if self.dialect.cuda:
            align = f"__align__({struct.align}) " if struct.align > 1 else ""
            return f"struct {align}{name} {{\n{fields}\n}};"
        align = f" __attribute__((aligned({struct.align})))" if struct.align > 1 else ""
        return f"typedef struct {name} {name};\nstruct {name} {{\n{fields}\n}}{align};"

    def symbols(self) -> tuple[ir.Symbol, ...]:
        """The device variables whose addresses host code asks for."""
        asked = {
            symbol
            for f in self.program.functions.values()
            for s in walk_stmts(f.body)
            if isinstance(s, ir.Call) and s.function in _SYMBOL_ADDRESS
            for symbol in variables(s.args[1])
        }
        return tuple(g.symbol for g in self.program.globals if g.symbol in asked)

    def variables(self, functions: Sequence[ir.Function], more: Iterable[ir.Symbol] = ()) -> list[str]:
        """The file-scope variables that functions mention, and `more`."""
        mentioned = {s for f in functions for s in variables(f.body)} | set(more)
        written = set(self.symbols())
        nobody = ir.Function("", "host", (), VOID, (), functions[0].span) if functions else None
        lines = []
        for variable in self.program.globals:
            if variable.symbol in mentioned and nobody is not None:
                printer = Statements(self.expressions(nobody), nobody)
                if variable.symbol in written:  # not `const`, which would let its readers keep the first value
                    printer.expressions.local.written.add(variable.symbol)
                lines.append(f"{self._space(variable)}{printer.declare(variable.symbol, variable.init)};")
        return lines

    def _space(self, variable: ir.Global) -> str:
        static = "static " if self.dialect.headers else ""
        if not self.dialect.cuda or not (variable.device or variable.symbol.storage == "constant"):
            return static
        return static + ("__constant__ " if variable.symbol.storage == "constant" else "__device__ ")

    def signature(self, function: ir.Function, linkage: str, hidden: Sequence[str] = ()) -> str:
        """The head of a function; long ones have their parameters on lines of their own."""
        local: Locals = self.names.of(function)
        params = list(hidden)
        for p in function.params:
            const = p.const and p not in local.written
            params.append(declaration(p.type, local[p], const, restrict=self.dialect.cuda))
        words = [linkage, *self._specifiers(function)]
        name = self.names.functions[function.name]
        prefix = " ".join(w for w in words if w)
        if function.launch_bounds is not None and self.dialect.cuda:
            head = f"{prefix} void __launch_bounds__({function.launch_bounds}) {name}"
        else:
            head = f"{prefix} {declaration(function.returns, name)}".strip()
        text = f"{head}({', '.join(params) or ('' if self.dialect.cuda else 'void')})"
        return text if len(text) <= WIDTH else f"{head}(\n{filled(params, INDENT)})"

    def _specifiers(self, function: ir.Function) -> list[str]:
        inline = (function.inline or "").split()
        if not self.dialect.cuda:
            return ["inline"] if inline or "device" in function.kind else []
        return [_QUALIFIERS[function.kind], *(w for w in inline if w not in ("static", "extern"))]

    def function(self, function: ir.Function, linkage: str, printer: Statements | None = None) -> str:
        """A function with its comment."""
        require_declared(function.name, function.body, function.params)
        printer = printer or Statements(self.expressions(function), function)
        head = [*texts.comment(function.comment)] if function.comment else []
        body = [part for line in self.lines(function, printer) for part in wrapped(line)]
        return "\n".join([*head, self.signature(function, linkage), "{", *body, "}"])

    def lines(self, function: ir.Function, printer: Statements) -> Iterable[str]:
        """The lines between its braces."""
        return printer.lines(function.body)

    def prototypes(self, functions: Sequence[ir.Function], linkage: str) -> list[str]:
        """Declarations of the functions that are called before they are defined."""
        defined: set[str] = set()
        early: dict[str, None] = {}
        for function in functions:
            defined.add(function.name)
            early.update((name, None) for name in called(function.body) if name not in defined)
        here = {f.name: f for f in functions}
        return [self.signature(here[name], linkage) + ";" for name in early if name in here]


def _structs(functions: Iterable[ir.Function], program: ir.Program, types: list[Type]) -> dict[str, Struct]:
    """The structs that functions mention, those of other types, and those inside them."""
    full = {s.name: s for s in program.structs if isinstance(s, Struct)}
    for f in functions:
        types += [p.type for p in f.params] + [s.type for s in declared(f.body)] + [e.type for e in walk_exprs(f.body)]
        types += [f.returns]
    found: dict[str, Struct] = {}
    while types:
        base = scalar_base(types.pop())
        if isinstance(base, Float) and base in halves.STRUCTS:
            base = halves.STRUCTS[base]
        if isinstance(base, Struct) and base != DIM3 and base.name not in found:
            found[base.name] = full.get(base.name, base)
            types += [field.type for field in found[base.name].fields]
    return found
