"""From Python values to C parameters: one converter for each parameter, made once per function.

A converter checks a value and returns what the parameter's cell takes; `ArgumentError` names the parameter and shows
the signature.  Arrays are only checked here: where their memory lies is the backend's business (`memory.py`).
"""

from __future__ import annotations

import ctypes
import math
import numbers
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from hetad.diagnostics import ArgumentError
from hetad.ir.types import BLAS_HANDLE, COMMUNICATOR, Array, Float, Int, Opaque, Pointer, Struct, Type, Void, is_half
from hetad.run import foreign, mpi
from hetad.run.layout import ctype_of, dtype_of, is_bool
from hetad.run.signature import Signature, declaration

T = TypeVar("T", bound=Type)
Space = Literal["host", "device"] | None
FLOAT_MAX = 3.4028235677973366e38  # the least double that does not round to a finite float


@dataclass(frozen=True, slots=True)
class _Parameter(Generic[T]):
    """What each converter knows of its parameter, and how it refuses a value."""

    name: str
    type: T
    signature: Signature

    def refuse(self, problem: str, remedy: str = "", part: str = "") -> ArgumentError:
        """The error about an argument, or a `part` of it."""
        return self.signature.refuse(problem, remedy, self.name + part)


@dataclass(frozen=True, slots=True)
class IntegerParameter(_Parameter[Int]):
    """An integer or bool, passed by value.  Nothing is rounded: 2.0 is refused as 2.5 is."""

    range: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "range", _range(self.type))

    def convert(self, value: Any) -> int:
        low, high = self.range
        if type(value) is int and low <= value <= high:
            return value
        if isinstance(value, np.bool_):
            value = bool(value)
        try:
            number = operator.index(value)
        except TypeError:
            problem = f"expected an integer ({self.type}), got {_described(value)}"
            raise self.refuse(problem, "hetad rounds nothing: pass int(...)") from None
        if not low <= number <= high:
            problem = f"{number} is out of range for {self.type} ({low} to {high})"
            raise self.refuse(problem)
        return number


@dataclass(frozen=True, slots=True)
class FloatingParameter(_Parameter[Float]):
    """A float or double, passed by value; integers are accepted."""

    def convert(self, value: Any) -> float:
        number = value if type(value) is float else self._number(value)
        if self.type.bits == 32 and FLOAT_MAX <= abs(number) < math.inf:
            raise self.refuse(f"{number} is out of range for float")
        return number

    def _number(self, value: Any) -> float:
        scalar = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
        if scalar or isinstance(value, numbers.Real | np.floating | np.integer):
            try:
                return float(value)
            except OverflowError:
                raise self.refuse(f"{value} is out of range for {self.type}") from None
        try:
            number = foreign.number(value)
        except foreign.ForeignProblem as problem:
            raise self.refuse(problem.problem, problem.remedy) from None
        if number is not None:
            return float(number)
        raise self.refuse(f"expected a number ({self.type}), got {_described(value)}")


