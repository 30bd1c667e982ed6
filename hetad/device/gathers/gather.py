"""Gathers: kernels over the cells that are added to, instead of over the threads that add.

The threads of a pullback and the iterations of its loops are the points of a space, and an increment sends each point
to a cell.  Where the subscripts of the cell are affine, each tells one coordinate of the point (its *pivot*), and those
that none tells stay *free*: a thread for each target can run over them and sum the contributions in a register.

    for each target (u, v):                      one or more a thread, whatever the size of the launch
        sum = 0
        for the free coordinates:                as loops, bounded by the guards where these are bounds
            the pivots from the target           i = u - j
            if the guards hold and the thread exists:
                what the value depends on; sum += value
        if (sum != 0) adj[...] += sum            the cell need not exist where nothing was added

Only the order in which the space is run through changes: this is right whether or not two targets are one cell, and
where they provably are not, the sum is added without an atomic operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hetad.adjoint.canonicalise.declarations import without_unused_values
from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses, Definition
from hetad.analysis.affine import Polynomial, atom
from hetad.analysis.coordinates import block_dim, grid_dim
from hetad.analysis.loops import constant_trips
from hetad.analysis.scales import Scale
from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.increments import Increment, atomic, increment, plain
from hetad.device.accumulation.thread_order import only_adds
from hetad.device.accumulation.thread_sweep import in_order
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.coarsening import Target, march_of
from hetad.device.gathers.contraction import Contraction, NoProduct, contraction
from hetad.device.gathers.ends import Ends
from hetad.device.gathers.joined import with_joined_loops
from hetad.device.gathers.nest import Nest
from hetad.device.gathers.reach import Reach
from hetad.device.gathers.sources import NoGather, Source, loads, user_name
from hetad.device.gathers.stencil import stencil
from hetad.device.gathers.targets import Targets, by_axes, thread_count
from hetad.device.gathers.team import Team
from hetad.device.gathers.tiles import Cells, Ranges, Tiles
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, zero
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, INT, LONG, UINT, Int, Pointer
from hetad.ir.visit import declared, map_body, own_variables, substitute, variables, walk_exprs, walk_stmts

WARP = 32
Bounds = tuple[list[Polynomial], list[Polynomial]]  # from below and from above, both inclusive

SumKey = tuple[ir.Symbol, tuple[str, ...], tuple[object, ...]]  # an array, the fields, the fixed subscripts


class GatherKernel:
    """One kernel for `sources` with the same strides.  Raises NoGather."""

    def __init__(
        self,
        accesses: Accesses,
        maps: AccessMaps,
        sources: Sequence[Source],
        names: Names,
        alone: frozenset[ir.Symbol],
        tiles: bool = False,
        fixed_order: bool = False,
    ) -> None:
        """`alone`: arrays that no other parameter overlaps; `tiles`: whether a product of matrices works on tiles, and
        `fixed_order`: without blocks that share one."""
        span = sources[0].access.statement.span
        self.accesses, self.maps, self.sources, self.names, self.span = accesses, maps, sources, names, span
        self.strides = [s for s in sources[0].subscripts if any(x.subscripts[s].constant is None for x in sources)]
        self.arithmetic = Arithmetic(self._index_type(), span)
        self.counts = {
            axis: ir.Symbol(x.name, self.arithmetic.type, span, x.storage, True) for axis, x in maps.counts.items()
        }
        for axis, x in self.counts.items():
            self.arithmetic.know(maps.counts[axis], ir.Var(x, span=span))
        self.groups: dict[tuple[object, ...], list[Source]] = {}
        for source in sources:
            self.groups.setdefault(source.key, []).append(source)
        self.targets = [self._target(s) for s in self._by_locality()]
        for t in self.targets:
            self.arithmetic.know(t.symbol, ir.Var(t.symbol, span=span))
        self.sums = self._sums()
        self.alone = alone
        self.team = self._team()
        self.ends = Ends(names)
        self.reach = self._reach()
        in_axes = by_axes(self.targets, maps.axes, self.team)
        self.march = march_of(self.reach, self.targets, names) if in_axes else None
        self.over = Targets(self.targets, maps.axes, self.arithmetic, names, self.team, self.march)
        self.launch_bounds: str | None = None
        body = self._body(tiles, fixed_order)
        constants = [ir.Declare(x, convert(e, x.type), span=span) for e, x in self.arithmetic.constants.items()]
        body = (*constants, *body)
        prelude = self._prelude(body)
        _check_early_loads(sources, prelude, body)
        self.body = without_unused_values(self._counted((*prelude, *body)))
        self.sweep = without_unused_values(self._counted(self._sweep()))
        self.alone_sweep: ir.Body | None = None

    # -- targets

    def _by_locality(self) -> list[Scale]:
        """The strides, first those whose coordinates step through what is read cell by cell."""
        reads = [(s, x) for s in self.sources for x in loads(self.accesses.coordinates, s)]

        def missed(stride: Scale) -> int:
            told = [(s, p.coordinate) for s in self.sources for p in s.pivots if p.stride == stride]
            return sum(x.get(c, 0) not in (0, 1, -1) for s, c in told for of, x in reads if of is s)

        return sorted(self.strides, key=missed) if not self.sources[0].nested else self.strides

    def _index_type(self) -> Int:
        """`int` where the primal counts in it, and no stride or bound needs more."""
        types = {x.type for s in self.sources for x in s.slice.indices if isinstance(x.type, Int)}
        types.update(t for s in self.sources for t in self._given_types(s))
        return INT if all(t.bits < 32 or (t.bits == 32 and t.signed) for t in types) else LONG

    def _given_types(self, source: Source) -> Iterator[Int]:
        """Those of the values, the same in all threads, of which targets and bounds are made."""
        known = {*self.maps.counts.values(), *self.maps.coordinates_of(source.map)}
        strides = (stride.polynomial() for stride in self.strides)
        for value in (*strides, *source.subscripts.values(), source.shift, *source.map.conditions):
            for e in (e for monomial in value.terms for e in monomial):
                if isinstance(e.type, Int) and not (isinstance(e, ir.Var) and e.symbol in known):
                    yield e.type

    def _target(self, stride: Scale) -> Target:
        told = [p for s in self.sources for p in s.pivots if p.stride == stride]
        names = {self._user_name(s, p.coordinate) for s in self.sources for p in s.pivots if p.stride == stride}
        direct = all(p.sign == 1 and not p.rest.terms for p in told)
        name = names.pop() if len(names) == 1 else "at"
        symbol = ir.Symbol(name, self.arithmetic.type, self.span)
        if not direct:
            symbol = self.names.symbol(f"{name}_to", self.arithmetic.type, self.span)
        axes = {self._axis(s, p.coordinate) for s in self.sources for p in s.pivots if p.stride == stride}
        axis = axes.pop() if len(axes) == 1 else None
        return Target(stride, symbol, self._bounds(stride), axis)

    def most_targets(self) -> int | None:
        """How many targets there are at most, where the text tells."""
        most = 1
        for t in self.targets:
            low = [c for p in t.bounds[0] if (c := p.constant) is not None]
            high = [c for p in t.bounds[1] if (c := p.constant) is not None]
            if not low or not high:
                return None
            most *= max(0, min(high) - max(low) + 1)
        return most

    def _user_name(self, source: Source, coordinate: ir.Symbol) -> str:
        return user_name(self.accesses.coordinates, source, coordinate) or coordinate.name

    def _axis(self, source: Source, coordinate: ir.Symbol) -> str | None:
        for axis, (kind, told) in zip(self.maps.axes, source.map.thread, strict=True):
            if kind != "block" and told == (atom(coordinate),):
                return axis
        return None

    def _bounds(self, stride: Scale) -> Bounds:
        """Of all subscripts at this stride; the number of threads only where the guards say less."""
        values = [(s.subscripts[stride], list(s.map.conditions)) for s in self.sources]
        lower, upper = self.maps.domains.range(values)
        if not lower or not upper:
            values = [(s.subscripts[stride], [*s.map.conditions, *self.maps.existence(s.map)]) for s in self.sources]
            lower, upper = self.maps.domains.range(values)
        if not lower or not upper:
            raise NoGather
        return lower, upper

    def _within(self, source: Source) -> list[Polynomial]:
        known: list[Polynomial] = []
        for t in self.targets:
            known += [source.subscripts[t.stride] - low for low in t.bounds[0]]
            known += [high - source.subscripts[t.stride] for high in t.bounds[1]]
        return known

    # -- sums

    def _sums(self) -> dict[SumKey, ir.Symbol]:
        found: dict[SumKey, ir.Symbol] = {}
        for s in self.sources:
            key = self._key(s)
            if key not in found:
                total = self.names.symbol(f"{s.root.name}_sum", s.increment.value.type, self.span)
                found[key] = replace(total, adjoint=True)
        return found

    def _key(self, source: Source) -> SumKey:
        """What sources of one cell have in common: also what no target tells, fixed subscripts and shifts."""
        assert source.access.cell is not None
        fixed = tuple((s, x.constant) for s, x in source.subscripts.items() if s not in self.strides)
        return source.root, source.access.cell.path, (*fixed, frozenset(source.shift.terms.items()))

    def _sum(self, source: Source) -> ir.Symbol:
        return self.sums[self._key(source)]

    # -- who works on a target

    def _team(self) -> Team | None:
        """Neighbouring threads share a target where they then read neighbouring cells, and would not otherwise; or
        where that makes no difference, but there may be too few targets."""
        type_ = self.arithmetic.type
        first = self.targets[0].stride
        alone = [_transactions(self._loads(g), self._pivot(g, first)) for g in self.groups.values()]
        shared = [_transactions(self._loads(g), g[-1].free[-1]) for g in self.groups.values() if g[-1].free]
        fewest = [len(self._loads(g)) for g in self.groups.values()]
        if len(shared) < len(alone):
            return None
        if alone == fewest:
            long = all(len(g[-1].free) == 1 and not self._literal(g[-1]) for g in self.groups.values())
            by_x = self.maps.axes == ("x",) and len(self.targets) == 1
            return Team(type_, self.names, self.span, by_launch=True) if long and by_x and shared == fewest else None
        (worse,) = shared if len(shared) == 1 else (None,)
        return Team(type_, self.names, self.span, by_launch=False) if worse is not None and worse <= alone[0] else None

    def _loads(self, group: Sequence[Source]) -> list[dict[ir.Symbol, int | None]]:
        return [x for s in group for x in loads(self.accesses.coordinates, s)]

    def _pivot(self, group: Sequence[Source], stride: Scale) -> ir.Symbol | None:
        """The coordinate that tells the subscript; none where it is a number."""
        return next((p.coordinate for p in group[-1].pivots if p.stride == stride), None)

    def _literal(self, s: Source) -> bool:
        """Whether the text tells how long the innermost free loop is."""
        loop = next((x for x in s.access.loops if x.coordinate is s.free[-1]), None)
        header = loop.header if loop is not None else None
        return header is not None and constant_trips(header) is not None

    def _reach(self) -> Reach | None:
        """Where every source of one array is part of a stencil, and nothing else adds to that array's cells."""
        if len(self.sums) > 1 or not all(s.nested and s.root in self.alone for s in self.sources):
            return None
        sides = stencil(self.accesses, self.maps, self.sources, sorted(self.strides, key=self.strides.index))
        if sides is None or any(b.constant is None or b.constant < 0 for t in self.targets for b in t.bounds[0]):
            return None
        symbols = {t.stride: t.symbol for t in self.targets}
        return Reach(sides, symbols, self.arithmetic, self.names, self.ends)

    # -- text

    def _body(self, tiles: bool, fixed_order: bool) -> ir.Body:
        nests = {key: self._nest(g, self.team) for key, g in self.groups.items()}
        inner = self.of_one = self._summed(nests, inside=False)
        product = self._product() if tiles and self.reach is None else None
        if product is not None:
            return (*self.ends.declarations, *self._tiled(product, inner, fixed_order))
        if self.reach is not None:
            inner = self.reach.guarded(inner)
        text = self.over.dealt_out(inner, self._summed(nests, inside=True) if self.march is not None else ())
        opening = list(self.reach.declarations) if self.reach is not None else []
        opening += [self.march.declaration()] if self.march is not None else []
        return (*self.ends.declarations, *opening, *text)

    @property
    def tiled(self) -> bool:
        return self.launch_bounds is not None

    def _product(self) -> Contraction | None:
        """The sum as a product of matrices, if it is one and does not ask how the launch is divided."""
        if len(self.sources) > 1 or len(self.targets) < 2:
            return None
        nest = self._nest(list(self.sources), None)
        bounds = [ir.Return(self.over.length(t), span=self.span) for t in self.targets]
        constants = [ir.Return(e, span=self.span) for e in self.arithmetic.constants]
        mentioned = (*self.ends.declarations, *bounds, *constants, *self.of_one)
        own = {*declared(mentioned), *self.arithmetic.constants.values(), *(t.symbol for t in self.targets)}
        own |= {self.team.lane.symbol, self.team.lanes.symbol} if self.team is not None else set()
        given = self._definitions(set(variables(mentioned)) - own)
        if any(isinstance(e, ir.ThreadIndex) for e in walk_exprs((*mentioned, *given))):
            return None
        try:
            return contraction(nest, self.targets)
        except NoProduct:
            return None

    def _tiled(self, product: Contraction, of_one: ir.Body, fixed_order: bool) -> ir.Body:
        """Tiles, or a thread for each target where these do not pay.  The launch has its own shape."""
        sizes = self.over.sizes()
        count = {t.symbol: s.symbol for t, s in zip(self.targets, sizes, strict=True)}
        ranges = Ranges({t.symbol: self.over.first(t) for t in self.targets}, count)
        ((key, total),) = self.sums.items()
        cells = Cells(self._place(key), self._apart(key))
        tiles = Tiles(product, ranges, total, cells, self.arithmetic, self.names, split=not fixed_order)
        self.launch_bounds = tiles.launch_bounds
        body = tiles.body()
        body = substitute({x: replace(x) for x in declared(body)}, body)  # the targets stand in the other branch too
        alone = self.over.numbered(of_one, sizes)
        return (*sizes, *tiles.opening(), ir.If(tiles.pays(), body, alone, span=self.span))

    def _sweep(self) -> ir.Body:
        """The same for the CPU: all targets one after another."""
        nests = {key: self._nest(g, None) for key, g in self.groups.items()}
        (loops,) = self.over.one_after_another(self._summed(nests, inside=False, in_order=True))
        assert isinstance(loops, ir.For)
        body = with_joined_loops(loops, [t.symbol for t in self.targets], self.ends.usual)
        constants = [ir.Declare(x, convert(e, x.type), span=self.span) for e, x in self.arithmetic.constants.items()]
        body = (*constants, *self.ends.declarations, *body)
        prelude = self._prelude(body)
        _check_early_loads(self.sources, prelude, body)
        return (*prelude, *body)

    def take_turns(self, body: ir.Body, ground: LaunchAssumptions) -> None:
        """One thread of the primal after the other runs `body`, which makes all the increments, where nobody else adds
        at the same time: what several targets share is worked out once."""
        count = self.counts.get("x")
        if self.maps.axes != ("x",) or count is None or count.type != INT or not only_adds(body, ground.adjoints):
            return
        body = map_body(lambda s: plain(i) if (i := increment(s)) is not None else s, body)
        found = in_order(body, ground, self.names, ir.Var(count, span=self.span))
        if found is not None:
            self.alone_sweep = self._counted((*self._prelude(found.body), *found.body))

    def _nest(self, group: list[Source], team: Team | None) -> Nest:
        variables_of = {t.stride: t.symbol for t in self.targets}
        nest = Nest(self.accesses, self.maps, group, self.arithmetic, variables_of, self._within, self.ends)
        nest.team = team
        return nest

    def _summed(self, nests: Mapping[tuple[object, ...], Nest], inside: bool, in_order: bool = False) -> ir.Body:
        """The sums of one target; `inside`: where all the sources add to it; `in_order`: without threads."""
        team = None if in_order else self.team
        text: list[ir.Stmt] = []
        for key, group in self.groups.items():
            sums = IdentityMap[ir.Stmt, ir.Symbol]((s.increment.statement, self._sum(s)) for s in group)
            body = nests[key].body(sums, inside)
            scoped = len(self.groups) > 1 and any(isinstance(s, ir.Declare) for s in body)
            text += [ir.Block(body, span=group[0].access.statement.span)] if scoped else body
        opening = [ir.Declare(x, zero(x.type, self.span), span=self.span) for x in self.sums.values()]
        if team is not None:
            text += [team.total(x, self.span) for x in self.sums.values()]
        reached = self.reach is not None and not in_order
        body = (*opening, *text, *(self._update(k, x, team, reached) for k, x in self.sums.items()))
        own = {x: replace(x) for x in declared(body)} if inside else {}  # the text stands twice
        return substitute(own, body)

    def _update(self, key: SumKey, symbol: ir.Symbol, team: Team | None, reached: bool) -> ir.Stmt:
        source = next(s for s in self.sources if self._sum(s) is symbol)
        place, total = self._place(key), ir.Var(symbol, span=self.span)
        own = plain(Increment(place, total, source.increment.statement))
        added = own if self._apart(key) else atomic(place, total)
        if reached and team is None:
            return added
        met: ir.Expr = ir.Binary("!=", total, zero(symbol.type, self.span), BOOL, span=self.span)
        if team is not None:
            met = conjunction([self.arithmetic.compare("==", team.lane, self.arithmetic.number(0)), met])
        return ir.If(met, (added,), (), span=self.span)

    def _place(self, key: SumKey) -> ir.Place:
        """The cell of a target."""
        source = next(s for s in self.sources if self._key(s) == key)
        index = source.shift
        for stride, subscript in source.subscripts.items():
            target = next((t for t in self.targets if t.stride == stride), None)
            index = index + stride.polynomial() * (atom(target.symbol) if target is not None else subscript)
        return _moved(source.increment.place, key[0], self.arithmetic.expression(index))

    def _apart(self, key: SumKey) -> bool:
        """Whether different targets are different cells, to which nothing else adds."""
        return all(s.nested for s in self.sources if s.root is key[0]) and key[0] in self.alone

    def _prelude(self, body: ir.Body) -> list[ir.Stmt]:
        """Definitions of the uniform variables that the body mentions without declaring them."""
        early = [s for s in body if isinstance(s, ir.Declare)]
        wanted = (set(variables(body)) - set(declared(body))) | (set(variables(early)) - {s.symbol for s in early})
        counted = () if self.tiled else self.maps.axes  # there they are parameters
        launch = [self._thread_count(axis) for axis in counted if self.counts[axis] in wanted]
        return [*launch, *self._definitions(wanted)]

    def _counted(self, body: ir.Body) -> ir.Body:
        """The body with numbers of threads that are its own, unless they are parameters."""
        own: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        if not self.tiled:
            own.update({x: replace(x, storage="local") for x in self.counts.values()})
        return substitute(own, body)

    def _definitions(self, wanted: set[ir.Symbol]) -> list[ir.Stmt]:
        """Those of uniform variables and of what these depend on."""
        steps = IdentitySet(step for s in self.sources for step in s.access.steps)
        given: dict[ir.Symbol, ir.Declare] = {}
        for step in steps:
            if isinstance(step, Definition) and isinstance(step.statement, ir.Declare):
                given.setdefault(step.statement.symbol, step.statement)
        found: dict[ir.Symbol, ir.Declare] = {}
        while missing := [x for x in wanted if x.storage not in ("param", "global", "constant", "static")]:
            for x in missing:
                init = given[x].init if x in given else None
                if init is None or not self.accesses.coordinates.uniform(init):
                    raise NoGather
                found[x] = given[x]
                wanted |= set(variables(init))
            wanted -= set(found)
        return [d for x, d in given.items() if x in found]

    def _thread_count(self, axis: str) -> ir.Stmt:
        symbol = self.counts[axis]
        type_ = UINT if symbol.type == INT else LONG
        count = thread_count(axis, self.span, type_)
        if self.march is not None and self.march.axis == axis:
            count = self.march.threads(type_)
        if self.team is not None:
            blocks, of_block = (convert(e(axis, self.span), type_) for e in (grid_dim, block_dim))
            count = self.team.threads(blocks, of_block, type_)
        return ir.Declare(symbol, convert(count, symbol.type), span=self.span)


