"""What the user tells the preprocessor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

Frontend = Literal["auto", "c", "cpp"]
FRONTENDS: tuple[Frontend, ...] = get_args(Frontend)


@dataclass(frozen=True)
class Settings:
    """What a compiler is told on its command line: -D, -U, -I, and the architecture as `__CUDA_ARCH__` has it.

    `frontend`: who reads it: pycparser as C, Clang as C++, or the first that accepts it.
    """

    defines: Mapping[str, object] = field(default_factory=dict)
    undefines: Sequence[str] = ()
    include_dirs: Sequence[str] = ()
    cuda_arch: int = 900
    frontend: Frontend = "auto"

    @property
    def fixed(self) -> frozenset[str]:
        """Macros of which the user has the last word."""
        return frozenset({*(name.split("(")[0] for name in self.defines), *self.undefines})


NO_SETTINGS = Settings()
