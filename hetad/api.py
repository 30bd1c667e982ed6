"""The Python interface: load a program, call its functions, take their gradients.

Nothing is compiled before a call needs it: `Gradient.source` works on a machine without a compiler.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hetad import pipeline
from hetad.adjoint.options import Options
from hetad.diagnostics import ArgumentError, ExecutionError, UnknownNameError
from hetad.frontend.settings import Settings
from hetad.host.derivation import Request
from hetad.host.saves.checkpoint import MemoryLimit
from hetad.ir.types import Float
from hetad.rules.user import UserRule, checked, checked_pullback
from hetad.run import forking
from hetad.run.call import RETURN, LaunchConfiguration, Plan
from hetad.run.lengths import Lengths
from hetad.run.report import Report, size_in_bytes
from hetad.run.selection import Names, select_of, select_wrt
from hetad.run.signature import Signature, bind, nearest, signature_of

if TYPE_CHECKING:
    from hetad.frontend.driver import Driver
    from hetad.frontend.unit import Unit
    from hetad.host.derivative import Derivative
    from hetad.host.explanation import Saved
    from hetad.ir import nodes
    from hetad.run.executable import Executable

Backend = Literal["cpu", "cuda"]


def load(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], defines: Mapping[str, Any] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (), *, undefines: Sequence[str] = (), cuda_arch: int = 900,
) -> Program:  # fmt: skip
    """Read a CUDA program from a file, or from several that are compiled apart and linked.

    Args:
        path: the source, usually a .cu file; or a list of them, each with macros and includes of its own.
        defines: macros, as `-D` would define them.
        include_dirs: where `#include "..."` looks, after the directory of the file.
        undefines: macros that hetad defines as nvcc does, such as `__cplusplus`, and that are not to be, as `-U`.
        cuda_arch: what `__CUDA_ARCH__` is in device code; in host code it is not defined.

    Raises:
        UnknownNameError: there is no such file.
        SyntaxProblem: what is found before anything is parsed, such as unbalanced brackets.
        UnsupportedError: two files define one name.
    """
    files = [path] if isinstance(path, str | os.PathLike) else list(path)
    if not files:
        raise ArgumentError("a program needs a source file")
    settings = Settings(dict(defines or {}), tuple(undefines), [os.fspath(d) for d in include_dirs], cuda_arch)
    return _program([(_text_of(Path(file)), str(Path(file))) for file in files], settings)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise UnknownNameError(f"cannot read {file}: {reason}") from problem


def loads(
    text: str, name: str = "<string>", defines: Mapping[str, Any] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (), *, undefines: Sequence[str] = (), cuda_arch: int = 900,
) -> Program:  # fmt: skip
    """A CUDA program from its text; `name` stands for the file in messages."""
    settings = Settings(dict(defines or {}), tuple(undefines), [os.fspath(d) for d in include_dirs], cuda_arch)
    return _program([(text, name)], settings)


def _program(sources: Sequence[tuple[str, str]], settings: Settings) -> Program:
    from hetad import frontend

    def unit(more: Mapping[str, str]) -> Unit:
        return frontend.load_files([(text + more.get(name, ""), name) for text, name in sources], settings)

    return Program(unit({}), unit)


def pullback(
    program: Program,
    function: str,
    partials: Mapping[str, str] | None = None,
    *,
    cuda: str | None = None,
    inactive: bool = False,
) -> None:
    """Give a rule for a `__device__` function of values: gradients taken from now on use it and do not look inside.

    Args:
        program: the program the function is in.
        function: its name.
        partials: for each floating parameter the derivative of the result `r`, as a formula over the parameters, `r`
            and the functions of docs/math.md: `{"x": "1 - r * r"}`.  One without a formula has derivative zero.
        cuda: instead, the text of `__device__ void <function>_pullback(<parameters>, T seed, T *adj_x, ...)`, which
            adds seed times the derivative to the adjoint of each floating parameter.  Where the seed is zero it is not
            called, and a formula's slope not used: a slope may be infinite there.
        inactive: instead, the function has derivative zero.

    Raises:
        ArgumentError: the function is no device function of values, not exactly one form is given, a formula cannot be
            read or names what it may not use, or the pullback has other parameters.
    """
    if sum((partials is not None, cuda is not None, inactive)) != 1:
        raise ArgumentError("give one of partials=, cuda= and inactive=True")
    program.add_rule(
        UserRule(function, partials or {}, f"{function}_pullback" if cuda is not None else None), cuda or ""
    )


def gradient(
    function: Function, wrt: Names, of: Names | None = None, backend: str | None = None, *,
    optimize: bool | str | Iterable[str] = True, deterministic: bool = False,
    cpu_threads: int | None = None, memory_limit: int | str | None = None, host_memory: int | str | None = None,
    progress: bool = False, measure: bool = False, graph: bool = False,
) -> Gradient:  # fmt: skip
    """The reverse-mode derivative of a host function or a kernel.

    Args:
        function: from a loaded program.
        wrt: the parameters to differentiate with respect to, by name or position: floating scalars, pointers to
            floating values, structs that hold some.
        of: the outputs, pointers to what the function writes; omitted, it is the return value.
        backend: "cuda" or "cpu"; None takes CUDA where it is usable.
        optimize: False turns off all analyses that only save work, a name or several turn on these alone: slower, and
            the same gradient.  The names are those of docs/accumulation.md.
        deterministic: every sum is made in a fixed order, so that equal calls give equal bits.  What can only be added
            atomically is refused.
        cpu_threads: how many threads run the blocks of a grid on the CPU; 0 for as many as there are processors; None
            for `$HETAD_CPU_THREADS`, or else one.  With more than one, sums in atomics have no fixed order.
        memory_limit: how much may be saved for the reverse sweep at a time, in bytes or as in "8GB".  Time loops whose
            number of steps is known when they start are then recomputed piece by piece from checkpoints; see
            `Gradient.last_report`.  Without it every step is saved.
        host_memory: how much host memory may hold further checkpoints of device memory, beside memory_limit.
        progress: whether calls show on standard error how far they are.
        measure: whether calls count what each statement saves; see `Gradient.last_saves`.
        graph: whether CUDA graphs do the work on a GPU, once a call is repeated with the same arguments (numbers, and
            arrays in the same place): for programs of many short launches.  Until the gradient is collected it keeps
            the device memory that it needs.  The CPU runs it as it is.

    Raises:
        ArgumentError: wrt or of does not fit the function, or there is no such optimisation.
        UnsupportedError: the function uses something that hetad does not differentiate; the message says where.  With
            graph, also if data that is read back from the device decides what runs there.
    """
    if not isinstance(function, Function):
        raise ArgumentError(f"expected a function of a loaded program, got {function!r}; use hetad.load(...)[name]")
    definition, signature = function.definition, function.compiled.signature
    options = {
        "options": Options.of(optimize, deterministic),
        "rules": function.rules,
        "memory_limit": limits(memory_limit, host_memory),
    }
    options |= {"measured": True} if measure else {}
    options |= {"graph": True} if graph else {}
    choice = Choice(select_wrt(definition, signature, wrt), select_of(definition, signature, of), options)
    return Gradient(function, choice, _checked(backend), cpu_threads, progress)


class Program(Mapping[str, "Function"]):
    """A CUDA program.  `program["name"]` is a function or kernel of it; iteration gives their names."""

    def __init__(self, unit: Unit, reload: Callable[[Mapping[str, str]], Unit]) -> None:
        self.unit = unit
        self.rules: dict[str, UserRule] = {}
        self._reload = reload
        self._more: dict[str, str] = {}  # by file
        self._functions: dict[str, Function] = {}

    def add_rule(self, rule: UserRule, cuda: str = "") -> None:
        """See `hetad.pullback`."""
        function = self.unit.reach(rule.function).functions[rule.function]
        checked(rule, function)
        if rule.pullback is not None:
            file = self.unit.home(rule.function) or self.unit.name
            more = self._more | {file: f"{self._more.get(file, '')}\n{cuda}\n"}
            unit = self._reload(more)
            checked_pullback(unit.reach(rule.pullback).functions[rule.pullback], function)
            self._more, self.unit = more, unit
        self.rules[rule.function] = rule
        self._functions = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            self._functions[name] = Function(self, name)
        return self._functions[name]

    def driver(
        self, name: str = "main", *, inputs: Names = (), output: str | None = None, argv: Sequence[object] = ()
    ) -> Function:
        """A whole program as a function of some of its variables.

        Args:
            name: the function that does everything.
            inputs: variables of it, or of the host at file scope: numbers that have a value where they are declared,
                and arrays.  They become parameters, in this order; an argument replaces the first value.
            output: the floating variable of the same kind whose last value is returned, or the name of a host
                function: what that returned last.  NaN if the program ends before.
            argv: the texts of the command line, without the program's name.

        Raises:
            ArgumentError: a name means nothing.
            UnsupportedError: a variable is set in a way that cannot be replaced.
        """
        from hetad.frontend.driver import driver

        names = (inputs,) if isinstance(inputs, str) else inputs
        return Function(self, name, driver(name, [str(n) for n in names], output, argv))  # type: ignore[union-attr]

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, kind in self.unit.functions.items() if kind != "device")

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<hetad program {self.unit.name}: {', '.join(self)}>"


class Function:
    """A host function or a kernel; calling it runs it."""

    def __init__(self, program: Program, name: str, driver: Driver | None = None) -> None:
        self.program = program
        self.name = name
        self.compiled = Compiled(program.unit if driver is None else program.unit.driven(driver), name)
        self.rules = dict(program.rules)

    @property
    def definition(self) -> nodes.Function:
        return self.compiled.definition

    @property
    def signature(self) -> str:
        """The declaration, typedefs resolved."""
        return self.compiled.signature.text

    @property
    def parameters(self) -> tuple[nodes.Symbol, ...]:
        return self.definition.params

    def __call__(
        self, *args: Any, backend: str | None = None, grid: Any = None, block: Any = None, shared_mem: Any = 0,
        stream: Any = None, cpu_threads: int | None = None, racecheck: bool = False, **named: Any,
    ) -> Any:  # fmt: skip
        """Run the function; arrays are written in place, as in C.

        Args:
            *args: one value per parameter: Python or NumPy numbers, NumPy arrays (copied to and from the GPU where a
                device pointer asks for it), CuPy arrays for device pointers, mappings for structs, None for NULL.
            backend: "cuda" or "cpu"; None takes CUDA where it is usable.
            grid: blocks of the grid, an int or up to three; of a kernel only, as the next three.
            block: threads of a block, an int or up to three.
            shared_mem: bytes of dynamic shared memory.
            stream: a CuPy stream or the address of a CUDA stream; None for CuPy's current one.
            cpu_threads: how many threads run the blocks of a grid on the CPU; see `hetad.gradient`.
            racecheck: whether a detector watches for races, on the CPU and slowly; see docs/races.md.
            **named: arguments by name.

        Returns:
            What the function returns.

        Raises:
            ArgumentError: an argument does not fit its parameter.
            BackendError: there is no compiler or GPU.
            ExecutionError: the program failed.
            RaceError: with racecheck, two threads reach the same memory with nothing that orders them, and one writes.
        """
        launch = self.compiled.launch(grid, block, shared_mem, stream, named)
        values = bind(self.compiled.signature, args, named)
        if racecheck:
            if backend == "cuda":
                raise ArgumentError('racecheck= runs the program on the CPU; leave out backend="cuda"')
            return self.compiled.watched_plan(0).primal(values, launch)
        return self.compiled.primal_plan(backend_for(backend), cpu_threads).primal(values, launch)

    def watched(self, args: Sequence[Any], launch: Mapping[str, Any], limit: int) -> Any:
        """Run the function under the race detector, which gives up after `limit` accesses.

        Raises:
            RaceLimitError: it gave up.
        """
        configuration = self.compiled.launch(
            launch.get("grid"), launch.get("block"), launch.get("shared_mem", 0), None, {}
        )
        return self.compiled.watched_plan(limit).primal(bind(self.compiled.signature, args, {}), configuration)

    def __repr__(self) -> str:
        return f"<hetad {'kernel' if self.definition.kind == 'kernel' else 'function'} {self.signature}>"


class Compiled:
    """What is made of one function, each thing once and when it is first needed."""

    def __init__(self, unit: Unit, name: str) -> None:
        self.unit = unit
        self.name = name
        self.definition: nodes.Function = unit.reach(name).functions[name]
        self.signature: Signature = signature_of(self.definition)
        if self.definition.kind == "device":
            raise ArgumentError(
                f"{name} is a __device__ function, which only device code can call\n    {self.signature}\n"
                "  help: differentiate a kernel that calls it"
            )
        self._lock = forking.Lock()
        self._primal: pipeline.Primal | None = None
        self._plans: dict[tuple[Backend, int | None], Plan] = {}
        self._watched: dict[int, Plan] = {}  # under the race detector
        self._derivatives: dict[Any, Derivative] = {}
        self._gradient_plans: dict[Any, Plan] = {}

    def launch(
        self, grid: Any, block: Any, shared_mem: Any, stream: Any, named: dict[str, Any]
    ) -> LaunchConfiguration | None:
        """The configuration of a kernel.  A host function has none, but it may have a parameter called `grid`."""
        if self.definition.kind == "kernel":
            return LaunchConfiguration.of(self.signature, grid, block, shared_mem, stream)
        if grid is None and block is None and stream is None and not shared_mem:
            return None
        given = {"grid": grid, "block": block, "shared_mem": shared_mem or None, "stream": stream}
        for name, value in given.items():
            if value is not None:
                if name not in self.signature.parameters:
                    raise self.signature.refuse(f"{name}= is for kernels; this host function launches by itself")
                named[name] = value
        return None

    def primal_plan(self, backend: Backend, cpu_threads: int | None = None) -> Plan:
        plan = self._plans.get((backend, cpu_threads))
        if plan is None:
            with self._lock:
                primal = self._reached()
                executable = build(primal.program, primal.entry, backend, cpu_threads)
                plan = Plan(executable, primal.parameters, self.signature, primal.written, lengths=self._lengths)
                self._plans[backend, cpu_threads] = plan
        return plan

    def watched_plan(self, limit: int) -> Plan:
        """Of the function under the race detector, which gives up after so much work; 0: never."""
        from hetad.run import races

        with self._lock:
            if limit not in self._watched:
                primal = self._reached()
                executable = races.build(primal.program, primal.entry, limit)
                self._watched[limit] = Plan(executable, primal.parameters, self.signature, primal.written)
            return self._watched[limit]

    def watched_gradient_plan(self, choice: Choice, limit: int) -> Plan:
        """Of the derivative under the race detector."""
        from hetad.run import races

        derivative = self.derivative(choice)
        with self._lock:
            executable = races.build(derivative.program, derivative.entry, limit)
            return Plan(
                executable, derivative.parameters, self.signature, self._reached().written, choice.wrt, choice.of or ()
            )

    def derivative(self, choice: Choice) -> Derivative:
        with self._lock:
            if choice.key not in self._derivatives:
                request = Request(function=self.name, wrt=choice.wrt, of=choice.of, **choice.options)
                self._derivatives[choice.key] = pipeline.differentiate(self.unit, request)
            return self._derivatives[choice.key]

    def gradient_plan(self, choice: Choice, backend: Backend, cpu_threads: int | None = None) -> Plan:
        with self._lock:
            key = (choice.key, backend, cpu_threads)
            if key not in self._gradient_plans:
                derivative = self.derivative(choice)
                graph = bool(choice.options.get("graph", False))
                executable = build(derivative.program, derivative.entry, backend, cpu_threads, graph)
                written = self._reached().written
                self._gradient_plans[key] = Plan(
                    executable, derivative.parameters, self.signature, written, choice.wrt, choice.of or (),
                    self._lengths,
                )  # fmt: skip
            return self._gradient_plans[key]

    def _reached(self) -> pipeline.Primal:
        if self._primal is None:
            self._primal = pipeline.primal(self.unit, self.name)
        return self._primal

    @cached_property
    def _lengths(self) -> Lengths:
        primal = self._reached()
        return Lengths(primal.flat, primal.entry, self.signature)


@dataclass(frozen=True)
class Choice:
    """What a gradient is of, and with respect to what."""

    wrt: tuple[str, ...]
    of: tuple[str, ...] | None
    options: Mapping[str, Any]

    @property
    def key(self) -> Any:
        return self.wrt, self.of, tuple(sorted((name, repr(value)) for name, value in self.options.items()))


class Gradient:
    """The derivative of a function.  Arguments are those of the function; a kernel needs grid= and block= again."""

    def __init__(
        self, function: Function, choice: Choice, backend: Backend | None, cpu_threads: int | None = None,
        progress: bool = False,
    ) -> None:  # fmt: skip
        self._progress = progress
        self.function = function
        self.wrt = choice.wrt
        self.of = choice.of
        self.derivative: Derivative = function.compiled.derivative(choice)
        self._choice = choice
        self._requested = backend
        self._cpu_threads = cpu_threads
        self._signature = function.compiled.signature
        self._seed_names = (RETURN,) if choice.of is None else choice.of
        self._plans: dict[bool, Plan] = {}  # with the function's value, and without
        self._last: tuple[Derivative, Plan] | None = None  # of the last call
        self._source: str | None = None

    @property
    def backend(self) -> Backend:
        """Where it runs: "cuda" or "cpu"."""
        return backend_for(self._requested)

    @property
    def source(self) -> str:
        """The derivative program as one .cu that nvcc compiles."""
        if self._source is None:
            self._source = pipeline.source(self.derivative)
        return self._source

    @property
    def last_report(self) -> Report | None:
        """What the last call saved, ran again and launched; None before the first."""
        return self._last[1].executable.report() if self._last is not None else None

    @property
    def last_saves(self) -> list[tuple[Saved | None, int]]:
        """With `measure`: what the last call saved, and how many bytes of it in all; None stands for checkpoints."""
        if self._last is None:
            return []
        derivative, plan = self._last
        saved = derivative.explanation.saved
        found = plan.executable.saved_by(len(saved))
        return [*zip(saved, found, strict=False), (None, found[-1])]

    def __call__(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> Result:  # fmt: skip
        """The gradient at `args`, which stay as they are.

        Args:
            *args: as for the function.
            seeds: for each name in `of` an array of the argument's shape and dtype; for a return value
                `{"return": number}`, by default 1.
            grid: as for the function, and so are the next three.
            block: threads of a block.
            shared_mem: bytes of dynamic shared memory.
            stream: where it runs.
            **named: arguments by name.

        Returns:
            For each name in `wrt` a gradient of the type and shape of the argument; a float for a scalar.
        """
        return self._run(args, seeds, grid, block, shared_mem, stream, named, value=False)[1]

    def value_and_grad(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> tuple[float, Result]:  # fmt: skip
        """What the function returns, and its gradient; for a host function with a floating return value."""
        if not isinstance(self.function.definition.returns, Float):
            raise self._signature.refuse("value_and_grad needs a function that returns a float or double")
        value, result = self._run(args, seeds, grid, block, shared_mem, stream, named, value=True)
        return value, result

    def execute(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> Any:  # fmt: skip
        """The gradient in place: adjoint buffers follow the arguments, in the order of `of` + `wrt`, each name once.

        The buffers of `of` hold seeds on entry and are consumed; those of `wrt` are added to.  The adjoint of a
        scalar is an array of one element.  CuPy arrays are not copied.

        Returns:
            What the function returns, if that is floating.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        plan = self._plan(value=True)
        names = (*self._signature.parameters, *plan.adjoint_names)
        values = bind(self._signature, args, named, names)
        count = len(self._signature.parameters)
        with self._explained():
            return plan.execute(values[:count], values[count:], self._seeds(seeds, (RETURN,)), launch, self._progress)

    def watched(
        self, args: Sequence[Any], seeds: Mapping[str, Any] | None, launch: Mapping[str, Any], limit: int
    ) -> None:
        """Run the derivative's own kernels under the race detector, which gives up after `limit` accesses.

        Raises:
            RaceLimitError: it gave up.
        """
        compiled = self.function.compiled
        grid, block, shared_mem = launch.get("grid"), launch.get("block"), launch.get("shared_mem", 0)
        configuration = compiled.launch(grid, block, shared_mem, None, {})
        values = bind(self._signature, args, {})
        plan = compiled.watched_gradient_plan(self._choice, limit)
        plan.gradient(values, self._seeds(seeds, self._seed_names), configuration)

    def __repr__(self) -> str:
        of = "the return value" if self.of is None else ", ".join(self.of)
        return f"<hetad gradient of {of} with respect to {', '.join(self.wrt)}: {self._signature.text}>"

    def _run(
        self, args: Sequence[Any], seeds: Mapping[str, Any] | None, grid: Any, block: Any, shared_mem: Any,
        stream: Any, named: dict[str, Any], *, value: bool,
    ) -> tuple[Any, Result]:  # fmt: skip
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        values = bind(self._signature, args, named)
        with self._explained():
            returned, gradients = self._plan(value).gradient(
                values, self._seeds(seeds, self._seed_names), launch, self._progress
            )
        return returned, Result(self.wrt, gradients)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Where a memory limit is not met: the loop that is too large, and those whose every step is recorded."""
        try:
            yield
        except ExecutionError as problem:
            text = str(problem)
            loops = self.derivative.explanation.loops
            reasons = [f"{x.span}: in this loop {x}" for x in loops if x.refused]
            meant = [x for x in loops if not x.refused and f"time loop in line {x.span.line}," in text]
            reasons += [f"{x.span}: this loop keeps {x}" for x in meant]
            if "memory limit" not in text or not reasons:
                raise
            raise ExecutionError("\n  ".join([text, *dict.fromkeys(reasons)])) from None

    def _plan(self, value: bool) -> Plan:
        """What runs; without the function's value, what only leads to it is left out."""
        value = value or not isinstance(self.function.definition.returns, Float)
        compiled = self.function.compiled
        choice = self._choice if value else replace(self._choice, options={**self._choice.options, "value": False})
        if value not in self._plans:
            self._plans[value] = compiled.gradient_plan(choice, self.backend, self._cpu_threads)
        self._last = compiled.derivative(choice), self._plans[value]
        return self._last[1]

    def _seeds(self, seeds: Any, allowed: Sequence[str]) -> Mapping[str, Any]:
        if seeds is None:
            return {}
        if not isinstance(seeds, Mapping):
            example = f"seeds={{{allowed[0]!r}: ...}}"
            raise self._signature.refuse(f"seeds must be a mapping, got a {type(seeds).__name__}", f"use {example}")
        for name in seeds:
            if name not in allowed:
                raise self._signature.refuse(f"there is no output {name!r} to seed", nearest(str(name), allowed))
        return seeds


