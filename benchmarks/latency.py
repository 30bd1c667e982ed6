"""What a user waits for: import, the command line, the first gradient of a script, and a repeated small call.

    python benchmarks/latency.py [--write]

Medians, and of processes the least time of the processor, which other work on the machine changes little.  The first C
compile, and what a first start works out and keeps, are in none of them.  How long it takes to differentiate, without
what is kept, differentiation.py measures.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import common
import numpy as np

common.use_checkout()


FIRST = """
import hetad, numpy as np
g = hetad.gradient(hetad.load("samples/axpy.cu")["axpy"], wrt="x", of="y", backend="cpu")
g(8, 1.5, np.ones(8), np.ones(8), seeds={"y": np.ones(8)})
"""

NOTE = "Processes also wait for whatever else the machine does, which the time of the processor leaves out."


def median_s(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def started(repeats: int, *arguments: str) -> tuple[float, float]:
    """A fresh Python: the median of its times, and the least time of the processor, in milliseconds.  The first start,
    which writes byte code, is done before."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    waited, worked = [], []
    for _ in range(repeats + 1):
        before, begin = of_children(), time.perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=common.ROOT, env=environment, check=True, capture_output=True)
        waited.append(time.perf_counter() - begin)
        worked.append(of_children() - before)
    return statistics.median(waited[1:]) * 1e3, min(worked[1:]) * 1e3


def of_children() -> float:
    """Seconds of the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def starts(repeats: int) -> list[list[str]]:
    """Rows: what is started; with how long Python and NumPy take alone."""
    with tempfile.TemporaryDirectory() as folder:
        processes = {
            "python -c pass": ("-c", "pass"),
            "python -c 'import numpy'": ("-c", "import numpy"),
            "python -c 'import hetad'": ("-c", "import hetad"),
            "hetad grad samples/tensor_contraction.cu": (
                "-m", "hetad", "grad", "samples/tensor_contraction.cu", "launchTensorContraction3D", "--wrt", "A,B",
                "--of", "C", "-o", str(Path(folder) / "out.cu"),
            ),
            "hetad run samples/axpy.toml": ("-m", "hetad", "run", "samples/axpy.toml", "--backend", "cpu"),
            "a script, to the first gradient of samples/axpy.cu": ("-c", FIRST),
        }  # fmt: skip
        rows = []
        for title, arguments in processes.items():
            waited, worked = started(repeats, *arguments)
            limit = "–" if title.startswith("python") else "300 ms"
            rows.append([f"process: {title}", f"{waited:.0f} ms", f"{worked:.0f} ms", limit])
    return rows


def calls() -> list[list[str]]:
    """Rows: samples/axpy.cu and its derivatives, n = 1000, on the CPU, again and again."""
    import hetad

    n = 1000
    axpy = hetad.load(common.SAMPLES / "axpy.cu")["axpy"]
    gradient = hetad.gradient(axpy, wrt=("a", "x", "y"), of="y", backend="cpu")
    tangent = hetad.jvp(axpy, wrt=("a", "x", "y"), of="y", backend="cpu")
    rng = np.random.default_rng(1)
    x, y, seed = (rng.standard_normal(n) for _ in range(3))
    adj_y, adj_a, adj_x = seed.copy(), np.zeros(1), np.zeros(n)
    seeds, tangents, out = {"y": seed}, {"a": 1.0, "x": x, "y": y}, y.copy()

    def pure() -> None:
        gradient(n, 1.5, x, y, seeds=seeds)

    def in_place() -> None:
        gradient.execute(n, 1.5, x, y, adj_y, adj_a, adj_x)

    measured = [
        ("g(...)", pure, "15 µs"),
        ("g.execute(...)", in_place, "–"),
        ("the function itself", lambda: axpy(n, 0.5, x, out, backend="cpu"), "–"),
        ("hetad.jvp(...)(...)", lambda: tangent(n, 1.5, x, y, tangents=tangents), "–"),
        *through_torch(n, x, y, seed),
    ]
    rows = []
    for title, call, limit in measured:
        for _ in range(200):
            call()
        rows.append([f"axpy, n = 1000: {title}", f"{median_s(call, 2000) * 1e6:.1f} µs", "–", limit])
    return rows


def through_torch(n: int, x: Any, y: Any, seed: Any) -> list[tuple[str, Callable[[], Any], str]]:
    """The same by an operator of PyTorch, where there is one."""
    try:
        import torch
    except ImportError:
        return []
    import hetad

    axpy = hetad.torch.function(hetad.load(common.SAMPLES / "axpy.cu")["axpy"], of="y")
    a, b, c = torch.tensor(x, requires_grad=True), torch.tensor(y), torch.tensor(seed)

    def value() -> Any:
        return axpy(n, 1.5, a, b)

    def backward() -> None:
        value().backward(c)
        a.grad = None

    return [
        ("hetad.torch.function", value, "60 µs"),
        ("hetad.torch.function, and backward()", backward, "–"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    rows = [*starts(options.repeats), *calls()]
    table = common.table(["what", "median", "of the processor", "must be ≤"], rows)
    machine = f"{common.processor()}, Python {sys.version.split()[0]}, {common.load()}"
    body = f"{common.stamp(machine)}\n{table}\n\n{NOTE}"
    print(body)
    if options.write:
        common.write_section("Latency", body)


if __name__ == "__main__":
    main()
