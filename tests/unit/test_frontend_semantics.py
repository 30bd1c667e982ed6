"""The same C function compiled by a C compiler, run as lowered IR, and run as normalised IR: equal results."""

# ruff: noqa: E501  (programs read best on a line of their own)
from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hetad.frontend import load
from hetad.frontend.normalize import normalize
from hetad.ir.verify import NORMALISED, verify
from hetad.rules.signatures import signature
from tests.unit.frontend_interpreter import Address, Interpreter

CC = shutil.which("cc") or shutil.which("gcc")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler to compare with")
INPUTS = list(itertools.product((-2, 0, 1, 3, 7), (0, 2, 5)))

PROGRAMS = {
    "increments": "int i = a; int j = i++ + b; p[0] = j--; p[1] = ++i; return i * 10 + j;",
    "pointers": "int *q = p; *q++ = a; *q++ = b; *--q += 3; *(q + 1) = q - p; q[2] = *q; return p[1] + q[-1];",
    "chained": "int x, y; x = y = a + b; p[0] = p[1] = x++; return x + y * (p[1] = 4);",
    "comma": "int i, j; for (i = 0, j = 8; i < j; i++, j -= 2) p[i % 4] += j; return (i++, i + j);",
    "short_circuit": "int n = 0; if (a && (n = b) > 1 || n++ > 5) p[0] = n; return n && (p[1] = 3) ? n : -n;",
    "ternary": "int n = a > 0 ? b++ : (a = 7, b--); return n * 100 + a * 10 + b;",
    "while_condition": "int n = 20, s = 0; while ((n -= 3) > a) { if (n % 2) continue; s += n; } return s * 10 + n;",
    "do_while": "int n = a; do { n += 2; if (n == 5) continue; if (n > 8) break; p[0]++; } while (n++ < b + 3); return n;",
    "do_condition": "int n = 9, s = 0; do { if (n == 6) continue; s += n; } while (n-- > a && s < 30); return s * 100 + n;",
    "do_once": "int n = 1; do { if (a > 0) break; n = 5; if (b) continue; n = 6; } while (0); return n;",
    "do_once_in_loop": """int s = 0; for (int i = 0; i < 6; i++) { do { if (i == a) break; if (i == b) continue; s += i; }
        while (0); s += 100; if (s > 350) return s; } return -s;""",
    "switch_falls": """int s = 0; switch (a) { case 0: s += 1; case 1: case 3: s += 10; break; default: s += 100;
        case 7: s += 1000; } return s;""",
    "switch_default_first": "int s = 0; switch (a) { default: s = 9; case 1: s += 2; break; case 3: s = 3; } return s;",
    "switch_in_loop": """int s = 0; for (int i = 0; i < 8; ++i) { switch (i % 4) { case 0: continue; case 1: s += 1; break;
        case 2: if (i == b) break; s += 10; if (i > a) return s; default: s += 100; } s *= 2; } return s;""",
    "switch_only_default": "switch (a) { default: return b; } return 1;",
    "switch_changes_subject": "switch (a) { case 1: a = 3; case 3: a += 2; case 4: a += 7; break; case 0: a = 9; } return a;",
    "nested_return": """for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { if (i * j == a) return i * 10 + j;
        if (j > b) break; if ((i + j) % 3 == 0) continue; p[0] += j; } p[1]++; } return -1;""",
    "break_sees_index": "int i; for (i = 0; i < 10; i++) if (i * i > a + 3) break; return i;",
    "break_then_step": "int i, n = 0; for (i = 0; i < 10; n++, i += 2) { if (i == b) { i += 100; break; } } return i * 10 + n;",
    "dead_code": "return a; a = 3; return b;",
    "unsigned": "unsigned u = a; unsigned long v = u * 3u; return (int)(v >> 3) + (u > 5) + (a < 1u);",
    "narrow": "char c = 100; c += a * 50; short s = c; s *= 700; unsigned char d = s; return c + s * 3 + (d >> 1) + ~c;",
    "shifts": "int s = 1; s <<= b; s |= a & 6; s ^= 3; s >>= 1; s %= 5; return s - (a << 1) + (-7 >> 1);",
    "mixed": "double d = a; float f = b; f /= 3; d += f * 0.5; d -= a / 2; int i = d; i += 2.7; return i + (int)(f * 100);",
    "shadowing": "int i = a; { int i = b; p[0] = i; { int i = 3; p[1] = i; } p[2] = i++; } for (int i = 0; i < 2; i++) p[3] += i; return i;",
    "array_2d": "int m[2][3] = {{1, 2, 3}, {4}}; int (*r)[3] = m; m[1][2] = a; r[1][1] += b; return *(*(r + 1) + 2) + m[1][0] * r[0][2] + m[1][1];",
    "array_flat": "int m[2][2] = {1, 2, 3}; int v[] = {a, b, a + b, [5] = 9}; return m[1][0] + m[1][1] + v[2] + sizeof(v) / sizeof(v[0]) + v[4];",
    "structs": """struct S { int x; struct { int k[2]; } in; }; struct S s = {a, {{b, 2}}}, t = s, *q = &t; q->x += 5; (*q).in.k[1] = 7;
        struct S u[2] = {s, {1}}; u[1] = *q; return u[0].x + u[1].x * 10 + u[1].in.k[1] * 100 + s.in.k[0];""",
    "address": "int x = a, *q = &x, **r = &q; **r = 5; *r = p; (*r)[1] = 3; q[0] = x; return *p + (&p[3] - q) + (q == p) + (&*q == p);",
    "right_side_first": "int i = 1; p[i++] = a; int j = 0; p[j] += (j = 3, b); return p[3] * 100 + i * 10 + j;",
    "elements_in_order": "int v[4] = {a, a++, a, twice(a++)}; return v[0] + v[1] * 10 + v[2] * 100 + v[3] * 1000 + a;",
    "sizes": "double d[4]; struct T { char c; double e; short s; } t; return sizeof d + sizeof(t) * 100 + sizeof(int *) + sizeof(1 + 2L);",
    "enum": "enum { A, B = 5, C }; enum E { D = C * 2 } e = D; return a + C * 10 + e;",
    "literals": "return 0x1F + 017 + 'a' + '\\n' + 0b101 + (int)1e2 + (int).5f + 10u / 3 + (-1 < 0u);",
    "calls": "return twice(a) + twice(twice(b)) * 10 + sum(p, 4) + (a > 0 && twice(a) > 4 ? twice(1) : bump(p));",
    "call_in_loops": """int s = 0; while (twice(s) < b + 3) s += 1; for (int i = bump(p); twice(i) < 9; i += twice(1)) s += i;
        do { s++; if (s > 9) break; if (s == 4) continue; p[1] = s; } while (bump(p) < 5); return s * 10 + p[0];""",
    "call_places": "p[twice(1)] += bump(p + 1); p[bump(p) % 4] = p[3] = twice(a); int q[2] = {bump(p), twice(b)}; return q[0] * 100 + q[1];",
    "void_choice": "a > 0 ? (void)bump(p) : (void)(p[1] = 9); b && bump(p); b || bump(p + 1); return p[0] * 10 + p[1];",
    "early_outs": "if (a < 0) return 1; if (b == 2) { if (a > 5) return 2; p[0] = 1; } else if (b > 2) return 3; p[1] = 2; return 4;",
    "empty": "; {} if (a) ; else ; for (;;) { break; } while (0) ; return 0;",
    "const_table": "static const int t[3] = {3, 1, 2}; const int n = 2; return t[(a & 1) + 1] + n;",
    "bools": "_Bool t = a; _Bool u = 0.5; t |= b > 3; return t + u * 2 + !a * 4 + (!!b) * 8 + (a && b) * 16;",
    "negative_index": "int *q = p + 3; unsigned k = 2; return q[-1] + *(q - 2) + *(q - k) + (q - k)[1];",
    "for_ever": "int n = 0; for (;;) { if (++n > 6) return n + a; if (n == b) continue; p[0] += n; }",
    "while_return": "int n = a; while (1) { n += 3; if (n > 20) return n; while (n % 2) { n++; if (n == b) return -n; } }",
}

