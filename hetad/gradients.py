"""The gradient of a function, as users call it, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hetad.compiled import Backend, Choice
from hetad.derived import Derived
from hetad.diagnostics import ExecutionError
from hetad.ir.types import Float
from hetad.results import Result
from hetad.run.signature import RETURN, bind

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.debugger.findings import Debugged
    from hetad.host.decisions import Saved
    from hetad.host.derivative import Derivative
    from hetad.run.call import Plan
    from hetad.run.launch import LaunchConfiguration
    from hetad.run.running import Running


class Gradient(Derived):
    """The derivative of a function.  Arguments are those of the function; a kernel needs grid= and block= again."""

    def __init__(
        self, function: Function, choice: Choice, backend: Backend | None, running: Running,
        progress: bool = False, sets: int = 0, debug: bool = False,
    ) -> None:  # fmt: skip
        """`sets`: of a batch.  `debug`: whether a gradient that is not finite is an error."""
        self._debug, self._sets = debug, sets
        super().__init__(function, choice, backend, running, progress)
        self.derivative = function.compiled.derivative(choice)
        self._returns_number = isinstance(function.definition.returns, Float)
        self._seed_names = (RETURN,) if choice.of is None else choice.of
        self._plans: dict[bool, tuple[Derivative, Plan]] = {}  # with the function's value, and without

    @property
    def last_saves(self) -> list[tuple[Saved | None, int]]:
        """With `measure`: what the last call saved, and how many bytes of it in all; None stands for checkpoints."""
        if self._last is None:
            return []
        derivative = next(made for made, plan in self._plans.values() if plan is self._last)
        saved = derivative.explanation.saved
        found = self._last.executable.saved_by(len(saved))
        return [*zip(saved, found, strict=False), (None, found[-1])]

    def __call__(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> Result:  # fmt: skip
        """The gradient at `args`, which stay as they are.

        Args:
            *args: as for the function.
            seeds: for each name in `of` an array of the argument's shape and dtype; for a return value
                `{"return": number}`, by default 1.  Of a batch, the first axis counts the sets; without it, all have
                the same seed.
            grid: as for the function, and so are the next three.
            block: threads of a block.
            shared_mem: bytes of dynamic shared memory.
            stream: where it runs.
            **named: arguments by name.

        Returns:
            For each name in `wrt` a gradient of the type and shape of the argument; a float for a scalar.  Of a
            batch, an array whose first axis counts the sets.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        found = self._run(args, seeds, launch, named, value=False)
        if self._debug:
            self._require_finite(found[1], args, seeds, (grid, block, shared_mem), named)
        return found[1]

    def value_and_grad(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> tuple[float, Result]:  # fmt: skip
        """What the function returns, and its gradient; for a host function with a floating return value.  Of a batch,
        an array of what it returns for each set."""
        if not self._returns_number:
            raise self._signature.refuse(
                "value_and_grad needs a function that returns a float or double", "call the gradient itself"
            )
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        found = self._run(args, seeds, launch, named, value=True)
        if self._debug:
            self._require_finite(found[1], args, seeds, (grid, block, shared_mem), named)
        return found

    def execute(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> Any:  # fmt: skip
        """The gradient in place: adjoint buffers follow the arguments, in the order of `of` + `wrt`, each name once.

        The buffers of `of` hold seeds on entry and are consumed; those of `wrt` are added to.  The adjoint of a
        scalar is an array of one element.  CuPy arrays are not copied.  Of a batch, each buffer has room for all sets.

        Returns:
            What the function returns, if that is floating.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        plan = self._plan(value=True)
        names = (*self._signature.parameters, *plan.adjoint_names)
        values = bind(self._signature, args, named, names)
        count = len(self._signature.parameters)
        try:
            return plan.execute(values[:count], values[count:], self._seeds(seeds, (RETURN,)), launch, self._progress)
        except ExecutionError as problem:
            raise self._explained(problem) from None

    def debug(
        self, *args: Any, seeds: Mapping[str, Any] | None = None, grid: Any = None, block: Any = None,
        shared_mem: Any = 0, random_seed: int = 0, **named: Any,
    ) -> Debugged:  # fmt: skip
        """Where the derivative goes wrong, or is not finite, along the lines of the program; see docs/debugging.md.

        Runs on the CPU, whatever the backend of the gradient is; arrays stay as they are.

        Args:
            *args: as for the function.
            seeds: as for a call; by default random ones, or 1 for a return value.
            grid: as for the function, and so are the next two.
            block: threads of a block.
            shared_mem: bytes of dynamic shared memory.
            random_seed: of the direction along which the arguments move, and of the seeds.
            **named: arguments by name.

        Returns:
            What was found, true if nothing is wrong; printed, a table for each statement at which the derivative
            breaks.

        Raises:
            ArgumentError: an argument does not fit, or there is too much to look at.
            UnsupportedError: the function has no tangent.
        """
        from hetad.debugger.session import debug

        launch = {"grid": grid, "block": block, "shared_mem": shared_mem} if grid is not None else {}
        return debug(self, bind(self._signature, args, named), seeds, launch, random_seed)

    @property
    def choice(self) -> Choice:
        """What was asked for."""
        return self._choice

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
        plan = compiled.watched_gradient_plan(self._choice, limit, self._sets)
        plan.gradient(values, self._seeds(seeds, self._seed_names), configuration)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        batch = f" for {self._sets} sets" if self._sets else ""
        return f"gradient of {self._outputs()} with respect to {', '.join(self.wrt)}{batch}"

    def _called_with(self) -> str:
        seeds = "" if self.of is None else f", seeds={{{', '.join(f'{n!r}: ...' for n in self.of)}}}"
        return f"Called with the arguments of the function{seeds}; gives {', '.join(self.wrt)} by name, or unpacked."

    def _run(
        self, args: Sequence[Any], seeds: Mapping[str, Any] | None, launch: LaunchConfiguration | None,
        named: dict[str, Any],
        *, value: bool,
    ) -> tuple[Any, Result]:  # fmt: skip
        values = bind(self._signature, args, named)
        plan, given = self._plan(value), self._seeds(seeds, self._seed_names)
        try:
            returned, gradients = plan.gradient(values, given, launch, self._progress)
        except ExecutionError as problem:
            raise self._explained(problem) from None
        return returned, Result(self.wrt, gradients)

    def _require_finite(
        self, found: Result, args: Sequence[Any], seeds: Mapping[str, Any] | None, launch: Sequence[Any],
        named: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """Raises NonFiniteError for a gradient that is not finite."""
        from hetad.debugger.finite import require_finite

        configuration = dict(zip(("grid", "block", "shared_mem"), launch, strict=True))
        require_finite(found, lambda: self.debug(*args, seeds=seeds, **configuration, **named))

    def _explained(self, problem: ExecutionError) -> ExecutionError:
        """Where a memory limit is not met: the loop that is too large, and those whose every step is recorded."""
        text = problem.told
        loops = self.derivative.explanation.loops
        reasons = [f"{x.span}: in this loop {x}" for x in loops if x.refused]
        meant = [x for x in loops if not x.refused and f"time loop in line {x.span.line}," in text]
        reasons += [f"{x.span}: this loop keeps {x}" for x in meant]
        if "memory limit" not in text or not reasons:
            return problem
        return ExecutionError("\n  ".join([text, *dict.fromkeys(reasons)]))

    def _plan(self, value: bool) -> Plan:
        """What runs; without the function's value, what only leads to it is left out."""
        value = value or not self._returns_number
        if value not in self._plans:
            compiled, choice = self.function.compiled, self._choice
            if not value:
                choice = replace(choice, options={**choice.options, "value": False})
            plan = compiled.gradient_plan(choice, self.backend, self._running, self._sets)
            self._plans[value] = compiled.derivative(choice), plan
        self._last = self._plans[value][1]
        return self._last

    def _seeds(self, seeds: Any, allowed: Sequence[str]) -> Mapping[str, Any]:
        return {} if seeds is None else self._checked_names(seeds, allowed, "seeds")
