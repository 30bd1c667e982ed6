"""What Python and its tools show of functions and derivatives: `inspect.signature`, `help()`, Jupyter."""

from __future__ import annotations

import html
import inspect
import keyword
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hetad.run.signature import declaration

if TYPE_CHECKING:
    from hetad.ir.nodes import Function, Symbol

_OF_KERNELS = ("grid", "block", "shared_mem", "stream")


def describe(shown: Any, function: Function, text: str) -> None:
    """Give a callable object the signature of the C function that it takes its arguments for, and `text` as its
    documentation."""
    shown.__signature__ = _signature(type(shown).__call__, function)
    shown.__doc__ = text


def _signature(call: Any, function: Function) -> inspect.Signature:
    """The parameters of C, then the keywords of `call`.  A name that Python reserves can be given by position only."""
    Parameter = inspect.Parameter  # noqa: N806
    names = [p.name for p in function.params]
    is_kernel = function.kind == "kernel"
    keywords = [
        p.replace(default=Parameter.empty) if is_kernel and p.name in ("grid", "block") else p
        for p in inspect.signature(call).parameters.values()
        if p.kind is Parameter.KEYWORD_ONLY and p.name not in names and (is_kernel or p.name not in _OF_KERNELS)
    ]
    return inspect.Signature([*positional(function.params), *keywords])


def positional(symbols: Sequence[Symbol]) -> list[inspect.Parameter]:
    """Parameters of C as Python has them.  A name that Python reserves can be given by position only."""
    reserved = max((i for i, p in enumerate(symbols) if keyword.iskeyword(p.name)), default=-1)
    return [
        inspect.Parameter(
            f"{p.name}_" if keyword.iskeyword(p.name) else p.name,
            inspect.Parameter.POSITIONAL_ONLY if i <= reserved else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=declaration(p.type, "").rstrip(),
        )
        for i, p in enumerate(symbols)
    ]


def table(title: str, rows: Iterable[Sequence[str]]) -> str:
    """A table for Jupyter, in the notebook's own colours."""
    cells = "".join("<tr>" + "".join(f"<td><code>{html.escape(c)}</code></td>" for c in row) + "</tr>" for row in rows)
    return f"<div><b>{html.escape(title)}</b><table>{cells}</table></div>"


def with_source(title: str, rows: Iterable[Sequence[str]], source: str) -> str:
    """The same, with a text that unfolds."""
    return (
        f"{table(title, rows)}<details><summary>source</summary>"
        f"<pre style='text-align: left'>{html.escape(source)}</pre></details>"
    )
