"""The signature of every function that hetad knows by name, as far as its tables tell, for the verifier of the IR."""

from __future__ import annotations

from functools import cache

from hetad.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    SIZE_T,
    UINT,
    VOID,
    Pointer,
    Type,
)
from hetad.ir.verify import Signature
from hetad.memops.library import FORMATTED
from hetad.memops.table import SUPPORT, TABLE
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math.table import prototypes

_ANY = Pointer(VOID)
_REALS = (("float", FLOAT), ("double", DOUBLE))


@cache
def signature(name: str) -> Signature | None:
    """None: no table has the function."""
    return _all().get(name)


@cache
def _all() -> dict[str, Signature]:
    known = {name: Signature(returns, params) for name, (params, returns) in prototypes().items()}
    known |= {row.name: Signature(row.returns, (None,) * len(row.roles), row.defaults) for row in TABLE.values()}
    known |= {name: Signature(f.returns) for name, f in SUPPORT.items()}
    return known | _OF_DEVICES | _OF_BITS | _OF_TEXTS | _OF_LAUNCHES | _OF_ADJOINTS


def _row(returns: Type | None, *params: Type | None, defaults: int = 0) -> Signature:
    return Signature(returns, params, defaults)


_OF_DEVICES = {
    **dict.fromkeys(("__syncthreads", "__threadfence", "__threadfence_block", "__threadfence_system"), _row(VOID)),
    "__syncwarp": _row(VOID, UINT, defaults=1),
    **dict.fromkeys(
        (f"atomic{op}" for op in ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor")),
        _row(None, None, None),
    ),
    "atomicCAS": _row(None, None, None, None),
    **{f"__shfl_{how}sync": _row(None, UINT, None, None, INT, defaults=1) for how in ("", "up_", "down_", "xor_")},
    **{
        f"hetad_shfl{how}_adjoint_{name}": _row(real, UINT, real, None, INT)
        for how in ("", "_up", "_down", "_xor")
        for name, real in _REALS
    },
    "__ballot_sync": _row(UINT, UINT, None),
    "__any_sync": _row(INT, UINT, None),
    "__all_sync": _row(INT, UINT, None),
    "__activemask": _row(UINT),
    **{f"__syncthreads_{how}": _row(INT, None) for how in ("count", "and", "or")},
    **{f"__reduce_{how}_sync": _row(None, UINT, None) for how in ("add", "min", "max")},
}

_OF_BITS = {
    "__float_as_int": _row(INT, FLOAT),
    "__float_as_uint": _row(UINT, FLOAT),
    "__int_as_float": _row(FLOAT, INT),
    "__uint_as_float": _row(FLOAT, UINT),
    "__double_as_longlong": _row(LLONG, DOUBLE),
    "__longlong_as_double": _row(DOUBLE, LLONG),
    **dict.fromkeys(CLASSIFICATION, _row(BOOL, None)),
}

_OF_TEXTS = {
    **{name: Signature(INT) for name in ("printf", "fprintf", *FORMATTED)},
    **{name: _row(INT, None) for name in ("puts", "putchar", "fflush", "assert")},
    "fputs": _row(INT, None, None),
}

# What a launch is shaped by, and what its lanes do together.
_OF_LAUNCHES = {
    "hetad_apart": _row(INT, None, None),
    "hetad_blocks": _row(UINT, UINT),
    "hetad_few_lanes": _row(UINT),
    "hetad_lanes": _row(UINT),
    "hetad_marched": _row(UINT, UINT, SIZE_T),
    "hetad_now": _row(_ANY, None),
    "hetad_of_lane": _row(None, None, UINT, UINT),
    "hetad_table_on_device": _row(_ANY, None),
    "hetad_team": _row(UINT, UINT, UINT),
    "hetad_tiling": _row(UINT, UINT),
    **{f"hetad_lane_sum_{name}": _row(real, real, UINT) for name, real in _REALS},
}

_OF_ADJOINTS = {
    "hetad_was_zero": _row(BOOL, None),
    **{f"hetad_take_{name}": _row(real, Pointer(real)) for name, real in _REALS},
}
