"""One name, one local variable: what is shadowed or reused gets a number."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from hetad.ir.nodes import Function, Symbol
from hetad.ir.visit import declared, substitute


class Names:
    """The names taken in a function."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def claim(self, name: str) -> str:
        """`name`, or `name_1`, `name_2`, ... when it is taken."""
        if name not in self._taken:
            self._taken.add(name)
            return name
        return self.numbered(name)

    def numbered(self, name: str, avoid: Collection[str] = ()) -> str:
        """The first of `name_1`, `name_2`, ... that is free and not one to avoid."""
        number = 1
        while f"{name}_{number}" in self._taken or f"{name}_{number}" in avoid:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def rename(function: Function, names: Names) -> Function:
    """The function with unique local names; parameters and first comers keep theirs."""
    symbols = [*function.params, *declared(function.body)]
    plain = {s.name for s in symbols}
    renamed: dict[Symbol, Symbol] = {}
    seen: set[str] = set()
    for symbol in symbols:
        if symbol.name not in seen:
            seen.add(symbol.name)
            # A parameter is known by its name, even where it hides a function.
            name = symbol.name if symbol in function.params else names.claim(symbol.name)
        else:
            name = names.numbered(symbol.name, avoid=plain)  # the user's own i_1 comes first
        if name != symbol.name:
            renamed[symbol] = replace(symbol, name=name)
    if not renamed:
        return function
    params = tuple(renamed.get(p, p) for p in function.params)
    return replace(function, params=params, body=substitute(renamed, function.body))
