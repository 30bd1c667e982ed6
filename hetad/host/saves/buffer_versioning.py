"""Other memory in place of a copy.

Where a launch, a copy or a fill overwrites an allocation wholly, and the reverse sweep needs what it held, the memory
is kept as it is and the program goes on in other memory of the same size.  The program's pointers stay what they are,
names of an allocation: support finds the memory that holds its content at the time (`emit/support/moved.c`), for each
launch and each copy that is given such a pointer.  Undoing the statement takes the old memory back.

A statement that overwrites all of an interval (`analysis/overwritten.py`) may do so only in some launches: those with
as many threads as cells, with memory of just this size, which does not overlap what the kernel reads.  That is tested
in front of the launch, and else a copy is made.  What it leaves between the rows of an interior, and around it, is
copied to the other memory.  If the launch itself is refused, the content is copied after all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from hetad.analysis.effects import KernelEffects
from hetad.analysis.memory_calls import bytes_of, does, operands
from hetad.analysis.no_alias import NoAlias
from hetad.analysis.pointer_expressions import holds_pointer, pointer_parts, pointers_within
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.host.derivation import Derivation, on_derivative, with_body
from hetad.host.saves.parts import WrittenParts
from hetad.host.saves.tape import MOST_GAPS
from hetad.host.setting import Setting
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import Names, binary, integer
from hetad.ir.simplify import conjunction
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import declared, map_bodies, map_body, map_expr, own_variables, same_or, variables, walk_stmts
from hetad.memops.table import TABLE
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations

_HOST_TO_DEVICE = 1


@program_pass("mark-versions")
def mark_versions(derivation: Derivation) -> Derivation:
    """Snapshots that need no copy are marked."""
    found = derivation.reversed
    versions = Renaming(derivation.setting, found.parts, derivation.setting.summaries, found.shadows.values())
    body = versions.marked(derivation.body)
    return with_body(replace(derivation, versions=versions), body)


@on_derivative("check-versions")
def check_versions(derivation: Derivation) -> ir.Body:
    """What a version asks of memory is tested in front of its statement."""
    return checked(derivation.body)


@on_derivative("use-versions")
def use_versions(derivation: Derivation) -> ir.Body:
    """Launches and copies are given the memory that holds the content at the time."""
    return derivation.versions.applied(derivation.body) if derivation.versions is not None else derivation.body


class Renaming:
    def __init__(
        self,
        setting: Setting,
        parts: WrittenParts,
        effects: Mapping[str, KernelEffects],
        shadows: Collection[ir.Symbol],
    ) -> None:
        """`effects`: of all kernels that are launched; `shadows`: the variables that lead to adjoints."""
        self.setting, self.parts, self.effects = setting, parts, effects
        self.pointers: PointsTo = setting.pointers
        self.shadows = frozenset(shadows)
        self.no_alias = NoAlias((), setting.effects)
        self.renamed: set[Location] = set()

    # -- which snapshots

    def marked(self, body: ir.Body) -> ir.Body:
        """The body of the gradient function, where snapshots that need no copy are marked."""
        unfit = self._unfit(body)
        self.no_alias = NoAlias(body, self.setting.effects)

        def fits(pointer: ir.Expr) -> bool:
            targets = self.pointers.targets(pointer)
            return bool(targets) and all(self._is_device(t) and t not in unfit for t in targets)

        def within(body: ir.Body) -> ir.Body:
            out = [map_bodies(within, s) for s in body]
            following: ir.Stmt | None = None
            seen: list[ir.Expr] = []
            for i, s in reversed(list(enumerate(out))):
                if not isinstance(s, ir.Push):
                    following, seen = s, []
                    continue
                overwritten = None
                if following is not None and s.place not in seen and _is_plain(s.place) and fits(s.place):
                    overwritten = self._overwritten(s, _launch_of(following))
                seen.append(s.place)
                if overwritten is not None:
                    self.renamed.update(self.pointers.targets(s.place))
                    out[i] = replace(s, overwritten=overwritten)
            return same_or(body, tuple(out))

        return within(body)

    def _is_device(self, target: Location) -> bool:
        symbols = self.setting.symbol_roots
        return isinstance(target, Root) and self.setting.spaces.of(target) == "device" and target not in symbols

    def _overwritten(self, s: ir.Push, following: ir.Stmt) -> tuple[ir.Expr, ...] | None:
        match following:
            case ir.Launch(kernel=kernel, stream=stream) if s.extent in ("part", "allocation"):
                return self._by_launch(s, following) if kernel in self.parts.kernels and _is_default(stream) else None
            case ir.Call(function=name) if name in TABLE and s.extent == "range":
                return self._by_operation(s, following)
        return None

    def _by_launch(self, s: ir.Push, launch: ir.Launch) -> tuple[ir.Expr, ...] | None:
        effects = self.effects[launch.kernel]
        position = next((i for i, arg in enumerate(launch.args) if arg == s.place), None)
        if position is None or position in effects.reads or position not in effects.writes:
            return None
        cells = self.parts.covered(launch, position)
        if cells is None or len(cells.gaps) > (MOST_GAPS if s.extent == "part" else 0):
            return None
        others: list[ir.Expr] = []
        for i in sorted((effects.reads | effects.writes) - {position}):
            if _in_memory(launch.args[i]):
                return None
            others += pointer_parts(launch.args[i])
        tests = self._tests(launch, s.place, others)
        if tests is None:
            return None
        return (
            cells.first,
            cells.last,
            conjunction([cells.sure, *tests], s.span),
            *(e for gap in cells.gaps for e in gap),
        )

    def _by_operation(self, s: ir.Push, call: ir.Call) -> tuple[ir.Expr, ...] | None:
        moved = bytes_of(call)
        if moved is None or TABLE[call.function].space != "device" or s.bytes is None:
            return None
        if bare(moved.dst) != s.place or moved.size != s.bytes:
            return None
        from_host = moved.src is None or literal(operands(call).get("kind")) == _HOST_TO_DEVICE
        tests = self._tests(call, s.place, [bare(moved.src)] if moved.src is not None and not from_host else [])
        return (conjunction(tests, s.span),) if tests is not None else None

    def _tests(self, at: ir.Stmt, place: ir.Expr, others: Iterable[ir.Expr]) -> list[ir.Expr] | None:
        """Whether the memory at `at` is none that the others lead to; None where it always is."""
        mine = self.pointers.targets(place)
        tests: list[ir.Expr] = []
        for other in others:
            theirs = self.pointers.targets(other)
            if _is_null(other) or self.no_alias.apart(at, place, other):
                continue
            if len(mine) == 1 and mine == theirs and getattr(mine[0], "single", False):
                return None
            apart = operations.apart(place, _start(other), span=place.span)
            tests.append(binary("!=", apart, integer(0, place.span)))
        return list(dict.fromkeys(tests))

    # -- which memory

    def _unfit(self, body: ir.Body) -> set[Location]:
        """What is reached by ways other than launches and copies that are given a pointer to its start."""
        found: set[Location] = set()
        for s in walk_stmts(body):
            for pointer in self._fixed(s):
                found.update(self.pointers.targets(pointer))
        return found

    def _fixed(self, s: ir.Stmt) -> Iterator[ir.Expr]:
        """Pointers of a statement that must stay what they are, or that may lead past the end of their memory."""
        match s:
            case ir.Declare(init=value) | ir.Assign(value=value) if value is not None:
                yield from _moved(value)
            case ir.Update(target=target) if isinstance(target.type, Pointer):
                yield target
            case ir.Launch(args=args, stream=stream):
                for arg in args:
                    yield from (*_in_memory(arg), *_moved(_start(arg)))
                    yield from () if _is_default(stream) else pointer_parts(arg)
            case ir.Call(function=name, args=args):
                given = args
                if does(s, "copy", "fill") and TABLE[name].space == "device":
                    ends = TABLE[name].positions("dst", "src")
                    given = tuple(a for i, a in enumerate(args) if i not in ends)
                    yield from (p for i in sorted(ends) for p in _moved(_start(bare(args[i]))))
                if not callees.has(s, "by its own address"):
                    yield from (a for a in given if isinstance(a.type, Pointer | Array))
            case ir.Opaque(args=args):
                yield from args

    # -- the statements that use it

    def applied(self, body: ir.Body) -> ir.Body:
        """The body, its snapshots lowered, where launches and copies are given the memory that holds the content."""
        if not self.renamed:
            return body
        used = {x.name for s in walk_stmts(body) for x in own_variables(s)}
        names = Names(used | {x.name for x in declared(body)} | set(self.effects))
        values = _values(body)

        def use(s: ir.Stmt) -> ir.Stmt | ir.Body:
            match s:
                case ir.Launch():
                    before: list[ir.Stmt] = []
                    args = tuple(self._given(a, values, names, before) for a in s.args)
                    return (*(replace(b, span=s.span) for b in before), replace(s, args=args))
                case ir.Call(function=name) if name in TABLE and TABLE[name].space == "device":
                    ends = TABLE[name].positions("dst", "src")
                    if TABLE[name].action in ("copy", "fill"):
                        return replace(
                            s, args=tuple(self._now(a, values) if i in ends else a for i, a in enumerate(s.args))
                        )
            return s

        return map_body(use, body)

    def _given(
        self, arg: ir.Expr, values: Mapping[ir.Symbol, list[ir.Expr]], names: Names, before: list[ir.Stmt]
    ) -> ir.Expr:
        if isinstance(arg.type, Pointer):
            return self._now(arg, values)
        if not any(self._may_move(part, values) for part in pointer_parts(arg)):
            return arg
        given = names.symbol("given", arg.type, arg.span)
        before.append(ir.Declare(given, arg, span=arg.span))
        place = ir.Var(given, span=arg.span)
        for part, own in zip(pointer_parts(place), pointer_parts(arg), strict=True):
            if self._may_move(own, values):
                assert isinstance(part, ir.Index | ir.Member)
                before.append(ir.Assign(part, _content(part), span=arg.span))
        return place

    def _now(self, arg: ir.Expr, values: Mapping[ir.Symbol, list[ir.Expr]]) -> ir.Expr:
        return _at_content(arg) if self._may_move(arg, values) else arg

    def _may_move(self, pointer: ir.Expr, values: Mapping[ir.Symbol, list[ir.Expr]]) -> bool:
        targets = self.pointers.targets(pointer)
        if targets:
            return not self.renamed.isdisjoint(targets)
        symbols = list(variables(pointer))
        if not self.shadows.isdisjoint(symbols):
            return False
        others = {x: given for x, given in values.items() if x not in symbols}
        return any(self._may_move(v, others) for x in symbols for v in values.get(x, ()))


def _launch_of(s: ir.Stmt) -> ir.Stmt:
    """Of a launch that is another one where arguments overlap, with the same stores, the usual one."""
    if isinstance(s, ir.If) and len(s.then) == 1 and isinstance(s.then[0], ir.Launch):
        launches = [x for x in walk_stmts(s.orelse) if isinstance(x, ir.Launch)]
        if len(launches) == 1 and launches[0].span == s.then[0].span:
            return s.then[0]
    return s


def checked(body: ir.Body) -> ir.Body:
    """With a look at whether the statements in front of which memory is renamed have done their work."""
    out: list[ir.Stmt] = []
    waiting: list[ir.Expr] = []
    for s in body:
        out.append(map_bodies(checked, s))
        if isinstance(s, ir.Push):
            waiting += [s.place] if s.overwritten else []
            continue
        out += [operations.renamed(place, span=s.span) for place in waiting]
        waiting = []
    return same_or(body, tuple(out))


def _values(body: ir.Body) -> dict[ir.Symbol, list[ir.Expr]]:
    """What pointer variables are given."""
    found: dict[ir.Symbol, list[ir.Expr]] = {}
    for s in walk_stmts(body):
        match s:
            case ir.Declare(symbol=symbol, init=value) | ir.Assign(target=ir.Var(symbol=symbol), value=value):
                if value is not None and holds_pointer(symbol.type):
                    found.setdefault(symbol, []).append(value)
    return found


def _in_memory(arg: ir.Expr) -> list[ir.Expr]:
    """The pointers that a kernel finds in memory behind an argument."""
    direct = pointer_parts(arg)
    return [p for p in pointers_within(arg) if p not in direct]


def _moved(value: ir.Expr) -> Iterator[ir.Expr]:
    """The pointers in a value that are the result of arithmetic."""
    match value:
        case ir.Cast(operand=operand):
            yield from _moved(operand)
        case ir.Select(then=then, orelse=orelse):
            yield from (*_moved(then), *_moved(orelse))
        case ir.Aggregate(elements=elements):
            for element in elements:
                yield from _moved(element)
        case ir.Binary(type=Pointer()) | ir.AddressOf() | ir.Index(type=Array()) | ir.Member(type=Array()):
            yield value


def _start(pointer: ir.Expr) -> ir.Expr:
    """The pointer that arithmetic starts from."""
    match pointer:
        case ir.Cast(operand=operand) if isinstance(operand.type, Pointer):
            return _start(operand)
        case ir.Binary(left=left, right=right):
            return _start(left if isinstance(left.type, Pointer | Array) else right)
        case ir.AddressOf(place=place):
            base = _base(place)
            return _start(base) if base is not None else pointer
        case ir.Index() | ir.Member() if isinstance(pointer.type, Array):
            base = _base(pointer)
            return _start(base) if base is not None else pointer
    return pointer


def _base(place: ir.Expr) -> ir.Expr | None:
    """The pointer behind which a place lies; None for a part of a variable."""
    while isinstance(place, ir.Index | ir.Member):
        place = place.base
        if isinstance(place.type, Pointer):
            return place
    return _base(place.operand) if isinstance(place, ir.Cast) else None


def _at_content(pointer: ir.Expr) -> ir.Expr:
    """The pointer with its start where the content is."""
    start = _start(pointer)
    content = _content(start)
    return map_expr(lambda e: content if e is start else e, pointer)


def _content(pointer: ir.Expr) -> ir.Expr:
    return ir.Cast(operations.now(pointer, span=pointer.span), pointer.type, span=pointer.span)


def _is_plain(pointer: ir.Expr) -> bool:
    return _start(pointer) is bare(pointer)


def _is_null(pointer: ir.Expr) -> bool:
    return isinstance(bare(pointer), ir.Const)


def _is_default(stream: ir.Expr | None) -> bool:
    return stream is None or literal(stream) == 0
