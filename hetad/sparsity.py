"""Which derivatives are not zero for certain, and matrices of those from few products with vectors.

Columns that share no row go along one direction together.
Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, On the estimation of sparse Jacobian matrices, 1974.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hetad.adjoint.options import Options
from hetad.compiled import backend_for
from hetad.diagnostics import ArgumentError
from hetad.directions import on_host, to_vector
from hetad.run.running import Running

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.run.along import TangentPlan

DETECT: Literal["detect"] = "detect"
_EPSILON = {32: 1e-3, 64: 1e-9}  # how far a product may be from that of a pattern, by bits of the coarsest number
_WORD = 64
_SUSPECTS = 8  # rows that are looked at by themselves

Steps = Callable[[range], Iterable[int]]  # the steps of something long, of which it tells how far it is


def as_pattern(sparsity: Any) -> Any:
    """What a user gives, as a matrix of truth values."""
    import scipy.sparse

    pattern = scipy.sparse.csr_array(sparsity).astype(bool)
    pattern.sum_duplicates()
    return pattern


class Compression:
    """The directions along which the columns of a pattern go together, and the matrix that is found from these."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self._colours = coloured(pattern)
        self._of_row = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self._probe = np.random.default_rng(0).standard_normal(pattern.shape[1])

    @property
    def directions(self) -> Any:
        """One for each colour, and a random one, which shows whether the pattern lacks a derivative."""
        count, columns = self._colours.max(initial=-1) + 1, self.pattern.shape[1]
        found = np.zeros((count + 1, columns))
        found[self._colours, np.arange(columns)] = 1.0
        found[count] = self._probe
        return found

    def matrix(self, products: Any) -> Any:
        """From the products with all directions."""
        matrix = self.pattern.astype(np.float64)
        matrix.data = products[self._colours[self.pattern.indices], self._of_row]
        return matrix

    def suspects(self, matrix: Any, products: Any, bits: int) -> Any:
        """Rows in which a derivative that is not zero may have no place: what is missed is more than rounding of what
        was found."""
        missed = np.abs(matrix @ self._probe - products[-1])
        scale = abs(matrix) @ np.abs(self._probe) + np.abs(products[-1])
        rows = np.flatnonzero(missed > _EPSILON[bits] * scale)
        return rows[np.argsort(-missed[rows], kind="stable")][:_SUSPECTS]

    def beside(self, rows: Any) -> Any:
        """For each row a direction along which it changes only if it lacks a derivative."""
        found = np.tile(self._probe, (len(rows), 1))
        for along, row in zip(found, rows, strict=True):
            along[self.pattern.indices[self.pattern.indptr[row] : self.pattern.indptr[row + 1]]] = 0.0
        return found


class Sparsity:
    """What a user says of a sparse matrix of derivatives: its pattern, or that it be detected.

    `turned`: the matrix's pattern from what is detected.
    """

    def __init__(
        self, said: Any, detection: Detection, steps: Steps, turned: Callable[[Any], Any] = lambda found: found
    ) -> None:  # fmt: skip
        if isinstance(said, str) and said != DETECT:
            raise ArgumentError(f"sparsity={said!r}: there are 'detect', and patterns as matrices")
        self._detects = isinstance(said, str)
        self._compression = None if self._detects else Compression(as_pattern(said))
        self._detection, self._steps, self._turned = detection, steps, turned
        self._detected_at: object = None

    def at(self, values: Mapping[str, Any], launch: Any) -> Compression:
        """The pattern for these arguments: detected again where one that is no floating number has changed."""
        here = _structure(values), repr(launch)
        if self._compression is None or (self._detects and here != self._detected_at):
            self._compression = Compression(self._detected(values, launch))
            self._detected_at = here
        return self._compression

    def _detected(self, values: Mapping[str, Any], launch: Any) -> Any:
        return self._turned(self._detection(values, launch, self._steps))

    def matrix(
        self, values: Mapping[str, Any], launch: Any, products: Callable[[Any], Iterable[Any]], shape: tuple[int, int],
        bits: Callable[[], int],
    ) -> Any:  # fmt: skip
        """The sparse matrix, of which `products` are those with vectors, among numbers of so many `bits`.

        Raises:
            ArgumentError: the pattern has another shape, or lacks a derivative that is not zero.
        """
        by = self.at(values, launch)
        if by.pattern.shape != shape:
            raise ArgumentError(f"sparsity has the shape {by.pattern.shape}, the derivatives {shape}")
        matrix, row = _recovered(by, products, bits)
        if row is not None and self._detects:  # a branch goes another way than before
            by = self._compression = Compression(as_pattern(by.pattern + self._detected(values, launch)))
            matrix, row = _recovered(by, products, bits)
        if row is not None:
            what = "the detected pattern" if self._detects else "sparsity"
            help_ = "give the pattern" if self._detects else 'sparsity="detect" finds a pattern'
            raise ArgumentError(f"{what} lacks a derivative that is not zero, in row {row}\n  help: {help_}")
        return matrix


