"""The signature of every function of the table of callees, as far as the table tells, for the verifier of the IR."""

from __future__ import annotations

from functools import cache

from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT, LLONG, SIZE_T, UINT, VOID, Pointer, Type
from hetad.ir.verify import Signature
from hetad.rules import callees
from hetad.rules.math.table import prototypes

_ANY = Pointer(VOID)
_OF_ROLES: dict[str, Type] = {"mask": UINT, "width": INT}
_REALS = (("float", FLOAT), ("double", DOUBLE))


@cache
def signature(name: str) -> Signature | None:
    """None: no table has the function."""
    if name in prototypes():
        params, returns = prototypes()[name]
        return Signature(returns, params)
    if name in _INTRINSICS:
        return _INTRINSICS[name]
    row = callees.table().get(name)
    if row is None:
        return None
    if row.kind in ("support", "output") or row.variadic:
        return Signature(row.returns)
    threads = row.kind in ("shuffle", "shuffle adjoint", "vote", "reduction")
    types = (_OF_ROLES.get(role) if threads else None for role in row.roles)
    return Signature(row.returns, tuple(types), row.defaults)


def _row(returns: Type | None, *params: Type | None) -> Signature:
    return Signature(returns, params)


# Of expressions: numbers as bits, and what generated code asks of launches, of lanes and of adjoints.
_INTRINSICS = {
    "__float_as_int": _row(INT, FLOAT),
    "__float_as_uint": _row(UINT, FLOAT),
    "__int_as_float": _row(FLOAT, INT),
    "__uint_as_float": _row(FLOAT, UINT),
    "__double_as_longlong": _row(LLONG, DOUBLE),
    "__longlong_as_double": _row(DOUBLE, LLONG),
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
    "hetad_was_zero": _row(BOOL, None),
    **{f"hetad_lane_sum_{name}": _row(real, real, UINT) for name, real in _REALS},
    **{f"hetad_take_{name}": _row(real, Pointer(real)) for name, real in _REALS},
}
