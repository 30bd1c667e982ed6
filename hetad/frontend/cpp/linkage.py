"""Several texts that Clang reads as one program: files that are compiled apart, and a file as host and device see it.

Each text is one `Entities`.  Clang's USRs tell what is the same in several texts; what a linker would not join has a
name of its own: `scale_main` for `scale` of main.cu, `f_host` for the host's version of `f`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from clang.cindex import LinkageKind

from hetad.diagnostics import UnsupportedError
from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind
from hetad.frontend.cpp.names import EntityNames, is_record
from hetad.frontend.definitions import undefined
from hetad.frontend.lower.known import functions as known_functions
from hetad.ir import nodes as ir

if TYPE_CHECKING:
    from hetad.frontend.cpp.entities import Entities

_INLINE = {"inline", "__inline__", "__inline", "__forceinline__", "constexpr"}
_Place = tuple[str, bool, int | None]  # USR, whether on the device, and of which file where no linker sees it


class Linkage:
    """Where the definition of each name is."""

    def __init__(self) -> None:
        self.names = EntityNames()
        self.texts: list[Entities] = []
        self.owners: dict[str, Entities] = {}
        self.versions: dict[str, str] = {}  # names of what several texts have, and what the functions are called
        self._defined: dict[_Place, tuple[Entities, Cursor]] = {}

    def add(self, text: Entities) -> None:
        """Takes a text in; of a file with two, the device's first."""
        self.texts.append(text)

    @property
    def several(self) -> bool:
        return len(self.texts) > 1

    # --- definitions -------------------------------------------------------------------------------

    def find(self) -> None:
        """Finds what the texts define, and names it."""
        for text in self.texts if self.several else ():
            for cursor in text.definitions():
                self._define(text, cursor)
        for text in self.texts:
            text.find()

    def _define(self, text: Entities, cursor: Cursor) -> None:
        usr = cursor.get_usr()
        for side in _sides(text, cursor):
            file = None if is_external(cursor) else text.file
            earlier = self._defined.get((usr, side, file))
            if earlier is not None and not _same(earlier, (text, cursor)):
                if not _is_inline(text, cursor):
                    message = f"'{cursor.spelling}' is defined here and at {earlier[0].source.span(earlier[1])}"
                    remedy = "make one of them static, or give it another name"
                    raise UnsupportedError(message, text.source.span(cursor), remedy)
                file = text.file
            self._defined.setdefault((usr, side, file), (text, cursor))

    def home(self, asking: Entities, cursor: Cursor) -> tuple[Entities, Cursor]:
        """The text to which a function or a variable belongs, and its definition there."""
        if not self.several:
            return asking, cursor
        of_function = cursor.kind != CursorKind.VAR_DECL
        kind = asking.kind(cursor) if of_function else "host"
        on_device = of_function and (kind in ("kernel", "device") or (kind == "host device" and asking.device))
        usr = cursor.get_usr()
        for file in (asking.file, None):
            found = self._defined.get((usr, on_device, file))
            if found is not None:
                return found
        if on_device and asking.twin is not None:
            return asking.twin, self._instance(asking, asking.twin, cursor)
        return asking, cursor

    def _instance(self, asking: Entities, twin: Entities, cursor: Cursor) -> Cursor:
        """The same instance of a template in the text that the device sees."""
        own, there = ([i for i in text.used if i.get_usr() == cursor.get_usr()] for text in (asking, twin))
        if len(own) != len(there) or cursor not in own:
            raise undefined(cursor.spelling, asking.source.span(cursor))
        return there[own.index(cursor)]  # several are for lambdas of one function, which have one USR

    def variable(self, asking: Entities, cursor: Cursor, own: ir.Global | ir.Const) -> ir.Global | ir.Const:
        """What a variable of the device's text is in the program: the host's, which must be the same."""
        if isinstance(own, ir.Const):
            return own
        places = ((cursor.get_usr(), False, file) for file in (asking.file, None))
        found = next((self._defined[place] for place in places if place in self._defined), None)
        known = found[0].global_variable(found[0].variable(found[1])) if found is not None else None
        if isinstance(known, ir.Global) and (known.symbol.type, known.init) == (own.symbol.type, own.init):
            return known
        message = f"'{cursor.spelling}' is another variable in device code than in host code, by __CUDA_ARCH__"
        raise UnsupportedError(message, own.span, "declare it once, outside of #ifdef")

    # --- names -------------------------------------------------------------------------------------

    def function_name(self, text: Entities, wanted: str, cursor: Cursor) -> str:
        """What a function would be called: those of one file, and the host's versions, are told apart."""
        if not self.several:
            return wanted
        if not is_record(cursor.semantic_parent) and cursor.spelling in known_functions():
            self._refuse_known(text, cursor)
        if not is_external(cursor) and self._is_elsewhere(text, cursor.spelling):
            apart = f"{wanted}_{stem(text.name)}"
            if text.source.span(cursor).file != text.name:  # of a header
                self.versions[apart] = wanted
            wanted = apart
        if text.twin is not None and text.kind(cursor) == "host device":
            self.versions[wanted + "_host"] = wanted
            return wanted + "_host"
        return wanted

    def variable_name(self, text: Entities, wanted: str, cursor: Cursor) -> str:
        if not self.several:
            return wanted
        if text.device:
            return f"{wanted}$device"
        alone = is_external(cursor) or not self._is_elsewhere(text, cursor.spelling)
        return wanted if alone else f"{wanted}_{stem(text.name)}"

    def _is_elsewhere(self, text: Entities, spelling: str) -> bool:
        """Whether another file has that name, or CUDA."""
        others = (t for t in self.texts if t.file != text.file)
        return any(spelling in t.own or t.mentions_known(spelling) for t in others)

    def _refuse_known(self, text: Entities, cursor: Cursor) -> None:
        other = next((t for t in self.texts if t is not text and t.mentions_known(cursor.spelling)), None)
        if other is not None and is_external(cursor):
            message = f"'{cursor.spelling}' is a function of this program and, in {other.name}, one of CUDA's"
            raise UnsupportedError(message, text.source.span(cursor), "give it another name")

    # --- what the program asks ---------------------------------------------------------------------

    def public(self) -> Mapping[str, ir.Kind]:
        """The functions that a user may name, file by file, with their kinds."""
        found = [(text.file, order, name, kind) for text in self.texts for name, (order, kind) in text.public.items()]
        ordered = sorted(found, key=lambda entry: entry[:2])
        return {self.versions.get(name, name): kind for _, _, name, kind in ordered}

    def templates(self) -> dict[str, tuple[Entities, Cursor]]:
        """The templates of functions at file scope, and the texts that have them."""
        texts = [text for text in self.texts if not text.device]
        return {name: (text, cursor) for text in texts for name, cursor in text.templates.items()}

    def version(self, function: str) -> str:
        """The version of a function with several that a user means: the host's, or the first file's."""
        return next((host for host, plain in self.versions.items() if plain == function), function)

    def order(self, name: str) -> tuple[int, tuple[int, int]]:
        """Where a function stands in the program."""
        owner = self.owners[name]
        return owner.file, owner.order(name)

    def globals(self) -> Iterator[ir.Global]:
        for text in self.texts:
            yield from text.globals()


