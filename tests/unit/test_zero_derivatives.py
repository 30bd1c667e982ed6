"""Derivatives that are exactly zero: on a GPU, differences of sums in changing order cannot tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hetad

PROGRAM = Path(__file__).parent.parent / "gradient/programs/whole/lloyds_algorithm.cu"


def test_first_centres_choose_clusters_only(backend: str) -> None:
    points = np.random.default_rng(1).standard_normal((40, 2))
    centres = np.array([[-1.0, -0.9], [1.1, 0.8], [-0.7, 1.2]])
    seed = np.random.default_rng(2).standard_normal((3, 2))
    cluster = hetad.load(str(PROGRAM))["cluster"]
    gradient = hetad.gradient(cluster, wrt=("centres", "points"), of="centres", backend=backend)
    found = gradient(centres, points, 40, 3, seeds={"centres": seed})
    np.testing.assert_array_equal(found["centres"], 0)
    assert np.all(found["points"] != 0)
