"""A function of a program as array libraries have functions: arguments go in, new arrays come out, and nothing else.

`hetad.torch` and `hetad.jax` bring such functions into their libraries.  A pointer is an argument, or an output that is
made for the call, or scratch memory; numbers may follow from the other arguments.
"""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from hetad.api import checked_function, gradient
from hetad.diagnostics import ArgumentError
from hetad.ir.types import Float, Int, Opaque, Pointer, innermost
from hetad.modes import hvp, jvp
from hetad.run.arrays import members_of
from hetad.run.layout import dtype_of, is_bool
from hetad.run.selection import Selection, select_of, select_wrt
from hetad.run.signature import RETURN, nearest
from hetad.shown import positional

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.compiled import Backend

Shape = tuple[int, ...]
ShapeRule = str | int | Sequence[str | int] | Callable[..., Sequence[int]] | None
Kind = Literal["array", "floating", "integer", "bool"]


@dataclass(frozen=True)
class Argument:
    """What a caller passes for one parameter."""

    name: str
    kind: Kind
    dtype: np.dtype[Any]  # of an array's elements, or of the number
    active: bool  # it is one of wrt
    written: bool = False


@dataclass(frozen=True)
class Output:
    """What a caller gets: an array, or the value that the function returns."""

    name: str
    dtype: np.dtype[Any]
    argument: bool  # the caller passes what it holds before


class Maker(Protocol):
    """How a library makes arrays that lie where those of a call do."""

    def zeros(self, shape: Shape, dtype: np.dtype[Any]) -> Any:
        """A new array of zeros."""

    def copy(self, array: Any) -> Any:
        """A new array, contiguous."""

    def ready(self, array: Any) -> Any:
        """The array itself if it is contiguous, else a copy."""

    def number(self, array: Any) -> Any:
        """That in an array of rank 0."""


class OnHost:
    """NumPy's arrays."""

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any]) -> Any:
        return np.zeros(shape, dtype)

    @staticmethod
    def copy(array: Any) -> Any:
        return np.array(array, order="C")

    @staticmethod
    def ready(array: Any) -> Any:
        return array if array.flags.c_contiguous else OnHost.copy(array)

    @staticmethod
    def number(array: Any) -> Any:
        return array.item()


@dataclass(slots=True)
class Call:
    """One call, in arrays of a library; for a number stands an array of rank 0."""

    values: Sequence[Any]  # of `arguments`, in order; integers as they are
    make: Maker
    backend: Backend
    wrt: Sequence[str] = ()  # of what a gradient is wanted, or `along` has a tangent; in the order of the function's
    along: Mapping[str, Any] = field(default_factory=dict)
    seeds: Sequence[Any] = ()  # of the outputs
    into: Mapping[str, Any] = field(default_factory=dict)  # arrays for results, by name