@dataclass(frozen=True, slots=True)
class StructParameter(_Parameter[Struct]):
    """A struct passed by value, from a mapping of its fields, a sequence in their order, or a structured scalar."""

    def convert(self, value: Any) -> bytes:
        return self.record(value).tobytes()

    def record(self, value: Any) -> np.ndarray[Any, Any]:
        """The value as a structured array of one element."""
        record: np.ndarray[Any, Any] = np.zeros(1, dtype_of(self.type))
        if isinstance(value, np.void | np.ndarray) and value.dtype == record.dtype and value.size == 1:
            record[0] = value if isinstance(value, np.void) else value.reshape(1)[0]
        else:
            self._fill(record[0], self.type, value, "")
        return record

    def _fill(self, record: Any, type_: Struct, value: Any, path: str) -> None:
        names = [field.name for field in type_.fields]
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) == len(names):
            value = dict(zip(names, value, strict=True))
        if not isinstance(value, Mapping):
            problem = f"expected a mapping with the fields {', '.join(names)}{_of(path)}, got {_described(value)}"
            raise self.refuse(problem)
        odd = [n for n in names if n not in value] + [n for n in value if n not in names]
        if odd:
            problem = f"{type_} has the fields {', '.join(names)}, the mapping{_of(path)} {', '.join(map(str, value))}"
            raise self.refuse(problem)
        for member in type_.fields:
            record[member.name] = self._field(member.type, value[member.name], f"{path}.{member.name}")

    def _field(self, type_: Type, value: Any, path: str) -> Any:
        label = self.name + path
        match type_:
            case Int():
                return IntegerParameter(label, type_, self.signature).convert(value)
            case Float() if not is_half(type_):
                return FloatingParameter(label, type_, self.signature).convert(value)
            case Float():
                raise self.refuse(f"a {type_} cannot be passed by value", "pass it in an array", path)
            case Struct():
                return StructParameter(label, type_, self.signature).record(value)[0]
            case Array(of=of, length=length):
                if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or len(value) != length:
                    problem = f"expected {length} elements, got {_described(value)}"
                    raise self.refuse(problem, part=path)
                return [self._field(of, element, f"{path}[{i}]") for i, element in enumerate(value)]
            case _:
                if value is None:
                    return 0
                raise self.refuse(
                    "a pointer inside a struct can only be None from Python",
                    "write a host function that takes the array as a parameter of its own", path,
                )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandleParameter(_Parameter[Opaque]):
    """A `cudaStream_t` or another handle: None, an address, or an object with a `ptr` (a CuPy stream); an `MPI_Comm`
    is a communicator of mpi4py, and None is the world."""

    def convert(self, value: Any) -> int:
        if self.type == COMMUNICATOR:
            try:
                return mpi.handle_of(value)
            except TypeError:
                problem = f"expected a communicator of mpi4py or None, got {_described(value)}"
                raise self.refuse(problem) from None
        if value is None:
            return 0
        if self.type == BLAS_HANDLE:
            problem = "hetad makes the handles of a library itself"
            raise self.refuse(problem, "pass None: its stream is that of the call")
        number = getattr(value, "ptr", value)
        if isinstance(number, int):
            return number
        raise self.refuse(f"expected a {self.type} or None, got {_described(value)}")


