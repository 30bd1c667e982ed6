"""Nodes as keys (ir/identity.py)."""

from __future__ import annotations

import ast
from pathlib import Path

import hetad
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.identity import Identity, IdentityMap, IdentitySet, asked_once
from hetad.ir.types import INT

SPAN = Span("a.cu", 1, 1)


def number() -> ir.Const:
    return ir.Const(1, INT, span=SPAN)


def test_nodes_that_look_alike_are_several_keys() -> None:
    one, other = number(), number()
    assert one == other
    found = IdentityMap[ir.Const, str]([(one, "one")])
    assert one in found and other not in found
    assert found[one] == "one" and found.get(other) is None and found.get(other, "none") == "none"
    assert found.setdefault(other, "other") == "other" and found.setdefault(one, "other") == "one"
    assert list(found.items()) == [(one, "one"), (other, "other")] and list(found.values()) == ["one", "other"]


def test_sets_keep_the_order_in_which_nodes_came() -> None:
    nodes = [number() for _ in range(100)]
    found = IdentitySet(nodes)
    found.add(nodes[0])
    assert [id(x) for x in found] == [id(x) for x in nodes]
    assert [id(x) for x in found - IdentitySet(nodes[1:])] == [id(nodes[0])]
    assert number() not in found


def test_a_part_of_a_key() -> None:
    one, other = number(), number()
    assert {(Identity(one), 1), (Identity(one), 1), (Identity(other), 1)} == {(Identity(other), 1), (Identity(one), 1)}
    assert Identity(one) != Identity(other)


def test_a_node_is_kept_with_its_number() -> None:
    found = IdentitySet(number() for _ in range(1000))
    assert len(found) == 1000  # none of them has taken the number of one that was gone


def test_what_is_asked_is_found_once() -> None:
    asked: list[ir.Const] = []
    fact, forget = asked_once(lambda node: asked.append(node) or len(asked), most=2)
    one, other, third = number(), number(), number()
    assert [fact(one), fact(other), fact(one), fact(other)] == [1, 2, 1, 2]
    assert [fact(third), fact(one)] == [3, 4]  # with the third it starts anew
    forget()
    assert [fact(third), fact(third)] == [5, 5]


def test_numbers_of_objects_are_asked_for_here_alone() -> None:
    folder = Path(hetad.__file__).parent
    users = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if any(isinstance(node, ast.Name) and node.id == "id" for node in ast.walk(ast.parse(path.read_text())))
    }
    assert users == {"ir/identity.py"}
