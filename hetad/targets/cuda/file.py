"""Programs as CUDA C++: a file for nvcc, and device code for NVRTC."""

from __future__ import annotations

from hetad.deep import deep
from hetad.emit import support
from hetad.emit.assembly import Assembly
from hetad.emit.dialect import CUDA, NVRTC, Dialect
from hetad.emit.layout import joined
from hetad.emit.located import LocatedLine, located
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.names import reached
from hetad.ir.types import size_of
from hetad.ir.visit import walk_stmts
from hetad.rules import callees
from hetad.rules.routines import Routine, routine_of
from hetad.targets.accesses import NumberedAccesses
from hetad.targets.checked import CheckedAssembly, device_variables
from hetad.targets.communication import speaks_mpi, speaks_nccl
from hetad.targets.cuda.additions import with_sums_in_loops
from hetad.targets.cuda.frees import with_plain_frees
from hetad.targets.cuda.routines import libraries, support_names, with_calls
from hetad.targets.places import Places
from hetad.targets.support_kernels import with_support_kernels

_FILES = "SEEK_SET SEEK_CUR SEEK_END EOF BUFSIZ FILENAME_MAX _IOFBF _IOLBF _IONBF stdin stderr stdout FILE"
_HEADERS = {
    "climits": {"INT_MAX"},
    "cstdint": {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"},
    "cmath": {"INFINITY", "NAN", "M_PI", "M_E"},
    "cstdio": set(_FILES.split()),
    "cstdlib": {"EXIT_FAILURE", "EXIT_SUCCESS"},
    "ctime": {"timespec", "tm", "CLOCKS_PER_SEC"},
    "sys/time.h": {"timeval", "timezone"},
    "getopt.h": {"option"},
    "cerrno": {"errno"},
    "cublas_v2.h": {"cublasHandle_t"},
    "cufft.h": {"cufftHandle"},
}
_IN_CPP = {"stdio.h": "cstdio", "stdlib.h": "cstdlib", "string.h": "cstring", "ctype.h": "cctype", "time.h": "ctime"}
_IN_CPP |= {"assert.h": "cassert"}
for _row in callees.table().values():
    if _row.header:
        _HEADERS.setdefault(_IN_CPP.get(_row.header, _row.header), set()).add(_row.name)

_RUN_TIME = "// ---- hetad's own functions that are called above, and what they need ----"


@deep
def cuda_file(program: ir.Program, entry: str, header_comment: str = "") -> str:
    """A self-contained .cu: everything in it is static except `entry`, which is callable from C.  The program comes
    first, hetad's own functions that it calls behind it."""
    program = _as_text(program, entry)
    parts = _assembly(program, CUDA)
    device = parts.functions("device", "host device", "kernel")
    host = parts.functions("host")
    device_support = [s for s in parts.support_for(device) if s.file in support.CUDA_DEVICE]
    host_support = [s for s in parts.support_for(host, support_names(host)) if s not in device_support]
    supporting = [*device_support, *host_support]
    functions = [parts.function(f, _linkage(f, entry)) for f in (*device, *host)]
    heads, first = support.in_front(supporting, support.names("\n".join(functions)), CUDA)
    later = [s for s in supporting if s not in first]
    body = [
        *parts.structs(),
        parts.variables([*device, *host]),
        *parts.mathematics([*device, *host]),
        *support.text(first, CUDA, parts.numbers),
        heads,
        parts.prototypes([f for f in (*device, *host) if f.name != entry], "static"),
        *functions,
        [_RUN_TIME] * bool(later),
        *support.text(later, CUDA, parts.numbers),
    ]
    text = joined(body)
    if used := libraries(host):
        header_comment = f"{header_comment}\nlink with {' '.join(f'-l{name}' for name in used)}".strip()
    return joined([[*texts.comment(header_comment)], _includes(text, _opaque_headers(host)), text.rstrip("\n")])


@deep
def located_functions(program: ir.Program, entry: str) -> list[tuple[ir.Function, list[LocatedLine]]]:
    """The functions that `cuda_file` has of the program itself, in its order; lines know their place in the primal."""
    program = _as_text(program, entry)
    parts, own = _assembly(program, CUDA), program.functions
    functions = [f for f in parts.functions("device", "host device", "kernel") if f.name in own]
    return [(f, located(parts, f, _linkage(f, entry))) for f in (*functions, *parts.functions("host"))]


def _as_text(program: ir.Program, entry: str) -> ir.Program:
    """What the text says: it calls libraries, and keeps no list of allocations where it needs none."""
    program = with_calls(program)
    freeing = with_plain_frees(program, entry)
    if freeing is program:
        return program
    parts = _assembly(freeing, CUDA)
    host = parts.functions("host")
    return program if support.is_kept_until_the_end(parts.support_for(host, support_names(host))) else freeing


def _assembly(program: ir.Program, dialect: Dialect, accesses: NumberedAccesses | None = None) -> Assembly:
    whole = with_support_kernels(with_sums_in_loops(program), dialect)
    return Assembly(whole, dialect) if accesses is None else CheckedAssembly(whole, dialect, accesses, Places())


def _linkage(function: ir.Function, entry: str) -> str:
    return 'extern "C"' if function.name == entry else "static"


def _opaque_headers(functions: list[ir.Function]) -> set[str]:
    """What the user's own C++ in host functions needs."""
    return {h for f in functions for s in walk_stmts(f.body) if isinstance(s, ir.Opaque) for h in s.headers}


def _includes(text: str, more: set[str]) -> list[str]:
    words = texts.code_words(text)
    if speaks_mpi(words):
        more = more | {"mpi.h"}
    if speaks_nccl(words):
        more = more | {"nccl.h"}
    return [f"#include <{h}>" for h in sorted(more | {h for h, names in _HEADERS.items() if words & names})]


@deep
def device_source(program: ir.Program, accesses: NumberedAccesses | None = None) -> str:
    """The kernels and all they need, for NVRTC: no header, kernels named as `kernels(program)` says.  With `accesses`
    each of these is checked, and numbered there."""
    parts = _assembly(program, NVRTC, accesses)
    functions = parts.functions("device", "host device", "kernel")
    used = _for_kernels(functions)
    snippets = [s for s in parts.support_for(used) if s.file in support.CUDA_DEVICE]
    checks = (
        [support.read(name).rstrip() for name in ("extents.h", "device_extents.cu")] if accesses is not None else []
    )
    body = [
        *checks,
        *parts.structs(used),
        parts.variables(used, parts.symbols()),
        *([device_variables(parts, used)] if checks else ()),
        *parts.mathematics(used),
        *support.text(snippets, NVRTC, parts.numbers),
        parts.prototypes(used, "static"),
        *(parts.function(f, 'extern "C"' if f.kind == "kernel" else "static") for f in used),
    ]
    text = joined(body)
    return joined([_typedefs(text), text.rstrip("\n")])


def _for_kernels(functions: list[ir.Function]) -> list[ir.Function]:
    """Without the host-device functions that only the host calls."""
    names = reached({f.name: f for f in functions}, [f.name for f in functions if f.kind == "kernel"])
    return [f for f in functions if f.name in names]


_FIXED_WIDTH = {
    "int8_t": "signed char", "int16_t": "short", "int32_t": "int", "int64_t": "long", "uint8_t": "unsigned char",
    "uint16_t": "unsigned short", "uint32_t": "unsigned int", "uint64_t": "unsigned long", "ptrdiff_t": "long",
    "intptr_t": "long", "uintptr_t": "unsigned long",
}  # fmt: skip


def _typedefs(text: str) -> list[str]:
    """NVRTC has no headers."""
    words = texts.code_words(text)
    handles = ["typedef struct cublasContext *cublasHandle_t;"] * ("cublasHandle_t" in words)
    handles += ["typedef struct _IO_FILE FILE;"] * ("FILE" in words)
    return handles + [f"typedef {plain} {name};" for name, plain in _FIXED_WIDTH.items() if name in words]


@deep
def symbols(program: ir.Program) -> tuple[str, ...]:
    """The emitted names of the device variables that host code names, in the order in which it numbers them."""
    parts = _assembly(program, NVRTC)
    return tuple(parts.names.globals[symbol] for symbol in parts.symbols())


@deep
def kernels(program: ir.Program) -> tuple[str, ...]:
    """The emitted names of the kernels, in the order in which the host code numbers them."""
    parts = _assembly(program, NVRTC)
    return tuple(parts.names.functions[name] for name in parts.kernels)


@deep
def kernel_routines(program: ir.Program) -> tuple[Routine | None, ...]:
    """The routines of libraries for which they stand, in the same order."""
    parts = _assembly(program, NVRTC)
    return tuple(routine_of(name, parts.program.functions[name].span) for name in parts.kernels)


@deep
def parameter_sizes(program: ir.Program) -> tuple[tuple[int, ...], ...]:
    """For each of `kernels(program)` the sizes of its parameters in bytes."""
    parts = _assembly(program, NVRTC)
    return tuple(tuple(size_of(p.type) for p in parts.program.functions[name].params) for name in parts.kernels)
