"""The loops over the blocks of a grid and the threads of a block.

The loop over `threadIdx.x` is innermost, so that neighbouring threads, which touch neighbouring memory, become vector
lanes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hetad.emit.layout import INDENT

_AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Middle:
    """The threads of a row from `first` up to `end`, and the lines for each of them."""

    first: str
    end: str
    body: tuple[str, ...]


def block_loops(body: Sequence[str], reverse: bool) -> list[str]:
    """`body` for each block, last to first if `reverse`."""
    lines = list(body)
    for axis in _AXES:
        lines = _loop("gridDim", "b", axis, reverse, lines)
    return lines


def block_range(body: Sequence[str], reverse: bool) -> list[str]:
    """`body` for the blocks from number `hetad_first` up to `hetad_last`, counted from the end if `reverse`."""
    total = "(size_t)gridDim.x * gridDim.y * gridDim.z"
    return [
        "for (size_t hetad_i = hetad_first; hetad_i < hetad_last; ++hetad_i) {",
        INDENT + f"const size_t hetad_b = {total + ' - 1 - hetad_i' if reverse else 'hetad_i'};",
        INDENT + "const unsigned hetad_bx = hetad_b % gridDim.x, hetad_by = hetad_b / gridDim.x % gridDim.y;",
        INDENT + "const unsigned hetad_bz = hetad_b / gridDim.x / gridDim.y;",
        INDENT + "(void)hetad_bx, (void)hetad_by, (void)hetad_bz;",
        *(INDENT + line if line else line for line in body),
        "}",
    ]


def thread_loops(
    body: Sequence[str],
    reverse: bool,
    uses: Collection[str],
    limits: tuple[str, str] | None = None,
    middle: Middle | None = None,
) -> list[str]:
    """`body` for each thread; `uses` says which of `threadIdx` and `hetad_t`, the thread's number, it needs.

    `limits`: of threadIdx.x, where not all of blockDim.x.  `middle`: threads of a row that have other lines.
    """
    numbered = "hetad_t" in uses
    opening = ["const size_t hetad_t = hetad_row + hetad_tx;"] if numbered else []
    opening += ["const dim3 threadIdx = {hetad_tx, hetad_ty, hetad_tz};"] if "threadIdx" in uses else []
    if middle is not None:
        lines = _in_three([*opening, *body], replace(middle, body=(*opening, *middle.body)), reverse)
    elif limits is not None:
        lines = _limited(*limits, reverse, [*opening, *body])
    else:
        lines = _loop("blockDim", "t", "x", reverse, [*opening, *body])
    if numbered:  # outside the innermost loop, where the compiler sees that hetad_t only counts up
        lines = ["const size_t hetad_row = (size_t)blockDim.x * (hetad_ty + (size_t)blockDim.y * hetad_tz);", *lines]
    lines = _loop("blockDim", "t", "y", reverse, lines)
    return _loop("blockDim", "t", "z", reverse, lines)


def _loop(extent: str, letter: str, axis: str, reverse: bool, body: Sequence[str]) -> list[str]:
    i = f"hetad_{letter}{axis}"
    last = f"for (unsigned {i} = {extent}.{axis}; {i}-- > 0;) {{"
    head = last if reverse else f"for (unsigned {i} = 0; {i} < {extent}.{axis}; ++{i}) {{"
    return [head, *(INDENT + line if line else line for line in body), "}"]


def _limited(first: str, end: str, reverse: bool, body: Sequence[str]) -> list[str]:
    return [f"const unsigned hetad_from = {first}, hetad_to = {end};", *_row("hetad_from", "hetad_to", reverse, body)]


def _in_three(body: Sequence[str], middle: Middle, reverse: bool) -> list[str]:
    """A row: the middle by itself, and one loop over what is before it and what is behind it."""
    outside = _row("hetad_side ? hetad_to : 0", "hetad_side ? blockDim.x : hetad_from", reverse, body)
    inside = _row("hetad_from", "hetad_to", reverse, middle.body)
    return [
        f"const unsigned hetad_from = {middle.first};",
        f"const unsigned hetad_to = {middle.end};",
        *_sides(reverse),
        *(INDENT + line for line in outside),
        INDENT + f"if (hetad_side == {int(reverse)}) {{",
        *(INDENT * 2 + line for line in inside),
        INDENT + "}",
        "}",
    ]


def _sides(reverse: bool) -> list[str]:
    if reverse:
        return ["for (int hetad_side = 2; hetad_side-- > 0;) {"]
    return ["for (int hetad_side = 0; hetad_side < 2; ++hetad_side) {"]


def _row(first: str, end: str, reverse: bool, body: Sequence[str]) -> list[str]:
    upwards = f"for (unsigned hetad_tx = {first}; hetad_tx < {_operand(end)}; ++hetad_tx) {{"
    downwards = f"for (unsigned hetad_tx = {end}; hetad_tx-- > {_operand(first)};) {{"
    return [downwards if reverse else upwards, *(INDENT + line if line else line for line in body), "}"]


def _operand(text: str) -> str:
    return f"({text})" if "?" in text else text
