"""What counts the cells of a tape (device/tape/counting.py) has a counter for each body, not for each statement."""

from __future__ import annotations

import re

import hetad

SOURCE = """
__global__ void kernel(const double *x, double *y, int n)
{
    int i = threadIdx.x;
    for (int t = 0; t < n; ++t) {
        y[i] = y[i] * x[i];
        y[i + 64] = y[i + 64] * exp(x[i]);
        if (i > 3) {
            y[i + 128] = y[i + 128] * x[i];
            y[i + 192] = y[i + 192] * exp(x[i]);
        }
    }
}
void run(const double *x, double *y, int n) { kernel<<<1, 64>>>(x, y, n); }
"""


def test_statements_of_a_body_share_a_counter() -> None:
    source = hetad.gradient(hetad.loads(SOURCE)["run"], wrt=["x"], of=["y"], backend="cpu").source
    sized = re.search(r"void kernel_(?:record|tape)_size\(.*?\n}\n", source, re.DOTALL)
    assert sized is not None
    text = sized[0]
    counters = re.findall(r"unsigned int (most\w*) = 0;", text)
    assert len(counters) == 2
    for counter in counters:
        assert text.count(f"++{counter};") == 1
    assert ", 2 * most + 2 * most_2);" in text
