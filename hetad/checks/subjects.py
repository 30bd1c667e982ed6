"""What is checked: a program, its derivatives, and how to run them; `gradcheck` checks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hetad.adjoint.options import Options
from hetad.diagnostics import ArgumentError, UnsupportedError
from hetad.directions import float_bits, from_vector, inner_bits, to_vector

if TYPE_CHECKING:
    from hetad.api import Function as Launchable
    from hetad.api import Program
    from hetad.gradients import Gradient
    from hetad.ir.nodes import Symbol
    from hetad.problem import Mode, Problem
    from hetad.run.report import Report as Saved

_ANYHOW: Mapping[str, Any] = {}
RACE_LIMIT = 20_000_000  # accesses that the race detector looks at: seconds


@dataclass(frozen=True)
class Subject:
    """What is checked.  `primal(arguments)` runs the program, writes arrays in place and gives the return value;
    `gradient(arguments, seeds)` gives a mapping from each name in `wrt` to its gradient; `tangent(arguments, tangents)`
    the tangents of the outputs; `saved()` tells what the gradient's last call saved."""

    function: str
    backend: str
    parameters: Sequence[Symbol]
    wrt: Sequence[str]
    of: Sequence[str] | None
    primal: Callable[[list[Any]], Any]
    gradient: Callable[[list[Any], dict[str, Any] | None], Mapping[str, Any]]
    saved: Callable[[], Saved | None] = lambda: None
    saves: Callable[[], list[tuple[Any, int]]] = list
    inner_bits: int = 64  # the precision of the coarsest floating value on the way
    atol: float = 0.0  # what differences may make of a derivative that is zero
    tangent: Callable[[list[Any], dict[str, Any]], Mapping[str, Any]] | None = None  # by name of of, or "return"
    without_tangent: str = ""  # why there is none
    forward: bool = False  # the tangent is what is checked
    without_gradient: str = ""  # why there is none to compare it with
    watched: Callable[[list[Any]], Any] | None = None  # the program under the race detector, which may give up
    inactive: Sequence[str] = ()  # names in wrt that no output depends on
    kept: Sequence[str] = ()  # variables that the program keeps from call to call
    watched_gradient: Callable[[list[Any], dict[str, Any] | None], Any] | None = None  # and its derivative

    def derivative(self, arguments: list[Any]) -> Mapping[str, Any]:
        """What is checked, at the same seeds or along the same direction in each run."""
        if self.forward and self.tangent is not None:
            return self.tangent(arguments, _generic(self, arguments, self.wrt))
        return self.gradient(arguments, generic_seeds(self, arguments))

    def position(self, name: str) -> int:
        return next(i for i, parameter in enumerate(self.parameters) if parameter.name == name)

    @property
    def bits(self) -> int:
        """The precision of the coarsest floating value that enters or leaves."""
        involved = set(self.wrt) | set(self.of or ())
        found = [b for p in self.parameters if p.name in involved for b in float_bits(p.type)]
        return min(found, default=64)


def from_problem(problem: Problem, backend: str | None, **options: Any) -> tuple[Subject, list[Any]]:
    """What a problem file asks to check, and the point.  `options` are passed on to `hetad.gradient`."""
    function, arguments, options = loaded(problem, "gradient", options)
    return of_function(function, problem.wrt, problem.of, backend, problem.launch, **options), arguments


def loaded(problem: Problem, mode: Mode, options: Mapping[str, Any]) -> tuple[Launchable, list[Any], dict[str, Any]]:
    """The function of a problem file, its arguments, and the options of a derivative: of the file, and those given."""
    function = function_of_problem(problem)
    running = {"cpu_threads": problem.cpu_threads, "checked": problem.checked}
    memory = problem.memory if mode != "tangent" else {}  # it saves nothing, so that it keeps within each limit
    return function, problem.arguments(function.parameters), {**running, **memory, **options}


def function_of_problem(problem: Problem) -> Launchable:
    """The function that a problem file is about."""
    import hetad

    program = hetad.load(problem.source, **problem.loading)
    return function_of(program, problem)


def function_of(program: Program, problem: Problem) -> Launchable:
    """The function of a problem: of a whole program, one of its inputs."""
    if problem.objective is None:
        return program[problem.function]
    return program.driver(problem.function, inputs=tuple(problem.inputs), output=problem.objective, argv=problem.argv)