HELPERS = """
int twice(int x) { return 2 * x; }
int sum(const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
int bump(int *v) { return ++*v; }
"""


def source(body: str) -> str:
    return f"{HELPERS}int f(int a, int b, int *p) {{ {body} }}\n"


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    file, library = folder / "f.c", folder / "f.so"
    file.write_text(text)
    subprocess.run(
        [CC, "-std=gnu2x", "-O0", "-w", "-fwrapv", "-shared", "-fPIC", str(file), "-o", str(library)], check=True
    )
    return ctypes.CDLL(str(library))


def run_c(library: ctypes.CDLL, a: int, b: int) -> tuple[int, list[int]]:
    memory = (ctypes.c_int * 4)(5, 6, 7, 8)
    return library.f(a, b, memory), list(memory)


def run_ir(program, a: int, b: int) -> tuple[int, list[int]]:
    memory = [5, 6, 7, 8]
    return Interpreter(program).call("f", a, b, Address(memory, 0)), memory


def both_forms(text: str):
    lowered = load(text, "f.cu").reach("f")
    verify(lowered, callees=signature)
    normalised = normalize(lowered)
    verify(normalised, NORMALISED, signature)
    return lowered, normalised


@needs_cc
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name: str, tmp_path: Path) -> None:
    text = source(PROGRAMS[name])
    library = compiled(text, tmp_path)
    lowered, normalised = both_forms(text)
    for a, b in INPUTS:
        expected = run_c(library, a, b)
        assert run_ir(lowered, a, b) == expected, (name, a, b, "lowered")
        assert run_ir(normalised, a, b) == expected, (name, a, b, "normalised")


