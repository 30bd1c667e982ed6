"""How a program is to run on the CPU, and whether it is checked there or on a GPU."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OnCpu:
    """`threads` run the blocks of a grid; see `hetad.gradient`.  `checked`: whether each access is checked; None where
    nothing else says that it need not be."""

    threads: int | None = None
    checked: bool | None = None
