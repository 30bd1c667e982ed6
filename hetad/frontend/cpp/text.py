"""The preprocessed program as one text for Clang, whose positions lead back to the user's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from hetad.frontend.tokens import Token


@dataclass
class Text:
    """Tokens laid out in lines; those behind `lead`, the declarations before them, are the user's."""

    lead: str
    tokens: Sequence[Token]
    whole: str = ""
    _columns: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        number = self.lead.count("\n") + 1
        lines = [self.lead]
        line: list[str] = []
        column = 1
        before: Token | None = None
        for i, token in enumerate(self.tokens):
            if token.kind == "pragma":  # read off the tokens: see `pragmas`
                continue
            if before is not None and (token.line, token.file) != (before.line, before.file):
                lines += [" ".join(line), "\n"]
                line, column, number = [], 1, number + 1
            columns, indices = self._columns.setdefault(number, ([], []))
            columns.append(column)
            indices.append(i)
            line.append(token.text)
            column += len(token.text.encode()) + 1
            number += token.text.count("\n")
            before = token
        lines += [" ".join(line), "\n"]
        self.whole = "".join(lines)

    def index(self, line: int, column: int) -> int | None:
        """The token at a position of the whole text; None in the declarations before."""
        found = self._columns.get(line)
        if found is None:
            return None
        columns, indices = found
        at = bisect_right(columns, column) - 1
        return indices[at] if at >= 0 else indices[0]

    def pragmas(self, i: int) -> list[Token]:
        """The pragmas right before a token."""
        found: list[Token] = []
        while i > 0 and self.tokens[i - 1].kind == "pragma":
            i -= 1
            found.insert(0, self.tokens[i])
        return found
