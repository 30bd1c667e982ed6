"""The primitives of functions in JAX, which are derivatives of each other.

    value(x)             forward: jvp(x, v)
    jvp(x, v) = J v      forward: jvp(x, v̇) + bend(x, ẋ, v)       transposed in v: vjp(x, s)
    vjp(x, s) = Jᵀs      forward: vjp(x, ṡ) + hvp(x, ẋ, s)        transposed in s: jvp(x, v)
    hvp(x, v, s)         forward: hvp(x, v̇, s) + hvp(x, v, ṡ)     transposed in v: hvp(x, c, s), in s: bend(x, c, v)
    bend(x, u, v)        d/dε J(x + εu) v, which is no program:    transposed in u: hvp(x, v, c), in v: hvp(x, u, c)

Each is linear in what follows x.  `wrt` are the arguments, by number, along which v and u go and of which a gradient is
returned; `numbers` are the integers of a call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from hetad.diagnostics import ArgumentError
from hetad.jax import ffi
from hetad.jax.products import BEND, Subject, parts, results, work
from hetad.products import HVP, JVP, NO_THIRD, VALUE, VJP, Product

_NOT_COMPUTED = f"{NO_THIRD}: where one of two is of reverse mode there is one"

Sum = list[Any]  # tangents, or ad.Zero


def value(subject: Subject, numbers: tuple[Any, ...], x: Sequence[Any]) -> list[Any]:
    """The outputs."""
    return list(_value.bind(*_alike(x), subject=subject, numbers=numbers, wrt=subject.active))


# --- registration --------------------------------------------------------------------------------


def _primitive(product: Product) -> Any:
    made = Primitive(f"hetad_{product.name}")
    made.multiple_results = True

    def lowered(context: Any, *operands: Any, subject: Subject, numbers: Any, wrt: Any) -> Any:
        if product.compute is None:
            raise ArgumentError(_NOT_COMPUTED)
        key = f"{subject.key} {product.name} {numbers} {wrt}"
        ffi.register(key, work(product, subject, numbers, wrt))
        return jax.ffi.ffi_lowering(ffi.TARGET)(context, *operands, key=key)

    def abstract(*avals: Any, subject: Subject, numbers: Any, wrt: Any) -> Any:
        specs = results(product, subject, numbers, wrt, avals)
        if _axes(avals):
            return jax.make_jaxpr(functools.partial(_stand_in, specs))(*avals).out_avals
        return [jax.core.ShapedArray(shape, dtype) for shape, dtype in specs]

    def batched(operands: Sequence[Any], axes: Sequence[Any], **params: Any) -> Any:
        """One after the other."""
        moving = [jnp.moveaxis(v, a, 0) for v, a in zip(operands, axes, strict=True) if a is not None]

        def one(rows: Sequence[Any]) -> Any:
            each = iter(rows)
            mixed = [v if a is None else next(each) for v, a in zip(operands, axes, strict=True)]
            return made.bind(*mixed, **params)

        found = jax.lax.map(one, moving)
        return found, [0] * len(found)

    made.def_abstract_eval(abstract)
    made.def_impl(lambda *operands, **params: _compiled(made, tuple(params.items()))(*operands))
    mlir.register_lowering(made, lowered)
    batching.primitive_batchers[made] = batched
    return made


@functools.lru_cache(maxsize=256)
def _compiled(primitive: Any, params: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    """For calls outside of `jax.jit`."""
    run: Callable[..., Any] = jax.jit(lambda *operands: primitive.bind(*operands, **dict(params)))
    return run


_value, _vjp, _jvp, _hvp, _bend = (_primitive(product) for product in (VALUE, VJP, JVP, HVP, BEND))


# --- derivatives ---------------------------------------------------------------------------------


def _value_forward(x: Sequence[Any], dots: Sequence[Any], *, subject: Subject, numbers: Any, wrt: Any) -> Any:
    results = _value.bind(*x, subject=subject, numbers=numbers, wrt=wrt)
    moved = _moved(subject, dots)
    if not moved:
        return results, [_zero(r) for r in results]
    along = _along(subject, x, dots, moved)
    return results, _jvp.bind(*x, *along, subject=subject, numbers=numbers, wrt=moved)


def _jvp_forward(given: Sequence[Any], dots: Sequence[Any], *, subject: Subject, numbers: Any, wrt: Any) -> Any:
    params: dict[str, Any] = {"subject": subject, "numbers": numbers}
    x, v = parts(JVP, subject, wrt, given)
    x_dots, v_dots = parts(JVP, subject, wrt, dots)
    results = _jvp.bind(*given, **params, wrt=wrt)
    sums: Sum = [_zero(r) for r in results]
    if not _still(v_dots):
        sums = _plus(sums, _jvp.bind(*x, *_instantiated(v_dots), **params, wrt=wrt))
    if moved := _moved(subject, x_dots):
        every = _union(moved, wrt)
        u = _along(subject, x, x_dots, every)
        sums = _plus(sums, _bend.bind(*x, *u, *_spread(subject, x, wrt, v, every), **params, wrt=every))
    return results, sums


def _vjp_forward(given: Sequence[Any], dots: Sequence[Any], *, subject: Subject, numbers: Any, wrt: Any) -> Any:
    params: dict[str, Any] = {"subject": subject, "numbers": numbers}
    x, s = parts(VJP, subject, wrt, given)
    x_dots, s_dots = parts(VJP, subject, wrt, dots)
    results = _vjp.bind(*given, **params, wrt=wrt)
    sums: Sum = [_zero(r) for r in results]
    if not _still(s_dots):
        sums = _plus(sums, _vjp.bind(*x, *_instantiated(s_dots), **params, wrt=wrt))
    if moved := _moved(subject, x_dots):
        every = _union(moved, wrt)
        found = _hvp.bind(*x, *_along(subject, x, x_dots, every), *s, **params, wrt=every)
        sums = _plus(sums, [found[every.index(i)] for i in wrt])
    return results, sums


def _hvp_forward(given: Sequence[Any], dots: Sequence[Any], *, subject: Subject, numbers: Any, wrt: Any) -> Any:
    return _linear_forward(HVP, _hvp, given, dots, subject=subject, numbers=numbers, wrt=wrt)


def _bend_forward(given: Sequence[Any], dots: Sequence[Any], *, subject: Subject, numbers: Any, wrt: Any) -> Any:
    return _linear_forward(BEND, _bend, given, dots, subject=subject, numbers=numbers, wrt=wrt)


def _linear_forward(
    product: Product, primitive: Any, given: Sequence[Any], dots: Sequence[Any], **params: Any
) -> tuple[Any, Sum]:
    """Of what is linear in two groups, where x stays."""
    x, first, second = parts(product, params["subject"], params["wrt"], given)
    x_dots, *more = parts(product, params["subject"], params["wrt"], dots)
    if _moved(params["subject"], x_dots):
        raise ArgumentError(NO_THIRD)
    results = primitive.bind(*given, **params)
    sums: Sum = [_zero(r) for r in results]
    if not _still(more[0]):
        sums = _plus(sums, primitive.bind(*x, *_instantiated(more[0]), *second, **params))
    if not _still(more[1]):
        sums = _plus(sums, primitive.bind(*x, *first, *_instantiated(more[1]), **params))
    return results, sums


def _jvp_transposed(c: Sequence[Any], *given: Any, subject: Subject, numbers: Any, wrt: Any) -> Any:
    x, v = parts(JVP, subject, wrt, given)
    found = _vjp.bind(*x, *_instantiated(c), subject=subject, numbers=numbers, wrt=wrt)
    return [*_none(x), *_where_asked(v, found)]


def _vjp_transposed(c: Sequence[Any], *given: Any, subject: Subject, numbers: Any, wrt: Any) -> Any:
    x, s = parts(VJP, subject, wrt, given)
    found = _jvp.bind(*x, *_instantiated(c), subject=subject, numbers=numbers, wrt=wrt)
    return [*_none(x), *_where_asked(s, found)]


def _hvp_transposed(c: Sequence[Any], *given: Any, **params: Any) -> Any:
    x, v, s = parts(HVP, params["subject"], params["wrt"], given)
    if any(map(ad.is_undefined_primal, v)):
        found = _hvp.bind(*x, *_instantiated(c), *s, **params)
        return [*_none(x), *_where_asked(v, found), *_none(s)]
    found = _bend.bind(*x, *_instantiated(c), *v, **params)
    return [*_none(x), *_none(v), *_where_asked(s, found)]


def _bend_transposed(c: Sequence[Any], *given: Any, **params: Any) -> Any:
    x, u, v = parts(BEND, params["subject"], params["wrt"], given)
    first = any(map(ad.is_undefined_primal, u))
    found = _hvp.bind(*x, *(v if first else u), *_instantiated(c), **params)
    return [*_none(x), *_where_asked(u, found), *_where_asked(v, found)]


for _made, _forward, _transposed in (
    (_value, _value_forward, None), (_jvp, _jvp_forward, _jvp_transposed), (_vjp, _vjp_forward, _vjp_transposed),
    (_hvp, _hvp_forward, _hvp_transposed), (_bend, _bend_forward, _bend_transposed),
):  # fmt: skip
    ad.primitive_jvps[_made] = _forward
    if _transposed is not None:
        ad.primitive_transposes[_made] = _transposed


# --- tangents and cotangents ---------------------------------------------------------------------


def _moved(subject: Subject, dots: Sequence[Any]) -> tuple[int, ...]:
    """The arguments that have a tangent.  What is no part of wrt has no derivative to give."""
    moved = tuple(i for i, t in zip(subject.arrays, dots, strict=True) if type(t) is not ad.Zero)
    for i in moved:
        if i not in subject.active:
            raise subject.functional.signature.refuse(
                "this argument is differentiated, and is no part of wrt",
                "name it in wrt=, or pass jax.lax.stop_gradient of it", subject.functional.arguments[i].name,
            )  # fmt: skip
    return moved


def _along(subject: Subject, x: Sequence[Any], dots: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """The tangents of arguments; zeros of those that stay."""
    at = [subject.arrays.index(i) for i in wrt]
    return [jnp.zeros_like(x[k]) if type(dots[k]) is ad.Zero else dots[k] for k in at]


def _spread(
    subject: Subject, x: Sequence[Any], wrt: Sequence[int], v: Sequence[Any], every: Sequence[int]
) -> list[Any]:
    """Tangents along wrt as such along more."""
    return [v[wrt.index(i)] if i in wrt else jnp.zeros_like(x[subject.arrays.index(i)]) for i in every]


def _union(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({*first, *second}))


def _still(dots: Sequence[Any]) -> bool:
    return all(type(t) is ad.Zero for t in dots)


def _instantiated(dots: Sequence[Any]) -> list[Any]:
    return [ad.instantiate_zeros(t) for t in dots]


def _zero(result: Any) -> Any:
    return ad.Zero(jax.typeof(result).to_tangent_aval())


def _plus(sums: Sum, more: Sequence[Any]) -> Sum:
    return [ad.add_tangents(a, b) for a, b in zip(sums, more, strict=True)]


def _none(group: Sequence[Any]) -> list[None]:
    return [None] * len(group)


def _where_asked(group: Sequence[Any], found: Sequence[Any]) -> list[Any]:
    return [f if ad.is_undefined_primal(g) else None for g, f in zip(group, found, strict=True)]


# --- jax.shard_map -------------------------------------------------------------------------------


def _axes_of(aval: Any) -> frozenset[Any]:
    """The axes of a mesh along which an array varies, inside of `jax.shard_map`."""
    of = getattr(aval, "manual_axis_type", None)
    found = getattr(aval, "vma", None) if of is None else of.varying
    return frozenset(found or ())


def _axes(avals: Sequence[Any]) -> frozenset[Any]:
    return frozenset().union(*map(_axes_of, avals))


def _alike(arrays: Sequence[Any]) -> list[Any]:
    """All varying along the same axes, so that the derivative with respect to what is shared is summed over them."""
    axes = _axes([jax.typeof(a) for a in arrays])
    return [
        jax.lax.pcast(a, tuple(sorted(more)), to="varying") if (more := axes - _axes_of(jax.typeof(a))) else a
        for a in arrays
    ]


def _stand_in(results: Sequence[Any], *operands: Any) -> list[Any]:
    """Of the shapes of the results, varying as the operands do."""
    zero = sum(jnp.sum(v.astype(bool)) for v in operands) * 0
    return [jnp.broadcast_to(jnp.asarray(zero, dtype), shape) for shape, dtype in results]
