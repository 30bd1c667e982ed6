"""What the last block of a launch does becomes a launch of its own, where that is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.diagnostics import UnsupportedError

TEXT = """
__device__ unsigned int count = 0;
__device__ unsigned int counts[2];
__global__ void k(const double *x, double *parts, double *out, int n) {{
    __shared__ double s[64];
    __shared__ bool last;
    {declared}
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    s[t] = i < n ? x[i] * x[i] : 0;
    {first}
    __syncthreads();
    {before}
    if (t == 0) {{
        double v = 0;
        for (int j = 0; j < 32; j++) v += s[j];
        parts[blockIdx.x] = v;
        __threadfence();
        last = atomicInc({counter}, {limit}) == {told};
    }}
    __syncthreads();
    if ({when}) {{ {opening} if (t == 0) {{
        double v = 0;
        for (int j = 0; j < gridDim.x; j++) v += parts[j] * parts[j];
        *out = v{used};
        {reset} }} }}
    {after}
}}
double run(const double *x, int n) {{
    double *d, *parts, *out, result;
    int blocks = (n + 31) / 32;
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&parts, blocks * sizeof(double));
    cudaMalloc(&out, sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    k<<<{grid}, {block}>>>(d, parts, out, n);
    cudaMemcpy(&result, out, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(parts);
    cudaFree(out);
    return result;
}}
"""
PLAIN = {
    "counter": "&count", "when": "last",
    "declared": "", "first": "", "before": "", "limit": "gridDim.x", "told": "gridDim.x - 1", "opening": "",
    "used": "", "reset": "count = 0;", "after": "", "grid": "blocks", "block": "32",
}  # fmt: skip
COUNT = 100


def gradient(**parts: str) -> Any:
    program = hetad.loads(TEXT.format(**{**PLAIN, **parts}))
    return hetad.gradient(program["run"], wrt="x", backend="cpu")


def sums(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    blocks = np.zeros(-(-COUNT // 32) * 32)
    blocks[:COUNT] = x**2
    return blocks.reshape(-1, 32).sum(axis=1)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"grid": "dim3(blocks, 1)", "block": "dim3(32, 1, 1)"},
        {"limit": "gridDim.x - 1", "reset": ""},
        {"told": "(unsigned)(gridDim.x) - 1u"},
        {"block": "64"},
        {"declared": "__shared__ double z;", "opening": "if (t == 0) z = 1; __syncthreads();", "used": " * z"},
        {"declared": "const int wide = blockDim.x * 2; const int width = wide / 2;", "used": " * (width / 32)"},
        {"before": "if (t == 0) parts[blockIdx.x] = 3;"},
    ],
    ids=lambda parts: "-".join(parts) or "plain",
)
def test_the_last_block_is_reversed_first(parts: dict[str, str]) -> None:
    x = np.random.default_rng(5).random(COUNT)
    g = gradient(**parts)
    assert "k_last_block<<<1, " in g.source
    for _ in range(2):
        adjoint = np.asarray(g(x, COUNT)["x"])
        assert adjoint == pytest.approx(4 * np.repeat(sums(x), 32)[:COUNT] * x)


def test_what_blocks_have_left_in_shared_memory_is_stored_anew() -> None:
    """`s` is, as far as it is read."""
    x = np.random.default_rng(6).random(COUNT)
    adjoint = np.asarray(gradient(opening="s[t] = parts[0] * t; __syncthreads();", used=" * s[31]")(x, COUNT)["x"])
    parts = sums(x)
    expected = 2 * parts * 31 * parts[0]
    expected[0] += 31 * (parts**2).sum()
    assert adjoint == pytest.approx(2 * np.repeat(expected, 32)[:COUNT] * x)


@pytest.mark.parametrize(
    "parts",
    [
        {"declared": "__shared__ double z;", "first": "if (t == 0) z = x[0];", "used": " * z"},
        {"used": " * s[3]"},
        {"first": "s[t + 32] = x[t];", "opening": "s[t] = parts[0]; __syncthreads();", "used": " * s[40]"},
        {"used": " * (blockIdx.x + 1)"},
        {"before": "double mine = s[t];", "used": " * mine"},
        {"before": "if (t == 1) parts[blockIdx.x] = 0;"},
        {"before": "n += 1;", "used": " * n"},
        {"first": "int a = 1, b = 2; int *w = n > 50 ? &a : &b; *w = 5;", "used": " * a"},
        {"grid": "dim3(blocks, 2)"},
        {"told": "gridDim.x - 2"},
        {"limit": "3"},
        {"after": "if (t == 0) out[0] *= 2;"},
        {"told": "(unsigned char)(gridDim.x - 1)"},
        {"counter": "&counts[blockIdx.x % 2]"},
        {"when": "last && !(last && t > 3)"},
        {"first": "if (i > 32) { __threadfence(); s[t] += parts[blockIdx.x - 1]; }"},
    ],
    ids="-".join,
)
def test_what_is_not_the_same_is_refused(parts: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError, match="active memory that other blocks of the launch have written") as caught:
        gradient(**parts)
    assert caught.value.span is not None and caught.value.remedy


def test_launches_of_no_blocks() -> None:
    """Nobody draws a ticket."""
    text = TEXT.format(**{**PLAIN, "grid": "0 * blocks"}).replace("double *d,", "double zero = 0; double *d,")
    text = text.replace("k<<<", "cudaMemcpy(out, &zero, sizeof zero, cudaMemcpyHostToDevice); k<<<")
    program = hetad.loads(text)
    x = np.random.default_rng(7).random(COUNT)
    assert float(program["run"](x, COUNT, backend="cpu")) == 0.0
    assert not np.any(np.asarray(hetad.gradient(program["run"], wrt="x", backend="cpu")(x, COUNT)["x"]))
