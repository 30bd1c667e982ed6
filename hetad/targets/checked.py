"""Programs in which every access through a pointer, and every index of an array, is checked: in C, host code and
kernels (support/extents.c), and in CUDA the kernels that a GPU runs (support/device_extents.cu).

`x[i]` becomes `*(float *)hetad_within(&x[i], sizeof(float), hetad_of_x, number)`, where `hetad_of_x` is the extent of
the piece of memory that `x` leads into: found once where the function begins for parameters that stay as they are, and
for pointers that are computed of one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import operands
from hetad.analysis.webs import place_of, targets
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.dialect import Dialect
from hetad.emit.expressions import COMMA, POSTFIX, UNARY, Expressions, member_name
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import bare
from hetad.ir.build import is_zero
from hetad.ir.facts import lasting
from hetad.ir.places import exposed, is_dynamic, written
from hetad.ir.types import Array, Pointer, Void, element, is_volatile
from hetad.ir.visit import own_nodes, variables, walk_expr, walk_stmts
from hetad.rules import callees, operations
from hetad.targets.accesses import CHANGES, NumberedAccesses, pointed

OF_BLOCK = "hetad_here.block = (dim3){hetad_bx, hetad_by, hetad_bz};"
OF_THREAD = "hetad_here.thread = (dim3){hetad_tx, hetad_ty, hetad_tz};"
_HELD = "hetad_p"  # the pointer by which memory is reached, computed once


class CheckedAssembly(Assembly):
    """Prints expressions whose accesses are checked."""

    def __init__(self, program: ir.Program, dialect: Dialect, accesses: NumberedAccesses) -> None:
        super().__init__(program, dialect)
        self.accesses = accesses

    def expressions(self, function: ir.Function) -> Expressions:
        return CheckedExpressions(self, function)

    def lines(self, function: ir.Function, printer: Statements) -> Iterable[str]:
        return with_extents(list(super().lines(function, printer)), self, function)


class CheckedExpressions(Expressions):
    def __init__(self, parts: CheckedAssembly, function: ir.Function) -> None:
        super().__init__(parts.names, parts.names.of(function), parts.dialect)
        self.accesses = parts.accesses
        self._roots = roots(function)
        self._of = "hetad_extent_of" if function.kind in ("kernel", "device") else "hetad_host_extent_of"

    # --- accesses

    def _bound(self, expr: ir.Expr) -> tuple[str, int]:
        return (self._checked(expr), UNARY) if _is_checked(expr) else super()._bound(expr)

    def place(self, expr: ir.Expr, level: int = COMMA) -> str:
        if _is_checked(expr):
            text, own = self._checked(expr, writes=True), UNARY
        elif isinstance(expr, ir.Member) and _is_place(expr.base):
            text, own = f"{self.place(expr.base, POSTFIX)}.{member_name(expr.base, expr.name)}", POSTFIX
        else:
            text, own = super()._bound(expr)
        return text if own >= level else f"({text})"

    def _member(self, base: ir.Expr, name: str) -> tuple[str, int]:
        return f"{self.text(base, POSTFIX)}.{member_name(base, name)}", POSTFIX

    def _address(self, place: ir.Expr) -> tuple[str, int]:
        if isinstance(place, ir.Index) and isinstance(place.base.type, Pointer):
            return super()._address(place) if is_zero(place.index) else (f"&{self._plain(place)}", UNARY)
        return f"&{self._plain(place)}", UNARY

    def _checked(self, place: ir.Expr, writes: bool = False) -> str:
        return f"*({declaration(Pointer(place.type))}){self.address_of(place, writes)}"

    def address_of(self, place: ir.Expr, writes: bool, count: str = "1") -> str:
        """The address of a place, checked for so many values."""
        size = f"sizeof({declaration(place.type)})"
        size = size if count == "1" else f"{count} * {size}"
        number = self.accesses.number(place, writes)
        source = _source_of(place)
        extent = self._known_extent(source)
        if extent is not None:
            return f"hetad_within(&{self._plain(place)}, {size}, {extent}, {number})"
        held = declaration(source.type, _HELD)
        there = self._plain(_from(place, ir.String(_HELD, source.type, span=place.span)))
        if self.dialect.cuda:  # C++ has no blocks that are expressions
            return f"hetad_within_by({self.text(source)}, [&]({held}) {{ return &{there}; }}, {size}, {number})"
        checked = f"hetad_within(&{there}, {size}, {self._of}({_HELD}), {number})"
        return f"({{ {held} = {self.text(source)}; {checked}; }})"

    def _plain(self, place: ir.Expr) -> str:
        """A place that nobody reads or writes here, though the indices that lead there are read."""
        match place:
            case ir.Index(base=base, index=index):
                if is_volatile(place.type) and not is_volatile(element(base.type)):
                    base = ir.Cast(base, Pointer(place.type), span=place.span)
                held = self._plain(base) if isinstance(base.type, Array) else self._pointer(base, POSTFIX)
                return f"{held}[{self.index(index)}]"
            case ir.Member(base=base, name=name) if _is_place(base):
                return f"{self._plain(base)}.{member_name(base, name)}"
        return self.text(place, POSTFIX)

    def _known_extent(self, source: ir.Expr) -> str | None:
        """Of the memory that a place must lie in; None where only the pointer tells."""
        match source:
            case ir.Var(symbol=symbol) if symbol in self._roots:
                return f"hetad_of_{self.local[self._roots[symbol]]}"
            case ir.Var(symbol=symbol) if isinstance(symbol.type, Pointer):
                return f"{self._of}({self.local[symbol]})"
            case ir.Var(symbol=symbol) if is_dynamic(symbol) and self.dialect.cuda:
                return f"hetad_extent_at({self.local[symbol]}, hetad_dynamic_bytes())"
            case ir.Var(symbol=symbol) if is_dynamic(symbol):
                return "hetad_dynamic_extent"
            case ir.String(text=text):
                return f"{self._of}({text})"
        if isinstance(source.type, Pointer):
            return None
        return f"hetad_extent_at(&{self._plain(source)}, sizeof({declaration(source.type)}))"

    # --- calls

    def call(self, function: str, args: tuple[ir.Expr, ...]) -> str:
        if function == "__ldg":
            return f"({self.text(pointed(args[0]))})"
        if operations.is_named(function, *CHANGES):
            count = self.text(args[2], UNARY) if operations.is_named(function, *operations.RUNS) else "1"
            args = (self._handed(args[0], count), *args[1:])
        elif function not in self.names.functions and callees.kind(function) in ("atomic", "mathematics"):
            args = tuple(self._handed(a) for a in args)
        return super().call(function, args)

    def _handed(self, arg: ir.Expr, count: str = "1") -> ir.Expr:
        """A pointer to what a function writes that is not the program's own."""
        if not isinstance(arg.type, Pointer) or isinstance(arg.type.to, Void):
            return arg
        place = pointed(arg)
        if not _is_place(place) or isinstance(place.type, Array) or isinstance(place, ir.Var):
            return arg
        checked = self.address_of(place, True, count)
        return ir.String(f"({declaration(arg.type)}){checked}", arg.type, span=arg.span)  # is printed as it is


