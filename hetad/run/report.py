"""What a gradient call saved, and what it ran again to save less; sizes of memory as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hetad.diagnostics import ArgumentError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


@dataclass(frozen=True, slots=True)
class Report:
    """`saved_bytes`: the most that was saved for the reverse sweep at a time; `host_bytes`: checkpoints in host memory,
    likewise; `steps`: of time loops that ran by a schedule; `extra_steps`: steps of them that were run again;
    `launches`: of kernels, in both sweeps, but not what libraries launch."""

    saved_bytes: int = 0
    host_bytes: int = 0
    steps: int = 0
    extra_steps: int = 0
    launches: int = 0

    def __str__(self) -> str:
        text = f"{self.saved_bytes} bytes saved at most"
        if self.host_bytes:
            text += f", and {self.host_bytes} bytes of checkpoints in host memory"
        text += f"; {self.extra_steps} of {self.steps} steps run again" if self.steps else ""
        return f"{text}; {self.launches} launches"


def size_in_bytes(size: int | str, name: str) -> int:
    """`8e9`, `8GB`, `512 MiB`, or a number of bytes.

    Raises:
        ArgumentError: it is not one, or not positive.
    """
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9.]+(?:[eE][0-9]+)?)\s*([kKmMgGtT]?i?)B?\s*", size)
        try:
            found = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
        except (KeyError, ValueError):
            found = 0
    else:
        found = 0 if isinstance(size, bool) else int(size)
    if found <= 0:
        raise ArgumentError(f"{name}={size!r}: expected a number of bytes, or a text as in {name}='8GB'")
    return found
