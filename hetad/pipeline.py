"""The pipeline, from CUDA text to a derivative program: the table of contents of hetad.

unit     = frontend.load(text)          preprocess, CUDA syntax; items are parsed when reached
program  = unit.reach(function)         lower to the IR; closed over calls and launches
fence.check(program)                    refuse what later passes do not support
program  = normalize(program)           one assignment a statement, structured control flow
races.refuse_races(program)             refuse shared memory where a barrier is certainly missing
derivative = host.differentiate(...)    inline, analyse, reverse, prune, tidy, outline
text     = emit.cuda_file(...)          readable CUDA C
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hetad.adjoint.inline import inline
from hetad.adjoint.options import ALL, Options
from hetad.adjoint.structs import split_structs
from hetad.analysis.races import refuse_races
from hetad.analysis.spaces import parameter_spaces
from hetad.deep import deep
from hetad.diagnostics import SourceError
from hetad.host.derivative import Derivative, Parameter
from hetad.host.gradient import differentiate as reverse
from hetad.host.kernels.launcher import CONFIGURATION, launcher, launcher_name
from hetad.host.kernels.routines import pullback_name
from hetad.host.live_ranges import with_live_ranges
from hetad.host.own_structs import with_own_structs
from hetad.host.pointer_modes import with_pointer_modes
from hetad.host.saves.checkpoint import MemoryLimit
from hetad.ir import facts
from hetad.ir import nodes as ir
from hetad.ir.types import Pointer

if TYPE_CHECKING:
    from hetad.frontend import Unit
    from hetad.rules.user import Rules

STAGES = ("ir", "normalized", "activity", "needed", "loops", "access", "cuda")


@dataclass(frozen=True, slots=True)
class Primal:
    """A program to run as it is: its entry, and what each parameter of the entry is.  `flat`: all calls inlined."""

    program: ir.Program
    entry: str
    parameters: tuple[Parameter, ...]
    written: frozenset[str]
    flat: ir.Program


@deep
def reach(unit: Unit, name: str) -> ir.Program:
    """The closed program of a function, checked: everything in it is supported."""
    from hetad.frontend import fence

    program = unit.reach(name)
    try:
        fence.check(program, name)
    except SourceError as error:
        raise error.attach(program.sources) from None
    return program


@deep
def normalized(program: ir.Program) -> ir.Program:
    from hetad.frontend.normalize import normalize

    return normalize(program)


@deep
def primal(unit: Unit, name: str) -> Primal:
    """The program that runs `name` itself."""
    from hetad.analysis.effects import written_parameters
    from hetad.emit.inlining import with_inlined_kernels

    program = reach(unit, name)
    entry = name
    if program.functions[name].kind == "kernel":
        program, entry = launcher(program, name), launcher_name(name)
    try:
        flat = inline(normalized(program), entry)
        plain = with_live_ranges(with_own_structs(split_structs(with_pointer_modes(flat.functions[entry]))))
        flat = replace(flat, functions={**flat.functions, entry: plain})
        spaces = parameter_spaces(flat, entry)
        written = written_parameters(flat, entry)
    except SourceError as error:
        raise error.attach(program.sources) from None
    parameters = []
    for i, p in enumerate(program.functions[entry].params):
        if entry != name and i < len(CONFIGURATION):
            parameters.append(Parameter(p, CONFIGURATION[i]))  # type: ignore[arg-type]
            continue
        space = spaces.get(p.name)
        parameters.append(
            Parameter(
                p,
                "primal",
                p.name,
                None if not isinstance(p.type, Pointer) else "device" if space == "device" else "host",
            )
        )
    return Primal(with_inlined_kernels(program, flat), entry, tuple(parameters), frozenset(written), flat)


@deep
def differentiate(
    unit: Unit,
    name: str,
    wrt: tuple[str, ...],
    of: tuple[str, ...] | None,
    *,
    options: Options = ALL,
    rules: Rules | None = None,
    memory_limit: MemoryLimit | None = None,
    measured: bool = False,
    value: bool = True,
    graph: bool = False,
) -> Derivative:
    """The derivative program of `name`: of `of` (None: the return value) with respect to `wrt`.  `measured`, `value`
    and `graph`: as in `host.gradient.differentiate`."""
    program = _with_pullbacks_of_routines(reach(unit, name), unit)
    for rule in (rules or {}).values():
        if rule.pullback is not None and rule.function in program.functions:
            more = reach(unit, rule.pullback)
            program = replace(program, functions={**more.functions, **program.functions})
    try:
        flat = normalized(program)
        refuse_races(flat)
        return reverse(flat, name, wrt, of, options, rules, memory_limit, measured, value, graph)
    except SourceError as error:
        raise error.attach(program.sources) from None
    finally:
        facts.forget()


def _with_pullbacks_of_routines(program: ir.Program, unit: Unit) -> ir.Program:
    """With the pullbacks of the libraries' routines that the program calls."""
    for function in list(program.functions.values()):
        pullback = pullback_name(function)
        if pullback is not None:
            more = unit.of_library(pullback)
            structs = tuple(dict.fromkeys((*program.structs, *more.structs)))
            program = replace(program, functions={**more.functions, **program.functions}, structs=structs)
    return program


@deep
def source(derivative: Derivative) -> str:
    """The derivative as one self-contained .cu."""
    from hetad import emit

    return emit.cuda_file(derivative.program, derivative.entry)


@deep
def stage_text(
    unit: Unit,
    name: str,
    wrt: tuple[str, ...],
    of: tuple[str, ...] | None,
    stage: str,
    memory_limit: MemoryLimit | None = None,
    options: Options = ALL,
) -> str:
    """One stage of the pipeline as text."""
    from hetad.ir.printer import program_text

    if stage == "ir":
        return program_text(reach(unit, name))
    if stage == "normalized":
        return program_text(normalized(reach(unit, name)))
    derivative = differentiate(unit, name, wrt, of, options=options, memory_limit=memory_limit)
    if stage == "cuda":
        return source(derivative)
    found = derivative.explanation
    if stage == "activity":
        return "\n".join(f"{function}: {', '.join(names) or 'nothing'}" for function, names in found.active.items())
    if stage == "needed":
        lines = [f"{s.span}: {s.what}: {s.how} ({s.bytes})" for s in (*found.saved, *found.refilled)]
        return "\n".join(lines) or "nothing is saved"
    if stage == "loops":
        return "\n".join(f"{loop.span}: {loop}" for loop in found.loops) or "there are no time loops"
    if stage == "access":
        return (
            "\n".join(f"{a.span}: {a.function}: {a.what}: {a.how}" for a in found.accumulated) or "no shared adjoints"
        )
    raise ValueError(f"unknown stage '{stage}': one of {', '.join(STAGES)}")
