"""Communication, reversed: each action of `memops/communication.py` with its forward and reverse statements.

| action      | forward                               | reverse                                                |
|-------------|---------------------------------------|--------------------------------------------------------|
| communicate | save what is overwritten, communicate | restore; adjoints the other way (`rules/communication.py`) |
| start       | save what is overwritten, start       | of a receive nothing more; the adjoint of a send comes |
| complete    | wait, note what has come              | the adjoint of what has come goes back, and is zero    |

Adjoints go along communicators of their own beside the program's (`join-communicators` makes them), in messages whose
sender never waits (`emit/support/mpi_messages.c` says why that cannot deadlock).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetad.analysis import messages
from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.host.derivation import Derivation, on_derivative
from hetad.host.saves import together
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import convert, integer, var
from hetad.ir.simplify import simplest
from hetad.ir.types import COMMUNICATOR, INT, SIZE_T, VOID, Float, Pointer, scalar_base, size_of
from hetad.ir.visit import bodies, own_exprs, walk_expr, walk_stmts
from hetad.memops import nccl
from hetad.memops.communication import (
    BEGINS,
    BUFFERS,
    BYTES,
    HANDLES,
    HEADER,
    IN_PLACE,
    INTEGERS,
    MAKE_COMMUNICATORS,
    OTHER_OPERATORS,
    REALS,
    STARTED,
    STARTS,
    SUM,
)
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import communication, operations
from hetad.rules.communication import RULES, TANGENTS
from hetad.rules.operation import ADJOINT_OF_COLLECTIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from hetad.adjoint.engine import Parts
    from hetad.analysis.pointers import PointsTo
    from hetad.analysis.spaces import Spaces
    from hetad.diagnostics import Span
    from hetad.host.engine import HostEngine

_TOLD = ("request", "request_held", "requests", "status", "number", "found", "numbers", "store", "handle_changed")
_WIDTHS = {**dict(zip(REALS, (4, 8), strict=True)), **nccl.REALS}
_BYTES = (*BYTES, *nccl.BYTES)
_OF_ONE_BUFFER = (communication.elements_bytes, communication.nccl_bytes)
_NO_HANDLE = {"type": "MPI_DATATYPE_NULL", "block_type": "MPI_DATATYPE_NULL", "operator": "MPI_OP_NULL"}
_POINTERS = (*BUFFERS, "counts", "places", "sent_counts", "sent_places")
_FREES = {
    "MPI_Comm_free": communication.comm_free,
    "MPI_Type_free": communication.type_free,
    "MPI_Request_free": communication.request_free,
}


class CommunicationAdjoints:
    def __init__(self, engine: HostEngine) -> None:
        self.engine = engine
        self._active = self._starts = self._counts = False
        self._joined = communication.joined
        self._known = engine.pointers, engine.spaces

    def find(self, body: ir.Body) -> None:
        """Finds whether any message of the program has an adjoint; then all have that carry numbers."""
        self._active = any(self._is_active(s) for s in walk_stmts(body))
        if self._active:
            refuse_work_in_groups(body, self.engine.is_active)
        self._starts = self._active and any(True for _ in messages.started(walk_stmts(body)))
        self._joined = joins(body)
        self._counts = self.engine.checkpoints is not None and together.meet(body)

    def operation(self, s: ir.Call, row: MemoryOperation) -> Parts:
        refuse_reals_as_integers(s, row)
        save, restore = self._told(s, row)
        if row.action == "inert":
            return [*save, *self._asked(s)], restore
        more, undo = self._overwritten(s, row)
        save, restore = [*save, *more], [*undo, *restore]
        if not self._active or (row.action != "complete" and not self._has_numbers(s)):
            return [*save, *self._synchronised(s, row), s, *self._counted(s, row, noted=False)], restore
        refuse_without_derivative(s, row, self.engine.is_active_pointer)
        rule = RULES[s.function]
        call = s if rule.forward is None else self._call(rule.forward, s, row, s.result)
        before, behind = ([self._call(a, s, row)] if a is not None else [] for a in (rule.before, rule.behind))
        assert rule.pullback is not None
        reverse = [*self._flushed(s, row), self._call(rule.pullback, s, row)]
        # A start takes back itself what it has saved, last.
        reverse = [*reverse, *restore] if s.function in STARTS else [*restore, *reverse]
        return [*save, *self._synchronised(s, row), *before, call, *behind, *self._counted(s, row, noted=True)], reverse

    def turn(self, span: Span) -> list[ir.Stmt]:
        """Between the sweeps: all that was started has come to its end."""
        return [communication.all_waited(span=span)] if self._starts else []

    # -- the primal

    def _asked(self, s: ir.Call) -> list[ir.Stmt]:
        """What the library is asked for; what is freed the reverse sweep may still need."""
        if s.function == "ncclCommDestroy" and self._active:
            return [communication.nccl_destroy(s.args[0], result=s.result, span=s.span)]
        if s.function in _FREES and self._active:
            return [_FREES[s.function](*s.args, result=s.result, span=s.span)]
        made = out_place(s.args[-1]) if s.function in MAKE_COMMUNICATORS and self._active else None
        return [s, self._joined(made, span=s.span)] if made is not None else [s]

    def _synchronised(self, s: ir.Call, row: MemoryOperation) -> list[ir.Stmt]:
        """The library may read memory of the device, which a launch may be about to write: the program has waited for
        its own streams, of which the derivative has none."""
        on_device = row.header == HEADER and any(
            self.engine.spaces.behind(bare(s.args[i])) == "device" for i in row.positions(*BUFFERS)
        )
        return [ir.Call("cudaDeviceSynchronize", (), span=s.span)] if on_device else []

    def _told(self, s: ir.Call, row: MemoryOperation) -> Parts:
        """Saves the variables in which the call tells something."""
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        for i in sorted(row.positions(*_TOLD)):
            arg = bare(s.args[i])
            place = out_place(arg) if isinstance(arg, ir.AddressOf) else None
            if isinstance(arg, ir.Const):
                continue
            save, restore = self.engine.save(place, s.span) if place is not None else self.engine.memory.written(s, arg)
            forward, reverse = [*forward, *save], [*restore, *reverse]
        return forward, reverse

    def _overwritten(self, s: ir.Call, row: MemoryOperation) -> Parts:
        """Saves the memory that the call overwrites."""
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        for i in sorted(row.positions("dst", "updated")):
            arg = bare(s.args[i])
            if isinstance(arg, ir.Const) or RULES[s.function].extent is None:
                continue
            save, restore = self.engine.memory.save_range(s, arg, self._extent(s, row))
            forward, reverse = [*forward, *save], [*restore, *reverse]
        return forward, reverse

    def _extent(self, s: ir.Call, row: MemoryOperation) -> ir.Expr:
        """The bytes that a call overwrites."""
        rule = RULES[s.function]
        assert rule.extent is not None
        operands = [self._operand(s, row, role) for role in rule.of.split() or rule.extent.row(()).roles]
        type_ = bare(operands[-1])
        if rule.extent in _OF_ONE_BUFFER and isinstance(type_, ir.Const) and type_.text in _WIDTHS:
            size = ir.Const(_WIDTHS[type_.text], SIZE_T, span=s.span)
            return simplest(ir.Binary("*", convert(operands[0], SIZE_T), size, SIZE_T, span=s.span))
        return rule.extent(*operands, span=s.span)

    def _counted(self, s: ir.Call, row: MemoryOperation, noted: bool) -> list[ir.Stmt]:
        """Counts messages between two ranks, by which time loops know that none is on its way.  `noted`: what is
        received has been counted when it came."""
        to = row.position("peer")
        if not self._counts or to is None or row.header != HEADER or s.function.endswith("_init"):
            return []
        sends, receives = row.positions("src", "updated"), row.positions("dst", "updated")
        counted: list[ir.Stmt] = [communication.gone(s.args[to], span=s.span)] if sends else []
        if receives and not noted and row.action != "start":
            source = row.position("from_peer")
            counted.append(communication.came(s.args[source if source is not None else to], span=s.span))
        return counted

    # -- adjoints

    def _flushed(self, s: ir.Call, row: MemoryOperation) -> list[ir.Stmt]:
        """Variables may have a part of their adjoints on the device when these go back: where a wait is undone, or the
        operation itself."""
        pointers = self.engine.pointers
        targets = [t for i in sorted(row.positions("dst", "updated")) for t in pointers.targets(bare(s.args[i]))]
        back = pointers.in_flight if row.action == "complete" else () if row.action == "start" else targets
        return [f for t in back if isinstance(t, ir.Symbol) for f in self.engine.flush(t, s.span)]

    def _has_numbers(self, s: ir.Call) -> bool:
        return messages.has_numbers(s, self.engine.pointers, self.engine.is_active_pointer)

    def _is_active(self, s: ir.Stmt) -> bool:
        row = messages.moves(s)
        if row is None or not isinstance(s, ir.Call):
            return False
        return any(self.engine.is_active_pointer(p) for p in (*messages.sent(s, row), *messages.received(s, row)))

    def _call(self, act: operations.Act, s: ir.Call, row: MemoryOperation, result: ir.Place | None = None) -> ir.Call:
        roles = act.row(()).roles
        return act(*(self._operand(s, row, role) for role in roles), result=result, span=s.span)

    def _operand(self, s: ir.Call, row: MemoryOperation, role: str) -> ir.Expr:
        """What an operation is given: an argument, the adjoint of one, or what is known of the memory."""
        kind, _, of = role.partition("_")
        if kind in ("adj", "on") and of in BUFFERS and (at := row.position(of)) is not None:
            return self._adjoint(s, s.args[at]) if kind == "adj" else where(*self._known, s.args[at])
        at = row.position(role)
        return s.args[at] if at is not None else _absent(s, role)

    def _adjoint(self, s: ir.Call, arg: ir.Expr) -> ir.Expr:
        pointer = bare(arg)
        if self.engine.is_active_pointer(pointer):
            return self.engine.shadow_pointer(pointer)
        if isinstance(pointer, ir.Const) and pointer.text == IN_PLACE:
            return pointer
        return ir.Const(0, Pointer(VOID), "NULL", span=s.span)


def _absent(s: ir.Call, role: str) -> ir.Expr:
    """What stands for an argument that the function does not have."""
    if role == "adjoint":
        return ir.Intrinsic(RULES[s.function].adjoint, (), ADJOINT_OF_COLLECTIVE, span=s.span)
    if role in _NO_HANDLE:
        return ir.Const(0, HANDLES[_NO_HANDLE[role]], _NO_HANDLE[role], span=s.span)
    if role in _POINTERS or role.startswith("adj_"):
        return ir.Const(0, Pointer(VOID), "NULL", span=s.span)
    near = "neighbor" in s.function
    return integer({"line": s.span.line, "root": -2 if near else -1}.get(role, 0), s.span, INT)


def joins(body: ir.Body) -> operations.Act:
    """What makes communicators for adjoints: adjoints that start have ways of their own."""
    starts = any(isinstance(s, ir.Call) and s.function in STARTED for s in walk_stmts(body))
    return communication.joined_twice if starts else communication.joined


def where(pointers: PointsTo, spaces: Spaces, arg: ir.Expr) -> ir.Expr:
    """What operations are told of memory: 1 on the device, and twice the bytes of a number there, if that is known."""
    pointer = bare(arg)
    widths = {size_of(f) for t in pointers.targets(pointer) for f in pointers.floating_types(t)}
    width = widths.pop() if len(widths) == 1 else 0
    return integer((spaces.behind(pointer) == "device") + 2 * width, arg.span, INT)


def refuse_reals_as_integers(s: ir.Call, row: MemoryOperation) -> None:
    """Messages of integers have no derivative, so what they carry must be integers."""
    reals = (scalar_base(bare(s.args[i]).type) for i in sorted(row.positions(*BUFFERS)))
    held = next((t for t in reals if isinstance(t, Float)), None)
    for type_ in (bare(s.args[i]) for i in sorted(row.positions("type", "block_type"))):
        if held is not None and isinstance(type_, ir.Const) and type_.text in INTEGERS:
            raise UnsupportedError(f"data of type '{held}' is sent as {type_.text}", type_.span, "name its own type")


def refuse_without_derivative(s: ir.Call, row: MemoryOperation, is_active: Callable[[ir.Expr], bool]) -> None:
    """Refuses what has no derivative, as far as the text tells.  `is_active`: what lies behind a pointer."""
    buffers = [bare(s.args[i]) for i in sorted(row.positions(*BUFFERS))]
    active = [p for p in buffers if is_active(p)]
    for type_ in (bare(s.args[i]) for i in sorted(row.positions("type", "block_type", "kind_of_number"))):
        if not isinstance(type_, ir.Const) or type_.text is None:
            continue
        if active and type_.text in _BYTES:
            raise UnsupportedError(
                f"active data is sent as {type_.text}", type_.span, "send it as MPI_FLOAT or MPI_DOUBLE"
            )
        for held in (scalar_base(p.type) for p in active):
            if isinstance(held, Float) and type_.text in _WIDTHS and 8 * _WIDTHS[type_.text] != held.bits:
                raise UnsupportedError(
                    f"active data of type '{held}' is sent as {type_.text}", type_.span, "name its own type"
                )
    _refuse_reduction(s, row)
    at = row.position("operator")
    operator = bare(s.args[at]) if at is not None else None
    if not isinstance(operator, ir.Const) or operator.text == SUM:
        return
    if operator.text in OTHER_OPERATORS or RULES[STARTED.get(s.function, s.function)].forward is None:
        raise UnsupportedError(
            f"{s.function} of active data by {operator.text} has no derivative", operator.span, "sum by MPI_SUM"
        )


def _refuse_reduction(s: ir.Call, row: MemoryOperation) -> None:
    """Of NCCL: the text must tell that it is a sum."""
    at = row.position("reduction")
    operation = bare(s.args[at]) if at is not None else None
    if operation is None or (isinstance(operation, ir.Const) and operation.text in nccl.SUMS):
        return
    raise UnsupportedError(
        f"{s.function} of active data that is no sum has no derivative", operation.span, "use ncclSum"
    )


def refuse_work_in_groups(body: ir.Body, active: Callable[[ir.Expr], bool]) -> None:
    """What is not communication stands outside of groups of NCCL: inside, messages pass each other."""
    inside: ir.Call | None = None
    for s in body:
        starts, ends = (isinstance(s, ir.Call) and s.function == f"ncclGroup{w}" for w in ("Start", "End"))
        for inner in walk_stmts((s,)):
            place = inner.target if isinstance(inner, ir.Assign | ir.Update) else None
            works = isinstance(inner, ir.Launch) or (place is not None and active(place)) or _works(inner)
            if works and inside is not None:
                raise UnsupportedError(
                    f"this stands in a group of NCCL (line {inside.span.line})", inner.span, "end the group before"
                )
        if (starts and inside is not None) or (ends and inside is None):
            raise UnsupportedError("a group of NCCL in another", s.span, "make it one group")
        inside = s if starts and isinstance(s, ir.Call) else None if ends else inside
        if inside is None:
            for part in bodies(s):
                refuse_work_in_groups(part, active)
    if inside is not None:
        raise UnsupportedError("the group that starts here does not end in the same block", inside.span, "end it there")


def _works(s: ir.Stmt) -> bool:
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    return row is not None and row.action not in ("inert", "text") and row.header != nccl.HEADER


@on_derivative("join-communicators")
def join_communicators(derivation: Derivation) -> ir.Body:
    """Where adjoints or tangents go between ranks, communicators for them are made at the begin, by all ranks of those
    that the function uses; and at the end all have gone."""
    body = derivation.body
    acts = [act for r in RULES.values() for act in (r.pullback, r.forward, r.before) if act is not None]
    join = joins(body)
    beside = {act.name for act in (*acts, *TANGENTS.values(), communication.open_loop)}
    called = {s.function for s in walk_stmts(body) if isinstance(s, ir.Call)} & beside
    tail = body[-1:] if body and isinstance(body[-1], ir.Return) else ()
    rest = body[: len(body) - len(tail)]
    if any(isinstance(s, ir.Call) and operations.does(s, communication.nccl_destroy) for s in walk_stmts(body)):
        rest = (*rest, communication.nccl_done(span=derivation.span))
    if not any(map(communication.of_mpi, called)):
        return (*rest, *tail) if len(rest) + len(tail) > len(body) else body
    named = [p for p in derivation.function.params if p.type == COMMUNICATOR]
    mentioned = (e for s in walk_stmts(body) for own in own_exprs(s) for e in walk_expr(own))
    constants = {e.text: e for e in mentioned if isinstance(e, ir.Const) and e.type == COMMUNICATOR and e.text}
    constants.pop("MPI_COMM_NULL", None)
    joined = [join(c, span=derivation.span) for _, c in sorted(constants.items())]
    joined += [join(var(p), span=p.span) for p in named]
    start = next((i for i, s in enumerate(rest, 1) if _begins(s)), 0)
    return (*rest[:start], *joined, *rest[start:], communication.done(span=derivation.span), *tail)


def _begins(s: ir.Stmt) -> bool:
    """Whether MPI begins there, before which it is not used."""
    return any(isinstance(x, ir.Call) and x.function in BEGINS for x in walk_stmts((s,)))


def communicates(row: MemoryOperation) -> bool:
    """Whether it is a function of MPI or NCCL."""
    return row.header in (HEADER, nccl.HEADER)
