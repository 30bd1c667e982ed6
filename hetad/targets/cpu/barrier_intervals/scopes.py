"""Every variable that a kernel in regions uses is declared where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hetad.emit.scopes import Scopes
from hetad.ir import nodes as ir
from hetad.targets.cpu.barrier_intervals.nodes import Branch, Loop, Node, Once, Region, Scope


def require_declared_in_regions(kernel: str, nodes: Sequence[Node], visible: Iterable[ir.Symbol]) -> None:
    """As `emit.scopes.require_declared`, of a kernel in regions.

    Raises:
        InternalError: it uses a variable that is not declared there.
    """
    _Regions(kernel, visible).nodes(nodes)


class _Regions(Scopes):
    def nodes(self, nodes: Sequence[Node]) -> None:
        with self.scope():
            for node in nodes:
                self.node(node)

    def node(self, node: Node) -> None:
        match node:
            case Region(body=body):
                self.body(body)
            case Once(statement=statement):
                self.statement(statement)
            case Scope(body=inner):
                self.nodes(inner)
            case Branch(cond=cond, then=then, orelse=orelse):
                self.use(cond)
                self.nodes(then)
                self.nodes(orelse)
            case Loop(cond=cond, body=inner, step=step, tail=tail):
                for test in (cond, tail):
                    if test is not None:
                        self.use(test)
                self.nodes(inner)
                self.nodes(step)
