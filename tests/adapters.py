"""The libraries that hetad has adapters for: where one is absent its tests are skipped, unless HETAD_TEST_ADAPTERS is
"required", as in CI."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def need(name: str) -> Any:
    """The module, or else the test is skipped with the reason."""
    if os.environ.get("HETAD_TEST_ADAPTERS") == "required":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install hetad[{name.partition('.')[0]}]")
