"""A pass is a step from program to program; a pipeline is a tuple of passes that run one after the other.

What a pass needs to know of the task it works for is in the program: `host/derivation.py` has the program that is on
its way to its derivative.  Whoever wants to see what happens between passes watches (`passes/watching.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from hetad.ir.forms import Form
from hetad.ir.nodes import Function, Program

P = TypeVar("P", bound=Program)
R = TypeVar("R")


NONE: frozenset[Form] = frozenset()


def _always(_: Program) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Pass(Generic[P]):
    """A step from program to program, for those that are `wanted`.

    `rewrite` returns the same program where it has nothing to do; its docstring says what comes in and what comes out.
    """

    name: str
    rewrite: Callable[[P], P]
    requires: frozenset[Form] = NONE
    establishes: frozenset[Form] = NONE
    destroys: frozenset[Form] = NONE
    wanted: Callable[[P], bool] = _always

    def needing(self, *forms: Form) -> Pass[P]:
        """The pass, which is for programs in these forms."""
        return replace(self, requires=self.requires | set(forms))

    def leaving(self, *forms: Form) -> Pass[P]:
        """The pass, behind which a program is in these forms."""
        return replace(self, establishes=self.establishes | set(forms))

    def breaking(self, *forms: Form) -> Pass[P]:
        """The pass, behind which a program is not in these forms any more."""
        return replace(self, destroys=self.destroys | set(forms))

    def only(self, wanted: Callable[[P], bool]) -> Pass[P]:
        """The pass, for those programs alone."""
        return replace(self, wanted=lambda program: self.wanted(program) and wanted(program))

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return " ".join((self.rewrite.__doc__ or "").split("\n\n")[0].split())


def program_pass(name: str) -> Callable[[Callable[[P], P]], Pass[Any]]:
    """Marks a function from program to program as the pass of this name."""
    return lambda rewrite: Pass(name, rewrite)


def part_pass(changed: Callable[[P, R], P]) -> Callable[[str], Callable[[Callable[[P], R]], Pass[Any]]]:
    """A mark for functions that give a part of a program: `changed` is the program with that part."""

    def named(name: str) -> Callable[[Callable[[P], R]], Pass[Any]]:
        def marked(part: Callable[[P], R]) -> Pass[Any]:
            def whole(program: P) -> P:
                return changed(program, part(program))

            whole.__doc__ = part.__doc__
            return Pass(name, whole)

        return marked

    return named


def function_pass(name: str, rewrite: Callable[[Function], Function]) -> Pass[Any]:
    """The pass that rewrites each function of a program by itself."""

    def each(program: P) -> P:
        made = {n: rewrite(f) for n, f in program.functions.items()}
        same = all(made[n] is f for n, f in program.functions.items())
        return program if same else replace(program, functions=made)

    each.__doc__ = rewrite.__doc__
    return Pass(name, each)


class PipelineError(Exception):
    """A pipeline runs a pass on a program that is not in the form the pass needs: a bug of hetad."""


class Watcher(Protocol):
    """Sees each pass that has run: the program before and after it, and the seconds it took."""

    def __call__(self, step: Pass[Any], before: Program, after: Program, seconds: float, /) -> None: ...


_everywhere: list[Watcher] = []
_watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


@contextmanager
def watched(*watchers: Watcher) -> Iterator[None]:
    """All passes that run inside are shown to the watchers, those of pipelines inside of passes too."""
    token = _watchers.set((*_watchers.get(), *watchers))
    try:
        yield
    finally:
        _watchers.reset(token)


def watch_always(*watchers: Watcher) -> None:
    """All passes of this process are shown to the watchers from now on."""
    _everywhere.extend(watchers)


def is_watched() -> bool:
    """Whether somebody watches the passes that run here."""
    return bool(_everywhere or _watchers.get())


def run(pipeline: Sequence[Pass[Any]], program: P) -> P:
    """The program after all passes of the pipeline."""
    for step in pipeline:
        if not step.wanted(program):
            continue
        watchers = (*_everywhere, *_watchers.get())
        if not step.requires <= program.forms:
            missing = sorted(form.name for form in step.requires - program.forms)
            raise PipelineError(f"{step.name} is for programs that are {', '.join(missing)}")
        before, began = program, time.perf_counter()
        program = step.rewrite(program)
        forms = (program.forms - step.destroys) | step.establishes
        if forms != program.forms:
            program = replace(program, forms=forms)
        seconds = time.perf_counter() - began
        for watcher in watchers:
            watcher(step, before, program, seconds)
    return program