@dataclass(frozen=True)
class Launch:
    """Of a kernel: numbers, or functions of the arguments that give them."""

    grid: Any = None
    block: Any = None
    shared_mem: Any = 0

    def of(self, values: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """`values` gives the arguments, and what follows from them, where that is needed."""
        if self.grid is None and self.block is None:
            return {}
        known = values()
        return {word: evaluated(getattr(self, word), known) for word in ("grid", "block", "shared_mem")}


@dataclass(frozen=True)
class Request:
    """What a function of an array library is made of; see `hetad.torch.function`."""

    of: Mapping[str, ShapeRule] | Selection | None = None
    wrt: Selection | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    scratch: Mapping[str, ShapeRule] = field(default_factory=dict)
    launch: Launch = Launch()
    options: Mapping[str, Any] = field(default_factory=dict)  # of hetad.gradient


class Functional:
    """A function, its outputs, and products of its derivatives.

    Arguments are of their dtype; what they hold is left as it is.  Results are new arrays, or those in `into`, and
    numbers.
    """

    def __init__(self, function: Function, request: Request) -> None:
        checked_function(function)
        self.function = function
        self.signature = function.compiled.signature
        self._types = {p.name: p.type for p in function.parameters}
        self._written = function.compiled.written
        self._elements: dict[str, np.dtype[Any]] = {}
        self._launch = request.launch
        self._options = dict(request.options)
        rules = self._rules(request.of)
        self._made = {n: r for n, r in (*rules.items(), *request.scratch.items()) if r is not None}
        self._given = dict(request.given)
        self._check_names(rules, request)
        handles = {n: None for n, t in self._types.items() if isinstance(t, Opaque) and n not in self._given}
        self._given |= handles
        names = [n for n in self.signature.parameters if n not in self._made and n not in self._given]
        passive = {n: self._argument(n, active=False) for n in names}
        self.wrt = self._active(request.wrt, passive)
        self.arguments = tuple(self._argument(n, n in self.wrt) for n in names)
        self.of = tuple(rules) if rules else None
        self.outputs = tuple(self._outputs(rules, names))
        self._made_derivatives: dict[Any, Any] = {}
        if request.launch.grid is None and function.definition.kind == "kernel":
            raise self.signature.refuse(
                "a kernel needs grid= and block=", "give numbers, or functions of the arguments"
            )

    # --- what was asked --------------------------------------------------------------------------

    def _rules(self, of: Mapping[str, ShapeRule] | Selection | None) -> dict[str, ShapeRule]:
        selected: Any = tuple(of) if isinstance(of, Mapping) else of
        names = select_of(self.function.definition, self.signature, selected) or ()
        for name in names:
            if name not in self._written:
                raise self.signature.refuse(f"of: the function never writes to {name!r}, so it is no output")
        return {name: of[name] if isinstance(of, Mapping) else None for name in names}

    def _check_names(self, rules: Mapping[str, ShapeRule], request: Request) -> None:
        for what, names in (("scratch", request.scratch), ("given", request.given)):
            for name in names:
                if name not in self._types:
                    raise self.signature.refuse(f"{what}: there is no parameter {name!r}", nearest(name, self._types))
                if name in rules:
                    raise self.signature.refuse(f"{what}: {name!r} is an output already")
        for name in request.given:
            if name in self._written:
                raise self.signature.refuse(
                    f"given: the function writes to {name!r}", "make it scratch=, or pass it as an argument"
                )
        for name in request.scratch:
            if not isinstance(self._types[name], Pointer) or name in request.given:
                raise self.signature.refuse(f"scratch: {name!r} is no array that a call could make")

    def _argument(self, name: str, active: bool) -> Argument:
        match self._types[name]:
            case Int() as type_:
                return Argument(name, "bool" if is_bool(type_) else "integer", dtype_of(type_), active=False)
            case Float() as type_:
                return Argument(name, "floating", dtype_of(type_), active)
            case Pointer() if active and self._element(name) == np.float16:
                raise self.signature.refuse(
                    "its gradient is in float, and array libraries want that of an array of 16 bits in 16 bits",
                    "let the program take an array of float, and convert it", name,
                )  # fmt: skip
            case Pointer():
                return Argument(name, "array", self._element(name), active, name in self._written)
            case type_:
                raise self.signature.refuse(
                    f"a {type_} is no argument that an array library knows",
                    f"fix it with given={{{name!r}: ...}}",
                    name,
                )

    def _element(self, name: str) -> np.dtype[Any]:
        """The type of the numbers that an array holds."""
        if name not in self._elements:
            self._elements[name] = self._numbers_of(name)
        return self._elements[name]

    def _numbers_of(self, name: str) -> np.dtype[Any]:
        pointer = self._types[name]
        assert isinstance(pointer, Pointer)
        to = innermost(pointer.to)
        try:
            dtype = dtype_of(to)
        except TypeError:
            dtype = np.dtype(np.void)
        members = members_of(dtype)  # of a float3 and its like, in the last axis
        dtype = members[0] if members is not None else dtype
        if dtype.kind not in "fiub":
            raise self.signature.refuse(
                f"array libraries have no elements of {to}", "write a host function that takes arrays of numbers", name
            )
        return dtype

    def _active(self, wrt: Selection | None, arguments: Mapping[str, Argument]) -> tuple[str, ...]:
        if wrt is None:
            return tuple(n for n, a in arguments.items() if a.kind in ("array", "floating") and a.dtype.kind == "f")
        names = select_wrt(self.function.definition, self.signature, wrt)
        for name in names:
            if name not in arguments:
                raise self.signature.refuse(f"wrt: {name!r} is made for each call, and no argument")
        return names

    def _outputs(self, rules: Mapping[str, ShapeRule], names: Sequence[str]) -> list[Output]:
        if not rules:
            return [Output(RETURN, dtype_of(self.function.definition.returns), argument=False)]
        return [Output(name, self._element(name), name in names) for name in rules]

    @property
    def shown(self) -> inspect.Signature:
        """What Python and its tools show: the arguments, with their types in C."""
        symbols = {p.name: p for p in self.function.parameters}
        return inspect.Signature(positional([symbols[a.name] for a in self.arguments]))

    # --- calls -----------------------------------------------------------------------------------

    def shapes(self, values: Sequence[Any]) -> list[Shape]:
        """Of the outputs; the values of arrays need a `shape`."""
        named = {a.name: v for a, v in zip(self.arguments, values, strict=True)}
        return [self._shape(o.name, named) if o.name != RETURN else () for o in self.outputs]

    def value(self, call: Call) -> list[Any]:
        """The outputs, or the value that is returned."""
        every, launch = self._prepared(call, results=True)
        threads = self._options.get("cpu_threads")
        returned = self.function(*every.values(), backend=call.backend, cpu_threads=threads, **launch)
        return [returned] if self.of is None else [every[name] for name in self.of]

    def pullback(self, call: Call) -> list[Any]:
        """The gradient of seeds times outputs for each name in wrt."""
        every, launch = self._prepared(call)
        g = self._derivative("gradient", tuple(call.wrt), call.backend)
        of = zip(self.of or (), call.seeds, strict=self.of is not None)
        adjoints = {name: _copied(name, seed, call.make, call.into) for name, seed in of}
        for name in call.wrt:
            if name not in adjoints:
                adjoints[name] = self._zeros(name, every[name], call)
        returned = {} if self.of is not None else {"seeds": {RETURN: call.make.number(call.seeds[0])}}
        g.execute(*every.values(), *adjoints.values(), **returned, **launch)
        return [adjoints[name].item() if self._is_number(name) else adjoints[name] for name in call.wrt]

    def pushforward(self, call: Call) -> list[Any]:
        """The tangents of the outputs along those of the arguments."""
        every, launch = self._prepared(call)
        make, into = call.make, call.into
        t = self._derivative("tangent", tuple(call.wrt), call.backend)
        along = {
            n: make.number(call.along[n]) if self._is_number(n) else _copied(n, call.along[n], make, into)
            for n in call.wrt
        }
        for name in self.of or (RETURN,):
            if name == RETURN:
                along[name] = np.zeros(1, self.outputs[0].dtype)
            elif name not in along:
                along[name] = self._zeros(name, every[name], call)
        t.execute(*every.values(), *along.values(), **launch)
        return [along[RETURN].item()] if self.of is None else [along[name] for name in self.of]

    def second(self, call: Call) -> list[Any]:
        """The derivative, along the tangents, of the gradient that the seeds give, for each name in wrt."""
        every, launch = self._prepared(call)
        make = call.make
        h = self._derivative("second", tuple(call.wrt), call.backend)
        along = {n: make.number(v) if self._is_number(n) else make.ready(v) for n, v in call.along.items()}
        seeds = [make.number(s) if self.of is None else make.ready(s) for s in call.seeds]
        weights = dict(zip(self.of or (RETURN,), seeds, strict=True))
        found = h(*every.values(), tangents=along, seeds=weights, **launch)
        return [found[name] for name in call.wrt]

    # --- one step each ---------------------------------------------------------------------------

    def _prepared(self, call: Call, results: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
        """A value for each parameter, and the launch of a kernel.  `results`: what the function writes to is what is
        wanted."""
        make, into = call.make, call.into if results else {}
        named = {
            a.name: make.number(v) if a.kind == "floating" else v
            for a, v in zip(self.arguments, call.values, strict=True)
        }
        every: dict[str, Any] = {}
        for name in self.signature.parameters:
            if name in self._given:
                every[name] = evaluated(self._given[name], named)
            elif name in self._made:
                every[name] = _cleared(name, self._shape(name, named), self._element(name), make, into)
            elif name in self._written:
                every[name] = _copied(name, named[name], make, into)
            else:
                every[name] = make.ready(named[name]) if isinstance(self._types[name], Pointer) else named[name]
        return every, self._launch.of(lambda: self._known(named))

    def _known(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, and what follows from them."""
        return {**named, **{name: evaluated(rule, named) for name, rule in self._given.items()}}

    def _shape(self, name: str, named: Mapping[str, Any]) -> Shape:
        rule = self._made.get(name, name)
        if callable(rule):
            return tuple(evaluated(rule, self._known(named)))
        if isinstance(rule, str) and hasattr(named.get(rule), "shape"):
            return tuple(named[rule].shape)
        extents = [rule] if isinstance(rule, str | int) else list(rule or ())
        return tuple(self._extent(name, e, named) for e in extents)

    def _extent(self, name: str, extent: str | int, named: Mapping[str, Any]) -> int:
        if not isinstance(extent, str):
            return extent
        if extent in self._given:
            return evaluated(self._given[extent], named)  # type: ignore[no-any-return]
        if extent not in named or hasattr(named[extent], "shape"):
            raise self.signature.refuse(
                f"the shape of {name!r} names {extent!r}, which is no integer argument", nearest(extent, named)
            )
        return named[extent]  # type: ignore[no-any-return]

    def _zeros(self, name: str, like: Any, call: Call) -> Any:
        if self._is_number(name):
            return np.zeros(1, dtype_of(self._types[name]))
        return _cleared(name, tuple(like.shape), self._element(name), call.make, call.into)

    def _is_number(self, name: str) -> bool:
        return isinstance(self._types[name], Float)

    def _derivative(self, kind: str, wrt: tuple[str, ...], backend: Backend) -> Any:
        key = kind, wrt, backend
        if key not in self._made_derivatives:
            make: Any = {"gradient": gradient, "tangent": jvp, "second": hvp}[kind]
            options = self._options
            if kind == "tangent":
                options = {n: o for n, o in options.items() if n in ("optimize", "cpu_threads", "checked")}
            self._made_derivatives[key] = make(self.function, wrt, self.of, backend, **options)
        return self._made_derivatives[key]


def _cleared(name: str, shape: Shape, dtype: np.dtype[Any], make: Maker, into: Mapping[str, Any]) -> Any:
    if name not in into:
        return make.zeros(shape, dtype)
    into[name][...] = 0
    return into[name]


def _copied(name: str, array: Any, make: Maker, into: Mapping[str, Any]) -> Any:
    if name not in into:
        return make.copy(array)
    into[name][...] = array
    return into[name]


def evaluated(rule: Any, values: Mapping[str, Any]) -> Any:
    """A value, or what a function gives for the arguments that it names."""
    if not callable(rule):
        return rule
    names = _asked(rule)
    missing = [name for name in names if name not in values]
    if missing:
        raise ArgumentError(
            f"a function of the arguments asks for {missing[0]!r}; there are {', '.join(values)}: "
            "its parameters are named as those of the CUDA function"
        )
    return rule(*(values[name] for name in names))


@functools.lru_cache(maxsize=1024)
def _asked(rule: Callable[..., Any]) -> tuple[str, ...]:
    """The names of its parameters, of those that have no default; `lambda_` stands for a name that Python reserves."""
    names = [p.name for p in inspect.signature(rule).parameters.values() if p.default is p.empty]
    return tuple(n[:-1] if n.endswith("_") and keyword.iskeyword(n[:-1]) else n for n in names)
