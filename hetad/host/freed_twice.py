"""Refuses memory that is certainly freed twice, or by a function for another kind of memory.

The derivative frees nothing before its end, so that it would not notice; the primal stops there when it runs.  What
only some runs do is left to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hetad.analysis.carried import is_null
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import allocated, does, freed
from hetad.analysis.pointers import points_to
from hetad.diagnostics import Related, Span, UnsupportedError, recoverable, report
from hetad.host.derivation import Derivation, summaries
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.types import Pointer
from hetad.ir.visit import bodies, variables, walk_stmts
from hetad.memops.table import TABLE
from hetad.passes.manager import program_pass


@program_pass("refuse-double-frees")
def refuse_double_frees(derivation: Derivation) -> Derivation:
    """No memory is freed of which the text says that it has been freed, or that it is of another kind."""
    with recoverable():
        effects = Effects(points_to(derivation.function), summaries(derivation))
        _Walk(effects).block(derivation.function.body, _State())
    return derivation


@dataclass(slots=True)
class _State:
    """`values`: pointer variables that hold one value have one number; `freed`, by number: where; `made`, by number: by
    which allocation."""

    values: dict[ir.Symbol, int] = field(default_factory=dict)
    freed: dict[int, Span] = field(default_factory=dict)
    made: dict[int, ir.Call] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.values), dict(self.freed), dict(self.made))

    def join(self, one: _State, other: _State) -> None:
        """What is known behind a branch: what is known in both arms."""
        self.values = {x: n for x, n in one.values.items() if other.values.get(x) == n}
        self.freed = {n: span for n, span in one.freed.items() if n in other.freed}
        self.made = {n: call for n, call in one.made.items() if n in other.made}


class _Walk:
    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self._count = 0
        self._unsure = 0  # how many conditions around a statement ask for pointers
        self._null: set[int] = set()  # the numbers of null pointers, which may be freed any number of times

    def block(self, body: ir.Body, state: _State) -> None:
        for s in body:
            self._statement(s, state)

    def _statement(self, s: ir.Stmt, state: _State) -> None:
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse):
                one, other = state.copy(), state.copy()
                asked = any(isinstance(x.type, Pointer) for x in variables(cond))
                self._unsure += asked  # where no memory could be had, say, realloc has not freed the old one
                self.block(then, one)
                self.block(orelse, other)
                self._unsure -= asked
                state.join(one, other)
            case ir.Declare(symbol=symbol, init=init) if init is not None:
                self._set(symbol, init, state)
            case ir.Assign(target=ir.Var(symbol=symbol), value=value):
                self._set(symbol, value, state)
            case ir.Call() if does(s, "free"):
                self._free(s, state)
            case ir.Call() if does(s, "allocate"):
                self._forget((s,), state)
                place = allocated(s)
                if isinstance(place, ir.Var):
                    state.made[self._number(place.symbol, state)] = s
            case _ if any(bodies(s)):  # a loop: what it changes is not known in it, nor after it
                self._forget((s,), state)
                for inner in bodies(s):
                    self.block(inner, state.copy())
            case _:
                self._forget((s,), state)

    def _set(self, symbol: ir.Symbol, value: ir.Expr, state: _State) -> None:
        inner = bare(value)
        if isinstance(symbol.type, Pointer) and isinstance(inner, ir.Var) and isinstance(inner.type, Pointer):
            state.values[symbol] = self._number(inner.symbol, state)
            return
        state.values.pop(symbol, None)
        if is_null(value):
            self._null.add(self._number(symbol, state))

    def _number(self, symbol: ir.Symbol, state: _State) -> int:
        if symbol not in state.values:
            self._count += 1
            state.values[symbol] = self._count
        return state.values[symbol]

    def _forget(self, body: ir.Body, state: _State) -> None:
        for symbol in self._written(body):
            state.values.pop(symbol, None)

    def _written(self, body: ir.Body) -> Iterator[ir.Symbol]:
        for s in walk_stmts(body):
            yield from (x for x in self._effects.writes(s) if isinstance(x, ir.Symbol))

    def _free(self, s: ir.Call, state: _State) -> None:
        pointer = freed(s)
        self._forget((s,), state)
        if not isinstance(pointer, ir.Var):
            return
        number = self._number(pointer.symbol, state)
        name = pointer.symbol.name
        made = state.made.get(number)
        if number in self._null or self._unsure:
            return
        if number in state.freed:
            related = Related(state.freed[number], "it is freed here")
            remedy = "free it once; cudaFree(NULL) does nothing, so that a pointer may be set to NULL behind its free"
            report(UnsupportedError(f"the memory of '{name}' has been freed already", s.span, remedy, (related,)))
        elif made is not None and (TABLE[made.function].space == "host") != (TABLE[s.function].space == "host"):
            related = Related(made.span, "it is allocated here")
            problem = f"{s.function} frees '{name}', whose memory is from {made.function}"
            remedy = "free memory of the device with cudaFree, and the host's with what belongs to its allocation"
            report(UnsupportedError(problem, s.span, remedy, (related,)))
        state.freed[number] = s.span