def _is_place(e: ir.Expr) -> bool:
    return isinstance(e, ir.Var | ir.Index | ir.Member)


def _is_checked(e: ir.Expr) -> bool:
    """Whether an access may leave its memory: not where each index is a number that lies within an array."""
    if not isinstance(e, ir.Index) or isinstance(e.type, Array):
        return False
    while isinstance(e, ir.Index) and isinstance(e.base.type, Array):
        length, index = e.base.type.length, bare(e.index)
        if length is None or not isinstance(index, ir.Const) or not 0 <= index.value < length:
            return True
        e = e.base
    return not isinstance(e, ir.Var)


def _source_of(place: ir.Expr) -> ir.Expr:
    """The array or variable that a place is in, or the pointer by which it is reached."""
    while isinstance(place, ir.Index) and isinstance(place.base.type, Array):
        place = place.base
    if isinstance(place, ir.Index):
        return source_of_pointer(place.base)
    if isinstance(place, ir.Member) and _is_place(place.base) and not isinstance(place.type, Array):
        return _source_of(place.base)
    return place


def source_of_pointer(pointer: ir.Expr) -> ir.Expr:
    """The pointer, array or variable that a pointer is computed of."""
    match pointer:
        case ir.Cast(operand=operand) if isinstance(operand.type, Pointer):
            return source_of_pointer(operand)
        case ir.Cast(operand=operand) if isinstance(operand.type, Array):
            return _source_of(operand)
        case ir.Binary(op="+" | "-", left=left, right=right) if isinstance(pointer.type, Pointer):
            return source_of_pointer(left if isinstance(left.type, Pointer | Array) else right)
        case ir.AddressOf(place=place):
            return _source_of(place)
    return _source_of(pointer) if isinstance(pointer.type, Array) else pointer


