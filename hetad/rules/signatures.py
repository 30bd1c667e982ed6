"""The signature of every function of the table of callees, as far as the table tells, for the verifier of the IR."""

from __future__ import annotations

from functools import cache

from hetad.ir.types import INT, UINT, Type
from hetad.ir.verify import Signature
from hetad.rules import callees

_OF_ROLES: dict[str, Type] = {"mask": UINT, "width": INT}


@cache
def signature(name: str) -> Signature | None:
    """None: no table has the function."""
    row = callees.table().get(name)
    if row is None:
        return None
    if row.params is not None:
        return Signature(row.returns, row.params, converts=row.kind == "support")
    if row.kind in ("support", "output") or row.variadic:
        return Signature(row.returns)
    threads = row.kind in ("shuffle", "shuffle adjoint", "vote", "reduction")
    types = (_OF_ROLES.get(role) if threads else None for role in row.roles)
    return Signature(row.returns, tuple(types), row.defaults)
