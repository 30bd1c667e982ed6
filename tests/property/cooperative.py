"""Kernels whose threads share memory and wait for each other, free of races by construction.

They go through phases with barriers between them: in one, each thread stores to its own cells of shared arrays, or adds
to them atomically; in the next, all read them anywhere.  Phases stand in loops and branches that are the same for the
block.  Threads beyond `n` take part in barriers and shuffles, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.property.device_blocks import DeviceBlock

LENGTH = 8  # of a shared array; no block is larger
_ALL_LANES = "(1u << blockDim.x) - 1"


class CooperativeBlock(DeviceBlock):
    """A body in phases; `guarded` if there may be threads beyond `n`."""

    guarded = False

    def phases(self, counts: list[str]) -> None:
        """All of the body; `counts` are bounds of loops that are the same for all threads."""
        choices = self.choices
        self.returns = None
        self.write("int t = threadIdx.x;")
        self.tiles = [choices.name("tile") for _ in range(choices.number(1, 2))]
        self.sum = choices.name("sum")
        for name in self.tiles:
            self.write(f"__shared__ {self.real} {name}[{LENGTH}];")
        self.write(f"__shared__ {self.real} {self.sum}[2];")
        self.carried = choices.name("v")
        self.write(f"{self.real} {self.carried} = 0.3;")
        self.scope.reals.append(self.carried)
        self._alive(lambda: self.write(f"{self.carried} = {self.expressions.stored(1)};"))
        self._some_phases(counts, choices.number(1, 3))
        self._alive(self.close)

    def _some_phases(self, counts: list[str], most: int) -> None:
        forms = [self._shared, self._shared, self._added, self._contracted, self._exchanged, self._scanned]
        for _ in range(most):
            if self.depth < 3 and self.choices.chance(40):
                self._repeated(counts)
            else:
                self.choices.one_of(forms)()

    def _repeated(self, counts: list[str]) -> None:
        bound = self.choices.one_of([*counts, "2", "3"])
        if self.choices.chance(25):
            with self.nested(f"if ({bound} > 1) {{"):
                self._some_phases(counts, 1)
            return
        j = self.choices.name("j")
        with self.nested(f"for (int {j} = 0; {j} < {bound}; {j}++) {{"):
            self.scope.ints.append(j)
            self._some_phases(counts, 2)

    def _alive(self, body: Callable[[], None]) -> None:
        """Something that only threads of an index do."""
        with self.nested("if (i < n) {" if self.guarded else "{"):
            body()

    def _barrier(self) -> None:
        self.write("__syncthreads();")

    def _shared(self) -> None:
        """Each thread fills its cell; then all read any."""
        tile = self.choices.one_of(self.tiles)
        self._filled(tile)

        def read() -> None:
            self.scope.reads += [lambda: self._anywhere(tile)] * 3
            self.statements(4)
            self.write(f"{self.carried} {self.choices.one_of(['=', '+='])} {self.expressions.stored(bound=1)};")

        self._alive(read)
        self._barrier()

    def _filled(self, tile: str) -> None:
        if self.guarded:
            self.write(f"{tile}[t] = 0.25;")

        def fill() -> None:
            self.write(f"{tile}[t] = {self.expressions.stored()};")
            self.scope.cells.append(lambda: f"{tile}[t]")
            if self.choices.chance(30):
                self.statements(2)

        self._alive(fill)
        self._barrier()

    def _anywhere(self, tile: str) -> str:
        k = self.choices.number(1, 3)
        return f"{tile}[{self.choices.one_of([f'(t + {k}) % blockDim.x', 'blockDim.x - 1 - t', '0', 't'])}]"

    def _added(self) -> None:
        """Threads add to shared sums, which one of them resets."""
        with self.nested("if (t == 0) {"):
            self.write(f"{self.sum}[0] = 0.1;", f"{self.sum}[1] = {self.choices.one_of(['0.0', self.carried])};")
        self._barrier()

        def add() -> None:
            for _ in range(self.choices.number(1, 2)):
                value = self.expressions.stored(bound=0.5)
                self.write(f"atomicAdd(&{self.sum}[{self.expressions.whole()} % 2], {value});")

        self._alive(add)
        self._barrier()
        cell = f"{self.sum}[{self.choices.number(0, 1)}]"
        self._alive(lambda: self.write(f"{self.carried} += tanh({cell});"))
        self._barrier()

    def _contracted(self) -> None:
        """All threads read the same cells, one after the other."""
        tile, k = self.choices.one_of(self.tiles), self.choices.name("k")
        with self.nested(f"for (int {k} = t; {k} < {LENGTH}; {k} += blockDim.x) {{"):
            self.write(f"{tile}[{k}] = {self.carried} * (0.5 + 0.1 * {k});")
        self._barrier()
        first, end = self.choices.number(0, 2), self.choices.number(5, LENGTH)
        up = f"for (int {k} = {first}; {k} < {end}; {k}++) {{"
        down = f"for (int {k} = {end - 1}; {k} >= {first}; {k}--) {{"

        def read() -> None:
            cell, next_ = f"{tile}[{k}]", f"{tile}[({k} + 1) % {LENGTH}]"
            value = self.choices.one_of([cell, f"sin({cell})", f"{cell} * {next_}", f"{cell} * {self.carried}"])
            with self.nested(self.choices.one_of([up, down])):
                if self.choices.chance(30):
                    self.write(f"if ({cell} > 0.1)")
                self.write(f"{self.carried} {self.choices.one_of(['+=', '-='])} 0.1 * {value};")

        self._alive(read)
        self._barrier()

    def _exchanged(self) -> None:
        """A shuffle, with all lanes of the block."""
        form = self.choices.number(0, 3)
        name = self.choices.name("v")
        k = self.choices.number(1, 2)
        call = [
            f"__shfl_sync({_ALL_LANES}, {self.carried}, (t + {k}) % blockDim.x)",
            f"__shfl_down_sync({_ALL_LANES}, {self.carried}, {k})",
            f"__shfl_up_sync({_ALL_LANES}, {self.carried}, {k})",
            f"__shfl_sync({_ALL_LANES}, {self.carried}, 0)",
        ][form]
        self.write(f"{self.real} {name} = {call};")
        if form == 1:
            self.write(f"if (t + {k} >= blockDim.x)", f"    {name} = 0.5;")
        self.write(f"{self.carried} = 0.7 * {self.carried} + sin({name});")

    def _scanned(self) -> None:
        """A scan or a sum by steps of growing width."""
        tile, h, w = self.tiles[0], self.choices.name("h"), self.choices.name("w")
        self._filled(tile)
        with self.nested(f"for (int {h} = 1; {h} < blockDim.x; {h} *= 2) {{"):
            self.write(f"{self.real} {w} = t >= {h} ? {tile}[t - {h}] : 0.0;", "__syncthreads();")
            self.write(f"{tile}[t] += {self.choices.one_of([w, f'sin({w})', f'{w} * {tile}[t]'])};")
            self._barrier()
        self.write(f"{self.carried} = tanh({self._anywhere(tile)});")
        self._barrier()
