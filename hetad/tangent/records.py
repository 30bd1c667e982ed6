"""Tangents of what a derivative that is differentiated again saves and restores itself (`host/again/records.py`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.shadows import Shadows
from hetad.host.again.records import carries, holds_active, is_of_pointers, recorded, recorded_value, refuse_structs
from hetad.ir import nodes as ir
from hetad.ir.build import address_of
from hetad.rules import operations, records

if TYPE_CHECKING:
    from hetad.tangent.engine import Statements
    from hetad.tangent.host import HostEngine


def tangent_record(engine: HostEngine, s: ir.Call) -> Statements:
    """Such a statement, with what it does to the tangents."""
    pointer = recorded(s)
    refuse_structs(engine.one, s, pointer)
    own: Statements = []
    if is_of_pointers(s):
        own = [_of_shadow(d, s) for d in engine.directions if carries(d, recorded_value(s))]
    elif holds_active(engine.one, s, pointer):
        own = [replace(s, args=(d.shadow_pointer(pointer), *s.args[1:])) for d in engine.directions]
    return [s, *own] if operations.does(s, *records.KEPT) else [*reversed(own), s]


def _of_shadow(d: Shadows, s: ir.Call) -> ir.Stmt:
    return replace(s, args=(address_of(d.shadow_place(recorded_value(s))), *s.args[1:]))
