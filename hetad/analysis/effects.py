"""What each statement reads and writes, in locations.

`Effects` answers for the statements of one function (after inlining): from the table of callees, and for launches from
a summary of each kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hetad.analysis import messages
from hetad.analysis.pointer_expressions import holds_pointer, pointer_parts, pointers_within
from hetad.analysis.pointers import Location, PointsTo, points_to
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import lasting
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import children, own_exprs, walk_stmts
from hetad.rules import callees, operations


@dataclass(frozen=True, slots=True)
class KernelEffects:
    """Positions of the parameters through which a kernel reads and writes memory.

    `spared` are pointers in, or behind, these parameters through which it does not write: a position, and the number in
    `pointers_within` or DIRECT for a parameter that is a pointer itself.  `unread` are those through which it does not
    read; what is both, and not handed on in memory, is not followed at all.
    """

    reads: frozenset[int] = field(default_factory=frozenset)
    writes: frozenset[int] = field(default_factory=frozenset)
    spared: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    unread: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    hands_on: bool = True  # whether it may store pointers in memory, for others to follow

    def written_through(self, position: int, arg: ir.Expr) -> Iterator[ir.Expr]:
        """The pointers in or behind an argument through which the kernel may write."""
        return (pointer for number, pointer in numbered(arg) if (position, number) not in self.spared)

    def read_through(self, position: int, arg: ir.Expr) -> Iterator[ir.Expr]:
        """The same for reading."""
        return (pointer for number, pointer in numbered(arg) if (position, number) not in self.unread)

    def follows(self, position: int, number: int) -> bool:
        """Whether the pointer may be followed, by this kernel or by what comes to find it in memory."""
        return self.hands_on or not {(position, number)} <= self.spared & self.unread


DIRECT = -1
_PARTS = (ir.Index, ir.Member)


def numbered(arg: ir.Expr) -> Iterator[tuple[int, ir.Expr]]:
    """The pointers in or behind an argument, as kernels' summaries count them."""
    if isinstance(arg.type, Pointer | Array):
        yield DIRECT, arg
    yield from enumerate(pointers_within(arg))


class Effects:
    def __init__(self, pointers: PointsTo, kernels: Mapping[str, KernelEffects]) -> None:
        """`kernels` has a summary of each kernel that may be launched."""
        self.pointers = pointers
        self.kernels = kernels

    # -- reads

    def loads(self, expr: ir.Expr) -> list[Location]:
        """Locations whose value the evaluation of `expr` needs."""
        found: list[Location] = []
        self._add_loads(expr, found)
        return found

    def address(self, place: ir.Expr) -> list[Location]:
        """Locations that the evaluation of a place's address needs, not its value."""
        found: list[Location] = []
        self._add_address(place, found)
        return found

    def _add_loads(self, expr: ir.Expr, found: list[Location]) -> None:
        waiting = [expr]  # sums may be long
        while waiting:
            e = waiting.pop()
            match e:
                case ir.Var():
                    found.append(e.symbol)
                case ir.Index() | ir.Member():
                    self._add_address(e, found)
                    if not isinstance(e.type, Array):
                        found += self.pointers.storage(e)
                case ir.AddressOf():
                    self._add_address(e.place, found)
                case ir.Intrinsic(args=(ir.AddressOf(place=place),)) if operations.gives(e, operations.take):
                    waiting.append(place)
                case _:
                    waiting += children(e)[::-1]

    def _add_address(self, place: ir.Expr, found: list[Location]) -> None:
        while isinstance(place, _PARTS):
            base = place.base
            if isinstance(place, ir.Index):
                self._add_loads(place.index, found)
                if isinstance(base.type, Pointer):
                    self._add_loads(base, found)
                    return
            place = base

    def reads(self, s: ir.Stmt) -> Iterator[Location]:
        """Locations that the statement itself (not what it contains) reads."""
        match s:
            case ir.Assign(target=target, value=value):
                yield from self.address(target)
                yield from self.loads(value)
            case ir.Update(target=target, value=value):
                yield from self.loads(target)
                yield from self.loads(value)
            case ir.Push(place=place, extent=extent, bytes=size, cells=cells):
                yield from self.loads(place)
                for cell in cells:
                    yield from self.loads(cell)
                if extent != "value":
                    yield from self.pointers.targets(place)
                if size is not None:
                    yield from self.loads(size)
            case ir.Pop(place=place, extent=extent, bytes=size):
                yield from self.address(place) if extent == "value" else self.loads(place)
                if size is not None:
                    yield from self.loads(size)
            case ir.Opaque(args=args):
                for arg in args:
                    yield from self.loads(arg)
                    if isinstance(arg.type, Array | Pointer):
                        yield from self.behind(arg)
            case ir.Call(args=args, result=result):
                if result is not None:
                    yield from self.address(result)
                for arg in args:
                    yield from self.loads(arg)
                for arg in _picked(args, callees.find(s.function).reads):
                    yield from self.behind(arg)
                if messages.completes(s):
                    yield from self.pointers.in_flight
            case ir.Launch(args=args):
                for expr in own_exprs(s):
                    yield from self.loads(expr)
                summary = self.summary(s)
                for i in sorted(summary.reads):
                    for pointer in summary.read_through(i, args[i]):
                        yield from self.pointers.targets(pointer)
            case _:
                for expr in own_exprs(s):
                    yield from self.loads(expr)

    # -- writes

    def writes(self, s: ir.Stmt) -> Iterator[Location]:
        """Locations that the statement itself may change."""
        match s:
            case ir.Declare(symbol=symbol):
                yield symbol
            case ir.Assign(target=target) | ir.Update(target=target):
                yield from self.pointers.storage(target)
            case ir.Pop(place=place, extent=extent):
                yield from self.pointers.storage(place) if extent == "value" else self.pointers.targets(place)
            case ir.Call(args=args, result=result):
                if result is not None:
                    yield from self.pointers.storage(result)
                callee = callees.find(s.function)
                for arg in _picked(args, callee.writes):
                    yield from self.behind(arg)
                if messages.completes(s):
                    yield from self.pointers.in_flight
                for arg in _picked(args, callee.changes):  # a handle's object, which counts as the handle
                    yield from self.pointers.storage(arg)
            case ir.Launch(args=args):
                summary = self.summary(s)
                for i in sorted(summary.writes):
                    for pointer in summary.written_through(i, args[i]):
                        yield from self.pointers.targets(pointer)

    def behind(self, arg: ir.Expr) -> Iterator[Location]:
        """The locations reached through a pointer argument."""
        arg = bare(arg)
        if isinstance(arg.type, Pointer | Array):
            yield from self.pointers.targets(arg)
        else:
            for part in pointer_parts(arg):
                yield from self.pointers.targets(part)

    def given(self, arg: ir.Expr) -> Iterator[Location]:
        """The locations that a kernel reaches through an argument, through pointers in memory too."""
        yield from self.behind(arg)
        for pointer in pointers_within(arg):
            yield from self.pointers.targets(pointer)

    def written(self, body: ir.Body) -> dict[Location, None]:
        """Everything that a body may change, what it declares itself included."""
        found: dict[Location, None] = {}
        for s in walk_stmts(body):
            found.update(dict.fromkeys(self.writes(s)))
        return found

    def constants(self, body: ir.Body) -> dict[ir.Symbol, ir.Expr]:
        """What variables are declared with that nothing else changes, through pointers neither."""
        times = Counter(x for s in walk_stmts(body) for x in self.writes(s))
        declared = (s for s in walk_stmts(body) if isinstance(s, ir.Declare) and times[s.symbol] == 1)
        return {s.symbol: s.init for s in declared if s.init is not None}

    def stable(self, expr: ir.Expr, changed: Iterable[Location]) -> bool:
        """Whether `expr` has the same value after a change of the locations `changed`."""
        return not set(self.loads(expr)) & set(changed)

    def summary(self, s: ir.Launch) -> KernelEffects:
        everything = frozenset(range(len(s.args)))
        return self.kernels.get(s.kernel, KernelEffects(everything, everything))


