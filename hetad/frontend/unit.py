"""A program from its source files: its functions by name, lowered when they are reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from hetad.deep import deep
from hetad.diagnostics import problems_so_far
from hetad.garbage import seldom_collected

if TYPE_CHECKING:
    from hetad.diagnostics import SourceError, Span
    from hetad.frontend.driver import Driver
    from hetad.ir import nodes as ir


class Unit(ABC):
    """CUDA sources after preprocessing.  Made by `hetad.frontend.load`.

    `key` tells it apart from all other programs in all processes; None where nothing does.  `sources`: the texts of all
    files that were read, by name."""

    key: str | None = None
    has_missing_headers = False
    sources: Mapping[str, str] = MappingProxyType({})

    def __init__(self, name: str) -> None:
        self.name = name
        self._driver: Driver | None = None
        self._reached: dict[str, ir.Program] = {}

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, ir.Kind]:
        """Every function that the source defines and a user may name, in order, with its kind."""

    @abstractmethod
    def program(self, function: str) -> ir.Program:
        """The program that `function` is the entry of, as it is written."""

    @property
    def templates(self) -> Mapping[str, ir.Kind]:
        """Templates of functions, in order, with their kinds: a user names instances of them, as `step<double>`."""
        return {}

    def instance(self, name: str) -> str:
        """What a function is called in programs: itself, or `step_double` for `step<double>`.

        Raises UnknownNameError, SyntaxProblem or UnsupportedError.
        """
        return name

    def display(self, function: str) -> str:
        """What a user calls a function of a program: `step<double>` for `step_double`."""
        return function

    def reach(self, function: str) -> ir.Program:
        """The program that `function` is the entry of, in lowered form: closed under calls, launches, variables.

        Raises UnknownNameError, SyntaxProblem or UnsupportedError, each with the position in the source.
        """
        if function in self._reached:
            return self._reached[function]
        before = problems_so_far()
        program = self._whole(function)
        if problems_so_far() == before:
            self._reached[function] = program
        return program

    @deep
    @seldom_collected()
    def _whole(self, function: str) -> ir.Program:
        program = self.program(function)
        if self._driver is not None and self._driver.function == function:
            return self._driver.of(program)
        return program

    @abstractmethod
    def of_library(self, function: str) -> ir.Program:
        """The same for a function of the text that stands for a library."""

    def driven(self, driver: Driver) -> Self:
        """The unit in which one function is as the driver says."""
        other = copy(self)
        other._driver, other._reached = driver, {}
        return other

    @abstractmethod
    def signature(self, function: str) -> str:
        """The source lines of a function's head."""

    @abstractmethod
    def position(self, function: str) -> Span:
        """Where a function is defined."""

    @abstractmethod
    def home(self, function: str) -> str | None:
        """The source file, of those given to `load`, that has a function."""

    @abstractmethod
    def explain(self, error: SourceError) -> SourceError:
        """With the source line, and with what may be the reason beside."""
