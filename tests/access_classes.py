"""The table of race freedom as programs: for each class of increments, programs where the proof holds, and mutants of
each where it must fail.

A body is that of `k(y, x, at, n, m, s)`, in which each thread that does something writes one element of y: so the
Jacobian tells which threads read which cell of x.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import hetad

HEAD = "__global__ void k(double *y, const double *x, const int *at, int n, int m, int s)\n{\n"
ROW = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
PLANE = ROW + "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n"

PLAIN, REGISTER, BLOCK, GATHER, ATOMIC = "plain", "register", "block", "gather", "atomic"
BOTH = f"{GATHER} {ATOMIC}"  # two targets may be one cell


@dataclass(frozen=True)
class Access:
    """`how`: what is emitted for x; `mutants`: by name, what is emitted and the body."""

    how: str
    body: str
    mutants: dict[str, tuple[str, str]] = field(default_factory=dict)


# A cell belongs to one thread.
EXCLUSIVE = {
    "own cell": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[i]);", {
        "half the index": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[i / 2]);"),
        "the index modulo something": (GATHER, ROW + "    if (i < n) y[i] = sin(x[i % s]);"),
        "an index from memory": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[at[i]]);"),
        "guards that choose other threads": (
            ATOMIC, PLANE + "    if (j == 0 && i < n) y[i] = sin(x[i]);\n"
            "    if (j == 1 && i < n) y[i + 40] = cos(x[i]);",
        ),
        "a bit of it": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[i & 7]);"),
        "two reads that meet": (GATHER, ROW + "    if (i + 1 < n) y[i] = sin(x[i]) * x[i + 1];"),
        "a read that meets the mirror": (BOTH, ROW + "    if (i < n) y[i] = sin(x[i]) * x[n - 1 - i];"),
        "blocks that overlap": (
            ATOMIC, "    int i = blockIdx.x * s + threadIdx.x;\n"
            "    if (i < n) y[blockIdx.x * blockDim.x + threadIdx.x] = sin(x[i]);",
        ),
        "threads without their block": (
            GATHER, "    if (threadIdx.x < n) y[blockIdx.x * blockDim.x + threadIdx.x] = sin(x[threadIdx.x]);",
        ),
        "an index that a branch changed": (
            ATOMIC, ROW + "    int c = i; if (at[0] > 0) c = s;\n    if (i < n) y[i] = sin(x[c]);"
        ),
        "an index changed through a pointer": (
            ATOMIC, ROW + "    int c = i; int *p = &c; *p = s;\n    if (i < n) y[i] = sin(x[c]);"
        ),
        "an index that a loop moved": (
            ATOMIC, ROW + "    int c = i; for (int k = 0; k < i; k++) c--;\n    if (i < n) y[i] = sin(x[c]);"
        ),
    }),
    "own cell behind an offset": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[i + s]);", {
        "an offset of each thread": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[i + at[i]]);"),
    }),
    "own cell behind either of two offsets": Access(
        PLAIN, ROW + "    if (i < n) { if (s > 2) y[i] = sin(x[i + s]); else y[i] = sin(x[i]); }", {
            "a square behind one of them": (
                ATOMIC, ROW + "    if (i < n && i < 9) {\n"
                "        if (s > 2) y[i] = sin(x[(i - 3) * (i - 3) + s]); else y[i] = sin(x[i]);\n    }",
            ),
            "an index from memory behind one of them": (
                ATOMIC, ROW + "    if (i < n) { if (s > 2) y[i] = sin(x[i + at[i] + s]); else y[i] = sin(x[i]); }",
            ),
        },
    ),
    "own cell, backwards": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[n - 1 - i]);", {
        "turned round at the middle": (
            ATOMIC, ROW + "    int c = 2 * i < n ? i : n - 1 - i;\n    if (i < n) y[i] = sin(x[c]);"
        ),
    }),
    "every third cell": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[3 * i + 1]);", {
        "a stride that may be zero": (BOTH, ROW + "    if (i < n) y[i] = sin(x[(s % 4) * i]);"),
        "a square": (ATOMIC, ROW + "    if (i < n && i < 12) y[i] = sin(x[(i - 3) * (i - 3)]);"),
    }),
    "rows below their extent": Access(
        PLAIN, PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[j * m + i]);", {
            "stride smaller than the extent": (
                BOTH, PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[j * s + i]);"
            ),
            "a bound that is not what the index needs": (
                BOTH, PLANE + "    if (i < s && j < n) y[j * s + i] = sin(x[j * m + i]);"
            ),
            "one more than the extent": (
                ATOMIC, PLANE + "    if (i <= m && j < n) y[j * (m + 1) + i] = sin(x[j * m + i]);"
            ),
            "one less than the first": (
                ATOMIC, PLANE
                + "    if (i <= m && j > 0 && j < n) y[j * (m + 1) + i] = sin(x[j * m + i - 1]);",
            ),
            "either guard is enough": (
                BOTH, PLANE + "    if ((i < m || j < n) && i < s) y[j * s + i] = sin(x[j * m + i]);"
            ),
            "the guard of the other axis": (
                BOTH, PLANE + "    if (j < m && i < s) y[j * s + i] = sin(x[j * m + i]);"
            ),
            "a product of two axes": (
                ATOMIC, PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[i * j]);"
            ),
            "a diagonal": (GATHER, PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[i + j]);"),
        },
    ),
    "rows between unsigned bounds": Access(
        PLAIN, PLANE + "    if ((unsigned)(i - 3) < 13u && i < 16 && j < 8)"
        " y[j * 16 + i] = sin(x[20 + j * 13 + i - 3]);", {
            "one that is below zero": (
                ATOMIC, PLANE + "    if ((unsigned)(i - 3) < (unsigned)-2 && i < 16 && j < 8)"
                " y[j * 16 + i] = sin(x[20 + j * 13 + i - 3]);",
            ),
            "one that only the largest number reaches": (
                ATOMIC, PLANE + "    if ((unsigned)(i - 3) < 4294967295u && i < 16 && j < 8)"
                " y[j * 16 + i] = sin(x[20 + j * 13 + i - 3]);",
            ),
            "one that all are up to": (
                ATOMIC, PLANE + "    if ((unsigned)(i - 3) <= (unsigned)-1 && i < 16 && j < 8)"
                " y[j * 16 + i] = sin(x[20 + j * 10 + i - 3]);",
            ),
            "one for another axis": (
                ATOMIC, PLANE + "    if ((unsigned)(j - 3) < 13u && i < 16 && j < 8)"
                " y[j * 16 + i] = sin(x[20 + j * 13 + i - 3]);",
            ),
        },
    ),
    "rows wider than they are used": Access(
        PLAIN, PLANE + "    if (i < m - 2 && j < n) y[j * m + i] = sin(x[j * m + i + 2]);", {
            "shifted beyond the row": (
                ATOMIC, PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[j * (m - 1) + i]);"
            ),
        },
    ),
    "quotient and remainder": Access(
        PLAIN, ROW + "    if (i < n * m) y[i] = sin(x[(i / m) * m + i % m]);", {
            "quotient and another remainder": (
                ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i / m) * s + i % m]);"
            ),
            "the quotient alone": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[i / m]);"),
        },
    ),
    "a pointer of its own": Access(
        PLAIN, ROW + "    const double *p = x + i; if (i < n) y[i] = sin(p[s]);", {
            "a pointer that moves back": (
                ATOMIC, ROW + "    const double *p = x + i; if (at[i] > 2) p -= 1; if (i < n) y[i] = sin(p[s]);"
            ),
        },
    ),
    "the fields of a pair": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[2 * i]) * x[2 * i + 1];", {
        "pairs that overlap": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[2 * i]) * x[2 * i + 2];"),
        "pairs of another stride": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[2 * i]) * x[3 * i + 1];"),
    }),
    "a periodic neighbour": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[(i + 1) % n]);", {
        "periodic over something else": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + 1) % m]);"),
        "more threads than the period": (ATOMIC, ROW + "    if (i < n + m) y[i] = sin(x[(i + 1) % n]);"),
        "every other neighbour": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(2 * i + 1) % n]);"),
        "two neighbours": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + 2) % n]) * x[(i + 1) % n];"),
        "a shift of each thread": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + at[i] % 2) % n]);"),
        "the sum of two neighbours": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + 1) % n + (i + 2) % n]);"),
        "the sum with its own": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + 1) % n + i]);"),
        "a neighbour that is halved": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i + 1) % n / 2]);"),
        "what lies between neighbours": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[((i + 1) % n + i) % n]);"),
    }),
    "the periodic neighbour before": Access(PLAIN, ROW + "    if (i < n) y[i] = sin(x[(i - 1 + n) % n]);", {
        "neighbours before and behind": (
            ATOMIC, ROW + "    if (i < n) y[i] = sin(x[(i - 1 + n) % n]) * x[(i + 1) % n];"
        ),
    }),
    "a periodic neighbour in the plane": Access(
        PLAIN, ROW + "    if (i < 4 * n) y[i] = sin(x[(i / n + 1) % 4 * n + (i % n + 1) % n]);", {
        "the neighbour in the row alone": (ATOMIC, ROW + "    if (i < 4 * n) y[i] = sin(x[(i % n + 1) % n]);"),
        "periodic rows that overlap": (
            ATOMIC, ROW + "    if (i < 4 * n) y[i] = sin(x[(i / n + 1) % 4 * (n - 1) + (i % n + 1) % n]);"
        ),
        "more rows than the period": (
            ATOMIC, ROW + "    if (i < 5 * n) y[i] = sin(x[(i / n + 1) % 4 * n + (i % n + 1) % n]);"
        ),
    }),
}  # fmt: skip

# A cell stays the same in a loop.
INVARIANT = {
    "own cell in a loop": Access(
        f"{REGISTER} {PLAIN}", ROW + "    if (i < n) { double t = 1; for (int k = 0; k < s; k++) t += k * x[i] * x[i];"
        " y[i] = t; }", {
            "the cell moves with the loop": (
                GATHER, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < s; k++) t += k * x[i + k] * x[i + k];"
                " y[i] = t; }",
            ),
            "the cell is found in the loop": (
                ATOMIC, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < s; k++) t += sin(k * x[at[k]]);"
                " y[i] = t; }",
            ),
            "the cell moves at the end of each turn": (
                ATOMIC, ROW + "    if (i < n) { double t = 1; int c = i; for (int k = 0; k < s; k++) {"
                " t += sin(k * x[c]); c = at[c]; } y[i] = t; }",
            ),
            "a cell that is shared": (
                f"{REGISTER} {ATOMIC}", ROW + "    if (i < n) { double t = 1; for (int k = 0; k < s; k++)"
                " t += sin(k * x[at[i]]); y[i] = t; }",
            ),
        },
    ),
}  # fmt: skip

# All threads add to few cells.
UNIFORM = {
    "the first cell": Access(BLOCK, ROW + "    if (i < n) y[i] = sin(x[0] + i);", {
        "a cell that each thread chooses": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[at[i] & 1] + i);"),
        "a cell that a parameter chooses": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[s] + i);"),
    }),
    "five cells": Access(
        BLOCK, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < 5; k++) t += sin(k * i) * x[k]; y[i] = t; }", {
            "as many as a parameter says": (
                ATOMIC, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < s; k++) t += sin(k * i) * x[k];"
                " y[i] = t; }",
            ),
            "five from each thread on": (
                GATHER, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < 5; k++) t += sin(k * i) * x[i + k];"
                " y[i] = t; }",
            ),
            "more than registers hold": (
                ATOMIC, ROW + "    if (i < n) { double t = 1; for (int k = 0; k < 70; k++) t += sin(k * i) * x[k];"
                " y[i] = t; }",
            ),
        },
    ),
}  # fmt: skip

# Many threads add to one cell, and each cell knows them.
GATHERED = {
    "neighbours": Access(GATHER, ROW + "    if (i > 0 && i + 1 < n) y[i] = sin(x[i - 1]) * x[i + 1] * x[i];", {
        "neighbours at a distance from memory": (
            ATOMIC, ROW + "    if (i > 0 && i + 1 < n) y[i] = sin(x[i - 1]) * x[i + at[i]];"
        ),
        "neighbours round the end": (ATOMIC, ROW + "    if (i < n) y[i] = sin(x[i]) * x[(i + s) % n];"),
    }),
    "a stencil": Access(
        GATHER, PLANE + "    if (i > 0 && j > 0 && i < m - 1 && j < n - 1)"
        " y[j * m + i] = x[j * m + i - 1] + x[j * m + i + 1] + x[(j - 1) * m + i];", {
            "a stencil of another stride": (
                BOTH, PLANE + "    if (i > 0 && j > 0 && i < m - 1 && j < n - 1)"
                " y[j * m + i] = x[j * m + i - 1] + x[j * s + i + 1] + x[(j - 1) * m + i];",
            ),
        },
    ),
    "one vector for all rows": Access(GATHER, PLANE + "    if (i < m && j < n) y[j * m + i] = 2 * x[i];", {
        "a vector that rows permute": (ATOMIC, PLANE + "    if (i < m && j < n) y[j * m + i] = 2 * x[at[i]];"),
    }),
    "a product of matrices": Access(
        GATHER, PLANE + "    if (i < m && j < n) { double t = 0; for (int k = 0; k < s; k++)"
        " t += x[j * s + k] * at[k * m + i]; y[j * m + i] = t; }", {
            "rows closer than they are long": (
                BOTH, PLANE + "    if (i < m && j < n) { double t = 0; for (int k = 0; k < m; k++)"
                " t += x[j * s + k] * at[k]; y[j * m + i] = t; }",
            ),
        },
    ),
}  # fmt: skip

CLASSES = {"exclusive": EXCLUSIVE, "invariant": INVARIANT, "uniform": UNIFORM, "gather": GATHERED}
PROGRAMS: dict[str, tuple[str, str]] = {}  # how, and the body
for _accesses in CLASSES.values():
    for _name, _access in _accesses.items():
        PROGRAMS[_name] = (_access.how, _access.body)
        PROGRAMS |= {f"{_name}, but {mutant}": found for mutant, found in _access.mutants.items()}


def program(body: str) -> hetad.Program:
    return hetad.loads(f"{HEAD}{body}\n}}\n")


def kernels(source: str) -> str:
    """The kernels of the pullback."""
    source = re.sub(r"__launch_bounds__\(.*?\) ", "", source)
    return "".join(re.findall(r"static __global__ void k_\w+\(.*?^}", source, re.DOTALL | re.MULTILINE))


# Under which sizes the threads of some mutants do not meet: as the host tests it, and by n, m, s and the block.
TESTED: dict[str, tuple[str, Callable[[int, int, int, tuple[int, ...]], bool]]] = {
    "own cell, but blocks that overlap": ("(long)s >= block.x", lambda n, m, s, block: s >= block[0]),
    "rows below their extent, but stride smaller than the extent": ("s >= m", lambda n, m, s, block: s >= m),
    "rows below their extent, but a bound that is not what the index needs": ("m >= s", lambda n, m, s, block: m >= s),
    "rows below their extent, but either guard is enough": ("m >= s", lambda n, m, s, block: m >= s),
    "rows below their extent, but the guard of the other axis": ("m >= s", lambda n, m, s, block: m >= s),
    "quotient and remainder, but quotient and another remainder": ("s >= m", lambda n, m, s, block: s >= m),
}


def condition(body: str) -> str | None:
    """The condition in front of two versions."""
    source = hetad.gradient(program(body)["k"], wrt="x", of="y").source
    found = re.search(r"if \((.*)\) \{\n *k_(?:pullback|gather)_apart", source)
    return found[1] if found else None


def emitted(body: str) -> str:
    """How the gradient adds to the adjoint of x: the words of the table."""
    text = kernels(hetad.gradient(program(body)["k"], wrt="x", of="y").source)
    text = re.sub(r"if \(parts > 1\) \{[^}]*\}", "", text)  # blocks that share a tile
    parts = [k for k in re.split(r"(?=static __global__)", text) if "_apart" not in k.split("(")[0]]
    gathers = "".join(k for k in parts if "void k_gather" in k)
    own = "".join(k for k in parts if "void k_gather" not in k)
    rows = [
        (GATHER, gathers, "static"),
        (ATOMIC, gathers, _ADDED),
        (REGISTER, own, r"adj_[xp]_sum [+-]="),
        (BLOCK, own, r"hetad_block_add_double\(&?adj_x"),
        (PLAIN, own, r"^ *adj_[xp]\[[^\n]*\] [+-]="),
        (ATOMIC, own, _ADDED),
    ]
    return " ".join(how for how, where, pattern in rows if re.search(pattern, where, re.MULTILINE))


_ADDED = r"(?:atomicAdd|hetad_warp_add_double|hetad_hot_add_double)\(\s*&?adj_[xp]"
