"""A function, and its gradients, made ready to run: once for each way in which they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hetad.diagnostics import ArgumentError
from hetad.host.decisions import MemoryLimit
from hetad.ir.types import Pointer
from hetad.run import forking
from hetad.run.kept import kept
from hetad.run.launch import LaunchConfiguration
from hetad.run.lengths import Lengths
from hetad.run.report import size_in_bytes
from hetad.run.running import Running
from hetad.run.selection import Selection, select_of, select_wrt
from hetad.run.signature import RETURN, Signature, signature_of

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit
    from hetad.host.derivation import Request
    from hetad.host.derivative import Derivative, Parameter, Primal, SecondOrder
    from hetad.ir import nodes
    from hetad.run.along import TangentPlan
    from hetad.run.call import Interface, Plan
    from hetad.run.executable import Executable

Backend = Literal["cpu", "cuda"]
_ANYHOW = Running()
EVERY = 600.0  # seconds between two times that a call with resume=True writes files


class Compiled:
    """What is made of one function, each thing once and when it is first needed."""

    def __init__(self, unit: Unit, name: str) -> None:
        self.unit = unit
        self.name = name
        self.definition: nodes.Function = unit.reach(name).functions[name]
        self.signature: Signature = signature_of(self.definition)
        if self.definition.kind == "device":
            raise ArgumentError(
                f"{name} is a __device__ function, which only device code can call\n    {self.signature}\n"
                "  help: differentiate a kernel that calls it"
            )
        self._lock = forking.lock()
        self._primal: Primal | None = None
        self._plans: dict[tuple[Backend, Running], Plan] = {}
        self._watched: dict[int, Plan] = {}  # under the race detector
        self._derivatives: dict[Any, Derivative] = {}
        self._gradient_plans: dict[Any, Plan] = {}
        self._tangent_plans: dict[Any, TangentPlan] = {}
        self._second_orders: dict[Any, SecondOrder] = {}

    def launch(
        self, grid: Any, block: Any, shared_mem: Any, stream: Any, named: dict[str, Any]
    ) -> LaunchConfiguration | None:
        """The configuration of a kernel.  A host function has none, but it may have a parameter called `grid`."""
        if self.definition.kind == "kernel":
            return LaunchConfiguration.of(self.signature, grid, block, shared_mem, stream)
        if grid is None and block is None and stream is None and not shared_mem:
            return None
        given = {"grid": grid, "block": block, "shared_mem": shared_mem or None, "stream": stream}
        for name, value in given.items():
            if value is not None:
                if name not in self.signature.parameters:
                    raise self.signature.refuse(
                        f"{name}= is for kernels; this host function launches by itself", f"leave {name}= out"
                    )
                named[name] = value
        return None

    def primal_plan(self, backend: Backend, running: Running = _ANYHOW) -> Plan:
        plan = self._plans.get((backend, running))
        if plan is None:
            from hetad.run.call import Plan

            with self._lock:
                primal = self._reached()
                parts = self._parts("primal")
                executable = build(primal.program, primal.entry, backend, running, parts=parts)
                plan = Plan(executable, self._interface(primal.parameters))
                self._plans[backend, running] = plan
        return plan

    def watched_plan(self, limit: int) -> Plan:
        """Of the function under the race detector, which gives up after so much work; 0: never."""
        from hetad.run import races
        from hetad.run.call import Plan

        with self._lock:
            if limit not in self._watched:
                primal = self._reached()
                executable = races.build(primal.program, primal.entry, limit)
                self._watched[limit] = Plan(executable, self._interface(primal.parameters, watched=True))
            return self._watched[limit]

    def watched_gradient_plan(self, choice: Choice, limit: int, sets: int = 0) -> Plan:
        """Of the derivative under the race detector."""
        from hetad.run import races

        derivative = self.derivative(choice)
        with self._lock:
            executable = races.build(derivative.program, derivative.entry, limit)
            return self._plan(choice, executable, sets, self._interface(derivative.parameters, watched=True))

    def choice(self, wrt: Selection, of: Selection | None, options: Mapping[str, Any]) -> Choice:
        """What is asked for in a user's words, if it fits the function.

        Raises:
            ArgumentError: see `run/selection.py`.
        """
        definition, signature = self.definition, self.signature
        return Choice(select_wrt(definition, signature, wrt), select_of(definition, signature, of), options)

    def request(self, choice: Choice) -> Request:
        """The same for the pipeline."""
        from hetad.host.derivation import Request

        return Request(function=self.name, wrt=choice.wrt, of=choice.of, **choice.options)

    def derivative(self, choice: Choice) -> Derivative:
        with self._lock:
            if choice.key not in self._derivatives:
                parts = self._parts("derivative", choice)
                self._derivatives[choice.key] = kept(parts, lambda: self._differentiated(choice))
            return self._derivatives[choice.key]

    def gradient_plan(self, choice: Choice, backend: Backend, running: Running = _ANYHOW, sets: int = 0) -> Plan:
        """`sets`: of a batch."""
        with self._lock:
            key = (choice.key, backend, running, sets)
            if key not in self._gradient_plans:
                derivative = self.derivative(choice)
                graph = bool(choice.options.get("graph", False))
                parts = self._parts("derivative", choice)
                executable = build(derivative.program, derivative.entry, backend, running, graph, parts)
                plan = self._plan(choice, executable, sets, self._interface(derivative.parameters))
                limit = choice.options["memory_limit"]
                if limit is not None and limit.every is not None:
                    from hetad.run.resume import Resume

                    text = f"{backend} {running}\n{self.text(derivative, 'gradient to go on with', choice)}"
                    plan.resume = Resume(Path(limit.directory), limit.every, hashlib.sha256(text.encode()).hexdigest())
                self._gradient_plans[key] = plan
            return self._gradient_plans[key]

    def _interface(self, parameters: Sequence[Parameter], watched: bool = False) -> Interface:
        """How what has these parameters is called; the race detector sees for itself what arrays hold."""
        from hetad.run.call import Interface

        return Interface(parameters, self.signature, self._reached().written, None if watched else self._lengths)

    def _plan(self, choice: Choice, executable: Executable, sets: int, interface: Interface) -> Plan:
        from hetad.run.call import Plan

        parts = (executable, interface, choice.wrt, choice.of or ())
        if not sets:
            return Plan(*parts)
        from hetad.run.batch import BatchPlan

        return BatchPlan(*parts, function=self.definition, batched=choice.options["batch"], sets=sets)

    def tangent_plan(self, choice: Choice, backend: Backend, running: Running = _ANYHOW) -> TangentPlan:
        from hetad.run.along import TangentPlan

        derivative = self.derivative(choice)
        with self._lock:
            key = (choice.key, backend, running)
            if key not in self._tangent_plans:
                parts = self._parts("derivative", choice)
                executable = build(derivative.program, derivative.entry, backend, running, parts=parts)
                self._tangent_plans[key] = TangentPlan(
                    executable, self._interface(derivative.parameters), choice.wrt, choice.of,
                    choice.options["directions"],
                )  # fmt: skip
            return self._tangent_plans[key]

    def second_order(self, choice: Choice, gradient: bool = False) -> SecondOrder:
        with self._lock:
            key = (choice.key, gradient)
            if key not in self._second_orders:
                parts = self._parts(f"second order {gradient}", choice)
                self._second_orders[key] = kept(parts, lambda: self._differentiated_twice(choice, gradient))
            return self._second_orders[key]

    def second_order_plan(self, choice: Choice, gradient: bool, backend: Backend, running: Running = _ANYHOW) -> Plan:
        """Its arguments are those of the tangent, of which it is the gradient."""
        from hetad.run.call import Interface, Plan

        second = self.second_order(choice, gradient)
        with self._lock:
            key = ("second order", choice.key, gradient, backend, running)
            if key not in self._gradient_plans:
                derivative, tangent = second.derivative, second.tangent
                names = tuple(p.symbol.name for p in tangent.parameters if p.role in ("primal", "tangent"))
                signature = replace(self.signature, parameters=names)
                dots = {p.primal: p.symbol.name for p in tangent.parameters if p.role == "tangent"}
                parts = self._parts(f"second order {gradient}", choice)
                executable = build(derivative.program, derivative.entry, backend, running, parts=parts)
                of = [dots[name] for name in choice.of or (RETURN,)]
                written = self._reached().written | set(of)
                wrt = (*choice.wrt, *(dots[name] for name in choice.wrt if gradient))
                interface = Interface(derivative.parameters, signature, frozenset(written), self._lengths)
                self._gradient_plans[key] = Plan(executable, interface, wrt, of)
            return self._gradient_plans[key]

    def text(self, derivative: Derivative, kind: str, choice: Choice) -> str:
        """The derivative as one .cu; `kind` tells those of one choice apart."""

        def made() -> str:
            from hetad import pipeline

            return pipeline.source(derivative)

        return kept(self._parts(f"text of {kind}", choice), made)

    @property
    def written(self) -> frozenset[str]:
        """The parameters to whose memory the function writes."""
        with self._lock:
            return frozenset(self._reached().written)

    def _differentiated(self, choice: Choice) -> Derivative:
        from hetad import pipeline

        derivative = pipeline.differentiate(self.unit, self.request(choice))
        self._require_outputs(choice, derivative)
        return derivative

    def _differentiated_twice(self, choice: Choice, gradient: bool) -> SecondOrder:
        from hetad import pipeline

        second = pipeline.differentiate_twice(self.unit, self.request(choice), gradient)
        self._require_outputs(choice, second.tangent)
        return second

    def _parts(self, what: str, choice: Choice | None = None) -> tuple[str, ...] | None:
        """What tells something that is made of the function apart in all processes."""
        return (
            None
            if self.unit.key is None
            else (self.unit.key, self.name, what, repr(choice.key) if choice is not None else "")
        )

    def _require_outputs(self, choice: Choice, derivative: Derivative) -> None:
        """Raises ArgumentError for a name in `of` to which the function never writes.

        Beside outputs it may stand if it is in `wrt`, too: its seed is then a part of its own gradient.
        """
        if not choice.of or derivative.written.issuperset(choice.of):
            return
        written = self._reached().written
        outputs = written.intersection(choice.of)
        for name in choice.of:
            if name not in written and not (outputs and name in choice.wrt):
                read_only = next(p for p in self.definition.params if p.name == name)
                const = isinstance(read_only.type, Pointer) and read_only.type.const
                why = "is read-only" if const else "is never written by this function"
                others = ", ".join(n for n in self.signature.parameters if n in written)
                raise self.signature.refuse(
                    f"of: {name!r} {why}, so it is no output",
                    f"what it writes: {others}" if others else "it writes to none of its parameters",
                )

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The variables that the function keeps from call to call."""
        from hetad.analysis.between_calls import kept_between_calls

        with self._lock:
            primal = self._reached()
        return tuple(sorted(symbol.name for symbol in kept_between_calls(primal.program, primal.entry)))

    @cached_property
    def digest(self) -> str:
        """Of all that the function does."""
        with self._lock:
            primal = self._reached()
        from hetad import targets

        text = f"{self.signature}\n{targets.cpu_source(primal.program, primal.entry)}"
        return hashlib.sha256(text.encode()).hexdigest()

    def _reached(self) -> Primal:
        if self._primal is None:
            self._primal = kept(self._parts("primal"), self._read)
        return self._primal

    def _read(self) -> Primal:
        from hetad import pipeline

        return pipeline.primal(self.unit, self.name)

    @cached_property
    def _lengths(self) -> Lengths:
        primal = self._reached()
        return Lengths(primal.flat, primal.entry, self.signature, self._parts("lengths"))


