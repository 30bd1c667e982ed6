"""Unions of numbers against the bytes that they have."""

from __future__ import annotations

import struct

import hetad

SOURCE = """
typedef union { double value; long long bits; unsigned int low; unsigned char byte; short half; float single; } wide;
typedef struct { int before; wide inside; int behind; } box;

double low_word(double x, unsigned low) { wide w; w.value = x; w.low = low; return w.value; }
double low_byte(double x, int byte) { wide w = {x}; w.byte = byte; w.byte++; return w.value; }
double as_single(double x) { wide w = {.value = x}; return w.single; }
double with_single(double x, float y) { wide w; w.value = x; w.single = y; return w.value; }
double as_short(double x) { wide w; w.value = x; return w.half; }
double shifted(double x, int n) { box b, c; b.inside.value = x; c = b; c.inside.bits += (long long)n << 52; return c.inside.value; }
double sizes(void) { wide w; box b; w.bits = 0; b.before = 0; return sizeof w + 100 * sizeof b + w.bits + b.before; }
"""  # noqa: E501


def _words(x: float) -> bytearray:
    return bytearray(struct.pack("<d", x))


def _value(raw: bytes) -> float:
    return float(struct.unpack("<d", raw)[0])


def test_bytes() -> None:
    program = hetad.loads(SOURCE, name="unions.cu")
    run = {
        name: program[name]
        for name in ("low_word", "low_byte", "as_single", "with_single", "as_short", "shifted", "sizes")
    }
    x = -1234.56789e-7
    raw = _words(x)
    assert run["low_word"](x, 0xDEADBEEF, backend="cpu") == _value(struct.pack("<I", 0xDEADBEEF) + raw[4:])
    assert run["low_byte"](x, 255, backend="cpu") == _value(b"\0" + raw[1:])
    assert run["as_single"](x, backend="cpu") == struct.unpack("<f", raw[:4])[0]
    assert run["with_single"](x, 0.1, backend="cpu") == _value(struct.pack("<f", 0.1) + raw[4:])
    assert run["as_short"](x, backend="cpu") == struct.unpack("<h", raw[:2])[0]
    assert run["shifted"](x, 3, backend="cpu") == 8 * x
    assert run["sizes"](backend="cpu") == 8 + 100 * 24
