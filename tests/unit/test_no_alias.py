"""Buffers that take turns: where no two of a launch are one, nothing asks when it runs, and it has one pullback."""

from __future__ import annotations

import pytest

import hetad

PROGRAM = """
#include <stdlib.h>
typedef struct { double *now, *next; int turns; } Pair;
__global__ void step(double *next, const double *now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) next[i] = now[i] * now[i - 1];
}
static void swap(double **a, double **b) { double *t = *a; *a = *b; *b = t; }
static void turn(Pair *p) { double *t = p->now; p->now = p->next; p->next = t; p->turns++; }
void run(double *u, int n, int steps, int flag)
{
    size_t bytes = n * sizeof(double);
    double *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, u, bytes, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, bytes);
    BODY
    cudaMemcpy(u, a, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
"""
STEP = "step<<<(n + 31) / 32, 32>>>(b, a, n);"
TURN = "double *t = a; a = b; b = t;"
LOOP = "for (int s = 0; s < steps; s++) {"


def asks(body: str) -> bool:
    text = hetad.gradient(hetad.loads(PROGRAM.replace("BODY", body))["run"], wrt="u", of="u").source
    return "hetad_apart(" in text or "_overlapping(" in text


@pytest.mark.parametrize(
    "body",
    [
        LOOP + STEP + TURN + "}",
        LOOP + STEP + "swap(&a, &b); }",
        LOOP + "if (flag) {" + TURN + "}" + STEP + "}",
        LOOP + STEP + "a = a + 0; " + TURN + "}",
        LOOP + "for (int k = 0; k < s; k++) {" + TURN + "}" + STEP + "}",
        "Pair p = {a, b, 0};" + LOOP + "step<<<2, 32>>>(p.next, p.now, n); turn(&p); } a = p.now; b = p.next;",
        "double *c; cudaMalloc(&c, bytes); cudaMemset(c, 0, bytes);"
        + LOOP + STEP + "double *t = a; a = b; b = c; c = t; } cudaFree(c);",
    ],
)  # fmt: skip
def test_turns_are_taken_without_a_question(body: str) -> None:
    assert not asks(body)


@pytest.mark.parametrize(
    "body",
    [
        LOOP + STEP + TURN + "if (flag) b = a; }",
        LOOP + STEP + "double *t = b; if (flag) t = a; b = a; a = t; }",
        LOOP + "b = flag ? a : b;" + STEP + TURN + "}",
        LOOP + STEP + TURN + "double **p = flag ? &a : &b; *p = a; }",
        LOOP + STEP + "a = b; double *t = a; b = t; }",
        "Pair p = {a, b, 0}, q = {a, b, 0};" + LOOP + "step<<<2, 32>>>(p.next, q.now, n); turn(&p); }",
        "Pair p = {a, b, 0};" + LOOP + "step<<<2, 32>>>(p.next, p.now, n); turn(&p); if (flag) p.next = p.now; }",
        "double *turns[2] = {a, b};" + LOOP + "step<<<2, 32>>>(turns[s % 2], turns[(s + flag) % 2], n); }",
    ],
)
def test_what_may_be_one_buffer_is_asked(body: str) -> None:
    assert asks(body)
