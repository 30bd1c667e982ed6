"""The preprocessed program as one text for Clang, whose positions lead back to the user's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from hetad.frontend.tokens import Token


@dataclass
class Text:
    """Tokens laid out in lines, behind declarations (`lead`) or behind another text, to whose tokens they are added."""

    lead: str | Text
    tokens: Sequence[Token]
    whole: str = ""
    _columns: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lead = self.lead.whole if isinstance(self.lead, Text) else self.lead
        earlier = self.lead.tokens if isinstance(self.lead, Text) else ()
        number = lead.count("\n") + 1
        lines = [lead]
        line: list[str] = []
        column = 1
        before: Token | None = None
        for i, token in enumerate(self.tokens, len(earlier)):
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
        lines += [" ".join(line), "\n"] * bool(line)
        self.whole = "".join(lines)
        self.tokens = [*earlier, *self.tokens]

    def index(self, line: int, column: int) -> int | None:
        """The token at a position of the whole text; None in the declarations before."""
        found = self._columns.get(line)
        if found is None:
            return self.lead.index(line, column) if isinstance(self.lead, Text) else None
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
