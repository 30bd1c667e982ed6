"""Small changes of a source file: mutmut's, and those that proofs and rules invite.

mutmut changes operators, constants, conditions, arguments.  Added here: a guard that is left out, of several or alone,
and another operator or number in a formula of `hetad/rules`, which is text.  Left alone is what no gradient depends on:
annotations, messages, the places that messages point at.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import (
    mutation_operators,
    operator_arg_removal,
    operator_dict_arguments,
    operator_string,
)

_UNTOUCHED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Raise, cst.Global, cst.FormattedString)
_ASKING = m.Name("len") | m.Name("isinstance") | m.Name("cast") | m.Name("TypeVar") | m.Name("field")
_STATEMENT = (cst.BaseCompoundStatement, cst.SimpleStatementLine, cst.MatchCase)
_OF_CALLS = (operator_arg_removal, operator_dict_arguments)
_ENDS = m.Return() | m.Continue() | m.Break()
_IN_FORMULA = re.compile(r"<=|>=|==|!=|[-+*/<>]|\b\d+(?:\.\d+)?\b")
_OTHER = {"<=": "<", ">=": ">", "<": "<=", ">": ">=", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*"}


@dataclass(frozen=True)
class Mutant:
    """`file` with one change, in the statement that begins at `line`, in the function `owner` ("" outside of any);
    `name` stays the same while the file changes elsewhere.  `about`: what the row of a table around it is about, names
    of functions and the variable that holds it."""

    file: str
    line: int
    owner: str
    name: str
    about: tuple[str, ...]
    text: str
    diff: str


@dataclass(frozen=True)
class _Change:
    node: cst.CSTNode
    other: cst.CSTNode
    line: int
    owner: str
    about: tuple[str, ...]


def guards(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The condition without one of its parts; what an `if` that only leaves would have left."""
    if isinstance(node, cst.BooleanOperation):
        yield node.left
        yield node.right
    if isinstance(node, cst.If) and node.orelse is None and len(node.body.body) == 1:
        (only,) = node.body.body
        if m.matches(only, m.SimpleStatementLine(body=[_ENDS])):
            yield node.with_changes(test=cst.Name("False"))


def formulas(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The text of a formula with another operator or number."""
    if not isinstance(node, cst.SimpleString):
        return
    try:
        tree = ast.parse(str(node.evaluated_value), mode="eval")
    except (SyntaxError, ValueError):
        return
    if not any(isinstance(part, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Constant) for part in ast.walk(tree)):
        return
    for found in _IN_FORMULA.finditer(node.value):
        word = found[0]
        other = _OTHER.get(word) or repr(ast.literal_eval(word) + 1)
        yield node.with_changes(value=f"{node.value[: found.start()]}{other}{node.value[found.end() :]}")


def _is_untouched(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Arg):
        points = m.matches(node.value, m.Name("span") | m.Attribute(attr=m.Name("span")))
        return points or m.matches(node.keyword or node, m.Name("span") | m.Name("note") | m.Name("domain"))
    if m.matches(node, m.Subscript(value=m.Name("Literal"))):
        return True
    return isinstance(node, _UNTOUCHED) or m.matches(node, m.Expr(m.SimpleString() | m.ConcatenatedString()))


def _touches(node: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether a call differs in an argument that is left alone."""
    if not isinstance(node, cst.Call) or not isinstance(other, cst.Call):
        return False
    kept = {id(arg.value) for arg in other.args}
    return any(_is_untouched(arg) for arg in node.args if id(arg.value) not in kept)


def _about(node: cst.CSTNode) -> tuple[str, ...]:
    """What a row of a table, or an assignment of one, is about: its first text is a name, or a prototype."""
    if isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
        return (node.targets[0].target.value, *(_about(node.value)))
    parts = node.args if isinstance(node, cst.Call) else node.elements if isinstance(node, cst.Tuple) else ()
    first = parts[0].value if parts else None
    if not isinstance(first, cst.SimpleString):
        return ()
    text = str(first.evaluated_value)
    return (text,) if text.isidentifier() else tuple(re.findall(r"(\w+)\(", text))


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[_Change] = []
        self.around: list[tuple[int, str, tuple[str, ...]]] = [(1, "", ())]

    def on_visit(self, node: cst.CSTNode) -> bool:
        line, owner, about = self.around[-1]
        if isinstance(node, _STATEMENT):
            line = self.get_metadata(PositionProvider, node).start.line
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            owner = f"{owner}.{node.name.value}".lstrip(".")
        if not owner:
            about = _about(node) or about
        self.around.append((line, owner, about))
        if _is_untouched(node) or m.matches(node, m.Call(func=_ASKING)):
            return False
        self.found += [_Change(node, other, line, owner, about) for other in self.others(node, owner)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self.around.pop()

    def others(self, node: cst.CSTNode, owner: str) -> Iterator[cst.CSTNode]:
        for kind, operator in mutation_operators:
            # A row of a table that lacks an argument is none.
            if isinstance(node, kind) and operator is not operator_string and (owner or operator not in _OF_CALLS):
                yield from (other for other in operator(node) if not _touches(node, other))
        yield from guards(node)
        if isinstance(node, cst.SimpleString):
            yield from (list(formulas(node)) if "/rules/" in self.file else []) or _names(node)


def _names(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """Another name, where the text is one and no message."""
    if re.fullmatch(r"\w+", str(node.evaluated_value)):
        yield next(iter(operator_string(node)))


def mutants(root: Path, file: str, sample: int | None = None, seed: int = 0) -> tuple[int, list[Mutant]]:
    """How many changes of a file there are, and the texts of so many of them, drawn with a seed, or of all.

    Those that are no other program are left out: there may be fewer."""
    original = (root / file).read_text(encoding="utf-8")
    finder = _Finder(file)
    wrapper = MetadataWrapper(cst.parse_module(original))
    wrapper.visit(finder)
    code = wrapper.module.code_for_node
    named: dict[str, _Change] = {}
    counted = Counter[str]()
    for change in finder.found:
        what = f"{file} {change.owner} {code(change.node)} -> {code(change.other)}"
        counted[what] += 1
        named[hashlib.sha256(f"{what} {counted[what]}".encode()).hexdigest()[:12]] = change
    drawn = list(named.items())
    random.Random(f"{seed} {file}").shuffle(drawn)  # noqa: S311
    seen = {ast.dump(ast.parse(original))}
    made: list[Mutant] = []
    for name, change in drawn:
        if sample is not None and len(made) >= sample:
            break
        text = wrapper.module.deep_replace(change.node, change.other).code  # type: ignore[union-attr]
        try:
            tree = ast.dump(ast.parse(text))
        except SyntaxError:
            continue
        if tree not in seen:
            seen.add(tree)
            diff = "\n".join(difflib.unified_diff(
                original.splitlines(), text.splitlines(), file, file, lineterm="", n=1
            ))  # fmt: skip
            made.append(Mutant(file, change.line, change.owner, name, change.about, text, diff))
    return len(named), made
