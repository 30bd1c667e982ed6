"""Errors as the user sees them: what is wrong, the line it is on, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hetad.diagnostics import ArgumentError, HetadError, SourceError, UnknownNameError

if TYPE_CHECKING:
    from rich.text import Text

FAILED = 1
USAGE = 2


def explain_failure(error: Exception, as_json: bool) -> int | None:
    """Prints an error of hetad, or of the file system, and gives the exit status; None for any other error."""
    if not isinstance(error, HetadError | OSError):
        return None
    if as_json:
        from hetad.cli.console import print_json

        print_json({"error": as_dictionary(error)})
    else:
        from hetad.cli.console import err, say

        say(err(), render(error), indent=4)
    return USAGE if isinstance(error, ArgumentError | UnknownNameError | OSError) else FAILED


def as_dictionary(error: Exception) -> dict[str, Any]:
    """The parts of an error for a script."""
    result: dict[str, Any] = {"kind": type(error).__name__, "message": _message(error)}
    if isinstance(error, HetadError):
        result["code"] = error.code
    if isinstance(error, SourceError):
        if error.span is not None:
            result |= {"file": error.span.file, "line": error.span.line, "column": error.span.column}
        if error.source_line is not None:
            result["source_line"] = error.source_line
        if error.related:
            result["related"] = [{"file": r.span.file, "line": r.span.line, "column": r.span.column, "message": r.text}
                                 for r in error.related]  # fmt: skip
        if called_from := error.called_from():
            result["called_from"] = called_from
        if error.remedy:
            result["help"] = error.remedy
    return result


def render(error: Exception) -> Text:
    """The error with its source line and a caret under the place."""
    from rich.text import Text

    if not isinstance(error, SourceError):
        first, *rest = _message(error).splitlines() or [""]
        return Text.assemble(
            ("error: ", "bold red"), (first, "bold"), (_code(error), "dim"), *("\n" + line for line in rest)
        )
    place = f"{error.span}: " if error.span is not None else ""
    text = Text.assemble((place, "bold"), ("error: ", "bold red"), (error.message, "bold"), (_code(error), "dim"))
    if error.span is not None and error.source_line is not None:
        text.append_text(excerpt(error.source_line, error.span.line, error.span.column, error.span.length))
    for r in error.related:
        text.append_text(Text.assemble("\n", (f"{r.span}: ", "bold"), r.text))
        if r.source_line is not None:
            text.append_text(excerpt(r.source_line, r.span.line, r.span.column, r.span.length))
    for call in error.called_from():
        text.append(f"\n  called from {call}")
    if error.remedy:
        text.append_text(Text.assemble("\n  ", ("help: ", "bold cyan"), error.remedy))
    return text


def excerpt(source_line: str, line: int, column: int, length: int) -> Text:
    """A numbered source line and the carets below it; tabs are kept, so that the carets stand right."""
    from rich.text import Text

    number = str(line)
    before = source_line[: column - 1]
    indent = "".join(c if c == "\t" else " " for c in before)
    width = max(1, min(length, len(source_line) - column + 1))
    return Text.assemble(
        (f"\n  {number} | ", "blue"), before, (source_line[column - 1 : column - 1 + width], "red"),
        source_line[column - 1 + width :],
        (f"\n  {' ' * len(number)} | ", "blue"), indent, ("^" * width, "bold red"),
    )  # fmt: skip


def _code(error: Exception) -> str:
    return f"  [{error.code}]" if isinstance(error, HetadError) else ""


def _message(error: Exception) -> str:
    if isinstance(error, HetadError):
        return error.told
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