def _from(e: ir.Expr, held: ir.String) -> ir.Expr:
    """A place, or a pointer, with what holds the pointer that it is computed of."""
    match e:
        case ir.Index(base=base) if isinstance(base.type, Array):
            return replace(e, base=_from(base, held))
        case ir.Index(base=base):
            return replace(e, base=_of(base, held))
        case ir.Member(base=base):
            return replace(e, base=_from(base, held))
    return e


def _of(pointer: ir.Expr, held: ir.String) -> ir.Expr:
    match pointer:
        case ir.Cast(operand=operand) if isinstance(operand.type, Pointer):
            return replace(pointer, operand=_of(operand, held))
        case ir.Cast(operand=operand) if isinstance(operand.type, Array):
            return replace(pointer, operand=_from(operand, held))
        case ir.Binary(op="+" | "-", left=left, right=right) if isinstance(pointer.type, Pointer):
            if isinstance(left.type, Pointer | Array):
                return replace(pointer, left=_of(left, held))
            return replace(pointer, right=_of(right, held))
        case ir.AddressOf(place=place):
            there = _from(place, held)
            assert isinstance(there, ir.Var | ir.Index | ir.Member)
            return replace(pointer, place=there)
    return _from(pointer, held) if isinstance(pointer.type, Array) else held


@lasting
def roots(function: ir.Function) -> Mapping[ir.Symbol, ir.Symbol]:
    """Parameters that stay as they are, and pointers that are computed of one of them alone: the parameter.  None in a
    function in which memory may begin or end, and extents with it."""
    if function.kind not in ("kernel", "device") and any(map(_changes_extents, walk_stmts(function.body))):
        return {}
    unknown = written(function.body) | exposed(function.body)
    found = {p: p for p in function.params if isinstance(p.type, Pointer) and p not in unknown}
    values = _values(function.body)
    local = [s for s in values if isinstance(s.type, Pointer) and s not in exposed(function.body)]

    def computed() -> None:
        for symbol in (s for s in local if s not in found and s not in function.params):
            sources = [source_of_pointer(v) for v in values[symbol] if v is not None and not is_zero(bare(v))]
            others = [s for s in sources if not (isinstance(s, ir.Var) and s.symbol is symbol)]
            of = {found.get(s.symbol) if isinstance(s, ir.Var) else None for s in others}
            root = of.pop() if len(of) == 1 else None
            if root is not None and None not in values[symbol]:
                found[symbol] = root

    settle(found, computed)
    return found


def _changes_extents(s: ir.Stmt) -> bool:
    if any(isinstance(e, ir.CallExpr) for e in own_nodes(s)):
        return True
    return isinstance(s, ir.Call) and callees.kind(s.function) in ("memory", "support", "unknown")


def _values(body: ir.Body) -> dict[ir.Symbol, list[ir.Expr | None]]:
    """What each variable is given; None for what no expression says."""
    values: dict[ir.Symbol, list[ir.Expr | None]] = {}
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            values.setdefault(s.symbol, []).extend([s.init] if s.init is not None else [])
        for target in targets(s):
            at = place_of(target)
            if at is not None and not (isinstance(s, ir.Update) and not at[1]):
                given = s.value if isinstance(s, ir.Assign) and not at[1] else None
                values.setdefault(at[0], []).append(given)
    return values


