"""Additions of a thread to one cell of shared memory are one, unless something looks at the cell between them."""

from __future__ import annotations

import re

import pytest

import hetad

TEMPLATE = """
typedef struct {
    double value, weight;
} Pair;

__global__ void k(double *y, const double *x, const int *order, int m)
{
    __shared__ double s[40];
    __shared__ Pair pairs[32];
    __shared__ double alone;
    int t = threadIdx.x, at = order[t];
    s[t] = x[t];
    pairs[t].value = x[t];
    pairs[t].weight = sin(x[t]);
    if (t == 0) {
        alone = x[0];
        for (int j = 32; j < 40; j++)
            s[j] = x[j];
    }
    __syncthreads();
    double sum = 0.3 * t;
    %s
    y[blockIdx.x * 32 + t] = sum * sum;
}

void run(double *y, const double *x, const int *order, int m)
{
    k<<<2, 32>>>(y, x, order, m);
}
"""

ONCE = {
    "in a row": "sum += s[at] * s[at + 1] * t; sum += s[at] * s[at];",
    "in a loop": "for (int k = 0; k < 8; k++) { sum += s[k] * t; sum += s[k] * s[k]; }",
    "after a loop": "for (int k = 0; k < m; k++) sum += s[at] * k;",
    "a member": "sum += pairs[at].value * t; sum += pairs[at].value * pairs[at].weight;",
    "behind an addition to another array": "sum += s[at] * t; sum += pairs[at].value; sum += s[at] * s[at];",
}
APART = {
    "an index that changes": "sum += s[at] * t; at = order[at]; sum += s[at] * s[at];",
    "a store between": "sum += s[t] * t; s[t] = sum * 0.5; sum += s[t] * s[t];",
    "a barrier between": "sum += s[at] * t; __syncthreads(); sum += s[at] * s[at];",
    "an index of the loop": "for (int k = 0; k < m; k++) sum += s[at + k] * k;",
}


MEETING = re.compile(r"(?:atomicAdd|hetad_warp_add_double)\(&(adj_(?:s|pairs)\[[^,]*),")


def additions(body: str, *optimise: str) -> list[str]:
    """The cells of shared memory to which the reading phase adds."""
    function = hetad.loads(TEMPLATE % body, "k.cu")["run"]
    return MEETING.findall(hetad.gradient(function, wrt="x", of="y", optimize=("needed", *optimise)).source)


@pytest.mark.parametrize("name", ONCE)
def test_once(name: str) -> None:
    found = additions(ONCE[name], "sums")
    assert found
    assert len(found) == len(set(found))


@pytest.mark.parametrize("name", APART)
def test_apart(name: str) -> None:
    found = additions(APART[name], "sums")
    assert found
    assert found == additions(APART[name])