def _recovered(
    by: Compression, products: Callable[[Any], Iterable[Any]], bits: Callable[[], int]
) -> tuple[Any, int | None]:
    """The matrix, and the row in which a derivative that is not zero has no place, if there is one."""
    found = np.stack(list(products(by.directions)))
    matrix = by.matrix(found)
    rows = by.suspects(matrix, found, bits())
    # Where derivatives cancel, as those of sqrt(x * x), what was found is rounding itself.
    alone = products(by.beside(rows)) if len(rows) else ()
    return matrix, next((int(row) for row, product in zip(rows, alone, strict=True) if product[row] != 0), None)


def of_pairs(pattern: Any) -> Any:
    """The pattern of the Hessian of sums of functions: pairs of the inputs of the same one."""
    counts = pattern.astype(np.int64)
    return as_pattern(counts.T @ counts)


def coloured(pattern: Any) -> Any:
    """A colour for each column of a sparse matrix, so that columns of one colour share no row; few columns first."""
    by_column = pattern.tocsc()
    colours = np.full(pattern.shape[1], -1)
    order = np.argsort(-np.diff(by_column.indptr), kind="stable")
    for j in order:
        rows = by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]]
        parts = [pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]] for i in rows]
        taken = set(colours[np.concatenate(parts)].tolist()) if parts else set()
        colours[j] = next(c for c in range(len(taken) + 1) if c not in taken)
    return colours


def _structure(values: Mapping[str, Any]) -> object:
    """What decides, beside floating numbers, which way a program goes: shapes, integers, indices."""
    found: list[object] = []
    for name, value in values.items():
        array = on_host(value)
        whole = getattr(array, "dtype", None) is not None and array.dtype.kind in "iub"
        found.append((name, np.shape(array), array.tobytes() if whole else None))
        if not isinstance(value, float | np.floating) and np.ndim(array) == 0:
            found.append(repr(value))
    return found


# --- detection -----------------------------------------------------------------------------------


class Detection:
    """The outputs of a function that may depend on its inputs: run with masks of inputs in the place of tangents
    (`tangent/algebra.py`), as many inputs at a time as there are bits in the masks."""

    def __init__(
        self, function: Function, wrt: Sequence[str], of: Sequence[str] | None, backend: str | None, words: int,
        cpu_threads: int | None,
    ) -> None:  # fmt: skip
        self.function, self.wrt, self.of, self.words = function, tuple(wrt), of, words
        self._backend, self._cpu_threads = backend, cpu_threads

    def __call__(self, values: Mapping[str, Any], launch: Mapping[str, Any], steps: Steps) -> Any:
        """The pattern at these arguments, a row for each number of `of`, a column for each of `wrt`."""
        import scipy.sparse

        if any(isinstance(values.get(n), Mapping) for n in (*self.wrt, *(self.of or ()))):
            raise ArgumentError("sparsity='detect' is for numbers and arrays, not for structs by value")
        sizes = [to_vector(on_host(values[n])).size for n in self.wrt]
        plan, bits, words = self._made(1 if sum(sizes) <= _WORD else self.words)
        launched = self.function.compiled.launch(**{**_NOWHERE, **launch}, named={})
        rows, columns, height = [], [], 0
        for start in steps(range(0, sum(sizes), bits * words)):
            given, at = {}, -start
            for name, size in zip(self.wrt, sizes, strict=True):
                inputs = np.arange(at, at + size)
                masks = [_units(inputs - bits * k, bits) for k in range(words)]
                given[name] = _as_masks(on_host(values[name]), masks)
                at += size
            outputs = plan.along(list(values.values()), given, launched)[2]
            found = [_of_masks(on_host(values.get(n, 0.0)), outputs[n], words) for n in self.of or outputs]
            masks_of_rows = np.concatenate(found, axis=1)
            height = masks_of_rows.shape[1]
            for k, row, bit in _set_bits(masks_of_rows, bits):
                rows.append(row)
                columns.append(start + bits * k + bit)
        shape = height, sum(sizes)
        if not columns:
            return scipy.sparse.csr_array(shape, dtype=bool)
        entries = np.concatenate(rows), np.concatenate(columns)
        return scipy.sparse.csr_array((np.ones(entries[0].size, bool), entries), shape=shape)

    def _made(self, words: int) -> tuple[TangentPlan, int, int]:
        """What runs, the bits of a mask in it, and how many masks each number has."""
        compiled = self.function.compiled
        options = {
            "options": Options.of(True, deterministic=False), "rules": self.function.rules,
            "directions": words, "dependence": True,
        }  # fmt: skip
        choice = compiled.choice(self.wrt, self.of, options)
        bits = compiled.derivative(choice).bits
        return compiled.tangent_plan(choice, backend_for(self._backend), Running(self._cpu_threads)), bits, words