def told(parts: Assembly, where: str, lines: Sequence[str]) -> list[str]:
    """Lines behind what tells in which block or thread they run."""
    return [where, *lines] if isinstance(parts, CheckedAssembly) else list(lines)


def with_extents(lines: Sequence[str], parts: Assembly, function: ir.Function) -> list[str]:
    """The lines of a function behind the extents of the parameters that they use."""
    if not isinstance(parts, CheckedAssembly):
        return list(lines)
    text, local = "\n".join(lines), parts.names.of(function)
    of = "hetad_extent_of" if function.kind in ("kernel", "device") else "hetad_host_extent_of"
    names = {p: f"hetad_of_{local[p]}" for p in dict.fromkeys(roots(function).values())}
    used = {p: name for p, name in names.items() if re.search(rf"\b{name}\b", text)}
    return [*(f"const struct hetad_extent {name} = {of}({local[p]});" for p, name in used.items()), *lines]


def reached_variables(parts: Assembly, functions: Iterable[ir.Function]) -> str:
    """Tells of the variables at file scope to which there may be pointers."""
    names = _variables(parts, functions)
    lines = [f"    hetad_reach((void *)&{name}, sizeof {name});" for name in names]
    return "\n".join(["static void hetad_reach_variables(void)", "{", *lines, "}"])


def device_variables(parts: Assembly, functions: Iterable[ir.Function]) -> str:
    """The same for kernels of a GPU: finds the variable of the device that a pointer leads into, or just past the end
    of."""
    lines = []
    for op, name in product(("<", "=="), _variables(parts, functions)):
        lines += [
            f"    if ((size_t)(p - (const char *)&{name}) {op} sizeof {name}) {{",
            f"        return hetad_extent_at((const char *)&{name}, sizeof {name});",
            "    }",
        ]
    head = "static __device__ struct hetad_extent hetad_variable_of(const char *p)"
    return "\n".join([head, "{", *lines, "    return hetad_extent_at(p, 0);", "}"])


def kernel_names(parts: Assembly) -> str:
    """Tells the name of a kernel by its number."""
    numbered = {number: name for name, (_, number) in parts.numbers.items()}
    names = ", ".join(texts.quoted(numbered.get(i, "")) for i in range(max(numbered, default=-1) + 1))
    return "\n".join([
        "static const char *hetad_kernel_name(int kernel)", "{",
        f"    static const char *const names[] = {{{names or 'NULL'}}};", "    return names[kernel];", "}",
    ])  # fmt: skip


def _variables(parts: Assembly, functions: Iterable[ir.Function]) -> list[str]:
    mentioned = {s for f in functions for s in variables(f.body)}.union(parts.symbols())
    return [parts.names.globals[g.symbol] for g in parts.program.globals if g.symbol in mentioned]


def ranges(call: ir.Call, expressions: Expressions) -> Iterator[str]:
    """Checks of what a memory operation of the host copies or sets."""
    row = callees.find(call.function).operation
    if not isinstance(expressions, CheckedExpressions) or row is None or row.action not in ("copy", "fill"):
        return
    given = operands(call)
    size, rows = given.get("bytes"), given.get("height")
    for role, pitch_role in (("dst", "to_pitch"), ("src", "from_pitch")):
        pointer, pitch = given.get(role), given.get(pitch_role)
        if pointer is None or size is None or (rows is not None and pitch is None) or _calls((pointer, size)):
            continue
        place = pointed(_typed(pointer))
        height, step = ("1", "0") if rows is None or pitch is None else map(expressions.text, (rows, pitch))
        number = expressions.accesses.number(place, role == "dst")
        yield f"hetad_range({expressions.text(pointer)}, {expressions.text(size)}, {height}, {step}, {number});"


def _calls(values: Iterable[ir.Expr]) -> bool:
    return any(isinstance(e, ir.CallExpr) for value in values for e in walk_expr(value))


def _typed(pointer: ir.Expr) -> ir.Expr:
    """A pointer as it was before it became one to void."""
    while isinstance(pointer, ir.Cast) and isinstance(pointer.operand.type, Pointer):
        pointer = pointer.operand
    return pointer
