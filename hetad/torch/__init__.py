"""Functions of CUDA programs as functions of PyTorch: differentiable, compiled, vectorised, on CPU and GPU.

import hetad, hetad.torch

layer = hetad.torch.function(hetad.load("layer.cu")["forward"], of={"y": "x"})
y = layer(x, w, n)
y.sum().backward()
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

try:
    import torch
except ImportError as problem:
    raise ImportError("hetad.torch needs PyTorch: pip install torch, or hetad[torch]") from problem

from hetad.adapted import Adapted
from hetad.diagnostics import ArgumentError
from hetad.functional import Functional, Launch, Request, ShapeRule
from hetad.torch.operator import several
from hetad.torch.operators import Operators

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.run.selection import Selection

__all__ = ["TorchFunction", "function"]

_numbers = itertools.count(1)


def function(
    function: Function, of: Mapping[str, ShapeRule] | Selection | None = None, wrt: Selection | None = None, *,
    given: Mapping[str, Any] | None = None, scratch: Mapping[str, ShapeRule] | None = None,
    mutates: str | Sequence[str] = (), grid: Any = None, block: Any = None, shared_mem: Any = 0,
    name: str | None = None, optimize: bool | str | Iterable[str] = True, deterministic: bool = False,
    cpu_threads: int | None = None, memory_limit: int | str | None = None,
) -> TorchFunction:  # fmt: skip
    """A host function or a kernel of a program as a function on tensors.

    It takes the function's parameters, without those that are made or given here, and returns the outputs as new
    tensors.  Tensors on the CPU are worked on by the CPU backend, those on a GPU where they lie, on PyTorch's current
    stream; nothing is copied but what the function writes to and what is not contiguous.

    Args:
        function: from a loaded program.
        of: the outputs.  A mapping says what shape they are made in, filled with zeros: `{"y": "x"}` like the argument
            x; `{"y": ("n", 3)}` of integers and integer arguments; `{"y": lambda x, n: (n, x.shape[1])}` of what a
            function gives for the arguments that its parameters name, also of those in `given`.  With None for a
            shape, or as mere names, an output is an argument as well: what it holds before, which is left as it is.
            Omitted: the return value, as a tensor of rank 0.
        wrt: what is differentiable; omitted, every argument that holds floating numbers.
        given: arguments that are not passed: a value, or a function of other arguments, as in
            `{"n": lambda x: x.numel()}`.
        scratch: arrays that the function works in: their shapes, as for `of`.
        mutates: arguments that are overwritten, as PyTorch's functions with an underscore do.
        grid: of a kernel: blocks of the grid, or a function of the arguments; so are the next two.
        block: threads of a block.
        shared_mem: bytes of dynamic shared memory.
        name: of the operator, as "library::name"; omitted, one in "hetad".
        optimize: as for `hetad.gradient`, and so are all that follow.
        deterministic: every sum in a fixed order.
        cpu_threads: of the CPU backend.
        memory_limit: how much may be saved at a time.

    Raises:
        ArgumentError: what is asked for does not fit the function.
        UnsupportedError: the function uses something that hetad does not differentiate; when a derivative is needed.
    """
    written = (mutates,) if isinstance(mutates, str) else tuple(mutates)
    outputs = _with_mutated(of, written)
    options = {
        "optimize": optimize, "deterministic": deterministic, "cpu_threads": cpu_threads, "memory_limit": memory_limit,
    }  # fmt: skip
    request = Request(outputs, wrt, given or {}, scratch or {}, Launch(grid, block, shared_mem), options)
    functional = Functional(function, request)
    for argument in written:
        if argument not in (a.name for a in functional.arguments):
            raise functional.signature.refuse(f"mutates: {argument!r} is no argument")
    if name is None:
        name = f"hetad::{function.name}_{next(_numbers)}"
    elif "::" not in name:
        raise ArgumentError(f"name={name!r}: PyTorch names operators as 'library::name'")
    wanted = None if of is None else [n for n in functional.of or () if n in _names(of)]
    return TorchFunction(functional, Operators(functional, name), written, wanted)


def _with_mutated(of: Any, written: Sequence[str]) -> Any:
    """The outputs with those that only replace an argument."""
    if not written:
        return of
    if of is None:
        return dict.fromkeys(written)
    if isinstance(of, Mapping):
        return dict(of) | {name: None for name in written if name not in of}
    return [*_names(of), *(name for name in written if name not in _names(of))]


def _names(of: Any) -> list[Any]:
    return [of] if isinstance(of, str | int) else list(of)


class TorchFunction(Adapted):
    """Called with tensors and numbers.  `operator` is that of `torch.library`, on tensors alone."""

    library = "PyTorch"

    def __init__(
        self, functional: Functional, operators: Operators, mutates: Sequence[str], wanted: Sequence[str] | None
    ) -> None:
        outputs = [o.name for o in functional.outputs]
        returned = [o for o in outputs if (o in wanted if wanted is not None else o not in mutates)]
        super().__init__(functional, returned)
        self.operators = operators
        self.operator = operators.value.operator
        self._mutated = tuple((self._names.index(n), outputs.index(n)) for n in mutates)
        self._returned = tuple(outputs.index(o) for o in returned)
        self._plain = len(outputs) == 1 and not mutates

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The outputs: a tensor, or several in the order of `of`.

        Raises:
            ArgumentError: an argument does not fit its parameter.
        """
        values = [self._value(a, v) for a, v in zip(self._arguments, self._bound(args, named), strict=True)]
        if self._plain:
            return self.operators.value(*values)
        before = list(values)
        for argument, _ in self._mutated:  # autograd keeps what was there
            before[argument] = values[argument].clone()
        outputs = several(self.operators.value(*before))
        for argument, output in self._mutated:
            values[argument].copy_(outputs[output])
        returned = tuple(outputs[n] for n in self._returned)
        return returned[0] if len(returned) == 1 else returned or None

    def _value(self, argument: Any, value: Any) -> Any:
        if argument.kind == "array":
            if isinstance(value, torch.Tensor):
                return value
            raise self._refuse(f"expected a tensor, got a {type(value).__name__}", "use torch.as_tensor", argument)
        if argument.kind == "floating":
            if isinstance(value, torch.Tensor):
                if value.dim() == 0:
                    return value
                raise self._refuse(f"expected a number, got a tensor of shape {tuple(value.shape)}", "", argument)
            if isinstance(value, float | int):
                return torch.tensor(value, dtype=torch.float64)
            raise self._refuse(f"expected a number, got a {type(value).__name__}", "", argument)
        if isinstance(value, torch.Tensor):
            raise self._refuse("expected an integer of Python, got a tensor", "pass its .item()", argument)
        return value
