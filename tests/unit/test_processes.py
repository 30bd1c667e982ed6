"""What programs share in a process: Ctrl-C, forks, and the threads they run on, each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of another kind")
LIMIT = 120  # seconds, for what takes one

ENDLESS = r"""
#include <stdio.h>
#include <stdlib.h>
__global__ void scale(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}
__global__ void endless(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (x[0] > 0) {
        if (y[i] == 123)
            break;
    }
    y[i] = x[i];
}
__global__ void endless_with_sine(double *y, const double *x, int n)
{
    double sum = 0;
    while (x[0] > 0)
        sum += sin(sum + x[1]);
    y[0] = sum;
}
__global__ void endless_print(double *y, const double *x, int n)
{
    while (x[0] > 0)
        printf("%s", n > 1000 ? "." : "");
    y[0] = 1;
}
__global__ void endless_together(double *y, const double *x, int n)
{
    __shared__ double s[32];
    s[threadIdx.x] = x[threadIdx.x % n];
    while (x[0] > 0) {
        __syncthreads();
        s[threadIdx.x] += s[31 - threadIdx.x];
        __syncthreads();
    }
    y[threadIdx.x] = s[threadIdx.x];
}
__global__ void wavering(double *y, const double *x, const int *flag)
{
    double s = y[threadIdx.x];
    while (flag[0] > 0)
        s = 0.5 * s + x[threadIdx.x] * s * s;
    y[threadIdx.x] = s * s;
}
void forward(double *y, const double *x, const int *flag)
{
    scale<<<1, 8>>>(y, x, 8);
    wavering<<<1, 8>>>(y, x, flag);
}
void kernel(double *y, const double *x, int n)
{
    double *t = (double *)malloc(100000);
    scale<<<1, 8>>>(y, x, n);
    endless<<<4, 2>>>(y, x, n);
    free(t);
}
void sine(double *y, const double *x, int n) { endless_with_sine<<<1, 1>>>(y, x, n); }
void prints(double *y, const double *x, int n) { endless_print<<<2, 2>>>(y, x, n); }
void together(double *y, const double *x, int n) { endless_together<<<2, 32>>>(y, x, n); }
void loop(double *y, const double *x, int n) { while (x[0] > 0) y[1] = y[0] + 1; }
void nested(double *y, const double *x, int n)
{
    for (long i = 0; i < 1000000000000000000; i++)
        for (int j = 0; j < n; j++)
            y[j] += x[j] * i;
}
void allocates(double *y, const double *x, int n)
{
    while (x[0] > 0) {
        double *p = (double *)malloc(8 * n), *q;
        cudaMalloc(&q, 8 * n);
        memset(p, 0, 8 * n);
        cudaMemcpy(q, p, 8 * n, cudaMemcpyHostToDevice);
        y[0] += p[0];
        free(p);
        cudaFree(q);
    }
}
void after(double *y, const double *x, int n) { scale<<<1, 8>>>(y, x, n); }
"""
PROGRAM = (
    f"ENDLESS = {ENDLESS!r}\n"
    + """
import signal, sys, threading, time
import numpy as np, hetad
program = hetad.loads("#include <string.h>\\n" + ENDLESS)
x = np.arange(1.0, 9)
def after(**options):
    y = np.zeros(8)
    program["after"](y, x, 8, backend="cpu", **options)
    g = hetad.gradient(program["after"], wrt="x", of="y", backend="cpu", **options)
    return (y == x * x).all() and np.allclose(g(np.zeros(8), x, 8, seeds={"y": np.ones(8)})["x"], 2 * x)
"""
)


def run(script: str, interrupts: int = 0, **environment: str) -> str:
    """What a script prints; from its line `ready` on it is interrupted so often."""
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM + script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        if interrupts:
            assert started.stdout is not None
            while (line := started.stdout.readline()) and line.strip() != "ready":
                pass
            for _ in range(interrupts):
                time.sleep(0.7)
                started.send_signal(signal.SIGINT)
        out, errors = started.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        started.kill()
        raise
    assert started.returncode == 0, errors
    return out


INTERRUPTED = """
def call(n):
    program[NAME](np.ones(64), x, n, backend="cpu", **OPTIONS)
