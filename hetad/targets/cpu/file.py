"""Programs as C: host code over a backend's table of functions, and kernels as loops over blocks and threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetad.analysis.memory_calls import does, operands
from hetad.deep import deep
from hetad.emit import support
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.dialect import C
from hetad.emit.layout import joined
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Initialised, Statements
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.names import reached
from hetad.ir.texts import code_words
from hetad.ir.types import DIM3, Array, Int, Pointer, Struct, Void, is_half
from hetad.ir.visit import walk_stmts
from hetad.memops.communication import BUFFERS, peers_of
from hetad.memops.communication import HEADER as MPI
from hetad.memops.nccl import HEADER as NCCL
from hetad.passes.manager import run
from hetad.rules import callees, operations
from hetad.rules.communication import FORWARD
from hetad.rules.routines import routine_of
from hetad.targets.accesses import NumberedAccesses
from hetad.targets.checked import CheckedAssembly, kernel_names, ranges, reached_variables
from hetad.targets.communication import INCLUDE, speaks_mpi, speaks_nccl
from hetad.targets.cpu.fibers import FiberStatements, shared_struct
from hetad.targets.cpu.kernels import Kernels, dispatch
from hetad.targets.cpu.passes import CPU, SERIAL, CpuOptions, CpuProgram
from hetad.targets.cpu.races import NAMES as RACE_NAMES
from hetad.targets.cpu.races import WatchedStatements
from hetad.targets.cpu.synchronisation import uses_block
from hetad.targets.places import Places

HEAD = """\
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>"""


@deep
def host_source(
    program: ir.Program, entry: str, kernels: Sequence[str] | None = None, accesses: NumberedAccesses | None = None
) -> str:
    """The host functions as C, with `hetad_call` to run `entry`; kernels are launched by their position in `kernels`,
    which is `targets.kernels(program)` unless it is given.  With `accesses`, those of the kernels, each of these is
    checked, too, and numbered there; what they find in kernels is asked for."""
    options = SERIAL if accesses is None else CpuOptions(checked=Places())
    return _file(program, entry, False, kernels, options, accesses)


@deep
def cpu_kernels(program: ir.Program, options: CpuOptions = SERIAL) -> str:
    """The kernels as C functions, with `hetad_cpu_launch` to run one and `hetad_cpu_runtime`, the table of the CPU."""
    return _file(program, None, True, options=options)


@deep
def cpu_source(program: ir.Program, entry: str, options: CpuOptions = SERIAL) -> str:
    """`host_source` and `cpu_kernels` in one file."""
    return _file(program, entry, True, options=options)


def _file(
    program: ir.Program,
    entry: str | None,
    on_cpu: bool,
    kernels: Sequence[str] | None = None,
    options: CpuOptions = SERIAL,
    accesses: NumberedAccesses | None = None,
) -> str:
    given = (program.functions, program.globals, program.structs, program.sources)
    lowered = run(CPU, CpuProgram(*given, entry=entry, runs_kernels=on_cpu, options=options))
    dialect = lowered.dialect
    if accesses is None and (options.racecheck or options.checked is not None):
        accesses = NumberedAccesses()
    parts = Assembly(lowered, dialect)
    if options.checked is not None and accesses is not None:
        parts = CheckedAssembly(lowered, dialect, accesses, options.checked)
    parts.names.hidden.update(lowered.hidden)
    if kernels is not None:
        parts.numbers = {name: (emitted, kernels.index(emitted)) for name, (emitted, _) in parts.numbers.items()}
    kinds = (["host", "host device"] if entry is not None else []) + (["device", "host device"] if on_cpu else [])
    functions = parts.functions(*kinds)
    if not on_cpu:
        functions = _for_host(functions)
    kernel_functions = parts.functions("kernel") if on_cpu else []
    everything = [*functions, *kernel_functions, *lowered.sweeps.values()]
    texts = Kernels(parts, lowered, accesses if options.racecheck else None)
    wanted = [*(_entry_names(everything) if entry is not None else ()), *(sorted(texts.names()) if on_cpu else ())]
    wanted += RACE_NAMES if options.racecheck else ()
    if entry is not None:
        wanted.append("hetad_sized")
    if dialect.on_gpus and any(any(_given_to_mpi(s)) for f in functions for s in walk_stmts(f.body)):
        wanted.append("hetad_mpi_reach")
    if not on_cpu and parts.symbols():
        wanted.append("hetad_device_variables")
    snippets = parts.support_for(everything, [*wanted, *_accounts(parts.support_for(everything, wanted))])
    body: list[str | list[str]] = [
        ("#define HETAD_ON_CPU\n" if on_cpu else "") + HEAD,
        support.read("cuda_types.h").rstrip(),
        support.read("runtime.h").rstrip(),
        *([support.read(name).rstrip() for name in _checks(on_cpu)] if options.checked is not None else ()),
        *parts.structs(),
        parts.variables(everything, parts.symbols()),
        *parts.mathematics(everything),
        *support.text(snippets, dialect, parts.numbers),
        [parts.signature(f, "static", _hidden(parts, f)) + ";" for f in functions],
        *(text for f in functions for text in _function(parts, f, options, accesses if options.racecheck else None)),
    ]
    if on_cpu:
        body += [*texts.texts(), *dispatch(parts, alone=entry is None)]
    if not on_cpu and parts.symbols():
        body.append(_symbol_setter(parts))
    if entry is not None:
        body.append(_entry(parts, program.functions[entry], snippets))
    if accesses is not None:
        body.append(accesses.table())
    if options.checked is not None:
        body.append(reached_variables(parts, everything))
        body += [] if on_cpu else [kernel_names(parts)]
    words = code_words(joined(body))
    if speaks_nccl(words):
        body.insert(3, support.read("nccl_types.h").rstrip())
    if speaks_mpi(words):
        body.insert(1, INCLUDE)
    return joined(body)


def _checks(on_cpu: bool) -> Sequence[str]:
    """The support files of checked programs."""
    return ("extents.h", "extents.c") if on_cpu else ("extents.h", "extents.c", "device_extents.c")


def _for_host(functions: list[ir.Function]) -> list[ir.Function]:
    """Without the host-device functions that only kernels call: what they call may be of the device."""
    names = reached({f.name: f for f in functions}, [f.name for f in functions if f.kind == "host"])
    return [f for f in functions if f.name in names]


def _accounts(snippets: Sequence[support.Snippet]) -> Iterator[str]:
    """What goes with saving where Python calls: a report, and arguments put back if the call stops half-way."""
    defined = {name for s in snippets for name in s.defines}
    if operations.push.name in defined:
        yield "hetad_report"
    if "hetad_save_bytes" in defined:
        yield "hetad_unwind"


def _symbol_setter(parts: Assembly) -> str:
    """`hetad_set_symbol`, by which Python tells where the device has its variables; those here only stand for them."""
    names = ((parts.names.globals[s], "" if isinstance(s.type, Array) else "&") for s in parts.symbols())
    entries = ", ".join(f"{{{address}{name}, NULL}}" for name, address in names)
    return f"""\
