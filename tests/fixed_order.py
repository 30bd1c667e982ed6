"""Programs whose gradients are sums over many threads, for tests of `deterministic=True`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetad

HEAD = """
struct pair { double a; float b; };
"""

KERNEL = "__global__ void k(double *y, const double *x, const int *at, double c, struct pair p, int n, int m)\n{\n"
ROW = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


@dataclass(frozen=True)
class Summed:
    """A kernel, and a word for how `hetad explain` says that its sums are made."""

    body: str
    wrt: tuple[str, ...]
    how: str


PROGRAMS: Mapping[str, Summed] = {
    "a scalar": Summed(ROW + "    if (i < n) y[i] = sin(x[i]) * c;", ("c", "x"), "uniform"),
    "a struct": Summed(ROW + "    if (i < n) y[i] = x[i] * p.a * p.b + cos(p.b * x[i]);", ("p",), "uniform"),
    "few elements": Summed(
        ROW + "    if (i < n) { double s = 0; for (int k = 0; k < 5; k++) s += x[k] * sin(k + i * c); y[i] = s; }",
        ("x", "c"), "uniform",
    ),
    "a stencil": Summed(ROW + "    if (i > 0 && i < n - 1) y[i] = sin(x[i - 1]) * x[i] + x[i + 1];", ("x",), "gather"),
    "rows of a matrix": Summed(
        ROW + "    if (i < n) { double s = 0; for (int j = 0; j < m; j++) s += x[j] * cos(c * (i + j)); y[i] = s; }",
        ("x", "c"), "gather",
    ),
    "an index from memory": Summed(
        ROW + "    if (i < n) y[i] = sin(x[at[i]] * c) * x[at[n - 1 - i] + 1];", ("x", "c"), "in turn"
    ),
    "index modulo": Summed(ROW + "    if (i < n) y[i] = x[(i * i) % m] * x[i % 3];", ("x",), "in turn"),
    "a loop of unknown length": Summed(
        ROW + "    if (i < n) { double v = x[i]; for (int k = 0; k < at[i]; k++) v = sin(v * c) + x[k]; y[i] = v; }",
        ("x", "c"), "in turn",
    ),
}  # fmt: skip


class Problem:
    """One of the programs, with inputs whose sums depend on the order in the last bits."""

    def __init__(self, name: str, n: int) -> None:
        self.summed = PROGRAMS[name]
        self.kernel = hetad.loads(f"{HEAD}{KERNEL}{self.summed.body}\n}}\n")["k"]
        rng = np.random.default_rng(11)
        m = 37
        self.arguments = (
            np.zeros(n), rng.standard_normal(n + m), rng.integers(0, m, n).astype(np.int32), 0.7,
            {"a": 1.3, "b": 0.4}, n, m,
        )  # fmt: skip
        self.call: dict[str, Any] = {"seeds": {"y": rng.standard_normal(n) * 10.0 ** rng.integers(-8, 8, n)}}
        self.call |= {"grid": (n + 63) // 64, "block": 64}

    def gradient(self, backend: str, **options: Any) -> hetad.Gradient:
        return hetad.gradient(self.kernel, self.summed.wrt, "y", backend, **options)

    def bits(self, gradient: hetad.Gradient) -> list[bytes]:
        """The gradient, as it lies in memory."""
        found = gradient(*self.arguments, **self.call)
        return [np.array(_numbers(found[name])).tobytes() for name in self.summed.wrt]

    def numbers(self, gradient: hetad.Gradient) -> list[Any]:
        found = gradient(*self.arguments, **self.call)
        return [np.array(_numbers(found[name])) for name in self.summed.wrt]


def _numbers(value: Any) -> Any:
    return list(value.values()) if isinstance(value, Mapping) else value
