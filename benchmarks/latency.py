"""What a user waits for: import, the command line, a repeated gradient call, and a gradient's generation per sample.

    python benchmarks/latency.py [--write]

Medians; the first C compile is not in any of them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
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


def median_s(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def start(*arguments: str) -> Callable[[], Any]:
    """A fresh Python; the first start, which writes byte code, is done here."""
    command = [sys.executable, *arguments]

    def run() -> None:
        subprocess.run(command, cwd=common.ROOT, check=True, capture_output=True)

    run()
    return run


def starts(repeats: int) -> list[list[str]]:
    bare = median_s(start("-c", "pass"), repeats)
    load = median_s(start("-c", "import hetad"), repeats)
    with tempfile.TemporaryDirectory() as folder:
        grad = median_s(
            start(
                "-m", "hetad", "grad", "samples/tensor_contraction.cu", "launchTensorContraction3D",
                "--wrt", "A,B", "--of", "C", "-o", str(Path(folder) / "out.cu"),
            ),
            repeats,
        )  # fmt: skip
    first = median_s(start("-c", FIRST), repeats)
    run = median_s(start("-m", "hetad", "run", "samples/axpy.toml", "--backend", "cpu"), repeats)
    return [
        ["import hetad (a bare Python already taken off)", f"{(load - bare) * 1e3:.0f} ms", "300 ms"],
        ["hetad grad samples/tensor_contraction.cu, the process", f"{grad * 1e3:.0f} ms", "300 ms"],
        ["hetad run samples/axpy.toml, the process", f"{run * 1e3:.0f} ms", "300 ms"],
        ["a script, to the first gradient of samples/axpy.cu, the process", f"{first * 1e3:.0f} ms", "300 ms"],
    ]


def calls() -> list[list[str]]:
    """A repeated gradient of samples/axpy.cu, n = 1000, on the CPU."""
    import hetad

    n = 1000
    gradient = hetad.gradient(
        hetad.load(common.SAMPLES / "axpy.cu")["axpy"], wrt=("a", "x", "y"), of="y", backend="cpu"
    )
    rng = np.random.default_rng(1)
    x, y, seed = (rng.standard_normal(n) for _ in range(3))
    adj_y, adj_a, adj_x = seed.copy(), np.zeros(1), np.zeros(n)
    seeds = {"y": seed}

    def pure() -> None:
        gradient(n, 1.5, x, y, seeds=seeds)

    def in_place() -> None:
        gradient.execute(n, 1.5, x, y, adj_y, adj_a, adj_x)

    rows = []
    for title, call, limit in (
        ("axpy, n = 1000, CPU: g(...)", pure, "15 µs"), ("axpy, n = 1000, CPU: g.execute(...)", in_place, "–"),
        *through_torch(n, x, y, seed),
    ):  # fmt: skip
        for _ in range(200):
            call()
        rows.append([title, f"{median_s(call, 2000) * 1e6:.1f} µs", limit])
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
        ("axpy, n = 1000, CPU: hetad.torch.function", value, "60 µs"),
        ("axpy, n = 1000, CPU: the same, and backward()", backward, "–"),
    ]


def generation(repeats: int) -> list[list[str]]:
    """Parse, differentiate, emit: from the text to the text."""
    import hetad

    rows = []
    for problem in sorted(common.SAMPLES.glob("*.toml")):
        given = tomllib.loads(problem.read_text(encoding="utf-8"))

        def work(given: dict[str, Any] = given) -> int:
            program = hetad.load(common.SAMPLES / given["source"], given.get("defines"))
            return len(hetad.gradient(program[given["function"]], given["wrt"], given.get("of")).source)

        try:
            work()
            time_taken = f"{median_s(work, repeats) * 1e3:.0f} ms"
        except hetad.HetadError as error:
            time_taken = common.first_line(error, 60)
        rows.append([f"generate {problem.stem}", time_taken, "500 ms"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    rows = [*starts(options.repeats), *calls(), *generation(options.repeats)]
    table = common.table(["what", "median", "must be ≤"], rows)
    body = f"{common.stamp(f'{common.processor()}, Python {sys.version.split()[0]}, {common.load()}')}\n{table}"
    print(body)
    if options.write:
        common.write_section("Latency", body)


if __name__ == "__main__":
    main()
