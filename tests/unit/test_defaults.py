"""What is assumed where nobody says otherwise: the cautious thing."""

from __future__ import annotations

from hetad.adjoint.options import OPTIMISATIONS, Options
from hetad.analysis.effects import KernelEffects


def test_a_kernel_that_nobody_has_looked_into_may_follow_every_pointer() -> None:
    assert KernelEffects().hands_on
    spared = frozenset([(0, 0)])
    assert KernelEffects(spared=spared, unread=spared).follows(0, 0)
    assert not KernelEffects(spared=spared, unread=spared, hands_on=False).follows(0, 0)
    assert KernelEffects(spared=spared, hands_on=False).follows(0, 0)


def test_a_fixed_order_excludes_what_adds_in_any_order() -> None:
    fixed = Options.of(OPTIMISATIONS, deterministic=True)
    assert not (fixed.deal or fixed.runs or fixed.hot or fixed.warps)
    assert fixed.gather
    assert fixed.totals
    assert fixed.exclusive
    none = Options.of((), deterministic=True)
    assert none.gather
    assert not none.warps
    free = Options.of(OPTIMISATIONS)
    assert free.deal
    assert free.warps
