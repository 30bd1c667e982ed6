"""From CUDA source to the IR: `load(...)`, then `unit.reach(function)`, then `fence` and `normalize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hetad.deep import deep
from hetad.diagnostics import ours
from hetad.garbage import seldom_collected

if TYPE_CHECKING:
    from hetad.frontend.settings import Settings
    from hetad.frontend.unit import Unit


__all__ = ["Unit", "load", "load_files"]


def load(text: str, name: str, defines: Mapping[str, object] | None = None, include_dirs: Sequence[str] = ()) -> Unit:
    """Preprocess a CUDA source and find its top-level items; none is parsed yet.

    `name` is the file shown in messages, and where relative includes start.  Raises SyntaxProblem.
    """
    from hetad.frontend.settings import Settings

    return load_files([(text, name)], Settings(defines or {}, (), include_dirs))


@deep
@seldom_collected()
def load_files(sources: Sequence[tuple[str, str]], settings: Settings) -> Unit:
    """The same for the texts and names of several sources that are one program."""
    from hetad.frontend.choice import unit_of
    from hetad.frontend.preprocess import depends_on_architecture, preprocess

    files = []
    with ours(None):
        for text, name in sources:
            host = preprocess(text, name, settings)
            again = depends_on_architecture(host, settings)
            files.append((host, preprocess(text, name, settings, device=True) if again else None))
        return unit_of(files, settings.frontend)
