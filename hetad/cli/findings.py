"""What `hetad doctor` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "absent", "broken"]


@dataclass(frozen=True)
class Finding:
    """`remedy` says what to do when the status is not ok."""

    topic: str
    status: Status
    detail: str
    remedy: str = ""
