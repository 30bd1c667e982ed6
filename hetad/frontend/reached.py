"""The texts of a program together: who has what, and the closed program of a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.diagnostics import Span, UnsupportedError, ours, recoverable
from hetad.frontend.file_scope import FileScope
from hetad.frontend.items import Declares, Item, is_function_template
from hetad.frontend.libraries import LIBRARIES
from hetad.frontend.linkage import Text, is_declaration, is_external
from hetad.frontend.lower.builtins import TYPES
from hetad.ir import nodes as ir
from hetad.ir.functions import callees
from hetad.ir.identity import IdentitySet
from hetad.ir.types import Struct, Type, scalar_base
from hetad.ir.visit import declared, map_body, map_exprs, variables, walk_exprs

_VERSION = "_host"


@dataclass(frozen=True, slots=True)
class _Defined:
    """Where a function of the program is defined, and what it is called there."""

    scope: FileScope
    name: str
    item: Item


class Linkage:
    """All texts of a program (`linkage.linked`), and where the definition of each name is."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.scopes = [FileScope(text, self) for text in texts]
        self.taken = {name for text in texts for name, _, _ in text.declared()}
        self.taken |= {name for text in texts for name in text.names.values()}
        self._functions = self._defined_functions()
        self._variables: dict[str, list[FileScope]] = {}
        for scope in self.scopes:
            for name, what, item in scope.text.declared():
                if what == "variable" and _may_be_meant(item) and name not in scope.text.shared:
                    self._variables.setdefault(name, []).append(scope)
        self._writable = any(scope.declares_writable_variables() for scope in self.scopes)

    def _defined_functions(self) -> dict[str, _Defined]:
        """By the name in the program: of host functions the host's text counts, of all others the device's."""
        found: dict[str, _Defined] = {}
        for scope in self.scopes:
            for name, what, item in scope.text.declared():
                if what == "function" and name not in scope.text.shared:
                    called = scope.program_name(name)
                    if called not in found or (scope.text.device and item.kind in ("kernel", "device")):
                        found[called] = _Defined(scope, name, item)
        return found

    # --- what the texts ask ----------------------------------------------------------------------

    def scope(self, number: int) -> FileScope:
        return self.scopes[number]

    def has_writable_variables(self) -> bool:
        return self._writable

    def definition(self, name: str, what: Declares, span: Span) -> tuple[FileScope, str] | None:
        """Which text defines a name that another one declares, and what it is called there."""
        if what == "function":
            found = self._functions.get(name)
            return (found.scope, found.name) if found is not None and not found.item.internal else None
        scopes = self._variables.get(name, [])
        if len(scopes) > 1:
            files = " and ".join(scope.text.file for scope in scopes)
            raise UnsupportedError(f"'{name}' is defined in {files}", span, "give each its own name")
        return (scopes[0], name) if scopes else None

    # --- the program -----------------------------------------------------------------------------

    def public(self) -> dict[str, ir.Kind]:
        """The functions that a user may name, in order, with their kinds, without methods; of one with two versions
        there is one."""
        found: dict[str, ir.Kind] = {}
        items = (item for scope in self.scopes for _, _, item in scope.text.declared())
        classes = {item.tokens[1].text for item in items if item.tokens[0].text in ("struct", "class")}
        for name, defined in self._functions.items():
            plain, item = self._plain(name), defined.item
            if item.span.file not in LIBRARIES and item.owner not in classes:
                found[plain] = "host device" if plain != name or plain in found else item.kind
        return found

    def templates(self) -> dict[str, Item]:
        """The templates of functions, in order, instances of which Clang makes."""
        found = (
            (name, item) for scope in self.scopes for name, what, item in scope.text.declared() if what == "template"
        )
        return {name: item for name, item in found if item.span.file not in LIBRARIES and is_function_template(item)}

    def item(self, name: str, what: Declares) -> Item | None:
        """What the first text that has it declares of a name."""
        if what == "function" and name in self._functions:
            return self._functions[name].item
        return next((item for scope in self.scopes if (item := scope.item(name, what)) is not None), None)

    def home(self, name: str) -> str | None:
        """The file that a function belongs to; that of the file that includes it, if it stands in a header."""
        found = self._functions.get(name)
        return found.scope.text.file if found is not None else None

    def _plain(self, name: str) -> str:
        """The name of a function with two versions, for that of the host's."""
        plain = name.removesuffix(_VERSION)
        return plain if name != plain and self._is_version(name) else name

    def _is_version(self, name: str) -> bool:
        found = self._functions.get(name)
        return found is not None and found.scope.text.names.get(found.name) == name and not found.scope.text.device

    def reach(self, entry: str, sources: Mapping[str, str]) -> ir.Program:
        start = entry + _VERSION if self._is_version(entry + _VERSION) and entry in self._functions else entry
        waiting: list[tuple[FileScope, str, Span | None]] = [(self.scopes[0], start, None)]
        reached: dict[str, ir.Function] = {}
        places: dict[str, tuple[int, float]] = {}
        while waiting:
            asking, name, caller = waiting.pop(0)
            if name in reached:
                continue
            scope, own = self._owner(name, asking)
            item = scope.item(own, "function")
            with recoverable() as recovery, ours(item.span if item is not None else caller):
                reached[name] = scope.function(own, caller)
            if recovery.failed:
                continue
            function = reached[name]
            places[name] = (self.scopes.index(scope), scope.place(name))
            waiting += [(scope, n, function.span) for n in callees(function) if self._is_own(n, scope)]
        ordered = dict(sorted(reached.items(), key=lambda pair: places[pair[0]]))
        globals_ = used_globals(ordered, [g for scope in self.scopes for g in scope.globals()])
        program = ir.Program(ordered, globals_, used_structs(ordered, globals_), dict(sources))
        return self._with_plain_names(program, entry)

    def _is_own(self, name: str, asking: FileScope) -> bool:
        """Whether a text that calls a function of this name means one of the program's."""
        if asking.is_of_hetad(name):
            return False
        return name in self._functions or asking.declares_function(name)

    def _owner(self, name: str, asking: FileScope) -> tuple[FileScope, str]:
        """The text in which a function of this name in the program is defined, and what it is called there."""
        if name in self._functions:
            its = self._functions[name]
            if not its.item.internal or its.scope.text.file == asking.text.file or name in asking.text.shared:
                return its.scope, its.name
        return asking, name

    def _with_plain_names(self, program: ir.Program, entry: str) -> ir.Program:
        """Where only the host's version of a function is reached, or it is the entry, it has the function's name."""
        names: dict[str, str] = {}
        for name in program.functions:
            plain = self._plain(name)
            if plain != name and (plain == entry or plain not in program.functions):
                names[name] = plain
                if plain in program.functions:
                    names[plain] = plain + "_device"
        return renamed(program, names) if names else program


