"""Communication and its tangents: each action of `memops/communication.py`, the same with the shadows.

| action      | beside the operation                                                                         |
|-------------|----------------------------------------------------------------------------------------------|
| communicate | messages: their tangents, along a communicator beside; collective operations: the same again |
| start       | of a send: its tangent is sent in a copy; of a receive: where its tangent is to go is noted   |
| complete    | the tangents of what has come are received                                                    |

In a program that is differentiated once more all is said in MPI's own calls: the tangent of a message follows it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.analysis import messages
from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.host.communication import (
    refuse_reals_as_integers,
    refuse_without_derivative,
    refuse_work_in_groups,
    where,
)
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import bare
from hetad.ir.build import binary, integer
from hetad.ir.types import INT, STRING, VOID, Pointer
from hetad.ir.visit import walk_stmts
from hetad.memops import nccl
from hetad.memops.communication import BUFFERS, MAKE_COMMUNICATORS, STARTED, SUM, WILDCARDS
from hetad.memops.operation import MemoryOperation
from hetad.rules import communication, operations
from hetad.rules.communication import RULES, TANGENTS
from hetad.tangent.algebra import Linear

if TYPE_CHECKING:
    from hetad.tangent.engine import Direction, Statements
    from hetad.tangent.host import HostEngine

_FREES = {"MPI_Type_free": communication.type_free, "MPI_Request_free": communication.request_free}
_TOLD = ("status", "number", "found", "numbers", "store")


class CommunicationTangents:
    def __init__(self, engine: HostEngine, body: ir.Body) -> None:
        self.engine = engine
        self._numbers = engine.pointers, engine.one.is_active_pointer
        self.is_active = any(self._is_active(s) for s in walk_stmts(body))
        if self.is_active:
            refuse_work_in_groups(body, engine.one.is_active)

    def operation(self, s: ir.Call, row: MemoryOperation) -> Statements:
        refuse_reals_as_integers(s, row)
        told = (out_place(s.args[i]) for i in sorted(row.positions(*_TOLD)))
        constants = [z for place in (s.result, *told) for z in self.engine.constant(place)]
        if not self.is_active:
            return [s, *constants]
        if row.action == "inert":
            made = out_place(s.args[-1]) if s.function in MAKE_COMMUNICATORS and not self.engine.again else None
            joined = [communication.joined(made, span=s.span)] if made is not None else []
            if s.function in _FREES and not self.engine.again:
                return [_FREES[s.function](*s.args, result=s.result, span=s.span), *constants]
            return [s, *joined, *constants]
        if row.action != "complete" and not messages.has_numbers(s, *self._numbers):
            return [s, *constants]
        self._check(s, row)
        return [*self._with_tangents(s, row), *constants]

    def _with_tangents(self, s: ir.Call, row: MemoryOperation) -> Statements:
        if row.header == nccl.HEADER:
            again = row.positions(*BUFFERS)
            return [s, *(self._again(s, row, d) for d in self.engine.directions if again)]
        if self.engine.again:
            return self._plainly(s, row)
        if row.action == "complete":
            wait = TANGENTS[s.function]
            return [self._call(wait, s, row, self.engine.one, s.result)]
        if s.function in STARTED:
            return self._started(s, row)
        if row.action == "start":
            return [s, *(self._call(TANGENTS[s.function], s, row, d) for d in self.engine.directions)]
        if row.position("peer") is not None:
            return self._message(s, row)
        return self._collective(s, row)

    def _message(self, s: ir.Call, row: MemoryOperation) -> Statements:
        """A message that is waited for at once: what goes, what comes."""
        directions = self.engine.directions
        sends, receives = row.positions("src", "updated"), row.positions("dst", "updated")
        sent = [self._call(TANGENTS["MPI_Send"], s, row, d) for d in directions] if sends else []
        if not receives:
            return [*sent, s]
        forward = RULES[s.function].forward
        assert forward is not None
        found: Statements = [*sent, self._call(forward, s, row, None, s.result)]
        (at,) = receives
        on = where(self.engine.pointers, self.engine.spaces, s.args[at])
        for d in directions:
            found.append(communication.received_tangent(self._shadow(d, s.args[at]), on, span=s.span))
        return [*found, communication.forget_receive(span=s.span)]

    def _collective(self, s: ir.Call, row: MemoryOperation) -> Statements:
        """Linear in what is sent: the same once more; or a product, or a largest number."""
        if self._is_sum(s, row):
            return [s, *(self._again(s, row, d) for d in self.engine.directions)]
        return [*(self._call(TANGENTS[s.function], s, row, d) for d in self.engine.directions), s]

    def _started(self, s: ir.Call, row: MemoryOperation) -> Statements:
        """The same is started on the tangents, and waited for where that is."""
        request = s.args[row.roles.index("request")]
        if not self._is_sum(s, row):
            started = [self._call(TANGENTS[s.function], s, row, d) for d in self.engine.directions]
            return [*started, s, communication.tangents_pending(request, span=s.span)]
        own = communication.own_request(request, span=s.span)
        beside = communication.tangent_request(request, span=s.span)
        again = (replace(s, args=(*s.args[:-1], beside)) for _ in self.engine.directions)
        return [s, own, *(self._again(a, row, d) for a, d in zip(again, self.engine.directions, strict=True))]

    def _plainly(self, s: ir.Call, row: MemoryOperation) -> Statements:
        if row.action != "communicate" or not self._is_sum(s, row):
            raise UnsupportedError(
                f"'{s.function}' has no second derivative",
                s.span,
                "use messages that are waited for at once, collective operations, and sums",
            )
        known: Statements = []
        if row.position("peer") is not None and row.positions("dst", "updated"):
            known = [self._known(s, row, number) for number in range(2)]
        return [*known, s, *(self._again(s, row, d) for d in self.engine.directions)]

    def _known(self, s: ir.Call, row: MemoryOperation, number: int) -> ir.Stmt:
        """A check that a message comes from a rank, along a tag, that the program names."""
        roles = ("from_peer", "from_tag") if row.position("from_peer") is not None else ("peer", "tag")
        at = row.position(roles[number])
        assert at is not None
        differs = binary("!=", s.args[at], ir.Intrinsic(WILDCARDS[number], (), INT, span=s.span))
        text = f"line {s.span.line}: a message from any rank, or along any tag, has no second derivative"
        return operations.require(differs, ir.String(texts.quoted(text), STRING, span=s.span), span=s.span)

    # -- parts

    def _is_sum(self, s: ir.Call, row: MemoryOperation) -> bool:
        at = row.position("operator")
        operator = bare(s.args[at]) if at is not None else None
        return at is None or (isinstance(operator, ir.Const) and operator.text == SUM)

    def _again(self, s: ir.Call, row: MemoryOperation, d: Direction) -> ir.Stmt:
        args = tuple(self._shadow(d, a) if role in BUFFERS else a for role, a in zip(row.roles, s.args, strict=True))
        return replace(s, args=args, result=None)

    def _call(
        self,
        act: operations.Act,
        s: ir.Call,
        row: MemoryOperation,
        d: Direction | None,
        result: ir.Place | None = None,
    ) -> ir.Call:
        return act(*(self._operand(s, row, d, role) for role in act.row(()).roles), result=result, span=s.span)

    def _operand(self, s: ir.Call, row: MemoryOperation, d: Direction | None, role: str) -> ir.Expr:
        kind, _, of = role.partition("_")
        of = "updated" if of == "src" and row.position("src") is None else of  # what is sent is replaced
        at = row.position(of if kind in ("dot", "on", "adj") and of in BUFFERS else role)
        if kind == "on" and at is not None:
            return where(self.engine.pointers, self.engine.spaces, s.args[at])
        if kind in ("dot", "adj") and at is not None:
            return self._shadow(d, s.args[at]) if d is not None else _null(s)
        return s.args[at] if at is not None else integer(-1 if role == "root" else 0, s.span, INT)

    def _shadow(self, d: Direction | None, arg: ir.Expr) -> ir.Expr:
        pointer = bare(arg)
        if isinstance(pointer, ir.Const):
            return pointer  # in place, or none
        if d is None or not d.is_active_pointer(pointer):
            raise UnsupportedError("constants are sent along with active data", arg.span, "send a copy in an array")
        return d.shadow_pointer(pointer)

    def _is_active(self, s: ir.Stmt) -> bool:
        row = messages.moves(s)
        if row is None or not isinstance(s, ir.Call):
            return False
        pointers = (*messages.sent(s, row), *messages.received(s, row))
        return any(self.engine.one.is_active_pointer(p) for p in pointers)

    def _check(self, s: ir.Call, row: MemoryOperation) -> None:
        refuse_without_derivative(s, row, self.engine.one.is_active_pointer)
        if not isinstance(self.engine.algebra, Linear):
            raise UnsupportedError(
                f"'{s.function}' hands on numbers, not what they depend on", s.span, "find the pattern on one rank"
            )


def _null(s: ir.Call) -> ir.Expr:
    return ir.Const(0, Pointer(VOID), "NULL", span=s.span)
