"""Types of the IR.  Typedefs are resolved; two types are equal when C would call them compatible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Void:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Int:
    """An integer type; `name` is the spelling to print (`unsigned int`, `size_t`, `cudaError_t`).

    `volatile` marks what lies in memory (a variable, a pointee, a field), never a value.
    """

    bits: int
    signed: bool
    name: str = field(compare=False)
    boolean: bool = False  # `bool`: converting to it tests for zero
    volatile: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Float:
    """`float` (32 bits), `double` (64 bits), `__half` or with `brain` `__nv_bfloat16` (16 bits); `volatile` as that of
    an integer type.  What has 16 bits is only stored and converted: arithmetic is done in `float`, and rounded.
    """

    bits: int
    volatile: bool = field(default=False, compare=False)
    brain: bool = False

    def __str__(self) -> str:
        return {16: "__nv_bfloat16" if self.brain else "__half", 32: "float", 64: "double"}[self.bits]


@dataclass(frozen=True, slots=True)
class Pointer:
    """Pointer to `to`; `const` says that the pointee is const."""

    to: Type
    const: bool = False
    restrict: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """Array of `length` elements; the length is a constant, None only for `extern __shared__ T x[]`."""

    of: Type
    length: int | None

    def __str__(self) -> str:
        return f"{self.of}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Bits:
    """A member that is `width` bits, from the bit `first` on, of an integer: of a union, or a bit-field.

    `signed`: whether the highest of fewer bits than the type has is a sign.
    """

    name: str
    type: Type
    field: str
    first: int
    width: int
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct; identified by its tag.  `align`: the least alignment, where it is more than that of the fields.

    `bits`: the members that are bits of fields (front end only); `is_union`: whether all of them are the same bits.
    """

    name: str
    fields: tuple[Field, ...] = field(compare=False)
    align: int = field(default=1, compare=False)
    bits: tuple[Bits, ...] = field(default=(), compare=False)
    is_union: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.name

    def field_type(self, name: str) -> Type | None:
        bits = self.bits_named(name)
        if bits is not None or self.is_union:
            return bits.type if bits is not None else None
        return next((f.type for f in self.fields if f.name == name), None)

    def bits_named(self, name: str) -> Bits | None:
        return next((b for b in self.bits if b.name == name), None)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A handle hetad only passes around: `cudaStream_t`, `cudaEvent_t`, `FILE`."""

    name: str

    def __str__(self) -> str:
        return self.name


Type = Void | Int | Float | Pointer | Array | Struct | Opaque

VOID = Void()
BOOL = Int(8, False, "bool", boolean=True)
CHAR = Int(8, True, "char")
UCHAR = Int(8, False, "unsigned char")
SHORT = Int(16, True, "short")
USHORT = Int(16, False, "unsigned short")
INT = Int(32, True, "int")
UINT = Int(32, False, "unsigned int")
LONG = Int(64, True, "long")
ULONG = Int(64, False, "unsigned long")
LLONG = Int(64, True, "long long")
ULLONG = Int(64, False, "unsigned long long")
SIZE_T = Int(64, False, "size_t")
FLOAT = Float(32)
DOUBLE = Float(64)
CUDA_ERROR = Int(32, True, "cudaError_t")
MEMCPY_KIND = Int(32, True, "cudaMemcpyKind")
DEVICE_ATTRIBUTE = Int(32, True, "cudaDeviceAttr")
STREAM = Opaque("cudaStream_t")
EVENT = Opaque("cudaEvent_t")
BLAS_HANDLE = Opaque("cublasHandle_t")
COMMUNICATOR = Opaque("MPI_Comm")
DATATYPE = Opaque("MPI_Datatype")
REDUCTION = Opaque("MPI_Op")
REQUEST = Opaque("MPI_Request")
MPI_INFO = Opaque("MPI_Info")
MPI_ADDRESS = Int(64, True, "MPI_Aint")
NCCL_COMMUNICATOR = Opaque("ncclComm_t")
NCCL_RESULT = Int(32, True, "ncclResult_t")
NCCL_NUMBER = Int(32, True, "ncclDataType_t")
NCCL_REDUCTION = Int(32, True, "ncclRedOp_t")
NCCL_UNIQUE_ID = Struct("ncclUniqueId", (Field("internal", Array(CHAR, 128)),))
MESSAGE_STATUS = Struct(  # what MPI libraries have beside these numbers is no more than what is left here
    "MPI_Status", (*(Field(n, Int(32, True, "int")) for n in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")),
                   Field("internal", Array(Int(32, True, "int"), 3))),
)  # fmt: skip
DIM3 = Struct("dim3", (Field("x", UINT), Field("y", UINT), Field("z", UINT)))
STRING = Pointer(CHAR, const=True)
HALF = Float(16)
BFLOAT16 = Float(16, brain=True)
FILE = Opaque("FILE")
# Of <getopt.h>: a flag that the library would write behind hetad's back can only be null.
OPTION_FLAG = Opaque("int *")
OPTION = Struct("option", (Field("name", STRING), Field("has_arg", INT), Field("flag", OPTION_FLAG), Field("val", INT)))
TIMEVAL = Struct("timeval", (Field("tv_sec", LONG), Field("tv_usec", LONG)))
# `timezone` alone is a number of <time.h>.
TIMEZONE = Struct("struct timezone", (Field("tz_minuteswest", INT), Field("tz_dsttime", INT)))
TIMESPEC = Struct("timespec", (Field("tv_sec", LONG), Field("tv_nsec", LONG)))
TIME = Struct(
    "tm",
    (
        *(Field(f"tm_{part}", INT) for part in ("sec", "min", "hour", "mday", "mon", "year", "wday", "yday", "isdst")),
        Field("tm_gmtoff", LONG),
        Field("tm_zone", Pointer(CHAR, const=True)),
    ),
)
DEVICE_PROPERTIES = Struct(
    "cudaDeviceProp",
    (
        Field("name", Array(CHAR, 256)),
        *(
            Field(n, SIZE_T)
            for n in ("totalGlobalMem", "sharedMemPerBlock", "totalConstMem", "sharedMemPerMultiprocessor")
        ),
        *(Field(n, SIZE_T) for n in ("sharedMemPerBlockOptin", "memPitch", "textureAlignment")),
        *(Field(n, INT) for n in ("regsPerBlock", "warpSize", "maxThreadsPerBlock")),
        *(Field(n, Array(INT, 3)) for n in ("maxThreadsDim", "maxGridSize")),
        *(Field(n, INT) for n in ("major", "minor", "clockRate", "multiProcessorCount", "memoryClockRate")),
        *(
            Field(n, INT)
            for n in ("memoryBusWidth", "l2CacheSize", "maxThreadsPerMultiProcessor", "maxBlocksPerMultiProcessor")
        ),
        *(Field(n, INT) for n in ("concurrentKernels", "asyncEngineCount", "unifiedAddressing", "managedMemory")),
        *(
            Field(n, INT)
            for n in ("integrated", "canMapHostMemory", "computeMode", "ECCEnabled", "pciBusID", "pciDeviceID")
        ),
    ),
)


def is_volatile(type_: Type) -> bool:
    """Whether what has this type is read and written as often as the program says."""
    return isinstance(type_, Int | Float) and type_.volatile


def of_value(type_: Type) -> Type:
    """The type of a value read from something of this type."""
    return replace(type_, volatile=False) if isinstance(type_, Int | Float) and type_.volatile else type_


def is_half(type_: Type) -> bool:
    """Whether it is one of the 16-bit floating types."""
    return isinstance(type_, Float) and type_.bits == 16


def widened(type_: Type) -> Type:
    """The type of an adjoint of a number of this type: float for what has 16 bits."""
    return FLOAT if is_half(type_) else type_


def is_floating(type_: Type) -> bool:
    return isinstance(type_, Float)


def is_integer(type_: Type) -> bool:
    return isinstance(type_, Int)


def element(type_: Type) -> Type:
    """What a pointer or an array holds."""
    if isinstance(type_, Pointer):
        return type_.to
    if isinstance(type_, Array):
        return type_.of
    raise TypeError(f"{type_} holds no elements")


def element_or_none(type_: Type) -> Type | None:
    """What a pointer points to, or an array consists of; None for other types."""
    return type_.to if isinstance(type_, Pointer) else type_.of if isinstance(type_, Array) else None


def scalar_base(type_: Type) -> Type:
    """The innermost element type behind pointers and arrays."""
    while isinstance(type_, Pointer | Array):
        type_ = element(type_)
    return type_


def innermost(type_: Type) -> Type:
    """What the rows of an array consist of."""
    while isinstance(type_, Array):
        type_ = type_.of
    return type_


def leaves(type_: Type) -> Iterator[Type]:
    """What a value of this type consists of, with repetitions, in order."""
    match type_:
        case Array(of=of):
            yield from leaves(of)
        case Struct(fields=fields):
            for f in fields:
                yield from leaves(f.type)
        case _:
            yield type_


def one_number(type_: Type) -> Float | None:
    """The floating type of all that a value of this type consists of, if it is one."""
    found = set(leaves(type_))
    only = found.pop() if len(found) == 1 else None
    return only if isinstance(only, Float) else None


def cells_within(type_: Type) -> int:
    """How many innermost elements a row of an array has; 0 if that is not known."""
    cells = 1
    while isinstance(type_, Array):
        cells, type_ = cells * (type_.length or 0), type_.of
    return cells


def holds_floating(type_: Type) -> bool:
    """Whether a value of this type, or memory reached through it, can carry a derivative."""
    base = scalar_base(type_)
    if isinstance(base, Struct):
        return any(holds_floating(f.type) for f in base.fields)
    return is_floating(base)


def holds_numbers(type_: Type) -> bool:
    """Whether floating numbers lie in a value of this type itself, not behind its pointers."""
    if isinstance(type_, Struct):
        return any(holds_numbers(f.type) for f in type_.fields)
    return holds_numbers(type_.of) if isinstance(type_, Array) else is_floating(type_)


def size_of(type_: Type) -> int:
    """Bytes of a value of this type (LP64, natural alignment)."""
    match type_:
        case Int(bits=bits) | Float(bits=bits):
            return bits // 8
        case Pointer() | Opaque():
            return 8
        case Array(of=of, length=int() as length):
            return size_of(of) * length
        case Struct(fields=fields):
            offset = 0
            for f in fields:
                a = align_of(f.type)
                offset = (offset + a - 1) // a * a + size_of(f.type)
            a = align_of(type_)
            return (offset + a - 1) // a * a
    raise TypeError(f"{type_} has no size")


def offset_of(struct: Struct, name: str) -> int:
    """Bytes from the start of a struct to one of its fields."""
    before = [f.name for f in struct.fields].index(name)
    here = struct.fields[before]
    a = align_of(here.type)
    end = 0
    for f in struct.fields[:before]:
        b = align_of(f.type)
        end = (end + b - 1) // b * b + size_of(f.type)
    return (end + a - 1) // a * a


def align_of(type_: Type) -> int:
    match type_:
        case Array(of=of):
            return align_of(of)
        case Struct(fields=fields, align=align):
            return (
                max((align_of(f.type) for f in fields), default=1)
                if align == 1
                else max(align, *(align_of(f.type) for f in fields))
            )
    return size_of(type_)


def promote(left: Type, right: Type) -> Type:
    """The usual arithmetic conversions of C."""
    if isinstance(left, Float) or isinstance(right, Float):
        return Float(max(t.bits for t in (left, right) if isinstance(t, Float)))
    left, right = of_value(left), of_value(right)
    if not isinstance(left, Int) or not isinstance(right, Int):
        raise TypeError(f"no arithmetic between {left} and {right}")
    a, b = promote_integer(left), promote_integer(right)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def promote_integer(type_: Int) -> Int:
    """Integer promotion: what is narrower than `int` becomes `int`."""
    if type_.bits < 32:
        return INT
    return replace(type_, volatile=False) if type_.volatile else type_