def _may_be_meant(item: Item) -> bool:
    """Whether a declaration in another file may be of this variable."""
    on_device = bool(item.spaces) and not item.internal and not is_declaration(item)
    return on_device or is_external(item, "variable")


def renamed(program: ir.Program, names: Mapping[str, str]) -> ir.Program:
    """The program with other names of functions."""
    functions = {
        names.get(n, n): replace(with_callees(f, names), name=names.get(n, n)) for n, f in program.functions.items()
    }
    return replace(program, functions=functions)


def with_callees(function: ir.Function, names: Mapping[str, str]) -> ir.Function:
    """The function that calls and launches others in the place of those named."""

    def called(e: ir.Expr) -> ir.Expr:
        return replace(e, function=names[e.function]) if isinstance(e, ir.CallExpr) and e.function in names else e

    def statement(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Call) and s.function in names:
            return replace(s, function=names[s.function])
        return replace(s, kernel=names[s.kernel]) if isinstance(s, ir.Launch) and s.kernel in names else s

    return replace(function, body=map_body(statement, map_exprs(called, function.body)))


def used_globals(functions: Mapping[str, ir.Function], known: Sequence[ir.Global]) -> tuple[ir.Global, ...]:
    by_symbol = {g.symbol: g for g in known}
    used: dict[ir.Symbol, None] = {}
    waiting = [s for f in functions.values() for s in variables(f.body)]
    while waiting:
        symbol = waiting.pop()
        if symbol in by_symbol and symbol not in used:
            used[symbol] = None
            init = by_symbol[symbol].init
            if init is not None:
                waiting += list(variables(init))
    return tuple(g for s, g in by_symbol.items() if s in used)


def used_structs(functions: Mapping[str, ir.Function], globals_: Sequence[ir.Global]) -> tuple[Type, ...]:
    """The program's struct types, those that others contain first."""
    found: dict[str, Struct] = {}
    seen = IdentitySet[Struct]()

    def visit(type_: Type, span: Span) -> None:
        type_ = scalar_base(type_)
        if not isinstance(type_, Struct) or type_.name.removeprefix("struct ") in TYPES:
            return
        if type_ in seen:
            return
        seen.add(type_)
        for f in type_.fields:
            visit(f.type, span)
        known = found.setdefault(type_.name, type_)
        if (known.fields, known.align, known.bits) != (type_.fields, type_.align, type_.bits):
            message = f"'{type_.name}' is another struct in device code than in host code, by __CUDA_ARCH__"
            raise UnsupportedError(message, span, "declare it once, outside of #ifdef")

    for variable in globals_:
        visit(variable.symbol.type, variable.span)
    for function in functions.values():
        for symbol in (*function.params, *declared(function.body)):
            visit(symbol.type, symbol.span)
        visit(function.returns, function.span)
        for expr in walk_exprs(function.body):
            visit(expr.type, expr.span)
    return tuple(found.values())
