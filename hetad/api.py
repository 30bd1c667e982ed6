"""The Python interface: load a program, call its functions, take their gradients.

Nothing is compiled before a call needs it: `Gradient.source` works on a machine without a compiler.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.adjoint.options import Options, is_named
from hetad.compiled import Compiled, backend_for, checked_backend, limits
from hetad.diagnostics import ArgumentError, UnknownNameError
from hetad.frontend.settings import Frontend, Settings
from hetad.gradients import Gradient
from hetad.origin import Origin, Texts
from hetad.run.running import Running
from hetad.run.selection import Selection, select_batch
from hetad.run.signature import bind
from hetad.shown import describe, table

if TYPE_CHECKING:
    from hetad.frontend.driver import Driver
    from hetad.ir import nodes
    from hetad.rules.user import UserRule


def load(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], defines: Mapping[str, Any] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (), *, undefines: Sequence[str] = (), cuda_arch: int = 900,
    frontend: Frontend = "auto",
) -> Program:  # fmt: skip
    """Read a CUDA program from a file, or from several that are compiled apart and linked.

    Args:
        path: the source, usually a .cu file; or a list of them, each with macros and includes of its own.
        defines: macros, as `-D` would define them.
        include_dirs: where `#include "..."` looks, after the directory of the file.
        undefines: macros that hetad defines as nvcc does, such as `__cplusplus`, and that are not to be, as `-U`.
        cuda_arch: what `__CUDA_ARCH__` is in device code; in host code it is not defined.
        frontend: who reads it: "c" as C; "cpp" as C++, by Clang; "auto" as C where that accepts a
            function, else as C++.

    Raises:
        UnknownNameError: there is no such file.
        SyntaxProblem: what is found before anything is parsed, such as unbalanced brackets.
        UnsupportedError: two files define one name.
    """
    files = [path] if isinstance(path, str | os.PathLike) else list(path)
    if not files:
        raise ArgumentError("a program needs a source file")
    settings = Settings(
        dict(defines or {}), tuple(undefines), [os.fspath(d) for d in include_dirs], cuda_arch, frontend
    )
    return Program(Texts(tuple((_text_of(Path(file)), str(Path(file))) for file in files), settings))


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        if "\n" in str(file):
            raise UnknownNameError("the name of a file is expected, not a text", None, "use hetad.loads") from problem
        raise UnknownNameError(f"cannot read {file}: {reason}") from problem


def loads(
    text: str, name: str = "<string>", defines: Mapping[str, Any] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (), *, undefines: Sequence[str] = (), cuda_arch: int = 900,
    frontend: Frontend = "auto",
) -> Program:  # fmt: skip
    """A CUDA program from its text; `name` stands for the file in messages.

    Raises:
        ArgumentError: it is the name of a file.
    """
    if "\n" not in text and Path(text.strip()).suffix in (".cu", ".cuh", ".c", ".cpp", ".h"):
        raise ArgumentError(f"the text of a program is expected, not the name of a file; use hetad.load({text!r})")
    settings = Settings(
        dict(defines or {}), tuple(undefines), [os.fspath(d) for d in include_dirs], cuda_arch, frontend
    )
    return Program(Texts(((text, name),), settings))


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
    from hetad.rules.user import UserRule

    program.add_rule(
        UserRule(function, partials or {}, f"{function}_pullback" if cuda is not None else None), cuda or ""
    )


def gradient(
    function: Function, wrt: Selection, of: Selection | None = None, backend: str | None = None, *,
    optimize: bool | str | Iterable[str] = True, deterministic: bool = False,
    cpu_threads: int | None = None, memory_limit: int | str | None = None, host_memory: int | str | None = None,
    checkpoint_dir: str | os.PathLike[str] | None = None, resume: bool | float = False, progress: bool = False,
    measure: bool = False, graph: bool = False, batch: int | None = None, batched: Selection = (),
    checked: bool | None = None, debug: bool = False,
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
        checkpoint_dir: a directory on a disk: what host_memory allows for lies in a file there, of which memory holds
            what there is room for.  The file has no name, and is gone with the call.
        resume: whether a call that was killed in its time loop is gone on with, by the same call in another process:
            what that needs is written to checkpoint_dir every ten minutes, or as many seconds apart as are given here.
            It is gone when the call is done; see docs/memory.md.
        progress: whether calls show on standard error how far they are.
        measure: whether calls count what each statement saves; see `Gradient.last_saves`.
        graph: whether CUDA graphs do the work on a GPU, once a call is repeated with the same arguments (numbers, and
            arrays in the same place): for programs of many short launches.  Until the gradient is collected it keeps
            the device memory that it needs.  The CPU runs it as it is.
        batch: how many sets one call goes through, of seeds or of arguments, as so many calls would: the first axis of
            seeds and gradients counts the sets, also for arguments that all sets share.
        batched: the parameters, by name or position, whose arguments differ between the sets: arrays whose first axis
            counts them, sequences of values for parameters passed by value.  All others are shared.
        checked: which accesses are checked for leaving their memory, in the program and in its derivative: one that
            does is a MemoryAccessError.  None: on the CPU those that are not proven to stay within it; True: all, on
            GPUs too; False: none, and what leaves its memory then gives wrong numbers or ends Python.  See
            docs/memory-safety.md.
        debug: whether a call whose gradient is not finite is a NonFiniteError, with the line where that begins
            (docs/debugging.md).  Accesses are checked, too.

    Raises:
        ArgumentError: wrt or of does not fit the function, there is no such optimisation, or no such batch.
        UnsupportedError: the function uses something that hetad does not differentiate; the message says where.  With
            graph, also if data that is read back from the device decides what runs there.
    """
    checked_function(function)
    optimize = optimize if isinstance(optimize, bool | str) else tuple(optimize)
    options = {
        "options": Options.of(optimize, deterministic),
        "rules": function.rules,
        "memory_limit": limits(memory_limit, host_memory, checkpoint_dir, resume),
    }
    if resume is not False and (graph or batch is not None):
        raise ArgumentError("resume= is for calls of one set that are no graphs; leave out graph= and batch=")
    options |= {"measured": True} if measure else {}
    options |= {"graph": True} if graph else {}
    sets, differ = select_batch(function.definition, function.compiled.signature, batch, batched)
    if sets:
        options |= {"batch": differ, "at_once": backend_for(backend) == "cuda" or is_named("sets", optimize)}
    choice = function.compiled.choice(wrt, of, options)
    if debug:
        if sets:
            raise ArgumentError("debug= is for calls of one set; leave out batch=")
        checked = checked is not False
    running = Running(cpu_threads, checked)
    return Gradient(function, choice, checked_backend(backend), running, progress, sets, debug)