@dataclass(frozen=True)
class Choice:
    """What a gradient is of, and with respect to what."""

    wrt: tuple[str, ...]
    of: tuple[str, ...] | None
    options: Mapping[str, Any]

    @property
    def key(self) -> Any:
        return self.wrt, self.of, tuple(sorted((name, repr(value)) for name, value in self.options.items()))


def backend_for(backend: str | None) -> Backend:
    """The backend to use: the one asked for, else CUDA where it is usable."""
    if backend is None:
        from hetad.run import cuda

        return "cuda" if cuda.usable() else "cpu"
    return checked_backend(backend) or "cpu"


def build(
    program: nodes.Program, entry: str, backend: Backend, running: Running = _ANYHOW, graph: bool = False,
    parts: tuple[str, ...] | None = None,
) -> Executable:  # fmt: skip
    """Compile a function of a closed program; on a GPU it may run as graphs.  `parts` tell the program apart."""
    if backend == "cuda":
        if running.checked:
            if graph:
                raise ArgumentError("checked= looks at each launch when it is done; leave out graph=True")
            from hetad.run import cuda_checked

            return cuda_checked.build(program, entry)
        if graph:
            from hetad.run import cuda_graph

            return cuda_graph.build(program, entry)
        from hetad.run import cuda_executable

        return cuda_executable.build(program, entry)
    from hetad.run import cpu

    return cpu.build(program, entry, running, parts)


