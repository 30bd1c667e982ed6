"""The names at file scope of one text, each parsed and lowered once, when something reaches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Protocol, TypeVar

from pycparser import c_ast

from hetad.diagnostics import ConsequenceError, Span, UnsupportedError, problems_so_far
from hetad.frontend import cuda_syntax, parse
from hetad.frontend.beyond_c import IsCppError, NameTable
from hetad.frontend.cuda_syntax import local_types
from hetad.frontend.definitions import Once, fits, undefined
from hetad.frontend.items import Declares, Item
from hetad.frontend.library_names import clash
from hetad.frontend.linkage import Text, is_declaration
from hetad.frontend.lower import program
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.context import Context, Qualified, Signature
from hetad.frontend.lower.known import functions as known_functions
from hetad.frontend.lower.types import declared
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap
from hetad.ir.types import INT, Type
from hetad.rules import callees, operations

_IMPLICIT = {"half", "__half", "half2", "__half2", "__nv_bfloat16", "nv_bfloat16", "va_list"}


class Program(Protocol):
    """What a text asks of the others (`linkage.Linkage`)."""

    taken: set[str]

    def scope(self, number: int) -> FileScope: ...
    def definition(self, name: str, what: Declares, span: Span) -> tuple[FileScope, str] | None: ...
    def has_writable_variables(self) -> bool: ...


R = TypeVar("R")


def _of_its_text(method: Callable[[FileScope, str], R]) -> Callable[[FileScope, str], R]:
    """A question about a name goes to the text that it is taken from."""

    @wraps(method)
    def asked(self: FileScope, name: str) -> R:
        return method(self.owner(name), name)

    return asked


class FileScope:
    """What lowering asks for the names that are not local (`lower.context.Outer`)."""

    def __init__(self, text: Text, program: Program) -> None:
        self.text = text
        self._program = program
        self._by_name: dict[tuple[str, Declares], list[Item]] = {}
        self._order: dict[str, float] = {}
        items = text.items
        for position, item in enumerate(items):
            for name, what in item.names.items():
                self._by_name.setdefault((name, what), []).append(item)
                if what == "function":
                    self._order.setdefault(self.program_name(name), position)
        self._types = self._type_names()
        self._beyond = dict(self._cpp_items())
        self._declared = {name for name, _ in self._by_name}
        self._parsed = IdentityMap[Item, parse.Parsed]()
        self._contexts = IdentityMap[Item, Context]()
        self._open: set[str] = set()
        self._typedefs: dict[str, Qualified | None] = {}
        self._values: dict[str, ir.Global | ir.Const | None] = {}
        self._signatures: dict[str, Signature | None] = {}
        self._functions: dict[str, ir.Function] = {}

    def owner(self, name: str) -> FileScope:
        """The scope of the text that a name is taken from."""
        number = self.text.shared.get(name)
        return self if number is None else self._program.scope(number)

    def program_name(self, name: str) -> str:
        """What a name is called in the program."""
        return self.text.names.get(name, name)

    def _type_names(self) -> set[str]:
        """Names that are types to the parser; a variable or function hides a tag of the same name."""
        hidden = {n for n, what in self._by_name if what in ("variable", "function", "prototype")}
        tags = {n for n, what in self._by_name if what == "tag"}
        typedefs = {n for n, what in self._by_name if what == "typedef"}
        return typedefs | ((tags | set(TYPES) | _IMPLICIT) - hidden)

    def _cpp_items(self) -> Iterator[tuple[str, str]]:
        """The names of C++ items, and what each is."""
        for (name, what), found in self._by_name.items():
            if what in ("template", "specialisation"):
                yield name, "a template"
            elif what == "other" and found[0].tokens[0].text == "class":
                yield name, "a class"

    def has_writable_variables(self) -> bool:
        return self._program.has_writable_variables()

    def declares_writable_variables(self) -> bool:
        """Whether some variable at file scope of this text may be written."""
        words = {"const", "constexpr", "__constant__"}
        return any(
            words.isdisjoint({t.text for t in item.tokens} | item.spaces)
            for (_, what), items in self._by_name.items()
            if what == "variable"
            for item in items
        )

    def item(self, name: str, what: Declares) -> Item | None:
        found = self._by_name.get((name, what))
        return found[0] if found else None

    # --- parsing -------------------------------------------------------------------------------

    def _parse(self, item: Item) -> parse.Parsed:
        """The item's nodes, and the lengths of its tokens by position."""
        if item not in self._parsed:
            lengths = {(t.file, t.line, t.column): t.length for t in item.tokens}
            if item.namespace or item.unnamed:
                raise IsCppError("what stands in a namespace", item.span)
            names = NameTable(self._types | local_types(item.tokens), self._beyond, self._declared)
            before = problems_so_far()
            tokens = cuda_syntax.rewrite(item.tokens, names)
            if problems_so_far() > before:
                raise ConsequenceError("this is not read", item.span)
            used = sorted({t.text for t in tokens if t.kind == "name"}.intersection(names.types))
            self._parsed[item] = (parse.parse_declarations(tokens, used), lengths)
        return self._parsed[item]

    def _context(self, item: Item) -> Context:
        if item not in self._contexts:
            self._contexts[item] = Context(self, self._parse(item)[1], None, item.span)
        return self._contexts[item]

    # --- names ---------------------------------------------------------------------------------

    @_of_its_text
    def type_named(self, name: str) -> Qualified | None:
        if name not in self._typedefs:
            item = self.item(name, "typedef")
            if item is None:
                tag = self.tag(name)
                return Qualified(tag) if tag is not None else None
            with Once(self._open, name, item):
                ctx = self._context(item)
                for node in self._parse(item)[0]:
                    if isinstance(node, c_ast.Typedef) and node.name == name:
                        self._typedefs[name] = declared(ctx, node.type, name)
                        break
                else:
                    return None
        return self._typedefs[name]

    @_of_its_text
    def tag(self, name: str) -> Type | None:
        item = next((i for i in self._by_name.get((name, "tag"), []) if any(t.text == "{" for t in i.tokens)), None)
        if item is None:
            return None
        ctx = self._context(item)
        if name not in ctx.tags[0]:
            with Once(self._open, f"struct {name}", item):
                self._define_types(ctx, item)
        return ctx.tags[0].get(name) or self._enumeration(ctx, item, name)

    def _define_types(self, ctx: Context, item: Item) -> None:
        for node in self._parse(item)[0]:
            assert isinstance(node, c_ast.Decl | c_ast.Typedef)
            declared(ctx, node.type, node.name)

    def _enumeration(self, ctx: Context, item: Item, name: str) -> Type | None:
        follows_enum = any(
            a.text == "enum" and b.text == name for a, b in zip(item.tokens, item.tokens[1:], strict=False)
        )
        return INT if follows_enum else None

    @_of_its_text
    def value(self, name: str) -> ir.Symbol | ir.Const | None:
        found = self.variable(name)
        if isinstance(found, ir.Global):
            return found.symbol
        if found is not None:
            return found
        item = self.item(name, "enumerator")
        if item is None:
            return None
        ctx = self._context(item)
        if name not in ctx.scopes[0]:
            self._define_types(ctx, item)
        entry = ctx.scopes[0].get(name)
        return entry if isinstance(entry, ir.Const) else None

    @_of_its_text
    def variable(self, name: str) -> ir.Global | ir.Const | None:
        if name not in self._values:
            items = self._by_name.get((name, "variable"))
            if not items:
                return None
            item = next((i for i in items if not is_declaration(i)), items[-1])
            if is_declaration(item) and "__shared__" not in item.spaces:
                found = self._program.definition(name, "variable", item.span)
                if found is None:
                    raise undefined(name, item.span)
                return found[0].variable(found[1])
            with Once(self._open, name, item):
                nodes = self._parse(item)[0]
                node = next((n for n in nodes if isinstance(n, c_ast.Decl) and n.name == name), None)
                if node is None:  # `T x{};`
                    raise IsCppError(f"what makes '{name}'", item.span)
                ctx = Context(self, self._parse(item)[1], None, item.span)
                self._values[name] = self._named(program.variable(ctx, node, item), name)
        return self._values[name]

    def _named(self, variable: ir.Global | ir.Const, name: str) -> ir.Global | ir.Const:
        """As it is called in the program."""
        if isinstance(variable, ir.Const):
            return variable
        if self.text.device:
            message = f"'{name}' is another variable in device code than in host code, by __CUDA_ARCH__"
            raise UnsupportedError(message, variable.span, "declare it once, outside of #ifdef")
        if self.program_name(name) == name:
            return variable
        return replace(variable, symbol=replace(variable.symbol, name=self.program_name(name)))

    def keep(self, variable: ir.Global) -> None:
        """Tells of a variable that lives as long as the program, though only one function knows its name."""
        self._values[f"{variable.symbol.name} ({variable.span})"] = variable

    def callable_names(self) -> list[str]:
        own = [name for name, what in self._by_name if what == "function"]
        return [*own, *known_functions()]

    @_of_its_text
    def signature(self, name: str) -> Signature | None:
        if name not in self._signatures:
            with Once(self._open, f"{name}()", self.item(name, "function")):
                own = self._lower_signature(name)
            if own is not None and (name, "function") not in self._by_name:
                own = self._defined_elsewhere(name, own)
            self._signatures[name] = replace(own, name=self.program_name(name)) if own is not None else None
        return self._signatures[name]

    @_of_its_text
    def operation(self, name: str) -> operations.Operation | None:
        """The operation of hetad's own that a text declares, as derivatives do that hetad emitted."""
        found, item = operations.named(name), self.item(name, "prototype")
        if found is None or item is None:
            return None
        own = self._declared_signature(name, item)
        return found if found.is_declared(name, own.returns, own.params) else None

    @_of_its_text
    def is_of_hetad(self, name: str) -> bool:
        """Whether a function that the text declares is one that hetad's own code calls, and does what it does there."""
        adjoint = callees.kind(name) == "shuffle adjoint" and (name, "prototype") in self._by_name
        return adjoint or self.operation(name) is not None

    def _lower_signature(self, name: str) -> Signature | None:
        definitions = self._by_name.get((name, "function"), [])
        if len(definitions) > 1:
            if (error := clash(name, *definitions)) is not None:
                raise error
            raise IsCppError(f"'{name}', which is overloaded,", definitions[1].span)
        prototypes = self._by_name.get((name, "prototype"), [])
        if (not definitions and not prototypes) or self.is_of_hetad(name):
            return None
        if name in self._beyond:
            raise IsCppError(f"'{name}', {self._beyond[name]},", (definitions or prototypes)[0].span)
        return self._declared_signature(name, definitions[0] if definitions else prototypes[0])

    def _declared_signature(self, name: str, item: Item) -> Signature:
        nodes, _ = self._parse(item)
        node = next(n for n in nodes if isinstance(n, c_ast.FuncDef | c_ast.Decl))
        declaration = node.decl if isinstance(node, c_ast.FuncDef) else node
        ctx = Context(self, self._parse(item)[1], None, item.span)
        if not isinstance(declaration.type, c_ast.FuncDecl):
            ctx.refuse(f"the declaration of '{name}'", declaration, "write it as a plain function")
        if name not in {n for n, what in item.names.items() if what in ("function", "prototype")}:
            raise AssertionError(name)
        return program.signature(ctx, declaration, item, {})

    def _defined_elsewhere(self, name: str, prototype: Signature) -> Signature:
        """The signature of the definition in another text, which the prototype must fit."""
        found = self._program.definition(self.program_name(name), "function", prototype.span)
        definition = found[0].signature(found[1]) if found is not None else None
        if definition is None or found is None or found[0] is self:
            return prototype
        if not fits(prototype, definition):
            message = f"'{name}' is declared here in another way than it is defined at {definition.span}"
            raise UnsupportedError(message, prototype.span, "declare it in a header that both files include")
        return definition

    # --- functions -----------------------------------------------------------------------------

    def function(self, name: str, caller: Span | None) -> ir.Function:
        if name not in self._functions:
            own = self.signature(name)
            item = self.item(name, "function")
            if own is None or item is None:
                raise undefined(name, caller)
            nodes, lengths = self._parse(item)
            node = next(n for n in nodes if isinstance(n, c_ast.FuncDef))
            ctx = Context(self, lengths, own, item.span)
            before = problems_so_far()
            lowered = program.function(ctx, node, item)
            if problems_so_far() > before:  # it is not whole
                return lowered
            self._functions[name] = lowered
        return self._functions[name]

    # --- what the program asks -----------------------------------------------------------------

    def declares_function(self, name: str) -> bool:
        return (name, "function") in self._by_name or (name, "prototype") in self._by_name

    def place(self, function: str) -> float:
        """Where a function stands among those of the text, by its name in the program."""
        return self._order[function]

    def globals(self) -> Iterator[ir.Global]:
        """The variables that have been lowered."""
        return (g for g in self._values.values() if isinstance(g, ir.Global))
