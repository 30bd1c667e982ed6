"""What one run of the suite tries of a part of the tests only, as it takes long: the parts take turns.

`HETAD_TEST_TURN=K` says whose turn it is, in CI the day's; without it there is one that is always the same, and "all"
leaves nothing out.
"""

from __future__ import annotations

import os
import zlib

import pytest


def skip_unless_turn_of(name: str, parts: int) -> None:
    if not is_turn_of(name, parts):
        pytest.skip("another turn: HETAD_TEST_TURN")


def is_turn_of(name: str, parts: int) -> bool:
    """Whether it is the turn of the part, of so many, in which the test or the program of this name is."""
    turn = os.environ.get("HETAD_TEST_TURN") or "0"
    return turn == "all" or zlib.crc32(name.encode()) % parts == int(turn) % parts
