"""Memory that a struct gives to a kernel beside memory that is differentiated: integers, and what wrt does not name."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

GATHERED = """
typedef struct {
    int *index;
    double *table, *result;
} Data;

__global__ void gather(Data data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data.result[i] = data.table[data.index[i]] * data.table[i];
}

void gathered(double *table, int *index, double *result, int n)
{
    Data data = {index, table, result};
    gather<<<(n + 31) / 32, 32>>>(data, n);
}
"""


def test_integers_behind_a_struct_have_no_adjoint() -> None:
    gradient = hetad.gradient(hetad.loads(GATHERED)["gathered"], wrt="table", of="result", backend="cpu")
    assert "adj_index" not in gradient.source and "index_bytes" not in gradient.source
    rng = np.random.default_rng(5)
    n = 70
    table, index, seed = rng.random(n), rng.integers(0, n, n).astype(np.int32), rng.random(n)
    adj_table = np.zeros(n)
    gradient.execute(table, index, np.zeros(n), n, seed.copy(), adj_table)
    expected = seed * table[index]
    np.add.at(expected, index, seed * table)
    np.testing.assert_allclose(adj_table, expected, rtol=1e-13)


WEIGHTED = """
typedef struct {
    const int *index;
    const double *weights, *points;
    double *sums, *squares;
} Data;

__global__ void weigh(Data data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double term = data.weights[i] * data.points[data.index[i]];
        data.sums[i] = term;
        data.squares[i] = term * term;
    }
}

void weighted(const double *weights, const double *points, const int *index, double *sums, double *squares, int n)
{
    Data data = {index, weights, points, sums, squares};
    weigh<<<(n + 31) / 32, 32>>>(data, n);
}
"""


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("of", ["sums", "squares"])
@pytest.mark.parametrize("wrt", [("weights",), ("points",), ("weights", "points")])
def test_only_what_is_asked_of_a_struct_is_worked_out(wrt: tuple[str, ...], of: str, optimize: bool) -> None:
    function = hetad.loads(WEIGHTED)["weighted"]
    gradient = hetad.gradient(function, wrt=wrt, of=of, backend="cpu", optimize=optimize)
    if optimize and wrt == ("weights",):
        assert "adj_points" not in gradient.source and "adj_data_points" not in gradient.source
    rng = np.random.default_rng(7)
    n = 70
    values = {"weights": rng.random(n), "points": rng.random(n)}
    index, seed = rng.integers(0, n, n).astype(np.int32), rng.random(n)
    terms = values["weights"] * values["points"][index]
    inner = seed if of == "sums" else 2 * seed * terms
    expected = {"weights": inner * values["points"][index], "points": np.zeros(n)}
    np.add.at(expected["points"], index, inner * values["weights"])
    found = gradient(*values.values(), index, np.zeros(n), np.zeros(n), n, seeds={of: seed})
    for name in wrt:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)
