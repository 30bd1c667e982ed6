"""What a program keeps between calls: found, and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.analysis.between_calls import kept_between_calls
from hetad.frontend import load_files
from hetad.frontend.settings import Settings

KERNEL = """
__constant__ double w[4];
__device__ double total;
static double scale = 2, *held;
__global__ void add(const double *x) { atomicAdd(&total, x[threadIdx.x] * w[threadIdx.x % 4]); }
"""
SETS_W = "cudaMemcpyToSymbol(w, h, sizeof w);"
ADDS = "add<<<1, 8>>>(x); double z; cudaMemcpyFromSymbol(&z, total, sizeof z); return z * scale;"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (SETS_W + ADDS, {"total"}),
        ("double o = 0; cudaMemcpyToSymbol(total, &o, sizeof o);" + SETS_W + ADDS, set()),
        ("cudaMemcpyToSymbol(w, h, 3 * sizeof(double));" + ADDS, {"total", "w"}),
        ("if (n) {" + SETS_W + "}" + ADDS, {"total", "w"}),
        ("scale = n;" + SETS_W + ADDS, {"total"}),
        ("scale = scale + n;" + SETS_W + ADDS, {"total", "scale"}),
        ("scale = scaled(n);" + SETS_W + ADDS, {"total", "scale"}),
        ("scaled(1); scale = 3;" + SETS_W + ADDS, {"total", "scale"}),
        ("double *p = &scale; *p = 3;" + SETS_W + ADDS, {"total", "scale"}),
        ("double *q; cudaGetSymbolAddress((void **)&q, total); cudaMemset(q, 0, sizeof *q);" + SETS_W + ADDS, set()),
        ("double *q; cudaGetSymbolAddress((void **)&q, total); cudaMemcpy((void *)h, q, 8, cudaMemcpyDeviceToHost);"
         "double o = 0; cudaMemcpyToSymbol(total, &o, sizeof o);" + SETS_W + ADDS, {"total"}),
        ("cudaMemcpy(held, h, 8, cudaMemcpyHostToHost); held = 0;" + SETS_W + ADDS, {"total", "held"}),
        ("double *q; cudaGetSymbolAddress((void **)&q, total); if (n) q = (double *)h; cudaMemset(q, 0, sizeof *q);"
         + SETS_W + ADDS, {"total"}),
        ("cudaMemcpyFromSymbol((void *)h, total, sizeof total);" + SETS_W + ADDS, {"total"}),
        ("{ set(h); }" + ADDS, {"total"}),
        ("set(h); if (n) return 0;" + ADDS, {"total"}),
        ("set_or_not(h, n);" + ADDS, {"total", "w"}),
        ("add<<<1, 8>>>(x); set(h); return 0;", {"total", "w"}),
        ("scale = 1; set(h + (int)scaled(n)); return scale;", set()),
        ("static int calls; ++calls; return calls;", {"calls"}),
        ("return scale * n;", set()),
    ],
)  # fmt: skip
def test_what_a_call_may_read_of_the_last_one(tmp_path: Path, body: str, kept: set[str]) -> None:
    more = "double scaled(int n) { scale *= n; return scale; }" if "scaled" in body else ""
    more += "void set(const double *h) {" + SETS_W + "}"
    more += "void set_or_not(const double *h, int n) { if (n) return;" + SETS_W + "}"
    text = KERNEL + more + "double run(const double *x, const double *h, int n) {" + body + "}"
    program = load_files([(text, "a.cu")], Settings({})).reach("run")
    assert {symbol.name for symbol in kept_between_calls(program, "run")} == kept


COUNTS = """
double run(const double *x, const double *y, const int *k, int n) {
    static int calls = 0;
    double s = 0;
    ++calls;
    for (int i = 0; i < n; ++i) if (y[i] > 0) s += x[k[i]] * y[i];
    return s * calls;
}
"""


def test_calls_are_counted_however_they_are_checked(tmp_path: Path) -> None:
    """What one call has proven to stay within its memory, another has not."""
    (tmp_path / "a.cu").write_text(COUNTS)
    rng = np.random.default_rng(4)
    x, y, k = rng.random(8), rng.random(8) + 0.5, np.arange(8, dtype=np.int32)
    hidden, far = y.copy(), k.copy()
    hidden[3], far[3] = -1, 100
    run = hetad.load(tmp_path / "a.cu")["run"]
    for call, (values, at) in enumerate([(y, k), (hidden, far), (y, k), (hidden, far)], start=1):
        expected = call * sum(x[j] * v for j, v in zip(at, values, strict=True) if v > 0)
        assert run(x, values, at, 8, backend="cpu") == pytest.approx(expected)


@pytest.mark.parametrize("checked", [None, False, True])
def test_programs_that_live_at_once_count_apart(tmp_path: Path, checked: bool | None) -> None:
    (tmp_path / "a.cu").write_text("double run(double x) { static double sum = 0; sum += x; return sum; }")
    first, second = (hetad.load(tmp_path / "a.cu")["run"] for _ in range(2))
    sums = [f(x, backend="cpu", checked=checked) for f, x in ((first, 2.0), (second, 3.0), (first, 5.0))]
    assert sums == [2.0, 3.0, 7.0]
    assert hetad.load(tmp_path / "a.cu")["run"](1.0, backend="cpu", checked=checked) == 1.0


def test_a_program_starts_with_the_constants_of_its_file(tmp_path: Path) -> None:
    """Also those of kernels, of which each run sets one more."""
    (tmp_path / "a.cu").write_text("""
    __constant__ double w[4];
    __global__ void scale(double *x) { x[threadIdx.x] *= w[threadIdx.x]; }
    int main() {
        double x[4] = {1, 2, 3, 4}, *d, before[4], one = 1.5, out = 0;
        cudaMemcpyFromSymbol(before, w, sizeof before);
        cudaMemcpyToSymbol(w, &one, sizeof one, before[0] == 0 ? 0 : sizeof one);
        cudaMalloc(&d, sizeof x);
        cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
        scale<<<1, 4>>>(d);
        cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 4; i++) out += x[i];
        cudaFree(d);
        return 0;
    }""")
    run = hetad.load(tmp_path / "a.cu").driver("main", inputs="x", output="out")
    assert [run(np.array([2.0, 3, 4, 5]), backend="cpu") for _ in range(3)] == [3.0] * 3
