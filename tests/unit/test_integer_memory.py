"""Memory of integers has no adjoint, also where a struct gives it to a kernel beside memory that has one."""

from __future__ import annotations

import numpy as np

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
