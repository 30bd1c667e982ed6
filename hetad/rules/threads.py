"""What threads do together: a row for each atomic, barrier, fence, shuffle, vote and reduction.

To add one is to add its row; one that runs on the CPU needs C text too, `hetad_<name>` in `emit/support`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hetad.ir.types import INT, UINT, VOID, Type
from hetad.rules.callee import Adds, Callee, Inactive, Mirrored, Pullback, Restored, Scope, Transposed

_FIRST = frozenset({0})


def _atomic(name: str, pullback: Pullback = Inactive(), *, compares: bool = False, ordered: bool = False) -> Callee:  # noqa: B008
    """`old = atomic(place, value)`, of the type that the place has."""
    roles = ("place", "compare", "value") if compares else ("place", "value")
    return Callee(
        name, "atomic", roles, reads=_FIRST, writes=_FIRST, ordered=ordered, pullback=pullback,
        emit={"c": f"hetad_{name}"},
    )  # fmt: skip


def _barrier(name: str, scope: Scope, kind: str) -> Callee:
    return Callee(name, "barrier", returns=VOID, scope=scope, pullback=Mirrored(), emit={"fibers": kind})


def _fence(name: str, scope: Scope) -> Callee:
    alone = {"c": "(void)0", "parallel c": "__atomic_thread_fence(__ATOMIC_SEQ_CST)"}
    race = {} if scope == "block" else {"races": "hetad_race_fence()"}
    return Callee(name, "fence", returns=VOID, scope=scope, text=alone | race)  # type: ignore[arg-type]


def _shuffle(name: str, way: str, lane: Literal["lane", "delta"]) -> Callee:
    """`value of another lane = shuffle(mask, value, lane, width)`; `lane` is an int, `delta` unsigned."""
    return Callee(
        name, "shuffle", ("mask", "value", lane, "width"), 1, scope="warp",
        pullback=Transposed(f"hetad_shfl{way}_adjoint"),
        emit={"lanes": f"hetad_lane{way}", "fibers": way.strip("_").upper() or "IDX"},
    )  # fmt: skip


def _vote(name: str, kind: str, returns: Type = INT, roles: tuple[str, ...] = ("mask", "predicate")) -> Callee:
    of_block = "mask" not in roles and bool(roles)
    pullback = Restored("__syncthreads") if of_block else Restored()
    scope: Scope = "block" if of_block else "warp"
    return Callee(name, "vote", roles, returns=returns, scope=scope, pullback=pullback, emit={"fibers": kind})


def _reduction(name: str, kind: str) -> Callee:
    """Of the lanes' `int` or `unsigned`."""
    return Callee(
        name, "reduction", ("mask", "value"), scope="warp", pullback=Restored(),
        emit={"lanes": f"hetad_reduce_{kind.lower()}", "fibers": kind},
    )  # fmt: skip


def _shuffle_adjoint(way: str, real: str) -> Callee:
    """`sum over the lanes that read this one = adjoint(mask, seed, lane, width)`, transposed."""
    return Callee(
        f"hetad_shfl{way}_adjoint_{real}", "shuffle adjoint", ("mask", "value", "lane", "width"), scope="warp",
        pullback=Transposed(f"__shfl{way}_sync", typed=False),
        emit={"lanes": f"hetad_lane{way}", "fibers": f"{way.strip('_').upper() or 'IDX'}_ADJOINT"},
    )  # fmt: skip


_ATOMICS = (
    _atomic("atomicAdd", Adds(1)),
    _atomic("atomicSub", Adds(-1)),
    _atomic("atomicMin"),
    _atomic("atomicMax"),
    _atomic("atomicInc"),
    _atomic("atomicDec"),
    _atomic("atomicAnd"),
    _atomic("atomicOr"),
    _atomic("atomicXor"),
    _atomic("atomicExch", ordered=True),
    _atomic("atomicCAS", compares=True, ordered=True),
)

ROWS: tuple[Callee, ...] = (
    *_ATOMICS,
    *(replace(row, name=f"{row.name}_{scope}") for row in _ATOMICS for scope in ("block", "system")),
    _barrier("__syncthreads", "block", "BARRIER"),
    replace(_barrier("__syncwarp", "warp", "SYNCWARP"), roles=("mask",), defaults=1),
    _fence("__threadfence_block", "block"),
    _fence("__threadfence", "device"),
    _fence("__threadfence_system", "system"),
    _shuffle("__shfl_sync", "", "lane"),
    _shuffle("__shfl_up_sync", "_up", "delta"),
    _shuffle("__shfl_down_sync", "_down", "delta"),
    _shuffle("__shfl_xor_sync", "_xor", "lane"),
    *(_shuffle_adjoint(way, real) for way in ("", "_up", "_down", "_xor") for real in ("float", "double")),
    _vote("__activemask", "ACTIVE", UINT, ()),
    _vote("__ballot_sync", "BALLOT", UINT),
    _vote("__any_sync", "ANY"),
    _vote("__all_sync", "ALL"),
    _vote("__syncthreads_count", "COUNT", roles=("predicate",)),
    _vote("__syncthreads_and", "AND", roles=("predicate",)),
    _vote("__syncthreads_or", "OR", roles=("predicate",)),
    _reduction("__reduce_add_sync", "ADD"),
    _reduction("__reduce_min_sync", "MIN"),
    _reduction("__reduce_max_sync", "MAX"),
)
