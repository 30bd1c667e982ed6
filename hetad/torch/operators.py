"""The operators of a function: its value, its products with the Jacobian from both sides, and with the Hessian.

The derivatives of each are others of them:

    value(x)            backward: vjp(x, s)                                 forward: jvp(x, v)
    vjp(x, s) = Jᵀs     backward along c: x̄ = hvp(x, c, s), s̄ = jvp(x, c)    forward: hvp(x, ẋ, s) + vjp(x, ṡ)
    jvp(x, v) = J v     backward along c: x̄ = hvp(x, v, c), v̄ = vjp(x, c)    forward: jvp(x, v̇) where x stays
    hvp(x, v, s)        third derivatives: none

An operator has a fixed number of tensors: `mask` has a bit for each name of wrt that is asked for, or that moves; for
the others stands a tensor without elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from hetad.diagnostics import ArgumentError
from hetad.functional import Call
from hetad.products import HVP, JVP, NO_THIRD, VALUE, VJP
from hetad.torch.operator import Operator, Rules, several

if TYPE_CHECKING:
    from hetad.functional import Argument, Functional
    from hetad.products import Product

_DTYPES = {
    np.dtype(name): getattr(torch, kind)
    for name, kind in {
        "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
        "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "?": "bool",
    }.items()
}  # fmt: skip
_SCHEMAS = {"array": "Tensor", "floating": "Tensor", "integer": "SymInt", "bool": "bool"}


@dataclass(frozen=True)
class _Maker:
    device: Any

    def zeros(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return torch.zeros(shape, dtype=_DTYPES[dtype], device=self.device)

    def copy(self, array: Any) -> Any:
        return array.clone(memory_format=torch.contiguous_format)

    def ready(self, array: Any) -> Any:
        return array.contiguous()

    def number(self, array: Any) -> Any:
        return array.item()


_maker = functools.cache(_Maker)


class Operators:
    """Of one function; `name` is that of the operator for its value."""

    def __init__(self, functional: Functional, name: str) -> None:
        self._functional = functional
        self._signature = functional.signature
        arguments = functional.arguments
        self._count = len(arguments)
        self._arrays = [i for i, a in enumerate(arguments) if a.kind == "array"]
        self._at = {a.name: i for i, a in enumerate(arguments) if a.active}
        self._wrt = tuple(self._at)
        self._outputs = len(functional.outputs)
        given = [f"{_SCHEMAS[a.kind]} a{i}" for i, a in enumerate(arguments)]
        tangents = [f"Tensor v{i}" for i in range(len(self._wrt))]
        seeds = [f"Tensor s{i}" for i in range(self._outputs)]
        one, every, mask = self._outputs, len(self._wrt), ["int mask"]
        value = self._rules(VALUE, self._fake_value, self._value_back, self._value_on)
        self.value = Operator(name, given, one, value)
        if not self._wrt:
            return
        vjp = self._rules(VJP, self._fake_like, self._vjp_back, self._vjp_on)
        jvp = self._rules(JVP, self._fake_jvp, self._jvp_back, self._jvp_on)
        hvp = self._rules(HVP, self._fake_like, _no_third, _no_third)
        self.vjp = Operator(f"{name}_vjp", [*given, *seeds, *mask], every, vjp)
        self.jvp = Operator(f"{name}_jvp", [*given, *tangents, *mask], one, jvp)
        self.hvp = Operator(f"{name}_hvp", [*given, *tangents, *seeds, *mask], every, hvp)

    # --- what they compute -----------------------------------------------------------------------

    def _rules(
        self, product: Product, fake: Callable[..., Any], backward: Callable[..., Any], forward: Callable[..., Any]
    ) -> Rules:
        return Rules(functools.partial(self._computed, product), fake, backward, forward)

    def _computed(self, product: Product, *args: Any) -> list[Any]:
        """The results of a product as tensors."""
        x, device = args[: self._count], self._device(args)
        self._check(x, device)
        call = Call(x, _maker(device), "cuda" if device.type == "cuda" else "cpu")
        if product.groups:
            _, *groups = product.parts(args, self._count, len(self._wrt), self._outputs)
            given = dict(zip(product.groups, groups, strict=True))
            call.wrt, call.seeds = self._named_by(args[-1]), given.get("seeds", ())
            call.along = {n: t for n, t in zip(self._wrt, given.get("tangents", ()), strict=False) if n in call.wrt}
        assert product.compute is not None
        found = product.compute(self._functional, call)
        if product.gives == "outputs":
            return self._as_outputs(found, device)
        return self._as_arguments(x, dict(zip(call.wrt, found, strict=True)))

    def _fake_value(self, *args: Any) -> list[Any]:
        device = self._device(args)
        outputs = zip(self._functional.shapes(args), self._functional.outputs, strict=True)
        return [torch.empty(shape, dtype=_DTYPES[o.dtype], device=device) for shape, o in outputs]

    def _fake_jvp(self, *args: Any) -> list[Any]:
        return self._fake_value(*args[: self._count])

    def _fake_like(self, *args: Any) -> list[Any]:
        asked = self._named_by(args[-1])
        return [
            torch.empty_like(args[i], memory_format=torch.contiguous_format) if n in asked else args[i].new_empty(0)
            for n, i in self._at.items()
        ]

    # --- their derivatives -----------------------------------------------------------------------

    def _value_back(self, args: Sequence[Any], needed: Sequence[bool], *seeds: Any) -> list[Any]:
        mask = self._mask(needed)
        found = several(self.vjp(*args, *seeds, mask)) if mask else ()
        return self._gradients(found, mask)

    def _value_on(self, args: Sequence[Any], *tangents: Any) -> Any:
        return self._along(args, tangents)

    def _vjp_back(self, args: Sequence[Any], needed: Sequence[bool], *cotangents: Any) -> list[Any]:
        given, seeds, mask = args[: self._count], args[self._count : -1], args[-1]
        moved = self._mask(needed)
        along = self._filled(given, cotangents, mask, mask | moved)
        found = several(self.hvp(*given, *along, *seeds, mask | moved)) if moved else ()
        of_seeds: Sequence[Any] = [None] * self._outputs
        if any(needed[self._count : -1]):
            of_seeds = several(self.jvp(*given, *cotangents, mask))
        return [*self._gradients(found, moved), *of_seeds, None]

    def _vjp_on(self, args: Sequence[Any], *tangents: Any) -> list[Any]:
        given, seeds, mask = args[: self._count], args[self._count : -1], args[-1]
        parts: list[Sequence[Any]] = []
        moved = self._mask([t is not None for t in tangents[: self._count]])
        if moved:
            along = self._filled(given, [tangents[i] for i in self._at.values()], moved, mask | moved)
            found = several(self.hvp(*given, *along, *seeds, mask | moved))
            parts.append([f if mask >> k & 1 else given[i].new_empty(0) for k, (f, i) in enumerate(self._pairs(found))])
        moving = tangents[self._count : -1]
        if any(t is not None for t in moving):
            weights = [torch.zeros_like(s) if t is None else t for s, t in zip(seeds, moving, strict=True)]
            parts.append(several(self.vjp(*given, *weights, mask)))
        return _sum(parts)

    def _jvp_back(self, args: Sequence[Any], needed: Sequence[bool], *cotangents: Any) -> list[Any]:
        given, tangents, mask = args[: self._count], args[self._count : -1], args[-1]
        moved = self._mask(needed)
        along = self._filled(given, tangents, mask, mask | moved)
        found = several(self.hvp(*given, *along, *cotangents, mask | moved)) if moved else ()
        of_tangents: Sequence[Any] = [None] * len(self._wrt)
        if any(needed[self._count : -1]):
            of_tangents = several(self.vjp(*given, *cotangents, mask))
        return [*self._gradients(found, moved), *of_tangents, None]

    def _jvp_on(self, args: Sequence[Any], *tangents: Any) -> Any:
        given, mask = args[: self._count], args[-1]
        if any(t is not None for t in tangents[: self._count]):
            raise ArgumentError(NO_THIRD)
        moving = self._filled(given, tangents[self._count : -1], mask, mask)
        return several(self.jvp(*given, *moving, mask))

    # --- one step each ---------------------------------------------------------------------------

    def _check(self, args: Sequence[Any], device: Any) -> None:
        for i in self._arrays:
            self._check_tensor(self._functional.arguments[i], args[i], device)

    def _device(self, args: Sequence[Any]) -> Any:
        return args[self._arrays[0]].device if self._arrays else torch.device("cpu")

    def _check_tensor(self, argument: Argument, tensor: Any, device: Any) -> None:
        wanted = _DTYPES[argument.dtype]
        if tensor.dtype is not wanted and not (wanted is torch.uint16 and tensor.dtype is torch.bfloat16):
            raise self._signature.refuse(
                f"expected a tensor of {wanted}, got {tensor.dtype}", f"convert it with .to({wanted})", argument.name
            )
        if tensor.device != device:
            first = self._functional.arguments[self._arrays[0]].name
            problem = f"this tensor is on {tensor.device}, and {first} on {device}"
            raise self._signature.refuse(problem, "move both to the same device", argument.name)
        if device.type not in ("cpu", "cuda"):
            problem = f"this tensor is on {device}: hetad works on the CPU and on NVIDIA GPUs"
            raise self._signature.refuse(problem, parameter=argument.name)

    def _as_outputs(self, found: Sequence[Any], device: Any) -> list[Any]:
        return [
            f if isinstance(f, torch.Tensor) else torch.tensor(f, dtype=_DTYPES[o.dtype], device=device)
            for f, o in zip(found, self._functional.outputs, strict=True)
        ]

    def _as_arguments(self, given: Sequence[Any], found: Mapping[str, Any]) -> list[Any]:
        """For each name of wrt a tensor like the argument; without elements, where nothing is asked for."""
        made = []
        for name, i in self._at.items():
            value, like = found.get(name), given[i]
            if value is None:
                made.append(like.new_empty(0))
            elif isinstance(value, torch.Tensor):
                made.append(value)
            else:
                made.append(torch.tensor(value, dtype=like.dtype, device=like.device))
        return made

    def _named_by(self, mask: int) -> tuple[str, ...]:
        return tuple(n for k, n in enumerate(self._wrt) if mask >> k & 1)

    def _mask(self, needed: Sequence[bool]) -> int:
        """Which of wrt are needed.  What is no part of wrt has no derivative to give."""
        for i, a in enumerate(self._functional.arguments):
            if needed[i] and not a.active:
                raise self._signature.refuse(
                    "this argument requires a gradient, and is no part of wrt",
                    "name it in wrt=, or pass its .detach()", a.name,
                )  # fmt: skip
        return sum(1 << k for k, i in enumerate(self._at.values()) if needed[i])

    def _pairs(self, found: Sequence[Any]) -> list[tuple[Any, int]]:
        return list(zip(found, self._at.values(), strict=True))

    def _gradients(self, found: Sequence[Any], mask: int) -> list[Any]:
        gradients: list[Any] = [None] * self._count
        for k, (value, i) in enumerate(self._pairs(found) if mask else ()):
            if mask >> k & 1:
                gradients[i] = value
        return gradients

    def _filled(self, given: Sequence[Any], some: Sequence[Any], known: int, wanted: int) -> list[Any]:
        """A tensor for each of wrt: what is known, zeros for what is wanted besides, else one without elements."""
        return [
            given[i].new_empty(0)
            if not wanted >> k & 1
            else t if known >> k & 1 and t is not None
            else torch.zeros_like(given[i])
            for k, (t, i) in enumerate(zip(some, self._at.values(), strict=True))
        ]  # fmt: skip

    def _along(self, args: Sequence[Any], tangents: Sequence[Any]) -> Sequence[Any]:
        mask = self._mask([t is not None for t in tangents])
        along = self._filled(args, [tangents[i] for i in self._at.values()], mask, mask)
        return several(self.jvp(*args, *along, mask))


def _sum(parts: Sequence[Sequence[Any]]) -> list[Any]:
    return [a if len(each) == 1 else a + each[1] for each in zip(*parts, strict=True) for a in each[:1]]


def _no_third(*_: Any) -> Any:
    raise ArgumentError(NO_THIRD)