_NOWHERE = {"grid": None, "block": None, "shared_mem": 0, "stream": None}


def _units(positions: Any, bits: int) -> Any:
    """Masks with the bit at a position set, if it is in the mask."""
    inside = (positions >= 0) & (positions < bits)
    return np.where(inside, np.uint64(1) << np.where(inside, positions, 0).astype(np.uint64), np.uint64(0))


def _set_bits(masks: Any, bits: int) -> Iterator[tuple[int, Any, Any]]:
    """(word, rows, bits), of masks with an axis of words and one of rows."""
    for k, words in enumerate(masks):
        some = np.flatnonzero(words)
        each = words[some].astype("<u8").view(np.uint8).reshape(-1, 8)
        row, bit = np.nonzero(np.unpackbits(each, axis=1, bitorder="little")[:, :bits])
        yield k, some[row], bit


def _as_masks(like: Any, masks: Sequence[Any]) -> Any:
    """What a shadow of masks holds at the start: the numbers of `like` have these."""
    if isinstance(like, float):
        numbers = [int(m[0]) for m in masks]
        return numbers if len(numbers) > 1 else numbers[0]
    found = np.zeros((len(masks), *like.shape), _mask_type(like.dtype))
    for one, mask in zip(found, masks, strict=True):
        _fill(one, like, mask)
    return found if len(masks) > 1 else found[0]


def _fill(shadow: Any, like: Any, mask: Any) -> None:
    start = 0
    for part, number in _parts(shadow, like):
        part[...] = mask[start : start + number.size].reshape(number.shape)
        start += number.size


def _of_masks(like: Any, found: Any, words: int) -> Any:
    """The masks of the numbers of an output: an axis of words, then one of numbers."""
    shape = (words, *np.shape(like))
    shadows = np.asarray(on_host(found)).reshape(shape)
    if isinstance(like, float):
        return shadows.reshape(words, 1).astype(np.uint64)
    each = [[part.ravel().astype(np.uint64) for part, _ in _parts(one, like)] for one in shadows]
    return np.stack([np.concatenate(parts) if parts else np.zeros(0, np.uint64) for parts in each])


def _parts(shadow: Any, like: Any) -> Iterator[tuple[Any, Any]]:
    """The floating parts of an array, in the order of `directions.to_vector`, and their masks."""
    if like.dtype.names is not None:
        for name in like.dtype.names:
            yield from _parts(shadow[name], like[name])
    elif like.dtype.kind == "f":
        yield shadow, like


def _mask_type(dtype: Any) -> Any:
    if dtype.names is None:
        base, shape = dtype.base, dtype.shape
        made = np.dtype(f"u{base.itemsize}") if base.kind == "f" else base
        return np.dtype((made, shape)) if shape else made
    fields = [dtype.fields[n] for n in dtype.names]
    return np.dtype(
        {
            "names": list(dtype.names),
            "formats": [_mask_type(f[0]) for f in fields],
            "offsets": [f[1] for f in fields],
            "itemsize": dtype.itemsize,
        }
    )
