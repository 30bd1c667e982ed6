"""Programs that grow: how long a differentiation takes, and how much work it is, as they do.

Each family makes the text of a program of a size; its `run` is differentiated, of `y` with respect to `x` and `y`.
`benchmarks/differentiation.py` measures the time, `tests/unit/test_growth.py` counts the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Family:
    """`sizes`: those measured; `options`: of `hetad.gradient`."""

    source: Callable[[int], str]
    sizes: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _step(name: str = "step", number: float = 0.3) -> str:
    return f"""__global__ void {name}(double *y, const double *x, int n)
{{
    int i = threadIdx.x;
    if (i < n)
        y[i] = y[i] * x[i] + {number};
}}
"""


def _host(body: str) -> str:
    return f"void run(double *x, double *y, int n)\n{{\n{body}}}\n"


def _kernel(body: str, guarded: bool = True) -> str:
    """A kernel of one thread for each of `n` elements, and `run`, which launches it."""
    guard = "    if (i >= n)\n        return;\n" if guarded else ""
    return f"""__global__ void kernel(const double *x, double *y, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
{guard}{body}}}
{_host("    kernel<<<4, 64>>>(x, y, n);" + chr(10))}"""


def nested_loops(depth: int) -> str:
    """Time loops, one in the other, each of which launches too."""
    heads = (f"for (int t{d} = 0; t{d} < 3; t{d}++) {{\n step<<<1, 32>>>(y, x, n);" for d in range(depth))
    return _step() + _host(f"{_lines(heads)}step<<<1, 32>>>(x, y, n);\n{'}' * depth}\n")


def nested_in_kernel(depth: int) -> str:
    """Loops of a kernel, one in the other, each of which changes a number that is used again."""
    heads = (f"for (int t{d} = 0; t{d} < 3; t{d}++) {{\n v = sin(v) * a + t{d};" for d in range(depth))
    return _kernel(f"double a = x[i], v = y[i];\n{_lines(heads)}v = v * v;\n{'}' * depth}\ny[i] = v;\n")


def cases(count: int) -> str:
    """Of a switch."""
    arms = (f"case {j}:\n y[i] = x[i] * {j + 1};\n break;" for j in range(count))
    return _kernel(f"switch (i) {{\n{_lines(arms)}}}\n")


def else_ifs(count: int) -> str:
    arms = (f"else if (a > {j})\n y[i] = a * {j + 1} + y[i] * a;" for j in range(count))
    return _kernel(f"double a = x[i];\nif (a > {count})\n y[i] = a;\n{_lines(arms)}")


def selects(count: int) -> str:
    """`?:` in `?:`."""
    value = "a"
    for j in range(count):
        value = f"(a > {j} ? a * {j + 1} : {value})"
    return _kernel(f"double a = x[i];\ny[i] = {value} + y[i] * a;\n")


def branches(count: int) -> str:
    """One after the other."""
    arms = (f"if (v > {j})\n v = v * a + {j};" for j in range(count))
    return _kernel(f"double a = x[i], v = y[i];\n{_lines(arms)}y[i] = v;\n")


def scattered(count: int) -> str:
    """A step of a lattice: each thread stores to so many neighbours; all sizes are known."""
    moves = [(a, b, c) for c in (0, 1, -1) for b in (0, 1, -1) for a in (0, 1, -1)][:count]
    cell = "next[SITES * {e} + (px + ({a})) + (py + ({b})) * WIDE + (pz + ({c})) * WIDE * HIGH]"
    value = "(1 - w) * now[SITES * {e} + at] + w * {e} * rho"
    stores = (f"{cell} = {value};".format(e=e, a=a, b=b, c=c) for e, (a, b, c) in enumerate(moves))
    total = " + ".join(f"now[SITES * {e} + at]" for e in range(count))
    return f"""#define WIDE 128
