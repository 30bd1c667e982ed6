"""Function templates with type and integer parameters: their instances are functions with names of their own.

The tokens of a template are parsed once, with its type parameters as names of types; an instance is lowered with these
names bound to types and numbers.  Nothing is substituted in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.frontend.items import Item, template_head
from hetad.frontend.lower.context import Outer, Qualified, Signature
from hetad.frontend.tokens import Token, split_commas
from hetad.ir.nodes import Const, Global, Symbol
from hetad.ir.types import BOOL, Array, Opaque, Pointer, Type, element
from hetad.rules.operations import Operation

Binding = Qualified | Const
Bindings = dict[str, Binding]

_INTEGERS = {"int", "unsigned", "bool", "size_t", "long", "short", "char", "uint", "signed", "const"}


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    name: str
    kind: Literal["type", "value"]
    default: tuple[Token, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Template:
    """A function template; `item` is the function without its head `template <...>`."""

    name: str
    parameters: tuple[TemplateParameter, ...]
    item: Item


def parse(name: str, items: Sequence[Item]) -> Template | str:
    """The template that items declare, or what stands in the way of reading it."""
    end = template_head(items[0].tokens)
    kind = items[0].tokens[end + 1].text if end is not None else ""
    if kind in ("struct", "class", "union", "using"):
        return "an alias template" if kind == "using" else "a class template"
    definitions = [i for i in items if i.tokens[-1].text == "}"]
    if len(definitions) != 1:
        return "a template that is overloaded" if definitions else "a template without a definition here"
    item = definitions[0]
    end = template_head(item.tokens)
    if end is None:
        return "a C++ template"
    rest = item.tokens[end + 1 :]
    if rest[0].text in ("template", "requires"):
        return "a C++ template"
    parameters = []
    for part in _parts(item.tokens[2:end]):
        parameter = _parameter(part)
        if parameter is None:
            return "a template with parameters other than types and integers"
        parameters.append(parameter)
    names = {name: "function"}
    return Template(name, tuple(parameters), replace(item, tokens=rest, names=names))  # type: ignore[arg-type]


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parameters of a template's head, between commas outside all brackets, angles included."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for part in split_commas(tokens):
        parts[-1] += part
        depth += sum((t.text == "<") - (t.text == ">") - 2 * (t.text == ">>") for t in part)
        if depth == 0:
            parts.append([])
    return [p for p in parts if p]


def _parameter(part: Sequence[Token]) -> TemplateParameter | None:
    equals = next((i for i, t in enumerate(part) if t.text == "=" and t.kind == "operator"), len(part))
    head, default = part[:equals], tuple(part[equals + 1 :])
    if len(head) < 2 or any(t.kind != "name" for t in head):
        return None
    name = head[-1]
    if len(head) == 2 and head[0].text in ("typename", "class"):
        return TemplateParameter(name.text, "type", default, name.span)
    if all(t.text in _INTEGERS or re.fullmatch(r"u?int\d+_t", t.text) for t in head[:-1]):
        return TemplateParameter(name.text, "value", default, name.span)
    return None


class Bound:
    """The file scope as an instance sees it: the template's parameters come before everything else."""

    def __init__(self, outer: Outer, bindings: Mapping[str, Binding]) -> None:
        self._outer = outer
        self._bindings = bindings

    def type_named(self, name: str) -> Qualified | None:
        found = self._bindings.get(name)
        return found if isinstance(found, Qualified) else self._outer.type_named(name)

    def tag(self, name: str) -> Type | None:
        return self._outer.tag(name)

    def value(self, name: str) -> Symbol | Const | None:
        found = self._bindings.get(name)
        return found if isinstance(found, Const) else self._outer.value(name)

    def signature(self, name: str) -> Signature | None:
        return self._outer.signature(name)

    def operation(self, name: str) -> Operation | None:
        return self._outer.operation(name)

    def template(self, name: str) -> Template | None:
        return self._outer.template(name)

    def pattern(self, template: Template, bindings: Bindings) -> tuple[tuple[Type, ...], tuple[bool, ...]]:
        return self._outer.pattern(template, bindings)

    def default(self, template: Template, name: str, bindings: Bindings, span: Span) -> Binding:
        return self._outer.default(template, name, bindings, span)

    def instance(self, template: Template, bindings: Bindings, span: Span) -> Signature:
        return self._outer.instance(template, bindings, span)

    def keep(self, variable: Global) -> None:
        self._outer.keep(variable)

    def program_name(self, name: str) -> str:
        return self._outer.program_name(name)

    def has_writable_variables(self) -> bool:
        return self._outer.has_writable_variables()

    def callable_names(self) -> list[str]:
        return self._outer.callable_names()


