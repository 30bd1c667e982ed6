"""Which files are hetad's own: what stands for headers, libraries and classes of C++."""

from __future__ import annotations

from hetad.frontend import models
from hetad.frontend.headers import HEADERS
from hetad.frontend.libraries import LIBRARIES


def is_shipped(file: str) -> bool:
    """Whether a place in this file is none of the user's."""
    return file in LIBRARIES or file in HEADERS or models.is_model(file)