class Result(Mapping[str, Any]):
    """Gradients by name, `r["A"]`, or by position in wrt, `r[0]`."""

    __slots__ = ("_names", "_values")

    def __init__(self, names: tuple[str, ...], values: Sequence[Any]) -> None:
        self._names = names
        self._values = values

    def __getitem__(self, name: str | int) -> Any:
        if isinstance(name, int):
            return self._values[name]
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            raise KeyError(f"no gradient of {name!r}; there are those of {', '.join(self._names)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Result({dict(self)!r})"


# --- helpers -------------------------------------------------------------------------------------


def backend_for(backend: str | None) -> Backend:
    """The backend to use: the one asked for, else CUDA where it is usable."""
    if backend is None:
        from hetad.run import cuda

        return "cuda" if cuda.usable() else "cpu"
    return _checked(backend) or "cpu"


def build(
    program: nodes.Program, entry: str, backend: Backend, cpu_threads: int | None = None, graph: bool = False
) -> Executable:
    """Compile a function of a closed program; on a GPU it may run as graphs."""
    if backend == "cuda":
        from hetad.run import cuda

        return cuda.build(program, entry, graph)
    from hetad.run import cpu

    return cpu.build(program, entry, cpu_threads)


def limits(memory_limit: int | str | None = None, host_memory: int | str | None = None) -> MemoryLimit | None:
    """The limits as the pipeline takes them."""
    if memory_limit is None:
        if host_memory is not None:
            raise ArgumentError("host_memory= is for checkpoints beside those within memory_limit=, which is not given")
        return None
    host = 0 if host_memory is None else size_in_bytes(host_memory, "host_memory")
    return MemoryLimit(size_in_bytes(memory_limit, "memory_limit"), host)


def _checked(backend: str | None) -> Backend | None:
    match backend:
        case None | "cpu" | "cuda":
            return backend
        case _:
            raise ArgumentError(f"backend={backend!r}: there are 'cuda', 'cpu', and None for the best of them")
