"""From CUDA C source to the IR: `load(...)`, then `unit.reach(function)`, then `fence` and `normalize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit


__all__ = ["Unit", "load"]


def load(text: str, name: str, defines: Mapping[str, object] | None = None, include_dirs: Sequence[str] = ()) -> Unit:
    """Preprocess a CUDA source and find its top-level items; none is parsed yet.

    `name` is the file shown in messages, and where relative includes start.  Raises SyntaxProblem.
    """
    from hetad.frontend.preprocess import preprocess
    from hetad.frontend.unit import Unit

    return Unit(name, preprocess(text, name, defines, include_dirs))
