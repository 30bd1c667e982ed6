"""Calls from Python: which value goes to which parameter of a compiled function, and what comes back.

A `Plan` is made once per compiled function, so that a call does little more than check its values and set cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.ir.types import STREAM, Pointer, Type
from hetad.run import foreign
from hetad.run.again import Again
from hetad.run.arrays import (
    ArrayParameter,
    Converter,
    FloatingParameter,
    HandleParameter,
    IntegerParameter,
    StructParameter,
    blank,
    converter,
    to_python,
)  # fmt: skip
from hetad.run.disjoint import first_overlap
from hetad.run.held import covers
from hetad.run.lengths import Proof
from hetad.run.memory import Buffer, HostMemory, host_buffer
from hetad.run.signature import RETURN, Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from hetad.host.derivative import Parameter
    from hetad.run.executable import Executable
    from hetad.run.launch import LaunchConfiguration
    from hetad.run.lengths import Lengths
    from hetad.run.resume import Resume

_REMEMBERED = 256  # calls with other integers or sizes


@dataclass(frozen=True, slots=True)
class ZerosLike:
    """Stands for an array of zeros like the argument at `position`, which comes before it."""

    position: int


@dataclass(frozen=True, slots=True)
class Input:
    cell: Any
    converter: Converter
    array: ArrayParameter | None  # the same, if the parameter is a pointer
    lent: ArrayParameter | None  # the same, of a call that leaves the array as it is
    counts: bool = False  # how far a call reaches depends on its value


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The adjoint of the primal parameter at `position`: a buffer like it, or one element if that is a scalar."""

    cell: Any
    name: str
    position: int
    array: ArrayParameter
    seed: ArrayParameter  # the same, as the user gives it
    scalar: bool
    seeded: bool
    one: np.ndarray[Any, Any] | None  # of a scalar: an array of its type, with one element
    kept: Buffer | None  # of a scalar in host memory, where a call gives the number: the same for all calls


@dataclass(frozen=True, slots=True)
class Interface:
    """What a compiled function takes, and how it is called from Python."""

    parameters: Sequence[Parameter]
    signature: Signature
    written: frozenset[str]  # parameters whose arrays it stores to
    lengths: Lengths | None = None


