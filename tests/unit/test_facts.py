"""Facts of nodes are found once for each node, not for equal ones, and let go of."""

from __future__ import annotations

import gc
import weakref

from hetad.ir.facts import forget, lasting, once, part_of_self


def test_a_fact_is_found_once_for_each_node() -> None:
    asked: list[list[int]] = []

    def find(node: list[int]) -> int:
        asked.append(node)
        return len(node)

    length, first, second = once(find), [1, 2], [1, 2]
    assert [length(first), length(second), length(first)] == [2, 2, 2]
    assert [id(node) for node in asked] == [id(first), id(second)]


def test_lasting_facts_are_forgotten_with_their_nodes() -> None:
    asked: list[str] = []

    def find(node: str) -> str:
        asked.append(node)
        return node.upper()

    upper, node = lasting(find), "node"
    upper(node)
    forget()
    assert upper(node) == "NODE"
    assert asked == [node, node]


class Lengths:
    """Has facts of its own."""

    def __init__(self) -> None:
        self.asked = 0
        self.length = part_of_self(self._find)

    def _find(self, node: list[int]) -> int:
        self.asked += 1
        return len(node)


def test_facts_that_are_part_of_an_object_go_with_it() -> None:
    lengths, node = Lengths(), [1, 2]
    assert [lengths.length(node), lengths.length(node), lengths.asked] == [2, 2, 1]
    there = weakref.ref(lengths)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        del lengths
        assert there() is None  # although the collector of garbage has not run
    finally:
        if was_enabled:
            gc.enable()
