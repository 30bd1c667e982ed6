"""Snapshots read what the program has written, or zeros."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

IN_THE_LOOP = tuple(name for name in OPTIMISATIONS if name != "workspaces")  # where memory stays that a step allocates
PROGRAM = Path(__file__).parents[1] / "gradient" / "programs" / "scratch_buffers.cu"


@pytest.mark.parametrize("optimize", [IN_THE_LOOP, False])
def test_no_snapshot_before_the_first_write(optimize: bool | tuple[str, ...]) -> None:
    gradient = hetad.gradient(hetad.load(PROGRAM)["refine"], wrt=("x",), of=("y",), optimize=optimize)
    text = gradient.source
    forward = text[text.index("refine_grad(") : text.index("hetad_forward_done();", text.index("refine_grad("))]
    first = forward.index("square<<<")
    assert "hetad_save(t)" not in forward[:first]
    assert "hetad_save(t)" in forward[first:]
    in_loop = forward[forward.index("for (") :]
    assert "hetad_save(fresh)" not in in_loop[: in_loop.index("(fresh, t")]


def test_what_is_saved_when_only_a_part_is_written_is_zeroed() -> None:
    text = hetad.gradient(hetad.load(PROGRAM)["refine"], wrt=("x",), of=("y",), optimize=IN_THE_LOOP).source
    zeroed = set(re.findall(r"hetad_device_zeros\(\(void \*\*\)&(\w+), bytes\)", text))
    plain = set(re.findall(r"hetad_device_malloc\(\(void \*\*\)&(\w+), bytes\)", text))
    assert {"t", "w"} <= zeroed, "t is written by halves; w has no value when the first iteration saves it"
    assert "fresh" in zeroed, "it is saved when the loop frees it"
    assert plain == {"d_x"}, "it is copied to as a whole"
