"""CUDA text as lines of a page: coloured, numbered, and with the key of the primal's line that each belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer


@dataclass(frozen=True)
class Note:
    """What a line is marked with: a word, its explanation, and its kind, "saved" or "added"."""

    kind: str
    text: str
    more: str


@dataclass(frozen=True)
class Line:
    """`key`: of the primal's line, `file-line`; `number`: what is shown before it; `to`: where that leads."""

    text: str
    key: str = ""
    number: str = ""
    to: str = ""
    name: str = ""
    notes: tuple[Note, ...] = ()


def pane(title: str, lines: Sequence[Line]) -> str:
    """A pane with a title."""
    coloured = _coloured("\n".join(line.text for line in lines))
    rows = "".join(_row(line, text) for line, text in zip(lines, coloured, strict=True))
    return f'<h3>{escape(title)}</h3><div class="code">{rows}</div>'


def _row(line: Line, text: str) -> str:
    of = f' data-of="{line.key}"' if line.key else ""
    name = f' id="{line.name}"' if line.name else ""
    number = f'<a class="no" href="#{line.to}">{line.number}</a>' if line.to else '<a class="no"></a>'
    if line.number and not line.to:
        number = f'<a class="no" href="#{line.name}">{line.number}</a>'
    notes = "".join(f'<span class="note {n.kind}" title="{escape(n.more)}">{escape(n.text)}</span>' for n in line.notes)
    return f'<div class="line"{name}{of}>{number}<span>{text or " "}</span>{notes}</div>'


def _coloured(text: str) -> list[str]:
    """The lines as HTML."""
    lexer = CudaLexer(stripnl=False, ensurenl=True)
    found: list[str] = highlight(text, lexer, HtmlFormatter(nowrap=True)).split("\n")
    return found[: text.count("\n") + 1]


def key(files: Mapping[str, int], file: str, line: int) -> str:
    """Of a line of the primal; empty in files that the page does not show."""
    return f"{files[file]}-{line}" if file in files else ""
