"""Whole Jacobians and Hessians: products of `hetad.jvp`, `hetad.gradient` and `hetad.hvp` with unit vectors.

A sparse one needs far fewer products (`sparsity`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hetad.api import gradient
from hetad.compiled import Backend, backend_for, checked_backend, limits
from hetad.diagnostics import ArgumentError, UnsupportedError
from hetad.directions import from_vector, inner_bits, on_host, to_vector
from hetad.modes import checked_directions, hvp, jvp
from hetad.rebuilt import Rebuilt
from hetad.run.arrays import ArrayParameter, converter
from hetad.run.movable import as_movable
from hetad.run.signature import RETURN, Signature, bind
from hetad.sparsity import Detection, Sparsity, of_pairs

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.ir.nodes import Symbol
    from hetad.run.selection import Selection

Mode = Literal["auto", "forward", "reverse"]
Blocks = dict[str, dict[str, Any]]  # by output, then by input
Options = Mapping[str, Any]  # keywords of `hetad.gradient`, `hetad.jvp` or `hetad.hvp`

DIRECTIONS = 4  # along which one call goes
ROWS = 32  # that one call makes


def jacobian(
    function: Function, wrt: Selection, of: Selection | None = None, backend: str | None = None, *,
    mode: Mode = "auto", sparsity: Any = None, directions: int = DIRECTIONS,
    optimize: bool | str | Iterable[str] = True, deterministic: bool = False, cpu_threads: int | None = None,
    memory_limit: int | str | None = None, host_memory: int | str | None = None, progress: bool = False,
    checked: bool | None = None,
) -> Jacobian:  # fmt: skip
    """The derivatives of all outputs with respect to all inputs.

    Args:
        function: from a loaded program.
        wrt: numbers and arrays of numbers, as for `hetad.gradient`, and so are `of` and `backend`.
        of: the outputs; omitted, it is the return value.
        backend: "cuda" or "cpu".
        mode: "forward" makes it column by column, "reverse" row by row, "auto" by what there are fewer of, and by
            columns where the gradient is refused.
        sparsity: which derivatives are not zero, of one output array with respect to one input array: a SciPy sparse
            matrix, or anything of which `scipy.sparse.csr_array` makes one.  The result is sparse then.  "detect": a
            run of the program with bits in the place of tangents tells; see `Jacobian.pattern`.
        directions: how many columns one call makes.
        optimize: as for `hetad.gradient`, and so are the next four.
        deterministic: of sums by rows; by columns the program sums as it does.
        cpu_threads: of the CPU.
        memory_limit: of what is saved by rows; by columns nothing is.
        host_memory: beside it, on the host.
        progress: whether a call shows on standard error how far it is.
        checked: as for `hetad.gradient`.

    Raises:
        ArgumentError: the selection does not fit the function, or sparsity is given for more than one block.
        UnsupportedError: see `hetad.gradient`.
    """
    checked_backend(backend)
    limits(memory_limit, host_memory)
    optimize = optimize if isinstance(optimize, bool | str) else tuple(optimize)  # for tangents and for gradients
    along = {"optimize": optimize, "cpu_threads": cpu_threads, "checked": checked}
    more = {"deterministic": deterministic, "memory_limit": memory_limit, "host_memory": host_memory}
    return Jacobian(function, wrt, of, mode, sparsity, Products(backend, directions, along, along | more, progress))


def hessian(
    function: Function, wrt: Selection, of: Selection | None = None, backend: str | None = None, *,
    sparsity: Any = None, optimize: bool | str | Iterable[str] = True, deterministic: bool = False,
    cpu_threads: int | None = None, memory_limit: int | str | None = None, host_memory: int | str | None = None,
    progress: bool = False, checked: bool | None = None,
) -> Hessian:  # fmt: skip
    """The second derivatives: of few unknowns dense, by as many products of `hetad.hvp` as there are numbers in `wrt`.

    Args:
        function: from a loaded program.
        wrt: numbers and arrays of numbers, as for `hetad.gradient`, and so are all that follow.
        of: the outputs; omitted, it is the return value.
        backend: "cuda" or "cpu".
        sparsity: which derivatives are not zero, with respect to one array: a SciPy sparse matrix, or anything of which
            `scipy.sparse.csr_array` makes one.  The result is sparse then, by as many products as it has colours.
            "detect": all pairs of inputs that lead to the same number of an output in memory.
        optimize: as for `hetad.hvp`, and so are the next four.
        deterministic: every sum in a fixed order.
        cpu_threads: of the CPU.
        memory_limit: how much a product may save at a time.
        host_memory: beside it, on the host.
        progress: whether a call shows on standard error how far it is.
        checked: as for `hetad.hvp`.

    Raises:
        ArgumentError: the selection does not fit the function, or sparsity is given for several inputs.
        UnsupportedError: see `hetad.hvp`.
    """
    options = {
        "optimize": optimize, "deterministic": deterministic, "cpu_threads": cpu_threads, "checked": checked,
        "memory_limit": memory_limit, "host_memory": host_memory,
    }  # fmt: skip
    return Hessian(function, wrt, of, backend, sparsity, options, progress)


@dataclass(frozen=True)
class Products:
    """How products with unit vectors are made."""

    backend: str | None
    directions: int  # along which one goes
    forward: Options
    reverse: Options
    progress: bool


class Jacobian(Rebuilt):
    """Called with the arguments of the function; a kernel needs grid= and block= again."""

    def __init__(
        self, function: Function, wrt: Selection, of: Selection | None, mode: Mode, sparsity: Any, how: Products
    ) -> None:
        if mode not in ("auto", "forward", "reverse"):
            raise ArgumentError(f"mode={mode!r}: there are 'auto', 'forward' and 'reverse'")
        checked_directions(how.directions)
        self.function, self.mode, self._how = function, mode, how
        choice = function.compiled.choice(wrt, of, {})
        self.wrt, self.of = choice.wrt, choice.of
        self._made: dict[object, Any] = {}
        self._sparsity: Sparsity | None = None
        if sparsity is not None:
            if len(self.wrt) != 1 or self.of is None or len(self.of) != 1:
                raise ArgumentError("sparsity= is for one output array with respect to one input array")
            detection = Detection(function, self.wrt, self.of, how.backend, how.directions, how.forward["cpu_threads"])
            self._sparsity = Sparsity(sparsity, detection, partial(_steps, what="pattern", shown=how.progress))

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The derivatives at `args`, which stay as they are.

        Returns:
            `J["y"]["x"]`, an array of the shape of y followed by that of x; of a return value `J["x"]`; with sparsity
            a `scipy.sparse.csr_array`, a row for each number of the output.
        """
        values, launch = values_and_launch(self.function, args, named)
        columns = sum(to_vector(values[n]).size for n in self.wrt)
        if self._sparsity is not None:
            return self._sparse(self._sparsity, values, launch)
        shapes = _shapes(self.function, values, self.of), _shapes(self.function, values, self.wrt)
        rows = 1 if self.of is None else sum(to_vector(values[n]).size for n in self.of)
        forward = self.mode == "forward" or (self.mode == "auto" and (columns <= rows or not self._has_gradient()))
        matrix = self._by_columns(values, launch, rows, columns) if forward else self._by_rows(values, launch, rows)
        blocks = _blocks(matrix, *shapes)
        return blocks if self.of is not None else blocks[RETURN]

    @property
    def backend(self) -> Backend:
        """Where it runs: "cuda" or "cpu"."""
        return backend_for(self._how.backend)

    def _along(self, count: int) -> Any:
        """The tangent along so many directions."""
        if count not in self._made:
            self._made[count] = jvp(
                self.function, self.wrt, self.of, self._how.backend, directions=count, **self._how.forward
            )
        return self._made[count]

    def _products(self, values: Mapping[str, Any], launch: Any, vectors: Any) -> Iterator[Any]:
        """J v for each of the vectors, several at a time."""
        count = max(1, min(self._how.directions, len(vectors)))
        tangent = self._along(count)
        for start in _steps(range(0, len(vectors), count), "jacobian", self._how.progress):
            some = np.zeros((count, vectors.shape[1]))
            some[: len(vectors) - start] = vectors[start : start + count]
            found = tangent(*values.values(), tangents=_given(values, self.wrt, some), **launch)
            for k in range(min(count, len(vectors) - start)):
                yield _taken(found, self.of, k, count)

    def _by_columns(self, values: Mapping[str, Any], launch: Any, rows: int, columns: int) -> Any:
        matrix = np.zeros((rows, columns))
        for j, column in enumerate(self._products(values, launch, np.eye(columns))):
            matrix[:, j] = column
        return matrix

    def _by_rows(self, values: Mapping[str, Any], launch: Any, rows: int) -> Any:
        found = []
        for first in _steps(range(0, rows, ROWS), "jacobian", self._how.progress):
            count = min(ROWS, rows - first)
            seeds = None if self.of is None else _given(values, self.of, np.eye(count, rows, first))
            some = self._backward(count)(*values.values(), seeds=seeds, **launch)
            each = {n: [on_host(some[n])] if count == 1 else np.split(on_host(some[n]), count) for n in self.wrt}
            found += [np.concatenate([to_vector(each[n][i]) for n in self.wrt]) for i in range(count)]
        return np.stack(found) if found else np.zeros((0, sum(to_vector(values[n]).size for n in self.wrt)))

    def _has_gradient(self) -> bool:
        """Whether there is one: what has to run backwards may be refused where a tangent is not."""
        try:
            self._backward(1)
        except UnsupportedError:
            return False
        return True

    def _backward(self, count: int) -> Any:
        """The gradient for so many seeds."""
        if ("backward", count) not in self._made:
            batch = count if count > 1 else None
            made = gradient(self.function, self.wrt, self.of, self._how.backend, batch=batch, **self._how.reverse)
            self._made["backward", count] = made
        return self._made["backward", count]

    def pattern(self, *args: Any, **named: Any) -> Any:
        """Which derivatives may be other than zero at `args`, as a `scipy.sparse.csr_array` of truth values.

        With sparsity="detect" it is found with bits in the place of tangents, each for one input: a number depends on
        what its operands depend on, whatever their values are.  It holds as long as indices, loops, branches and `?:`
        go as they go here.
        """
        if self._sparsity is None:
            raise ArgumentError("there is no pattern: ask for this Jacobian with sparsity=")
        return self._sparsity.at(*values_and_launch(self.function, args, named)).pattern

    def _sparse(self, sparsity: Sparsity, values: Mapping[str, Any], launch: Any) -> Any:
        assert self.of is not None
        output, source = values[self.of[0]], values[self.wrt[0]]
        shape = to_vector(output).size, to_vector(source).size

        def bits() -> int:  # all tangents have the same numbers
            made = next(iter(self._made.values()))
            return min(8 * int(output.dtype.itemsize), inner_bits(made.derivative.program))

        return sparsity.matrix(values, launch, lambda vectors: self._products(values, launch, vectors), shape, bits)


