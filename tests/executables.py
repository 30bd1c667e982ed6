"""The executable that runs the calls of a gradient on the CPU, for tests that look into it."""

from __future__ import annotations

from typing import Any

import hetad
from hetad.run.adaptive import AdaptiveExecutable


def running(gradient: hetad.Gradient) -> Any:
    """The one that ran its last call: with checks or without."""
    executable = gradient._last.executable
    return executable._used() if isinstance(executable, AdaptiveExecutable) else executable
