"""A function's C signature, and errors about its arguments, which show it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import ArgumentError
from hetad.ir.types import Array, Pointer, Type

if TYPE_CHECKING:
    from hetad.ir.nodes import Function

RETURN = "return"  # the name under which the seed of the return value is given, and its tangent
_KEYWORDS = (  # of calls, beside the arguments
    "backend", "grid", "block", "shared_mem", "stream", "cpu_threads", "racecheck", "checked", "seeds", "tangents",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Signature:
    """`text` is the declaration as C has it, typedefs resolved; `place` the file and line of the definition."""

    name: str
    text: str
    place: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return self.text

    def refuse(self, problem: str, remedy: str = "", parameter: str | None = None) -> ArgumentError:
        """The error about a call of this function, or about one argument of it."""
        quoted = parameter if parameter is None or "'" in parameter else f"'{parameter}'"
        where = self.name if quoted is None else f"{self.name}: argument {quoted}"
        lines = [f"{where}: {problem}", f"    {self.text}    ({self.place})"]
        if remedy:
            lines.append(f"  help: {remedy}")
        return ArgumentError("\n".join(lines))


def signature_of(function: Function) -> Signature:
    """The signature of a function of the user's program."""
    parameters = ", ".join(declaration(p.type, p.name) for p in function.params) or "void"
    qualifier = {"kernel": "__global__ ", "device": "__device__ "}.get(function.kind, "")
    text = f"{qualifier}{declaration(function.returns, function.name)}({parameters})"
    place = f"{function.span.file}:{function.span.line}"
    return Signature(function.name, text, place, tuple(p.name for p in function.params))


def bind(
    signature: Signature, args: Sequence[Any], named: Mapping[str, Any], names: Sequence[str] | None = None
) -> Sequence[Any]:
    """One value per parameter (or for each of `names`), from positional and named arguments.

    Raises:
        ArgumentError: too few, too many, unknown, or given twice.
    """
    names = signature.parameters if names is None else names
    if not named and len(args) == len(names):
        return args
    for name in named:
        if name not in names:
            remedy = nearest(name, names)
            if not remedy.startswith("did") and (close := difflib.get_close_matches(name, _KEYWORDS, n=1)):
                remedy = f"did you mean {close[0]}=?"
            raise signature.refuse(f"there is no parameter {name!r}", remedy)
        if name in names[: len(args)]:
            raise signature.refuse(f"argument {name!r} is given twice, by position and by name")
    missing = [name for name in names[len(args) :] if name not in named]
    if missing or len(args) > len(names):
        wanted = f"expected {len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names) or 'none'})"
        lacking = f"; {', '.join(missing)} missing" if missing else ""
        raise signature.refuse(f"{wanted}, got {len(args) + len(named)}{lacking}")
    return [*args, *(named[name] for name in names[len(args) :])]


def declaration(type_: Type, name: str) -> str:
    """`name` declared with `type_`, as C writes it: `const float *x`, `double (*rows)[16]`."""
    match type_:
        case Pointer(to=Array() as to):
            return declaration(to, f"(*{name})")
        case Pointer(to=to, const=const):
            return ("const " if const else "") + declaration(to, f"*{name}")
        case Array(of=of, length=length):
            return declaration(of, f"{name}[{'' if length is None else length}]")
        case _:
            return f"{type_} {name}"


def nearest(name: str, names: Iterable[str]) -> str:
    """A remedy for a name that does not exist: the nearest ones, else all of them."""
    known = list(names)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    return "there is " + ", ".join(known) if known else ""
