from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

@dataclass
class Token:
    type: str
    value: str
    lineno: int
    column: int
    filename: str

class CLexer:
    def __init__(
        self, error_func: Callable[[str, int, int], None], *, dialect: Literal["legacy", "c23"] = "legacy"
    ) -> None: ...
    def input(self, text: str, filename: str = "") -> None: ...
    def token(self) -> Token | None: ...
