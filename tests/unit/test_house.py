"""The size of things: a file, a function or a list of parameters that grows beyond these holds a second idea.  And
their order: what a module needs does not need the module."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import networkx as nx
import pytest

import hetad

PACKAGE = Path(hetad.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LINES, STATEMENTS, PARAMETERS = 450, 60, 7
# Recursive descent is a circle as the language is one; and a derivative is a program, whose functions have derivatives.
CIRCLES = (
    r"hetad\.frontend\.lower\..*",
    r"hetad\.frontend\.cpp\..*",
    r"hetad\.(api|debugger\..*|derived|gradients|tangents)",
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Definition]]:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Definition):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}", node


def body_lines(function: Definition) -> int:
    """Lines of a function, without its documentation."""
    documented = ast.get_docstring(function) is not None
    start = function.body[0].end_lineno if documented else function.body[0].lineno - 1
    assert function.end_lineno is not None and start is not None
    return function.end_lineno - start


def too_many(function: Definition) -> bool:
    """Options that a user gives by keyword are as many as there are; all other functions have few parameters."""
    args = function.args
    positional = [a for a in (*args.posonlyargs, *args.args) if a.arg not in ("self", "cls")]
    for_users = not function.name.startswith("_") or function.name == "__call__"
    documented = ast.get_docstring(function) is not None
    by_keyword = [] if for_users and documented else args.kwonlyargs
    return len(positional) + len(by_keyword) > PARAMETERS


def test_files_are_short() -> None:
    lines = {str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: count for name, count in lines.items() if count > LINES} == {}


def test_functions_are_short() -> None:
    assert [where for where, function in functions() if body_lines(function) > STATEMENTS] == []


def test_parameters_are_few() -> None:
    assert [where for where, function in functions() if too_many(function)] == []


def imported(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """The modules that one needs when it runs, in functions too."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
            for inner in orelse:
                yield from imported(inner, modules)
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names):
            parts = (f"{module}.{alias.name}" for alias in names)
            yield from (part if part in modules else module for part in parts)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from imported(child, modules)


def test_imports_go_in_no_circles() -> None:
    paths = {".".join(("hetad", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in FILES}
    trees = {
        name.removesuffix(".__init__"): ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()
    }
    needs = nx.DiGraph((name, other) for name, tree in trees.items() for other in imported(tree, trees))
    circles = [sorted(part) for part in nx.strongly_connected_components(needs) if len(part) > 1]
    kinds = {next((c for c in CIRCLES if all(re.fullmatch(c, name) for name in part)), str(part)) for part in circles}
    assert sorted(kinds) == sorted(CIRCLES)


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        # Names of the run-time support are text that targets write and look for in text; passes ask for operations.
        (r"""(?:==|!=|\bin\b|startswith\()\s*\(?["']hetad_""", ("emit/", "targets/", "rules/", "run/", "jax/")),
        (r"\bnode: Any\b", ()),
    ],
)
def test_what_code_does_not_say(pattern: str, allowed: tuple[str, ...]) -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line) and not str(path.relative_to(PACKAGE)).startswith(allowed or ("-",))
    ]
    assert found == []
