"""Memory that is filled again in the reverse sweep instead of being saved.

A buffer that one launch alone fills, from what is the same when the reverse sweep needs it, need not be saved where the
launch comes again, as in the next iteration of a loop: the launch is run again, in front of the pullback of the last
launch that reads the buffer.  Everything that was changed between is undone there, so in a derivative that saves all
that is overwritten it would change nothing; the look at what nobody reads (`pruning.py`) then finds which saves it
spares.

By bytes: a kernel without loops that reads at most three buffers moves no more than saving the buffer and putting it
back does, two copies of two, and needs no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from hetad.analysis.carried import is_null
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import freed
from hetad.analysis.pointer_expressions import pointers_within
from hetad.analysis.pointers import Location, Root
from hetad.host.decisions import Saved
from hetad.host.saves.parts import WrittenParts
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.types import Int
from hetad.ir.visit import bodies, variables, walk_stmts
from hetad.memops.table import TABLE

_MOST_READ = 3  # buffers
_TRIALS = 8
_DEEPEST = 8  # definitions in definitions


@dataclass(frozen=True, eq=False, slots=True)
class Refill:
    """`again` does what `launch` did, in front of the pullback of `reader`."""

    launch: ir.Launch
    again: ir.Launch
    reader: ir.Launch
    memory: Root

    def explained(self, function: str) -> Saved:
        how = f"filled again by '{self.launch.kernel}', not saved"
        return Saved(function, self.memory.name, how, "0 bytes", self.launch.span)


def chosen(refills: list[Refill], prune: Callable[[Collection[Refill]], ir.Body]) -> tuple[ir.Body, list[Refill]]:
    """The function pruned, with those that spare saves of buffers and cost none."""
    body, taken = prune(()), list[Refill]()
    saved = _buffers(body)
    trials = [refills, *([r] for r in refills)] if len(refills) > 1 else [refills] if refills else []
    for tried in trials[:_TRIALS]:
        more = prune([*taken, *tried])
        less = _buffers(more)
        if less < saved:
            body, saved, taken = more, less, [*taken, *tried]
        if len(taken) == len(refills):
            break
    used = IdentitySet(walk_stmts(body))
    return body, [r for r in taken if r.again in used]


def _buffers(body: ir.Body) -> set[ir.Symbol]:
    return {s.slot for s in walk_stmts(body) if isinstance(s, ir.Push) and s.extent != "value"}


class Refills:
    """The launches of a function that may be run again."""

    def __init__(
        self, body: ir.Body, effects: Effects, kernels: Mapping[str, ir.Function], parts: WrittenParts
    ) -> None:
        self.effects, self.kernels, self.parts = effects, kernels, parts
        self._writers: dict[Location, list[ir.Stmt]] = {}
        for s in walk_stmts(body):
            for x in effects.writes(s):
                self._writers.setdefault(x, []).append(s)
        self._looped = {x for s in walk_stmts(body) if isinstance(s, ir.For | ir.While) for x in effects.written((s,))}
        self.found = list(self._within(body))

    def by_reader(self) -> IdentityMap[ir.Launch, list[ir.Launch]]:
        """By the launch in front of whose pullback they come."""
        found = IdentityMap[ir.Launch, list[ir.Launch]]()
        for refill in self.found:
            found.setdefault(refill.reader, []).append(refill.again)
        return found

    def _within(self, body: ir.Body) -> Iterator[Refill]:
        for number, s in enumerate(body):
            for inner in bodies(s):
                yield from self._within(inner)
            memory = self._filled(s) if isinstance(s, ir.Launch) else None
            if memory is not None:
                assert isinstance(s, ir.Launch)
                reader = self._reader(s, memory, body[number + 1 :])
                if reader is not None:
                    yield Refill(s, replace(s), reader, memory)

    def _filled(self, s: ir.Launch) -> Root | None:
        """The memory that the launch alone writes, the same cells each time, and not from what it holds."""
        kernel = self.kernels.get(s.kernel)
        if kernel is None or s.stream is not None or not _is_cheap(kernel):
            return None
        effects = self.effects.kernels[s.kernel]
        if len(effects.writes) != 1 or len(effects.reads) > _MOST_READ or any(_in_memory(arg) for arg in s.args):
            return None
        (position,) = effects.writes
        targets = self.effects.pointers.targets(s.args[position])
        root = targets[0] if len(targets) == 1 else None
        if not isinstance(root, Root) or not root.heap or not root.single:
            return None
        writers = self._writers[root]
        if any(w != s for w in writers):
            return None
        if root in self.effects.reads(s) or self.parts.covered(s, position) is None:
            return None
        deciding = [s.grid, s.block, s.args[position], *(a for a in s.args if isinstance(a.type, Int))]
        return root if all(self._is_steady(e, len(writers) > 1) for e in deciding) else None

    def _reader(self, s: ir.Launch, memory: Root, rest: Sequence[ir.Stmt]) -> ir.Launch | None:
        """The last launch that reads the memory before it is filled anew, if what `s` reads is the same until then.
        What is freed may serve another allocation."""
        rest = list(takewhile(lambda later: memory not in self.effects.written((later,)), rest))
        readers = [i for i, later in enumerate(rest) if self._needs(later, memory)]
        if not readers:
            return None
        last = rest[readers[-1]]
        inputs = set(self.effects.reads(s))
        between = tuple(rest[: readers[-1]])
        gone = {x for later in walk_stmts(between) for x in self._freed(later)}
        same = inputs.isdisjoint(self.effects.written(between)) and inputs.isdisjoint(gone)
        return last if isinstance(last, ir.Launch) and same else None

    def _freed(self, s: ir.Stmt) -> Iterable[Location]:
        pointer = freed(s)
        return () if pointer is None else self.effects.pointers.targets(pointer)

    def _needs(self, later: ir.Stmt, memory: Root) -> bool:
        """Whether the pullback of a statement may read the memory; those of copies do not."""
        return any(
            memory in self.effects.reads(s) and not (isinstance(s, ir.Call) and s.function in TABLE)
            for s in walk_stmts((later,))
        )

    def _is_steady(self, expr: ir.Expr, throughout: bool, depth: int = 0) -> bool:
        """Whether it has one value in all iterations of the loops around, or `throughout` the function."""
        if any(x in self._looped or len(self._writers.get(x, ())) > 1 for x in self._memory_of(expr)):
            return False
        for x in dict.fromkeys(variables(expr)):
            given = [w for w in self._writers.get(x, ()) if not (isinstance(w, ir.Declare) and _is_nothing(w.init))]
            if not given or (x not in self._looped and (len(given) == 1 or not throughout)):
                continue
            value = given[0].init if isinstance(given[0], ir.Declare) else None
            if (
                len(given) > 1
                or value is None
                or depth == _DEEPEST
                or not self._is_steady(value, throughout, depth + 1)
            ):
                return False
        return True

    def _memory_of(self, expr: ir.Expr) -> list[Location]:
        return [x for x in self.effects.loads(expr) if not isinstance(x, ir.Symbol)]


def _in_memory(arg: ir.Expr) -> bool:
    """Whether a kernel finds pointers in an argument or behind it."""
    return bool(pointers_within(arg))


def _is_nothing(value: ir.Expr | None) -> bool:
    return value is None or is_null(value)


def _is_cheap(kernel: ir.Function) -> bool:
    """Without loops, and without what does something else when it is done again."""
    plain = (ir.Declare, ir.Assign, ir.Update, ir.If, ir.Block, ir.Comment)
    return all(isinstance(s, plain) for s in walk_stmts(kernel.body))
