"""What differentiation decided, as it is told; apart from how it decides, so that it can be read without that."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.diagnostics import Span


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """Bytes for all that is saved, and bytes of host memory for further checkpoints of device memory; the directory of
    the file in which they lie, if any.  `every`: another process can go on with the time loop, from what is written to
    that directory so many seconds apart at least; None: it cannot."""

    bytes: int
    on_host: int = 0
    directory: str = ""
    every: float | None = None


@dataclass(frozen=True, slots=True)
class TimeLoop:
    """A loop that a schedule may run, or the reason why every step of it is recorded; `state` names what it saves."""

    span: Span
    state: tuple[str, ...]
    refused: str = ""

    def __str__(self) -> str:
        if self.refused:
            return f"every step is recorded: {self.refused}"
        return f"checkpoints of {', '.join(self.state)}"


@dataclass(frozen=True, slots=True)
class Saved:
    """One value or buffer that the forward sweep saves: in `function`, for the statement at `span`."""

    function: str
    what: str
    how: str
    bytes: str
    span: Span


@dataclass(frozen=True, slots=True)
class Accumulated:
    """One update of an adjoint that several threads may share; `why`: what was proven, or could not be."""

    function: str
    what: str
    how: str
    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Explanation:
    active: dict[str, tuple[str, ...]]
    saved: tuple[Saved, ...]
    accumulated: tuple[Accumulated, ...]
    loops: tuple[TimeLoop, ...] = ()  # under a memory limit
    refilled: tuple[Saved, ...] = ()  # what is computed again instead
    sets: str = ""  # how the sets of a batch run, if there is one
