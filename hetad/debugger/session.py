"""A session: the program as a whole, then the threads of the launches that break.

The race detector comes first: of a program with a race nothing else can be said.  Then the host function is looked at;
the first launches at which it breaks are looked into, thread by thread, and what is found there takes their place.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.debugger.findings import Debugged, Finding, Kind, Seen
from hetad.debugger.host import host_stream
from hetad.debugger.judge import Slopes, Verdict, judged, slopes_of
from hetad.debugger.runs import Asked
from hetad.debugger.streams import Parting, Stream
from hetad.debugger.threads import thread_stream
from hetad.diagnostics import BackendError, RaceError, SourceError, Span
from hetad.directions import from_vector, inner_bits, to_vector
from hetad.probes.prepared import Launched, prepared
from hetad.run.launch import dimensions
from hetad.run.movable import movable
from hetad.run.races import RaceLimitError

if TYPE_CHECKING:
    from hetad.gradients import Gradient
    from hetad.passes.task import Task

_RACE_LIMIT = 20_000_000  # accesses that the race detector looks at: seconds
_INTO = 4  # launches that are looked into
_CELLS = 8  # values of a finding that are shown
_SAME = {64: 1e-8, 32: 1e-3, 16: 0.05}


def debug(
    gradient: Gradient, args: Sequence[Any], seeds: Mapping[str, Any] | None, launch: Mapping[str, Any],
    random_seed: int,
) -> Debugged:  # fmt: skip
    """See `Gradient.debug`."""
    function = gradient.function
    point = movable(function.definition, function.compiled.signature, gradient.wrt, args)
    notes, race = _race(gradient, point, launch)
    if race is not None:
        return Debugged(function.name, (race,), 0, 0, notes)
    asked = Asked(
        function, gradient.wrt, gradient.of, point, _seeds(gradient, point, seeds, random_seed),
        gradient.choice.options["options"], random_seed,
    )  # fmt: skip
    task = prepared(function.compiled.unit, function.compiled.name, function.rules, _launched(gradient, launch))
    try:
        return _Session(gradient, asked, task, launch).run(notes)
    except SourceError as error:
        raise error.attach(task.sources) from None


def _race(
    gradient: Gradient, point: Sequence[Any], launch: Mapping[str, Any]
) -> tuple[tuple[str, ...], Finding | None]:
    """What the race detector finds in the program, and why it could not look."""
    try:
        gradient.function.watched(copy.deepcopy(list(point)), launch, _RACE_LIMIT)
    except RaceError as race:
        related = "".join(f"; {r.text}, line {r.span.line}" for r in race.related)
        return (), Finding(
            "race", race.span, gradient.function.name, race.source_line or "", more=f"{race.message}{related}"
        )
    except (RaceLimitError, BackendError) as problem:
        return (f"note: races were not looked for: {problem.told.splitlines()[0]}",), None
    return (), None


def _seeds(
    gradient: Gradient, point: Sequence[Any], seeds: Mapping[str, Any] | None, random_seed: int
) -> Mapping[str, Any] | None:
    """Those that are given, or else generic ones: equal seeds could hide what is wrong."""
    if seeds is not None or gradient.of is None:
        return seeds
    rng = np.random.default_rng([random_seed, 1])
    given = {p.name: value for p, value in zip(gradient.function.parameters, point, strict=True)}
    return {name: from_vector(given[name], rng.normal(size=to_vector(given[name]).size)) for name in gradient.of}


def _launched(gradient: Gradient, launch: Mapping[str, Any]) -> Launched | None:
    compiled = gradient.function.compiled
    if compiled.launch(launch.get("grid"), launch.get("block"), launch.get("shared_mem", 0), None, {}) is None:
        return None
    grid, block = (dimensions(name, launch[name], compiled.signature) for name in ("grid", "block"))
    return Launched(grid, block, int(launch.get("shared_mem", 0)))


@dataclass
class _Session:
    gradient: Gradient
    asked: Asked
    task: Task
    launch: Mapping[str, Any]
    looked: int = 0
    values: int = 0
    notes: tuple[str, ...] = ()

    def run(self, notes: tuple[str, ...]) -> Debugged:
        self.notes = notes
        self.bits = inner_bits(self.task)
        stream, found = host_stream(self.asked, self.task, self.bits)
        findings = self._of(stream)
        findings = self._looked_into(findings, stream)
        if not findings:
            findings = self._compared(found)
        return Debugged(self.gradient.function.name, tuple(findings), self.looked, self.values, self.notes)

    def _looked_into(self, findings: list[Finding], stream: Stream) -> list[Finding]:
        """With what the threads of launches tell, in the place of these."""
        out: list[Finding] = []
        launches: set[tuple[str, int]] = set()
        beyond = 0
        for f in [*findings, *self._unseen(stream)]:
            key = f.function, f.launch
            if not f.launch or f.kind == "branch" or key in launches or len(launches) >= _INTO:
                out += [f] if f.seen or f.kind == "branch" else []
                beyond += not f.seen and f.kind != "branch" and key not in launches
                continue
            launches.add(key)
            inner, left_out = thread_stream(self.asked, self.task, f.function, f.launch, self.bits)
            deeper = self._of(inner)
            more = "no statement of a thread breaks it alone: what they do to memory does"
            out += deeper or ([replace(f, more=more)] if f.seen else [])
            self.notes += (left_out,) if left_out else ()
        self.notes += (f"note: {beyond} more of these launches are not looked into",) if beyond else ()
        return _once(out)

    def _unseen(self, stream: Stream) -> list[Finding]:
        """Launches that work with memory which the host cannot look at, as findings without values."""
        groups, out = stream.groups, []
        lines: dict[str, dict[int, None]] = {}
        for group in range(len(groups)):
            statement = stream.statements[int(groups.statement[group])]
            if statement.launches and statement.missing:
                out.append(Finding("identity", statement.span, statement.launches, launch=int(groups.launch[group])))
                lines.setdefault(statement.missing, {})[statement.span.line] = None
        for missing, numbers in lines.items():
            where = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
            self.notes += (f"note: {where}: launches work with {missing}, which is looked at in their threads alone",)
        return out

    # -- findings

    def _of(self, stream: Stream) -> list[Finding]:
        """The findings of a stream: of each statement and kind the first."""
        self.looked += len(set(stream.groups.statement.tolist()))
        self.values += int((stream.numbers > 0).sum())
        with np.errstate(all="ignore"):
            slopes = slopes_of(stream, self.bits)
        found: dict[tuple[int, Kind], tuple[int, Finding]] = {}
        for verdict in judged(stream, self.bits):
            key = int(stream.groups.statement[verdict.group]), verdict.kind
            if key not in found:
                found[key] = verdict.group, self._finding(stream, slopes, verdict)
        ordered = list(found.values())
        ordered += [(p.group, self._parting(stream, p)) for p in stream.partings]
        threads = bool((stream.groups.thread >= 0).any())
        if threads:  # one after the other in the stream; in the order of the lines they are in the program's
            return [f for _, f in sorted(ordered, key=lambda x: x[1].span.line if x[1].span is not None else 0)]
        return [f for _, f in sorted(ordered, key=lambda x: x[0])]

    def _finding(self, stream: Stream, slopes: Slopes, verdict: Verdict) -> Finding:
        groups, g = stream.groups, verdict.group
        statement = stream.statements[int(groups.statement[g])]
        thread = int(groups.thread[g])
        return Finding(
            verdict.kind, statement.span, statement.launches or statement.function, self._line(statement.span),
            thread if thread >= 0 else None, int(groups.launch[g]), tuple(self._seen(stream, slopes, verdict)),
            self._identity(stream, verdict),
        )  # fmt: skip

    def _identity(self, stream: Stream, verdict: Verdict) -> str:
        if verdict.kind != "identity":
            return ""
        groups, g = stream.groups, verdict.group
        ends = [int(x[g]) for x in (groups.first, groups.middle, groups.last)]
        before, behind = (float(np.dot(stream.adjoints[a:b], stream.tangents[a:b])) for a, b in pairwise(ends))
        return f"⟨adjoint, tangent⟩ is {before:.9g} before and {behind:.9g} behind"

    def _seen(self, stream: Stream, slopes: Slopes, verdict: Verdict) -> list[Seen]:
        """Of each point of the statement one value: of memory the one that shows it best, or else the same cell."""
        groups, g = stream.groups, verdict.group
        first, last = int(groups.first[g]), int(groups.last[g])
        starts = [i for i in range(first, last) if i == first or stream.numbers[i] != stream.numbers[i - 1]]
        cell = verdict.at - max((i for i in starts if i <= verdict.at), default=verdict.at)
        out = []
        for start, end in zip(starts, [*starts[1:], last], strict=True):
            at, point = min(start + cell, end - 1), stream.point(start)
            if start <= verdict.at < end:
                at = verdict.at
            name = point.what if end - start == 1 else f"{point.what}[{at - start}]"
            numbers = (stream.values[at], stream.tangents[at], slopes.value[at], stream.adjoints[at])
            out.append(Seen(name, point.role, *(float(x) for x in numbers)))
        return out[:_CELLS]

    def _parting(self, stream: Stream, parting: Parting) -> Finding:
        at = parting.here or parting.after or parting.there
        assert at is not None

        def line(p: Any) -> str:
            return f"line {p.statement.span.line} comes" if p is not None else "nothing comes"

        after = f"behind line {parting.after.statement.span.line} " if parting.after is not None else ""
        launch = int(stream.groups.launch[0]) if parting.thread >= 0 and len(stream.groups) else 0
        statement = at.statement
        return Finding(
            "branch", statement.span, statement.launches or statement.function, self._line(statement.span),
            parting.thread if parting.thread >= 0 else None, launch,
            more=f"{after}{line(parting.here)} next, and {line(parting.there)} where the arguments are moved a little",
        )  # fmt: skip

    def _line(self, span: Span) -> str:
        lines = self.task.sources.get(span.file, "").splitlines()
        return lines[span.line - 1] if 0 < span.line <= len(lines) else ""

    # -- the gradient itself

    def _compared(self, found: Mapping[str, Any]) -> list[Finding]:
        """Whether the gradient is that of the program with points."""
        given = self.gradient(*self.asked.moved({}, 0.0), seeds=copy.deepcopy(self.asked.seeds), **self.launch)
        for name in self.asked.wrt:
            one, other = to_vector(_plain(given[name])), to_vector(_plain(found[name]))
            size = float(np.linalg.norm(one)) + float(np.linalg.norm(other))
            if not float(np.linalg.norm(one - other)) <= _SAME[self.bits] * size:
                function = self.gradient.function
                return [Finding("gradient", function.definition.span, function.name, more=f"with respect to {name}")]
        return []


def _plain(value: Any) -> Any:
    return value.get() if hasattr(value, "get") and not isinstance(value, Mapping) else value


def _once(findings: list[Finding]) -> list[Finding]:
    """Each statement's first, of each kind."""
    found: dict[tuple[object, ...], Finding] = {}
    for f in findings:
        found.setdefault((f.kind, f.span, f.function), f)
    return list(found.values())
