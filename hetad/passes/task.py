"""A program with a task: the function of it that the work is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hetad.ir.nodes import Function, Program
from hetad.passes.manager import Pass

T = TypeVar("T", bound="Task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Program):
    """A program and the function `entry` of it.

    ruled: device functions that nobody looks into, because the user has given rules for them.
    written: the functions before calls were inlined.
    """

    entry: str
    ruled: frozenset[str] = frozenset()
    written: Mapping[str, Function] = field(default_factory=dict)

    @property
    def function(self) -> Function:
        return self.functions[self.entry]

    @property
    def kernels(self) -> dict[str, Function]:
        return {name: f for name, f in self.functions.items() if f.kind == "kernel"}


def with_function(task: T, function: Function) -> T:
    """The task with another text of its function, or of one of its kernels."""
    if task.functions.get(function.name) is function:
        return task
    return replace(task, functions={**task.functions, function.name: function})


def entry_pass(name: str) -> Callable[[Callable[[Function], Function]], Pass[Any]]:
    """Marks a function that rewrites the function of a task as the pass of this name."""

    def marked(rewrite: Callable[[Function], Function]) -> Pass[Any]:
        def entry(task: Task) -> Task:
            return with_function(task, rewrite(task.function))

        entry.__doc__ = rewrite.__doc__
        return Pass(name, entry)

    return marked
