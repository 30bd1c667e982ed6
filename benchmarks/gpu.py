"""Measures kernels and programs on one GPU; run.py starts it as a process of its own and reads what it prints.

    python gpu.py case:axpy program:heat_256 ...      one JSON object a line on stdout

Times are of the device: CUDA events around one call, the median of several, each after the caches were swept by
reading a buffer larger than L2.  While the sweep runs the host is ahead, so that its own time does not show unless the
call waits for the device.  `call` is the time of a call in a row of calls without sweeps: what a user's loop pays.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import cupy as cp
import numpy as np
from cases import CASES, Case, Hand, Launch
from common import KERNELS, first_line, in_double, use_checkout
from cpu import directional, fresh_adjoints, in_precision, seeds_of
from programs import WholeProgram, program

use_checkout()

REPEATS = 9
SWEEP = """
extern "C" __global__ void sweep(const float4 *a, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = a[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f)
        *out = sum;
}
"""
Values = dict[str, Any]


def say(**record: Any) -> None:
    print(json.dumps(record), flush=True)


# --- measuring -----------------------------------------------------------------------------------


class Sweeper:
    """Reads 256 MB: nothing that a call will use is left in L2, and no line in it has to be written back."""

    def __init__(self) -> None:
        self.kernel = cp.RawModule(code=SWEEP).get_function("sweep")
        self.buffer = cp.ones(2**26, cp.float32)
        self.out = cp.zeros(1, cp.float32)

    def __call__(self, passes: int = 2) -> None:
        for _ in range(passes):
            self.kernel((132 * 8,), (256,), (self.buffer, self.out, np.int32(2**24)))


_sweepers: list[Sweeper] = []


def sweep() -> None:
    if not _sweepers:
        _sweepers.append(Sweeper())
    _sweepers[0]()


def device_ms(call: Callable[[], Any], reset: Callable[[], None], limit: float = 3.0) -> tuple[float, float]:
    """The median of the events' times, and their spread (the middle half, relative)."""
    reset()
    call()
    cp.cuda.runtime.deviceSynchronize()
    begin = time.perf_counter()
    pairs = []
    for _ in range(REPEATS):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        reset()
        sweep()
        start.record()
        call()
        stop.record()
        pairs.append((start, stop))
        if len(pairs) >= 3 and time.perf_counter() - begin > limit:
            break
        if len(pairs) == 1:
            stop.synchronize()
    cp.cuda.runtime.deviceSynchronize()
    times = sorted(cp.cuda.get_elapsed_time(*pair) for pair in pairs)
    median = statistics.median(times)
    return median, (times[-1 - len(times) // 4] - times[len(times) // 4]) / median


def call_ms(call: Callable[[], Any], limit: float = 0.2) -> float:
    """Wall-clock time of a call in a row of calls, the last one waited for."""
    call()
    cp.cuda.runtime.deviceSynchronize()
    begin = time.perf_counter()
    count = 0
    while count < 3 or (count < 50 and time.perf_counter() - begin < limit):
        call()
        count += 1
    cp.cuda.runtime.deviceSynchronize()
    return (time.perf_counter() - begin) / count * 1e3


def copy_bandwidth() -> float:
    """Bytes read and written a second by a large copy on the device."""
    a, b = cp.ones(2**28, cp.float32), cp.empty(2**28, cp.float32)
    ms, _ = device_ms(lambda: cp.copyto(b, a), lambda: None)
    return 2 * a.nbytes / (ms * 1e-3)


# --- launching -----------------------------------------------------------------------------------


def module(text: str, defines: Mapping[str, int], double: bool) -> Any:
    """The kernels of a source, host functions left out."""
    text = re.sub(r"(?ms)^(static float|void) .*", "", text)
    text = re.sub(r"(?m)^__global__", 'extern "C" __global__', in_double(text) if double else text)
    text = "".join(f"#define {k} {v}\n" for k, v in defines.items()) + text
    return cp.RawModule(code=text, options=("-std=c++17",))


def argument(value: Any, double: bool) -> Any:
    if isinstance(value, float):
        return np.float64(value) if double else np.float32(value)
    return np.int32(value) if isinstance(value, int) else value


def launcher(code: Any, launch: Launch, values: Values, double: bool) -> Callable[[], None]:
    function = code.get_function(launch.kernel)
    arguments = tuple(argument(values[a] if isinstance(a, str) else a, double) for a in launch.args)
    return lambda: function(launch.grid, launch.block, arguments)


def primal_launch(case: Case) -> Launch:
    return Launch(case.function, case.grid, case.block, case.params)


def hand_call(hand: Hand, values: Values, double: bool) -> Callable[[], None]:
    code = module((KERNELS / hand.file).read_text(), hand.defines, double)
    calls = [launcher(code, launch, values, double) for launch in hand.launches]
    return lambda: [call() for call in calls] and None


# --- one kernel ----------------------------------------------------------------------------------


class Bench:
    """One case on the device: its values, seeds, adjoints and the gradient to compare with."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.seeds = {n: cp.asarray(s) for n, s in seeds_of(case).items()}
        self.values = on_device(in_precision(case.values, double=False))
        host = fresh_adjoints(case, seeds_of(case), double=False)
        self.adjoints = {n: cp.asarray(a) for n, a in host.items()}
        self.right: Values = {}

    def reset(self) -> None:
        """Seeds as at the start: some versions consume them."""
        for name, seed in self.seeds.items():
            cp.copyto(self.adjoints[f"adj_{name}"].reshape(seed.shape), seed)

    def clear(self) -> None:
        for a in self.adjoints.values():
            a.fill(0)
        self.reset()

    def reference(self) -> float:
        """The hand-written adjoint in double precision; returns its distance from a central difference."""
        values = on_device(in_precision(self.case.values, double=True))
        host = fresh_adjoints(self.case, {n: cp.asnumpy(s) for n, s in self.seeds.items()}, double=True)
        adjoints = {n: cp.asarray(a) for n, a in host.items()}
        hand_call(self.case.hands[0], values | adjoints, double=True)()
        self.right = {n: cp.asnumpy(a) for n, a in adjoints.items()}
        code = module(self.case.source.read_text(), self.case.defines, double=True)

        def primal(moved: Values) -> None:
            launcher(code, primal_launch(self.case), moved, double=True)()

        return directional(self.case, primal, values, self.seeds, self.right, cp.asarray)

    def error(self, call: Callable[[], Any], adjoints: Values | None = None) -> float:
        """The largest error after one call on cleared adjoints, relative to the largest gradient."""
        self.clear()
        found = call() or adjoints or self.adjoints
        worst = 0.0
        for n in self.case.wrt:
            right = cp.asarray(self.right[f"adj_{n}"])
            got = cp.asarray(found[f"adj_{n}"]).reshape(right.shape).astype(cp.float64)
            if not bool(cp.isfinite(got).all()):
                return float("inf")
            worst = max(worst, float(cp.abs(got - right).max() / cp.abs(right).max()))
        return worst

    def version(self, name: str, make: Callable[[], tuple[Callable[[], Any], Values | None]], **more: Any) -> None:
        """Make, check and measure one version; what goes wrong is what is reported."""
        record: dict[str, Any] = {"item": f"case:{self.case.name}", "version": name, **more}
        try:
            begin = time.perf_counter()
            call, adjoints = make()
            record["error"] = self.error(call, adjoints)
            cp.cuda.runtime.deviceSynchronize()
            record["make_s"] = time.perf_counter() - begin
            record["ms"], record["spread"] = device_ms(call, self.reset)
            record["call_ms"] = call_ms(call)
        except Exception as problem:
            record["problem"] = f"{type(problem).__name__}: {first_line(problem)}"
            if "illegal" in str(problem).lower() or "launch failure" in str(problem).lower():
                say(**record)
                raise SystemExit(f"{name}: the CUDA context is lost") from problem
        say(**record)
        release()


def on_device(values: Values) -> Values:
    return {n: cp.asarray(v) if isinstance(v, np.ndarray) else v for n, v in values.items()}


def release() -> None:
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.empty_cache()


def measure_case(case: Case, versions: frozenset[str]) -> None:
    bench = Bench(case)
    values = bench.values
    code = module(case.source.read_text(), case.defines, double=False)
    primal = launcher(code, primal_launch(case), values, double=False)
    ms, spread = device_ms(primal, lambda: None)
    bytes_ = case.pullback_bytes
    say(item=f"case:{case.name}", version="primal", ms=ms, spread=spread, call_ms=call_ms(primal), bytes=bytes_)
    if case.params[0] in case.wrt or case.name == "sum_squares":  # the primal added to it, again and again
        cp.copyto(values[case.of[0]], cp.asarray(case.values[case.of[0]]))
    say(item=f"case:{case.name}", version="reference", error=bench.reference())
    release()
    for hand in case.hands:
        bench.version(
            f"hand: {hand.name}",
            lambda hand=hand: (hand_call(hand, values | bench.adjoints, double=False), None),
            style=hand.style,
        )
    if "hetad" in versions:
        bench.version("hetad", lambda: hetad_call(bench, {}))
    if "plain" in versions:
        bench.version("hetad, optimize=False", lambda: hetad_call(bench, {"optimize": False}))
    if "torch" in versions:
        bench.version("PyTorch", lambda: torch_call(bench))
    if "warp" in versions:
        with warp_stream():
            bench.version("Warp", lambda: warp_call(bench))


def hetad_call(bench: Bench, options: dict[str, Any]) -> tuple[Callable[[], Any], Values]:
    import hetad

    case = bench.case
    kernel = hetad.load(case.source, case.defines)[case.function]
    gradient = hetad.gradient(kernel, wrt=case.wrt, of=case.of, backend="cuda", **options)
    found = dict(bench.adjoints)
    for name in case.wrt:
        if np.ndim(case.values[name]) == 0:  # the adjoint of a scalar is in host memory
            found[f"adj_{name}"] = np.zeros(1, np.float32)
    arguments = [bench.values[p] for p in case.params] + [found[f"adj_{n}"] for n in case.adjoints]

    def call() -> None:
        gradient.execute(*arguments, grid=case.grid, block=case.block)

    return call, found


def torch_call(bench: Bench) -> tuple[Callable[[], Any], None]:
    import peers_torch

    if bench.case.name not in peers_torch.KERNELS:
        raise NotImplementedError("not expressed")
    return peers_torch.backward(bench.case.name, bench.values, bench.seeds, bench.case.wrt), None


@contextlib.contextmanager
def warp_stream() -> Iterator[None]:
    """Warp gets a stream of its own, which the events have to be recorded on."""
    stream = cp.cuda.Stream()
    cp.cuda.runtime.deviceSynchronize()
    with stream:
        yield
    cp.cuda.runtime.deviceSynchronize()


def warp_call(bench: Bench) -> tuple[Callable[[], Any], None]:
    import peers_warp

    if bench.case.name not in peers_warp.KERNELS:
        raise NotImplementedError("not expressed")
    stream = cp.cuda.get_current_stream().ptr
    return peers_warp.backward(bench.case.name, bench.values, bench.adjoints, stream), None


# --- one program ---------------------------------------------------------------------------------


def measure_program(item: WholeProgram) -> None:
    import hetad

    label = f"program:{item.name}"
    rng = np.random.default_rng(2)
    seeds = {n: cp.asarray(rng.standard_normal(item.values[n].shape, dtype=np.float32)) for n in item.of}
    values = on_device(item.values)
    function = hetad.load(item.source)[item.function]
    start = {n: v.copy() for n, v in values.items() if hasattr(v, "shape")}

    def restore() -> None:
        for n, v in start.items():
            cp.copyto(values[n], v)

    restore()
    ms, spread = wall_ms(lambda: function(*values.values(), backend="cuda"), restore)
    say(item=label, version="primal", ms=ms, spread=spread)
    restore()
    adjoints = {n: cp.zeros(item.values[n].shape, cp.float32) for n in item.adjoints}

    def reset() -> None:
        for n, a in adjoints.items():
            cp.copyto(a, seeds[n]) if n in seeds else a.fill(0)

    versions: dict[str, Values] = {"hetad": {}, "graph": {"graph": True}}
    if item.budget is not None:
        versions["budget"] = {"memory_limit": item.budget}
    for version, options in versions.items():
        record: dict[str, Any] = {"item": label, "version": version}
        try:
            gradient = hetad.gradient(function, wrt=item.wrt, of=item.of, backend="cuda", **options)
            call = partial(gradient.execute, *values.values(), *(adjoints[n] for n in item.adjoints))
            reset()
            call()  # a graph is made of the second call
            record["ms"], record["spread"] = wall_ms(call, reset)
            reset()
            call()
            report = gradient.last_report
            assert report is not None
            record |= {"launches": report.launches, "saved": report.saved_bytes, "extra_steps": report.extra_steps}
            found = {f"adj_{n}": adjoints[n].astype(cp.float64) for n in item.wrt}
            record["error"] = program_error(item, seeds, found)
        except Exception as problem:  # noqa: BLE001 - it goes into the table
            record["problem"] = f"{type(problem).__name__}: {first_line(problem)}"
        say(**record)


def program_error(item: WholeProgram, seeds: Values, found: Values) -> float:
    """Along one random direction, against central differences of the program in double precision."""
    import hetad

    function = hetad.loads(in_double(item.source.read_text()), f"{item.name} in double precision")[item.function]
    values = on_device(in_precision(item.values, double=True))
    release()

    def primal(moved: Values) -> None:
        function(*(moved[n] for n in item.values), backend="cuda")

    return directional(item, primal, values, seeds, found, cp.asarray)


def wall_ms(
    call: Callable[[], Any], reset: Callable[[], None], repeats: int = 7, limit: float = 10.0
) -> tuple[float, float]:
    """A whole program has a host side: the clock on the wall, the device idle before and after."""
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < repeats + 1 and (len(times) < 3 or time.perf_counter() - begin < limit):
        reset()
        cp.cuda.runtime.deviceSynchronize()
        t = time.perf_counter()
        call()
        cp.cuda.runtime.deviceSynchronize()
        times.append((time.perf_counter() - t) * 1e3)
    kept = sorted(times[1:])
    median = statistics.median(kept)
    return median, (kept[-1 - len(kept) // 4] - kept[len(kept) // 4]) / median


# --- all -----------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    properties = cp.cuda.runtime.getDeviceProperties(0)
    found: dict[str, Any] = {
        "gpu": properties["name"].decode(), "cuda": cp.cuda.runtime.runtimeGetVersion(), "cupy": cp.__version__,
        "bandwidth": copy_bandwidth(),
    }  # fmt: skip
    release()
    return found


def main() -> None:
    size = os.environ.get("HETAD_BENCH_SIZE", "gpu")
    versions = frozenset(os.environ.get("HETAD_BENCH_VERSIONS", "hetad,plain,torch,warp").split(","))
    say(item="machine", **machine())
    for item in sys.argv[1:]:
        say(item=item, begin=True)
        kind, name = item.split(":")
        if kind == "case":
            measure_case(CASES[name](size), versions)
        else:
            measure_program(program(name, tiny=size == "tiny"))
        release()
        say(item=item, end=True)


if __name__ == "__main__":
    main()
