"""Programs on several devices: in the reverse sweep, too, that device is current which was so in the forward sweep.

What `cudaSetDevice` and peer access change is kept in front of the call and taken back behind it.  So what a derivative
allocates beside an allocation, a launch or a copy (adjoints, records of kernels, snapshots) lies on the device that was
current there, or has the memory that it is for (`emit/support/devices.c`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hetad.diagnostics import UnsupportedError
from hetad.host.symbols import is_written
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.visit import walk_stmts
from hetad.memops.table import PEERS, SET_DEVICE, TABLE
from hetad.passes.manager import program_pass
from hetad.passes.task import Task
from hetad.rules import operations
from hetad.rules.routines import routine_of

if TYPE_CHECKING:
    from hetad.adjoint.engine import Parts
    from hetad.diagnostics import Span

T = TypeVar("T", bound=Task)


@program_pass("refuse-what-each-device-has")
def refuse_what_each_device_has(program: T) -> T:
    """A program on several devices has no variables and handles that are others on each of them."""
    body = program.functions[program.entry].body
    if not uses_devices(body):
        return program
    for variable in program.globals:
        if variable.device and is_written(program, variable.symbol):
            raise UnsupportedError(
                f"'{variable.symbol.name}' is another variable on each of several devices",
                variable.symbol.span,
                "pass kernels a pointer to memory of their own device",
            )
    for s in walk_stmts(body):
        if isinstance(s, ir.Launch) and routine_of(s.kernel, s.span) is not None:
            called = next((i.call for i in s.span.inlinings()), s.span)
            raise UnsupportedError(
                "a routine of a library in a program on several devices", called, "launch a kernel of the program's own"
            )
    return program


def uses_devices(body: ir.Body) -> bool:
    """Whether a program makes another device than number 0 current; after `one-stream`, whether it makes any so."""
    calls = [s for s in walk_stmts(body) if isinstance(s, ir.Call)]
    named = [s.args[0] for s in calls if s.function == "cudaSetDevice"]
    return any(s.function == SET_DEVICE for s in calls) or any(literal(bare(e)) != 0 for e in named)


def changes_peers(body: ir.Body) -> bool:
    """Whether one device gets, or loses, the right to use memory of another."""
    return any(isinstance(s, ir.Call) and s.function in PEERS for s in walk_stmts(body))


def kept_state(s: ir.Call) -> Parts:
    """What keeps the state that a call changes, and what takes it back."""
    if s.function not in TABLE or not TABLE[s.function].switches:
        return [], []
    if s.function == SET_DEVICE:
        return kept_device(s.span)
    peer = s.args[0]
    return [operations.keep_peer(peer, span=s.span)], [operations.return_peer(peer, span=s.span)]


def kept_device(span: Span) -> Parts:
    """What keeps which device is current, and what makes it so again."""
    return [operations.keep_device(span=span)], [operations.return_to_device(span=span)]