class Hessian(Rebuilt):
    """Called with the arguments of the function; a kernel needs grid= and block= again."""

    def __init__(
        self, function: Function, wrt: Selection, of: Selection | None, backend: str | None, sparsity: Any,
        options: Options, progress: bool,
    ) -> None:  # fmt: skip
        """`options`: of products."""
        self.function, self._progress = function, progress
        self.product = hvp(function, wrt, of, backend, **options)
        self.wrt, self.of = self.product.wrt, self.product.of
        self._sparsity: Sparsity | None = None
        if sparsity is not None:
            if len(self.wrt) != 1:
                raise ArgumentError("sparsity= of a Hessian is for one input array")
            if isinstance(sparsity, str) and self.of is None:
                raise ArgumentError(
                    "sparsity='detect' of a Hessian is for outputs in memory: a number that all inputs lead to tells"
                    " nothing\n  help: give the pattern, or ask for the terms before they are summed"
                )
            detection = Detection(function, self.wrt, self.of, backend, DIRECTIONS, options["cpu_threads"])
            shown = partial(_steps, what="pattern", shown=progress)
            self._sparsity = Sparsity(sparsity, detection, shown, of_pairs)

    def __call__(self, *args: Any, seeds: Mapping[str, Any] | None = None, **named: Any) -> Any:
        """The second derivatives at `args`, which stay as they are.

        Returns:
            `H["x"]["z"]`, an array of the shape of x followed by that of z; with sparsity a `scipy.sparse.csr_array`.
        """
        values, launch = values_and_launch(self.function, args, named)
        size = sum(to_vector(values[n]).size for n in self.wrt)
        if self._sparsity is not None:
            return self._sparse(self._sparsity, values, launch, seeds)
        shapes = _shapes(self.function, values, self.wrt)
        matrix = np.zeros((size, size))
        for j, column in enumerate(self._products(values, launch, seeds, np.eye(size))):
            matrix[:, j] = column
        return _blocks(matrix, shapes, shapes)

    def _products(self, values: Mapping[str, Any], launch: Any, seeds: Any, vectors: Any) -> Iterator[Any]:
        """H v for each of the vectors."""
        for j in _steps(range(len(vectors)), "hessian", self._progress):
            along = _given(values, self.wrt, vectors[j : j + 1])
            found = self.product(*values.values(), tangents=along, seeds=seeds, **launch)
            yield np.concatenate([to_vector(on_host(found[n])) for n in self.wrt])

    def pattern(self, *args: Any, **named: Any) -> Any:
        """Which second derivatives may be other than zero at `args`, as a `scipy.sparse.csr_array` of truth values.

        With sparsity="detect" these are all pairs of inputs that lead to the same number of an output; see
        `Jacobian.pattern`.
        """
        if self._sparsity is None:
            raise ArgumentError("there is no pattern: ask for this Hessian with sparsity=")
        return self._sparsity.at(*values_and_launch(self.function, args, named)).pattern

    def _sparse(self, sparsity: Sparsity, values: Mapping[str, Any], launch: Any, seeds: Any) -> Any:
        source = values[self.wrt[0]]
        size = to_vector(source).size
        bits = min(8 * source.dtype.itemsize, inner_bits(self.product.derivative.program))
        return sparsity.matrix(
            values,
            launch,
            lambda vectors: self._products(values, launch, seeds, vectors),
            (size, size),
            lambda: bits,
        )