x[0] = -1
if NAME != "nested":
    call(8)  # compiled
x[0] = 1
print("ready", flush=True)
try:
    call(8)
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("stopped")
print(after(**OPTIONS))
"""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, "{}") for name in ("kernel", "sine", "prints", "together", "loop", "nested", "allocates")),
        *((name, "{'cpu_threads': 3}") for name in ("kernel", "prints", "together")),
    ],
)
def test_a_second_interrupt_ends_what_does_not_end(name: str, options: str) -> None:
    script = f"NAME, OPTIONS = {name!r}, {options}\n" + INTERRUPTED
    assert run(script, interrupts=2).splitlines()[-2:] == ["stopped", "True"]


@pytest.mark.parametrize("name", ["kernel", "together"])
def test_with_a_stack_for_each_thread(name: str) -> None:
    script = f"NAME, OPTIONS = {name!r}, {{}}\n" + INTERRUPTED
    assert run(script, interrupts=2, HETAD_CPU_MODE="fibers").splitlines()[-2:] == ["stopped", "True"]


@pytest.mark.parametrize("options", ["{}", "{'cpu_threads': 3}"])
def test_a_gradient_leaves_its_arguments(options: str) -> None:
    """Interrupted in its forward sweep, after it has written."""
    script = f"""
options, flag = {options}, np.zeros(1, np.int32)
g = hetad.gradient(program["forward"], wrt="x", of="y", backend="cpu", **options)
y, seed, out = np.full(8, 5.0), np.ones(8), np.zeros(8)
right = lambda: np.allclose(g(y, x, flag, seeds={{"y": seed}})["x"], 4 * x**3)
assert right()
flag[0] = 1
print("ready", flush=True)
try:
    g.execute(y, x, flag, seed, out)
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("stopped", (y == 5).all())
flag[0] = 0
print(right(), after(**options))
"""
    assert run(script, interrupts=2).splitlines()[-2:] == ["stopped True", "True True"]


def test_interrupts_are_pythons_before_and_after() -> None:
    script = """
before = signal.getsignal(signal.SIGINT)
assert after()
assert signal.getsignal(signal.SIGINT) is before
told = []
signal.signal(signal.SIGINT, lambda *_: told.append(1))
assert after()
signal.raise_signal(signal.SIGINT)
print(told)
"""
    assert run(script).strip() == "[1]"


FORKS = """
import os
def child(call):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            os._exit(0 if call() else 3)
        except BaseException as problem:
            print(type(problem), problem, flush=True)
            os._exit(4)
    return os.waitpid(pid, 0)[1]
"""


@pytest.mark.parametrize("options", ["{}", "{'cpu_threads': 3}"])
def test_a_fork_while_another_thread_calls(options: str) -> None:
    script = (
        FORKS
        + f"""
options = {options}
after(**options)
g = hetad.gradient(program["after"], wrt="x", of="y", backend="cpu", **options)
call = lambda: np.allclose(g(np.zeros(8), x, 8, seeds={{"y": np.ones(8)}})["x"], 2 * x)
assert call()
stop = []
def work():
    while not stop:
        assert call()
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
print([child(lambda: call() and after(**options)) for _ in range(12)])
stop.append(1)
for t in threads:
    t.join()
assert call()
"""
    )
    assert run(script).strip() == str([0] * 12)


def test_a_fork_while_another_thread_is_inside_for_long() -> None:
    """The library of the call is loaded anew in the child; the parent's goes on."""
    script = (
        FORKS
        + """
x[0] = -1
f = program["loop"]
f(np.zeros(8), x, 8, backend="cpu")
flag = np.array([1.0, 2.0])
inside = threading.Thread(target=lambda: f(np.zeros(8), flag, 8, backend="cpu"), daemon=True)
inside.start()
time.sleep(0.5)
print(child(lambda: f(np.zeros(8), x, 8, backend="cpu") is None), inside.is_alive())
flag[0] = -1
sys.stdout.flush()
import os; os._exit(0)
"""
    )
    assert run(script).strip() == "0 True"


