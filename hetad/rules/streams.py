"""Functions of the C library that take any number of arguments, and those whose texts are for a reader alone."""

from __future__ import annotations

import sys

from hetad.ir.types import INT
from hetad.rules.callee import ALL, Callee


def _output(name: str, *, variadic: bool = False) -> Callee:
    """Nothing that the program computes depends on it."""
    emit = {"c": "hetad_printf"} if name == "printf" else {}
    return Callee(
        name, "output", returns=INT, reads=ALL, kept=True, once=True, variadic=variadic, header="stdio.h", emit=emit,  # type: ignore[arg-type]
    )  # fmt: skip


def _formatted(name: str, first: int, count: int | None = 1, *, once: bool = False) -> Callee:
    """Writes through `count` arguments from the `first` on; None: through all of these."""
    written = range(first, sys.maxsize if count is None else first + count)
    return Callee(
        name, "formatted", returns=INT, reads=ALL, writes=written, kept=True, once=once, variadic=True, header="stdio.h"
    )  # fmt: skip


ROWS: tuple[Callee, ...] = (
    _output("printf", variadic=True),
    _output("fprintf", variadic=True),
    _output("puts"),
    _output("fputs"),
    _output("putchar"),
    _output("fflush"),
    Callee(
        "assert",
        "output",
        returns=INT,
        reads=ALL,
        kept=True,
        once=True,
        stops=True,
        header="assert.h",
        emit={"c": "hetad_assert"},
        text={"c": "hetad_assert({0}, {quoted})"},
    ),
    _formatted("sprintf", 0),
    _formatted("snprintf", 0),
    _formatted("sscanf", 2, None),
    _formatted("fscanf", 2, None, once=True),
    _formatted("scanf", 1, None, once=True),
)
