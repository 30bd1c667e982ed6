"""Checkpoint schedules: each is run on a model of the run-time support, which knows what may be done when."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

from hetad.emit import support
from hetad.run.executable import library
from hetad.run.schedule import (
    ADVANCE,
    LOAD,
    LOAD_LAST,
    RECORD,
    REVERSE,
    SAVE,
    TURN,
    Request,
    extra_steps,
    plan,
)  # fmt: skip


def simulate(actions: np.ndarray, request: Request) -> tuple[int, int]:
    """Runs the actions; the most room they took on the device, beside the first checkpoint, and the steps run again."""
    now, checkpoints, recorded = 1, [(0, request.first_level)], []
    left, turned, again = request.trips, False, 0
    peak = on_host = 0
    for kind, first, last, level in actions.tolist():
        match kind:
            case k if k in (ADVANCE, RECORD):
                assert now == first < last <= left
                assert turned or not recorded or k == RECORD
                now = last
                again += turned * (last - first)
                recorded += range(first, last) if k == RECORD else ()
            case k if k == SAVE:
                assert not recorded
                checkpoints.append((now, level))
            case k if k in (LOAD, LOAD_LAST):
                assert not recorded, "the tape gives back last what was saved first"
                now, where = checkpoints[-1]
                assert where == level
                if k == LOAD_LAST:
                    checkpoints.pop()
            case k if k == TURN:
                assert now == left == request.trips and not turned
                turned = True
            case k if k == REVERSE:
                assert turned and last == left and now == left
                for step in reversed(range(first, last)):
                    assert recorded.pop() == step
                left = now = first
        held = sum(where == 0 for _, where in checkpoints) - (request.first_level == 0)
        on_host = max(on_host, sum(where == 1 for _, where in checkpoints) - (request.first_level == 1))
        peak = max(peak, held * request.state + len(recorded) * request.step)
    assert turned and left == 0 and not checkpoints and not recorded
    assert on_host * request.state <= request.host_room
    return peak, again


ROOMS = [
    Request(trips, state, step, step, room, host, first)
    for trips, state, step, room, host in itertools.product(
        (2, 3, 7, 50, 333), (1, 2, 30), (1, 3), (3, 10, 64, 500), (0, 70)
    )
    for first in ((0, 1) if host else (0,))
]


@pytest.mark.parametrize("requests", [ROOMS[i::8] for i in range(8)], ids=range(8))
def test_schedules_are_valid_and_keep_within_the_room(requests: list[Request]) -> None:
    for request in requests:
        actions = plan(request)
        assert actions is not None, request
        peak, _ = simulate(actions, request)
        assert peak <= request.room, request


def test_everything_is_recorded_where_it_fits() -> None:
    request = Request(trips=100, state=8, step=1, least=1, room=99, host_room=0, first_level=0)
    actions = plan(request)
    assert actions is not None
    assert simulate(actions, request)[1] == 1, "only the first step, which was run to see what a step saves"


def test_no_room() -> None:
    assert plan(Request(trips=5, state=8, step=10, least=10, room=9, host_room=0, first_level=0)) is None


def test_few_steps_are_run_again_where_several_are_recorded_at_a_time() -> None:
    one = Request(trips=1000, state=100, step=100, least=100, room=1000, host_room=0, first_level=0)
    cheap = Request(trips=1000, state=100, step=1, least=1, room=1000, host_room=0, first_level=0)
    found = [simulate(plan(r), r)[1] for r in (one, cheap)]
    assert found[1] < 1000 < found[0] < 5000, found


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 57])
@pytest.mark.parametrize("checkpoints", [1, 2, 5])
def test_optimal_number_of_extra_steps(steps: int, checkpoints: int) -> None:
    """Against the recursion that defines it."""

    def best(n: int, s: int) -> int:
        if n == 1:
            return 0
        if s == 1:
            return n * (n - 1) // 2
        if (n, s) not in known:
            known[n, s] = min(i + best(i, s) + best(n - i, s - 1) for i in range(1, n))
        return known[n, s]

    known: dict[tuple[int, int], int] = {}
    assert extra_steps(steps, min(checkpoints, max(steps - 1, 1))) == best(steps, min(checkpoints, max(steps - 1, 1)))


# --- the schedules that an emitted .cu makes by itself -------------------------------------------


@pytest.fixture(scope="module")
def built_in() -> ctypes.CDLL:
    head = "#include <stdint.h>\n#include <stdlib.h>\nstatic void hetad_fail(const char *m) { (void)m; abort(); }\n"
    entry = """
    int64_t make(const int64_t *request, const int64_t **actions)
    {
        return hetad_schedule(request, (const struct hetad_action **)actions);
    }
    """
    handle = library(head + support.read("action.c") + support.read("schedule.cu") + entry).handle
    handle.make.restype = ctypes.c_int64
    return handle


@pytest.mark.parametrize("requests", [ROOMS[i::8] for i in range(8)], ids=range(8))
def test_built_in_schedules(built_in: ctypes.CDLL, requests: list[Request]) -> None:
    for r in requests:
        if r.room <= r.step:
            continue
        values = np.array(dataclasses.astuple(r), np.int64)  # Request's fields are in the order that C reads
        assert values.size == 9
        actions = ctypes.c_void_p()
        count = built_in.make(values.ctypes.data_as(ctypes.c_void_p), ctypes.byref(actions))
        assert count > 0, r
        rows = np.ctypeslib.as_array(ctypes.cast(actions, ctypes.POINTER(ctypes.c_int64)), (count, 4))
        peak, again = simulate(rows, r)
        assert peak <= r.room, r
        assert again <= r.trips * r.trips, r


def test_actions_have_the_same_numbers_in_c() -> None:
    text = (Path(support.__file__).parent / "support" / "action.c").read_text()
    names = text.split("enum { ")[1].split(" }")[0].split(", ")
    assert [globals()[n.removeprefix("HETAD_")] for n in names] == list(range(7))
