"""Calls of functions that are not the program's own: mathematics, CUDA, atomics, hetad's support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from hetad.emit.dialect import Dialect
from hetad.ir import texts
from hetad.memops.library import VARIABLES

_C_NAMES = {
    "exit": "hetad_exit", "abort": "hetad_abort", "malloc": "hetad_own_malloc", "calloc": "hetad_own_calloc",
    "realloc": "hetad_own_realloc", "free": "hetad_own_free", "getopt": "hetad_getopt", "printf": "hetad_printf",
}  # fmt: skip
_FENCES = frozenset({"__threadfence", "__threadfence_block", "__threadfence_system"})
_CLASSIFICATION = frozenset({"isnan", "isinf", "isfinite", "isnormal", "signbit"})
_VARIABLES = {row: name for name, row in VARIABLES.items()}
_VARIADIC = frozenset({"printf", "fprintf", "sprintf", "snprintf", "sscanf", "fscanf", "scanf"})


@cache
def _overloads() -> frozenset[str]:
    from hetad.rules.math.overloads import OVERLOADED, STANDARD

    return STANDARD | OVERLOADED | _CLASSIFICATION | {"abs", "min", "max", "__ldg"}


def is_overloaded(name: str, dialect: Dialect) -> bool:
    """Whether the types of the arguments choose the function, so that they must be printed exactly."""
    return name in (_overloads() if dialect.cuda else _CLASSIFICATION)


def exact_argument(name: str) -> int | None:
    """The argument whose type chooses the function, if there is one."""
    return 1 if name.startswith(("__shfl_", "__reduce_")) else None


def is_variadic(name: str) -> bool:
    return name in _VARIADIC


def call(name: str, args: Sequence[str], dialect: Dialect) -> str:
    """The text of a call with these arguments."""
    if name in _VARIABLES:
        return _VARIABLES[name]
    if not dialect.cuda:
        if name in _FENCES:
            return "__atomic_thread_fence(__ATOMIC_SEQ_CST)" if dialect.parallel else "(void)0"
        if name == "assert":
            return f"hetad_assert({args[0]}, {texts.quoted(args[0])})"
        if name in _CLASSIFICATION:  # a bool in C++; in C any number but zero means yes
            return f"({name}({args[0]}) != 0)"
        name = c_name(name)
    return f"{name}({', '.join(args)})"


def c_name(name: str) -> str:
    """The C function that stands for a CUDA function; hetad's own start with `hetad_`."""
    if name in _C_NAMES:
        return _C_NAMES[name]
    if name.startswith("atomic") or name == "assert":
        return "hetad_" + name
    if _is_mathematical(name):
        from hetad.rules.math.cpu import c_function, libm

        return libm(name) or c_function(name)
    return name


def _is_mathematical(name: str) -> bool:
    from hetad.rules.math.table import prototypes

    return name in prototypes()


def mathematics(names: Iterable[str], dialect: Dialect) -> list[str]:
    """The definitions of the mathematical functions among `names` that the dialect does not have."""
    from hetad.rules.math.cpu import cpu_definition, cuda_definition

    define = cuda_definition if dialect.cuda else cpu_definition
    texts = (define(name) for name in names if _is_mathematical(name))
    found = [text.rstrip() for text in dict.fromkeys(texts) if text is not None]
    return [_unguarded(text) for text in found] if dialect.cuda else found


def _unguarded(text: str) -> str:
    """A definition that occurs once needs no include guard."""
    return "\n".join(
        line for line in text.splitlines() if not line.startswith(("#ifndef HETAD_", "#define HETAD_HAS_", "#endif"))
    )
