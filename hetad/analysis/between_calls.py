"""What a program keeps from one call to the next: variables at file scope, and static ones.

```c
__device__ int launches;                              // kept: each call goes on counting
__constant__ double weights[4];                       // not kept: each call begins by setting all of it

double run(const double *w, ...) {
    cudaMemcpyToSymbol(weights, w, sizeof weights);
    step<<<1, 32>>>(...);                             // reads weights, adds to launches
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetad.analysis.callgraph import call_sites
from hetad.analysis.memory_calls import bytes_of, does, operands, stored_at
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.places import exposed, written
from hetad.ir.types import Array, size_of
from hetad.ir.visit import variables, walk_expr, walk_stmts


def kept_between_calls(program: ir.Program, entry: str) -> frozenset[ir.Symbol]:
    """The variables that the program changes and that a call of `entry` may read as the last call has left them."""
    own = {g.symbol for g in program.globals if not g.symbol.const or g.symbol.storage == "constant"}
    if not own:
        return frozenset()
    changed = own & {x for f in program.functions.values() for x in written(f.body) | exposed(f.body)}
    kept = changed & {x for g in program.globals if g.init is not None for x in variables(g.init)}
    mentioned = _Mentioned(program, changed)
    untouched = changed - kept
    addresses: dict[ir.Symbol, ir.Symbol] = {}  # what holds where a variable of the device lies
    for s, inside in _in_order(program, program.functions[entry].body):
        if any(isinstance(inner, ir.Goto) for inner in walk_stmts((s,))):
            return frozenset(changed)  # what it leaves out may be what sets a variable
        if does(s, "symbol") and isinstance(place := stored_at(s), ir.Var):
            of = _variable(operands(s)["symbol"])
            if of is not None:
                addresses[place.symbol] = of
                continue
        whole = _set_wholly(s, addresses, changed)
        named = set(variables((s,))) if whole is None else {x for e in whole[1] for x in variables(e)}
        touched = named | {addresses[x] for x in named if x in addresses}
        if whole is None and not inside:
            touched |= mentioned.by((s,))
        kept |= untouched & touched
        untouched -= touched
        if whole is not None:
            untouched.discard(whole[0])
    return frozenset(kept)


def _in_order(program: ir.Program, body: ir.Body) -> Iterator[tuple[ir.Stmt, bool]]:
    """What is done once in a call, one after the other, and whether the statements of a function that it calls come by
    themselves."""
    for s in body:
        called = program.functions.get(s.function) if isinstance(s, ir.Call) else None
        if isinstance(s, ir.Block):
            yield from _in_order(program, s.body)
        elif called is not None and not any(isinstance(inner, ir.Return) for inner in walk_stmts(called.body[:-1])):
            yield s, True
            yield from _in_order(program, called.body)
        else:
            yield s, False


class _Mentioned:
    """Which of some variables statements mention, and the functions that they call or launch."""

    def __init__(self, program: ir.Program, variables_: set[ir.Symbol]) -> None:
        self._program = program
        self._variables = variables_
        self._by_function: dict[str, set[ir.Symbol]] = {}

    def by(self, body: ir.Body) -> set[ir.Symbol]:
        found = self._variables & set(variables(body))
        called = {name for s in walk_stmts(body) for name, _, _ in call_sites(s)}
        return found.union(*map(self._of, called))

    def _of(self, name: str) -> set[ir.Symbol]:
        function = self._program.functions.get(name)
        if function is not None and name not in self._by_function:
            self._by_function[name] = set()  # of one that calls itself
            self._by_function[name] = self.by(function.body)
        return self._by_function.get(name, set())


def _set_wholly(
    s: ir.Stmt, addresses: Mapping[ir.Symbol, ir.Symbol], among: set[ir.Symbol]
) -> tuple[ir.Symbol, tuple[ir.Expr, ...]] | None:
    """The variable that a statement gives a value that it had no part in, and what is read for that; without calls."""
    of: ir.Symbol | None = None
    read: tuple[ir.Expr, ...] = ()
    if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and not isinstance(s.target.type, Array):
        of, read = s.target.symbol, (s.value,)
    elif (moved := bytes_of(s)) is not None:
        to = bare(moved.dst)
        of = addresses.get(to.symbol) if isinstance(to, ir.Var) else None
        of = of or _variable(to)
        if of is not None and integer_value(moved.size) != size_of(of.type):
            return None
        read = (moved.src,) if moved.src is not None else ()
    calls = any(isinstance(e, ir.CallExpr) for given in read for e in walk_expr(given))
    return None if of is None or of not in among or calls else (of, read)


def _variable(pointer: ir.Expr) -> ir.Symbol | None:
    """The variable that a pointer to all of it is written of: `&x`, or an array."""
    pointer = bare(pointer)
    place = pointer.place if isinstance(pointer, ir.AddressOf) else pointer
    of_array = isinstance(place.type, Array)
    return place.symbol if isinstance(place, ir.Var) and (of_array or place is not pointer) else None
