"""Calls of functions that are not the program's own: mathematics, CUDA, atomics, hetad's support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from hetad.emit.dialect import Dialect
from hetad.ir import texts
from hetad.rules import callees
from hetad.rules.callee import Target
from hetad.rules.inactive import CLASSIFICATION

_TARGETS: dict[str, tuple[Target, ...]] = {
    "cuda": ("cuda",), "nvrtc": ("cuda",), "c": ("c",), "parallel c": ("parallel c", "c"),
}  # fmt: skip


@cache
def _overloads() -> frozenset[str]:
    from hetad.rules.math.overloads import OVERLOADED, STANDARD

    return STANDARD | OVERLOADED | frozenset(CLASSIFICATION) | {"abs", "min", "max", "__ldg"}


def is_overloaded(name: str, dialect: Dialect) -> bool:
    """Whether the types of the arguments choose the function, so that they must be printed exactly."""
    return name in (_overloads() if dialect.cuda else CLASSIFICATION)


def exact_argument(name: str) -> int | None:
    """The argument whose type chooses the function, if there is one."""
    callee = callees.find(name)
    return callee.position("value") if callee.kind in ("shuffle", "reduction") else None


def is_variadic(name: str) -> bool:
    return callees.find(name).variadic


def call(name: str, args: Sequence[str], dialect: Dialect) -> str:
    """The text of a call with these arguments."""
    text = text_of(name, dialect)
    if text is not None:
        return text.format(*args, quoted=texts.quoted(args[0]) if args else "")
    return f"{name if dialect.cuda else c_name(name)}({', '.join(args)})"


def text_of(name: str, dialect: Dialect) -> str | None:
    """The text that a call has there, where it is not a name with arguments."""
    texts_of = callees.find(name).text
    return next((texts_of[target] for target in _TARGETS[dialect.name] if target in texts_of), None)


def c_name(name: str) -> str:
    """The C function that stands for a CUDA function; hetad's own start with `hetad_`."""
    callee = callees.find(name)
    if callee.kind == "mathematics" and "c" not in callee.emit:
        from hetad.rules.math.cpu import c_function, libm

        return libm(name) or c_function(name)
    return callee.emit.get("c", name)


def mathematics(names: Iterable[str], dialect: Dialect) -> list[str]:
    """The definitions of the mathematical functions among `names` that the dialect does not have."""
    from hetad.rules.math.cpu import cpu_definition, cuda_definitions

    wanted = [name for name in names if callees.kind(name) == "mathematics"]
    if dialect.cuda:
        return list(dict.fromkeys(text for name in wanted for text in cuda_definitions(name)))
    texts = dict.fromkeys(map(cpu_definition, wanted))
    return [text.rstrip() for text in texts if text is not None]
