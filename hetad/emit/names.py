"""Names in emitted code: every symbol gets one that means it and nothing else where it is printed."""

from __future__ import annotations

from functools import cached_property

from hetad.emit import support
from hetad.ir import nodes as ir
from hetad.ir.names import LocalNames, called
from hetad.ir.places import is_dynamic, written
from hetad.ir.types import Array, Float, Int, Pointer, Struct, Type, innermost, scalar_base, size_of
from hetad.ir.visit import declared, variables, walk_exprs
from hetad.memops import library

KEYWORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool
    alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast consteval constexpr constinit
    co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept
    not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast
    template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq
    asm typeof unix linux errno optarg optind optopt option tm timeval timespec stdin stdout stderr NULL EOF NAN
    INFINITY HUGE_VAL assert isnan isinf isfinite signbit
    threadIdx blockIdx blockDim gridDim warpSize dim3 size_t
    """.split()
)

_LIBRARY = frozenset(
    """
    main abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc qsort
    rand realloc srand strtod strtof strtol strtoll strtoul system drand48 erand48 random srandom
    clearerr fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread fscanf fseek ftell fwrite getc
    getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf snprintf sprintf sscanf tmpfile
    getline dprintf memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen strncat strncmp strncpy
    strstr strtok strdup index rindex bcopy bzero ffs setjmp longjmp clock time difftime
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim floor
    fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint
    lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn
    significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn drem
    rsqrt rcbrt sinpi cospi sincospi rhypot norm norm3d norm4d rnorm rnorm3d rnorm4d normcdf normcdfinv erfinv erfcinv
    erfcx cyl_bessel_i0 cyl_bessel_i1 fdivide min max umin umax llmin llmax ullmin ullmax saturate
    read write open close pipe link unlink access sync wait pause select signal kill fork brk dup stat step
    acct alarm chdir chown chroot confstr crypt daemon encrypt environ getopt isatty lockf lseek nice optarg opterr
    optind optopt profil revoke sbrk setkey swab symlink truncate vfork isascii toascii
    """.split()
)
LIBRARY = _LIBRARY | {name + "f" for name in _LIBRARY} | {row.name for row in library.LIBRARY}


def spelled(name: str) -> str:
    """`name`, changed when it is a word of C, C++ or CUDA."""
    return name + "_" if name in KEYWORDS else name


class Spellings:
    """The names of a program's functions, kernels, structs and file-scope variables, and of a function's locals."""

    def __init__(self, program: ir.Program) -> None:
        self.functions: dict[str, str] = {}
        self.globals: dict[ir.Symbol, str] = {}
        self.structs: dict[str, str] = {}
        self.parameters: dict[str, tuple[Type, ...]] = {}
        self.hidden: dict[str, tuple[str, ...]] = {}  # thread indices that the CPU's device functions are handed
        for struct in program.structs:
            self.structs[str(struct)] = spelled(str(struct))
        for name, function in program.functions.items():
            self.functions[name] = self._at_file_scope(name)
            self.parameters[name] = tuple(p.type for p in function.params)
        for variable in program.globals:
            self.globals[variable.symbol] = self._at_file_scope(variable.symbol.name)
        self.dynamic = self._ambiguous_dynamic(program)

    def _at_file_scope(self, name: str) -> str:
        taken = {*self.functions.values(), *self.globals.values(), *self.structs.values()}  # in C, a struct may share
        plain = spelled(name)
        if plain in LIBRARY or plain in support.own_names():
            plain += "_"
        while plain in taken:
            plain += "_"
        return plain

    def _ambiguous_dynamic(self, program: ir.Program) -> frozenset[str]:
        """Names of dynamic shared arrays that C++, for which they are one variable each, would not accept."""
        types: dict[str, Type] = {}
        found = {*self.functions.values(), *self.globals.values()}
        for function in program.functions.values():
            for symbol in declared(function.body):
                if is_dynamic(symbol) and types.setdefault(symbol.name, symbol.type) != symbol.type:
                    found.add(symbol.name)
        return frozenset(found)

    def of(self, function: ir.Function) -> Locals:
        return Locals(self, function)


class Locals:
    """Names of the symbols of one function.  A symbol that would hide another one gets a number."""

    def __init__(self, names: Spellings, function: ir.Function) -> None:
        self.function = function
        self.globals = names.globals
        self.written = written(function.body)
        outer = {names.functions.get(name, name) for name in called(function.body)}
        outer.update(names.globals[symbol] for symbol in variables(function.body) if symbol in names.globals)
        outer.update(names.structs.values())  # a type is no type where a variable has its name
        local = LocalNames(outer, spelled)
        local.parameters(function.params)
        local.body(function.body)
        self.table = local.table

    def __getitem__(self, symbol: ir.Symbol) -> str:
        name = self.table.get(symbol) or self.globals.get(symbol)
        return name if name is not None else symbol.name

    def is_viewed(self, array: Array) -> bool:
        """Whether the elements of an array may be read as larger ones, for which it must be aligned."""
        return size_of(innermost(array)) < self._widest_view

    @cached_property
    def _widest_view(self) -> int:
        """Bytes of the largest number or struct of numbers to which some pointer is cast."""
        casts = (e.type for e in walk_exprs(self.function.body) if isinstance(e, ir.Cast))
        held = (scalar_base(t.to) for t in casts if isinstance(t, Pointer) and not isinstance(t.to, Pointer))
        return max((size_of(t) for t in held if isinstance(t, Float | Int | Struct)), default=0)