@dataclass(frozen=True, slots=True)
class ArrayParameter(_Parameter[Pointer]):
    """A pointer, from an array whose elements it points to; None is NULL."""

    space: Space
    written: bool
    dtype: np.dtype[Any] | None  # None for `void *`, which takes any
    multiple: int  # elements in one pointee: 16 for `double (*rows)[16]`
    stays: bool = False  # the call leaves the argument as it is, so that one that is read-only may be copied
    widens: bool = False  # numbers of 16 bits may be given for floats, as those of an output for its adjoint

    def check(self, value: Any) -> Any:
        """The array, fit to be passed: NumPy's or CuPy's, over the memory of the value."""
        if type(value) is not np.ndarray:
            value = self.seen(value)
            if type(value) is not np.ndarray:
                self._check_kind(value)
        dtype = self.dtype  # those of numbers are the same object, and quickly compared
        if value.dtype is not dtype and dtype is not None and value.dtype != dtype:
            value = self._as_passed(value)
        if value.ndim == 0:
            raise self.refuse("expected an array, got one of rank 0", f"use {self.name}.reshape(1)")
        if not value.flags.c_contiguous:
            raise self.refuse(
                f"the array is not C-contiguous (shape {value.shape}, strides {value.strides})",
                "C sees a pointer, not strides: pass np.ascontiguousarray(...)",
            )
        if self.multiple > 1 and (count := value.nbytes // (self.dtype or value.dtype).itemsize) % self.multiple:
            raise self.refuse(f"expected a multiple of {self.multiple} elements, got {count}")
        if self.written and isinstance(value, np.ndarray) and not value.flags.writeable:
            if not self.stays:
                raise self.refuse("the function writes to this array, which is read-only", "pass a copy")
            value = value.copy()
        return value

    def seen(self, value: Any) -> Any:
        """An array of another library as NumPy's or CuPy's, a list of numbers as an array; else the value itself."""
        library = foreign.library(value)
        if library is None:
            if isinstance(value, list | tuple | range) and not (self.written and not self.stays):
                made = foreign.from_numbers(value, self.dtype)
                return value if made is None else made
            return value
        try:
            array = library.see(value)
        except foreign.ForeignProblem as problem:
            raise self.refuse(problem.problem, problem.remedy) from None
        if library.immutable and self.written and foreign.is_on_device(array):
            if not self.stays:  # CuPy has no arrays that are read-only
                raise self.refuse("the function writes to this array, which is read-only", "pass a copy")
            return array.copy()
        return array

    def _as_passed(self, value: Any) -> Any:
        """An array of another dtype, if it fits: the last axis may count the members of a struct, so that (..., 3)
        floats are taken for `float3`."""
        members = members_of(self.dtype)
        number = self.dtype if members is None else members[0]
        if self.widens and value.dtype == np.float16 and number == np.float32:
            value = value.astype(np.float32)  # which rounds nothing
        if value.dtype != self.dtype and (members is None or value.dtype != number or value.shape[-1:] != members[1:]):
            self._refuse_dtype(value)
        return value

    def _check_kind(self, value: Any) -> None:
        if isinstance(value, np.ma.MaskedArray):
            remedy = f"pass {self.name}.filled(...), with the value that masked elements are to have"
            raise self.refuse("a masked array has elements without a value, which C does not know of", remedy)
        if foreign.is_on_device(value):
            if not hasattr(value, "flags"):
                raise self.refuse(f"expected an array, got {_described(value)}", "try cupy.asarray(...)")
            if self.space == "host":
                raise self.refuse(
                    "this is a host pointer, and the array lies in device memory", "pass a NumPy array (cupy.asnumpy)"
                )
        elif not isinstance(value, np.ndarray):
            wanted = "an array" if self.dtype is None else f"an array of {_dtype_name(self.dtype)}"
            dtype = "" if self.dtype is None or self.dtype.names else f", dtype=np.{self.dtype}"
            raise self.refuse(f"expected {wanted}, got {_described(value)}", f"use np.array(...{dtype})")

    def _refuse_dtype(self, value: Any) -> None:
        assert self.dtype is not None
        members = members_of(self.dtype)
        if value.dtype.kind == "c" and members is not None and members[1] == 2:
            remedy = f"pass x.view(np.{members[0]}).reshape(*x.shape, 2): its gradient has one number for each part"
        elif value.dtype.kind == "c":
            remedy = "pass x.real.copy() and x.imag.copy(): hetad differentiates real numbers"
        elif members is not None:
            remedy = f"an array of np.{members[0]} whose last axis has {members[1]} elements will do"
        elif self.dtype.names:
            remedy = f"np.dtype({self.dtype.descr}) is the layout that C gives it (in NumPy, align=True)"
        else:
            remedy = f"convert it with .astype(np.{self.dtype})"
        wanted = str(self.type.to) if self.dtype.names else _dtype_name(self.dtype)
        shape = f" of shape {value.shape}" if members is not None else ""
        raise self.refuse(f"expected an array of {wanted}, got {_dtype_name(value.dtype)}{shape}", remedy)


class EachSet:
    """A parameter that is passed by value: one value for each set, in memory that stays where it is."""

    def __init__(self, one: IntegerParameter | FloatingParameter | StructParameter, sets: int) -> None:
        self.one, self.sets = one, sets
        self.values = (ctype_of(one.type) * sets)()

    def convert(self, given: Any) -> int:
        """The values, and where they lie."""
        values = on_host(given)
        counted = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) and np.ndim(values) > 0
        if not counted or len(values) != self.sets:
            got = f"{len(values)}" if counted else f"a {type(given).__name__}"
            problem = f"expected {self.sets} values, one for each set of the batch, got {got}"
            raise self.one.refuse(problem)
        return self.set([self.one.convert(v) for v in values])

    def set(self, values: Sequence[Any]) -> int:
        for i, value in enumerate(values):
            if isinstance(value, bytes):
                self.values[i].raw = value
            else:
                self.values[i] = value
        return ctypes.addressof(self.values)

    def at(self, number: int) -> Any:
        """That of one set, as a cell would have it."""
        value = self.values[number]
        return value.raw if hasattr(value, "raw") else value