def kernel_effects(kernel: ir.Function, kernels: Mapping[str, KernelEffects] | None = None) -> KernelEffects:
    """The summary of an inlined kernel."""
    effects = Effects(points_to(kernel), kernels or {})
    position = positions_of(kernel, effects.pointers)
    reads: set[int] = set()
    writes: set[int] = set()
    read: set[Location] = set()
    written: set[Location] = set()
    for s in walk_stmts(kernel.body):
        read.update(effects.reads(s))
        written.update(effects.writes(s))
    reads.update(i for x in read for i in position.get(x, ()))
    writes.update(i for x in written for i in position.get(x, ()))
    spared, unread = (_others(kernel, effects.pointers, touched) for touched in (written, read))
    return KernelEffects(frozenset(reads), frozenset(writes), spared, unread, _hands_on(kernel, effects.pointers))


summary_of = lasting(kernel_effects)  # worked out once


def _hands_on(kernel: ir.Function, pointers: PointsTo) -> bool:
    return any(
        isinstance(s, ir.Assign | ir.Update)
        and holds_pointer(s.target.type)
        and any(not isinstance(x, ir.Symbol) or x.storage != "local" for x in pointers.storage(s.target))
        for s in walk_stmts(kernel.body)
    )


def _others(kernel: ir.Function, pointers: PointsTo, touched: Collection[Location]) -> frozenset[tuple[int, int]]:
    """The pointers that a kernel is given to other memory than is `touched`."""
    number = {p: i for i, p in enumerate(kernel.params)}
    direct = {(number[p], DIRECT) for p, root in pointers.parameter_roots.items() if root not in touched}
    inside = {(number[p], n) for root, given in pointers.given_by.items() if root not in touched for p, n in given}
    return frozenset(direct | inside)


def positions_of(kernel: ir.Function, pointers: PointsTo) -> dict[Location, frozenset[int]]:
    """The parameters through which each memory that a function is given is reached."""
    number: dict[Location, int] = {p: i for i, p in enumerate(kernel.params)}
    pairs = [(root, number[p]) for p, root in pointers.parameter_roots.items()]
    pairs += [(root, number[p]) for root, given in pointers.given_by.items() for p, _ in given]
    found: dict[Location, frozenset[int]] = {}
    for root, i in pairs:
        found[root] = found.get(root, frozenset()) | {i}
    return found


def written_parameters(program: ir.Program, function: str) -> set[str]:
    """Names of the pointer parameters of an inlined function through which it may write."""
    kernels = {f.name: kernel_effects(f) for f in program.functions.values() if f.kind == "kernel"}
    summary = kernel_effects(program.functions[function], kernels)
    return {program.functions[function].params[i].name for i in summary.writes}


def _picked(args: Sequence[ir.Expr], positions: Collection[int]) -> Iterator[ir.Expr]:
    return (arg for i, arg in enumerate(args) if i in positions)