# --- random control flow -------------------------------------------------------------------------

CONDITIONS = (
    "a > {n}",
    "x % 3 == {n}",
    "i < {n} + 2",
    "x & 1",
    "(x += 1) % 4 == {n}",
    "a && b > {n}",
    "twice(x) > {n} * 5",
)
SIMPLE = ("x += {n} + 1;", "p[{n}] += x;", "x ^= a;", "x = x > 40 ? x - 40 : x + {n};", "p[0] = x++;", "b -= {n};")


def statements(depth: int, in_loop: bool, in_switch: bool) -> st.SearchStrategy[str]:
    n = st.integers(0, 3)
    simple = st.builds(lambda s, k: s.format(n=k), st.sampled_from(SIMPLE), n)
    jumps = ["return x + {n};"] + ["break;"] * (in_loop or in_switch) + ["continue;"] * in_loop
    condition = st.builds(lambda s, k: s.format(n=k), st.sampled_from(CONDITIONS), n)
    jump = st.builds(lambda c, s, k: f"if ({c}) {s.format(n=k)}", condition, st.sampled_from(jumps), n)
    if depth == 0:
        return simple | jump
    inner = st.lists(statements(depth - 1, in_loop, in_switch), min_size=1, max_size=3).map(" ".join)
    loop = st.lists(statements(depth - 1, True, False), min_size=1, max_size=3).map(" ".join)
    arm = st.lists(statements(depth - 1, in_loop, True), min_size=0, max_size=2).map(" ".join)
    return st.one_of(
        simple,
        jump,
        st.builds("if ({}) {{ {} }} else {{ {} }}".format, condition, inner, inner),
        st.builds("if ({}) {{ {} }}".format, condition, inner),
        st.builds("for (int i = 0; i < {}; i++) {{ {} }}".format, st.integers(1, 4), loop),
        st.builds("for (j = 0; ++k < 60 && j < {}; j++) {{ {} }}".format, st.integers(1, 4), loop),
        st.builds("while (++k < 60 && {}) {{ {} }}".format, condition, loop),
        st.builds("do {{ {} }} while (++k < 60 && {});".format, loop, condition),
        st.builds("do {{ {} }} while (0);".format, loop),
        st.builds(
            "switch (x % 4) {{ case 0: {} case 1: {} break; case 2: {} default: {} }}".format, arm, arm, arm, arm
        ),
        st.builds("switch (x % 3) {{ case 0: {} break; default: {} break; case 1: case 2: {} }}".format, arm, arm, arm),
    )


PROGRAM = st.lists(statements(3, False, False), min_size=2, max_size=4).map(" ".join)


@needs_cc
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=PROGRAM)
def test_random_control_flow(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = source(f"int x = a, i = 0, j = 0, k = 0; {body} return x * 7 + j;")
    library = compiled(text, tmp_path_factory.mktemp("random"))
    lowered, normalised = both_forms(text)
    for a, b in INPUTS[::4]:
        expected = run_c(library, a, b)
        assert run_ir(lowered, a, b) == expected
        assert run_ir(normalised, a, b) == expected
