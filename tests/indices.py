"""Kernels whose indices are drawn, as CUDA and as Python: what is said of them is compared with what they do."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Extent = tuple[int, int]
HEAD = "__global__ void {name}(double *y, int n, int m, int s)\n"
MASK = 0xFFFFFFFF
SIZES = ((4, 3, 2), (3, 3, 3), (5, 1, 4), (2, 6, 3), (7, 2, 5), (1, 1, 1))  # n, m, s
LAUNCHES: tuple[tuple[Extent, Extent], ...] = (((2, 2), (3, 2)), ((3, 1), (2, 3)), ((1, 2), (4, 1)), ((4, 1), (1, 1)))


@dataclass(frozen=True)
class Hit:
    """A store: which one, of which thread, in which cell; of the loops around it the index, and the iteration."""

    store: int
    thread: tuple[int, int]
    cell: int
    loops: tuple[tuple[int, int], ...]


@dataclass
class Kernel:
    name: str
    lines: list[str] = field(default_factory=list)  # of Python
    stores: int = 0

    @property
    def cuda(self) -> str:
        body, depth = [], 0
        for line in self.lines:
            here = (len(line) - len(line.lstrip())) // 4
            body += ["}"] * (depth - here)
            depth = here
            body.append(_as_cuda(line.strip()))
            depth += line.endswith(":")
        return HEAD.format(name=self.name) + "{\n" + "\n".join([*body, *["}"] * depth]) + "\n}\n"

    @property
    def is_opaque(self) -> bool:
        """Whether an index may have one of several values."""
        return any(line.endswith("# again") for line in self.lines)

    def uniform(self, sizes: Mapping[str, int]) -> int | None:
        """The value of `w`, a variable that all threads agree on."""
        found = next((line for line in self.lines if line.startswith("w = ")), None)
        return None if found is None else int(eval(found.removeprefix("w = "), dict(sizes)))

    @cached_property
    def _run(self) -> Any:
        body = "\n".join(f"    {line}" for line in self.lines) or "    pass"
        text = f"def run(n, m, s, blockIdx, blockDim, gridDim, threadIdx, store, counted):\n{body}\n"
        found: dict[str, Any] = {}
        exec(compile(text, self.name, "exec"), {"U": lambda x: x & MASK}, found)
        return found["run"]

    def hits(self, sizes: tuple[int, int, int], launch: tuple[Extent, Extent]) -> list[Hit]:
        grid, block = (_Axes(*extent) for extent in launch)
        found: list[Hit] = []
        for by, bx, ty, tx in itertools.product(range(grid.y), range(grid.x), range(block.y), range(block.x)):
            around: dict[int, tuple[int, int]] = {}

            def counted(depth: int, values: Any, around: dict[int, tuple[int, int]] = around) -> Iterator[int]:
                for number, value in enumerate(values):
                    around[depth] = value, number
                    yield value
                around.pop(depth, None)

            thread = (bx * block.x + tx, by * block.y + ty)

            def store(which: int, cell: int, thread: Extent = thread, around: Any = around) -> None:
                found.append(Hit(which, thread, cell, tuple(around[d] for d in sorted(around))))

            self._run(*sizes, _Axes(bx, by), block, grid, _Axes(tx, ty), store, counted)
        return found


@dataclass(frozen=True)
class _Axes:
    x: int
    y: int


def _as_cuda(line: str) -> str:
    """Of the few forms that are drawn."""
    line, _, again = line.partition("  # ")
    line = line.replace("//", "/").replace(" and ", " && ").replace(" or ", " || ").replace("not ", "!")
    line = line.replace("U(", "(unsigned)(")
    if line.startswith("if "):
        return f"if ({line[3:-1]}) {{"
    if line.startswith("for "):
        index, _, rest = line[4:-2].partition(" in counted(")
        _, start, bound, step = rest.replace("range(", "").rstrip(")").split(", ")
        if step.startswith("-"):
            return f"for (int {index} = {start}; {index} > {bound}; {index} -= {step[1:]}) {{"
        return f"for (int {index} = {start}; {index} < {bound}; {index} += {step}) {{"
    if line.startswith("store("):
        return f"y[{line.partition(', ')[2][:-1]}] = 1;"
    name, _, value = line.partition(" = ")
    return f"{line};" if again else f"int {name} = {value};"


THREAD = "{0} = blockIdx.{1} * blockDim.{1} + threadIdx.{1}"
STRIDES = ("", "", " * m", " * n", " * s", " * 4", " * n * m", " * 2")
BOUNDS = ("n", "m", "s", "4", "n - 1", "2", "n * m", "3")


class _Drawn:
    """A kernel is being drawn; `names`: what indices may consist of, with what they stay below."""

    def __init__(self, kernel: Kernel, rng: random.Random) -> None:
        self.kernel, self.rng = kernel, rng
        self.names: dict[str, str] = {}
        self.uniform: tuple[str, ...] = ()
        self.depth = 0

    def line(self, text: str) -> None:
        self.kernel.lines.append("    " * self.depth + text)

    def open(self, text: str) -> None:
        self.line(f"{text}:")
        self.depth += 1

    def draw(self) -> None:
        rng = self.rng
        axes = rng.choice(("x", "x", "xy"))
        for name, axis in zip("ij", axes, strict=False):
            self.line(THREAD.format(name, axis))
            self.names[name] = ""
        if rng.random() < 0.3:
            by = rng.choice(("n", "m", "s", "4"))
            self.line(f"q = i // {by}")
            self.line(f"r = i % {by}")
            del self.names["i"]
            self.names |= {"q": "", "r": by}
        elif rng.random() < 0.15:
            self.line("t = threadIdx.x")
            self.names["t"] = "blockDim.x"
        if rng.random() < 0.2:
            self.line(f"w = {rng.choice(('n * 2', 'n + m', 's * m', 'm - 1'))}")
            self.uniform = ("w",)
        if rng.random() < 0.15:
            self.changed()
        names = dict(self.names)
        for turn in range(rng.choice((1, 1, 2))):
            self.names, self.depth = dict(names), 0
            self.stores(turn)

    def changed(self) -> None:
        """A variable that is an index here and something else there."""
        rng, name = self.rng, self.rng.choice(list(self.names))
        self.line(f"c = {name}")
        self.open(f"if {self.comparison()}")
        self.line(rng.choice(("c = s  # again", "c = c + n  # again", f"c = {name}  # again")))
        self.depth -= 1
        self.names["c"] = self.names.pop(name)

    def stores(self, turn: int) -> None:
        rng = self.rng
        for depth in range(rng.choice((0, 0, 1, 1, 2))):
            self.loop(2 * turn + depth)
        shared = rng.random() < 0.5
        if shared:
            self.guard()
        before = self.depth
        for _ in range(rng.choice((1, 1, 2)) if turn == 0 else 1):
            if not shared or rng.random() < 0.3:
                self.guard()
            self.line(f"store({self.kernel.stores}, {self.index()})")
            self.kernel.stores += 1
            self.depth = before

    def loop(self, depth: int) -> None:
        rng, index = self.rng, "klkl"[depth]
        start, bound, step = rng.choice((
            ("0", "s", "1"), ("0", "4", "1"), ("1", "m", "1"), ("0", "m", "2"), ("0", "n", "s"), ("i", "n", "1"),
            ("i", "n", "blockDim.x * gridDim.x"), ("threadIdx.x", "m", "blockDim.x"), ("n - 1", "0", "-1"),
            ("m", "-1", "-2"), ("0", "i", "1"), ("0", "3", "1"), ("s", "n", "1"), ("0", "m", "blockDim.x"),
            ("1", "n", "blockDim.x * gridDim.x"), ("threadIdx.x", "n", "2"), ("i", "n", "blockDim.x"),
            ("threadIdx.x", "n", "blockDim.x"),
        ))  # fmt: skip
        if "i" not in self.names and "i" in (start, bound):
            start, bound = start.replace("i", "0"), bound.replace("i", "n")
        self.open(f"for {index} in counted({depth}, range({start}, {bound}, {step}))")
        self.names[index] = bound
        if start in ("i", "threadIdx.x") and step != "1" and rng.random() < 0.8:
            self.names.pop("i", None)

    def guard(self) -> None:
        rng = self.rng
        parts = [self.comparison() for _ in range(rng.choice((1, 1, 2, 3)))]
        text = (" and " if rng.random() < 0.85 else " or ").join(parts)
        if rng.random() < 0.1:
            text = f"not ({text})"
        self.open(f"if {text}")

    def comparison(self) -> str:
        rng = self.rng
        name, bound = rng.choice(list(self.names)), rng.choice((*BOUNDS, *self.uniform * 4))
        match rng.randrange(16):
            case 0:
                return f"{name} >= {rng.choice(('1', 's'))}"
            case 1:
                return f"{name} + {rng.choice(('1', 's'))} < {bound}"
            case 2:
                return f"{name} == {rng.choice(('0', 's', 'n - 1'))}"
            case 3:
                return f"{name} != {rng.choice(('0', 's'))}"
            case 4:
                return f"U({name} - 1) < U({bound})"
            case 5:
                return f"{bound} > {name}"
            case 6:
                return f"{name} <= {bound}"
            case 7:
                return f"{name} - s < {bound} and {name} >= s"
            case 8:
                return f"not ({name} >= {bound})"
            case 9:
                return f"U({name}) < U({bound})"
            case 10:
                return f"U({bound}) > U({name} + 1)"
            case 11:
                return f"not (U({name} - s) >= U({bound}))"
        return f"{name} < {bound}"

    def index(self) -> str:
        rng = self.rng
        names = rng.sample(list(self.names), rng.randint(1, len(self.names)))
        if rng.random() < 0.7:  # nested: each is multiplied by what the one below it stays below
            parts, stride = [], ""
            for name in names:
                parts.append(f"{name}{stride}")
                below = self.names[name] if rng.random() < 0.6 else ""
                stride += f" * {below or rng.choice(('n', 'm', 's', '4', *self.uniform * 3))}".replace(
                    "n - 1", "n"
                ).replace("-1", "m")
                stride = stride.replace(" * 0", " * n").replace(" * i", " * n")
        else:
            parts = [f"{name}{rng.choice(STRIDES)}" for name in names]
        more = rng.choice(("", "", "", " + 1", " + s", " - 2", " + n * m"))
        text = " + ".join(parts) + more
        return f"n - 1 - ({text})" if rng.random() < 0.1 else text


def kernels(count: int, seed: int) -> list[Kernel]:
    rng = random.Random(seed)
    found = []
    for number in range(count):
        kernel = Kernel(f"k{number}")
        _Drawn(kernel, rng).draw()
        found.append(kernel)
    return found


def met(hits: list[Hit], axes: Mapping[str, int]) -> bool:
    """Whether threads that differ along these axes share a cell."""
    threads = defaultdict(set)
    for hit in hits:
        threads[hit.cell].add(tuple(hit.thread[at] for at in axes.values()))
    return any(len(found) > 1 for found in threads.values())
