"""Programs of kernels over grids of one to three axes, whose threads read around them: what gathers sum.

A thread stores to its own cell of arrays that it does not read otherwise.  Its values go through few local variables,
which are used again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.property.blocks import INDENT
from tests.property.choices import Choices

AXES = ("x", "y", "z")
INDICES = ("i", "j", "k")
SIZES = (7, 5, 4)
OFFSETS = ("", " - 1", " + 1")
LOCALS = ("r", "s", "t")


@dataclass
class Grid:
    """A kernel as it is written.  `margin`: how many cells around a thread surely exist on each side."""

    choices: Choices
    axes: int
    reads: list[str]
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    margin: int = 1
    shifts: list[str] = field(default_factory=list)  # integers from -1 to 1
    names: int = 0
    straight: bool = False  # without loops and branches

    def write(self, line: str) -> None:
        self.lines.append(INDENT * self.depth + line)

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # -- expressions

    def index(self) -> str:
        """Of a cell near the thread's own, or of one in its row or column."""
        return _flat([self._near(INDICES[a], f"n{AXES[a]}") for a in range(self.axes)])

    def _near(self, index: str, size: str) -> str:
        choices = self.choices
        offset = choices.one_of([*OFFSETS, *(f" {sign} {x}" for x in self.shifts for sign in "+-")])
        form = choices.number(0, 9)
        if form == 9:
            return f"{size} - 1 - {index}" if self.axes == 1 else index
        if self.margin:
            return f"{index}{offset}"
        if form < 3 or not offset:
            return index
        if form < 6:
            return f"({index}{offset} + {size}) % {size}"
        return f"min(max({index}{offset}, 0), {size} - 1)"

    def load(self) -> str:
        array = self.choices.one_of(self.reads)
        if self.choices.chance(12):
            return f"w[{self.choices.one_of(['0', '1', *(f'{x} + 1' for x in self.shifts)])}]"
        return f"{array}[{self.index()}]"

    def local(self) -> str:
        return self.choices.one_of(LOCALS)

    def value(self) -> str:
        """Of an absolute value of at most some units."""
        a, b = self.local(), self.local()
        form = self.choices.one_of([
            "{load}", "{load} * sin({a})", "{load}", "0.5 * {a} + {load}", "cos({a}) * {load} + {more}",
            "{load} * {more}", "sin({a} * {b})", "tanh({a}) * c", "{a}", "{load} > 0.1 ? {load} : sin({b})",
        ])  # fmt: skip
        return form.format(load=self.load(), more=self.load(), a=a, b=b)

    def condition(self) -> str:
        index = INDICES[self.choices.number(0, self.axes - 1)]
        return self.choices.one_of([
            f"{index} > 2", f"{index} % 2 == 0", f"{self.local()} > 0.1", f"{index} + 2 < nx", f"{self.load()} > 0.05",
            f"{index} < 3 || {self.local()} < 0.3",
        ])  # fmt: skip

    # -- statements

    def statements(self, most: int) -> None:
        forms: list[Callable[[], None]] = [self.assign, self.assign, self.assign, self.add]
        if self.straight:
            forms += [self.table, self.scope]
        elif self.depth < 4:
            forms += [self.branch, self.near, self.along, self.again, self.table, self.scope]
        for _ in range(self.choices.number(1, most)):
            self.choices.one_of(forms)()

    def assign(self) -> None:
        self.write(f"{self.local()} = {self.value()};")

    def add(self) -> None:
        op = self.choices.one_of(["+=", "-=", "*="])
        value = f"sin({self.local()}) * {self.load()}" if op == "*=" else self.value()
        self.write(f"{self.local()} {op} {value};")

    def nested(self, opening: str, most: int = 3) -> None:
        self.write(opening)
        self.depth += 1
        self.statements(most)
        self.depth -= 1
        self.write("}")

    def branch(self) -> None:
        self.nested(f"if ({self.condition()}) {{")
        if self.choices.chance(40):
            self.nested("else {")

    def scope(self) -> None:
        """A variable of its own that holds an index near the thread's."""
        if not self.margin:
            return self.assign()
        at, array = self.name("at"), self.choices.one_of(self.reads)
        self.write(f"const int {at} = {self.index()};")
        return self.write(f"{self.local()} {self.choices.one_of(['=', '+='])} {array}[{at}] * c;")

    def near(self) -> None:
        """A loop over neighbours."""
        shift = self.name("d")
        head = self.choices.one_of([
            f"for (int {shift} = -1; {shift} <= 1; {shift}++) {{",
            f"for (int {shift} = 1; {shift} >= -1; {shift} -= 2) {{",
        ])  # fmt: skip
        self.shifts.append(shift)
        self.nested(head)
        self.shifts.pop()

    def again(self) -> None:
        """A loop that tells neighbours nothing: its trips are literal, given or up to the data."""
        m, most = self.name("m"), self.choices.number(1, 5)
        form = self.choices.number(0, 5)
        if form == 0:
            self.write(f"int {m} = {most};")
        head = [
            f"while ({m}-- > 0 && fabs({self.local()}) < 1.7) {{",
            f"for (int {m} = {most}; {m} > 0; {m} -= 2) {{",
            f"for (int {m} = 1; {m} < 20; {m} *= 3) {{",
            f"for (int {m} = 0; {m} < nx - {most}; {m}++) {{",
            f"for (int {m} = 0; {m} <= i % 3; {m}++) {{",
            f"for (unsigned {m} = {most}; {m}-- > 0;) {{",
        ][form]
        self.write(head)
        self.depth += 1
        self.statements(3)
        if self.choices.chance(25):
            self.write(f"if ({self.condition()}) {self.choices.one_of(['break', 'continue'])};")
        self.write(f"{self.local()} = {self.choices.one_of(['sin', 'tanh', 'cos'])}({self.local()});")
        self.depth -= 1
        self.write("}")

    def along(self) -> None:
        """A loop over a whole row or column."""
        m = self.name("m")
        axis = self.choices.number(0, self.axes - 1)
        size = f"n{AXES[axis]}"
        cell = _flat([m if a == axis else INDICES[a] for a in range(self.axes)])
        other = _flat([m if a == axis else self.choices.one_of(["0", INDICES[a]]) for a in range(self.axes)])
        total, one, two = self.local(), *(self.choices.one_of(self.reads) for _ in range(2))
        self.write(f"for (int {m} = 0; {m} < {size}; {m}++) {{")
        self.depth += 1
        if self.choices.chance(40):
            self.write(f"if ({m} == {INDICES[axis]}) continue;")
        form = self.choices.number(0, 3)
        if form == 0:
            self.write(f"{total} += {one}[{cell}] * {two}[{other}] * 0.3;")
        else:
            step = self.local() if form == 1 else self.name("e")
            self.write(f"{'' if form == 1 else 'double '}{step} = {one}[{cell}];")
            self.write(f"{total} += {step} * 0.3;" if form == 3 else f"{step} *= {two}[{other}];")
            self.write(f"{total} += 0.2 * {step} * {step};" if total != step else f"{total} = sin({total});")
        self.depth -= 1
        self.write("}")

    def table(self) -> None:
        """A local array of neighbours, read in another order."""
        a, array = self.name("a"), self.choices.one_of(self.reads)
        values = ", ".join(f"{array}[{self.index()}]" for _ in range(3))
        self.write(f"double {a}[3] = {{{values}}};")
        self.write(f"{a}[{self.choices.number(0, 2)}] = {self.value()};")
        self.write(f"{self.local()} = {a}[{self.choices.number(0, 2)}] * {a}[{self.choices.number(0, 2)}];")


