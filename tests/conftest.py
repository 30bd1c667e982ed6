"""Which backends the tests run on.

A test that takes the fixture `backend` runs once per backend.  By default those are the CPU and, where it is usable,
the GPU; where it is not, the GPU's half is skipped with the reason.  `--backend cpu|cuda|both`, or the environment
variable HETAD_TEST_BACKEND, names them, and then a GPU that cannot be used is an error, never a skip.

`--optimize gather,exclusive` takes these optimisations alone, `--optimize each` one after the other.
"""

from __future__ import annotations

import functools
import os
import zlib
from typing import Any

import pytest

# The tests of a GPU run side by side: JAX takes the memory that it needs, and not most of it at once.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

from hetad import kept_unit
from hetad.passes.manager import watch_always
from hetad.passes.watching import Verifying
from hetad.rules.signatures import signature
from hetad.run import compiler, kept
from tests import precompiled
from tests.turns import is_turn_of

watch_always(Verifying(signature))  # each pass leaves valid IR in every test

CHOICES = ("auto", "cpu", "cuda", "both")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=CHOICES,
        default=os.environ.get("HETAD_TEST_BACKEND", "auto"),
        help="run tests on these backends (default: both, the GPU only if it is usable)",
    )
    parser.addoption(
        "--optimize",
        metavar="A,B|each|none|all|deterministic",
        help="check the programs of tests/gradient with these optimisations alone, or with each alone "
        "(default: with all, and a quarter in turn with none); deterministic: with all, and sums of fixed order",
    )
    parser.addoption("--part", metavar="K/N", default="0/1", help="run the K-th of N parts of the tests, K from 0")
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected adjoints of tests/golden")


@pytest.fixture(autouse=True)
def _compiled_quickly(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thirds of the suite's time would be the C compiler's: most tests compile without optimisation, one in
    24 in turn as users do."""
    if not request.node.get_closest_marker("shipped") and not is_turn_of(request.node.nodeid, 24):
        monkeypatch.setattr(compiler, "FLAGS", _quick_flags())


_quick_flags = functools.cache(precompiled.without_optimisation)


@pytest.fixture
def kept_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that change nothing of hetad: what was read and differentiated under the verifier, by whichever test
    and process of the suite, is found again."""
    verified = f"{kept.stamp()} verified"
    for module in (kept, kept_unit):
        monkeypatch.setattr(module, "is_enabled", lambda: os.environ.get("HETAD_KEEP", "") != "0")
        monkeypatch.setattr(module, "stamp", lambda: verified)


@pytest.fixture(scope="session")
def settings(request: pytest.FixtureRequest) -> list[dict[str, Any]] | None:
    """The keyword arguments of `hetad.gradient` that `--optimize` asks for, if it does."""
    from hetad.adjoint.options import OPTIMISATIONS

    match request.config.getoption("--optimize"):
        case None:
            return None
        case "each":
            return [{"optimize": name} for name in OPTIMISATIONS]
        case "deterministic":
            return [{"deterministic": True}]
        case "all" | "none" as extent:
            return [{"optimize": extent == "all"}]
        case names:
            return [{"optimize": tuple(names.split(","))}]


@functools.cache
def why_no_gpu() -> str | None:
    """Why the CUDA backend cannot be used here; None if it can."""
    from hetad.run import cuda

    return cuda.unusable_reason()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" not in metafunc.fixturenames:
        return
    choice = metafunc.config.getoption("--backend")
    names = [choice] if choice in {"cpu", "cuda"} else ["cpu", "cuda"]
    marks = {"cpu": (), "cuda": (pytest.mark.cuda,)}
    metafunc.parametrize("backend", [pytest.param(name, marks=marks[name]) for name in names])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part, parts = map(int, config.getoption("--part").split("/"))
    of_part = [zlib.crc32(item.nodeid.encode()) // 8 % parts == part for item in items]
    config.hook.pytest_deselected(items=[item for item, mine in zip(items, of_part, strict=True) if not mine])
    items[:] = [item for item, mine in zip(items, of_part, strict=True) if mine]
    choice = config.getoption("--backend")
    on_gpu = [item for item in items if item.get_closest_marker("cuda")]
    if not on_gpu:
        return
    if choice == "cpu":
        reason: str | None = "--backend cpu"
    else:
        reason = why_no_gpu()
        if reason and choice in {"cuda", "both"}:
            raise pytest.UsageError(f"--backend {choice}: {reason}")
    if reason:
        for item in on_gpu:
            item.add_marker(pytest.mark.skip(reason=f"no usable GPU: {reason}"))
