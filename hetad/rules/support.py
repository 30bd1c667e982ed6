"""hetad's own functions in generated code: a row for each.

Their text is in `emit/support` (`emit/support.py` finds what a program needs), but for marks, which are gone before
anything is emitted, and for what only one target has, which another replaces (`emit/synchronisation.at_once`,
`emit/exchange.py`).  What is asked about one is asked by its role, or by a trait, never by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hetad.ir.types import BOOL, CUDA_ERROR, DOUBLE, FLOAT, INT, SIZE_T, UINT, VOID, Pointer, Type
from hetad.rules.callee import ALL, Callee, Role, Trait

_ANY = Pointer(VOID)
_FAILS: Trait = "may fail for want of memory"


def _row(
    name: str,
    role: Role = "",
    *traits: Trait,
    returns: Type | None = VOID,
    params: tuple[Type | None, ...] | None = None,
    reads: tuple[int, ...] = (),
    writes: tuple[int, ...] = (),
    kept: bool = True,
) -> Callee:
    """`kept`: it has an effect on adjoints or on the run that no analysis of values may remove."""
    return Callee(
        f"hetad_{name}", "support", returns=returns, params=params, reads=frozenset(reads), writes=frozenset(writes),
        kept=kept, role=role, traits=frozenset(traits),
    )  # fmt: skip


def _each(
    name: str,
    role: Role,
    *traits: Trait,
    params: Callable[[Type], tuple[Type, ...]] | None = None,
    reads: tuple[int, ...] = (),
    writes: tuple[int, ...] = (),
) -> Iterator[Callee]:
    """One for float and one for double; `params`: of one that returns such a number."""
    for real in (FLOAT, DOUBLE):
        given = params(real) if params is not None else None
        returns = real if params is not None else VOID
        yield _row(f"{name}_{real}", role, *traits, returns=returns, params=given, reads=reads, writes=writes)


def _mark(name: str, role: Role) -> Callee:
    return Callee(f"hetad_{name}", "support", returns=VOID, reads=ALL, writes=ALL, kept=True, role=role)


_SWEEPS = (  # in the host's forward and reverse sweep
    _row("begin"),
    _row("end"),
    _row("argument"),
    _row("limit", "", "adds nothing"),
    _row("site"),
    _row("forward_done", "forward done", "adds nothing", "needs no session"),
    _row("launched", "", "adds nothing", "needs no session", "of reverse sweep"),
    _row("cublas_given", "", "needs no session"),
    _row("require"),
    _row("require_disjoint", "", "by its own address"),
    _row("require_space", "", "asks extents", "by its own address"),
    _row("open_loop"),
    _row("reopen_loop", "", "of reverse sweep"),
    _row("next", "", "adds nothing", writes=(0, 1, 2)),
    _row("apart", returns=INT, params=(None, None)),
    _row("undefined", "undefined"),
    _mark("found", "found"),
    _mark("lost", "lost"),
)

_MEMORY = (
    _row("device_malloc", "allocation", _FAILS, returns=CUDA_ERROR, writes=(0,), kept=False),
    _row("device_zeros", "zeroed allocation", _FAILS, returns=CUDA_ERROR, writes=(0,), kept=False),
    _row("managed_zeros", "managed allocation", _FAILS, returns=CUDA_ERROR, writes=(0,), kept=False),
    _row("symbol_address", returns=CUDA_ERROR, writes=(0,), kept=False),
    _row("host_malloc", "allocation", _FAILS, "on the host", returns=_ANY, kept=False),
    _row("host_zeros", "zeroed allocation", _FAILS, "on the host", returns=_ANY, kept=False),
    _row("tape_allocate", writes=(0,)),
    _row("release", "end of an allocation", _FAILS, "by its own address"),
    _row("retire", "end of an allocation", _FAILS, writes=(0,)),
    _row("revive", "end of an allocation"),
    _row("revive_zeros", "end of an allocation", writes=(0,)),
    _row("freed", "", _FAILS, "adds nothing", "asks extents", "by its own address"),
    _row("kept_bytes", returns=SIZE_T, kept=False),
    _row("elements", returns=SIZE_T, kept=False),
    _row("read_back"),
    _row("nested"),
    _row("table_on_device", returns=_ANY, params=(None,)),
    _row("now", returns=_ANY, params=(None,)),
    _row("clear", "", _FAILS, "adds nothing", "asks extents", writes=(0,)),
    _row("clear_rows", "", _FAILS, "adds nothing", "asks extents", writes=(0,)),
    _row("whole_numbers", "", "adds nothing"),
    *_each("copy_pullback", "copy", _FAILS, "of reverse sweep", "asks extents", reads=(0, 1), writes=(0, 1)),
    *_each("move_pullback", "move", _FAILS, "of reverse sweep", reads=(0, 1), writes=(0, 1)),
    *_each("rows_pullback", "copy of rows", _FAILS, "of reverse sweep", "asks extents", reads=(0, 2), writes=(0, 2)),
    *_each("read_scalar", "scalar", "of reverse sweep", reads=(0,), writes=(0,)),
)

_SAVES: tuple[Trait, ...] = ("adds nothing", "remembers addresses")
_RESTORES: tuple[Trait, ...] = ("adds nothing", "of reverse sweep")

_TAPE = (
    _row("push", "push", "adds nothing", "on the host"),
    _row("pop", "pop", "on the host", *_RESTORES),
    *(
        _row(name, "", _FAILS, *_SAVES)
        for name in "save save_reached save_range save_part save_column save_columns".split()
    ),
    *(_row(name, "", *_SAVES) for name in "rename rename_range rename_part rename_rows rename_planes renamed".split()),
    *(_row(f"restore{part}", "", _FAILS, *_RESTORES) for part in ("", "_range", "_part", "_column", "_columns")),
)

_ZEROS = (  # which adjoints are zero in every cell
    _row("was_zero", "question of zeros", returns=BOOL, params=(None,)),
    _row("cleared", "cleared", _FAILS, "adds nothing"),
    _row("added"),
    _row("added_anywhere"),
)

_KERNELS = (  # in kernels, and about their launches
    *_each("take", "take", params=lambda real: (Pointer(real),), reads=(0,), writes=(0,)),
    *_each("swap", "swap", params=lambda real: (Pointer(real), real), reads=(0,), writes=(0,)),
    _row("replay", "replay", returns=None, params=(None, None)),
    *_each("block_add", "block add", writes=(0,)),
    *_each("block_sum", "block sum", writes=(0,)),
    *_each("warp_add", "warp add", writes=(0,)),
    *_each("add_run", "run add", writes=(0,)),
    *_each("hot_begin", "hot begin"),
    *_each("hot_add", "hot add", writes=(0,)),
    *_each("hot_end", "hot end"),
    *_each("lane_sum", "lane sum", params=lambda real: (real, UINT)),
    _row("lanes", returns=UINT, params=()),
    _row("few_lanes", returns=UINT, params=()),
    _row("of_lane", returns=None, params=(None, UINT, UINT)),
    _row("team", returns=UINT, params=(UINT, UINT)),
    _row("tiling", returns=UINT, params=(UINT,)),
    _row("marched", returns=UINT, params=(UINT, SIZE_T)),
    _row("blocks", returns=UINT, params=(UINT,)),
)

ROWS: tuple[Callee, ...] = (*_SWEEPS, *_MEMORY, *_TAPE, *_ZEROS, *_KERNELS)
_NAMES = {(row.role, ""): row.name for row in ROWS} | {
    (row.role, real): row.name for row in ROWS for real in ("float", "double") if row.name.endswith(f"_{real}")
}


def named(role: Role, type_: Type | None = None) -> str:
    """The function that does this, with numbers of the type."""
    return _NAMES[role, "" if type_ is None else str(type_)]
