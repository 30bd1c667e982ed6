"""`__launch_bounds__` of generated kernels: for how many threads a block they have to be compiled.

A pullback needs more registers than its primal.  A multiprocessor has 65536, and a launch of blocks that need more is
refused; so where blocks are known to be large, the compiler is told.  (Without the 1 it would make room for two blocks,
and keep most values in memory.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import prod

from hetad.analysis.coordinates import AXES
from hetad.host.kernels.extents import Extents, number_along
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.visit import walk_stmts

ENOUGH = 256  # threads, of which each may have all the registers that a thread can have


def bounded(
    functions: Mapping[str, ir.Function],
    primal_of: Mapping[str, ir.Function],
    extents: Extents,
) -> dict[str, ir.Function]:
    """`functions`: of the derivative, by name; `primal_of`: by the name of a generated kernel that is launched with
    blocks no larger than those of its primal, that one; `extents`: of blocks in variables that nothing changes."""
    threads: dict[str, list[int | None]] = {}
    for f in functions.values():
        for s in walk_stmts(f.body):
            if isinstance(s, ir.Launch):
                threads.setdefault(s.kernel, []).append(_threads(s.block, extents))

    def bound(f: ir.Function) -> ir.Function:
        if f.name not in primal_of or f.launch_bounds is not None:
            return f
        found = threads.get(f.name, [None])
        known = [n for n in found if n is not None]
        most = max(known) if len(known) == len(found) else _told(primal_of[f.name])
        return f if most is None or most <= ENOUGH else replace(f, launch_bounds=f"{most}, 1")

    return {name: bound(f) for name, f in functions.items()}


def _told(primal: ir.Function) -> int | None:
    """What the program itself says of the largest block."""
    first = re.match(r"\s*(\d+)\s*(?:,|$)", primal.launch_bounds or "")
    return int(first[1]) if first else None


def _threads(block: ir.Expr, extents: Extents) -> int | None:
    """How many threads such a block has at most, where that is a number."""
    along = [_at_most(block, axis, extents) for axis in AXES]
    return None if None in along else prod(n for n in along if n is not None)


def _at_most(block: ir.Expr, axis: str, extents: Extents) -> int | None:
    if isinstance(block, ir.Aggregate):
        match bare(block.elements[AXES.index(axis)]):
            case ir.Binary(op="!=", right=ir.Const(value=0)):
                return 1  # along an axis that the pullback does without
    return number_along(block, axis, extents)
