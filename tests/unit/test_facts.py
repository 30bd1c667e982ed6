"""Facts of nodes are found once for each node, not for equal ones, and let go of."""

from __future__ import annotations

from hetad.ir.facts import forget, lasting, once


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
