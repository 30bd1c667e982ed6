"""The macros that nvcc and its host compiler define before the first line: those of g++ in C++17, on Linux and x86-64.

Of vector extensions (`__SSE2__`, `__AVX__`) none is defined, for hetad reads no intrinsics of the processor.
"""

from __future__ import annotations

_CUDA = {
    "__CUDACC__": "1", "__NVCC__": "1", "__CUDACC_VER_MAJOR__": "13", "__CUDACC_VER_MINOR__": "0",
    "__CUDACC_VER_BUILD__": "48", "CUDART_VERSION": "13000",
}  # fmt: skip
_LANGUAGE = {
    "__cplusplus": "201703L", "__STDC__": "1", "__STDC_HOSTED__": "1", "__STDC_IEC_559__": "1", "__GNUG__": "12",
    "__GNUC__": "12", "__GNUC_MINOR__": "2", "__GNUC_PATCHLEVEL__": "0", "__VERSION__": '"12.2.0"', "__EXCEPTIONS": "1",
    "__GXX_RTTI": "1", "__cpp_exceptions": "199711L", "__cpp_constexpr": "201603L", "__cpp_if_constexpr": "201606L",
    "__cpp_inline_variables": "201606L", "__cpp_lambdas": "200907L", "__cpp_static_assert": "201411L",
}  # fmt: skip
_YES = """
    __linux__ __linux __gnu_linux__ __unix__ __unix __ELF__ _LP64 __LP64__ __x86_64__ __x86_64 __amd64__ __amd64 __k8
    __k8__ _GNU_SOURCE _DEFAULT_SOURCE _POSIX_SOURCE
"""
_SYSTEM = dict.fromkeys(_YES.split(), "1")
_LIBRARY = {
    "_POSIX_C_SOURCE": "200809L", "_XOPEN_SOURCE": "700", "__GLIBC__": "2", "__GLIBC_MINOR__": "36",
    "__BYTE_ORDER__": "1234", "__FLOAT_WORD_ORDER__": "1234", "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_BIG_ENDIAN__": "4321", "__ORDER_PDP_ENDIAN__": "3412",
}  # fmt: skip
_BYTES = """
    SHORT 2 INT 4 LONG 8 LONG_LONG 8 FLOAT 4 DOUBLE 8 LONG_DOUBLE 16 POINTER 8 SIZE_T 8 PTRDIFF_T 8 WCHAR_T 4 WINT_T 4
    INT128 16
""".split()
_SIZES = {f"__SIZEOF_{name}__": size for name, size in zip(_BYTES[::2], _BYTES[1::2], strict=True)}
_LARGEST = {
    "__CHAR_BIT__": "8", "__BIGGEST_ALIGNMENT__": "16", "__SCHAR_MAX__": "127", "__SHRT_MAX__": "32767",
    "__INT_MAX__": "2147483647", "__LONG_MAX__": "9223372036854775807L",
    "__LONG_LONG_MAX__": "9223372036854775807LL", "__SIZE_MAX__": "18446744073709551615UL",
    "__PTRDIFF_MAX__": "9223372036854775807L", "__INTMAX_MAX__": "9223372036854775807L",
    "__UINTMAX_MAX__": "18446744073709551615UL", "__INT32_MAX__": "2147483647", "__UINT32_MAX__": "4294967295U",
    "__INT64_MAX__": "9223372036854775807L", "__UINT64_MAX__": "18446744073709551615UL",
}  # fmt: skip
_TYPES = {
    "__SIZE_TYPE__": "unsigned long", "__PTRDIFF_TYPE__": "long", "__INTPTR_TYPE__": "long",
    "__UINTPTR_TYPE__": "unsigned long", "__INT8_TYPE__": "signed char", "__UINT8_TYPE__": "unsigned char",
    "__INT16_TYPE__": "short", "__UINT16_TYPE__": "unsigned short", "__INT32_TYPE__": "int",
    "__UINT32_TYPE__": "unsigned int", "__INT64_TYPE__": "long", "__UINT64_TYPE__": "unsigned long",
    "__INTMAX_TYPE__": "long", "__UINTMAX_TYPE__": "unsigned long", "__WCHAR_TYPE__": "int",
}  # fmt: skip
_FLOATING = {
    "__FLT_RADIX__": "2", "__FLT_EVAL_METHOD__": "0", "__DECIMAL_DIG__": "21",
    "__FLT_MANT_DIG__": "24", "__FLT_DIG__": "6", "__FLT_MAX__": "3.40282346638528859812e+38F",
    "__FLT_MIN__": "1.17549435082228750797e-38F", "__FLT_EPSILON__": "1.19209289550781250000e-7F",
    "__FLT_DENORM_MIN__": "1.40129846432481707092e-45F", "__FLT_MIN_EXP__": "(-125)", "__FLT_MAX_EXP__": "128",
    "__FLT_MIN_10_EXP__": "(-37)", "__FLT_MAX_10_EXP__": "38",
    "__DBL_MANT_DIG__": "53", "__DBL_DIG__": "15", "__DBL_MAX__": "1.79769313486231570815e+308",
    "__DBL_MIN__": "2.22507385850720138309e-308", "__DBL_EPSILON__": "2.22044604925031308085e-16",
    "__DBL_DENORM_MIN__": "4.94065645841246544177e-324", "__DBL_MIN_EXP__": "(-1021)", "__DBL_MAX_EXP__": "1024",
    "__DBL_MIN_10_EXP__": "(-307)", "__DBL_MAX_10_EXP__": "308",
}  # fmt: skip
# What is of the compiler, not of the language, and changes no value.
_BUILTINS = {
    "__builtin_expect(value, expected)": "(value)",
    "__builtin_assume_aligned(pointer, ...)": "(pointer)",
    "__builtin_unreachable()": "((void)0)",
    "__builtin_prefetch(...)": "((void)0)",
}

MACROS = _CUDA | _LANGUAGE | _SYSTEM | _LIBRARY | _SIZES | _LARGEST | _TYPES | _FLOATING | _BUILTINS
TEXT = "".join(f"#define {name} {value}\n" for name, value in MACROS.items())

# <unistd.h>, of which only what is tested by `#if` is a macro.
POSIX = "".join(
    f"#define _POSIX_{name} 200809L\n"
    for name in ("VERSION", "TIMERS", "MONOTONIC_CLOCK", "CPUTIME", "THREADS", "MAPPED_FILES", "BARRIERS")
) + "#define _POSIX2_VERSION 200809L\n#define _XOPEN_VERSION 700\n"  # fmt: skip
