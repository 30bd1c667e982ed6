"""Arguments as a point that can be moved: numbers, mappings and arrays of NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hetad.ir.types import Float, Struct, is_half
from hetad.run.arrays import on_host
from hetad.run.signature import Signature, bind

if TYPE_CHECKING:
    from hetad.ir.nodes import Function


def movable(function: Function, signature: Signature, wrt: Sequence[str], args: Sequence[Any]) -> list[Any]:
    """The arguments of a call; those in `wrt` must be arrays, or numbers.

    Raises:
        ArgumentError: there are too many or too few, or what is to be moved is a list.
    """
    point = []
    for p, value in zip(function.params, bind(signature, args, {}), strict=True):
        moved = on_host(value)
        if isinstance(p.type, Float) and not isinstance(value, float):
            moved = float(value)
        elif isinstance(p.type, Struct) and not is_half(p.type) and not isinstance(value, Mapping):
            moved = dict(zip((f.name for f in p.type.fields), value, strict=True))
        elif p.name in wrt and isinstance(value, list | tuple):
            raise signature.refuse("expected an array, to be moved", "use np.array(...)", p.name)
        point.append(moved)
    return point