void hetad_set_symbol(int number, void *address)
{{
    static struct hetad_device_variable variables[] = {{{entries}}};
    variables[number].there = address;
    hetad_device_variables = variables;
    hetad_device_variable_count = (int)(sizeof variables / sizeof *variables);
}}"""


def _hidden(parts: Assembly, function: ir.Function) -> list[str]:
    return [f"const dim3 {name}" for name in parts.names.hidden.get(function.name, ())]


def _function(
    parts: Assembly, function: ir.Function, options: CpuOptions, accesses: NumberedAccesses | None
) -> Iterator[str]:
    require_declared(function.name, function.body, function.params)
    printer: Statements = HostStatements(parts, function)
    if accesses is not None and function.kind != "host":
        yield from shared_struct(parts, function)
        printer = WatchedStatements(parts, function, accesses)
    elif options.fibers and function.kind != "host" and uses_block(function.body):
        yield from shared_struct(parts, function)
        printer = FiberStatements(parts, function)
    head = parts.signature(function, "static", _hidden(parts, function))
    yield "\n".join([head, "{", *parts.lines(function, printer), "}"])


class HostStatements(Statements):
    """Launches go through the table; what happens to memory knows where it stands in the program; and Ctrl-C does not
    leave what is not the program's own half done."""

    def __init__(self, parts: Assembly, function: ir.Function) -> None:
        super().__init__(parts.expressions(function), function)
        self.parts = parts

    def statement(self, statement: ir.Stmt | Initialised) -> Iterator[str]:
        call = statement.call if isinstance(statement, Initialised) else statement
        foreign = isinstance(call, ir.Call) and call.function not in self.parts.program.functions
        if not isinstance(call, ir.Call) or not foreign or self.function.kind != "host":
            yield from super().statement(statement)
            return
        has_place = _may_fail(call) or operations.does(call, operations.launched, operations.whole_numbers)
        yield "hetad_stay();"
        if has_place:
            yield f"hetad_place = {texts.quoted(str(call.span))};"
        size = _unchecked_size(call)
        if size is not None:
            yield f"hetad_sized({self.expressions.text(size)});"
        yield from ranges(call, self.expressions)
        for buffer, peers in _given_to_mpi(call) if self.parts.dialect.on_gpus else ():
            to_a_rank = " || ".join(f"{self.expressions.text(peer)} != MPI_PROC_NULL" for peer in peers)
            yield f"{f'if ({to_a_rank}) ' * bool(peers)}hetad_mpi_reach({self.expressions.text(buffer)});"
        yield from super().statement(statement)
        if has_place:
            yield "hetad_place = NULL;"
        yield "hetad_may_go();"

    def launch(self, launch: ir.Launch) -> Iterator[str]:
        e = self.expressions
        params = self.parts.program.functions[launch.kernel].params
        temporaries: list[str] = []
        args = [self._address(a, p, temporaries) for a, p in zip(launch.args, params, strict=True)]
        shared = e.index(launch.shared) if launch.shared is not None else "0"
        stream = self._stream(launch)
        array = f"(void *[]){{{', '.join(args)}}}" if args else "NULL"
        number = self.parts.numbers[launch.kernel][1]
        sizes = f"{self._dim3(launch.grid)}, {self._dim3(launch.block)}"
        call = f"hetad_launch({number}, {sizes}, {shared}, {stream}, {array});"
        yield f"hetad_place = {texts.quoted(str(launch.span))};"
        if temporaries:
            yield from ("{", *("    " + t for t in temporaries), "    " + call, "}")
        else:
            yield call
        yield "hetad_place = NULL;"

    def _stream(self, launch: ir.Launch) -> str:
        if launch.stream is not None:
            return self.expressions.converted(launch.stream, launch.stream.type)
        routine = routine_of(launch.kernel, launch.span)
        if routine is None or routine.library != "cublas":
            return "NULL"
        return f"hetad_cublas_stream({self.expressions.text(launch.args[0])})"

    def _dim3(self, expr: ir.Expr) -> str:
        if isinstance(expr.type, Int):
            return self.expressions.text(ir.Aggregate((expr,), DIM3, span=expr.span))
        return self.expressions.text(expr)

    def _address(self, arg: ir.Expr, param: ir.Symbol, temporaries: list[str]) -> str:
        """A pointer to the value of an argument, for as long as the launch takes."""
        text = self.expressions.converted(arg, param.type)
        if not isinstance(param.type, Struct) and not is_half(param.type):
            return f"&({declaration(param.type)}){{{text}}}"
        if isinstance(arg, ir.Var | ir.Index | ir.Member):
            return f"(void *)&{self.expressions.text(arg, 14)}"
        name = f"hetad_argument_{len(temporaries)}"
        temporaries.append(f"{declaration(param.type, name)} = {text};")
        return "&" + name


