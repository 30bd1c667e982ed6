"""Calls from Python: which value goes to which parameter of a compiled function, and what comes back.

A `Plan` is made once per compiled function, so that a call does little more than check its values and set cells.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.ir.types import STREAM, Pointer, Type
from hetad.run import foreign
from hetad.run.arrays import (
    ArrayParameter,
    Converter,
    FloatingParameter,
    HandleParameter,
    IntegerParameter,
    StructParameter,
    blank,
    converter,
    dimensions,
    members_of,
    to_python,
)  # fmt: skip
from hetad.run.memory import Buffer
from hetad.run.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from hetad.host.derivative import Parameter
    from hetad.run.executable import Executable
    from hetad.run.lengths import Lengths

RETURN = "return"  # the name under which the seed of the return value is given
MAX_BLOCK = 1024
_REMEMBERED = 256  # calls with other integers or sizes


@dataclass(frozen=True, slots=True)
class LaunchConfiguration:
    """What stands between `<<<` and `>>>`, checked."""

    grid: bytes  # as dim3
    block: bytes
    shared_mem: int
    stream: Any

    @staticmethod
    def of(signature: Signature, grid: Any, block: Any, shared_mem: Any, stream: Any) -> LaunchConfiguration:
        if grid is None or block is None:
            missing = "grid" if grid is None else "block"
            raise signature.refuse(f"a kernel needs {missing}=", "call it as kernel(..., grid=(40,), block=(256,))")
        g, b = dimensions("grid", grid, signature), dimensions("block", block, signature)
        if b[0] * b[1] * b[2] > MAX_BLOCK:
            problem = f"block={block!r}: a block has at most {MAX_BLOCK} threads"
            raise signature.refuse(problem, "take more blocks, as in grid=(n + 255) // 256, block=256")
        if not isinstance(shared_mem, int | np.integer) or shared_mem < 0:
            raise signature.refuse(f"shared_mem={shared_mem!r}: expected a number of bytes")
        return LaunchConfiguration(struct.pack("3I", *g), struct.pack("3I", *b), int(shared_mem), stream)


@dataclass(frozen=True, slots=True)
class ZerosLike:
    """Stands for an array of zeros like the argument at `position`, which comes before it."""

    position: int


@dataclass(frozen=True, slots=True)
class _Input:
    cell: Any
    converter: Converter
    array: ArrayParameter | None  # the same, if the parameter is a pointer


@dataclass(frozen=True, slots=True)
class _Adjoint:
    """The adjoint of the primal parameter at `position`: a buffer like it, or one element if that is a scalar."""

    cell: Any
    name: str
    position: int
    array: ArrayParameter
    seed: ArrayParameter  # the same, as the user gives it
    scalar: bool
    seeded: bool
    one: np.ndarray[Any, Any] | None  # of a scalar: an array of its type, with one element


@dataclass(frozen=True, slots=True)
class Interface:
    """What a compiled function takes, and how it is called from Python."""

    parameters: Sequence[Parameter]
    signature: Signature
    written: frozenset[str]  # parameters whose arrays it stores to
    lengths: Lengths | None = None


class Plan:
    """Calls of one executable.  `of` and `wrt` are empty for a primal."""

    def __init__(
        self, executable: Executable, interface: Interface, wrt: Sequence[str] = (), of: Sequence[str] = ()
    ) -> None:
        parameters, signature = interface.parameters, interface.signature
        self.executable = executable
        self.signature = signature
        self._memory = executable.memory
        self._lengths = interface.lengths
        self._fits: dict[tuple[Any, ...], bool] = {}  # calls whose arrays were long enough: whether that is all
        cells = executable.frame.cells
        self._inputs: list[_Input] = []
        self._adjoints: list[_Adjoint] = []
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
                    if isinstance(made, ArrayParameter) and wrt:  # a gradient leaves its arguments as they are
                        made = replace(made, stays=True)
                    array = made if isinstance(made, ArrayParameter) else None
                    self._inputs.append(_Input(cell, made, array))
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
        both = [*self._configuration.values(), *(i.cell for i in self._inputs)]
        self._extents = [cell for cell in both if hasattr(cell, "raw")]  # of grids and blocks; and structs
        self._arrays = [(n, i.array) for n, i in enumerate(self._inputs) if i.array is not None]
        self._integers = [i.cell for i in self._inputs if isinstance(i.converter, IntegerParameter)]
        self._results = [next(i for i, a in enumerate(self._adjoints) if a.name == name) for name in wrt]

    @staticmethod
    def _adjoint(
        cell: Any, parameter: Parameter, primal: Type, position: int, signature: Signature, seeded: bool
    ) -> _Adjoint:
        assert parameter.primal is not None
        name, pointer = parameter.symbol.name, parameter.symbol.type
        array = converter(name, pointer, signature, parameter.space, written=True)
        assert isinstance(array, ArrayParameter)
        seed = replace(array, name=f"seeds[{parameter.primal!r}]", written=False)
        scalar = not isinstance(primal, Pointer)
        one = np.empty(1, array.dtype) if scalar else None
        return _Adjoint(cell, parameter.primal, position, array, seed, scalar, seeded, one)

    # --- calls -----------------------------------------------------------------------------------

    def primal(self, values: Sequence[Any], launch: LaunchConfiguration | None) -> Any:
        """Run the function; arrays are written in place, as in C."""
        with self.executable.lock, self._on_stream(launch, values):
            self._configure(launch)
            buffers = self._place(values)
            self._require_distinct(buffers)
            result = self.executable.run()
            written = [b for b, i in zip(buffers, self._inputs, strict=True) if b and i.array and i.array.written]
            self._memory.fetch(written)
        return result

    def gradient(
        self, values: Sequence[Any], seeds: Mapping[str, Any], launch: LaunchConfiguration | None,
        progress: bool = False,
    ) -> tuple[Any, list[Any]]:  # fmt: skip
        """The return value, and the gradient for each name in wrt; the arguments and seeds stay as they are."""
        with self.executable.lock, self._on_stream(launch, values):
            self._configure(launch)
            buffers = self._place(values)
            self._set_seed(seeds)
            adjoints = [self._fresh(a, buffers[a.position], seeds) for a in self._adjoints]
            for adjoint, buffer in zip(self._adjoints, adjoints, strict=True):
                adjoint.cell.value = buffer.address
            self._require_distinct(buffers)
            result = self.executable.run(progress)
            results = [adjoints[i] for i in self._results]
            self._memory.fetch(results)
        return result, [self._result(self._adjoints[i], values, b) for i, b in zip(self._results, results, strict=True)]

    def execute(
        self, values: Sequence[Any], adjoints: Sequence[Any], seeds: Mapping[str, Any],
        launch: LaunchConfiguration | None, progress: bool = False,
    ) -> Any:  # fmt: skip
        """The gradient on the user's own adjoint buffers, one for each of `adjoint_names`."""
        with self.executable.lock, self._on_stream(launch, values):
            self._configure(launch)
            buffers = self._place(values)
            self._set_seed(seeds)
            theirs = []
            for adjoint, given in zip(self._adjoints, adjoints, strict=True):
                buffer = self._given(adjoint, given, buffers[adjoint.position])
                adjoint.cell.value = buffer.address
                theirs.append(buffer)
            self._require_distinct(buffers, zip(self.adjoint_names, theirs, strict=True))
            result = self.executable.run(progress)
            self._memory.fetch(theirs)
        return result

    @property
    def adjoint_names(self) -> tuple[str, ...]:
        """The names of the adjoint parameters, in the order in which `execute` takes them."""
        return tuple(a.array.name for a in self._adjoints)

    def seen(self, position: int, value: Any) -> Any:
        """An argument as NumPy's or CuPy's array over its memory; what is none, as it is."""
        array = self._inputs[position].array
        return value if array is None or value is None else replace(array, stays=True).seen(value)

    # --- one step each ---------------------------------------------------------------------------

    def _result(self, adjoint: _Adjoint, values: Sequence[Any], buffer: Buffer) -> Any:
        """A gradient as its argument is: a number, or an array of the same library."""
        return self._number(buffer.array) if adjoint.scalar else foreign.like(buffer.array, values[adjoint.position])

    def _number(self, cell: Any) -> Any:
        """The gradient of a scalar."""
        return to_python(cell[0])

    def _on_stream(self, launch: LaunchConfiguration | None, values: Sequence[Any]) -> AbstractContextManager[Any]:
        stream = launch.stream if launch else None
        if not self.executable.streams:
            if stream is not None:
                raise self.signature.refuse("stream=: only the CUDA backend has streams")
            return self.executable.on(None)
        if stream is None:
            return self.executable.on(*foreign.stream_of(values))
        return self.executable.on(stream)

    def _configure(self, launch: LaunchConfiguration | None) -> None:
        if launch is None:
            return
        cells = self._configuration
        cells["grid"].value = launch.grid
        cells["block"].value = launch.block
        cells["shared_mem"].value = launch.shared_mem
        cells["stream"].value = HandleParameter("stream", STREAM, self.signature).convert(launch.stream)

    def _place(self, values: Sequence[Any]) -> list[Buffer | None]:
        buffers: list[Buffer | None] = []
        place = self._memory.place
        for value, target in zip(values, self._inputs, strict=True):
            if target.array is None:
                target.cell.value = target.converter.convert(value)  # type: ignore[union-attr]
                buffers.append(None)
            elif value is None:
                target.cell.value = None
                buffers.append(None)
            elif type(value) is ZerosLike:
                like = buffers[value.position]
                zeros = self._memory.zeros(like.array, target.array) if like is not None else None
                target.cell.value = zeros.address if zeros is not None else None
                buffers.append(zeros)
            else:
                buffer = place(target.array.check(value), target.array)
                target.cell.value = buffer.address
                buffers.append(buffer)
        for cell, position in self._bytes:
            extent = buffers[position]
            cell.value = self._extent(extent, position) if extent else 0
        if self._lengths is not None:
            self._check_lengths(self._lengths, buffers)
        return buffers

    def _extent(self, buffer: Buffer, position: int) -> int:
        """How many bytes one run of the function has of the argument at `position`."""
        return buffer.nbytes

    def _check_lengths(self, lengths: Lengths, buffers: Sequence[Buffer | None]) -> None:
        sizes = [b.nbytes if b is not None else -1 for b in buffers]
        key = (*[c.raw for c in self._extents], *[c.value for c in self._integers], *sizes)
        if key in self._fits:
            self.executable.proven = self._fits[key]
            return
        cells = [*self._configuration.values(), *(i.cell for i in self._inputs)]
        values = [cell.raw if hasattr(cell, "raw") else cell.value for cell in cells]
        given = [*[None] * len(self._configuration), *buffers]
        # Behind the parameters may stand tangents, of equal length.
        known = values[: lengths.count], given[: lengths.count]
        lengths.check(*known)
        if len(self._fits) >= _REMEMBERED:
            self._fits.clear()
        self._fits[key] = self.executable.proves and lengths.proven(*known)
        self.executable.proven = self._fits[key]

    def _set_seed(self, seeds: Mapping[str, Any]) -> None:
        if self._seed is not None:
            cell, made = self._seed
            assert isinstance(made, FloatingParameter | StructParameter)
            cell.value = made.convert(seeds.get(RETURN, 1.0))

    def _fresh(self, adjoint: _Adjoint, argument: Buffer | None, seeds: Mapping[str, Any]) -> Buffer:
        if adjoint.scalar:
            return self._memory.zeros(adjoint.one, adjoint.array)
        argument = self._required(adjoint, argument)
        if not adjoint.seeded:
            like = blank(argument.array, argument.array.shape, adjoint.array.dtype)
            return self._memory.zeros(like, adjoint.array)
        if adjoint.name not in seeds:
            raise self.signature.refuse(
                f"the output {adjoint.name!r} is an array, so its gradient needs a seed, and there is none",
                f"pass seeds={{{adjoint.name!r}: s}}, where s has the shape {argument.array.shape} and dtype of "
                f"{adjoint.name}; ones give the gradient of the sum of its elements, zeros leave this output out",
            )
        seed = adjoint.seed.check(self._in_float(seeds[adjoint.name], adjoint))
        if seed.shape != argument.array.shape:
            problem = f"expected the shape of {adjoint.name}, {argument.array.shape}, got {seed.shape}"
            raise self.signature.refuse(problem, parameter=adjoint.seed.name)
        return self._memory.duplicate(seed, argument.array, adjoint.array)

    def _in_float(self, seed: Any, adjoint: _Adjoint) -> Any:
        """A seed like an output of 16 bits, as its adjoint: nothing is rounded."""
        array = foreign.seen(seed)
        dtype = adjoint.array.dtype
        numbers = members_of(dtype) or (dtype,)
        narrow = getattr(array, "dtype", None) == np.float16 and numbers[0] == np.float32
        return array.astype(np.float32) if narrow else seed

    def _given(self, adjoint: _Adjoint, value: Any, argument: Buffer | None) -> Buffer:
        name = adjoint.array.name
        if value is None:
            raise self.signature.refuse("expected an array, got None", parameter=name)
        array = adjoint.array.check(value)
        size = 1 if adjoint.scalar else self._required(adjoint, argument).array.size
        if array.size != size:
            like = "one element, to which the gradient is added" if adjoint.scalar else f"as many as {adjoint.name}"
            problem = f"expected {size} element{'s' * (size != 1)} ({like}), got {array.size}"
            raise self.signature.refuse(problem, parameter=name)
        return self._memory.place(array, adjoint.array)

    def _required(self, adjoint: _Adjoint, argument: Buffer | None) -> Buffer:
        if argument is None:
            raise self.signature.refuse("expected an array, got None", parameter=adjoint.name)
        return argument

    def _require_distinct(self, buffers: Sequence[Buffer | None], adjoints: Iterable[tuple[str, Buffer]] = ()) -> None:
        """Refuse arrays that share memory if one of them is written: hetad assumes distinct parameters."""
        ranges = [
            (b.start, b.start + b.nbytes, array.written, array.name)
            for position, array in self._arrays
            if (b := buffers[position]) is not None and b.nbytes
        ]
        ranges += [(b.start, b.start + b.nbytes, True, name) for name, b in adjoints if b.nbytes]
        for n, (start, end, written, name) in enumerate(ranges):
            for other_start, other_end, other_written, other in ranges[n + 1 :]:
                if start < other_end and other_start < end and (written or other_written):
                    raise self.signature.refuse(
                        f"{name!r} and {other!r} share memory, and the function writes to "
                        f"{'both' if written and other_written else name if written else other}",
                        "pass a copy: hetad takes the arrays of a call to be distinct",
                        name,
                    )