def _sides(text: Entities, cursor: Cursor) -> Sequence[bool]:
    """For whose code a definition counts: that of the host, of the device, or of both."""
    kind = text.kind(cursor) if cursor.kind != CursorKind.VAR_DECL else "host"
    if text.device:
        return () if kind == "host" else (True,)
    if text.twin is None:
        return (False, True)
    return (False,) if kind in ("host", "host device") else ()


def _same(one: tuple[Entities, Cursor], other: tuple[Entities, Cursor]) -> bool:
    """Whether two definitions of one name are in the same words, and of a function."""
    if other[1].kind == CursorKind.VAR_DECL:
        return one[0].file == other[0].file
    words = [[t.text for t in text.source.inside(cursor)] for text, cursor in (one, other)]
    places = [text.source.span(cursor) for text, cursor in (one, other)]
    return words[0] == words[1] and (_is_inline(*other) or places[0] == places[1])


def _is_inline(text: Entities, cursor: Cursor) -> bool:
    """Whether a function may be defined in several files."""
    if is_record(cursor.lexical_parent):
        return True
    head = []
    for token in text.source.inside(cursor):
        if token.text in ("(", "{"):
            break
        head.append(token.text)
    return not _INLINE.isdisjoint(head)


def is_external(cursor: Cursor) -> bool:
    """Whether a linker sees the name."""
    return bool(cursor.linkage == LinkageKind.EXTERNAL)


def stem(file: str) -> str:
    """Of a file's name, as part of a name."""
    made = "".join(c if c.isalnum() and c.isascii() else "_" for c in PurePath(file).stem)
    return made or "file"


def used(unit: Cursor) -> list[Cursor]:
    """The instances of templates that a text calls or launches."""
    found: dict[Cursor, None] = {}  # USRs do not tell instances for the lambdas of one function apart
    waiting = [unit]
    while waiting:
        for inner in clang.walk(waiting.pop()):
            meant = inner.referenced if inner.kind.is_expression() else None
            if meant is None or clang.pattern(meant) is None:
                continue
            instance = clang.definition(meant) or meant
            if instance not in found:
                found[instance] = None
                waiting.append(instance)
    return list(found)
