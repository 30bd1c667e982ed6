"""Gradients that are gone on with, on the CUDA backend over a CuPy and a driver made of host memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from tests.host.file_operations import watched
from tests.host.resumed import PROGRAMS
from tests.host.test_resume import interrupt
from tests.unit.test_run_cuda import driver

__all__ = ["driver"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_interrupted_again_and_again(name: str, driver: Any, tmp_path: Path) -> None:
    source, function, what, args, seeds, limits = PROGRAMS[name]()
    f = hetad.loads(source)[function]
    wanted = hetad.gradient(f, **what, backend="cuda", **limits)(*args, **seeds)
    gradient = hetad.gradient(f, **what, backend="cuda", **limits, checkpoint_dir=tmp_path, resume=0)
    before = [np.copy(a) for a in args]
    with watched():
        for at in (30, 60, 70):
            interrupt(gradient, args, seeds, at)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    found = gradient(*args, **seeds)
    for x in what["wrt"]:
        np.testing.assert_array_equal(found[x], wanted[x])
    assert list(tmp_path.iterdir()) == []