def _flat(indices: list[str]) -> str:
    """The offset of the cell with these indices, the fastest first."""
    first, *slower = indices
    if not slower:
        return first
    rows = f"({slower[0]})" if len(slower) == 1 else f"(({slower[1]}) * ny + {slower[0]})"
    return f"{rows} * nx + {first}"


def kernel(choices: Choices, name: str, axes: int, reads: int) -> str:
    arrays = [f"u{i}" for i in range(reads)]
    grid = Grid(choices, axes, arrays)
    for a in range(axes):
        position = [f"blockIdx.{AXES[a]} * blockDim.{AXES[a]}", f"threadIdx.{AXES[a]}"]
        grid.write(f"int {INDICES[a]} = {' + '.join(position)};")
    grid.margin = int(choices.chance(75))
    grid.straight = choices.chance(40)
    m = grid.margin
    outside = [
        *(f"{INDICES[a]} >= n{AXES[a]}{' - 1' if m else ''}" for a in range(axes)),
        *(f"{INDICES[a]} < 1" for a in range(axes) if m),
    ]
    inside = [x.replace(">=", "<") if ">=" in x else x.replace("< 1", "> 0") for x in outside]
    by_return = choices.chance(50)
    grid.write(f"if ({' || '.join(outside)}) return;" if by_return else f"if ({' && '.join(inside)}) {{")
    grid.depth += int(not by_return)
    for x in LOCALS:
        grid.write(f"double {x} = {choices.one_of(['0', '0.5', 'c', grid.load()])};")
    grid.statements(8)
    own = _flat(list(INDICES[:axes]))
    op = choices.one_of(["=", "=", "+="])
    grid.write(f"out[{own}] {op} {grid.local()} * {grid.local()} + {grid.local()} * {grid.load()};")
    if not by_return:
        grid.depth -= 1
        grid.write("}")
    parameters = ", ".join(f"const double *{x}" for x in (*arrays, "w"))
    sizes = ", ".join(f"int n{AXES[a]}" for a in range(axes))
    head = f"__global__ void {name}(double *out, {parameters}, double c, {sizes})"
    return "\n".join([head, "{", *grid.lines, "}"])


