"""What CUDA and the C library declare, for Clang to read before the program: made of hetad's own tables.

What hetad knows by name is declared without parameters (`cudaError_t cudaMalloc(...)`): lowering checks arguments, and
knows conversions that C++ does not.  Where overloads or templates must choose by type, there are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hetad.frontend.cpp import named_lambdas, streams
from hetad.frontend.lower import kernel_values, symbols
from hetad.frontend.lower.builtins import CONSTANTS, HANDLES, LOADS, STORES, TYPES, VECTORS
from hetad.frontend.lower.half import FROM_FLOAT, TO_FLOAT
from hetad.frontend.lower.known import functions
from hetad.ir.printer import declarator
from hetad.ir.types import CUDA_ERROR, DIM3, Array, Float, Int, Opaque, Pointer, Struct, Type, is_half
from hetad.memops.communication import NUMBERS
from hetad.memops.library import IN_OWN_MEMORY, VARIABLES
from hetad.memops.table import TABLE
from hetad.rules import callees
from hetad.rules.inactive import CLASSIFICATION
from hetad.rules.math.overloads import OVERLOADED, STANDARD, meanings
from hetad.rules.math.table import prototypes

# What a number of 16 bits can be made of.
_CONVERTED = ("float", "double", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long")

_HEAD = """
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((annotate("managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline
#define __noinline__
#define offsetof(type, member) __builtin_offsetof(type, member)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __cdecl
#define __restrict __restrict__
#define __both __attribute__((host)) __attribute__((device))
"""
_TEMPLATES = """
template<class T, bool = __is_arithmetic(T)> struct __hetad_argument {};
template<class T> struct __hetad_argument<T, true> { typedef double type; };
template<> struct __hetad_argument<float, true> { typedef float type; };
template<class...> struct __hetad_types;
template<class T> using __hetad_real = typename __hetad_argument<T>::type;
extern const __attribute__((device)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) dim3 blockDim, gridDim;
extern const __attribute__((device)) int warpSize;
extern const float __hetad_infinity, __hetad_nan;
void *operator new(size_t, void *);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
namespace std {
typedef decltype(nullptr) nullptr_t;
template<class T> __both constexpr const T &min(const T &, const T &);
template<class T> __both constexpr const T &max(const T &, const T &);
template<bool> struct __hetad_if {};
template<> struct __hetad_if<true> { typedef void type; };
template<class T> __both typename __hetad_if<__is_trivially_copyable(T)>::type swap(T &, T &);
template<class T> struct remove_reference { typedef T type; };
template<class T> struct remove_reference<T &> { typedef T type; };
template<class T> struct remove_reference<T &&> { typedef T type; };
template<class T> __both constexpr typename remove_reference<T>::type &&move(T &&);
template<class T> __both constexpr T &&forward(typename remove_reference<T>::type &);
template<class T> class initializer_list {
    const T *first; unsigned long count;
public:
    __both constexpr unsigned long size() const { return count; }
    __both constexpr const T *begin() const { return first; }
    __both constexpr const T *end() const { return first + count; }
};
}
"""
_WORDS = {
    (8, True): "signed char", (8, False): "unsigned char", (16, True): "short", (16, False): "unsigned short",
    (32, True): "int", (32, False): "unsigned int", (64, True): "long", (64, False): "unsigned long",
}  # fmt: skip
_OF_TYPES = {"atomic", "shuffle", "reduction"}
HANDLE = "__hetad_"  # before the names of what handles point to


@cache
def text(streams_are_read: bool = False) -> str:
    """The declarations, as C++; where streams are read, a model has theirs."""
    return (
        _HEAD
        + "\n".join(
            (
                *_types(),
                *_vectors(),
                _TEMPLATES,
                *_values(),
                *_functions(),
                *_standard(),
                streams.THROWN if streams_are_read else streams.WRITTEN + streams.THROWN,
                named_lambdas.TEXT,
            )
        )
        + "\n"
    )


def _types() -> Iterator[str]:
    for name, type_ in TYPES.items():
        if name in VECTORS or type_ == DIM3:
            continue
        if is_half(type_):
            given = "".join(f" __both {name}({t});" for t in _CONVERTED)
            yield f"struct {name} {{ unsigned short __x; {name}() = default;{given} __both operator float() const; }};"
            continue
        if isinstance(type_, Int):
            yield f"typedef {_WORDS[type_.bits, type_.signed]} {name};"
        elif isinstance(type_, Opaque):
            yield (
                f"struct {name};"
                if name == "FILE"
                else f"struct {HANDLE}{name}; typedef struct {HANDLE}{name} *{name};"
            )
        elif isinstance(type_, Struct):
            yield _struct(type_)


def _struct(type_: Struct, more: str = "") -> str:
    fields = " ".join(f"{declarator(f.type, f.name)};" for f in type_.fields)
    align = f"__align__({type_.align}) " if type_.align > 1 else ""
    return f"struct {align}{type_.name.removeprefix('struct ')} {{ {fields}{more} }};"


def _vectors() -> Iterator[str]:
    for name, type_ in VECTORS.items():
        yield _struct(type_)
        yield f"__both {name} make_{name}(...);"
    more = " __both constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1); __both constexpr dim3(uint3);"
    yield _struct(DIM3, more)


def _values() -> Iterator[str]:
    for name, (number, type_) in CONSTANTS.items():
        plain = isinstance(type_, Int)
        yield f"constexpr {type_} {name} = {number};" if plain else f"extern const {type_} {name};"
    for name in NUMBERS:
        yield f"extern const int {name};"
    for name, type_ in HANDLES.items():
        yield f"extern {declarator(type_, name)};"
    for name, row in VARIABLES.items():
        yield f"extern {declarator(TABLE[row].returns, name)};"


def _functions() -> Iterator[str]:
    for name in LOADS:
        yield f"template<class T> __both T {name}(const T *);"
    for name in STORES:
        yield f"template<class T, class V> __both void {name}(T *, V);"
    for name in functions():
        if name not in LOADS and not name.startswith("hetad"):
            yield from _function(name)
    for name in sorted({*symbols.CALLS, *kernel_values.CALLS, kernel_values.LAUNCH} - set(functions())):
        yield f"{CUDA_ERROR} {name}(...);"
    for name in TO_FLOAT:
        yield f"__both float {name}(...);"
    for name, type_ in FROM_FLOAT.items():
        yield f"__both {type_} {name}(...);"


def _function(name: str) -> Iterator[str]:
    if name in CLASSIFICATION:
        yield f"template<class T> __both bool {name}(T);"
    elif name in STANDARD:
        yield from _of_real_numbers(name)
    elif name in OVERLOADED or name in ("abs", "min", "max"):
        for c in meanings(name):
            yield f"__both {c.returns} {name}({', '.join(declarator(p, '') for p in c.params)});"
    elif name in prototypes():
        params, returns = prototypes()[name]
        yield f"__both {declarator(returns, '')} {name}({', '.join(declarator(p, '') for p in params)});"
    elif name in IN_OWN_MEMORY:
        type_ = IN_OWN_MEMORY[name][1]
        to = type_.of if isinstance(type_, Array) else type_
        yield f"{declarator(Pointer(to), name)}(...);"
    elif callees.kind(name) in _OF_TYPES:
        first = "M, T, A..." if callees.kind(name) != "atomic" else "T *, A..."
        lead = "class M, class T" if callees.kind(name) != "atomic" else "class T"
        yield f"template<{lead}, class... A> __both T {name}({first});"
    elif name in TABLE and TABLE[name].roles == ("pointer",):  # so that its address has the type that it has in CUDA
        yield f"__both {_spelled(TABLE[name].returns)}{name}(void *);"
    else:
        returns_ = callees.find(name).returns
        yield f"__both {_spelled(returns_)}{name}(...);"
        yield from _of_owners(name)


def _of_owners(name: str) -> Iterator[str]:
    """What takes memory, a stream or an event also takes an object that converts to it, as classes that own it do."""
    row = TABLE.get(name)
    if row is None:
        return
    for left_out in range(row.defaults + 1):
        roles = row.roles[: len(row.roles) - left_out]
        if not any(role in _OWNED for role in roles):
            continue
        params = [_OWNED.get(role, f"P{number}") for number, role in enumerate(roles)]
        heads = [f"class {param}" for param in params if param not in _OWNED.values()]
        lead = f"template<{', '.join(heads)}> " if heads else ""
        yield f"{lead}__both {_spelled(row.returns)}{name}({', '.join(params)});"


_OWNED = {
    "stream": "cudaStream_t", "event": "cudaEvent_t", "record": "cudaEvent_t",
    "dst": "void *", "src": "const void *", "pointer": "void *",
}  # fmt: skip


def _spelled(type_: Type | None) -> str:
    return "int " if type_ is None else declarator(type_, "").rstrip() + " "


def _of_real_numbers(name: str) -> Iterator[str]:
    params, _ = prototypes()[name]
    if all(isinstance(p, Float) for p in params):
        letters = "ABC"[: len(params)]
        whole = f"decltype({' + '.join(f'__hetad_real<{a}>()' for a in letters)})"
        returns = prototypes()[name][1]
        kind = whole if isinstance(returns, Float) else str(returns)
        heads = ", ".join(f"class {a}" for a in letters)
        yield f"template<{heads}> __both {kind} {name}({', '.join(letters)});"
        return
    for c in meanings(name):
        yield f"__both {c.returns} {name}({', '.join(declarator(p, '') for p in c.params)});"


def _standard() -> Iterator[str]:
    yield "namespace std {"
    hidden = {"min", "max"}
    for name in functions():
        if not name.startswith(("hetad", "__", "cuda", "cublas", "atomic")) and name not in hidden:
            yield f"using ::{name};"
    for name in TYPES:
        if isinstance(TYPES[name], Int) and name not in ("cudaError", "cudaError_t", "uint", "ushort", "ulong"):
            yield f"using ::{name};"
    yield "using ::FILE;"
    yield "}"
