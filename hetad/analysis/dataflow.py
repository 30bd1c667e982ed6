"""The solver of analyses in which facts spread until no more are found.

The lattice is that of sets of facts, which only grow (`settle`, `closed`), or one of a client's own, whose values go
one way as loops are gone through again (`steady`, `Forward`); a transfer is what a look at the program adds to what is
known, in whichever direction its facts go.  Control is structured: a transfer sees the statements one after the other,
and with them the conditions around, and loops are the only reason to look again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sized
from typing import Generic, TypeVar

from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts

T = TypeVar("T")


def settle(facts: Sized | Callable[[], object], transfer: Callable[[], object]) -> None:
    """Repeats a transfer that adds to the facts, as long as it does.  Facts that are spread over several places are
    given by a function that tells how many there are."""
    state = facts if callable(facts) else lambda: len(facts)
    before: object = None
    while before != (now := state()):
        before = now
        transfer()


def steady(step: Callable[[T], T], begin: T) -> T:
    """What a step leaves as it is, come to from where it begins: of the values that are known where iterations meet."""
    while (after := step(begin)) != begin:
        begin = after
    return begin


def closed(found: set[T], body: ir.Body, gives: Callable[[ir.Stmt], Iterable[T]]) -> set[T]:
    """The least set that has `found`, and what each statement gives once these are found."""
    statements = list(walk_stmts(body))

    def transfer() -> None:
        for s in statements:
            found.update(tuple(gives(s)))

    settle(found, transfer)
    return found


class Forward(ABC, Generic[T]):
    """Facts that go with control, from statement to statement.  States are values: none is changed once it is made."""

    @abstractmethod
    def joined(self, one: T, other: T) -> T:
        """What is known where two ways meet."""

    @abstractmethod
    def behind(self, s: ir.Stmt, state: T) -> T:
        """What is known behind a statement that is no branch, loop or block."""

    def arrive(self, s: ir.Stmt, state: T) -> None:
        """What is known in front of a statement; of a loop, where its iterations meet, each time they are seen."""

    def follow(self, body: ir.Body, state: T) -> T:
        """What is known behind a body."""
        for s in body:
            state = self._through(s, state)
        return state

    def loop(self, s: ir.Stmt, inside: ir.Body, begin: T) -> T:
        """What is known where iterations meet, and so behind the loop; `inside`: what each of them does."""

        def after_one(state: T) -> T:
            self.arrive(s, state)
            return self.joined(state, self.follow(inside, state))

        return steady(after_one, begin)

    def _through(self, s: ir.Stmt, state: T) -> T:
        match s:
            case ir.For(init=init, body=body, step=step):
                return self.loop(s, (*body, *step), self.follow(init, state))
            case ir.While(body=body) | ir.DoWhile(body=body):
                return self.loop(s, body, state)
        self.arrive(s, state)
        match s:
            case ir.If(then=then, orelse=orelse):
                return self.joined(self.follow(then, state), self.follow(orelse, state))
            case ir.Block(body=body):
                return self.follow(body, state)
        return self.behind(s, state)
