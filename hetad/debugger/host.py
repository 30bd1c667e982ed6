"""Runs of a program with points in its host function, as one stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.debugger.runs import STEPS, Asked, Runner, tried
from hetad.debugger.streams import Group, Indices, Parting, Stream, Vector, alike, common, groups_of
from hetad.diagnostics import ArgumentError
from hetad.probes.host import probed_host

if TYPE_CHECKING:
    from hetad.passes.task import Task
    from hetad.probes.points import Point

_MOST = 2**22  # numbers that are looked at
_ARRAYS = ("device", "host")


@dataclass(frozen=True)
class Room:
    """How much is written down: entries of the log, numbers on the device and on the host."""

    entries: int
    on_device: int
    on_host: int

    def given(self) -> dict[str, int]:
        return {"room": self.entries, "room_on_device": self.on_device, "room_on_host": self.on_host}


@dataclass(frozen=True)
class Told:
    """By one run: the log, and the values at its points one behind the other."""

    log: Indices
    values: Vector


def host_stream(asked: Asked, task: Task, bits: int) -> tuple[Stream, dict[str, Any]]:
    """The stream, and the gradient of the program with points.

    Raises:
        ArgumentError: there is too much to look at.
    """
    runner = Runner(asked, probed_host(task, "record"))
    room = _room(runner)
    points = runner.probed.points.all
    base = _told(runner, room, points, {}, 0.0)
    assert base is not None
    along = asked.direction()
    order = _order(base.log, room, points)
    again = _told(runner, room, points, {}, 0.0)
    moved, compared, partings = [], alike(base.values, _beside(base, again)[1]), []
    for step in STEPS[bits]:
        pair = []
        for side in (1, -1):
            told = _told(runner, room, points, along, side * step)
            same, values = _beside(base, told)
            compared[same:] = False
            pair.append(values)
            if step == STEPS[bits][-1] and told is not None and not np.array_equal(told.log, base.log):
                partings.append(_parting(base.log, told.log, points))
        moved.append((step, pair[0], pair[1]))
    own = _recorded(runner, room)
    tangents = runner.tangents(along, own, ["device_values", "host_values"])
    flat = _laid_out({name: tangents.get(f"{name}_values") for name in _ARRAYS}, room)[order]
    perturbed = Runner(asked, probed_host(task, "perturb"))
    names = ["device_nudges", "host_nudges"]
    nudges = {name: np.full(size, -0.0) for name, size in zip(names, _lengths(room), strict=True)}
    adjoints, gradient = perturbed.adjoints({**perturbed.sizes(), **room.given(), **nudges}, names)
    bent = _laid_out({name: adjoints[f"{name}_nudges"] for name in _ARRAYS}, room)[order]
    stream = Stream(
        np.repeat(base.log[:, 0], base.log[:, 1]), base.values, tuple(moved), flat, bent, compared,
        groups_of(_groups(base.log, points)), runner.probed.points.statements, points, tuple(partings[:1]),
    )  # fmt: skip
    return stream, gradient


def _room(runner: Runner) -> Room:
    """As much as a run needs."""
    own = _recorded(runner, Room(0, 0, 0))
    runner.run(runner.asked.moved({}, 0.0), own)
    entries, on_device, on_host = (int(n) for n in own["totals"])
    if on_device + on_host > _MOST or entries > _MOST:
        numbers = f"{on_device + on_host:,} numbers at {entries:,} points"
        raise ArgumentError(
            f"there is too much to look at: {numbers}, at most {_MOST:,} of each\n  help: take smaller arguments, or "
            "fewer steps"
        )
    return Room(entries, on_device, on_host)


def _lengths(room: Room) -> tuple[int, int]:
    return max(room.on_device, 1), max(room.on_host, 1)


def _recorded(runner: Runner, room: Room) -> dict[str, Any]:
    """Own arguments of a run that records."""
    on_device, on_host = _lengths(room)
    return {
        **runner.sizes(), **room.given(),
        "log": np.zeros(2 * max(room.entries, 1), np.int64), "totals": np.zeros(3, np.int64),
        "device_values": np.zeros(on_device), "host_values": np.zeros(on_host),
    }  # fmt: skip


def _told(runner: Runner, room: Room, points: list[Point], along: Mapping[str, Any], step: float) -> Told | None:
    """None of a run that fails, but for the one at the point, whose error is the program's own."""
    own, point = _recorded(runner, room), runner.asked.moved(along, step)
    if step == 0.0:
        runner.run(point, own)
    elif tried(lambda: runner.run(point, own)):
        return None
    log = own["log"].reshape(-1, 2)[: min(int(own["totals"][0]), room.entries)]
    flat = _laid_out({name: own[f"{name}_values"] for name in _ARRAYS}, room)
    return Told(log, flat[_order(log, room, points)])


def _laid_out(values: Mapping[str, Vector | None], room: Room) -> Vector:
    """Those on the device, then those on the host; zeros for those that nothing was written to."""
    parts = [values[name] for name in _ARRAYS]
    return np.concatenate(
        [np.zeros(n) if part is None else part[:n] for part, n in zip(parts, _lengths(room), strict=True)]
    )


def _order(log: Indices, room: Room, points: list[Point]) -> Indices:
    """Where the values lie that belong to the entries of a log, in their order."""
    here = {True: 0, False: _lengths(room)[0]}
    ends = {True: room.on_device, False: _lengths(room)[0] + room.on_host}
    parts = [np.zeros(0, np.int64)]
    for number, count in log:
        on_device = points[int(number) - 1].on_device
        parts.append(np.arange(here[on_device], here[on_device] + int(count)))
        here[on_device] += int(count)
    found = np.concatenate(parts)
    return np.minimum(found, max(ends.values()) - 1) if found.size else found


def _beside(base: Told, told: Told | None) -> tuple[int, Vector]:
    """How many values a run has in common with the one at the point, and its values."""
    if told is None:
        return 0, np.full(base.values.size, np.nan)
    entries = common(base.log[:, 0], told.log[:, 0])
    entries = min(entries, common(base.log[:, 1], told.log[:, 1]))
    same = int(base.log[:entries, 1].sum())
    values = np.full(base.values.size, np.nan)
    values[:same] = told.values[:same]
    return same, values


def _parting(base: Indices, other: Indices, points: list[Point]) -> Parting:
    at = min(common(base[:, i], other[:, i]) for i in (0, 1))

    def point(log: Indices, i: int) -> Point | None:
        return points[int(log[i, 0]) - 1] if 0 <= i < len(log) else None

    return Parting(point(base, at - 1), point(base, at), point(other, at), len(_groups(base[:at], points)))


def _groups(log: Indices, points: list[Point]) -> list[Group]:
    """Statements each time that they run."""
    rows: list[Group] = []
    launches: Counter[str] = Counter()
    at, number, first, middle = 0, -1, 0, 0

    def close() -> None:
        if number >= 0:
            kernel = statements[number].launches
            rows.append(Group(number, first, middle, at, -1, launches[kernel] if kernel else 0))

    statements = {p.statement.number: p.statement for p in points}
    done = True
    for entry, count in log:
        point = points[int(entry) - 1]
        if point.role == "here" or (point.role in ("operand", "result") and (done or point.statement.number != number)):
            close()
            number, first, middle, done = point.statement.number, at, at, False
            if point.statement.launches:
                launches[point.statement.launches] += 1
        at += int(count)
        if point.role in ("operand", "before"):
            middle = at
        done = point.role == "result"
    close()
    return rows