ScalarParameter = IntegerParameter | FloatingParameter | StructParameter | HandleParameter
Converter = ScalarParameter | EachSet | ArrayParameter


def converter(name: str, type_: Type, signature: Signature, space: Space = None, written: bool = False) -> Converter:
    """The converter of a parameter of type `type_`.

    Raises:
        ArgumentError: no Python value can be passed for this type.
    """
    match type_:
        case Int():
            return IntegerParameter(name, type_, signature)
        case Float() if not is_half(type_):
            return FloatingParameter(name, type_, signature)
        case Struct():
            return StructParameter(name, type_, signature)
        case Opaque():
            return HandleParameter(name, type_, signature)
        case Pointer(to=Pointer() | Opaque()):
            raise signature.refuse(
                f"`{declaration(type_, name)}` cannot be passed from Python",
                "write a host function that takes each array as a parameter of its own and call that", name,
            )  # fmt: skip
        case Pointer(to=Void()):
            return ArrayParameter(name, type_, signature, space, written, None, 1)
        case Pointer(to=to):
            dtype, multiple = dtype_of(to), 1
            while dtype.subdtype is not None:  # a pointer to rows
                dtype, multiple = dtype.subdtype[0], multiple * math.prod(dtype.shape)
            return ArrayParameter(name, type_, signature, space, written, dtype, multiple)
        case _:
            raise signature.refuse(f"`{declaration(type_, name)}` cannot be passed from Python", parameter=name)


def members_of(dtype: np.dtype[Any] | None) -> tuple[np.dtype[Any], int] | None:
    """The type and number of the members of a struct that is as many numbers of one floating type, such as `float3`."""
    if dtype is None or dtype.names is None:
        return None
    kinds = {dtype[name] for name in dtype.names}
    kind = kinds.pop()
    filled = not kinds and kind.kind == "f" and kind.itemsize * len(dtype.names) == dtype.itemsize
    return (kind, len(dtype.names)) if filled else None


def blank(like: Any, shape: tuple[int, ...], dtype: np.dtype[Any] | None) -> Any:
    """An array of that shape and type, of which only kind and type matter: masks, and adjoints of numbers of 16 bits,
    have types of their own.  The members of a struct may be counted by the last axis."""
    if like.dtype is dtype and like.shape == shape:
        return like
    members = members_of(dtype)
    wanted = members[0] if members is not None and like.dtype.names is None else dtype or like.dtype
    return like if like.shape == shape and like.dtype == wanted else type(like)(shape, wanted)


def on_host(value: Any) -> Any:
    """An array of any library as NumPy's, copied from the GPU if it lies there; what is no array, as it is."""
    array = foreign.seen(value)
    return array.get() if foreign.is_on_device(array) else array


def to_python(value: Any) -> Any:
    """A NumPy scalar as a Python number; a structured one as a dictionary of its fields."""
    if isinstance(value, np.void) and value.dtype.names:
        return {name: to_python(value[name]) for name in value.dtype.names}
    return value.item() if isinstance(value, np.generic) else value


def _range(type_: Int) -> tuple[int, int]:
    if is_bool(type_):
        return 0, 1
    return (-(1 << type_.bits - 1), (1 << type_.bits - 1) - 1) if type_.signed else (0, (1 << type_.bits) - 1)


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return str(dtype.descr) if dtype.names else str(dtype)


def _described(value: object) -> str:
    """A value for an error message: its type, and itself where that is short."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, shape {value.shape}"
    if value is None:
        return "None"
    text = repr(value)
    return f"{text} ({kind})" if len(text) <= 40 else f"a {kind}"


def _of(path: str) -> str:
    return f" of {path.lstrip('.')}" if path else ""
