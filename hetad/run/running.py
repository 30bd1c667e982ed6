"""How a program is to run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Running:
    """`threads` run the blocks of a grid on the CPU; see `hetad.gradient`.  `checked`: whether each access is checked;
    None: those, on the CPU, that nothing proves to stay within their memory."""

    threads: int | None = None
    checked: bool | None = None
