"""The gradients of random programs: right, linear, repeatable, and the same with and without optimisation, and with
options that are drawn.

A failure prints the smallest program found that fails, in the format of tests/gradient/programs: put it there, as
`found_<what>.cu`, with the fix.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, note, settings

from tests.property import grids, weighted
from tests.property.check import WRONG, check
from tests.property.options import Options, options
from tests.property.programs import cpp_programs, programs

CHOSEN = (
    settings.get_profile("deep") if settings.get_current_profile_name() == "deep" else settings.get_profile("programs")
)
FEWER = settings(CHOSEN, max_examples=min(CHOSEN.max_examples, 15)) if CHOSEN.derandomize else CHOSEN


@pytest.mark.slow
@pytest.mark.usefixtures("quick_compiler")
@settings(CHOSEN)
@given(options(), programs())
def test_gradient(chosen: Options, text: str) -> None:
    outcome = check(text, chosen)
    event(outcome.verdict)
    note(text)
    assert outcome.verdict not in WRONG, f"{outcome.message}\n{text}"


@pytest.mark.slow
@pytest.mark.usefixtures("quick_compiler")
@settings(CHOSEN)
@given(options(), grids.programs())
def test_grids(chosen: Options, text: str) -> None:
    """Of kernels that read around them."""
    outcome = check(text, chosen)
    event(outcome.verdict)
    note(text)
    assert outcome.verdict not in WRONG, f"{outcome.message}\n{text}"


@pytest.mark.slow
@pytest.mark.usefixtures("quick_compiler")
@settings(FEWER)
@given(options(), weighted.programs())
def test_weighted_sums(chosen: Options, text: str) -> None:
    """Of kernels whose sums adjoints need."""
    outcome = check(text, chosen)
    event(outcome.verdict)
    note(text)
    assert outcome.verdict not in WRONG, f"{outcome.message}\n{text}"


@pytest.mark.slow
@pytest.mark.usefixtures("quick_compiler")
@settings(FEWER)
@given(options(), cpp_programs())
def test_cpp(chosen: Options, text: str) -> None:
    """Of programs in C++: templates, references, methods, lambdas, vectors."""
    outcome = check(text, chosen)
    event(outcome.verdict)
    note(text)
    assert outcome.verdict not in WRONG, f"{outcome.message}\n{text}"
