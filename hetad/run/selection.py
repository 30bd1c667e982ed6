"""Which parameters a gradient is of, and with respect to which: `of` and `wrt` as users write them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hetad.ir.types import Float, Opaque, Pointer, holds_floating
from hetad.run.signature import Signature, nearest

if TYPE_CHECKING:
    from hetad.ir.nodes import Function, Symbol

Selection = str | int | Sequence[str | int]


def select_wrt(function: Function, signature: Signature, given: Selection) -> tuple[str, ...]:
    """The parameters to differentiate with respect to.

    Raises:
        ArgumentError: unknown, named twice, none at all, or without floating values.
    """
    return _floating(function, signature, given, "wrt")


def select_of(function: Function, signature: Signature, given: Selection | None) -> tuple[str, ...] | None:
    """The outputs, which are pointers; None stands for the return value.

    Raises:
        ArgumentError: as for wrt; or a parameter passed by value; or None where nothing floating is returned.
    """
    if given is None:
        if not isinstance(function.returns, Float):
            what = "a kernel returns nothing" if function.kind == "kernel" else f"it returns {function.returns}"
            outputs = [p.name for p in function.params if _may_be_output(p)]
            raise signature.refuse(
                f"of is omitted, which means the return value, but {what}",
                f"name the outputs, as in of={outputs[0]!r}" if outputs else "",
            )
        return None
    names = _floating(function, signature, given, "of")
    types = {p.name: p.type for p in function.params}
    for name in names:
        if not isinstance(types[name], Pointer):
            raise signature.refuse(
                f"of: {name!r} is passed by value, so the function cannot write to it",
                "an output is a pointer, or the return value (omit of)",
            )
    return names


def select_batch(
    function: Function, signature: Signature, sets: int | None, given: Selection
) -> tuple[int, tuple[str, ...]]:
    """How many sets a batch has, 0 without one, and the parameters whose arguments differ between them.

    Raises:
        ArgumentError: unknown, named twice, handles; or without a number of sets.
    """
    none = isinstance(given, Sequence) and len(given) == 0
    if sets is None:
        if not none:
            raise signature.refuse("batched= is for batches", "say how many sets there are, as in batch=8")
        return 0, ()
    if isinstance(sets, bool) or not hasattr(type(sets), "__index__") or operator.index(sets) < 1:
        raise signature.refuse(f"batch={sets!r}: expected a positive number of sets")
    names = () if none else _names(signature, given, "batched")
    for p in function.params:
        if p.name in names and isinstance(p.type, Opaque):
            raise signature.refuse(f"batched: {p.name!r} is a handle ({p.type}), which all sets share", "leave it out")
    return operator.index(sets), names


def _floating(function: Function, signature: Signature, given: Selection, role: str) -> tuple[str, ...]:
    names = _names(signature, given, role)
    for parameter in function.params:
        if parameter.name in names and not holds_floating(parameter.type):
            raise signature.refuse(
                f"{role}: {parameter.name!r} holds no floating values ({parameter.type}), so it has no derivative",
                "leave it out",
            )
    return names


def _names(signature: Signature, given: Selection, role: str) -> tuple[str, ...]:
    items: list[Any] = [given] if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    found: list[str] = []
    for item in items:
        name = item if isinstance(item, str) else _at_position(signature, item, role)
        if name not in signature.parameters:
            raise signature.refuse(f"{role}: there is no parameter {name!r}", nearest(name, signature.parameters))
        if name in found:
            raise signature.refuse(f"{role}: {name!r} is named twice")
        found.append(name)
    if not found:
        raise signature.refuse(f"{role} is empty", f"name at least one parameter, as in {role}='x'")
    return tuple(found)


def _at_position(signature: Signature, item: Any, role: str) -> str:
    try:
        return signature.parameters[operator.index(item)]
    except TypeError:
        raise signature.refuse(f"{role}: {item!r} is neither a name nor a position") from None
    except IndexError:
        count = len(signature.parameters)
        raise signature.refuse(f"{role}: there is no parameter at position {item}, there are {count}") from None


def _may_be_output(parameter: Symbol) -> bool:
    return isinstance(parameter.type, Pointer) and not parameter.type.const and holds_floating(parameter.type)
