"""Checkpoint schedules: in which order the steps of a time loop are run, recorded and reversed within a memory limit.

The host program asks once for each run of a loop, when it knows how many steps there are and what is saved; the answer
is an array of actions.  Schedules are the binomial ones of the package checkpoint-schedules, with two storage levels.
Sources: A. Griewank, A. Walther, Algorithm 799: revolve, ACM TOMS 26(1), 2000; P. Stumm, A. Walther, MultiStage
approaches for optimal offline checkpointing, SIAM J. Sci. Comput. 31(3), 2009.
"""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

ADVANCE, RECORD, SAVE, LOAD, LOAD_LAST, REVERSE, TURN = range(7)  # of emit/support/action.c
Row = tuple[int, int, int, int]  # kind, from, to, level
Actions = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Request:
    """A loop of `trips` steps, or those of its steps that are left, of whose start there is a checkpoint.

    In bytes: `state` of one checkpoint; `step`, what recording one step takes; `least`, the same where loops inside it
    are run by schedules of their own; `room` for more on the device, `host_room` for checkpoints in host memory.
    `first_level` is 1 if the first checkpoint lies in host memory.  `now`: how many steps have been run; -1 in the
    reverse sweep, where the state is another one.  At most `most` steps are recorded at a time.
    """

    trips: int
    state: int
    step: int
    least: int
    room: int
    host_room: int
    first_level: int
    now: int = 1
    most: int = 2**62


def plan(request: Request) -> Actions | None:
    """The actions, one a row; None if the room allows for none."""
    block, most = _block(request)
    if block == 0:
        return None
    return _schedule(request.trips, block, *most, request.first_level, request.now)


def _block(r: Request) -> tuple[int, tuple[int, int]]:
    """How many steps are recorded at a time, and how many checkpoints fit at each level, the first one included."""
    first = max(r.now, 0)
    if r.trips - first <= r.most and (r.trips - first) * r.step <= r.room:
        return r.trips, (1, 0)
    # Loops inside a step leave more room for checkpoints when they have to make do with less.
    for step in dict.fromkeys((r.step, max(r.least, r.room // 2), r.least)):
        found = []
        for block in _candidates(min(r.room // max(step, 1), r.trips, r.most)):
            fit = _fitting(r, block * step)
            blocks = -(-r.trips // block)
            found.append((block * extra_steps(blocks, min(sum(fit), blocks - 1)), block, fit))
        if found and (sum(found[0][2]) > 1 or step == r.least):
            _, block, fit = min(found)
            return block, fit
    return 0, (0, 0)


def _fitting(r: Request, recorded: int) -> tuple[int, int]:
    state = max(r.state, 1)
    return (r.room - recorded) // state + 1 - r.first_level, r.host_room // state + r.first_level


def _candidates(most: int) -> list[int]:
    """1, 2, 3, ... and then more and more apart."""
    found, block = [], 1
    while block <= most:
        found.append(block)
        block = max(block + 1, block * 5 // 4)
    return found


def extra_steps(steps: int, checkpoints: int) -> int:
    """How many steps an optimal schedule advances, without those it records: r n - b(s + 1, r - 1).

    b(s, r) = (s + r)! / (s! r!) is how many steps s checkpoints reverse when none is run more than r times before.
    """
    if steps <= 1:
        return 0
    r = 1
    while math.comb(checkpoints + r, r) < steps:
        r += 1
    return r * steps - math.comb(checkpoints + r, r - 1)


@functools.lru_cache(maxsize=256)
def _schedule(trips: int, block: int, on_device: int, on_host: int, first_level: int, now: int) -> Actions:
    """Blocks of steps, each recorded as a whole."""
    blocks = -(-trips // block)
    if blocks == 1:
        return np.array(_recorded_at_once(trips, first_level, now), np.int64)
    from checkpoint_schedules import MultistageCheckpointSchedule

    def actions() -> Iterator[Any]:
        return iter(MultistageCheckpointSchedule(blocks, on_device, on_host))

    numbers = array("q")
    for row in _rows(actions(), _levels(actions(), first_level), trips, block, now):
        numbers.extend(row)
    return np.frombuffer(numbers, np.int64).reshape(-1, 4)


def _recorded_at_once(trips: int, first_level: int, now: int) -> list[Row]:
    match now:
        case 0:
            return [(RECORD, 0, trips, 0), (TURN, 0, 0, 0), (REVERSE, 0, trips, 0)]
        case 1:
            rows = [(RECORD, 1, trips, 0), (TURN, 0, 0, 0), (REVERSE, 1, trips, 0)]
            return [*rows, *_recorded_at_once(1, first_level, -1)]
    return [(LOAD_LAST, 0, 0, first_level), (RECORD, 0, trips, 0), (REVERSE, 0, trips, 0)]


def _rows(actions: Iterable[Any], levels: list[int], trips: int, block: int, now: int) -> Iterator[Row]:
    from checkpoint_schedules import Copy, EndForward, Forward, Move, Reverse

    if now < 0:
        yield LOAD, 0, 0, levels[0]
    saved = 0  # checkpoints there are
    started = False
    for action in actions:
        match action:
            case Forward():
                first, last = action.n0 * block, min(action.n1 * block, trips)
                if action.write_ics and started:
                    yield SAVE, 0, 0, levels[saved]
                elif action.write_ics:
                    first = max(now, 0)  # the first checkpoint is there already
                saved += action.write_ics
                started = True
                if first < last:
                    yield (RECORD if action.write_adj_deps else ADVANCE), first, last, 0
            case Copy():
                yield LOAD, 0, 0, levels[saved - 1]
            case Move():
                saved -= 1
                yield LOAD_LAST, 0, 0, levels[saved]
            case Reverse():
                yield REVERSE, action.n0 * block, min(action.n1 * block, trips), 0
            case EndForward() if now >= 0:
                yield TURN, 0, 0, 0


def _levels(actions: Iterable[Any], first_level: int) -> list[int]:
    """The level of the first checkpoint, the second, ...: as the schedule says, but for the first, which is given."""
    from checkpoint_schedules import Forward, Move, StorageType

    levels: dict[int, int] = {}
    saved = 0
    for action in actions:
        if isinstance(action, Forward) and action.write_ics:
            levels[saved] = int(action.storage == StorageType.DISK)
            saved += 1
        elif isinstance(action, Move):
            saved -= 1
    if levels[0] != first_level:
        other = next((i for i, level in levels.items() if level == first_level), 0)
        levels[other], levels[0] = levels[0], first_level
    return [levels[i] for i in range(len(levels))]


# --- as C calls it -------------------------------------------------------------------------------

_SIZES = len(Request.__slots__)
_Callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p))


class _Calls(threading.local):
    """The schedules that the running call of a thread uses, and what went wrong when one was made."""

    def __init__(self) -> None:
        self.used: list[Actions] = []
        self.problem: BaseException | None = None


_calls = _Calls()


def start() -> None:
    """A call begins in this thread."""
    _calls.used.clear()
    _calls.problem = None


def problem() -> BaseException | None:
    """What kept the last call in this thread from having its schedule."""
    return _calls.problem


def _answer(request: Any, actions: Any) -> int:
    try:
        found = plan(Request(*request[:_SIZES]))
    except BaseException as error:  # noqa: BLE001 - C cannot pass it on
        _calls.problem = error
        return -1
    if found is None:
        return 0
    _calls.used.append(found)
    actions[0] = found.ctypes.data
    return len(found)


scheduler = _Callback(_answer)
