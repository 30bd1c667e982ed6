"""Types and declarations as C text."""

from __future__ import annotations

from hetad.ir.types import Array, Float, Int, Opaque, Pointer, Struct, Type, Void, is_volatile, of_value

_SPELLINGS = frozenset(
    {
        "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "unsigned int",
        "long", "unsigned long", "long long", "unsigned long long", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t",
        "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
        "cudaError_t", "cudaMemcpyKind", "enum cudaMemcpyKind", "ncclResult_t", "ncclDataType_t", "ncclRedOp_t",
    }
)  # fmt: skip
_PLAIN = {
    (8, True): "signed char", (8, False): "unsigned char", (16, True): "short", (16, False): "unsigned short",
    (32, True): "int", (32, False): "unsigned int", (64, True): "long", (64, False): "unsigned long",
}  # fmt: skip

ENUMS = frozenset(
    {
        "cudaError_t", "cudaMemcpyKind", "enum cudaMemcpyKind", "cudaDeviceAttr", "ncclResult_t", "ncclDataType_t",
        "ncclRedOp_t",
    }
)  # fmt: skip
"""Integer types of hetad that C++ takes for enumerations: it converts no integer to them by itself."""


def base_name(type_: Type) -> str:
    """The spelling of a type that is neither pointer nor array."""
    if is_volatile(type_):
        return f"volatile {base_name(of_value(type_))}"
    match type_:
        case Int(bits=bits, signed=signed, name=name):
            return name if name in _SPELLINGS else _PLAIN[bits, signed]
        case Void():
            return "void"
        case Float(bits=16, brain=brain):
            return "hetad_bfloat16" if brain else "hetad_half"
        case Float(bits=bits):
            return "float" if bits == 32 else "double"
        case Struct(name=name):
            return name
        case Opaque(name=name):
            return name
    raise TypeError(f"{type_} has no name of its own")


def declaration(type_: Type, name: str = "", const: bool = False, restrict: bool = True) -> str:
    """`const float *x`, `float (*rows)[4]`; without a name the type alone.  `const` is that of the variable itself."""
    match type_:
        case Pointer(to=to):
            keyword = "__restrict__" if type_.restrict and restrict else ""
            words = " ".join(w for w in ("const" if const else "", keyword, name) if w)
            return declaration(to, "*" + words, type_.const, restrict)
        case Array(of=of, length=length):
            inner = f"({name})" if name.startswith("*") else name
            return declaration(of, f"{inner}[{'' if length is None else length}]", const, restrict)
    text = ("const " if const else "") + base_name(type_)
    return f"{text} {name}" if name else text
