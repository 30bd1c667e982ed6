"""Programs in which accesses through pointers, and indices of arrays, are checked, all of them or those at some places:
in C, host code and kernels (support/extents.c), and in CUDA the kernels that a GPU runs (support/device_extents.cu).

`x[i]` becomes `*(float *)hetad_within(&x[i], sizeof(float), hetad_of_x, number)`, where `hetad_of_x` is the extent of
the piece of memory that `x` leads into: found once where the function begins for parameters that stay as they are, and
for pointers that are computed of one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeGuard

from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import operands
from hetad.analysis.webs import place_of, targets
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.dialect import Dialect
from hetad.emit.expressions import COMMA, POSTFIX, UNARY, Expressions, member_name
from hetad.emit.layout import INDENT
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import bare
from hetad.ir.build import is_zero
from hetad.ir.facts import lasting
from hetad.ir.identity import IdentitySet
from hetad.ir.places import exposed, is_dynamic, written
from hetad.ir.types import Array, Pointer, Void, element, is_volatile
from hetad.ir.visit import map_expr, own_nodes, variables, walk_expr, walk_stmts
from hetad.rules import callees, operations
from hetad.targets.accesses import CHANGES, NumberedAccesses, may_leave, pointed
from hetad.targets.hoisted import Count, of_each_iteration
from hetad.targets.places import Places

_ADJOINTS = {  # of memory operations: the roles of the arguments, as theirs
    operations.clear: ("dst", "bytes"),
    operations.clear_rows: ("dst", "to_pitch", "bytes", "height"),
    operations.copy_pullback: ("dst", "src", "bytes"),
    operations.move_pullback: ("dst", "src", "bytes"),
    operations.rows_pullback: ("dst", "to_pitch", "src", "from_pitch", "bytes", "height"),
}
_HELD = "hetad_p"  # the pointer by which memory is reached, computed once
_KNOWS = {"kernel": "thread_", "device": "called_", "host device": "called_", "host": ""}  # in which thread it runs


class CheckedAssembly(Assembly):
    """Prints expressions whose accesses are checked, at some places."""

    def __init__(self, program: ir.Program, dialect: Dialect, accesses: NumberedAccesses, places: Places) -> None:
        super().__init__(program, dialect)
        self.accesses = accesses
        self.places = places

    def expressions(self, function: ir.Function) -> Expressions:
        return CheckedExpressions(self, function)

    def lines(self, function: ir.Function, printer: Statements) -> Iterable[str]:
        return with_extents(list(super().lines(function, printer)), self, function)


class CheckedExpressions(Expressions):
    def __init__(self, parts: CheckedAssembly, function: ir.Function) -> None:
        super().__init__(parts.names, parts.names.of(function), parts.dialect)
        self.accesses = parts.accesses
        self.places = parts.places
        self._hetad = "hetad_" if parts.dialect.cuda else f"hetad_{_KNOWS[function.kind]}"
        self._roots = roots(function)
        self._function = function
        self._hoisted: list[IdentitySet[ir.Expr]] = []  # by the loops that are printed: what was checked before
        self._of = "hetad_extent_of" if function.kind in ("kernel", "device") else "hetad_host_extent_of"

    # --- accesses

    def _is_checked(self, e: ir.Expr) -> bool:
        return may_leave(e) and self.places.has(e.span) and not any(e in found for found in self._hoisted)

    def before(self, loop: ir.For) -> Iterator[str]:
        """Checks of the accesses that each iteration makes, all at once."""
        found = None if self.dialect.cuda else of_each_iteration(loop, self._function)
        checked = [e for e in found[1] if self._is_checked(e) and self._is_item(e)] if found is not None else []
        lines = list(self._all_at_once(found[0], checked)) if found is not None and checked else []
        self._hoisted.append(IdentitySet(checked))
        return iter(lines)

    def behind(self, loop: ir.For) -> None:
        self._hoisted.pop()

    def _all_at_once(self, count: Count, items: Sequence[ir.Index]) -> Iterator[str]:
        k, closed, type_ = count.variable, " + 1" * count.closed, declaration(count.end.type)
        ends = [ir.String(name, k.type, span=k.span) for name in ("hetad_least", "hetad_most")]

        def at(end: ir.Expr, e: ir.Index) -> str:
            return self.index(map_expr(lambda x: end if isinstance(x, ir.Var) and x.symbol is k else x, e.index))

        def of(e: ir.Index) -> str:
            return f"hetad_items_of_{self.text(e.base)}"

        leave = [f"hetad_leave_items({at(ends[0], e)}, {at(ends[1], e)}, {of(e)})" for e in items]
        step = self.text(count.step)
        yield from ("{", f"{INDENT}const long hetad_least = {self.text(count.first)};")
        yield f"{INDENT}const {type_} hetad_below = {self.text(count.end)}{closed};"
        yield f"{INDENT}if (({type_})hetad_least < hetad_below) {{"
        yield f"{INDENT * 2}const long hetad_most = hetad_last_below(hetad_least, hetad_below, {step});"
        yield f"{INDENT * 2}if (hetad_most < hetad_least || {' | '.join(dict.fromkeys(leave))}) {{"
        yield f"{INDENT * 3}for ({declaration(k.type, self.local[k])} = hetad_least;; {self.local[k]} += {step}) {{"
        yield from (f"{INDENT * 4}(void){self._checked(e)[0]};" for e in items)
        yield from (INDENT * 3 + "}", INDENT * 2 + "}", INDENT + "}", "}")

    def _bound(self, expr: ir.Expr) -> tuple[str, int]:
        return self._checked(expr) if self._is_checked(expr) else super()._bound(expr)

    def place(self, expr: ir.Expr, level: int = COMMA) -> str:
        if self._is_checked(expr):
            text, own = self._checked(expr, writes=True)
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

    def _checked(self, place: ir.Expr, writes: bool = False) -> tuple[str, int]:
        item = self._item(place, writes)
        if item is not None:
            return item, POSTFIX
        return f"*({declaration(Pointer(place.type))}){self.address_of(place, writes)}", UNARY

    def _is_item(self, place: ir.Expr) -> TypeGuard[ir.Index]:
        """Whether a place is an element of what a parameter points to."""
        if self.dialect.cuda or not isinstance(place, ir.Index) or not isinstance(place.base, ir.Var):
            return False
        symbol = place.base.symbol
        same = isinstance(symbol.type, Pointer) and symbol.type.to == place.type
        return same and self._roots.get(symbol) is symbol

    def _item(self, place: ir.Expr, writes: bool) -> str | None:
        """An element of what a parameter points to, by a checked index: that costs less, and compilers see through."""
        if not self._is_item(place):
            return None
        name, number = self.text(place.base), self.accesses.number(place, writes)
        size = f"sizeof({declaration(place.type)})"
        given = f"{self.index(place.index)}, hetad_items_of_{name}, {name}, {size}, hetad_of_{name}, {number}"
        return f"{name}[{self._hetad}item({given})]"

    def address_of(self, place: ir.Expr, writes: bool, count: str = "1") -> str:
        """The address of a place, checked for so many values."""
        item = self._item(place, writes) if count == "1" else None
        if item is not None:
            return f"&{item}"
        size = f"sizeof({declaration(place.type)})"
        size = size if count == "1" else f"{count} * {size}"
        number = self.accesses.number(place, writes)
        source = _source_of(place)
        extent = self._known_extent(source)
        if count != "1" and not isinstance(source.type, Pointer):
            match source:
                case ir.Member(base=ir.Var() | ir.Index() | ir.Member() as whole):  # a run goes on behind a member
                    extent = self._known_extent(_source_of(whole)) or extent
        if extent is not None:
            return f"{self._hetad}within(&{self._plain(place)}, {size}, {extent}, {number})"
        held = declaration(source.type, _HELD)
        there = self._plain(_from(place, ir.String(_HELD, source.type, span=place.span)))
        if self.dialect.cuda:  # C++ has no blocks that are expressions
            return f"hetad_within_by({self.text(source)}, [&]({held}) {{ return &{there}; }}, {size}, {number})"
        checked = f"{self._hetad}within(&{there}, {size}, {self._of}({_HELD}), {number})"
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
            case ir.AddressOf(place=place):
                return f"hetad_extent_at({self.text(source)}, sizeof({declaration(place.type)}))"
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
        if not self.places.has(place.span) or any(place in found for found in self._hoisted):
            return arg
        checked = self.address_of(place, True, count)
        return ir.String(f"({declaration(arg.type)}){checked}", arg.type, span=arg.span)  # is printed as it is


def _is_place(e: ir.Expr) -> bool:
    return isinstance(e, ir.Var | ir.Index | ir.Member)


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
    """The pointer, array or variable that a pointer is computed of; of a variable that is a pointer, its address."""
    match pointer:
        case ir.Cast(operand=operand) if isinstance(operand.type, Pointer):
            return source_of_pointer(operand)
        case ir.Cast(operand=operand) if isinstance(operand.type, Array):
            return _source_of(operand)
        case ir.Binary(op="+" | "-", left=left, right=right) if isinstance(pointer.type, Pointer):
            return source_of_pointer(left if isinstance(left.type, Pointer | Array) else right)
        case ir.AddressOf(place=place):
            its_own = isinstance(place, ir.Var) and isinstance(place.type, Pointer)
            return pointer if its_own else _source_of(place)
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
    pointed = exposed(function.body)
    unknown = written(function.body) | pointed
    found = {p: p for p in function.params if isinstance(p.type, Pointer) and p not in unknown}
    values = _values(function.body)
    local = [s for s in values if isinstance(s.type, Pointer) and s not in pointed]

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


def with_extents(lines: Sequence[str], parts: Assembly, function: ir.Function) -> list[str]:
    """The lines of a function behind the extents of the parameters that they use."""
    if not isinstance(parts, CheckedAssembly):
        return list(lines)
    text, local = "\n".join(lines), parts.names.of(function)
    of = "hetad_extent_of" if function.kind in ("kernel", "device") else "hetad_host_extent_of"
    used = [(p, local[p]) for p in dict.fromkeys(roots(function).values())]
    used = [(p, name) for p, name in used if re.search(rf"\bhetad_of_{name}\b", text)]
    extents = [f"const struct hetad_extent hetad_of_{name} = {of}({name});" for _, name in used]
    for p, name in used:
        if re.search(rf"\bhetad_items_of_{name}\b", text):
            size = f"sizeof({declaration(element(p.type))})"
            given = f"{name}, {size}, hetad_of_{name}"
            extents.append(f"const struct hetad_items hetad_items_of_{name} = hetad_items_of({given});")
    return [*extents, *lines]


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
    """Checks of what a memory operation of the host copies or sets, or its adjoint."""
    given = _moved(call)
    if not isinstance(expressions, CheckedExpressions) or not expressions.places.has(call.span):
        return
    size, rows = given.get("bytes"), given.get("height")
    for role, pitch_role in (("dst", "to_pitch"), ("src", "from_pitch")):
        pointer, pitch = given.get(role), given.get(pitch_role)
        if pointer is None or size is None or (rows is not None and pitch is None) or _calls((pointer, size)):
            continue
        place = pointed(_typed(pointer))
        height, step = ("1", "0") if rows is None or pitch is None else map(expressions.text, (rows, pitch))
        number, text = expressions.accesses.number(place, role == "dst"), expressions.text(pointer)
        there = f"if ({text} != NULL) " if operations.does(call, *_ADJOINTS) else ""
        yield f"{there}hetad_range({text}, {expressions.text(size)}, {height}, {step}, {number});"


def _moved(call: ir.Call) -> Mapping[str, ir.Expr]:
    """The arguments of a copy or a fill by their roles, or of the adjoint of one."""
    row = callees.find(call.function).operation
    if row is not None and row.action in ("copy", "fill"):
        return operands(call)
    roles = next((roles for operation, roles in _ADJOINTS.items() if operations.does(call, operation)), ())
    return dict(zip(roles, call.args, strict=False))


def _calls(values: Iterable[ir.Expr]) -> bool:
    return any(isinstance(e, ir.CallExpr) for value in values for e in walk_expr(value))


def _typed(pointer: ir.Expr) -> ir.Expr:
    """A pointer as it was before it became one to void."""
    while isinstance(pointer, ir.Cast) and isinstance(pointer.operand.type, Pointer):
        pointer = pointer.operand
    return pointer
