"""Arguments as a point that can be moved: numbers, mappings and arrays of NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hetad.ir.types import Float, Struct, Type
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
        moved = as_movable(p.type, on_host(value))
        if p.name in wrt and isinstance(moved, list | tuple):
            raise signature.refuse("expected an array, to be moved", "use np.array(...)", p.name)
        point.append(moved)
    return point


def as_movable(type_: Type, value: Any) -> Any:
    """An argument of a parameter of this type, which it fits, as a number, a mapping or an array."""
    if isinstance(type_, Float) and not isinstance(value, float):
        return float(value)
    if isinstance(type_, Struct) and not isinstance(value, Mapping):
        return dict(zip((f.name for f in type_.fields), value, strict=True))
    return value
