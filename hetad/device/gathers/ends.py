"""Where the coordinates of a gather end, worked out once for a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.affine import Polynomial, symbols
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var
from hetad.ir.types import BOOL


class Ends:
    """Declarations for the top of a kernel."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.declarations: list[ir.Stmt] = []
        self._known: dict[frozenset[object], ir.Symbol] = {}
        self._certain: dict[frozenset[object], ir.Symbol] = {}

    def holds(self, arithmetic: Arithmetic, condition: Polynomial) -> ir.Expr:
        """Whether the uniform condition is not negative."""
        key = frozenset(condition.terms.items())
        if key not in self._certain:
            plus = Polynomial({m: k for m, k in condition.terms.items() if k > 0})
            minus = Polynomial({m: -k for m, k in condition.terms.items() if k < 0})
            value = arithmetic.compare(">=", arithmetic.expression(plus), arithmetic.expression(minus))
            symbol = self.names.symbol("covered", BOOL, arithmetic.span, const=True)
            self._certain[key] = symbol
            self.declarations.append(ir.Declare(symbol, value, span=arithmetic.span))
        return ir.Var(self._certain[key], span=arithmetic.span)

    @property
    def usual(self) -> list[ir.Symbol]:
        """The variables that tell whether the uniform conditions hold."""
        return list(self._certain.values())

    def least(self, arithmetic: Arithmetic, name: str, bounds: Sequence[Polynomial]) -> ir.Symbol:
        key = frozenset(frozenset(b.terms.items()) for b in bounds)
        if key not in self._known:
            end = arithmetic.least([arithmetic.expression(b) for b in bounds])
            symbol = self.names.symbol(f"{name}_end", arithmetic.type, arithmetic.span, const=True)
            self._known[key] = symbol
            self.declarations.append(ir.Declare(symbol, end, span=arithmetic.span))
        return self._known[key]


class Threads:
    """What guards say of the number of threads.  Each of `known` is not negative."""

    def __init__(self, maps: AccessMaps, known: Sequence[Polynomial]) -> None:
        self.maps, self.known = maps, known

    def counted(self, condition: Polynomial) -> bool:
        """Whether the condition asks how many threads there are."""
        return not set(symbols(condition)).isdisjoint(self.maps.counts.values())

    def coordinates(self, condition: Polynomial) -> list[ir.Symbol]:
        return [x for x in symbols(condition) if self.maps.coordinates.counts(x)]

    def least(self, condition: Polynomial) -> Polynomial | None:
        """The least value of a condition that falls with all its coordinates, each of which has a uniform bound."""
        for x in self.coordinates(condition):
            parts = condition.split(var(x))
            if parts is None or self.maps.coordinates.scale(parts[0].scaled(-1)) is None:
                return None
            highest = next((h for p in self.known if (h := self._highest(x, p)) is not None), None)
            if highest is None:
                return None
            condition = parts[1] + parts[0] * highest
        return condition

    def _highest(self, x: ir.Symbol, condition: Polynomial) -> Polynomial | None:
        """The bound of a coordinate from above, if that is what the condition says."""
        parts = condition.split(var(x))
        if parts is None or parts[0].constant != -1 or self.coordinates(parts[1]) or self.counted(parts[1]):
            return None
        return parts[1]
