"""Functions of CUDA programs as functions of JAX: inside jit, differentiable, on CPU and GPU.

import hetad, hetad.jax

step = hetad.jax.function(hetad.load("step.cu")["step"], of={"next": "u"})
jax.grad(lambda u: step(u, 0.1, n).sum())(u)
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

try:
    import jax
except ImportError as problem:
    raise ImportError("hetad.jax needs JAX: pip install jax, or hetad[jax]") from problem

import jax.numpy as jnp
import numpy as np

from hetad.adapted import Adapted
from hetad.functional import Functional, Launch, Request, ShapeRule
from hetad.jax import primitives
from hetad.jax.products import Subject

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.functional import Argument
    from hetad.run.selection import Selection

__all__ = ["JaxFunction", "function"]

_numbers = itertools.count(1)


def function(
    function: Function, of: Mapping[str, ShapeRule] | Selection | None = None, wrt: Selection | None = None, *,
    given: Mapping[str, Any] | None = None, scratch: Mapping[str, ShapeRule] | None = None, grid: Any = None,
    block: Any = None, shared_mem: Any = 0, optimize: bool | str | Iterable[str] = True, deterministic: bool = False,
    cpu_threads: int | None = None, memory_limit: int | str | None = None,
) -> JaxFunction:  # fmt: skip
    """A host function or a kernel of a program as a function on arrays of JAX.

    It takes the function's parameters, without those that are made or given here, and returns the outputs.  XLA calls
    it where its arrays lie: the CPU backend on a CPU, the CUDA backend on a GPU, on XLA's stream.

    Args:
        function: from a loaded program.
        of: the outputs.  A mapping says what shape they are made in, filled with zeros: `{"y": "x"}` like the argument
            x; `{"y": ("n", 3)}` of integers and integer arguments; `{"y": lambda x, n: (n, x.shape[1])}` of what a
            function gives for the arguments that its parameters name, of which arrays have no more than shape and
            dtype.  With None for a shape, or as mere names, an output is an argument as well: what it holds before.
            Omitted: the return value, as an array of rank 0.
        wrt: what is differentiable; omitted, every argument that holds floating numbers.
        given: arguments that are not passed: a value, or a function of other arguments, as in
            `{"n": lambda x: x.size}`.
        scratch: arrays that the function works in: their shapes, as for `of`.
        grid: of a kernel: blocks of the grid, or a function of the arguments; so are the next two.
        block: threads of a block.
        shared_mem: bytes of dynamic shared memory.
        optimize: as for `hetad.gradient`, and so are all that follow.
        deterministic: every sum in a fixed order.
        cpu_threads: of the CPU backend.
        memory_limit: how much may be saved at a time.

    Raises:
        ArgumentError: what is asked for does not fit the function.
    """
    options = {
        "optimize": optimize, "deterministic": deterministic, "cpu_threads": cpu_threads, "memory_limit": memory_limit,
    }  # fmt: skip
    request = Request(of, wrt, given or {}, scratch or {}, Launch(grid, block, shared_mem), options)
    return JaxFunction(Functional(function, request))


class JaxFunction(Adapted):
    """Called with arrays and numbers; integers must be known when a computation is traced."""

    library = "JAX"

    def __init__(self, functional: Functional) -> None:
        super().__init__(functional, [o.name for o in functional.outputs])
        digest = functional.function.compiled.digest
        self._subject = Subject(functional, f"{functional.function.name} {next(_numbers)} {digest[:16]}")

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The outputs: an array, or several in the order of `of`.

        Raises:
            ArgumentError: an argument does not fit its parameter.
        """
        arrays, numbers = [], []
        for argument, value in zip(self._arguments, self._bound(args, named), strict=True):
            if argument.kind in ("array", "floating"):
                arrays.append(self._array(argument, value))
            else:
                numbers.append(self._integer(argument, value))
        found = primitives.value(self._subject, tuple(numbers), arrays)
        return found[0] if len(found) == 1 else tuple(found)

    def _array(self, argument: Argument, value: Any) -> Any:
        if argument.dtype.itemsize == 8 and not jax.config.jax_enable_x64:
            raise self._refuse(
                f"this is an argument of {argument.dtype}, and JAX has numbers of 32 bits now",
                'jax.config.update("jax_enable_x64", True), before anything else is done with JAX', argument,
            )  # fmt: skip
        if argument.kind == "floating":
            if np.shape(value) != () or not (isinstance(value, int | float) or _kind(value) in ("f", "i", "u")):
                raise self._refuse(f"expected a number, got {_described(value)}", "", argument)
            return jnp.asarray(value, argument.dtype)
        if not hasattr(value, "dtype") or not hasattr(value, "shape"):
            raise self._refuse(f"expected an array, got {_described(value)}", "use jnp.asarray", argument)
        if value.dtype != argument.dtype:
            problem = f"expected an array of {argument.dtype}, got {value.dtype}"
            raise self._refuse(problem, f"convert it with .astype({argument.dtype})", argument)
        return jnp.asarray(value)

    def _integer(self, argument: Argument, value: Any) -> Any:
        if isinstance(value, jax.core.Tracer):
            raise self._refuse(
                "this integer is traced, and must be known when the computation is",
                "name it in static_argnames= of jax.jit, or follow it from shapes with given=", argument,
            )  # fmt: skip
        try:
            number = operator.index(value)
        except TypeError:
            raise self._refuse(f"expected an integer, got {_described(value)}", "", argument) from None
        return bool(number) if argument.kind == "bool" else number


def _kind(value: Any) -> str:
    return str(getattr(getattr(value, "dtype", None), "kind", ""))


def _described(value: Any) -> str:
    shape = np.shape(value)
    return f"an array of shape {shape}" if shape else f"a {type(value).__name__}"