def _unchecked_size(call: ir.Call) -> ir.Expr | None:
    """The bytes that a function of C moves or sets, which does as it is told with any size."""
    row = callees.find(call.function).operation
    of_c = row is not None and row.space == "host" and does(call, "copy", "fill")
    return operands(call).get("bytes") if of_c else None


def _may_fail(call: ir.Call) -> bool:
    """Whether an error may come of a call that has to tell its place."""
    if callees.find(call.function).stops:
        return True
    row = callees.find(call.function).operation
    if row is None:
        return callees.has(call, "may fail for want of memory")
    return row.action in ("allocate", "free", "copy", "fill") or row.header in (MPI, NCCL)


def _given_to_mpi(s: ir.Stmt) -> Iterator[tuple[ir.Expr, list[ir.Expr]]]:
    """The memory that MPI itself reads or writes in a call of the program's, or in what a derivative does for that; and
    the ranks, one of which there must be for that."""
    if not isinstance(s, ir.Call):
        return
    row = callees.find(s.function)
    if row.header != MPI and not operations.does(s, *FORWARD):
        return
    given = dict(zip(row.roles, s.args, strict=False))
    yield from ((given[b], [given[p] for p in peers_of(b, row.roles)]) for b in BUFFERS if b in given)


def _launch_names(functions: Sequence[ir.Function]) -> list[str]:
    launches = [s for f in functions for s in walk_stmts(f.body) if isinstance(s, ir.Launch)]
    routines = [routine_of(s.kernel, s.span) for s in launches]
    cublas = any(r is not None and r.library == "cublas" for r in routines)
    return ["hetad_launch"] * bool(launches) + ["hetad_cublas_stream"] * cublas


def _entry_names(functions: Sequence[ir.Function]) -> list[str]:
    lines = support.read("entry.c").splitlines()
    return support.names("\n".join(x for x in lines if "// if used" not in x)) + _launch_names(functions)


def _entry(parts: Assembly, entry: ir.Function, snippets: Sequence[support.Snippet]) -> str:
    args = [f"*({declaration(Pointer(p.type))})hetad_args[{i}]" for i, p in enumerate(entry.params)]
    call = f"{parts.names.functions[entry.name]}({', '.join(args)})"
    if not isinstance(entry.returns, Void):
        value = declaration(entry.returns, "hetad_value")
        call = f"const {value} = {call};\n        memcpy(hetad_result, &hetad_value, sizeof hetad_value)"
    text = support.adapted(support.read("entry.c"), snippets, C, parts.numbers)
    prints = any(name == "printf" for name in parts.called_by(parts.program.functions.values()))
    pointers = [a for a, p in zip(args, entry.params, strict=True) if isinstance(p.type, Pointer)]
    text = text.replace("HETAD_POINTERS", ", ".join([f"(void *){a}" for a in pointers] or ["NULL"]))
    text = text.replace("HETAD_ENTRY", call)
    return text.replace("HETAD_FLUSH", "fflush(stdout)") if prints else text.replace("    HETAD_FLUSH;\n", "")
