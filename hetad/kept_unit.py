"""A program that another process has read: its names and functions, until something asks for more than these."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hetad.frontend.unit import Unit
from hetad.run import cache
from hetad.run.kept import forget, is_enabled, kept, stamp

if TYPE_CHECKING:
    from hetad.diagnostics import SourceError, Span
    from hetad.frontend.driver import Driver
    from hetad.frontend.settings import Settings
    from hetad.ir import nodes as ir

_OF_THE_TIME = ("__DATE__", "__TIME__", "__TIMESTAMP__")


@dataclass(frozen=True)
class Contents:
    """What a program is called and has; and of all files in which an include may have been looked for, what was in
    them, None for those that were not there."""

    name: str
    functions: Mapping[str, ir.Kind]
    templates: Mapping[str, ir.Kind]
    files: Mapping[str, str | None]

    @property
    def holds(self) -> bool:
        """Whether all files are as they were."""
        return all(_digest(file) == was for file, was in self.files.items())


def contents(unit: Unit, given: Sequence[str], include_dirs: Sequence[str]) -> Contents | None:
    """Of a unit that was read from the `given` files; None where the text alone does not tell what it is."""
    texts: Mapping[str, str] = unit.sources
    if unit.has_missing_headers or any(word in text for text in texts.values() for word in _OF_THE_TIME):
        return None
    read = [os.path.abspath(file) for file in texts if Path(file).is_file()]  # noqa: PTH100 - it follows no links
    folders = {os.path.dirname(os.path.abspath(file)) for file in (*given, *read)}  # noqa: PTH100, PTH120
    folders |= {os.path.abspath(folder) for folder in include_dirs}  # noqa: PTH100
    inner = {os.path.relpath(file, folder) for file in read for folder in folders}
    looked = {os.path.normpath(os.path.join(folder, name)) for folder in folders for name in inner}  # noqa: PTH118
    files = {file: _digest(file) for file in sorted(looked | set(read))}
    return Contents(unit.name, dict(unit.functions), dict(unit.templates), files)


def _digest(file: str) -> str | None:
    try:
        return cache.key(Path(file).read_bytes())
    except OSError:
        return None


def kept_unit(texts: Sequence[tuple[str, str]], settings: Settings, read: Callable[[], Unit]) -> Unit:
    """The program of these texts and names; `read` reads it."""
    if not is_enabled():
        return read()
    key = cache.key(stamp(), os.getcwd(), repr(settings), *(part for file in texts for part in file))  # noqa: PTH109
    unread: list[Unit] = []

    def look() -> Contents | None:
        unread.append(read())
        return contents(unread[0], [name for _, name in texts], settings.include_dirs)

    found = kept((key, "contents"), look)
    if found is not None and not unread and not found.holds:  # a file that it includes is another one now
        forget((key, "contents"))
        found = kept((key, "contents"), look)
    if found is None:
        return unread[0] if unread else read()
    unit = KeptUnit(found, cache.key(key, repr(sorted(found.files.items()))), read)
    unit.take(unread)
    return unit


class KeptUnit(Unit):
    """`key` is a hash of all texts and settings; `read` reads the program, when it must."""

    def __init__(self, contents: Contents, key: str, read: Callable[[], Unit]) -> None:
        super().__init__(contents.name)
        self.key: str | None = key
        self._contents, self._read = contents, read
        self._real: Unit | None = None
        self._named: dict[str, str] = {}  # instances of templates by what the user calls them

    def take(self, read: Sequence[Unit]) -> None:
        """The program itself, if it has been read already."""
        self._real = read[0] if read else None

    @property
    def real(self) -> Unit:
        if self._real is None:
            self._real = self._read()
            for name in self._named:
                self._real.instance(name)
        return self._real

    @property
    def functions(self) -> Mapping[str, ir.Kind]:
        return self._contents.functions

    @property
    def templates(self) -> Mapping[str, ir.Kind]:
        return self._contents.templates

    def instance(self, name: str) -> str:
        if "<" not in name:
            return name
        if name not in self._named:
            found = kept(self._parts("instance", name), lambda: self.real.instance(name))
            if self._real is not None:
                self._real.instance(name)
            self._named[name] = found
        return self._named[name]

    def _whole(self, function: str) -> ir.Program:
        return kept(self._parts("reach", function), lambda: self.real.reach(function))

    def driven(self, driver: Driver) -> Self:
        other = copy(self)
        other._driver, other._real, other._reached = driver, None, {}
        other._read = lambda: self.real.driven(driver)
        other.key = f"{self.key} {driver!r}"
        return other

    def _parts(self, what: str, name: str) -> tuple[str, ...] | None:
        return (self.key, what, name) if self.key is not None else None

    # --- what asks for the text itself

    def program(self, function: str) -> ir.Program:
        return self.real.program(function)

    def of_library(self, function: str) -> ir.Program:
        return self.real.of_library(function)

    def display(self, function: str) -> str:
        return self.real.display(function)

    def signature(self, function: str) -> str:
        return self.real.signature(function)

    def position(self, function: str) -> Span:
        return self.real.position(function)

    def home(self, function: str) -> str | None:
        return self.real.home(function)

    def explain(self, error: SourceError) -> SourceError:
        return self.real.explain(error)