def checked_function(function: object) -> None:
    """Raises ArgumentError for what is no function of a program."""
    from hetad.derived import Derived

    if not isinstance(function, Function):
        use = "hetad.hvp is for second derivatives" if isinstance(function, Derived) else "use hetad.load(...)[name]"
        raise ArgumentError(f"expected a function of a loaded program, got {function!r}; {use}")


class Program(Mapping[str, "Function"]):
    """A CUDA program.  `program["name"]` is a function or kernel of it; iteration gives their names.  An instance of a
    template is named as in C++: `program["step<double>"]`.

    It is pickled and copied as the texts of its files, with the rules given by `hetad.pullback`; what they include is
    read again.
    """

    def __init__(
        self, origin: Origin, rules: Mapping[str, UserRule] | None = None, more: Mapping[str, str] | None = None
    ) -> None:
        """`more`: by file, the texts of pullbacks."""
        self._origin = origin
        self.rules: dict[str, UserRule] = dict(rules or {})
        self._more: dict[str, str] = dict(more or {})
        self.unit = origin.unit(self._more)
        self._functions: dict[str, Function] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self._origin, self.rules, self._more)

    def add_rule(self, rule: UserRule, cuda: str = "") -> None:
        """See `hetad.pullback`."""
        from hetad.rules.user import checked, checked_pullback

        function = self.unit.reach(rule.function).functions[rule.function]
        checked(rule, function)
        if rule.pullback is not None:
            file = self.unit.home(rule.function) or self.unit.name
            more = self._more | {file: f"{self._more.get(file, '')}\n{cuda}\n"}
            unit = self._origin.unit(more)
            checked_pullback(unit.reach(rule.pullback).functions[rule.pullback], function)
            self._more, self.unit = more, unit
        self.rules[rule.function] = rule
        self._functions = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            self._functions[name] = Function(self, name)
        return self._functions[name]

    def driver(
        self, name: str = "main", *, inputs: Selection = (), output: str | None = None, argv: Sequence[object] = ()
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

    def __getattr__(self, name: str) -> Any:
        """Only what says how the functions are found: no program has attributes by their names."""
        known = not name.startswith("_") and "unit" in vars(self) and name in self.unit.functions
        help_ = f"; its functions are items: program[{name!r}]" if known else ""
        raise AttributeError(f"a program has no attribute {name!r}{help_}", name=name, obj=self)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, kind in self.unit.functions.items() if kind != "device")

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<hetad program {self.unit.name}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        rows = [(name, self.unit.functions[name], self.unit.signature(name)) for name in self]
        return table(f"hetad program {self.unit.name}", rows)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