#define HIGH 120
#define SITES (WIDE * HIGH * 154)
__global__ void stream(const double *now, double *next)
{{
    int px = threadIdx.x, py = blockIdx.x, pz = blockIdx.y;
    int at = px + py * WIDE + pz * WIDE * HIGH;
    double rho = {total}, w = 0.1 / rho;
{_lines(stores)}}}
void run(double *x, double *y, int n)
{{
    dim3 block(120), grid(120, 150);
    for (int t = 0; t < n / 2; t++) {{
        stream<<<grid, block>>>(x, y);
        stream<<<grid, block>>>(y, x);
    }}
}}
"""


def straight(count: int) -> str:
    """Assignments, each of some values before it."""
    values = (
        f"double v{j} = v{j - 1} * v{max(j - 3, 0)} + exp(-v{max(j - 7, 0)} / {j + 1}.0);" for j in range(1, count)
    )
    return _kernel(f"double v0 = x[i];\n{_lines(values)}y[i] += v{count - 1};\n")


def overwritten(count: int) -> str:
    """Assignments to few variables."""
    values = (f"{'abcd'[j % 4]} = {'bcda'[j % 4]} * {'cdab'[j % 4]} + {j};" for j in range(count))
    return _kernel(f"double a = x[i], b = y[i], c = 0.5, d = 0.25;\n{_lines(values)}y[i] = a + b + c + d;\n")


def equations(count: int) -> str:
    """Right-hand sides of differential equations, as models of cells are written, in a loop over time."""
    rates = (
        f"""    double gate{j} = state[{j}] / (1.0 + exp(-(volt + {j}.5) / 7.0));
    double flow{j};
    if (volt > -{j}.0)
        flow{j} = gate{j} * par[{j % 5}];
    else
        flow{j} = gate{j} * gate{max(j - 1, 0)};
    rate[{j}] = flow{j} - state[{j}] * {f"flow{j - 1}" if j else "volt"};"""
        for j in range(count)
    )
    return f"""#define COUNT {count}
__device__ void rates(double volt, const double *state, double *rate, const double *par)
{{
{_lines(rates)}}}
""" + _kernel("""    double state[COUNT], rate[COUNT];
    for (int j = 0; j < COUNT; j++)
        state[j] = y[i * COUNT + j];
    for (int t = 0; t < 10; t++) {
        rates(state[0] * x[0], state, rate, x);
        for (int j = 0; j < COUNT; j++)
            state[j] += 0.01 * rate[j];
    }
    for (int j = 0; j < COUNT; j++)
        y[i * COUNT + j] = state[j];
""")


def in_one_array(count: int) -> str:
    """Assignments to cells of one array in global memory."""
    cells = (f"y[at + {j}] = y[at + {max(j - 1, 0)}] * x[at + {j}] + exp(y[at + {j}]) / {j + 2};" for j in range(count))
    return _kernel(f"int at = i * {count};\nfor (int t = 0; t < 4; t++) {{\n{_lines(cells)}}}\n")


def loops(count: int) -> str:
    """One after the other."""
    sums = (f"for (int j = 0; j < 8; j++)\n v = v * x[i * 8 + j] + {k};" for k in range(count))
    return _kernel(f"double v = y[i];\n{_lines(sums)}y[i] = v;\n")


def phases(count: int) -> str:
    """Steps in shared memory, with barriers between them."""
    steps = (
        f"""    double next{k} = part[t] * part[(t + {k + 1}) % 64] + v;
    __syncthreads();
    part[t] = next{k};
    __syncthreads();
    v = v * part[63 - t];
    __syncthreads();"""
        for k in range(count)
    )
    head = "__shared__ double part[64];\nint t = threadIdx.x;\ndouble v = x[i];\npart[t] = v;\n__syncthreads();\n"
    return _kernel(f"{head}{_lines(steps)}y[i] = v;\n", guarded=False)


def fields(count: int) -> str:
    """Of a struct that is handed through a function."""
    names = (f"double f{j};" for j in range(count))
    given = (f"a.f{j} = x[i] * {j + 1};" for j in range(count))
    made = (f"r.f{j} = a.f{j} * a.f{max(j - 1, 0)} + w;" for j in range(count))
    total = " + ".join(f"r.f{j}" for j in range(count))
    return f"""struct Pole {{
{_lines(names)}}};
__device__ struct Pole mixed(struct Pole a, double w)
{{
    struct Pole r;
{_lines(made)}    return r;
}}
""" + _kernel(f"""    struct Pole a, r;
{_lines(given)}    for (int j = 0; j < 3; j++)
        r = mixed(a, x[j]);
    y[i] = {total};
