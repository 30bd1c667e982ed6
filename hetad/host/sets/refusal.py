"""Why the sets of a batch cannot run at once."""

from __future__ import annotations

from hetad.diagnostics import Span


class OneByOne(Exception):
    """The sets run one after the other, because of what stands at `span`."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span
