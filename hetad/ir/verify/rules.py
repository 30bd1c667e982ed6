"""What a rule of the IR is: a method for some kinds of node whose docstring says, in one sentence, what holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hetad.ir import nodes as ir
from hetad.ir.types import Array, Pointer, Type
from hetad.ir.visit import children, own_exprs

R = TypeVar("R")
Node = ir.Expr | ir.Stmt | ir.Function


class InvalidIR(AssertionError):
    """A rule of the IR is broken: a bug of the pass that made it, not of the user's program.

    `str()` names the function, the position, the rule with its sentence, and the node.
    """


@dataclass(frozen=True, slots=True)
class Rule:
    """`holds` is asked of each node of one of the types `nodes`."""

    nodes: tuple[type, ...]
    holds: Callable[[Any, Any], bool]

    @property
    def name(self) -> str:
        return self.holds.__name__

    @property
    def sentence(self) -> str:
        return " ".join((self.holds.__doc__ or "").split())


def rule(*nodes: type) -> Callable[[Callable[[R, Any], bool]], Rule]:
    """Marks a method as the rule for these nodes."""
    return lambda holds: Rule(nodes, holds)


@dataclass(slots=True)
class Setting:
    """Where the walk is: what rules may ask beyond the node itself."""

    program: ir.Program
    function: ir.Function
    declared: set[ir.Symbol]  # the variables in scope
    fixed: set[ir.Symbol]  # constants that have their value
    meanings: dict[str, ir.Symbol]  # what each name of a variable of the function means here
    whole: ir.Expr | None = None  # what the statement gives to a variable
    slots: dict[ir.Symbol, ir.Push | ir.Pop] = field(default_factory=dict)  # the first use of each


class Rules:
    """A group of rules; `of_sweeps`: whether what a target runs in place of a body keeps them too."""

    of_sweeps = True

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @classmethod
    def all(cls) -> Iterator[Rule]:
        """Its rules, those of the classes that it extends first."""
        for each in reversed(cls.__mro__):
            yield from (r for r in vars(each).values() if isinstance(r, Rule))


def broken(setting: Setting, rule: Rule, node: Node) -> InvalidIR:
    """The error for a node of which a rule does not hold."""
    from hetad.ir.printer import expr_text, stmt_text

    try:
        if isinstance(node, ir.Function):
            lines = [f"{node.returns} {node.name}({', '.join(f'{p.name}: {p.type}' for p in node.params)})"]
        elif isinstance(node, ir.Stmt):
            lines = [stmt_text(node), *(f"{expr_text(e)}: {e.type}" for e in own_exprs(node))]
        else:
            lines = [f"{expr_text(e)}: {e.type}" for e in (node, *children(node))]
    except (TypeError, AttributeError, KeyError):
        lines = [type(node).__name__]
    shown = "".join(f"\n  {line}" for line in lines)
    return InvalidIR(f"{setting.function.name}, {node.span}: rule '{rule.name}': {rule.sentence}{shown}")


def assignable(given: Type, wanted: Type) -> bool:
    """Whether a value of one type may stand where the other is wanted: the types are equal, or the pointee becomes
    const, or an array decays to the pointer to its first element."""
    if given == wanted:
        return True
    if not isinstance(wanted, Pointer):
        return False
    if isinstance(given, Array):
        return given.of == wanted.to
    return isinstance(given, Pointer) and given.to == wanted.to and wanted.const


def passable(value: ir.Expr, wanted: Type) -> bool:
    """Whether an expression may stand where a type is wanted: assignable, a text, or the null of pointers."""
    if isinstance(value, ir.String) and isinstance(wanted, Array):
        return True
    null = isinstance(value, ir.Const) and value.value == 0 and isinstance(value.type, Pointer)
    return assignable(value.type, wanted) or (null and isinstance(wanted, Pointer))