class Function:
    """A host function or a kernel; calling it runs it."""

    def __init__(
        self, program: Program, name: str, driver: Driver | None = None, rules: Mapping[str, UserRule] | None = None
    ) -> None:
        """`rules`: those of the program by default."""
        self.program = program
        self.name = name
        self._driver = driver
        unit = program.unit if driver is None else program.unit.driven(driver)
        self.compiled = Compiled(unit, unit.instance(name))
        self.rules = dict(program.rules if rules is None else rules)
        kind, launch = ("kernel", " with grid= and block=") if self.definition.kind == "kernel" else ("function", "")
        text = f"The {kind} at {self.compiled.signature.place}.\n\n    {self.signature}\n\n"
        describe(self, self.definition, f"{text}Calling it{launch} runs it; arrays are written in place, as in C.")

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self.program, self.name, self._driver, self.rules)

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
        stream: Any = None, cpu_threads: int | None = None, racecheck: bool = False, checked: bool | None = None,
        **named: Any,
    ) -> Any:  # fmt: skip
        """Run the function; arrays are written in place, as in C.

        Args:
            *args: one value per parameter: numbers; arrays, of NumPy, CuPy, PyTorch or anything else whose memory
                suits (docs/arrays.md), copied to and from the GPU where a device pointer asks for it; mappings for
                structs, None for NULL.
            backend: "cuda" or "cpu"; None takes CUDA where it is usable.
            grid: blocks of the grid, an int or up to three; of a kernel only, as the next three.
            block: threads of a block, an int or up to three.
            shared_mem: bytes of dynamic shared memory.
            stream: a CuPy stream or the address of a CUDA stream; None for CuPy's current one.
            cpu_threads: how many threads run the blocks of a grid on the CPU; see `hetad.gradient`.
            racecheck: whether a detector watches for races, on the CPU and slowly; see docs/races.md.
            checked: which accesses are checked for leaving their memory; see `hetad.gradient`.
            **named: arguments by name.

        Returns:
            What the function returns.

        Raises:
            ArgumentError: an argument does not fit its parameter.
            BackendError: there is no compiler or GPU.
            ExecutionError: the program failed.
            MemoryAccessError: an access leaves its memory, on a GPU with checked=True.
            RaceError: with racecheck, two threads reach the same memory with nothing that orders them, and one writes.
        """
        launch = self.compiled.launch(grid, block, shared_mem, stream, named)
        values = bind(self.compiled.signature, args, named)
        if racecheck:
            if backend == "cuda":
                raise ArgumentError('racecheck= runs the program on the CPU; leave out backend="cuda"')
            return self.compiled.watched_plan(0).primal(values, launch)
        return self.compiled.primal_plan(backend_for(backend), Running(cpu_threads, checked)).primal(values, launch)

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
