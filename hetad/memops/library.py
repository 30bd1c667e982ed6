"""Functions of the C library that programs call around their computation: files, texts, time, numbers at random.

No derivative passes through them.  What talks to the world outside happens once, in the forward sweep; what is read
there is a constant.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir.types import (
    CHAR,
    DOUBLE,
    FILE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    SIZE_T,
    TIME,
    TIMESPEC,
    TIMEVAL,
    UINT,
    ULLONG,
    ULONG,
    VOID,
    Array,
    Pointer,
    Type,
)
from hetad.memops.operation import Action, MemoryOperation

_TEXT = Pointer(CHAR)
_FILE = Pointer(FILE)

# returned type, name, roles of the arguments
_Rows = tuple[tuple[Type, str, str], ...]

_FILES: _Rows = (
    (_FILE, "fopen", "text text"),
    (_FILE, "freopen", "text text other"),
    (_FILE, "tmpfile", ""),
    (INT, "fclose", "other"),
    (VOID, "setbuf", "other other"),
    (INT, "setvbuf", "other other value bytes"),
    (SIZE_T, "fwrite", "src size count other"),
    (INT, "fputc", "value other"),
    (INT, "putc", "value other"),
    (INT, "fgetc", "other"),
    (INT, "getc", "other"),
    (INT, "getchar", ""),
    (INT, "ungetc", "value other"),
    (INT, "fseek", "other long value"),
    (LONG, "ftell", "other"),
    (VOID, "rewind", "other"),
    (INT, "feof", "other"),
    (INT, "ferror", "other"),
    (VOID, "clearerr", "other"),
    (INT, "remove", "text"),
    (INT, "rename", "text text"),
    (VOID, "perror", "text"),
    (_FILE, "popen", "text text"),
    (INT, "pclose", "other"),
)

_COMPARISONS: _Rows = (
    (INT, "strcmp", "text text"),
    (INT, "strncmp", "text text bytes"),
    (INT, "strcoll", "text text"),
    (SIZE_T, "strlen", "text"),
    (SIZE_T, "strnlen", "text bytes"),
    (SIZE_T, "strspn", "text text"),
    (SIZE_T, "strcspn", "text text"),
    (INT, "memcmp", "src src bytes"),
    (_TEXT, "strerror", "value"),
)

_CHARACTERS: _Rows = tuple(
    (INT, name, "value")
    for name in (
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit "
        "tolower toupper"
    ).split()
)

_NUMBERS: _Rows = (
    (INT, "atoi", "text"),
    (LONG, "atol", "text"),
    (LLONG, "atoll", "text"),
    (DOUBLE, "atof", "text"),
    (_TEXT, "getenv", "text"),
)

_RANDOM: _Rows = (
    (VOID, "srand", "flags"),
    (INT, "rand", ""),
    (VOID, "srandom", "flags"),
    (LONG, "random", ""),
    (VOID, "srand48", "long"),
    (DOUBLE, "drand48", ""),
    (LONG, "lrand48", ""),
    (LONG, "mrand48", ""),
    (INT, "system", "text"),
    (INT, "setenv", "text text value"),
    (INT, "unsetenv", "text"),
)

_SYSTEM: _Rows = (
    (UINT, "sleep", "flags"),
    (INT, "usleep", "flags"),
    (INT, "unlink", "text"),
)


def _rows(header: str, rows: _Rows, *, once: bool = False, varies: bool = False) -> Iterator[MemoryOperation]:
    for returns, name, roles in rows:
        yield MemoryOperation(name, "inert", returns, tuple(roles.split()), once=once, varies=varies, header=header)


def _texts() -> Iterator[MemoryOperation]:
    """What makes texts, and what finds places in them."""

    def row(returns: Type, name: str, roles: str, action: Action = "text", **more: bool) -> MemoryOperation:
        within = None if returns == SIZE_T else 0
        return MemoryOperation(
            name, action, returns, tuple(roles.split()), within=within, header="string.h", **more  # type: ignore[arg-type]
        )  # fmt: skip

    yield row(_TEXT, "strcpy", "dst text", same=True)
    yield row(_TEXT, "stpcpy", "dst text")
    yield row(SIZE_T, "strxfrm", "dst text bytes")
    yield row(_TEXT, "strncpy", "dst text bytes", same=True)
    yield row(_TEXT, "strcat", "updated text", same=True)
    yield row(_TEXT, "strncat", "updated text bytes", same=True)
    for name in ("strchr", "strrchr"):
        yield row(_TEXT, name, "text value", "inert")
    yield row(Pointer(VOID), "memchr", "src value bytes", "inert")
    for name in ("strstr", "strpbrk"):
        yield row(_TEXT, name, "text text", "inert")


def _conversions() -> Iterator[MemoryOperation]:
    """Numbers out of texts, with the place where the number ends."""
    integers = (("strtol", LONG), ("strtoul", ULONG), ("strtoll", LLONG), ("strtoull", ULLONG))
    for name, returns in (*integers, ("strtod", DOUBLE), ("strtof", FLOAT)):
        roles = ("text", "store", "value") if isinstance(returns, type(INT)) else ("text", "store")
        yield MemoryOperation(name, "inert", returns, roles, stores=_TEXT, within=0, header="stdlib.h")


def _times() -> Iterator[MemoryOperation]:
    def row(
        returns: Type, name: str, *roles: str, stores: Type | None = None, header: str = "time.h"
    ) -> MemoryOperation:
        return MemoryOperation(name, "inert", returns, roles, stores=stores, varies=True, header=header)

    yield row(LONG, "clock")
    yield row(LONG, "time", "store", stores=LONG)
    yield row(INT, "gettimeofday", "store", "other", stores=TIMEVAL, header="sys/time.h")
    yield row(INT, "clock_gettime", "value", "store", stores=TIMESPEC)
    yield row(INT, "clock_getres", "value", "store", stores=TIMESPEC)
    for name in ("localtime_r", "gmtime_r"):
        yield row(Pointer(TIME), name, "src", "store", stores=TIME)
    for name in ("ctime_r", "asctime_r"):
        yield MemoryOperation(name, "text", _TEXT, ("src", "dst"), varies=True, header="time.h")
    yield MemoryOperation("difftime", "inert", DOUBLE, ("long", "long"), header="time.h")
    yield MemoryOperation("mktime", "inert", LONG, ("updated",), header="time.h")
    yield MemoryOperation("strftime", "text", SIZE_T, ("dst", "bytes", "text", "src"), header="time.h")


# Functions that give a pointer to memory of the library's own: what does the same in memory that it is given, and the
# type of that.  So the program's analyses see what a later call overwrites.
IN_OWN_MEMORY: dict[str, tuple[str, Type]] = {
    "localtime": ("localtime_r", TIME),
    "gmtime": ("gmtime_r", TIME),
    "ctime": ("ctime_r", Array(CHAR, 32)),
    "asctime": ("asctime_r", Array(CHAR, 64)),
}

# Variables of the C library by name, and the rows that stand for their values.
VARIABLES = {name: f"hetad_{name}" for name in ("errno", "optarg", "optind", "optopt")}
SETTER = "hetad_set_{}"  # the row that stands for an assignment, of those that programs assign to

LIBRARY: tuple[MemoryOperation, ...] = (
    *_rows("stdio.h", _FILES, once=True),
    MemoryOperation(
        "fread", "fill", SIZE_T, ("dst", "size", "count", "other"), once=True, header="stdio.h"
    ),
    MemoryOperation("fgets", "text", _TEXT, ("dst", "value", "other"), once=True, within=0, header="stdio.h"),
    *_rows("string.h", _COMPARISONS),
    *_rows("strings.h", ((INT, "strcasecmp", "text text"), (INT, "strncasecmp", "text text bytes"))),
    *_texts(),
    *_rows("ctype.h", _CHARACTERS),
    *_rows("stdlib.h", _NUMBERS),
    *_conversions(),
    *_rows("stdlib.h", _RANDOM, once=True),
    MemoryOperation("rand_r", "inert", INT, ("updated",), header="stdlib.h"),
    *_times(),
    *_rows("unistd.h", _SYSTEM, once=True),
    *_rows("unistd.h", ((INT, "getpid", ""), (INT, "access", "text value")), varies=True),
    MemoryOperation("gethostname", "text", INT, ("dst", "bytes"), varies=True, header="unistd.h"),
    MemoryOperation(
        "getopt", "text", INT, ("value", "updated", "text"), once=True, varies=True, header="unistd.h",
        c_name="hetad_getopt",
    ),
    MemoryOperation(
        "getopt_long", "text", INT, ("value", "updated", "text", "other", "store"), once=True, varies=True,
        header="getopt.h", c_name="hetad_getopt_long", stores=INT,
    ),
    MemoryOperation("hetad_optarg", "inert", _TEXT, varies=True, header="unistd.h"),
    MemoryOperation("hetad_optind", "inert", INT, varies=True, header="unistd.h"),
    MemoryOperation("hetad_optopt", "inert", INT, varies=True, header="unistd.h"),
    MemoryOperation("hetad_errno", "inert", INT, varies=True, header="errno.h"),
    MemoryOperation("hetad_set_errno", "inert", VOID, ("value",), once=True, header="errno.h", text="errno = {}"),
    MemoryOperation("hetad_set_optind", "inert", VOID, ("value",), once=True, header="unistd.h", text="optind = {}"),
)  # fmt: skip