def of_function(
    function: Launchable, wrt: Sequence[str], of: Sequence[str] | None, backend: str | None,
    launch: Mapping[str, Any], tangent: bool = True, **options: Any,
) -> Subject:  # fmt: skip
    """The subject for a function of a loaded program; `launch` is its grid and block if it is a kernel.  `tangent`:
    whether the gradient is compared with the tangent too."""
    import hetad

    running = {key: options.pop(key, None) for key in ("cpu_threads", "checked")}
    gradient = hetad.gradient(function, wrt=wrt, of=of, backend=backend, **running, **options)
    return of_gradient(gradient, launch, running, tangent, options.get("optimize", True))


def of_gradient(
    gradient: Gradient, launch: Mapping[str, Any], running: Mapping[str, Any] = _ANYHOW, tangent: bool = True,
    optimize: Any = True,
) -> Subject:  # fmt: skip
    """The subject for a gradient; `running` is how the program itself runs there, and `optimize` that with which the
    tangent is made."""
    function, wrt, of, backend = gradient.function, gradient.wrt, gradient.of, gradient.backend
    nothing = None, ""
    along, why = tangent_of(function, wrt, of, backend, launch, running, optimize) if tangent else nothing
    active = gradient.derivative.explanation.active[gradient.derivative.entry]
    inactive = tuple(name for name in gradient.wrt if name not in active)
    # Else cells of shared memory are saved that nobody needs, while other threads may store to them.
    pruned = Options.of(optimize).needed
    return Subject(
        function=function.name,
        backend=gradient.backend,
        parameters=function.parameters,
        wrt=wrt,
        of=of,
        primal=lambda arguments: function(*arguments, backend=backend, **running, **launch),
        gradient=lambda arguments, seeds: dict(gradient(*arguments, seeds=seeds, **launch).items()),
        saved=lambda: gradient.last_report,
        saves=lambda: gradient.last_saves,
        inner_bits=inner_bits(gradient.derivative.program),
        inactive=inactive,
        kept=function.compiled.kept,
        tangent=along,
        without_tangent=why,
        watched=lambda arguments: function.watched(arguments, launch, RACE_LIMIT),
        watched_gradient=(lambda arguments, seeds: gradient.watched(arguments, seeds, launch, RACE_LIMIT))
        if pruned
        else None,
    )


def tangent_of(
    function: Launchable, wrt: Sequence[str], of: Sequence[str] | None, backend: str | None,
    launch: Mapping[str, Any], running: Mapping[str, Any], optimize: Any,
) -> tuple[Callable[[list[Any], dict[str, Any]], Mapping[str, Any]] | None, str]:  # fmt: skip
    """What gives the tangents, or why nothing does."""
    import hetad

    try:
        made = hetad.jvp(function, wrt=wrt, of=of, backend=backend, optimize=optimize, **running)
    except (UnsupportedError, ArgumentError) as refusal:
        return None, str(refusal).splitlines()[0]

    def tangent(arguments: list[Any], tangents: dict[str, Any]) -> Mapping[str, Any]:
        found = made(*arguments, tangents=tangents, **launch)
        return {"return": found} if of is None else dict(found.items())

    return tangent, ""


def ones(subject: Subject, arguments: Sequence[Any]) -> dict[str, Any] | None:
    """Seeds of 1: the gradient of the sum of the outputs."""
    import numpy as np

    if subject.of is None:
        return None
    outputs = {name: arguments[subject.position(name)] for name in subject.of}
    return {name: from_vector(value, np.ones(to_vector(value).size)) for name, value in outputs.items()}


def generic_seeds(subject: Subject, arguments: Sequence[Any]) -> dict[str, Any] | None:
    """Random seeds, the same in each run: equal ones could hide a difference, or meet a quantity that is conserved."""
    return None if subject.of is None else _generic(subject, arguments, subject.of)


def _generic(subject: Subject, arguments: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    rng = np.random.default_rng(20)
    like = {name: arguments[subject.position(name)] for name in names}
    return {name: from_vector(value, rng.normal(size=to_vector(value).size)) for name, value in like.items()}