def test_a_fork_while_another_thread_compiles() -> None:
    script = (
        FORKS
        + """
def compile(k):
    source = f"__global__ void k(double *y, const double *x) {{ int i = threadIdx.x; y[i] = x[i] * {k}; }}\\n"
    source += "void run(double *y, const double *x) { k<<<1, 8>>>(y, x); }"
    y = np.zeros(8)
    hetad.loads(source)["run"](y, x, backend="cpu")
    return (y == k * x).all()
seed = int(time.time() * 1000)
t = threading.Thread(target=lambda: [compile(seed + i) for i in range(6)])
t.start()
found = []
while t.is_alive():
    found.append(child(lambda: compile(seed + 5)))
print(len(found) > 0, set(found))
t.join()
"""
    )
    assert run(script).strip() == "True {0}"


def test_a_fork_while_another_thread_imports() -> None:
    """Nobody would give the child the lock of a module that is half imported."""
    script = (
        FORKS
        + """
class Slow:
    def find_spec(self, name, path, target=None):
        if name == "hetad.pipeline":
            begun.set()
            time.sleep(1)
sys.meta_path.insert(0, Slow())
begun = threading.Event()
x[0] = 1
t = threading.Thread(target=after)
t.start()
print(begun.wait(60), child(after))
t.join()
"""
    )
    assert run(script, HETAD_KEEP="0").strip() == "True 0"  # what is kept needs no passes


def test_one_pool_serves_all_programs() -> None:
    script = """
import os
from hetad.run import process
def made(k):
    source = "__global__ void k(double *y, const double *x) { int i = blockIdx.x * 8 + threadIdx.x; "
    source += f"y[i] = {k} * x[i]; }}\\n"
    source += "void run(double *y, const double *x) { k<<<64, 8>>>(y, x); }"
    return hetad.loads(source)["run"]
programs = [made(k) for k in range(6)]
x = np.random.default_rng(1).random(512)
def right(k, threads):
    y = np.zeros(512)
    programs[k](y, x, backend="cpu", cpu_threads=threads)
    return (y == k * x).all()
assert all(right(k, 4) for k in range(6))
print(process.threads() <= 3)
assert right(0, 6)
print(process.threads() <= 5)
wrong = []
def work(k):
    for i in range(200):
        if not right((k + i) % 6, 2 + i % 5):
            wrong.append(k)
callers = [threading.Thread(target=work, args=(k,)) for k in range(5)]
for t in callers: t.start()
for t in callers: t.join()
print(wrong, process.threads() <= 5)
for _ in range(60):
    if process.threads() == 0:
        break
    time.sleep(0.5)
print(process.threads(), right(1, 4))
"""
    assert run(script).splitlines() == ["True", "True", "[] True", "0 True"]


def test_memory_of_threads_ends_with_them() -> None:
    script = """
source = '''__global__ void k(double *y, const double *x)
{
    extern __shared__ double s[];
    double t[32];
    for (int j = 0; j < 32; j++) t[j] = x[(threadIdx.x + j) % 8] * j;
    s[threadIdx.x] = x[threadIdx.x % 8];
    __syncthreads();
    double q = 0;
    for (int j = 0; j < 32; j++) q += t[j] * s[(threadIdx.x + j) % 1024];
    y[threadIdx.x % 8] = q;
}
void run(double *y, const double *x) { k<<<1, 1024, 40960>>>(y, x); }'''
f = hetad.loads(source)["run"]
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4
def burst(n):
    for _ in range(n):
        t = threading.Thread(target=lambda: f(np.zeros(8), x, backend="cpu"))
        t.start()
        t.join()
burst(50)
before = resident()
burst(400)
print(resident() - before < 20000)
"""
    assert run(script).strip() == "True"
