"""What all lanes add to one cell of shared memory, alone in a loop, as text for a GPU (targets/cuda/additions.py)."""

from __future__ import annotations

import re

import pytest

import hetad
from hetad import pipeline, targets

TEMPLATE = """
__device__ void put(double *p, double v) { atomicAdd(p, v); }
__device__ void put_global(double *p, double v) { atomicAdd(p, v); }

__global__ void k(double *y, const double *x, int m)
{
    __shared__ double s[64];
    int i = threadIdx.x;
    double w = x[i], *behind = s + 3, *own = s + i;
    s[i] = 0;
    __syncthreads();
    %s
    __syncthreads();
    y[i] += s[i];
}

void f(double *y, const double *x, int m) { k<<<1, 64>>>(y, x, m); }
"""
SUMMED = {
    "a loop": "for (int k = 0; k < m; k++) atomicAdd(&s[k], w);",
    "to while": "int k = 0; while (k < m) { atomicAdd(&s[k], w); k++; }",
    "a condition of the block": "for (int k = 0; k < m; k++) if (m > 3) atomicAdd(&s[k], w);",
    "through a pointer": "for (int k = 0; k < m; k++) atomicAdd(behind + k, w);",
    "by a function": "for (int k = 0; k < m; k++) put(&s[k], w);",
    "the block's": "for (int k = 0; k < m; k++) atomicAdd(&s[blockIdx.x], w);",
}
ALONE = {
    "no loop": "atomicAdd(&s[m], w);",
    "a cell for each lane": "for (int k = 0; k < m; k++) atomicAdd(&s[i - k], w);",
    "a pointer for each lane": "for (int k = 0; k < m; k++) atomicAdd(own - k, w);",
    "one lane": "if (i == 0) for (int k = 0; k < m; k++) atomicAdd(&s[k], w);",
    "global memory": "for (int k = 0; k < m; k++) { atomicAdd(&y[k], w); put_global(&y[k], w); }",
}


def device_text(body: str) -> str:
    """The kernels of the program itself."""
    unit = hetad.loads(TEMPLATE % body)["f"].compiled.unit
    text = targets.device_source(pipeline.primal(unit, "f").program)
    return text[text.index("put(") :] if "put(" in text else text[text.index("__global__") :]


@pytest.mark.parametrize("name", SUMMED)
def test_summed_over_the_warp(name: str) -> None:
    text = device_text(SUMMED[name])
    assert "hetad_warp_add_double(" in text
    assert not re.search(r"\batomicAdd\(", text)


@pytest.mark.parametrize("name", ALONE)
def test_added_by_each_lane(name: str) -> None:
    text = device_text(ALONE[name])
    assert "atomicAdd(" in text
    assert "hetad_warp_add" not in text
