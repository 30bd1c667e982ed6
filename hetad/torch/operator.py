"""An operator of `torch.library`, from functions that know nothing of PyTorch's registrations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad

_transformed: Callable[[], bool] = torch._C._are_functorch_transforms_active  # those of torch.func
_watchers: Callable[[], int] = torch._C._len_torch_dispatch_stack  # who sees each operator: traces, fake tensors
_batched: Callable[[Any], bool] = torch._C._functorch.is_legacy_batchedtensor  # of gradients for many seeds at once
_NUMBERS = frozenset({int, bool})
_TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})


@dataclass(frozen=True)
class Rules:
    """What an operator does, on its arguments in order; each gives a sequence with one entry for each result.

    `backward` and `forward` have the arguments first, as a sequence.
    """

    run: Callable[..., Sequence[Any]]
    fake: Callable[..., Sequence[Any]]  # of tensors that have no numbers
    backward: Callable[..., Sequence[Any]]  # arguments, which of them are needed, then cotangents
    forward: Callable[..., Sequence[Any]]  # arguments, then tangents, None for what stays


class Operator:
    """An operator; and the same as an autograd function, which has what operators cannot have: a forward derivative,
    and those of `torch.func`.  Where nobody could tell the difference it is called without the operator around it,
    which takes PyTorch longer than a small call takes; and without autograd, where that has nothing to keep."""

    def __init__(self, name: str, parameters: Sequence[str], results: int, rules: Rules) -> None:
        self._results = results
        self._rules = rules
        returned = ", ".join(["Tensor"] * results)
        schema = f"({', '.join(parameters)}) -> {returned if results == 1 else f'({returned})'}"
        self.operator = torch.library.custom_op(name, self._run, mutates_args=(), schema=schema)
        self.operator.register_fake(self._fake)
        self.operator.register_autograd(self._backward, setup_context=self._setup_context)
        self.operator.register_vmap(self._vmap)
        parts = {
            "forward": self.operator, "setup_context": self._setup_context, "backward": self._backward,
            "jvp": self._forward, "vmap": self._vmap,
        }  # fmt: skip
        self._function = _function(name, parts)
        self._bare = _function(name, {"forward": self._run_bare, "backward": self._backward})

    def __call__(self, *args: Any) -> Any:
        if torch.compiler.is_compiling():
            return self.operator(*args)
        if _transformed() or forward_ad._current_level >= 0:
            return self._function.apply(*args)
        if _watchers():
            return self.operator(*args)
        kept = False
        for v in args:
            if type(v) in _TENSORS and not _batched(v):
                kept = kept or v.requires_grad
            elif type(v) not in _NUMBERS:
                return self.operator(*args)
        return self._bare.apply(*args) if kept and torch.is_grad_enabled() else self._run(*args)

    def _run(self, *args: Any) -> Any:
        with torch.no_grad():
            return self._alone(self._rules.run(*args))

    def _run_bare(self, ctx: Any, *args: Any) -> Any:
        self._setup_context(ctx, args, None)
        return self._alone(self._rules.run(*args))

    def _fake(self, *args: Any) -> Any:
        return self._alone(self._rules.fake(*args))

    def _alone(self, found: Sequence[Any]) -> Any:
        return found[0] if self._results == 1 else tuple(found)

    @staticmethod
    def _setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
        ctx.numbers = [None if isinstance(v, torch.Tensor) else v for v in inputs]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    def _backward(self, ctx: Any, *cotangents: Any) -> Any:
        return tuple(self._rules.backward(_arguments(ctx), ctx.needs_input_grad, *cotangents))

    def _forward(self, ctx: Any, *tangents: Any) -> Any:
        return self._alone(self._rules.forward(_arguments(ctx), *tangents))

    def _vmap(self, info: Any, in_dims: Sequence[int | None], *args: Any) -> Any:
        """One after the other."""
        each = [
            several(self(*(v if d is None else v.select(d, i) for v, d in zip(args, in_dims, strict=True))))
            for i in range(info.batch_size)
        ]
        return self._alone([torch.stack(some) for some in zip(*each, strict=True)]), self._alone([0] * self._results)


def _function(name: str, methods: Mapping[str, Callable[..., Any]]) -> Any:
    parts = {word: staticmethod(part) for word, part in methods.items()}
    return type(name.rpartition(":")[2], (torch.autograd.Function,), parts)


def several(found: Any) -> Sequence[Any]:
    """The results of an operator, also of one that has but one."""
    return found if isinstance(found, tuple | list) else (found,)


def _arguments(ctx: Any) -> list[Any]:
    tensors = iter(ctx.saved_tensors)
    return [next(tensors) if v is None else v for v in ctx.numbers]
