"""Programs of kernels that form sums in loops and weigh them afterwards: what may wait for the reversed loop.

Terms go through variables of the iteration, cells of a local array, branches, inner loops and what one iteration
leaves to the next; sums are used linearly or not, decide something, or change an array that terms were read from.
Terms may be inactive: then what stands between the sum and its uses counts, chooses and jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.property.blocks import INDENT
from tests.property.choices import Choices

N, M = 19, 7
SUMS = ("s", "t")
WRT = ('["x", "w", "c"]', '["w", "c"]', '["x"]', '["c"]')


@dataclass
class Terms:
    """The body of a loop as it is written.  `own`: variables of the iteration that have a value."""

    choices: Choices
    index: str
    lines: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    names: int = 0

    def write(self, line: str, depth: int = 0) -> None:
        self.lines.append(INDENT * depth + line)

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def load(self) -> str:
        k = self.index
        return self.choices.one_of([f"x[{k}]", f"w[{k}]", "own", f"x[{k} + i]", f"a[{k} % 3]", "c"])

    def value(self) -> str:
        """Of an absolute value of at most some units."""
        known = self.choices.one_of(self.own) if self.own else self.load()
        form = self.choices.one_of([
            "{load} * {more}", "sin({known}) * {load}", "{known} / (1.5 + {load} * {load})", "cos({known} - {load})",
            "{known} + 0.5 * {load}", "{load} > 0.1 ? sin({known}) : {load}", "exp(-{known} * {known})",
        ])  # fmt: skip
        return form.format(load=self.load(), more=self.load(), known=known)

    # -- statements

    def cell(self, depth: int) -> None:
        """A cell of a local array that is read behind its store, where it may have been stored to again."""
        k = self.index
        at, other = (self.choices.one_of([f"{k} % 3", "few % 3", "1", f"({k} + 1) % 3", "i % 3"]) for _ in range(2))
        self.write(f"g[{at}] = {self.value()};", depth)
        between = [
            "",
            f"g[{other}] = g[{at}] * {self.load()};",
            "few = few + 1;",
            f"if ({self.load()} > 0) g[{at}] = c;",
        ]
        self.write(self.choices.one_of(between), depth)
        x = self.name("v")
        self.write(f"double {x} = g[{at}] * {self.load()} + 0.5 * g[{other}];", depth)
        self.own.append(x)

    def statement(self, depth: int) -> None:
        forms = [self.declare, self.declare, self.branch, self.inner, self.cell, self.change, self.carry]
        forms = forms if self.choices.chance(40) else forms[:5]
        self.choices.one_of(forms)(depth)

    def declare(self, depth: int) -> None:
        x, value = self.name("v"), self.value()
        self.write(f"double {x} = {value};", depth)
        self.own.append(x)

    def change(self, depth: int) -> None:
        if not self.own:
            return self.declare(depth)
        x = self.choices.one_of(self.own)
        return self.write(f"{x} = {self.choices.one_of(['sin', 'tanh'])}({x} + {self.value()});", depth)

    def branch(self, depth: int, often: int = 40) -> None:
        """`often`: that a loop stands in it."""
        x = self.name("b")
        known = self.choices.one_of(self.own) if self.own else self.load()
        both = self.choices.chance(70)
        self.write(f"double {x} = {'own' if both else '0.25'};", depth)
        cond = self.choices.one_of([f"{known} > 0.1", f"{self.index} % 2 == 0", "own > 0", f"{known} * {known} < 0.3"])
        arms = [f"{x} = {self.value()};" for _ in range(2)]
        first = self._inner_sum(x) if self.choices.chance(often) else arms[0]
        self.write(f"if ({cond}) {{ {first} }}{f' else {{ {arms[1]} }}' if both else ''}", depth)
        self.own.append(x)

    def _inner_sum(self, x: str) -> str:
        u, j, load = self.name("u"), self.name("j"), self.load()
        step = self.choices.one_of([f"{u} += ", f"{u} -= ", f"{u} = {u} + "])
        loop = f"double {u} = 0; for (int {j} = 0; {j} < 3; {j}++) {step}sin({load} * {j} + own);"
        # What the branch sets may be overwritten in it, and is taken back in the reverse sweep.
        before, last = self.choices.one_of([
            ("", f"{u} * {load}"), (f"{x} = sin({load});", f"{x} * {x} * {load} + 0.3 * {u}"),
            (f"{x} = cos({load});", f"{x} * {u}"), (f"own = own * {x};", f"own * {u}"),
        ])  # fmt: skip
        return f"{before} {loop} {x} = {last};"

    def inner(self, depth: int) -> None:
        x, j, sign = self.name("p"), self.name("j"), self.name("g")
        self.write(f"double {x} = 0, {sign} = 1;", depth)
        turns = self.choices.one_of([f"{j} < 4", f"{j} < {self.index} % 3"])
        step = self.choices.one_of(["{x} += {g} * sin({v} * {j});", "{x} = {x} + {g} * cos({v} + {j});"])
        text = step.format(x=x, g=sign, v=self.own[-1] if self.own else self.load(), j=j)
        self.write(f"for (int {j} = 0; {turns}; {j}++) {{ {text} {sign} = -{sign}; }}", depth)
        self.own.append(x)

    def carry(self, depth: int) -> None:
        """What an iteration leaves to the next, which may be active."""
        form = self.choices.one_of(["last = 0.5 * last + 0.25 * {v};", "turn = -turn;", "few = (few + 1) % 3;"])
        self.write(form.format(v=self.value()), depth)
        self.own.append(self.choices.one_of(["last", "turn"]))


def _loop(choices: Choices, sums: list[str], number: int) -> list[str]:
    k = f"k{number}"
    head = choices.one_of([
        f"for (int {k} = 0; {k} < m; {k}++)", f"for (int {k} = m - 1; {k} >= 0; {k}--)",
        f"for (int {k} = i % 3; {k} < m; {k} += 2)", f"for (int {k} = 0; {k} <= m - 2; {k}++)",
    ])  # fmt: skip
    terms = Terms(choices, k)
    if choices.chance(30):
        terms.branch(1, often=100)
        weighed = [f"{INDENT}{s} += {terms.own[-1]} * {terms.load()};" for s in sums]
        return [f"{head} {{", *terms.lines, *weighed, "}"]
    for _ in range(choices.number(0, 4)):
        terms.statement(1)
    for s in sums:
        often = ["{s} += {v};", "{s} -= {v};", "{s} = {s} + {v};"]
        form = choices.one_of([*often, "if ({k} % 2) {s} += {v};"] if choices.chance(20) else often)
        at = choices.number(0, len(terms.lines)) if choices.chance(15) else len(terms.lines)
        known = [x for x in terms.own if any(f" {x} " in line or f" {x};" in line for line in terms.lines[:at])]
        terms.own = known if at < len(terms.lines) else terms.own
        terms.lines.insert(at, INDENT + form.format(s=s, v=terms.value(), k=k))
    return [f"{head} {{", *terms.lines, "}"]


# Where terms are inactive, what decides may be set by statements that wait, and others may stay in what it decides.
MEANWHILE = (
    "e = 0; while (e < 5) {{ r += {s} * x[e]; e += x[e] > 0 ? 2 : 1; }}",
    "e = 0; do {{ r += {s} * w[e % 4]; e += x[e + i] > 0 ? 2 : 1; }} while (e < 4);",
    "for (int j = 0; j < e; j++) {{ own = own + x[j + i]; r += {s} * x[j]; }}",
    "for (int j = e; j > 0; j -= 2) for (int l = j; l < e; l++) {{ r += {s} * own; q[l % 2] = q[l % 2] + x[l]; }}",
    "if (e > 2) {{ own = x[e]; r += {s} * w[1]; }} else {{ few = few + e; r -= {s}; }}",
    "if (few > 0 && ++e > 1) r += {s} * own;", "sincos(own, q, q + 1); r += {s} * q[0];",
    "sincos(x[e % 4], q + 1, &own); r += q[1] * w[0];", "own = modf(own * 3 + 0.1, q); r += {s} * own * q[0];",
    "for (int j = 0; j < 4; j++) {{ if (x[j] > 0.5) continue; r += {s} * x[j]; if (x[j] < -0.5) break; own += x[j]; }}",
    "switch (e % 3) {{ case 0: own = x[2]; case 1: r += {s} * own; break; default: q[0] = q[0] + own; }}",
    "for (unsigned j = 3; j-- > 0u;) {{ r += {s} * q[j % 2]; few += j; q[1] = x[few % 5]; }}",
)  # fmt: skip
LINEAR = (
    "r += {s} * w[i % 4];", "r -= 2 * {s} * own;", "r += {s} * c - {s} * w[0];", "q[0] = {s}; q[1] = 2 * {s};",
    "for (int j = 0; j < 2; j++) {{ r += q[j] * w[j]; q[j] = {s}; }}", "if (m > 3) r += {s} * w[1];", "r += {s} * c;",
)  # fmt: skip
OTHER = (
    "r += sin({s});", "r *= {s};", "if ({s} > 0.2) r += {s} * c; else r -= {s};", "a[i % 3] = {s} * c;",
    "a[1] = a[0] * a[2];", "{s} *= w[2];", "{s} = 0.5;", "r += a[(int)fabs({s}) % 3] * {s};", "out[i + n] = {s};",
)  # fmt: skip


def _use(choices: Choices, s: str) -> str:
    if choices.chance(25):
        return choices.one_of(MEANWHILE).format(s=s)
    return choices.one_of(OTHER if choices.chance(15) else LINEAR).format(s=s)


def kernel(choices: Choices) -> str:
    lines: list[str] = []
    for number in range(choices.number(1, 2)):
        lines += _loop(choices, choices.order(SUMS)[: choices.number(1, 2)], number)
        lines += [_use(choices, choices.one_of(SUMS)) for _ in range(choices.number(1, 3))]
    if choices.chance(20):
        lines = [f"for (int row = 0; row < 2; row++) {{ t = {choices.one_of(['0', 't'])};", *lines, "}"]
    op = choices.one_of(["=", "+="])
    body = [
        "int i = blockIdx.x * blockDim.x + threadIdx.x, few = 0, e = 0;",
        "if (i >= n) return;",
        "double own = x[i], s = 0, t = 0.25, r = 0, last = 0.1, turn = 1;",
        "double q[2] = {0, 0}, a[3] = {x[i], w[i % 4], own * c}, g[3] = {own, c, 0.1};",
        *lines,
        f"out[i] {op} r * {choices.one_of(['c', 'own', 'w[3]'])} + 0.1 * last + turn * q[0] + few;",
    ]
    head = "__global__ void weigh(double *out, const double *x, const double *w, double c, int n, int m)"
    return "\n".join([head, "{", *(INDENT + line for line in body), "}"])


def program(choices: Choices) -> str:
    """The text of a program that `choices` decides on."""
    drawn = "low = -1.0, high = 1.0"
    head = [
        "/*---", 'function = "run"', f"wrt = {choices.one_of(WRT)}", 'of = ["out"]', "[inputs]",
        f"x = {{ shape = [{N + M}], random_uniform = 1, {drawn} }}",
        f"w = {{ shape = [8], random_uniform = 2, {drawn} }}",
        f"out = {{ shape = [{2 * N}], random_uniform = 3, {drawn} }}", "c = 0.7", f"n = {N}",
        f"m = {choices.one_of([M, 1, 0, 4])}", "---*/",
    ]  # fmt: skip
    call = f"{INDENT}weigh<<<dim3((n + 7) / 8), dim3(8)>>>(out, x, w, c, n, m);"
    run = ["void run(double *out, const double *x, const double *w, double c, int n, int m)", "{", call, "}", ""]
    return "\n".join([*head, "#include <math.h>", "", kernel(choices), "", *run])


@st.composite
def programs(draw: Callable[..., Any]) -> str:
    return program(Choices(draw))
