"""Calls of a gradient for all sets of a batch at once: the first axis of what differs between the sets counts them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.ir.types import Pointer
from hetad.run.arrays import ArrayParameter, EachSet, FloatingParameter, HandleParameter, converter, on_host
from hetad.run.call import Interface, Plan
from hetad.run.layout import dtype_of
from hetad.run.memory import Buffer
from hetad.run.signature import RETURN
from hetad.targets.places import joined

if TYPE_CHECKING:
    from hetad.ir.nodes import Function
    from hetad.run.executable import Executable
    from hetad.run.launch import LaunchConfiguration
    from hetad.run.lengths import Lengths


class BatchPlan(Plan):
    """Calls of the entry that runs a derivative for each of `sets` sets (`host/batch.py`).

    The arguments in `batched` differ between them.
    """

    _repeats = False

    def __init__(
        self, executable: Executable, interface: Interface, wrt: Sequence[str], of: Sequence[str], *,
        function: Function, batched: Sequence[str], sets: int,
    ) -> None:  # fmt: skip
        super().__init__(executable, interface, wrt, of)
        signature = interface.signature
        self.sets = sets
        types = [p.type for p in function.params]
        self._differs = [name in batched for name in signature.parameters]
        for i, type_ in enumerate(types):
            if self._differs[i] and not isinstance(type_, Pointer):
                self._inputs[i] = replace(
                    self._inputs[i], converter=self._each(signature.parameters[i], type_), array=None
                )
        self._adjoints = [self._of_sets(a, isinstance(types[a.position], Pointer)) for a in self._adjoints]
        self._sizes: list[tuple[Any, int]] = []
        self._values: EachSet | None = None
        self._seeds: EachSet | None = None
        for cell, p in self._others:
            match p.role:
                case "sets":
                    cell.value = sets
                case "size":
                    assert p.primal is not None
                    self._sizes.append((cell, signature.parameters.index(p.primal)))
                case "value":
                    self._values = self._each(RETURN, function.returns)
                    cell.value = ctypes.addressof(self._values.values)
        if self._seed is not None:
            self._seeds = self._each(f"seeds[{RETURN!r}]", function.returns)
        stores = [i.converter.values for i in self._inputs if isinstance(i.converter, EachSet)]
        stores += [self._seeds.values] if self._seeds is not None else []
        executable.tell_apart([*self._telling, *stores])

    def _of_sets(self, adjoint: Any, array: bool) -> Any:
        return replace(
            adjoint, scalar=not array, one=None if array else np.empty(self.sets, adjoint.array.dtype), kept=None
        )

    def _each(self, name: str, type_: Any) -> EachSet:
        one = converter(name, type_, self.signature)
        assert not isinstance(one, ArrayParameter | EachSet | HandleParameter)
        return EachSet(one, self.sets)

    def gradient(
        self, values: Sequence[Any], seeds: Mapping[str, Any], launch: LaunchConfiguration | None,
        progress: bool = False,
    ) -> tuple[Any, list[Any]]:  # fmt: skip
        with self.executable.lock:
            _, found = super().gradient(values, seeds, launch, progress)
            return self._returned(), found

    def execute(
        self, values: Sequence[Any], adjoints: Sequence[Any], seeds: Mapping[str, Any],
        launch: LaunchConfiguration | None, progress: bool = False,
    ) -> Any:  # fmt: skip
        with self.executable.lock:
            super().execute(values, adjoints, seeds, launch, progress)
            return self._returned()

    def _returned(self) -> Any:
        if self._values is None:
            return None
        return np.frombuffer(bytes(self._values.values), dtype_of(self._values.one.type)).copy()

    # --- one step each ---------------------------------------------------------------------------

    def _place(self, values: Sequence[Any]) -> list[Buffer | None]:
        for value, target, differs in zip(values, self._inputs, self._differs, strict=True):
            if differs and target.array is not None and value is not None:
                self._check_sets(target.array, value)
        buffers = self._apart(super()._place(values))
        for cell, position in self._sizes:
            buffer = buffers[position]
            cell.value = self._extent(buffer, position) // _pointee(self._inputs[position].array) if buffer else 0
        return buffers

    def _apart(self, buffers: list[Buffer | None]) -> list[Buffer | None]:
        """With copies of shared arrays that lie in others: what a set has is found by where it lies."""
        others = [
            b for b, i, differs in zip(buffers, self._inputs, self._differs, strict=True)
            if b is not None and differs and i.array is not None and not i.array.written
        ]  # fmt: skip
        for i, b in enumerate(buffers):
            target = self._inputs[i]
            if b is None or target.array is None or target.array.written or self._differs[i]:
                continue
            if any(b.address < o.address + o.nbytes and o.address < b.address + b.nbytes for o in others):
                buffers[i] = own = self._memory.duplicate(b.array, b.array, target.array)
                target.cell.value = own.address
        return buffers

    def _check_sets(self, parameter: ArrayParameter, value: Any) -> None:
        array = parameter.check(value)
        if array.shape[0] != self.sets:
            problem = (
                f"expected a first axis of {self.sets}, one for each set of the batch, got the shape {array.shape}"
            )
            remedy = f"leave {parameter.name} out of batched= where all sets share it"
            raise parameter.refuse(problem, remedy)
        if array.size // self.sets % parameter.multiple:
            problem = (
                f"expected a multiple of {parameter.multiple} elements for each set, got {array.size // self.sets}"
            )
            raise parameter.refuse(problem)

    @property
    def _sets_need_other_lengths(self) -> bool:
        each = [i.converter.one for i in self._inputs if isinstance(i.converter, EachSet)]
        return not all(isinstance(one, FloatingParameter) for one in each)

    def _extent(self, buffer: Buffer, position: int) -> int:
        return buffer.nbytes // self.sets if self._differs[position] else buffer.nbytes

    def _check_lengths(self, lengths: Lengths, buffers: Sequence[Buffer | None], reach: tuple[Any, ...]) -> None:
        """Of each set."""
        mine = [b and Buffer(b.array, b.address, self._extent(b, i), b.start, b.staged) for i, b in enumerate(buffers)]
        shared = [cell.raw if hasattr(cell, "raw") else cell.value for cell in self._configuration.values()]
        given = [*[None] * len(shared), *mine]
        unproven = []
        for number in range(self.sets if self._sets_need_other_lengths else 1):
            values = [*shared, *(_value(i.converter, i.cell, number) for i in self._inputs)]
            lengths.check(values, given)
            unproven.append(lengths.proof_by_numbers(values, given).places if self.executable.proves else None)
        self.executable.unproven = joined(unproven)

    def _set_seed(self, seeds: Mapping[str, Any]) -> None:
        if self._seed is None:
            return
        assert self._seeds is not None
        given, one = on_host(seeds.get(RETURN, 1.0)), self._seeds.one
        shared = np.ndim(given) == 0
        self._seed[0].value = (
            self._seeds.set([one.convert(given)] * self.sets) if shared else self._seeds.convert(given)
        )

    def _number(self, cell: Any) -> Any:
        return cell

    def _adjoint_shape(self, adjoint: Any, argument: Buffer) -> tuple[int, ...]:
        shape: tuple[int, ...] = argument.array.shape
        return shape if self._differs[adjoint.position] else (self.sets, *shape)

    def _whole(self, seed: Any, shape: tuple[int, ...]) -> Any:
        return seed.reshape((1, *seed.shape)).repeat(self.sets, axis=0) if seed.shape == shape[1:] else seed

    def _told(self, adjoint: Any, shape: tuple[int, ...]) -> str:
        return f"the shape {shape}{self._more_of_seeds(shape)}"

    def _more_of_seeds(self, shape: tuple[int, ...]) -> str:
        return f", or {shape[1:]} for the same seed in all sets"

    def _size_told(self, adjoint: Any) -> str:
        what = "one to which a gradient is added" if adjoint.scalar else f"as many as {adjoint.name} has"
        return f"{what}, for each set"


def _pointee(parameter: ArrayParameter | None) -> int:
    """How many bytes that has to which the parameter points."""
    assert parameter is not None
    assert parameter.dtype is not None
    return parameter.dtype.itemsize * parameter.multiple


def _value(made: Any, cell: Any, number: int) -> Any:
    if isinstance(made, EachSet):
        return made.at(number)
    return cell.raw if hasattr(cell, "raw") else cell.value
