"""The campaign itself: counts add up and outlive a stop; what a C++ compiler makes of a program is compared with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.property import emulated, forks
from tests.property.check import Outcome, check
from tests.property.tally import Failure, Tally, read

TOOL = Path(__file__).parents[2] / "tools/campaign.py"
PATIENCE = 240
needs_compiler = pytest.mark.skipif(emulated.COMPILER is None, reason="no g++")

THREADS = """
struct Pair { double *y; const double *x; };

template <typename T> __global__ void turned(Pair p, T *sum, int n)
{
    __shared__ T tile[8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? p.x[i] : 0.0;
    __syncthreads();
    T v = __shfl_down_sync((1u << blockDim.x) - 1, tile[blockDim.x - 1 - t], 1);
    if (t + 1 == blockDim.x)
        v = -1.0;
    if (i < n) {
        p.y[i] = v;
        atomicAdd(sum, threadIdx.y ? 0.0 : 1.0);
    }
}

double run(double *y, const double *x, int n)
{
    double *d_y, *d_sum, sum;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc((void **)&d_sum, sizeof(double));
    cudaMemset(d_sum, 0, sizeof(double));
    Pair pair = {d_y, x};
    turned<double><<<(n + 3) / 4, 4>>>(pair, d_sum, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    cudaFree(d_sum);
    return sum;
}
"""

ANOTHER_MEANING = """/*---
function = "run"
wrt = ["x"]
[inputs]
x = 0.7
---*/
#ifdef __GXX_ABI_VERSION
#define MORE 1.0
#else
#define MORE 0.0
#endif
double run(double x)
{
    return sin(x) + MORE;
}
"""


@needs_compiler
def test_threads_of_the_compiled_program() -> None:
    x = np.arange(6.0)
    y, _, total = emulated.outputs(THREADS, "run", [np.zeros(6), x, 6], returns=True)
    np.testing.assert_array_equal(y, [2, 1, 0, -1, 0, 5])  # lanes from the end, moved by one
    np.testing.assert_array_equal(total, [6])


@needs_compiler
@pytest.mark.usefixtures("quick_compiler")
def test_a_program_that_means_something_else_to_the_compiler() -> None:
    outcome = check(ANOTHER_MEANING, {"against": ("emulated",)})
    assert outcome.verdict == "failed"
    assert "as compiled by" in outcome.message
    assert check(ANOTHER_MEANING.replace("MORE 1.0", "MORE 0.0"), {"against": ("emulated",)}).verdict == "passed"


def test_counts_add_up(tmp_path: Path) -> None:
    first, second = Tally(), Tally()
    first.add(
        "programs",
        "n = 1\nfor (;;)",
        {"graph": True, "against": ("races",)},
        "cpu",
        Outcome("passed", passes=frozenset({"tangent"})),
    )
    second.add("in C++", "std::vector<int> a;", {"against": ()}, "cuda", Outcome("refused"))
    failure: Failure = {"message": "its message", "verdict": "failed", "backend": "cuda", "options": {}}
    second.fail("in C++", "its text", failure)
    first.runs, second.runs = [{"seed": 1, "seconds": 2}], [{"seed": 2, "seconds": 3}]
    first.save(tmp_path / "a.json")
    second.save(tmp_path / "b.json")
    total = read([tmp_path / "a.json", tmp_path / "b.json", tmp_path / "absent.json"])
    assert total.programs == 3
    assert total.is_wrong
    assert total.counts["verdicts"] == {"passed": 1, "refused": 1, "failed": 1}
    assert total.counts["backends"] == {"cpu": 1, "cuda": 2}
    assert total.counts["options"] == {"graph": 1, "none": 1}
    assert total.counts["oracles"] == {"races": 1}
    assert total.counts["constructs"] == {"one element": 1, "loops": 1, "std::vector": 1}
    assert total.failures == {"its text": failure}
    assert next(total.report()).startswith("3 programs in 5 s of 2 runs")


def test_an_unexpected_refusal_is_seen_and_no_wrong_gradient() -> None:
    outcome = check(ANOTHER_MEANING.replace("sin(x)", "unheard_of(x)"))
    assert outcome.verdict == "unexpected", outcome.message
    tally = Tally()
    tally.fail(
        "programs",
        "its text",
        {"message": outcome.message, "verdict": outcome.verdict, "backend": "cpu", "options": {}},
    )
    assert not tally.is_wrong
    assert "unheard_of" in "".join(tally.report())


def crash() -> None:
    os.abort()


def test_what_crashes_or_never_ends_is_told() -> None:
    with pytest.raises(forks.EndedError, match=f"ended with -{signal.SIGABRT:d}"):
        forks.run(crash, seconds=PATIENCE)
    with pytest.raises(forks.EndedError, match=r"not done after 0\.5 s"):
        forks.run(time.sleep, PATIENCE, seconds=0.5)
    assert forks.run(abs, -3, seconds=PATIENCE) == 3


def test_calls_may_share_a_process() -> None:
    first, second, third = (forks.run(os.getpid, seconds=PATIENCE, calls=2) for _ in range(3))
    assert first == second != third
    assert forks.run(os.getpid, seconds=PATIENCE) != third
    with pytest.raises(forks.EndedError):
        forks.run(crash, seconds=PATIENCE, calls=9)
    assert forks.run(abs, -3, seconds=PATIENCE, calls=9) == 3


def test_failures_are_checked_again(tmp_path: Path) -> None:
    tally = Tally()
    wrong: Failure = {"message": "", "verdict": "failed", "backend": "cpu", "options": {"against": ("differences",)}}
    tally.fail("programs", ANOTHER_MEANING.replace("sin(x)", "unheard_of(x)"), wrong)
    tally.fail("programs", ANOTHER_MEANING, wrong)
    tally.save(tmp_path / "counts.json")
    command = [sys.executable, str(TOOL), "--again", str(tmp_path / "counts.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "passed with" in done.stdout
    assert done.stdout.endswith("1 still fail\n")


@pytest.mark.slow
def test_a_campaign_that_is_stopped(tmp_path: Path) -> None:
    """What was met up to then counts, and the next run goes on from there with another seed."""
    counts = tmp_path / "counts.json"
    command = [sys.executable, str(TOOL), "--seconds", "600", "--jobs", "1", "--json", str(counts)]
    met = []
    for _ in range(2):
        before = met[-1] if met else 0
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as campaign:
            begun = time.monotonic()
            while read([counts]).programs <= before:
                assert campaign.poll() is None
                assert time.monotonic() < begun + PATIENCE
                time.sleep(0.5)
            campaign.send_signal(signal.SIGTERM)
            output, _ = campaign.communicate(timeout=60)
        assert campaign.returncode == 0, output
        met.append(read([counts]).programs)
    runs = json.loads(counts.read_text())["runs"]
    assert [run["programs"] for run in runs] == [met[0], met[1] - met[0]]
    assert runs[0]["seed"] != runs[1]["seed"]
    merged = subprocess.run(
        [sys.executable, str(TOOL), "--merge", str(counts), str(counts)], capture_output=True, text=True, check=True
    )
    assert merged.stdout.startswith(f"{2 * met[1]} programs in ")
