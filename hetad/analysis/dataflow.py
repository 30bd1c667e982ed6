"""The solver of analyses in which facts spread until no more are found.

The lattice is that of sets of facts, which only grow (`settle`, `closed`), or one of a client's own, whose values go
one way as loops are gone through again (`steady`); a transfer is what a look at the program adds to what is known, in
whichever direction its facts go.  Control is structured: a transfer sees the statements one after the other, and
with them the conditions around, and loops are the only reason to look again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from typing import TypeVar

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
