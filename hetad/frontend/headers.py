"""Stand-ins for the headers CUDA programs include: the macros they define, and a few typedefs.

Types and functions of these headers are known to lowering; what a macro here does not define needs no header.
"""

from __future__ import annotations

from hetad.frontend import platform

_LIMITS = """
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
"""

_FLOAT = """
#define FLT_RADIX 2
#define FLT_ROUNDS 1
#define FLT_EVAL_METHOD 0
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define FLT_DECIMAL_DIG 9
#define DBL_DECIMAL_DIG 17
#define FLT_TRUE_MIN 1.401298464e-45F
#define DBL_TRUE_MIN 4.9406564584124654e-324
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
"""

_MATH = """
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define INFINITY __hetad_infinity
#define NAN __hetad_nan
#define HUGE_VAL ((double)__hetad_infinity)
#define HUGE_VALF __hetad_infinity
"""

_STRINGS = """
#define bzero(p, n) ((void)memset((p), 0, (n)))
#define bcopy(from, to, n) ((void)memmove((to), (from), (n)))
"""

_STDLIB = """
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
"""

_STDINT = """
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1L)
#define INTMAX_MIN (-9223372036854775807L - 1L)
#define INTMAX_MAX 9223372036854775807L
#define UINTMAX_MAX 18446744073709551615UL
#define INTPTR_MIN (-9223372036854775807L - 1L)
#define INTPTR_MAX 9223372036854775807L
#define UINTPTR_MAX 18446744073709551615UL
#define PTRDIFF_MIN (-9223372036854775807L - 1L)
#define PTRDIFF_MAX 9223372036854775807L
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c ## L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c ## U
#define UINT64_C(c) c ## UL
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX 18446744073709551615UL
"""

# How numbers of a given width are printed and read.
_FORMATS = "".join(
    f'#define {way}{letter}{width} "{length}{letter}"\n'
    for way in ("PRI", "SCN")
    for letter in "diouxX"
    for width, length in (("8", "hh"), ("16", "h"), ("32", ""), ("64", "l"), ("MAX", "l"), ("PTR", "l"))
    if (way, letter) != ("SCN", "X")
)

_ALWAYS = platform.TEXT + "#define NULL nullptr\n"

_TIME = "#define CLOCKS_PER_SEC 1000000\n"

# nvcc includes cuda_runtime.h by itself, which brings these in.
PRELUDE = _ALWAYS + _MATH + _STDLIB + _LIMITS + _TIME

HEADERS: dict[str, str] = {
    "unistd.h": platform.POSIX + "#define F_OK 0\n#define X_OK 1\n#define W_OK 2\n#define R_OK 4\n",
    "cuda.h": "#define CUDA_VERSION 13000\n",
    "strings.h": _STRINGS,
    "string.h": _STRINGS,
    "getopt.h": "#define no_argument 0\n#define required_argument 1\n#define optional_argument 2\n",
    "limits.h": _LIMITS,
    "float.h": _FLOAT,
    "stdint.h": _STDINT,
    "inttypes.h": _STDINT + _FORMATS,
    "assert.h": "#ifdef NDEBUG\n#define assert(e) ((void)0)\n#endif\n",
    "cuda_fp16.h": "typedef __half half;\n",
    "cuda_bf16.h": "typedef __nv_bfloat16 nv_bfloat16;\n",
    "time.h": _TIME,
    "math_constants.h": """
#define CUDART_INF_F __hetad_infinity
#define CUDART_NAN_F __hetad_nan
#define CUDART_INF ((double)__hetad_infinity)
#define CUDART_NAN ((double)__hetad_nan)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO2 1.5707963267948966e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_SQRT_TWO 1.4142135623730951e+0
""",
}
HEADERS["Kokkos_Core.hpp"] = """
#define KOKKOS_LAMBDA [=] __host__ __device__
#define KOKKOS_CLASS_LAMBDA [=, *this] __host__ __device__
#define KOKKOS_FUNCTION __host__ __device__
#define KOKKOS_INLINE_FUNCTION inline __host__ __device__
#define KOKKOS_FORCEINLINE_FUNCTION inline __host__ __device__
#define KOKKOS_DEFAULTED_FUNCTION __host__ __device__
#define KOKKOS_RESTRICT
#define KOKKOS_ENABLE_CUDA 1
#define ALL() ALL
"""
HEADERS["nccl.h"] = """
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_MAJOR 2
"""
HEADERS["mpi.h"] = """
#define MPI_VERSION 4
#define MPI_SUBVERSION 1
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 512
"""
HEADERS["cassert"] = HEADERS["assert.h"]
HEADERS["cstring"] = HEADERS["string.h"]
for _name in ("limits", "float", "stdint", "inttypes", "time"):
    HEADERS["c" + _name] = HEADERS[_name + ".h"]
