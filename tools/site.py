"""Hooks of mkdocs: the site is the repository's documentation as it stands, wherever it lies.

A page of docs/ is at its path in that folder, and what else is linked to (a sample, CONTRIBUTING.md) at its path in the
repository, so that links which work in the repository work on the site too.  Two pages are made of the package itself:
the options of the commands, and what a problem file may say.
"""

from __future__ import annotations

import argparse
import inspect
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/RESULTS.md")
SOURCES = ("samples/*.cu", "samples/*.py", "samples/*.toml", "docs/notebooks/*.py")
_LANGUAGES = {".cu": "cuda", ".py": "python", ".toml": "toml"}
_LINK = re.compile(r"(\]\(|(?:href|src)=\")([^)\"\s#:]+)")
_FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    """Adds what lies outside of docs/, and the pages that are made."""
    for name in BESIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern)):
        name = path.relative_to(ROOT).as_posix()
        fence = f"```{_LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8')}```\n"
        text = f"---\nsearch:\n  exclude: true\n---\n# {name}\n\n{fence}"
        files.append(File.generated(config, f"{name}.md", content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    files.append(File.generated(config, "reference/command-line.md", content="\n".join(commands())))
    files.append(File.generated(config, "reference/problem-files.md", content=problem_files()))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Links between files of the repository become links between pages of the site."""
    site = page.file.src_uri
    here = site if site in BESIDE else f"docs/{site}"

    def there(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), found[2])).removeprefix("docs/")
        path = path if files.get_file_from_path(path) else f"{path}.md"
        if not files.get_file_from_path(path):
            return found[0]  # for mkdocs to tell
        return found[1] + posixpath.relpath(path, posixpath.dirname(site) or ".")

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(there, part) for part in parts)


# --- pages made of the package --------------------------------------------------------------------


def commands() -> Iterator[str]:
    """The reference of the command line, from its parser."""
    from hetad.cli.parser import build_parser

    parser = build_parser()
    (subparsers,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    yield f"# Command line\n\n{parser.description} {parser.epilog}\n"
    for name, command in subparsers.choices.items():
        yield f"## hetad {name}\n\n{command.description}\n\n| | |\n|---|---|"
        for action in command._actions:
            if action.help is not argparse.SUPPRESS and action.dest != "help":
                yield f"| {_written(action)} | {_cell(action.help or '')} |"
        yield ""


def _written(action: argparse.Action) -> str:
    """An option as it is typed."""
    value = action.metavar or ("{" + ",".join(action.choices) + "}" if action.choices else None)
    takes = "" if action.nargs == 0 or value is None else f" {value}"
    return ", ".join(f"`{_cell(option + takes)}`" for option in action.option_strings) or f"`{value or action.dest}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("%%", "%")


def problem_files() -> str:
    """What the module that reads them says."""
    from hetad import problem

    title, rest = inspect.cleandoc(problem.__doc__ or "").split("\n", 1)
    return f"# Problem files\n\n{title}\n{rest}\n\nEach program of `samples/` has one beside it.\n"
