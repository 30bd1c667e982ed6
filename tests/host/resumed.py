"""Programs with time loops whose gradients can be gone on with, and a call of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Pointers that swap, a sum that the host makes, memory that only the end of the function reads.
MARCH = """
__global__ void step(double *w, const double *u, const double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] = u[i] + 0.01 * u[i] * u[(i + 1) % n] * v[i];
}
double march(const double *x, const double *v, double c, int n, int steps)
{
    double *u, *w, *copy, *past, total = 0, last, early;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&w, n * sizeof(double));
    cudaMalloc(&copy, n * sizeof(double));
    cudaMalloc(&past, steps * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(copy, v, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        step<<<(n + 63) / 64, 64>>>(w, u, copy, n);
        double *s = u;
        u = w;
        w = s;
        double first;
        cudaMemcpy(&first, u, sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(past + t, u + 1, sizeof(double), cudaMemcpyDeviceToDevice);
        total += c * first * first;
    }
    cudaMemcpy(&early, past + 2, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&last, u + 3, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(w);
    cudaFree(copy);
    cudaFree(past);
    return total * last * early;
}
"""
# Arguments that are overwritten, steps that grow, a loop by a schedule in each, a struct of numbers and pointers.
GROW = """
struct field { float *now, *next; float weight; int length; };
__global__ void set(float *next, const float *now, float weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = now[i] * (1.0f + weight * now[(i + 1) % n]);
}
void grow(float *u, float *v, float *weights, int n, int steps)
{
    struct field f = {u, v, 0.01f, n};
    float trend[2] = {0.5f, 0.25f};
    for (int t = 0; t < steps; t++) {
        float *aside = f.now;
        for (int k = 0; k < 2 + t / 3; ++k) {
            set<<<(f.length + 31) / 32, 32>>>(f.next, f.now, f.weight * trend[k % 2], f.length);
            set<<<(f.length + 31) / 32, 32>>>(f.now, f.next, f.weight, f.length);
        }
        set<<<(n + 31) / 32, 32>>>(weights + t, weights, f.weight, 1);
        trend[t % 2] = trend[t % 2] * 0.9f + 0.01f;
        f.now = f.next;
        f.next = aside;
    }
}
"""
# Time loops one after the other: of different lengths, memory that is made between them, and one that is too short.
LOOPS = """
__global__ void step(double *w, const double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] = u[i] + c * u[i] * u[(i + 1) % n];
}
__global__ void mix(double *a, const double *b, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * (1 - c * b[i]) + 0.1 * b[i] * b[i];
}
double loops(const double *x, double c, int n, int steps)
{
    double *u, *w, *a, most = 1, last;
    int blocks = (n + 63) / 64;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&w, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        step<<<blocks, 64>>>(w, u, 0.1 * c, n);
        double *s = u;
        u = w;
        w = s;
    }
    cudaMemcpy(&most, u + 1, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMalloc(&a, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int t = 0; t < 1; ++t) mix<<<blocks, 64>>>(a, w, most, n);
    for (int t = 0; t < 2 * steps / 3; ++t) {
        mix<<<blocks, 64>>>(a, u, c, n);
        mix<<<blocks, 64>>>(u, a, c / most, n);
        most = 0.9 * most + 0.2;
    }
    cudaFree(w);
    for (int t = 0; t < steps / 2; ++t) {
        cudaMemcpy(&last, a, sizeof(double), cudaMemcpyDeviceToHost);
        mix<<<blocks, 64>>>(u, a, c * last, n);
        step<<<blocks, 64>>>(a, u, c, n);
    }
    cudaMemcpy(&last, a + 2, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(a);
    return last * most;
}
"""
# Structs, tables and arrays that hold pointers, which trade them in each step; one with a handle and a number beside.
TABLES = """
struct Grid { double *now, *next; cudaStream_t stream; double weight; const double *shift; };
struct Pair { double *a; double scale; };
__global__ void step(double *next, const double *now, double *const *rows, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = now[i] + w * rows[1][i] * sin(rows[0][(i + 1) % n]) * now[i];
}
__global__ void mix(double *row, const double *now, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row[i] = 0.5 * row[i] + w * now[i];
}
double tables(const double *x, double c, int n, int steps)
{
    int blocks = (n + 31) / 32;
    double shift = 0.25, last;
    Grid *g = (Grid *)malloc(sizeof(Grid));
    double **rows = (double **)malloc(3 * sizeof(double *)), **d_rows;
    Pair pairs[2];
    for (int k = 0; k < 2; ++k) {
        cudaMalloc(&pairs[k].a, n * sizeof(double));
        cudaMemcpy(pairs[k].a, x, n * sizeof(double), cudaMemcpyHostToDevice);
        pairs[k].scale = 0.1 * (k + 1);
    }
    cudaMalloc(&rows[0], n * sizeof(double));
    cudaMalloc(&rows[1], n * sizeof(double));
    cudaMalloc(&rows[2], n * sizeof(double));
    for (int k = 0; k < 3; ++k) cudaMemcpy(rows[k], x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMalloc(&d_rows, 3 * sizeof(double *));
    cudaMemcpy(d_rows, rows, 3 * sizeof(double *), cudaMemcpyHostToDevice);
    cudaMalloc(&g->now, n * sizeof(double));
    cudaMalloc(&g->next, n * sizeof(double));
    cudaStreamCreate(&g->stream);
    g->weight = c;
    g->shift = &shift;
    cudaMemcpy(g->now, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        step<<<blocks, 32, 0, g->stream>>>(g->next, g->now, d_rows, g->weight * *g->shift, n);
        mix<<<blocks, 32, 0, g->stream>>>(rows[t % 3], g->next, pairs[0].scale, n);
        mix<<<blocks, 32>>>(pairs[0].a, rows[0], pairs[1].scale, n);
        mix<<<blocks, 32>>>(g->next, pairs[1].a, 0.1, n);
        double *held = g->now;
        g->now = g->next;
        g->next = held;
        held = rows[0];
        rows[0] = rows[1];
        rows[1] = rows[2];
        rows[2] = held;
        Pair pair = pairs[0];
        pairs[0] = pairs[1];
        pairs[1] = pair;
        g->weight *= 0.95;
    }
    mix<<<blocks, 32>>>(g->now, rows[1], pairs[0].scale, n);
    cudaMemcpy(&last, g->now + n / 2, sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; ++k) cudaFree(rows[k]);
    for (int k = 0; k < 2; ++k) cudaFree(pairs[k].a);
    cudaFree(d_rows);
    cudaFree(g->now);
    cudaFree(g->next);
    cudaStreamDestroy(g->stream);
    free(rows);
    free(g);
    return last;
}
"""
# Steps that are counted by running them.
SETTLE = """
__global__ void step(double *next, const double *now, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = now[i] + w * now[i] * (now[(i + 1) % n] - now[i]);
}
double settle(const double *x, double c, int n, double tolerance)
{
    int blocks = (n + 31) / 32, count = 0;
    double *u, *v, *h = (double *)malloc(n * sizeof(double)), change = 1;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    while (change > tolerance) {
        step<<<blocks, 32>>>(v, u, c, n);
        cudaMemcpy(h, v, n * sizeof(double), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += h[i] / n;
        change *= 0.6 + 0.1 * sum;
        double *held = u;
        u = v;
        v = held;
        ++count;
    }
    do {
        step<<<blocks, 32>>>(v, u, change, n);
        step<<<blocks, 32>>>(u, v, c, n);
    } while (--count > 4);
    cudaMemcpy(h, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    double last = change + h[n / 2] * h[3];
    cudaFree(u);
    cudaFree(v);
    free(h);
    return last;
}
"""
N, STEPS = 150, 12


def _march() -> tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(4)
    args = [rng.uniform(0.2, 1, N), rng.uniform(0.2, 1, N), 0.7, N, STEPS]
    limits = {"memory_limit": 9_000, "host_memory": 5_000}
    return MARCH, "march", {"wrt": ("x", "v", "c")}, args, {}, limits


def _grow() -> tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(5)
    u, v, weights = (rng.uniform(0.2, 1, n).astype(np.float32) for n in (N, N, STEPS + 1))
    seeds = {"u": rng.standard_normal(N).astype(np.float32), "v": rng.standard_normal(N).astype(np.float32)}
    return (
        GROW,
        "grow",
        {"wrt": ("u", "v"), "of": ("u", "v")},
        [u, v, weights, N, STEPS],
        {"seeds": seeds},
        {"memory_limit": 16_000},
    )


def _loops() -> tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]:
    x = np.random.default_rng(6).uniform(0.2, 1, N)
    return LOOPS, "loops", {"wrt": ("x", "c")}, [x, 0.1, N, STEPS], {}, {"memory_limit": 17_000, "host_memory": 6_000}


def _tables() -> tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]:
    x = np.random.default_rng(7).uniform(0.2, 1, N)
    limits = {"memory_limit": 40_000, "host_memory": 20_000}
    return TABLES, "tables", {"wrt": ("x", "c")}, [x, 0.7, N, STEPS], {}, limits


def _settle() -> tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]:
    x = np.random.default_rng(8).uniform(0.2, 1, N)
    return SETTLE, "settle", {"wrt": ("x", "c")}, [x, 0.2, N, 0.01], {}, {"memory_limit": 14_000, "host_memory": 6_000}


PROGRAMS: dict[str, Callable[[], tuple[str, str, dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]]] = {
    "march": _march,
    "grow": _grow,
    "loops": _loops,
    "tables": _tables,
    "settle": _settle,
}
