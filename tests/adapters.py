"""The libraries that hetad has adapters for: where one is absent its tests are skipped, unless HETAD_TEST_ADAPTERS is
"required", as in CI."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def need(name: str) -> Any:
    """The module, or else the test is skipped with the reason.  JAX makes arrays on the CPU where nothing else is said,
    also on a machine with a GPU."""
    if os.environ.get("HETAD_TEST_ADAPTERS") == "required":
        found = importlib.import_module(name)
    else:
        library = name.partition(".")[0]
        found = pytest.importorskip(name, reason=f"{name} is not installed: pip install hetad[{library}]")
    if name == "jax" and found.config.jax_default_device is None:
        found.config.update("jax_default_device", found.devices("cpu")[0])
    return found