def program(choices: Choices) -> str:
    """The text of a program that `choices` decides on."""
    axes = choices.number(1, 3)
    kernels = [choices.number(1, 2) for _ in range(choices.number(1, 2))]
    texts = [kernel(choices, f"grid{i}", axes, reads) for i, reads in enumerate(kernels)]
    shape = list(reversed(SIZES[:axes])) if axes > 1 else [23]
    sizes = dict(zip(AXES, reversed(shape), strict=False))
    arrays = [f"x{i}" for i in range(3)]
    calls = []
    for i, reads in enumerate(kernels):
        block = [choices.one_of([4, 3]) for _ in range(axes)]
        grid = ", ".join(f"(n{x} + {b - 1}) / {b}" for x, b in zip(AXES, block, strict=False))
        out, *others = choices.order(arrays)
        arguments = ", ".join([out, *others[:reads], "w", "c", *(f"n{x}" for x in sizes)])
        calls.append(f"{INDENT}grid{i}<<<dim3({grid}), dim3({', '.join(map(str, block))})>>>({arguments});")
    given = [*(f"double *{x}" for x in arrays), "const double *w", "double c", *(f"int n{x}" for x in sizes)]
    drawn = "low = -1.0, high = 1.0"
    head = [
        "/*---", 'function = "run"', f"wrt = {[*arrays, 'w', 'c']}".replace("'", '"'),
        f"of = {arrays}".replace("'", '"'), "[inputs]",
        *(f"{x} = {{ shape = {shape}, random_uniform = {i + 1}, {drawn} }}" for i, x in enumerate(arrays)),
        f"w = {{ shape = [3], random_uniform = 9, {drawn} }}", "c = 0.7",
        *(f"n{x} = {size}" for x, size in sizes.items()), "---*/",
    ]  # fmt: skip
    body = [f"void run({', '.join(given)})", "{", *calls, "}", ""]
    return "\n".join([*head, "#include <math.h>", "", *texts, "", *body])


@st.composite
def programs(draw: Callable[..., Any]) -> str:
    return program(Choices(draw))