""")


def calls(depth: int) -> str:
    """Functions that call each other."""
    functions = (
        f"""__device__ double f{j}(double v)
{{
    double w = {f"f{j - 1}(v)" if j else "v"};
    return w * w + sin(v);
}}"""
        for j in range(depth)
    )
    return _lines(functions) + _kernel(f"y[i] += f{depth - 1}(x[i]);\n")


def kernels(count: int) -> str:
    """Each launched once."""
    launched = (f"step{j}<<<1, 32>>>(y, x, n);" for j in range(count))
    return "".join(_step(f"step{j}", j + 0.3) for j in range(count)) + _host(_lines(launched))


def launches(count: int) -> str:
    """Of one kernel."""
    return _step() + _host(_lines(f"step<<<1, 32>>>({'y, x' if j % 2 else 'x, y'}, n);" for j in range(count)))


def buffers(count: int) -> str:
    """Memory that is allocated, filled, used and freed."""
    used = (
        f"""    double *b{j};
    cudaMalloc(&b{j}, n * sizeof(double));
    cudaMemcpy(b{j}, {f"b{j - 1}" if j else "x"}, n * sizeof(double), cudaMemcpyDeviceToDevice);
    step<<<1, 32>>>(b{j}, x, n);"""
        for j in range(count)
    )
    frees = (f"cudaFree(b{j});" for j in range(count))
    return _step() + _host(f"{_lines(used)}step<<<1, 32>>>(y, b{count - 1}, n);\n{_lines(frees)}")


def turns(count: int) -> str:
    """Of two buffers, which change places again and again in a loop."""
    taken = (
        f"""        step<<<1, 32>>>(a, b, n);
        double *t{j} = a;
        a = b;
        b = t{j};"""
        for j in range(count)
    )
    return _step() + _host(f"""    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemcpy(b, y, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int t = 0; t < 3; t++) {{
{_lines(taken)}    }}
    step<<<1, 32>>>(y, a, n);
    cudaFree(a);
    cudaFree(b);
""")


def parameters(count: int) -> str:
    """Arrays that one kernel is given, each changed by what it reads of another one."""
    given = (f"double *b{j}" for j in range(count))
    used = (f"b{j}[i] = b{j}[i] * b{max(j - 1, 0)}[i] + x[i];" for j in range(count))
    made = (
        f"""    double *b{j};
    cudaMalloc(&b{j}, n * sizeof(double));
    cudaMemcpy(b{j}, {f"b{j - 1}" if j else "x"}, n * sizeof(double), cudaMemcpyDeviceToDevice);"""
        for j in range(count)
    )
    last = f"    cudaMemcpy(y, b{count - 1}, n * sizeof(double), cudaMemcpyDeviceToDevice);\n"
    frees = (f"cudaFree(b{j});" for j in range(count))
    return f"""__global__ void changed(const double *x, {", ".join(given)}, int n)
{{
    int i = threadIdx.x;
    if (i < n) {{
{_lines(used)}    }}
}}
""" + _host(
        f"{_lines(made)}    changed<<<1, 32>>>(x, {', '.join(f'b{j}' for j in range(count))}, n);\n"
        f"{last}{_lines(frees)}"
    )


def functors(count: int) -> str:
    """Classes, and the instances of a template of classes and of one of kernels that are made of each."""
    classes = (
        f"""struct Step{j} {{
    double a;
    __device__ double operator()(double v) const {{ return v * a + {j + 0.3}; }}
}};"""
        for j in range(count)
    )
    rest = """template <class F> struct Twice {
    F f;
    __device__ double operator()(double v) const { return f(v) * f(v); }
};
template <class F> __global__ void each(double *y, const double *x, int n, F f)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = y[i] * f(x[i]);
}
"""
    launched = (f"each<<<1, 32>>>(y, x, n, Twice<Step{j}>{{Step{j}{{0.5}}}});" for j in range(count))
    return _lines(classes) + rest + _host(_lines(launched))


def vectors(count: int) -> str:
    """Of the C++ library, each used in a loop."""
    used = (
        f"""    std::vector<double> v{j}(n);
    for (int i = 0; i < n; i++)
        v{j}[i] = {f"v{j - 1}[i]" if j else "x[i]"} * x[i];"""
        for j in range(count)
    )
    stored = f"    for (int i = 0; i < n; i++)\n        y[i] = v{count - 1}[i];\n"
    return "#include <vector>\n" + _host(_lines(used) + stored)


def views(count: int) -> str:
    """Of Kokkos, each filled from another one by a function that is given both."""
    head = """#include <Kokkos_Core.hpp>
