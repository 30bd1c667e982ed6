"""Any text is a program, or refused with a HetadError, within 10 seconds of the processor and 2 GB of memory.

`make fuzz` tries many, and shrinks what fails; otherwise the same few are tried.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given, note, settings

from hetad.diagnostics import InternalError
from tests.property.mutants import mutants, texts
from tests.property.reading import BYTES, wrong


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [True, False], ids=["tokens", "characters"])
@pytest.mark.parametrize("cpp", [False, True], ids=["C", "C++"])
def test_any_text_is_a_program_or_refused(tokens: bool, cpp: bool) -> None:
    few = settings(settings.get_profile("programs"), max_examples=12, phases=(Phase.generate,))
    deep = settings.get_current_profile_name() == "deep"

    @settings(settings.get_profile("deep") if deep else few)
    @given(mutants(texts(cpp=cpp), tokens=tokens))
    def each(text: str) -> None:
        note(text)
        assert wrong(text) == ""

    each()


def _endless(text: str) -> None:
    while True:
        pass


def _large(text: str) -> None:
    np.empty(4 * BYTES, np.uint8)


def _defect(text: str) -> None:
    raise InternalError(text)


def _exit(text: str) -> None:
    os._exit(5)


@pytest.mark.parametrize(
    ("reads", "what"), [(_endless, "-24"), (_large, "MemoryError"), (_defect, "InternalError"), (_exit, "ended with 5")]
)
def test_what_must_not_happen_is_seen(reads: Callable[[str], None], what: str) -> None:
    assert what in wrong("a text", reads, seconds=1)
