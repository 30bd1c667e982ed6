"""A kernel in regions as C: structure around loops over the threads of the block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hetad.analysis.loop_bounds import Bounds, Counting, bounds, pure
from hetad.emit import support
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.layout import INDENT
from hetad.emit.names import LIBRARY, Locals
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir.names import called, fresh
from hetad.ir.places import is_dynamic, written
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.types import Array, Int, Pointer, Type, element, size_of
from hetad.ir.visit import declared, variables, walk_exprs
from hetad.targets.checked import with_extents
from hetad.targets.cpu.barrier_intervals.collector import MOST_THREADS
from hetad.targets.cpu.barrier_intervals.nodes import Branch, Jump, Loop, Mask, Node, Once, Region, Scope, Structure
from hetad.targets.cpu.barrier_intervals.scopes import require_declared_in_regions
from hetad.targets.cpu.barrier_intervals.variables import Variables, regions, uniform_statements
from hetad.targets.cpu.block_ir import THREAD, THREADS
from hetad.targets.cpu.thread_loops import block_loops, block_range, thread_loops

_ON_STACK = 256 * 1024  # bytes of arrays with an element per thread; what exceeds it lies in an arena
_ALIGNED = "__attribute__((aligned(16)))"


class RegionKernel:
    """The text of one kernel; `params` is what its function takes beside gridDim, blockDim and the dynamic memory."""

    def __init__(self, parts: Assembly, kernel: ir.Function, structure: Structure, variables: Variables) -> None:
        self.parts = parts
        self.kernel = kernel
        self.structure = structure
        self.variables = variables
        self.local: Locals = parts.names.of(kernel)
        self.taken = {*self.local.globals.values(), *parts.names.functions.values(), *LIBRARY}
        self.uses = Counter(self.local.table.values())
        self.given = {p: self.local[p] for p in kernel.params}
        self.arrays: list[tuple[Type, str]] = [(element(a.type), a.name) for a in self.structure.arrays]
        for p in (*self.variables.copied, *self.variables.kept):
            if p in self.given:
                self.given[p] = self._fresh(self.local[p] + "_given")
        self.opening: list[str] = [*self._shared(), *self._tables()]
        for symbol in self.variables.kept:
            name = self._fresh(self.local[symbol])
            self.arrays.append((symbol.type, name))
            self.local.table[symbol] = f"{name}[{THREAD.name}]"
        self.opening = [*self._array_lines(), *self.opening]

    def _fresh(self, name: str) -> str:
        """A name for what is visible in the whole function: `name` itself if only one variable has it."""
        taken = {*self.taken, *(each for each, n in self.uses.items() if n > (each == name))}
        self.taken.add(found := fresh(name, taken))
        return found

    def is_common(self, symbol: ir.Symbol) -> bool:
        """Whether a variable exists once for the block, and is an integer that no region changes."""
        if symbol in self.variables.kept or not isinstance(symbol.type, Int):
            return False
        return symbol in self.given or self.structure.uniformity.is_uniform(symbol)

    # --- what is called ---

    def names(self) -> set[str]:
        """The functions that the regions call."""
        found = {"hetad_raised", "hetad_lowered", *support.names("\n".join(self.opening))}
        for body in self._bodies():
            found.update(called(body))
        return found

    def _bodies(self) -> Iterator[ir.Body]:
        for region in regions(self.structure.nodes):
            yield region.body
        yield tuple(uniform_statements(self.structure.nodes))

    # --- declarations ---

    @property
    def params(self) -> list[str]:
        return [declaration(p.type, self.given[p], restrict=False) for p in self.kernel.params]

    def _shared(self) -> Iterator[str]:
        for symbol in dict.fromkeys(self.structure.shared):
            name = self.local.table[symbol] = self._fresh(self.local[symbol])
            type_ = symbol.type
            if is_dynamic(symbol):
                assert isinstance(type_, Array)
                pointer = Pointer(type_.of)
                yield f"{declaration(pointer, name)} = ({declaration(pointer)})hetad_dynamic;"
            else:
                yield f"{declaration(type_, name)} {_ALIGNED};"

    def _tables(self) -> Iterator[str]:
        printer = Statements(self.parts.expressions(self.kernel), self.kernel)
        for symbol, value in self.variables.tables.items():
            name = self.local.table[symbol] = self._fresh(self.local[symbol])
            e = printer.expressions
            text = e.aggregate(value) if isinstance(value, ir.Aggregate) else e.text(value)
            yield f"static {declaration(symbol.type, name, const=True)} = {text};"

    def _array_lines(self) -> Iterator[str]:
        """Arrays with an element per thread: on the stack, where the compiler knows that nothing else points to
        them, as long as they are not too large."""
        spent, in_arena = 0, []
        warps = {a.name for a in self.structure.arrays if isinstance(a.type, Array) and a.type.length != MOST_THREADS}
        for type_, name in self.arrays:
            length = 32 if name in warps else MOST_THREADS
            spent += length * size_of(type_)
            if spent <= _ON_STACK:
                yield f"{declaration(Array(type_, length), name)};"
            else:
                spent -= length * size_of(type_)
                in_arena.append((type_, name))
        if not in_arena:
            return
        sizes = [f"({THREADS.name} * sizeof({declaration(t)}) + 63) / 64 * 64" for t, _ in in_arena]
        yield f"char *hetad_free = hetad_arena({' + '.join(sizes)});"
        for (type_, name), size in zip(in_arena, sizes, strict=True):
            pointer = declaration(Pointer(type_))
            yield f"{declaration(Pointer(type_, restrict=True), name)} = ({pointer})hetad_free;"
            yield f"hetad_free += {size};"

    # --- text ---

    def lines(self) -> list[str]:
        block: list[str] = []
        if any(e.name == "blockIdx" for e in self._thread_indices()) or "blockIdx" in self._hidden():
            block.append("const dim3 blockIdx = {hetad_bx, hetad_by, hetad_bz};")
        block += [f"{declaration(p.type, self.local[p])} = {self.given[p]};" for p in self.variables.copied]
        block += [f"{declaration(s.type, s.name)};" for s in self.structure.scalars]
        alive = self.structure.alive
        if alive.used:
            block.append(f"memset({alive.symbol.name}, 1, {THREADS.name});")
        kept = [p for p in self.kernel.params if p in self.variables.kept]
        if kept:
            copies = [f"{self.local[p]} = {self.given[p]};" for p in kept]
            block += thread_loops(copies, self.kernel.reverse_threads, thread_names(copies))
        require_declared(self.kernel.name, self.kernel.body, self.kernel.params)
        require_declared_in_regions(self.kernel.name, self.structure.nodes, self._visible())
        printer = _Printer(self)
        block += printer.nodes(self.structure.nodes)
        if printer.ends:
            block.append("hetad_block_end:;")
        size = f"const size_t {THREADS.name} = (size_t)blockDim.x * blockDim.y * blockDim.z;"
        head = [size, f"(void){THREADS.name}, (void)hetad_dynamic;", *self.opening]
        blocks = block_range if self.parts.dialect.parallel else block_loops
        loops = blocks(block, self.kernel.reverse_threads)
        return [*head, *with_extents(loops, self.parts, self.kernel)]

    def _visible(self) -> set[ir.Symbol]:
        """What is declared for the whole block."""
        own = {*self.structure.shared, *self.structure.arrays, *self.structure.scalars, THREAD, THREADS}
        return own.union(self.kernel.params, self.variables.kept, self.variables.tables)

    def _thread_indices(self) -> Iterator[ir.ThreadIndex]:
        for body in self._bodies():
            yield from (e for e in walk_exprs(body) if isinstance(e, ir.ThreadIndex))
        yield from (e for e in walk_exprs(self.kernel.body) if isinstance(e, ir.ThreadIndex))

    def _hidden(self) -> set[str]:
        return {i for name in called(self.kernel.body) for i in self.parts.names.hidden.get(name, ())}


@dataclass
class _Printer:
    owner: RegionKernel
    ends: bool = False
    labelled: set[int] = field(default_factory=set)
    regions: int = 0

    def __post_init__(self) -> None:
        self.expressions = self.owner.parts.expressions(self.owner.kernel)
        self.expressions.local = self.owner.local
        self.statements = Statements(self.expressions, self.owner.kernel)

    def nodes(self, nodes: Sequence[Node]) -> list[str]:
        return [line for node in nodes for line in self.node(node)]

    def node(self, node: Node) -> list[str]:
        match node:
            case Region():
                return self.region(node)
            case Once(statement=statement, unless_all=mask):
                return [] if mask is not None and not mask.used else list(self.statements.statement(statement))
            case Scope(body=body):
                return ["{", *_indented(self.nodes(body)), "}"]
            case Branch(cond=cond, then=then, orelse=orelse):
                return self.branch(cond, then, orelse)
            case Loop():
                return self.loop(node)
            case Jump():
                return [self.jump(node)]

    def branch(self, cond: ir.Expr, then: list[Node], orelse: list[Node]) -> list[str]:
        inner, other = self.nodes(then), self.nodes(orelse)
        if not inner and not other:
            return []
        if not inner:
            return [f"if (!({self.expressions.truth(cond)})) {{", *_indented(other), "}"]
        tail = ["} else {", *_indented(other), "}"] if other else ["}"]
        return [f"if ({self.expressions.truth(cond)}) {{", *_indented(inner), *tail]

    def loop(self, loop: Loop) -> list[str]:
        cond = self.expressions.truth(loop.cond) if loop.cond is not None else ""
        body = self.nodes(loop.body)
        head_step, steps = self._head_step(loop), []
        if head_step is None:
            steps = self.nodes(loop.step)
            if loop.tail is not None:
                steps += [f"if (!({self.expressions.truth(loop.tail)})) {{", INDENT + "break;", "}"]
        if loop.label in self.labelled:
            body.append(f"hetad_continue_{loop.label}:;")
        head = f"for (; {cond}; {head_step or ''}) {{".replace("; ;", ";;").replace("; )", ";)")
        return [head, *_indented([*body, *steps]), "}"]

    def _head_step(self, loop: Loop) -> str | None:
        plain = [n.statement for n in loop.step if isinstance(n, Once)]
        fits = len(plain) == len(loop.step) and all(isinstance(s, ir.Assign | ir.Update) for s in plain)
        if loop.tail is not None or not fits:
            return None
        return ", ".join(self.statements.simple(s) for s in plain)

    def jump(self, jump: Jump) -> str:
        match jump.kind:
            case "return":
                self.ends = True
                return "goto hetad_block_end;"
            case "break":
                return "break;"
        assert jump.loop is not None
        self.labelled.add(jump.loop.label)
        return f"goto hetad_continue_{jump.loop.label};"

    def region(self, region: Region) -> list[str]:
        if not region.body:
            return []
        self.regions += 1
        printer = _ThreadStatements(self.owner, f"hetad_next_{self.regions}")
        body, limits = self._limited(region)
        lines = list(printer.lines(body, 0))
        if all(isinstance(s, ir.Comment) for s in region.body):
            return lines
        mask: Mask = region.mask
        if mask.used:
            lines = [f"if (!{mask.symbol.name}[{THREAD.name}]) {{", INDENT + "continue;", "}", *lines]
        if printer.leaves:
            lines.append(f"{printer.label}:;")
        return thread_loops(lines, self.owner.kernel.reverse_threads, thread_names(lines), limits)

    def _limited(self, region: Region) -> tuple[ir.Body, tuple[str, str] | None]:
        """The region's body without a guard that is a bound of threadIdx.x, and the bounds."""
        body, values = region.body, dict[ir.Symbol, ir.Expr]()
        opening = []
        while body and isinstance(body[0], ir.Declare | ir.Comment):
            first, *rest = body
            opening.append(first)
            if isinstance(first, ir.Declare) and first.init is not None and first.init.type == first.symbol.type:
                values[first.symbol] = first.init
            body = tuple(rest)
        if len(body) != 1 or not isinstance(body[0], ir.If) or body[0].orelse or region.mask.used:
            return region.body, None
        guard = body[0]
        if written(region.body) & set(values) or not pure(guard.cond):
            return region.body, None
        others = {x for x in (*variables(region.body), *declared(region.body)) if not self.owner.is_common(x)}
        found = bounds(conjuncts(guard.cond), Counting(None, values, others))
        if not found.least and not found.below:
            return region.body, None
        body = (replace(guard, cond=conjunction(found.others)),) if found.others else guard.then
        return (*opening, *body), self._texts(found)

    def _texts(self, found: Bounds) -> tuple[str, str]:
        first, end = "0", "blockDim.x"
        for e in found.least:
            first = f"hetad_raised({first}, {self.expressions.text(e)}, blockDim.x)"
        for e in found.below:
            end = f"hetad_lowered({end}, {self.expressions.text(e)}, 0)"
        return first, end


class _ThreadStatements(Statements):
    """A thread that is done with a region goes to the end of its turn in the loop."""

    def __init__(self, owner: RegionKernel, label: str) -> None:
        expressions = owner.parts.expressions(owner.kernel)
        expressions.local = owner.local
        super().__init__(expressions, owner.kernel)
        self.label = label
        self.labels = f"{label}_step"
        self.leaves = False

    def returning(self, value: ir.Expr | None) -> Iterator[str]:
        self.leaves = True
        yield f"goto {self.label};"


def thread_names(lines: Sequence[str]) -> list[str]:
    """Which of `threadIdx` and the thread's number some lines use."""
    text = "\n".join(lines)
    return [name for name in ("threadIdx", THREAD.name) if re.search(rf"\b{name}\b", text)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [INDENT + line if line else line for line in lines]