def limits(
    memory_limit: int | str | None = None,
    host_memory: int | str | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    resume: bool | float = False,
) -> MemoryLimit | None:
    """The limits as the pipeline takes them."""
    every = None if resume is False else EVERY if resume is True else float(resume)
    if memory_limit is None and host_memory is not None:
        raise ArgumentError("host_memory= is for checkpoints beside those within memory_limit=, which is not given")
    if every is not None and (memory_limit is None or checkpoint_dir is None):
        raise ArgumentError("resume= is for calls with memory_limit= and checkpoint_dir=, where its files are")
    if every is not None and not every >= 0:
        raise ArgumentError(f"resume={resume!r}: expected True, or how many seconds apart files are written at least")
    if host_memory is None and checkpoint_dir is not None and every is None:
        raise ArgumentError("checkpoint_dir= is for the checkpoints of host_memory=, which is not given")
    if memory_limit is None:
        return None
    host = 0 if host_memory is None else size_in_bytes(host_memory, "host_memory")
    if checkpoint_dir is not None and not Path(checkpoint_dir).is_dir():
        raise ArgumentError(f"checkpoint_dir={str(checkpoint_dir)!r} is no directory")
    directory = "" if checkpoint_dir is None else str(Path(checkpoint_dir).resolve())
    return MemoryLimit(size_in_bytes(memory_limit, "memory_limit"), host, directory, every)


def checked_backend(backend: str | None) -> Backend | None:
    match backend:
        case None | "cpu" | "cuda":
            return backend
        case _:
            raise ArgumentError(f"backend={backend!r}: there are 'cuda', 'cpu', and None for the best of them")