# --- arguments as vectors ------------------------------------------------------------------------


def values_and_launch(
    function: Function, args: Sequence[Any], named: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments by name, and the launch of a kernel."""
    words = ("grid", "block", "shared_mem", "stream") if function.definition.kind == "kernel" else ()
    launch = {word: named.pop(word) for word in words if word in named}
    signature = function.compiled.signature
    values = zip(function.parameters, bind(signature, args, named), strict=True)
    return {p.name: _argument(p, value, signature) for p, value in values}, launch


def _argument(p: Symbol, value: Any, signature: Signature) -> Any:
    """An array of NumPy or CuPy, a number or a mapping; None for no array.

    Raises:
        ArgumentError: the value does not fit the parameter.
    """
    passed = converter(p.name, p.type, signature)
    if isinstance(passed, ArrayParameter):
        return None if value is None else passed.check(value)
    passed.convert(value)
    return as_movable(p.type, value)


def _given(values: Mapping[str, Any], names: Sequence[str], vectors: Any) -> dict[str, Any]:
    """The vectors as tangents or seeds of the names; without an axis that counts them where there is but one."""
    found: dict[str, Any] = {}
    start = 0
    for name in names:
        like = on_host(values[name])
        size = to_vector(like).size
        parts = [from_vector(like, v[start : start + size]) for v in vectors]
        found[name] = parts[0] if len(parts) == 1 else parts if isinstance(like, float) else _stacked(parts)
        start += size
    return found


def _stacked(parts: Sequence[Any]) -> Any:
    """Arrays in one; the layout of structs is kept, as `np.stack` does not."""
    found = np.empty((len(parts), *parts[0].shape), parts[0].dtype)
    for i, part in enumerate(parts):
        found[i] = part
    return found


def _taken(found: Any, of: Sequence[str] | None, k: int, count: int) -> Any:
    """The tangents of all outputs along the k-th of `count` directions, as one vector."""
    if of is None:
        return np.atleast_1d(on_host(found))[k]
    arrays = (on_host(found[n]) for n in of)
    return np.concatenate([to_vector(a if count == 1 else a[k]) for a in arrays])


def _shapes(function: Function, values: Mapping[str, Any], names: Sequence[str] | None) -> dict[str, tuple[int, ...]]:
    if names is None:
        return {RETURN: ()}
    for name in names:
        kind = getattr(values[name], "dtype", None)
        if values[name] is None:
            raise function.compiled.signature.refuse("there is no array, so it has no derivative", parameter=name)
        if isinstance(values[name], Mapping) or (kind is not None and kind.kind != "f"):
            raise function.compiled.signature.refuse(
                "a Jacobian or a Hessian has the axes of its arrays, and the numbers of a struct are on none",
                "take products with directions that are structs: hetad.jvp, hetad.gradient, hetad.hvp",
                name,
            )
    return {name: np.shape(values[name]) for name in names}


def _blocks(matrix: Any, rows: Mapping[str, tuple[int, ...]], columns: Mapping[str, tuple[int, ...]]) -> Blocks:
    found: Blocks = {}
    i = 0
    for output, shape in rows.items():
        height, j = int(np.prod(shape)), 0
        found[output] = {}
        for name, inner in columns.items():
            width = int(np.prod(inner))
            found[output][name] = matrix[i : i + height, j : j + width].reshape((*shape, *inner))
            j += width
        i += height
    return found


def _steps(steps: range, what: str, shown: bool) -> Iterator[int]:
    report: Callable[[str], object] = sys.stderr.write if shown else lambda _: None
    for done, step in enumerate(steps):
        report(f"\r{what}: {done} of {len(steps)}")
        yield step
    report(f"\r{what}: {len(steps)} of {len(steps)}\n" if len(steps) else "")