using Vector = Kokkos::View<double *>;
using Given = Kokkos::View<const double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
using Taken = Kokkos::View<double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
void scaled(Vector to, Vector from)
{
    Kokkos::parallel_for(from.extent(0), KOKKOS_LAMBDA(const int i) { to(i) = from(i) * from(i); });
}
"""
    made = (f'Vector v{j}("v", n);\n    scaled(v{j}, v{j - 1});' for j in range(1, count))
    first = '    Vector v0("v", n);\n    Kokkos::deep_copy(v0, Given(x, n));\n'
    return head + _host(f"{first}{_lines(made)}    Kokkos::deep_copy(Taken(y, n), v{count - 1});\n")


def terms(count: int) -> str:
    """Of one sum."""
    return _kernel(f"y[i] = {' + '.join(f'x[i] * {j + 1}' for j in range(count))};\n")


FAMILIES = {
    "nested time loops": Family(nested_loops, (1, 2, 3, 4, 5)),
    "nested time loops, memory_limit": Family(nested_loops, (1, 2, 3, 4, 5), {"memory_limit": 1500}),
    "nested loops in a kernel": Family(nested_in_kernel, (1, 2, 3, 4, 5)),
    "cases of a switch": Family(cases, (10, 20, 40, 80)),
    "else if": Family(else_ifs, (10, 20, 40, 80)),
    "conditional expressions": Family(selects, (10, 20, 40, 80)),
    "branches": Family(branches, (10, 20, 40, 80)),
    "stores of a lattice": Family(scattered, (3, 6, 12, 24)),
    "straight-line code": Family(straight, (50, 100, 200, 400)),
    "values overwritten": Family(overwritten, (50, 100, 200, 400)),
    "differential equations": Family(equations, (5, 10, 20, 40)),
    "cells of one array": Family(in_one_array, (10, 20, 40, 80)),
    "loops in a row": Family(loops, (5, 10, 20, 40)),
    "phases in shared memory": Family(phases, (5, 10, 20, 40)),
    "fields of a struct": Family(fields, (5, 10, 20, 40)),
    "depth of calls": Family(calls, (5, 10, 20, 40)),
    "kernels": Family(kernels, (5, 10, 20, 40)),
    "launches": Family(launches, (10, 20, 40, 80)),
    "buffers": Family(buffers, (5, 10, 20, 40)),
    "turns of buffers": Family(turns, (5, 10, 20, 40)),
    "parameters": Family(parameters, (5, 10, 20, 40)),
    "terms of a sum": Family(terms, (10, 20, 40, 80)),
    "functors": Family(functors, (5, 10, 20, 40)),
    "vectors": Family(vectors, (5, 10, 20, 40)),
    "views": Family(views, (5, 10, 20, 40)),
}