def _check_early_loads(sources: Sequence[Source], prelude: Sequence[ir.Stmt], body: ir.Body) -> None:
    """What is read before a thread knows its target must be readable whatever the guards say."""
    safe: set[ir.Symbol] = set()
    for s in sources:
        for step in s.access.steps:
            if not isinstance(step, Definition):
                break
            safe |= {x for x in variables((step.statement,)) if isinstance(x.type, Pointer)}
    headers = [s for s in walk_stmts(body) if isinstance(s, ir.For)]
    early = [*prelude, *(s for s in body if isinstance(s, ir.Declare)), *(d for s in headers for d in s.init)]
    read = [x for d in early for x in variables((d,))] + [x for s in headers for x in own_variables(s)]
    if not {x for x in read if isinstance(x.type, Pointer)} <= safe:
        raise NoGather


def _transactions(strides: Sequence[Mapping[ir.Symbol, int | None]], coordinate: ir.Symbol | None) -> int:
    """How many pieces of memory a warp reads at a time when its lanes differ in one coordinate."""
    if coordinate is None:
        return len(strides)
    return sum(1 if x.get(coordinate, 0) in (0, 1, -1) else WARP for x in strides)


def _moved(place: ir.Expr, root: ir.Symbol, index: ir.Expr) -> ir.Place:
    """The place at another index of the array `root`."""
    if isinstance(place, ir.Member):
        return ir.Member(_moved(place.base, root, index), place.name, place.type, span=place.span)
    return ir.Index(ir.Var(root, span=place.span), index, place.type, span=place.span)
