"""Which arrays share memory: one sweep finds what looking at all pairs does."""

from __future__ import annotations

import random
from itertools import combinations

from hetad.run.disjoint import Extent, first_overlap


def test_one_sweep_finds_what_all_pairs_show() -> None:
    draw = random.Random(1)
    apart = 0
    for _ in range(3000):
        extents: list[Extent] = []
        for name in "abcdef"[: draw.randint(0, 6)]:
            first = draw.randint(1, 40)
            extents.append((first, first + draw.randint(0, 12), draw.random() < 0.4, name))
        shared = [
            (a, b)
            for a, b in combinations(extents, 2)
            if (a[2] or b[2]) and set(range(a[0], a[1])) & set(range(b[0], b[1]))
        ]
        apart += not shared
        assert first_overlap(extents) == (shared[0] if shared else None)
    assert 1000 < apart < 2000  # of both there are many
