"""Calls of tangents from Python: values and tangents go in, values and tangents come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.run import foreign
from hetad.run.arrays import ArrayParameter, Converter, blank, converter
from hetad.run.call import Interface, Plan
from hetad.run.memory import Buffer, host_buffer
from hetad.run.signature import RETURN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hetad.host.derivative import Parameter
    from hetad.run.executable import Executable
    from hetad.run.launch import LaunchConfiguration


@dataclass(frozen=True, slots=True)
class _Tangent:
    """The tangents of a primal parameter, or of the return value: a cell for each direction."""

    name: str
    cells: Sequence[Any]
    converter: Converter
    theirs: ArrayParameter | None  # the same, of an array that is written in place
    position: int  # of the primal parameter; -1 for the return value
    given: bool  # it is one of wrt
    wanted: bool  # it is one of of


class TangentPlan(Plan):
    """Calls of one tangent.  With several directions, the first axis of what holds tangents counts them."""

    def __init__(
        self, executable: Executable, interface: Interface, wrt: Sequence[str], of: Sequence[str] | None,
        directions: int,
    ) -> None:  # fmt: skip
        super().__init__(executable, interface)
        parameters, signature = interface.parameters, interface.signature
        self.directions = directions
        names = [p.symbol.name for p in parameters if p.role == "primal"]
        cells: dict[str, list[Any]] = {}
        types: dict[str, Parameter] = {}
        for cell, p in self._others:
            assert p.primal is not None
            cells.setdefault(p.primal, []).append(cell)
            types.setdefault(p.primal, p)
        self._along = []
        for name, p in types.items():
            made = converter(f"tangents[{name!r}]", p.symbol.type, signature, p.space)
            theirs = replace(made, written=True) if isinstance(made, ArrayParameter) else None
            position = names.index(name) if name in names else -1
            self._along.append(
                _Tangent(name, cells[name], made, theirs, position, name in wrt, name in (of or (RETURN,)))
            )
        self.tangent_names = tuple(f"dot_{t.name}" for t in self._along)  # in the order in which `execute` takes them

    def along(
        self, values: Sequence[Any], tangents: Mapping[str, Any], launch: LaunchConfiguration | None,
        progress: bool = False,
    ) -> tuple[Any, dict[str, Any], dict[str, Any]]:  # fmt: skip
        """The return value, the values and the tangents of what is asked for, by name; arguments stay as they are."""
        with self._entered(launch, values):
            self._configure(launch)
            theirs = [self.seen(n, v) for n, v in enumerate(values)]
            copies = [
                copied(v) if i.array is not None and i.array.written else v
                for v, i in zip(theirs, self._inputs, strict=True)
            ]
            buffers = self._place(copies)
            self._require_distinct([_of_user(v, b) for v, b in zip(theirs, buffers, strict=True)])
            made = {t.name: self._set(t, buffers, tangents) for t in self._along}
            result = self._call([*buffers, *made.values()], progress)
            wanted = [t for t in self._along if t.wanted]
            outputs = {t.name: buffers[t.position] for t in wanted if t.position >= 0}
            found = {t.name: made[t.name] for t in wanted}
            self._memory.fetch([b for b in (*outputs.values(), *found.values()) if b is not None])
        at = {t.name: values[t.position] if t.position >= 0 else None for t in wanted}
        named, along = (
            {name: foreign.like(b.array, at[name]) for name, b in some.items() if b is not None}
            for some in (outputs, found)
        )
        return result, named, along

    def execute_along(
        self, values: Sequence[Any], tangents: Sequence[Any], launch: LaunchConfiguration | None, progress: bool = False
    ) -> Any:
        """The same on the user's own arrays: outputs and their tangents are written in place."""
        with self._entered(launch, values):
            self._configure(launch)
            buffers = self._place(values)
            theirs = {
                name: b
                for name, t, given in zip(self.tangent_names, self._along, tangents, strict=True)
                if (b := self._theirs(t, buffers, given))
            }
            self._require_distinct(buffers, theirs.items())
            result = self._call([*buffers, *theirs.values()], progress)
            written = [b for b, i in zip(buffers, self._inputs, strict=True) if b and i.array and i.array.written]
            self._memory.fetch([*written, *theirs.values()])
        return result

    # --- one step each ---------------------------------------------------------------------------

    def _set(self, t: _Tangent, buffers: Sequence[Buffer | None], tangents: Mapping[str, Any]) -> Buffer | None:
        """Set the cells of one name; what holds its tangents, if that is an array."""
        if t.given and t.name not in tangents:
            raise self.signature.refuse(
                f"there is no tangent of {t.name!r}",
                f"pass tangents={{{t.name!r}: v}}, where v is like {t.name}; zeros hold it fixed",
            )
        if not isinstance(t.converter, ArrayParameter):
            self._set_values(t, tangents[t.name])
            return None
        argument = buffers[t.position] if t.position >= 0 else None
        if t.position < 0:
            like = np.empty(self.directions, t.converter.dtype)
            return self._place_cells(t, self._memory.zeros(like, t.converter))
        if argument is None:
            if t.given and tangents[t.name] is not None:
                problem = f"{t.name} is None, so it has no tangent"
                raise self.signature.refuse(problem, "pass None", t.converter.name)
            for cell in t.cells:
                cell.value = None
            return None
        shape = self._shape(argument.array.shape)
        if not t.given:
            like = blank(argument.array, shape, t.converter.dtype)
            return self._place_cells(t, self._memory.zeros(like, t.converter))
        given = t.converter.check(tangents[t.name])
        if given.shape != shape:
            problem = f"expected the shape {shape}{self._counted(t.name)}, got {given.shape}"
            raise self.signature.refuse(problem, parameter=t.converter.name)
        return self._place_cells(t, self._memory.duplicate(given, argument.array, t.converter))

    def _theirs(self, t: _Tangent, buffers: Sequence[Buffer | None], given: Any) -> Buffer | None:
        parameter = t.theirs
        if parameter is None:
            self._set_values(t, given)
            return None
        array = parameter.check(given)
        argument = buffers[t.position] if t.position >= 0 else None
        size = self.directions * (1 if t.position < 0 else argument.array.size if argument is not None else 0)
        if array.size != size:
            problem = f"expected {size} elements{self._counted(t.name)}, got {array.size}"
            raise self.signature.refuse(problem, parameter=parameter.name)
        return self._place_cells(t, self._memory.place(array, parameter))

    def _set_values(self, t: _Tangent, given: Any) -> None:
        if self.directions == 1:
            t.cells[0].value = t.converter.convert(given)  # type: ignore[union-attr]
            return
        values = foreign.seen(given)
        counted = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) and np.ndim(values) > 0
        if not counted or len(values) != self.directions:
            got = len(values) if counted else repr(given)
            problem = f"expected {self.directions} values, one for each direction, got {got}"
            raise self.signature.refuse(problem, parameter=f"tangents[{t.name!r}]")
        for cell, value in zip(t.cells, values, strict=True):
            cell.value = t.converter.convert(value)  # type: ignore[union-attr]

    def _place_cells(self, t: _Tangent, buffer: Buffer) -> Buffer:
        for number, cell in enumerate(t.cells):
            cell.value = buffer.address + number * (buffer.nbytes // self.directions)
        return buffer

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape if self.directions == 1 else (self.directions, *shape)

    def _counted(self, name: str) -> str:
        return f" of {name}" if self.directions == 1 else f" of {self.directions} directions, each like {name}"


def copied(value: Any) -> Any:
    """Of an array of any kind; anything else is refused where it is checked."""
    return value.copy(order="K") if hasattr(value, "dtype") and hasattr(value, "copy") else value


def _of_user(value: Any, buffer: Buffer | None) -> Buffer | None:
    """Where the user's own array lies: copies of one array lie apart."""
    if buffer is None or buffer.array is value:
        return buffer
    if isinstance(value, np.ndarray):
        return host_buffer(value)
    return Buffer(value, buffer.address, buffer.nbytes, value.data.ptr)
