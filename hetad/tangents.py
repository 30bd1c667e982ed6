"""The tangent of a function, and second derivatives, as users call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.compiled import Backend, Choice
from hetad.derived import Derived
from hetad.results import Result
from hetad.run.along import copied
from hetad.run.arrays import ArrayParameter, converter
from hetad.run.call import ZerosLike
from hetad.run.layout import dtype_of
from hetad.run.signature import RETURN, bind

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.run.along import TangentPlan
    from hetad.run.arrays import Converter
    from hetad.run.call import Plan
    from hetad.run.launch import LaunchConfiguration
    from hetad.run.running import Running


class Tangent(Derived):
    """The derivative of a function along directions, in forward mode.  Arguments are those of the function; a kernel
    needs grid= and block= again."""

    def __init__(
        self, function: Function, choice: Choice, backend: Backend | None, running: Running, progress: bool = False
    ) -> None:
        super().__init__(function, choice, backend, running, progress)
        self.directions: int = choice.options["directions"]
        self.derivative = function.compiled.derivative(choice)
        self._made: TangentPlan | None = None

    def __call__(
        self, *args: Any, tangents: Mapping[str, Any], grid: Any = None, block: Any = None, shared_mem: Any = 0,
        stream: Any = None, **named: Any,
    ) -> Any:  # fmt: skip
        """The tangents of the outputs at `args`, which stay as they are.

        Args:
            *args: as for the function.
            tangents: for each name in `wrt` the direction: of the argument's shape and dtype, a number for a scalar.
                With several directions, the first axis counts them.
            grid: as for the function, and so are the next three.
            block: threads of a block.
            shared_mem: bytes of dynamic shared memory.
            stream: where it runs.
            **named: arguments by name.

        Returns:
            For each name in `of` an array like the argument; of the return value a float.  With several directions,
            arrays whose first axis counts them.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        return self._run(args, tangents, launch, named)[1]

    def value_and_jvp(
        self, *args: Any, tangents: Mapping[str, Any], grid: Any = None, block: Any = None, shared_mem: Any = 0,
        stream: Any = None, **named: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs and their tangents from one run: what the function returns, or for each name in `of` an array."""
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        return self._run(args, tangents, launch, named)

    def execute(
        self, *args: Any, grid: Any = None, block: Any = None, shared_mem: Any = 0, stream: Any = None, **named: Any
    ) -> Any:
        """The tangent in place: buffers for tangents follow the arguments, in the order of `wrt` + `of`, each name
        once; for the return value one element.

        Outputs are written as the function writes them, and their tangents beside them.  CuPy arrays are not copied.

        Returns:
            What the function returns, if that is floating.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        plan = self._plan()
        names = (*self._signature.parameters, *plan.tangent_names)
        values = bind(self._signature, args, named, names)
        count = len(self._signature.parameters)
        return plan.execute_along(values[:count], values[count:], launch, self._progress)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"tangent of {self._outputs()} along {', '.join(self.wrt)}"

    def _called_with(self) -> str:
        return _with_tangents(self.wrt)

    def _plan(self) -> TangentPlan:
        if self._made is None:
            self._last = self._made = self.function.compiled.tangent_plan(self._choice, self.backend, self._running)
        return self._made

    def _run(
        self, args: Sequence[Any], tangents: Mapping[str, Any], launch: LaunchConfiguration | None,
        named: dict[str, Any],
    ) -> tuple[Any, Any]:  # fmt: skip
        given = self._checked_names(tangents, self.wrt, "tangents")
        values = bind(self._signature, args, named)
        returned, outputs, found = self._plan().along(values, given, launch, self._progress)
        if self.of is None:
            along = found[RETURN]
            return returned, float(along[0]) if self.directions == 1 else along
        return Result(self.of, [outputs.get(n) for n in self.of]), Result(self.of, [found.get(n) for n in self.of])


class HessianProduct(Derived):
    """The product of a function's Hessian with a vector; of several outputs, of their sum weighted by the seeds."""

    def __init__(
        self, function: Function, choice: Choice, backend: Backend | None, running: Running, progress: bool = False
    ) -> None:
        super().__init__(function, choice, backend, running, progress)
        self.second = function.compiled.second_order(choice)
        self.derivative = self.second.derivative
        self._plans: dict[bool, Plan] = {}  # with the gradient, and without
        self._dots = {p.primal or "": p for p in self.second.tangent.parameters if p.role == "tangent"}
        self._converters: dict[str, Converter] = {}  # of tangents and seeds, by what they are called

    def __call__(
        self, *args: Any, tangents: Mapping[str, Any], seeds: Mapping[str, Any] | None = None, grid: Any = None,
        block: Any = None, shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> Result:  # fmt: skip
        """The product at `args`, which stay as they are.

        Args:
            *args: as for the function.
            tangents: the vector: for each name in `wrt` one of the argument's shape and dtype.
            seeds: the weights of the outputs, as for a gradient; for a return value 1.
            grid: as for the function, and so are the next three.
            block: threads of a block.
            shared_mem: bytes of dynamic shared memory.
            stream: where it runs.
            **named: arguments by name.

        Returns:
            For each name in `wrt` the derivative, along the vector, of the gradient that the seeds give.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        return self._run(args, tangents, seeds, launch, named, gradient=False)[1]

    def grad_and_hvp(
        self, *args: Any, tangents: Mapping[str, Any], seeds: Mapping[str, Any] | None = None, grid: Any = None,
        block: Any = None, shared_mem: Any = 0, stream: Any = None, **named: Any,
    ) -> tuple[Result, Result]:  # fmt: skip
        """The gradient and its product from one run: the adjoint of the tangents of `wrt` is the gradient."""
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        found, product = self._run(args, tangents, seeds, launch, named, gradient=True)
        assert found is not None
        return found, product

    def execute(
        self, *args: Any, grid: Any = None, block: Any = None, shared_mem: Any = 0, stream: Any = None, **named: Any
    ) -> Any:
        """The product in place: after the arguments come their tangents, in the order of `wrt` + `of`, each name once
        (for the return value one element), then the adjoints that `execute_names` lists.

        The adjoints of tangents of `of` hold seeds on entry and are consumed; those of `wrt` are added to.
        """
        launch = self.function.compiled.launch(grid, block, shared_mem, stream, named)
        plan = self._plan(gradient=False)
        names = self.execute_names
        values = bind(self._signature, args, named, names)
        count = len(names) - len(plan.adjoint_names)
        return plan.execute(values[:count], values[count:], {}, launch, self._progress)

    @property
    def execute_names(self) -> tuple[str, ...]:
        """What `execute` takes, in order."""
        tangents = (p.symbol.name for p in self._dots.values())
        return (*self._signature.parameters, *tangents, *self._plan(gradient=False).adjoint_names)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"Hessian product of {self._outputs()} with respect to {', '.join(self.wrt)}"

    def _called_with(self) -> str:
        return _with_tangents(self.wrt)

    def _run(
        self, args: Sequence[Any], tangents: Mapping[str, Any], seeds: Mapping[str, Any] | None,
        launch: LaunchConfiguration | None, named: dict[str, Any], *, gradient: bool,
    ) -> tuple[Result | None, Result]:  # fmt: skip
        """The gradient, if that is wanted, and the product."""
        given = self._checked_names(tangents, self.wrt, "tangents")
        weights = self._checked_names({} if seeds is None else seeds, self.of or (RETURN,), "seeds")
        values = bind(self._signature, args, named)
        plan = self._plan(gradient)
        # A direction may be an argument too, or another one's direction.
        more = [copied(self._tangent(name, values, given)) for name in self._dots]
        seeded = {self._dots[name].symbol.name: self._seed(name, values, weights) for name in self.of or (RETURN,)}
        _, found = plan.gradient([*values, *more], seeded, launch, self._progress)
        count = len(self.wrt)
        return Result(self.wrt, found[count:]) if gradient else None, Result(self.wrt, found[:count])

    def _tangent(self, name: str, values: Sequence[Any], given: Mapping[str, Any]) -> Any:
        if name == RETURN:
            return np.zeros(1, self._of_return)
        position = self._signature.parameters.index(name)
        if name not in self.wrt:
            return ZerosLike(position)
        if name not in given:
            raise self._signature.refuse(
                f"there is no tangent of {name!r}",
                f"pass tangents={{{name!r}: v}}, where v is like {name}; zeros hold it fixed",
            )
        return self._like(name, values, given[name], "tangents")

    @cached_property
    def _of_return(self) -> np.dtype[Any]:
        return dtype_of(self.function.definition.returns)

    def _like(self, name: str, values: Sequence[Any], given: Any, what: str) -> Any:
        """A tangent or a seed, if it is like the argument."""
        argument = values[self._signature.parameters.index(name)]
        called = f"{what}[{name!r}]"
        if called not in self._converters:
            p = self._dots[name]
            self._converters[called] = converter(called, p.symbol.type, self._signature, p.space)
        as_passed = self._converters[called]
        if not isinstance(as_passed, ArrayParameter):
            as_passed.convert(given)  # which refuses what does not fit
            return given
        if given is None and argument is None:
            return None
        vector = as_passed.check(given)
        shape = np.shape(argument) if isinstance(argument, list | tuple) else getattr(argument, "shape", ())
        if shape and np.shape(vector) != tuple(shape):  # what is no array is refused as such
            problem = f"expected the shape {tuple(shape)} of {name}, got {np.shape(vector)}"
            raise self._signature.refuse(problem, parameter=called)
        return vector

    def _seed(self, name: str, values: Sequence[Any], weights: Mapping[str, Any]) -> Any:
        if name == RETURN:
            return np.full(1, weights.get(name, 1.0), self._of_return)
        if name not in weights:
            raise self._signature.refuse(
                f"the output {name!r} is an array, so its Hessian needs a seed, and there is none",
                f"pass seeds={{{name!r}: w}}, where w is like {name}: the Hessian is that of the sum of w times {name}",
            )
        return self._like(name, values, weights[name], "seeds")

    def _plan(self, gradient: bool) -> Plan:
        """What runs; with the gradient, or without."""
        if gradient not in self._plans:
            plan = self.function.compiled.second_order_plan
            self._plans[gradient] = plan(self._choice, gradient, self.backend, self._running)
        self._last = self._plans[gradient]
        return self._last


def _with_tangents(wrt: Sequence[str]) -> str:
    tangents = ", ".join(f"{name!r}: ..." for name in wrt)
    return f"Called with the arguments of the function, and tangents={{{tangents}}}."