class Plan:
    """Calls of one executable.  `of` and `wrt` are empty for a primal."""

    resume: Resume | None = None  # where calls that can be gone on with leave their files
    _repeats = True  # whether calls that are like the last one are placed as it was
    _again: Again | None = None  # the last call

    def __init__(
        self, executable: Executable, interface: Interface, wrt: Sequence[str] = (), of: Sequence[str] = ()
    ) -> None:
        parameters, signature = interface.parameters, interface.signature
        self.executable = executable
        self.signature = signature
        self._memory = executable.memory
        self._lengths = interface.lengths
        self._fits: dict[tuple[Any, ...], Proof] = {}  # calls whose arrays are long enough
        cells = executable.frame.cells
        self._inputs: list[Input] = []
        self._adjoints: list[Adjoint] = []
        self._bytes: list[tuple[Any, int]] = []
        self._others: list[tuple[Any, Parameter]] = []  # of `run/along.py` and `run/batch.py`
        self._configuration: dict[str, Any] = {}
        self._seed: tuple[Any, Converter] | None = None
        names = [p.symbol.name for p in parameters if p.role == "primal"]
        types = {p.symbol.name: p.symbol.type for p in parameters if p.role == "primal"}
        for cell, p in zip(cells, parameters, strict=True):
            name, type_ = p.symbol.name, p.symbol.type
            match p.role:
                case "primal":
                    made = converter(name, type_, signature, p.space, name in interface.written)
                    array = made if isinstance(made, ArrayParameter) else None
                    lent = replace(array, stays=True) if array is not None else None
                    counts = isinstance(made, IntegerParameter | StructParameter)
                    # A gradient leaves its arguments as they are.
                    self._inputs.append(Input(cell, made, lent if wrt else array, lent, counts))
                case "adjoint":
                    assert p.primal is not None
                    position = names.index(p.primal)
                    self._adjoints.append(self._adjoint(cell, p, types[p.primal], position, signature, p.primal in of))
                case "seed":
                    self._seed = cell, converter(f"seeds[{RETURN!r}]", type_, signature)
                case "tangent" | "sets" | "size" | "value":
                    self._others.append((cell, p))
                case "bytes":
                    assert p.primal is not None
                    self._bytes.append((cell, names.index(p.primal)))
                case role:
                    self._configuration[role] = cell
        self._telling = [cell for cell, p in zip(cells, parameters, strict=True) if p.space != "host"]
        executable.tell_apart(self._telling)
        self._extents = [cell for cell in self._configuration.values() if hasattr(cell, "raw")]  # of grids and blocks
        self._arrays = [(n, i.array) for n, i in enumerate(self._inputs) if i.array is not None]
        self.adjoint_names = tuple(a.array.name for a in self._adjoints)  # in the order in which `execute` takes them
        self._results = [next(i for i, a in enumerate(self._adjoints) if a.name == name) for name in wrt]
        self._given_back = [(i, self._adjoints[i].scalar) for i in self._results]
        self._by_numbers = False  # what a call accesses depends on what its arrays hold

    def _adjoint(
        self, cell: Any, parameter: Parameter, primal: Type, position: int, signature: Signature, seeded: bool
    ) -> Adjoint:
        assert parameter.primal is not None
        name, pointer = parameter.symbol.name, parameter.symbol.type
        array = converter(name, pointer, signature, parameter.space, written=True)
        assert isinstance(array, ArrayParameter)
        seed = replace(array, name=f"seeds[{parameter.primal!r}]", written=False, widens=True)
        scalar = not isinstance(primal, Pointer)
        one = np.empty(1, array.dtype) if scalar else None
        kept = host_buffer(one) if one is not None and self._memory.takes_host(array) else None
        return Adjoint(cell, parameter.primal, position, array, seed, scalar, seeded, one, kept)

    # --- calls -----------------------------------------------------------------------------------

    def primal(self, values: Sequence[Any], launch: LaunchConfiguration | None) -> Any:
        """Run the function; arrays are written in place, as in C."""
        with self._entered(launch, values):
            again = self._again
            if again is not None and again.launch == launch and again.place(values):
                return self.executable.run()
            self._configure(launch)
            buffers = self._place(values)
            self._require_distinct(buffers)
            result = self._call(buffers)
            written = [b for b, i in zip(buffers, self._inputs, strict=True) if b and i.array and i.array.written]
            self._memory.fetch(written)
            self._remember(values, buffers, launch)
        return result

    def gradient(
        self, values: Sequence[Any], seeds: Mapping[str, Any], launch: LaunchConfiguration | None,
        progress: bool = False,
    ) -> tuple[Any, list[Any]]:  # fmt: skip
        """The return value, and the gradient for each name in wrt; the arguments and seeds stay as they are."""
        with self._entered(launch, values):
            again = self._again
            if again is not None and again.launch == launch and not progress and again.place(values):
                arrays = again.fresh(seeds)
                if arrays is not None:
                    self._set_seed(seeds)
                    result = self.executable.run()
                    found = [self._number(arrays[i]) if scalar else arrays[i] for i, scalar in self._given_back]
                    return result, found
            self._configure(launch)
            buffers = self._place(values)
            self._set_seed(seeds)
            adjoints = [self._fresh(adjoint, buffers[adjoint.position], seeds) for adjoint in self._adjoints]
            for adjoint, buffer in zip(self._adjoints, adjoints, strict=True):
                adjoint.cell.value = buffer.address
            self._require_distinct(buffers)
            result = self._run(progress, buffers, adjoints)
            self._memory.fetch([adjoints[i] for i in self._results])
            self._remember(values, buffers, launch)
            return result, [self._result(self._adjoints[i], values, adjoints[i]) for i in self._results]

    def execute(
        self, values: Sequence[Any], adjoints: Sequence[Any], seeds: Mapping[str, Any],
        launch: LaunchConfiguration | None, progress: bool = False,
    ) -> Any:  # fmt: skip
        """The gradient on the user's own adjoint buffers, one for each of `adjoint_names`."""
        with self._entered(launch, values):
            again = self._again
            if again is not None and again.launch == launch and not progress and again.place(values, adjoints):
                self._set_seed(seeds)
                return self.executable.run()
            self._configure(launch)
            buffers = self._place(values)
            self._set_seed(seeds)
            theirs = []
            for adjoint, given in zip(self._adjoints, adjoints, strict=True):
                buffer = self._given(adjoint, given, buffers[adjoint.position])
                adjoint.cell.value = buffer.address
                theirs.append(buffer)
            self._require_distinct(buffers, zip(self.adjoint_names, theirs, strict=True))
            result = self._run(progress, buffers, theirs)
            self._memory.fetch(theirs)
            self._remember(values, buffers, launch)
        return result

    def _run(self, progress: bool, buffers: Sequence[Buffer | None], adjoints: Sequence[Buffer]) -> Any:
        """With what was placed; where that was interrupted, from there on."""
        if self.resume is None:
            return self._call([*buffers, *adjoints], progress)
        self.executable.load()  # only then it is known whether there are ranks
        given: dict[str, Any] = {}
        for name, target, buffer in zip(self.signature.parameters, self._inputs, buffers, strict=False):
            if not isinstance(target.converter, HandleParameter):
                cell = target.cell
                given[name] = buffer.array if buffer else cell.raw if hasattr(cell, "raw") else cell.value
        given |= {a.array.name: buffer.array for a, buffer in zip(self._adjoints, adjoints, strict=True)}
        given |= {"seeds": self._seed[0].value} if self._seed is not None else {}
        with self.resume.call(given) as directory, self.executable.resuming(directory, self.resume.every):
            return self._call([*buffers, *adjoints], progress)

    def _call(self, placed: Sequence[Buffer | None], progress: bool = False) -> Any:
        if not self.executable.looks:
            return self.executable.run(progress)
        self.executable.placed = placed
        try:
            return self.executable.run(progress)
        finally:
            self.executable.placed = ()

    def _remember(
        self, values: Sequence[Any], buffers: Sequence[Buffer | None], launch: LaunchConfiguration | None
    ) -> None:
        """The next call may be like this one."""
        simple = self._repeats and self.resume is None and isinstance(self._memory, HostMemory)
        if simple and not (self.executable.looks or self._by_numbers):
            self._again = Again.like(values, buffers, self._inputs, self._adjoints, launch)

    def seen(self, position: int, value: Any) -> Any:
        """An argument as NumPy's or CuPy's array over its memory; what is none, as it is."""
        lent = self._inputs[position].lent
        return value if lent is None or value is None else lent.seen(value)

    # --- one step each ---------------------------------------------------------------------------

    def _result(self, adjoint: Adjoint, values: Sequence[Any], buffer: Buffer) -> Any:
        """A gradient as its argument is: a number, or an array of the same library."""
        if adjoint.scalar:
            return self._number(buffer.array)
        argument = values[adjoint.position]
        return buffer.array if type(argument) is np.ndarray else foreign.like(buffer.array, argument)

    def _number(self, cell: Any) -> Any:
        """The gradient of a scalar."""
        return cell.item() if cell.dtype.names is None else to_python(cell[0])

    def _entered(self, launch: LaunchConfiguration | None, values: Sequence[Any]) -> AbstractContextManager[Any]:
        """The context of a call."""
        stream = launch.stream if launch else None
        if not self.executable.streams:
            if stream is not None:
                raise self.signature.refuse("stream=: only the CUDA backend has streams")
            return self.executable.on()
        if stream is None:
            return self.executable.on(*foreign.stream_of(values))
        return self.executable.on(stream)

    def _configure(self, launch: LaunchConfiguration | None) -> None:
        self._again = None  # from here on cells hold something else
        if launch is None:
            return
        cells = self._configuration
        cells["grid"].value = launch.grid
        cells["block"].value = launch.block
        cells["shared_mem"].value = launch.shared_mem
        cells["stream"].value = HandleParameter("stream", STREAM, self.signature).convert(launch.stream)

    def _place(self, values: Sequence[Any]) -> list[Buffer | None]:
        buffers: list[Buffer | None] = []
        reach: list[Any] = [cell.raw for cell in self._extents]  # what says how far the call reaches, and may
        place = self._memory.place
        for value, target in zip(values, self._inputs, strict=True):
            array, buffer = target.array, None
            if array is None:
                target.cell.value = passed = target.converter.convert(value)  # type: ignore[union-attr]
                if target.counts:
                    reach.append(passed)
            else:
                if type(value) is ZerosLike:
                    like = buffers[value.position]
                    buffer = self._memory.zeros(like.array, array) if like is not None else None
                elif value is not None:
                    buffer = place(array.check(value), array)
                target.cell.value = buffer.address if buffer is not None else None
                reach.append(buffer.nbytes if buffer is not None else -1)
            buffers.append(buffer)
        for cell, position in self._bytes:
            extent = buffers[position]
            cell.value = self._extent(extent, position) if extent else 0
        if self._lengths is not None:
            self._check_lengths(self._lengths, buffers, tuple(reach))
        return buffers

    def _extent(self, buffer: Buffer, position: int) -> int:
        """How many bytes one run of the function has of the argument at `position`."""
        return buffer.nbytes

    def _check_lengths(self, lengths: Lengths, buffers: Sequence[Buffer | None], reach: tuple[Any, ...]) -> None:
        """Refuse arrays that are too short; `reach` is the same for calls that differ in nothing that matters here."""
        found = self._fits.get(reach)
        if found is None or found.numbers:
            given = [*[None] * len(self._configuration), *buffers]
            if found is None or not covers(found.numbers, given):
                found = self._look(lengths, given, reach)
        self.executable.unproven = found.places
        self._by_numbers = bool(found.numbers)

    def _look(self, lengths: Lengths, given: Sequence[Buffer | None], reach: tuple[Any, ...]) -> Proof:
        cells = [*self._configuration.values(), *(i.cell for i in self._inputs)]
        values = [cell.raw if hasattr(cell, "raw") else cell.value for cell in cells]
        # Behind the parameters may stand tangents, of equal length.
        known = values[: lengths.count], given[: lengths.count]
        if reach not in self._fits:
            lengths.check(*known)
            if len(self._fits) >= _REMEMBERED:
                self._fits.clear()
        self._fits[reach] = lengths.proof_by_numbers(*known) if self.executable.proves else Proof()
        return self._fits[reach]

    def _set_seed(self, seeds: Mapping[str, Any]) -> None:
        if self._seed is not None:
            cell, made = self._seed
            assert isinstance(made, FloatingParameter | StructParameter)
            cell.value = made.convert(seeds.get(RETURN, 1.0))

    def _fresh(self, adjoint: Adjoint, argument: Buffer | None, seeds: Mapping[str, Any]) -> Buffer:
        if adjoint.kept is not None:
            adjoint.kept.array.fill(0)
            return adjoint.kept
        if adjoint.scalar:
            return self._memory.zeros(adjoint.one, adjoint.array)
        argument = self._required(adjoint, argument)
        shape = self._adjoint_shape(adjoint, argument)
        if not adjoint.seeded:
            like = blank(argument.array, argument.array.shape, adjoint.array.dtype)
            return self._memory.zeros(like, adjoint.array, shape)
        if adjoint.name not in seeds:
            raise self.signature.refuse(
                f"the output {adjoint.name!r} is an array, so its gradient needs a seed, and there is none",
                f"pass seeds={{{adjoint.name!r}: s}}, where s has the shape {shape} and dtype of {adjoint.name}"
                + self._more_of_seeds(shape),
            )
        seed = self._whole(adjoint.seed.check(seeds[adjoint.name]), shape)
        if seed.shape != shape:
            raise adjoint.seed.refuse(f"expected {self._told(adjoint, shape)}, got {seed.shape}")
        return self._memory.duplicate(seed, argument.array, adjoint.array)

    def _adjoint_shape(self, adjoint: Adjoint, argument: Buffer) -> tuple[int, ...]:
        """That of an adjoint that is no scalar, and of its seed."""
        shape: tuple[int, ...] = argument.array.shape
        return shape

    def _whole(self, seed: Any, shape: tuple[int, ...]) -> Any:
        """A seed as it may be given, as the derivative takes it."""
        return seed

    def _told(self, adjoint: Adjoint, shape: tuple[int, ...]) -> str:
        return f"the shape of {adjoint.name}, {shape}"

    def _more_of_seeds(self, shape: tuple[int, ...]) -> str:
        return "; ones give the gradient of the sum of its elements, zeros leave this output out"

    def _given(self, adjoint: Adjoint, value: Any, argument: Buffer | None) -> Buffer:
        if value is None:
            raise adjoint.array.refuse("expected an array, got None")
        array = adjoint.array.check(value)
        one = adjoint.one
        size = one.size if one is not None else prod(self._adjoint_shape(adjoint, self._required(adjoint, argument)))
        if array.size != size:
            problem = f"expected {size} element{'s' * (size != 1)} ({self._size_told(adjoint)}), got {array.size}"
            raise adjoint.array.refuse(problem)
        return self._memory.place(array, adjoint.array)

    def _size_told(self, adjoint: Adjoint) -> str:
        return "one element, to which the gradient is added" if adjoint.scalar else f"as many as {adjoint.name}"

    def _required(self, adjoint: Adjoint, argument: Buffer | None) -> Buffer:
        if argument is None:
            raise self.signature.refuse("expected an array, got None", parameter=adjoint.name)
        return argument

    def _require_distinct(self, buffers: Sequence[Buffer | None], adjoints: Iterable[tuple[str, Buffer]] = ()) -> None:
        """Refuse arrays that share memory if one of them is written."""
        extents = [
            (b.start, b.start + b.nbytes, array.written, array.name)
            for position, array in self._arrays
            if (b := buffers[position]) is not None
        ]
        extents += [(b.start, b.start + b.nbytes, True, name) for name, b in adjoints]
        if (found := first_overlap(extents)) is not None:
            (_, _, written, name), (_, _, other_written, other) = found
            raise self.signature.refuse(
                f"{name!r} and {other!r} share memory, and the function writes to "
                f"{'both' if written and other_written else name if written else other}",
                "pass a copy: hetad takes the arrays of a call to be distinct",
                name,
            )