# --- deduction -----------------------------------------------------------------------------------


def placeholders(template: Template, bindings: Bindings) -> Bindings:
    """What stands for the parameters that are not known yet, while the others are."""
    result = dict(bindings)
    for parameter in template.parameters:
        if parameter.name not in bindings and parameter.kind == "type":
            result[parameter.name] = Qualified(Opaque(f"${parameter.name}"))
    return result


def deduce(pattern: Type, given: Type, found: Bindings, span: Span, const: bool = False) -> None:
    """Bind the placeholders in the type of a parameter, from the type of an argument.

    `const` says that what is matched is const, where that is part of the type: behind a pointer.
    """
    match pattern:
        case Opaque(name=name) if name.startswith("$"):
            known = found.get(name[1:])
            new = Qualified(given, const)
            if known is not None and known != new:
                old = known.type
                message = f"the template parameter '{name[1:]}' would have to be both '{old}' and '{given}'"
                raise SyntaxProblem(message, span, "write the template arguments: f<...>(...)")
            found[name[1:]] = new
        case Pointer(to=to) if isinstance(given, Pointer):
            deduce(to, given.to, found, span, const=given.const and not pattern.const)
        case Array(of=of) if isinstance(given, Array):
            deduce(of, given.of, found, span)


def has_placeholder(type_: Type) -> bool:
    """Whether deduction has something to find in a parameter's type."""
    while isinstance(type_, Pointer | Array):
        type_ = element(type_)
    return isinstance(type_, Opaque) and type_.name.startswith("$")


# --- names ---------------------------------------------------------------------------------------


def instance_name(template: Template, bindings: Bindings) -> str:
    """`scale_float_16`."""
    return "_".join([template.name, *(_word(bindings[p.name]) for p in template.parameters)])


def _word(binding: Binding) -> str:
    if isinstance(binding, Const):
        if binding.type == BOOL:
            return "true" if binding.value else "false"
        return str(binding.value).replace("-", "minus")
    text = f"{'const ' if binding.const else ''}{binding.type}"
    return re.sub(r"\W+", "_", text.replace("*", " ptr ").strip()).strip("_")


def display_name(template: Template, bindings: Bindings) -> str:
    """`scale<float, 16>`."""
    return f"{template.name}<{', '.join(_written(bindings[p.name]) for p in template.parameters)}>"


def _written(binding: Binding) -> str:
    if isinstance(binding, Const):
        return str(binding.text or binding.value)
    return f"{'const ' if binding.const else ''}{binding.type}"


def example(template: Template) -> str:
    """An instance as a user could name it: `scale<float, 16>`."""
    return f"{template.name}<{', '.join('float' if p.kind == 'type' else '16' for p in template.parameters)}>"


def key(template: Template, bindings: Bindings) -> tuple[Any, ...]:
    """What tells instances apart."""
    parts: list[Any] = [template.name]
    for parameter in template.parameters:
        binding = bindings[parameter.name]
        parts.append((binding.value, binding.type) if isinstance(binding, Const) else binding)
    return tuple(parts)


def missing(template: Template, span: Span, name: str) -> UnsupportedError:
    """The error for a parameter that nothing determines."""
    message = f"the template argument '{name}' of '{template.name}' is not given, and the arguments do not tell it"
    return UnsupportedError(message, span, f"write it: {template.name}<...>(...)")
