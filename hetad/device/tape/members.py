"""Which member of the structs behind a parameter a place is, whatever the indices: two members never are one cell."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.places import written
from hetad.ir.types import Array

Path = tuple[ir.Symbol, tuple[str | None, ...]]  # the pointer, and the members on the way; None for an index


class Members:
    """Of places that are reached straight from parameters which a body does not change: through one of them, structs
    lie at multiples of their size."""

    def __init__(self, body: ir.Body) -> None:
        self._changed = written(body)

    def of(self, place: ir.Expr) -> Path | None:
        """Which member it is; None where that is not known."""
        steps: list[str | None] = []
        while True:
            match place:
                case ir.Member(base=base, name=name):
                    steps.append(name)
                    place = base
                case ir.Index(base=ir.Index() | ir.Member() as base) if isinstance(base.type, Array):
                    steps.append(None)
                    place = base
                case ir.Index(base=ir.Var(symbol=symbol)) if symbol.storage == "param" and steps:
                    return (symbol, tuple(reversed(steps))) if symbol not in self._changed else None
                case _:
                    return None

    def stored_by(self, s: ir.Stmt) -> Path | None:
        """The member that an assignment or an atomic operation stores to."""
        match s:
            case ir.Assign(target=target) | ir.Update(target=target):
                return self.of(target)
            case ir.Call(args=(ir.AddressOf(place=place), *_)):
                return self.of(place)
        return None


def apart(one: Path | None, other: Path | None) -> bool:
    """Whether two places certainly are different members."""
    if one is None or other is None or one[0] is not other[0]:
        return False
    differ = next(((a, b) for a, b in zip(one[1], other[1], strict=False) if a != b), None)
    return differ is not None and None not in differ
