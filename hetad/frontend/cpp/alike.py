"""Functions that stand at one place of the source and mean the same in several texts are one function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.diagnostics import Span
from hetad.frontend.reached import renamed, with_callees
from hetad.ir import nodes as ir
from hetad.ir.printer import function_text


def joined(program: ir.Program, entry: str, versions: Mapping[str, str]) -> ir.Program:
    """The program with one of each, and with plain names where they are free.

    `versions`: what the functions are called that bear a longer name because another text has one at the same place.
    """
    first = _alike(program, versions)
    functions = {}
    for name, function in program.functions.items():
        kinds = {f.kind for other, f in program.functions.items() if first[other] == name}
        if kinds:
            functions[name] = replace(function, kind="host device") if len(kinds) > 1 else function
    program = renamed(replace(program, functions=functions), {n: f for n, f in first.items() if n != f})
    names: dict[str, str] = {}
    for name in program.functions:
        plain = versions.get(name, name)
        alone = plain not in program.functions and plain not in names.values()
        if plain != name and (plain == entry or alone):
            names[name] = plain
            if plain in program.functions:
                names[plain] = plain + "_device"
    return renamed(program, names) if names else program


def _alike(program: ir.Program, versions: Mapping[str, str]) -> dict[str, str]:
    """For each function the first one that is like it: all at one place are, until their texts differ."""
    places: dict[tuple[Span, str], str] = {}
    first = {n: places.setdefault((f.span, versions.get(n, n)), n) for n, f in program.functions.items()}
    while True:
        texts = {name: _text(f, first) for name, f in program.functions.items()}
        wrong = [name for name, other in first.items() if texts[name] != texts[other]]
        if not wrong:
            return first
        first.update({name: name for name in wrong})


def _text(function: ir.Function, names: Mapping[str, str]) -> str:
    alone = replace(function, name="", kind="host")
    return function_text(with_callees(alone, names))
